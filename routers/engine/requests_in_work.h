// Requests that nodes work on until they have answered them (docs/timing.md, "Network interfaces").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// The requests in work at all nodes, by ejection VC. Threads that step different nodes may call begin() and
/// answer() at the same time.
class RequestsInWork {
 public:
  /// `vcs`: of the ejection channels of a node.
  RequestsInWork(NodeId nodes, unsigned vcs, const MachineConfig& machine)
      : vcs_(vcs), in_work_(std::size_t{nodes} * vcs) {
    for (NodeId node = 0; node < nodes; ++node) limits_.push_back(machine.requests_of(node));
  }

  /// A message is given to the network: whether its destination answers it, and which one it answers.
  void send(std::uint64_t id, bool is_answered, std::optional<std::uint64_t> answers) {
    if (is_answered || answers) messages_[id] = {is_answered, answers};
  }
  /// It is delivered.
  void deliver(std::uint64_t id) { messages_.erase(id); }

  /// The tail of a message leaves its router by an ejection VC, counted among those of the node. Returns
  /// whether it keeps that, since the node has no room for another one.
  [[nodiscard]] bool begin(NodeId node, unsigned vc, std::uint64_t id) {
    const auto found = messages_.find(id);
    if (found == messages_.end() || !found->second.is_answered) return false;
    std::vector<std::uint64_t>& requests = in_work_[std::size_t{node} * vcs_ + vc];
    requests.push_back(id);
    return requests.size() == limits_[node];
  }
  /// The tail of a message has left its node. Returns the ejection VC that is given back, as the node had no
  /// room for another request until now; nothing if there is none.
  [[nodiscard]] std::optional<unsigned> answer(NodeId node, std::uint64_t id) {
    const auto found = messages_.find(id);
    if (found == messages_.end() || !found->second.answers) return std::nullopt;
    for (unsigned vc = 0; vc < vcs_; ++vc) {
      std::vector<std::uint64_t>& requests = in_work_[std::size_t{node} * vcs_ + vc];
      const auto request = std::ranges::find(requests, *found->second.answers);
      if (request == requests.end()) continue;
      requests.erase(request);
      if (requests.size() + 1 == limits_[node]) return vc;
      break;
    }
    return std::nullopt;
  }

 private:
  struct Message {
    bool is_answered = false;
    std::optional<std::uint64_t> answers;
  };
  unsigned vcs_;
  std::vector<std::uint32_t> limits_;                    ///< by node, for each VC
  std::vector<std::vector<std::uint64_t>> in_work_;      ///< ids, by node and VC
  std::unordered_map<std::uint64_t, Message> messages_;  ///< in the network, by id
};

}  // namespace flitscope
