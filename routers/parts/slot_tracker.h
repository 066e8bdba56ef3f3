// What a sender knows of the slots behind a VC (docs/timing.md, "Early credits").
#pragma once

#include <cstdint>

namespace flitscope {

class SlotTracker {
 public:
  /// A flit was put and a slot was left. Returns whether the VC is known to be empty now.
  bool step(bool put, bool left) {
    const bool empty = !put && (taken_ == 0 || (left && one_taken_));
    if (put) {
      one_taken_ = taken_ == 0;
    } else if (left) {
      one_taken_ = taken_ == 2;
    }
    taken_ += put ? 1 : 0;
    taken_ -= left ? 1 : 0;
    return empty;
  }
  [[nodiscard]] std::uint32_t taken() const { return taken_; }

 private:
  std::uint32_t taken_ = 0;
  bool one_taken_ = false;  ///< forgotten if a flit is put as the slot before is left
};

}  // namespace flitscope
