// The messages that are in the network or wait at its border.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "routers/flit.h"
#include "routers/machine.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// One message on its way: what its head carries, and where its time goes. Times are cycles.
struct alignas(64) MessageRecord {
  Head head;
  std::uint32_t flits = 1;
  MessageSlot next = kNoMessage;  ///< behind it in a network interface's queue
  std::uint64_t id = 0;
  NodeId source = 0;
  std::uint32_t step = 0;
  Cycle ready = 0;
  Cycle head_entered = 0;
  Cycle head_arrived = 0;
  std::array<Cycle, kStallCauses> head_stalls{};
};

/// Slots for messages, reused after delivery, so that memory follows the messages in flight and not the
/// schedule.
class MessageTable {
 public:
  /// A record at the start of its way: nothing behind it, no stalls. Whoever opens it fills in the rest.
  [[nodiscard]] MessageSlot open() {
    if (free_.empty()) {
      records_.emplace_back();
      return static_cast<MessageSlot>(records_.size() - 1);
    }
    const MessageSlot slot = free_.back();
    free_.pop_back();
    records_[slot].next = kNoMessage;
    records_[slot].head_stalls = {};
    return slot;
  }
  void close(MessageSlot slot) { free_.push_back(slot); }

  [[nodiscard]] MessageRecord& operator[](MessageSlot slot) { return records_[slot]; }
  [[nodiscard]] const MessageRecord& operator[](MessageSlot slot) const { return records_[slot]; }

  [[nodiscard]] std::size_t open_messages() const { return records_.size() - free_.size(); }

 private:
  std::vector<MessageRecord> records_;
  std::vector<MessageSlot> free_;
};

}  // namespace flitscope
