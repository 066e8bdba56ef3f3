// The messages that are in the network or wait at its border.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/flit.h"
#include "routers/engine/prefetch.h"
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
    if (free_.empty()) grow();
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
  [[gnu::noinline]] void grow() {
    free_.push_back(static_cast<MessageSlot>(records_.size()));
    records_.emplace_back();
  }

  std::vector<MessageRecord, LargePages<MessageRecord>> records_;
  std::vector<MessageSlot> free_;
};

/// Messages whose tails are about to reach their destinations, listed by cycle.
class ArrivingMessages {
 public:
  ArrivingMessages(MessageTable& messages, Agenda& agenda)
      : messages_(messages), agenda_(agenda), lists_(agenda.wheel()) {}

  /// The tail of `message` reaches its destination in `cycle`, less than the agenda's wheel ahead.
  void add(MessageSlot message, Cycle cycle) {
    lists_[agenda_.slot(cycle)].push_back(message);
    agenda_.mark(cycle);
  }
  /// Calls visit(message) for those of cycle `now`, in any order, and forgets them.
  template <typename Visit>
  void take(Cycle now, Visit visit) {
    std::vector<MessageSlot>& list = lists_[agenda_.slot(now)];
    std::size_t place = 0;
    for (; place + kFetchedAhead < list.size(); ++place) {
      const MessageRecord& coming = messages_[list[place + kFetchedAhead]];
      prefetch(&coming.ready);
      prefetch(&coming.head_stalls.back());
      visit(list[place]);
    }
    for (; place < list.size(); ++place) visit(list[place]);
    list.clear();
  }

 private:
  static constexpr std::size_t kFetchedAhead = 8;

  MessageTable& messages_;
  Agenda& agenda_;
  std::vector<std::vector<MessageSlot>> lists_;  ///< by cycle of the wheel
};

}  // namespace flitscope
