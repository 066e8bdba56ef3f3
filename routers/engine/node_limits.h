// Limited network interfaces: ejection buffers, and requests in work (docs/timing.md, "Network interfaces").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// The messages in the ejection buffers of all nodes, behind the VCs of ejection channels: those that have
/// left their router.
class EjectionBuffers {
 public:
  /// `vcs`: of the ejection channels of a node. `delay`: cycles from when a node reads a flit until its slot
  /// can be used again.
  EjectionBuffers(NodeId nodes, unsigned vcs, Cycle delay)
      : vcs_(vcs), delay_(delay), buffers_(std::size_t{nodes} * vcs) {}

  /// The tail of a message leaves its router by an ejection VC, counted among those of the node.
  void add(NodeId node, unsigned vc, std::uint64_t id, std::uint32_t flits) {
    const std::size_t place = std::size_t{node} * vcs_ + vc;
    buffers_[place].messages.push_back({id, flits});
    place_of_[id] = place;
  }
  /// Its node takes it, once, after its delivery.
  void take(std::uint64_t id) {
    change(id).taken = true;
    const std::size_t place = place_of_.extract(id).mapped();
    if (!std::exchange(buffers_[place].reading, true)) reading_.push_back(place);
  }
  /// See Transport::wait_to_send.
  void wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) {
    if (place_of_.contains(id)) change(id).reply = reply;
  }

  /// Every node reads a flit of each buffer whose first message it has taken: visit(node, vc). Returns
  /// whether there was any.
  template <typename Visit>
  bool read(Cycle now, Visit visit) {
    std::erase_if(reading_, [&](std::size_t place) {
      Buffer& buffer = buffers_[place];
      const bool reads = !buffer.messages.empty() && buffer.messages.front().taken;
      buffer.reading = reads;
      if (!reads) return true;
      visit(static_cast<NodeId>(place / vcs_), static_cast<unsigned>(place % vcs_));
      buffer.credit = now + delay_;
      if (--buffer.messages.front().unread == 0) buffer.messages.erase(buffer.messages.begin());
      return false;
    });
    return !reading_.empty();
  }

  /// Nodes at which the cause of a stall may have changed, since the last call.
  [[nodiscard]] std::vector<NodeId> take_changed() {
    std::ranges::sort(changed_);
    const auto twice = std::ranges::unique(changed_);
    changed_.erase(twice.begin(), twice.end());
    return std::exchange(changed_, {});
  }

  /// Why there is no slot in a full buffer: the message in the missing one, none if it has been read; and
  /// the message class that its node must send first.
  struct Hindrance {
    std::optional<std::uint64_t> message{};
    std::optional<std::uint32_t> reply{};
  };
  [[nodiscard]] Hindrance hindrance(NodeId node, unsigned vc, Cycle now) const {
    const Buffer& buffer = buffers_[std::size_t{node} * vcs_ + vc];
    if (now < buffer.credit || buffer.messages.empty()) return {};
    const Message& first = buffer.messages.front();
    Hindrance result{.message = first.id};
    if (!first.taken) result.reply = first.reply;
    return result;
  }

 private:
  struct Message {
    std::uint64_t id = 0;
    std::uint32_t unread = 0;  ///< flits
    bool taken = false;
    std::optional<std::uint32_t> reply = {};  ///< see wait_to_send()
  };
  struct Buffer {
    std::vector<Message> messages;  ///< in the order of their arrival
    Cycle credit = 0;               ///< when the slot that was read last can be used
    bool reading = false;           ///< it is in reading_
  };

  /// A message that is not taken, for a change.
  [[nodiscard]] Message& change(std::uint64_t id) {
    const std::size_t place = place_of_.at(id);
    changed_.push_back(static_cast<NodeId>(place / vcs_));
    const auto is_meant = [id](const Message& each) { return each.id == id && !each.taken; };
    return *std::ranges::find_if(buffers_[place].messages, is_meant);
  }

  unsigned vcs_;
  Cycle delay_;
  std::vector<Buffer> buffers_;                              ///< by node and VC
  std::unordered_map<std::uint64_t, std::size_t> place_of_;  ///< buffers of messages that are not taken
  std::vector<std::size_t> reading_;
  std::vector<NodeId> changed_;
};

