// Messages that wait for others at their source, with a small record each.
#pragma once

#include <cstdint>
#include <vector>

#include "model/route.h"
#include "model/types.h"
#include "routers/engine/message_slot.h"
#include "routers/engine/prefetch.h"

namespace flitscope {

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
