// Slots of messages that arrive at a node at the same time.
#pragma once

#include <vector>

#include "model/types.h"

namespace flitscope {

/// Numbers messages that arrive at a node at the same time: each takes the first slot that is free. The
/// machine has no such slots (see CircuitNode); drawings need them.
class ReceptionSlots {
 public:
  /// The slot of a message that arrives during the cycles `begin` .. `end`-1. Begins must not fall.
  unsigned take(Cycle begin, Cycle end) {
    unsigned slot = 0;
    while (slot < free_from_.size() && free_from_[slot] > begin) ++slot;
    if (slot == free_from_.size()) free_from_.push_back(0);
    free_from_[slot] = end;
    return slot;
  }

 private:
  std::vector<Cycle> free_from_;
};

}  // namespace flitscope
