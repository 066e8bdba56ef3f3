// The messages in the network or at its border.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/machine.h"
#include "routers/engine/agenda.h"
#include "routers/engine/message_slot.h"
#include "routers/engine/prefetch.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// One message in flight: the contents of its head, and the parts of its latency. Times are cycles.
struct alignas(64) MessageRecord {
  Head head;
  Candidate first;                       ///< of its head at the source, if it travels
  std::uint32_t flits : kFlitsBits = 0;  ///< 0 in a free slot
  std::uint32_t message_class : kClassBits = 0;
  std::uint64_t id = 0;
  NodeId source = 0;
  std::uint32_t step = 0;
  Cycle ready = 0;
  Cycle head_entered = 0;
  Cycle head_arrived = 0;
  std::array<Cycle, kStallCauses> head_stalls{};
  /// Of the head, as Delivery::link_excess; and kCountedLink for each of its links, if they are counted.
  std::int64_t link_sum = 0;

  static constexpr std::int64_t kCountedLink = std::int64_t{1} << 40;
  [[nodiscard]] std::uint32_t counted_links() const {
    return static_cast<std::uint32_t>((link_sum + kCountedLink / 2) / kCountedLink);
  }
  [[nodiscard]] std::int64_t link_excess() const { return link_sum - counted_links() * kCountedLink; }
};
static_assert(sizeof(MessageRecord) == 128 && offsetof(MessageRecord, head_arrived) == 64,
              "the fields of a head on its way are in one line of the cache");

/// Slots for messages, reused after delivery, so that memory follows the messages in flight and not the
/// schedule.
class MessageTable {
 public:
  /// A new record without stalls; the caller sets the other fields.
  [[nodiscard]] MessageSlot open() {
    if (free_.empty()) grow();
    const MessageSlot slot = free_.back();
    free_.pop_back();
    begin(slot);
    return slot;
  }
  /// Moves free slots to a thread, which begins a record with each, or gives it back.
  void take(std::size_t count, std::vector<MessageSlot>& slots) {
    while (free_.size() < count) grow();
    slots.insert(slots.end(), free_.end() - static_cast<std::ptrdiff_t>(count), free_.end());
    free_.resize(free_.size() - count);
  }
  /// Begins a new record, as open() does.
  void begin(MessageSlot slot) {
    records_[slot].head_stalls = {};
    records_[slot].link_sum = 0;
  }
  /// Provides for `messages` more records, which threads begin while no other moves.
  void reserve(std::size_t messages) {
    const std::size_t needed = records_.size() + messages - std::min(messages, free_.size());
    if (records_.capacity() < needed) records_.reserve(std::max(needed, 2 * records_.capacity()));
  }
  void close(MessageSlot slot) {
    records_[slot].flits = 0;
    free_.push_back(slot);
  }
  /// Takes a free slot back from a thread.
  void give_back(MessageSlot slot) { free_.push_back(slot); }

  [[nodiscard]] MessageRecord& operator[](MessageSlot slot) { return records_[slot]; }
  [[nodiscard]] const MessageRecord& operator[](MessageSlot slot) const { return records_[slot]; }

  /// Whether a message has the slot.
  [[nodiscard]] bool is_open(MessageSlot slot) const {
    return slot < records_.size() && records_[slot].flits != 0;
  }
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

  /// The tail of `message` reaches its destination in `cycle`, which is after `now`.
  void add(MessageSlot message, Cycle cycle, Cycle now) {
    (cycle - now < agenda_.wheel() ? lists_[agenda_.slot(cycle)] : far_[cycle]).push_back(message);
    agenda_.mark_at(cycle, now);
  }
  /// Whether the message is one of them.
  [[nodiscard]] bool contains(MessageSlot message) const {
    const auto has = [&](const std::vector<MessageSlot>& list) {
      return std::ranges::find(list, message) != list.end();
    };
    return std::ranges::any_of(lists_, has) ||
           std::ranges::any_of(far_, [&](const auto& each) { return has(each.second); });
  }
  /// Calls visit(message) for those of cycle `now`, in any order, and removes them.
  template <typename Visit>
  void take(Cycle now, Visit visit) {
    if (!far_.empty()) take_far(now, visit);
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

  template <typename Visit>
  void take_far(Cycle now, Visit visit) {
    const auto list = far_.find(now);
    if (list == far_.end()) return;
    for (const MessageSlot message : list->second) visit(message);
    far_.erase(list);
  }

  MessageTable& messages_;
  Agenda& agenda_;
  std::vector<std::vector<MessageSlot>> lists_;    ///< by cycle of the wheel
  std::map<Cycle, std::vector<MessageSlot>> far_;  ///< beyond the wheel
};

}  // namespace flitscope
