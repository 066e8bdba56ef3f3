// All-gather along Hamiltonian cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/common/spread.h"
#include "model/collective.h"

namespace flitscope::all_reduce {

/// A closed walk over all nodes: `moves[i]` is the port from `nodes[i]` to the next, if a link leads there.
struct HamiltonianCycle {
  std::vector<NodeId> nodes;
  std::vector<unsigned> moves;
};

/// A Hamiltonian cycle of any torus, sides of 2 included.
[[nodiscard]] HamiltonianCycle hamiltonian_cycle(const Topology& torus);

/// A Hamiltonian cycle of any network. Throws Inadmissible("topology.kind") if none is found.
[[nodiscard]] HamiltonianCycle searched_cycle(const Topology& topology, const std::string& algorithm);

/// D Hamiltonian cycles of a ring, or of a torus of sides of at least 3, that together have all links.
[[nodiscard]] std::vector<HamiltonianCycle> disjoint_cycles(const Topology& topology);

/// All chunks go round at the same time: in each step every node passes the chunk on that came in the step
/// before. Each cycle, in one direction or both, has a colour of its own.
class CycleSpread final : public Spread {
 public:
  /// The cycles share no link. `channel_load`: as Spread::channel_load.
  CycleSpread(const Topology& topology, std::vector<HamiltonianCycle> cycles, bool both_directions,
              std::uint32_t channel_load = 1)
      : participants_(topology),
        cycles_(std::move(cycles)),
        directions_(both_directions ? 2 : 1),
        channel_load_(channel_load) {}

  [[nodiscard]] unsigned colours() const override {
    return static_cast<unsigned>(cycles_.size()) * directions_;
  }
  [[nodiscard]] std::uint64_t steps() const override { return participants_.count() - 1; }
  [[nodiscard]] std::uint64_t messages() const override {
    return steps() * participants_.count() * colours();
  }
  [[nodiscard]] unsigned ports() const override { return colours(); }
  [[nodiscard]] std::uint32_t channel_load() const override { return channel_load_; }
  void produce(std::uint64_t number, const Send& send) const override;

 private:
  Participants participants_;
  std::vector<HamiltonianCycle> cycles_;
  unsigned directions_;
  std::uint32_t channel_load_;
};

}  // namespace flitscope::all_reduce
