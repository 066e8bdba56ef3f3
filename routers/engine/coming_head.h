// Heads that are listed for the cycle in which they are usable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "routers/engine/group_layout.h"
#include "routers/engine/message_slot.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// A head on its way to an input VC; from its routing on with its request, for the first cycle. For the
/// fields of 8 bits see RouterBlock.
struct alignas(32) ComingHead {
  /// Output VCs that a head requests.
  struct Choice {
    std::uint32_t number : 16;  ///< see RouterNumbers::choice
    std::uint32_t group : 8;    ///< link port, or the first ejection port
  };

  Head content;  ///< as in the MessageRecord
  MessageSlot message;
  std::uint32_t flits : 8;   ///< of the message, kMostLeft if it has more; 0: it waits
  std::uint32_t router : 8;  ///< of its group
  std::uint32_t vc : 8;      ///< input VC
  std::uint32_t output : 8;  ///< VC that it has got
  Choice choice;
};
static_assert(sizeof(ComingHead) == 32);

class HeadMemory;

/// Heads of a group that are usable in one cycle. They are written in their place, not copied there.
class HeadList {
 public:
  [[nodiscard]] const ComingHead* begin() const { return heads_.get(); }
  [[nodiscard]] const ComingHead* end() const { return heads_.get() + size_; }
  [[gnu::always_inline]] void append(const Head& head, MessageSlot message, std::uint32_t flits,
                                     unsigned router, unsigned vc, HeadMemory& memory) {
    if (size_ == capacity_) grow(memory);
    ComingHead& coming = heads_[size_++];
    coming.content = head;
    coming.message = message;
    coming.flits = static_cast<std::uint8_t>(std::min(flits, kMostLeft));
    coming.router = static_cast<std::uint8_t>(router);
    coming.vc = static_cast<std::uint8_t>(vc);
    coming.output = 0;
  }

 private:
  friend class HeadMemory;

  void grow(HeadMemory& memory);

  std::unique_ptr<ComingHead[]> heads_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

/// Memory of lists that have been visited, for those that get heads next: so it follows the heads on their
/// way, and is in the cache. A copy begins without any.
class HeadMemory {
 public:
  HeadMemory() = default;
  HeadMemory(const HeadMemory& /*other*/) : HeadMemory() {}
  HeadMemory& operator=(const HeadMemory&) = delete;

  /// Empties a list of heads at their destination or of others. They are in memory until the next one of the
  /// same kind is emptied.
  [[nodiscard]] std::span<ComingHead> take(HeadList& list, bool arrived) {
    HeadList& taken = taken_[arrived];
    if (taken.capacity_ != 0) {
      taken.size_ = 0;
      unused_.push_back(std::move(taken));
    }
    taken = std::exchange(list, {});
    return {taken.heads_.get(), taken.size_};
  }

 private:
  friend class HeadList;

  std::array<HeadList, 2> taken_;
  std::vector<HeadList> unused_;
};

[[gnu::noinline]] inline void HeadList::grow(HeadMemory& memory) {
  if (capacity_ == 0 && !memory.unused_.empty()) {
    *this = std::move(memory.unused_.back());
    return memory.unused_.pop_back();
  }
  constexpr std::uint32_t kFirst = 8;
  capacity_ = std::max(kFirst, 2 * capacity_);
  auto heads = std::make_unique_for_overwrite<ComingHead[]>(capacity_);
  std::copy_n(heads_.get(), size_, heads.get());
  heads_ = std::move(heads);
}

}  // namespace flitscope