/// The requests that nodes work on until they have answered them, by ejection VC. Threads that step different
/// nodes may call begin(), answer() and wait() at the same time.
class RequestsInWork {
 public:
  /// A message of which the reply has not left its node.
  struct Request {
    std::uint64_t id = 0;
    std::optional<std::uint64_t> reply = {};  ///< that is given to the network
    unsigned queue = 0;                       ///< in which that waits, or has waited
    /// The message class of a reply that waits for room in a queue of its node.
    std::optional<std::uint32_t> waits_for_room = {};
  };

  /// `vcs`: of the ejection channels of a node.
  RequestsInWork(NodeId nodes, unsigned vcs, const MachineConfig& machine)
      : vcs_(vcs), in_work_(std::size_t{nodes} * vcs) {
    for (NodeId node = 0; node < nodes; ++node) limits_.push_back(machine.requests_of(node));
  }

  /// A message of `node` is given to the network: whether its destination answers it, and which one it
  /// answers.
  void send(NodeId node, std::uint64_t id, bool is_answered, std::optional<std::uint64_t> answers) {
    if (is_answered || answers) messages_[id] = {is_answered, answers};
    if (!answers) return;
    messages_.erase(*answers);
    if (Request* const request = find(node, &Request::id, *answers)) request->reply = id;
  }
  /// It waits in a queue.
  void wait(NodeId node, std::uint64_t id, unsigned queue) {
    if (Request* const request = find(node, &Request::reply, id)) request->queue = queue;
  }
  /// It is delivered. What is known of it is needed until it is answered.
  void deliver(NodeId node, std::uint64_t id) {
    const auto found = messages_.find(id);
    if (found == messages_.end()) return;
    if (!found->second.is_answered) {
      messages_.erase(found);
    } else {
      found->second.destination = node;
    }
  }
  /// The reply to a message that was delivered waits for room in a queue of its message class.
  void wait_for_room(std::uint64_t id, std::uint32_t message_class) {
    const auto found = messages_.find(id);
    if (found == messages_.end()) return;
    Request* const request = find(found->second.destination, &Request::id, id);
    if (request != nullptr) request->waits_for_room = message_class;
  }

  /// The tail of a message leaves its router by an ejection VC, counted among those of the node. Returns
  /// whether it keeps that, since the node has no room for another one.
  [[nodiscard]] bool begin(NodeId node, unsigned vc, std::uint64_t id) {
    const auto found = messages_.find(id);
    if (found == messages_.end() || !found->second.is_answered) return false;
    std::vector<Request>& requests = in_work_[std::size_t{node} * vcs_ + vc];
    requests.push_back({id});
    return requests.size() == limits_[node];
  }
  /// The tail of a message has left its node. Returns the ejection VC that is given back, as the node had no
  /// room for another request until now; nothing if there is none.
  [[nodiscard]] std::optional<unsigned> answer(NodeId node, std::uint64_t id) {
    for (unsigned vc = 0; vc < vcs_; ++vc) {
      std::vector<Request>& requests = in_work_[std::size_t{node} * vcs_ + vc];
      if (std::erase_if(requests, [id](const Request& each) { return each.reply == id; }) == 0) continue;
      return requests.size() + 1 == limits_[node] ? std::optional(vc) : std::nullopt;
    }
    return std::nullopt;
  }
  /// Those for which an ejection VC is kept; none if it is not.
  [[nodiscard]] std::span<const Request> kept_for(NodeId node, unsigned vc) const {
    const std::vector<Request>& requests = in_work_[std::size_t{node} * vcs_ + vc];
    if (requests.size() < limits_[node]) return {};
    return requests;
  }

 private:
  struct Message {
    bool is_answered = false;
    std::optional<std::uint64_t> answers;
    NodeId destination = kNoNode;  ///< at which it was delivered
  };

  /// The request of a node whose `field` is `id`; nullptr: there is none.
  template <typename Field>
  [[nodiscard]] Request* find(NodeId node, Field Request::*field, std::uint64_t id) {
    for (unsigned vc = 0; vc < vcs_; ++vc) {
      std::vector<Request>& requests = in_work_[std::size_t{node} * vcs_ + vc];
      const auto found =
          std::ranges::find_if(requests, [&](const Request& each) { return each.*field == id; });
      if (found != requests.end()) return &*found;
    }
    return nullptr;
  }

  unsigned vcs_;
  std::vector<std::uint32_t> limits_;                    ///< by node, for each VC
  std::vector<std::vector<Request>> in_work_;            ///< by node and VC
  std::unordered_map<std::uint64_t, Message> messages_;  ///< by id
};

}  // namespace flitscope
