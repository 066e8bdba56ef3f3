// On a ring: who sends to whom so that one position collects all, or everyone learns all.
#pragma once

#include <vector>

namespace flitscope::chen {

/// One position sends to another, on track 1 .. (base - 1) / 2. The tracks are the ways that a level may use
/// at once: each leads a message of its own to the receiver, from either side.
struct Arrow {
  int from = 0;
  int to = 0;
  unsigned track = 1;
};

/// Arrows that point all at once.
using RingLevel = std::vector<Arrow>;

/// Collects at position 0 what lies on the positions -((size-1) div 2) .. size div 2 of a ring, in
/// ceil(log_base size) levels, the first one first; backwards it is a broadcast. In a level a position gets
/// from at most (base-1) / 2 others on either side. The paper takes base 7 with the displacements +-1, +-2,
/// +-3 at all sizes (Section 3.2.1), which is right for powers of 7 only. `size` >= 1, `base` odd, >= 3.
[[nodiscard]] std::vector<RingLevel> ring_tree(int size, int base);

/// What every position sends in a level of a gossip: to the position `displacement` further it passes on what
/// came from those at `origins`, counted from itself.
struct GossipSend {
  int displacement = 0;
  unsigned track = 1;
  std::vector<int> origins;
};

using GossipLevel = std::vector<GossipSend>;

/// All positions of a ring learn what all have, in ceil(log_base size) levels; nothing arrives twice. After a
/// level each knows a window around itself that is `base` times as wide (Section 3.3.1, which leaves the
/// exchange between its groups open).
[[nodiscard]] std::vector<GossipLevel> gossip(int size, int base);

}  // namespace flitscope::chen
