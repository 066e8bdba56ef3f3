// All-gather along Hamiltonian cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/all_reduce/spread.h"

namespace flitscope::all_reduce {

/// A closed walk over all nodes: `moves[i]` is the port from `nodes[i]` to the next.
struct HamiltonianCycle {
  std::vector<NodeId> nodes;
  std::vector<unsigned> moves;
};

/// A Hamiltonian cycle of any torus, sides of 2 included.
[[nodiscard]] HamiltonianCycle hamiltonian_cycle(const Topology& torus);

/// D Hamiltonian cycles of a torus of sides of at least 3 that together have all links.
[[nodiscard]] std::vector<HamiltonianCycle> disjoint_cycles(const Topology& topology);

/// All chunks go round at the same time: in each step every node passes the chunk on that came in the step
/// before. Each cycle, in one direction or both, has a colour of its own.
class CycleSpread final : public Spread {
 public:
  /// The cycles share no link.
  CycleSpread(const Topology& torus, std::vector<HamiltonianCycle> cycles, bool both_directions)
      : torus_(torus), cycles_(std::move(cycles)), directions_(both_directions ? 2 : 1) {}

  [[nodiscard]] unsigned colours() const override {
    return static_cast<unsigned>(cycles_.size()) * directions_;
  }
  [[nodiscard]] std::uint64_t steps() const override { return torus_.nodes() - 1; }
  [[nodiscard]] std::uint64_t messages() const override { return steps() * torus_.nodes() * colours(); }
  [[nodiscard]] unsigned ports() const override { return colours(); }
  void produce(std::uint64_t number, const Send& send) const override;

 private:
  Topology torus_;
  std::vector<HamiltonianCycle> cycles_;
  unsigned directions_;
};

}  // namespace flitscope::all_reduce
