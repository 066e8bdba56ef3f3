// A phase: the ring schedule, played on the cosets of a lattice.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/tsay_wang/lattice.h"
#include "algorithms/tsay_wang/ring_schedule.h"
#include "model/schedule.h"

namespace flitscope::tsay_wang {

/// A message as every node of a class sends it: where it leads, relative to its sender, and how.
struct Send {
  Vector difference;
  Route route;
};

/// One of the d phases. Its ring of n classes: class 0 is the lattice informed before the phase, class m is
/// class 0 + m * generator. All nodes of a class act alike.
struct Phase {
  std::string name;
  std::vector<Vector> lattice;
  Vector generator;
  /// What a node does for its targets on one side, displacements on the ring, nearest first: one message for
  /// each.
  std::function<std::vector<Send>(std::span<const std::int64_t> targets)> sends;
};

/// Adds the messages of step k = 1 .. ring.steps() of a phase.
void play(const Phase& phase, const RingSchedule& ring, unsigned k, const RelativeNodes& nodes, Step& step);

/// Messages of a phase in all its steps.
[[nodiscard]] std::uint64_t messages(const Phase& phase, const RingSchedule& ring, std::uint32_t n);

/// Adds a stage for every phase, each of ring.steps() steps, one after the other.
void add_stages(const std::vector<Phase>& phases, const RingSchedule& ring, std::vector<Stage>& stages);

}  // namespace flitscope::tsay_wang
