// Limited buffers at the nodes, behind the VCs of ejection channels (docs/timing.md, "Network interfaces").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// The messages in the ejection buffers of all nodes: those that have left their router.
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
  /// It is delivered.
  void deliver(std::uint64_t id) { change(id).delivered = true; }
  /// Its node takes it, once, after it was delivered.
  void take(std::uint64_t id) {
    change(id).taken = true;
    const std::size_t place = place_of_.extract(id).mapped();
    if (!std::exchange(buffers_[place].reading, true)) reading_.push_back(place);
  }
  /// See Transport::wait_to_send.
  void wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) { change(id).reply = reply; }

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
    bool delivered = false;
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

}  // namespace flitscope
