// Flits, and the slots of the FIFOs that hold them.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/machine.h"
#include "model/types.h"

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

/// A slot of a FIFO: either a flit, or the cycle from which the sender may use the slot again.
///
/// One word serves as storage, as credit and as the credit's delay: a sender that compares the slot it would
/// write next with the present cycle sees `occupied` as a time that never comes.
class Slot {
 public:
  /// Free from cycle 0 on: a word of zeros.
  Slot() = default;

  [[nodiscard]] static constexpr Slot flit(MessageSlot message, std::uint32_t index, bool head, bool tail) {
    return Slot(kOccupied | (head ? kHead : 0) | (tail ? kTail : 0) | std::uint64_t{index} << 32 | message);
  }
  [[nodiscard]] static constexpr Slot free_from(Cycle cycle) { return Slot(cycle); }
  /// The slot of a word().
  [[nodiscard]] static constexpr Slot of_word(std::uint64_t word) { return Slot(word); }
  // Only the receiver writes an occupied slot, to free it; the sender reads whether it is free. They may be
  // in different threads:

  /// The slot, possibly just before a concurrent change.
  [[nodiscard]] Slot seen() { return Slot(std::atomic_ref(word_).load(std::memory_order_acquire)); }
  /// Frees the slot and returns its flit, with release order.
  Slot take(Cycle free_from) {
    const Slot flit = *this;
    std::atomic_ref(word_).store(free_from, std::memory_order_release);
    return flit;
  }

  /// The flit behind this one in its message. Requires that this is not the tail.
  [[nodiscard]] constexpr Slot following(bool tail) const {
    return Slot((word_ & ~kHead) + (std::uint64_t{1} << 32) + (tail ? kTail : 0));
  }

  /// The flit so many behind (before) this one in its message. Requires that both are neither head nor tail.
  [[nodiscard]] constexpr Slot later(std::uint64_t flits) const { return Slot(word_ + (flits << 32)); }
  [[nodiscard]] constexpr Slot earlier(std::uint64_t flits) const { return Slot(word_ - (flits << 32)); }

  /// Flit or cycle. A difference of two words can be added to the indices of flits and to cycles.
  [[nodiscard]] constexpr std::uint64_t word() const { return word_; }
  [[nodiscard]] constexpr bool occupied() const { return (word_ & kOccupied) != 0; }
  /// True if the sender may write here in cycle `now`.
  [[nodiscard]] constexpr bool usable(Cycle now) const { return word_ <= now; }
  /// Requires !occupied().
  [[nodiscard]] constexpr Cycle free_from() const { return word_; }

  /// The following require occupied().
  [[nodiscard]] constexpr bool head() const { return (word_ & kHead) != 0; }
  [[nodiscard]] constexpr bool tail() const { return (word_ & kTail) != 0; }
  [[nodiscard]] constexpr MessageSlot message() const { return static_cast<MessageSlot>(word_); }
  /// Neither head nor tail.
  [[nodiscard]] constexpr bool body() const { return (word_ & (kHead | kTail)) == 0; }
  /// Position of the flit in its message, 0 .. flits-1.
  [[nodiscard]] constexpr std::uint32_t index() const {
    return static_cast<std::uint32_t>(word_ >> 32) & kMaxFlits;
  }

 private:
  static constexpr std::uint64_t kTail = std::uint64_t{1}
                                         << 63;  // the sign is the bit that is tested fastest
  static constexpr std::uint64_t kOccupied = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kHead = std::uint64_t{1} << 61;

  explicit constexpr Slot(std::uint64_t word) : word_(word) {}

  std::uint64_t word_ = 0;
};
static_assert(sizeof(Slot) == 8);

/// The position behind `position` in a FIFO of `length` slots. Without a branch, since the wrap cannot be
/// predicted. Both are below 2^31.
[[nodiscard]] constexpr std::uint32_t position_behind(std::uint32_t position, std::uint32_t length) {
  const std::uint32_t next = position + 1;
  const auto still_below = static_cast<std::int32_t>(next - length) >> 31;  // all ones, or zero
  return next & static_cast<std::uint32_t>(still_below);
}

}  // namespace flitscope
