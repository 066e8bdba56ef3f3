// The messages in the network, at its border, and at their sources.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/machine.h"
#include "routers/engine/agenda.h"
#include "routers/engine/prefetch.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Number of a message in the MessageTable; reused after delivery.
using MessageSlot = std::uint32_t;
inline constexpr MessageSlot kNoMessage = 0xFFFFFFFF;

/// The longest message, in flits.
inline constexpr unsigned kFlitsBits = 29;
inline constexpr std::uint32_t kMaxFlits = (1U << kFlitsBits) - 1;
/// Of the number of a message class.
inline constexpr unsigned kClassBits = 32 - kFlitsBits;
static_assert(kMaxMessageClasses == 1U << kClassBits);

/// A message at its send.
struct NewMessage {
  std::uint64_t id = 0;
  Cycle ready = 0;  ///< handed to the network interface
  NodeId destination = 0;
  std::uint32_t flits : kFlitsBits = 1;
  std::uint32_t message_class : kClassBits = 0;
  std::uint32_t step = 0;
  Route route{};
};

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
  /// The agenda has cycles with such messages as those of the node `calls`.
  ArrivingMessages(MessageTable& messages, Agenda& agenda, NodeId calls)
      : messages_(messages), agenda_(agenda), calls_(calls), lists_(agenda.wheel()) {}

  /// The tail of `message` reaches its destination in `cycle`, which is after `now`.
  void add(MessageSlot message, Cycle cycle, Cycle now) {
    (cycle - now < agenda_.wheel() ? lists_[agenda_.slot(cycle)] : far_[cycle]).push_back(message);
    agenda_.wake_at(calls_, cycle, now);
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
    std::vector<MessageSlot>& list = lists_[agenda_.slot(now)];
    if (const auto far = far_.extract(now); !far.empty())
      list.insert(list.end(), far.mapped().begin(), far.mapped().end());
    for (std::size_t place = 0; place < list.size(); ++place) {
      if (place + kFetchedAhead < list.size()) {
        const MessageRecord& coming = messages_[list[place + kFetchedAhead]];
        prefetch(&coming.ready);
        prefetch(&coming.head_stalls.back());
      }
      visit(list[place]);
    }
    list.clear();
  }

 private:
  static constexpr std::size_t kFetchedAhead = 8;

  MessageTable& messages_;
  Agenda& agenda_;
  NodeId calls_;
  std::vector<std::vector<MessageSlot>> lists_;    ///< by cycle of the wheel
  std::map<Cycle, std::vector<MessageSlot>> far_;  ///< beyond the wheel
};

/// Messages of all network interfaces without a record in the MessageTable, in lines that their owners keep.
class WaitingMessages {
 public:
  /// A first-in, first-out queue; zeros are an empty one.
  struct Line {
    std::uint32_t first = 0;  ///< number of a message, if there are any
    std::uint32_t last = 0;
    std::uint32_t length = 0;
  };

  void append(Line& line, const NewMessage& message) {
    const std::uint32_t number = store(message);
    if (line.length != 0) messages_[line.last].next = number;
    if (line.length == 0) line.first = number;
    line.last = number;
    ++line.length;
  }

  /// Removes the first of a line that is not empty.
  [[nodiscard]] NewMessage take_first(Line& line) {
    const std::uint32_t number = line.first;
    const Waiting first = messages_[number];
    line.first = first.next;
    --line.length;
    messages_[number].next = free_;
    free_ = number;
    return first.message;
  }

 private:
  struct Waiting {
    NewMessage message;
    std::uint32_t next = 0;  ///< behind it in its line, or the next that is free
  };
  static_assert(sizeof(Waiting) == 40);
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  [[nodiscard]] std::uint32_t store(const NewMessage& message) {
    if (free_ == kNone) {
      messages_.push_back({message});
      return static_cast<std::uint32_t>(messages_.size() - 1);
    }
    const std::uint32_t number = free_;
    free_ = messages_[number].next;
    messages_[number].message = message;
    return number;
  }

  std::vector<Waiting, LargePages<Waiting>> messages_;
  std::uint32_t free_ = kNone;
};

}  // namespace flitscope
