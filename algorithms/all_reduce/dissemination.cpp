// dissemination: every node sends its whole value along a few offsets a step, which tile the torus.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <utility>

#include "algorithms/all_reduce/tiling.h"
#include "algorithms/common/spread.h"
#include "algorithms/common/stepwise_schedule.h"
#include "model/error.h"

namespace flitscope::all_reduce::dissemination {
namespace {

constexpr auto kName = "all-reduce-dissemination";

class Dissemination final : public StepwiseSchedule {
 public:
  Dissemination(ScheduleFacts facts, Tiling tiling)
      : StepwiseSchedule(std::move(facts)), tiling_(std::move(tiling)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    const ChunkId vector = 0;
    for (NodeId node = 0; node < topology().nodes(); ++node) {
      for (const Offset& offset : tiling_[number - 1]) {
        NodeId to = node;
        Route route;
        for (unsigned k = 0; k < topology().dimensions(); ++k) {
          const Sign sign = offset[k] < 0 ? Sign::minus : Sign::plus;
          route.set_sign(k, sign);
          to = topology().moved(to, k, sign,
                                static_cast<std::uint32_t>(offset[k] < 0 ? -offset[k] : offset[k]));
        }
        step.reduce(node, to, route, std::span(&vector, 1));
      }
    }
  }

  Tiling tiling_;
};

/// The nearest side that has no factors but 2 and 3.
std::uint32_t nearest_side(std::uint32_t side) {
  const auto fits = [](std::uint32_t k) {
    k >>= static_cast<unsigned>(std::countr_zero(k));
    while (k % 3 == 0) k /= 3;
    return k == 1;
  };
  std::uint32_t distance = 0;
  while (!fits(side + distance) && !(side > distance + 1 && fits(side - distance))) ++distance;
  return fits(side + distance) ? side + distance : side - distance;
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  require_torus(topology, kName);
  auto tiling = cross_tiling(topology);
  if (!tiling) tiling = line_tiling(topology);
  if (!tiling) {
    std::vector<std::uint32_t> nearest;
    for (const std::uint32_t side : topology.sides()) nearest.push_back(nearest_side(side));
    throw Inadmissible(
        "topology.shape",
        fmt::format("{} needs sides without factors other than 2 and 3, or a power of {} nodes "
                    "that crosses tile, not {}; nearest admissible: [{}]",
                    kName, 2 * topology.dimensions() + 1, fmt::join(topology.sides(), "x"),
                    fmt::join(nearest, ", ")));
  }
  std::size_t ports = 0;
  std::size_t sends = 0;
  for (const auto& offsets : *tiling) {
    ports = std::max(ports, offsets.size());
    sends += offsets.size();
  }
  ScheduleFacts facts = whole_vector_facts(topology, values, kName, static_cast<unsigned>(ports));
  facts.steps = tiling->size();
  facts.claimed_steps = facts.steps;
  facts.messages = std::uint64_t{topology.nodes()} * sends;
  return std::make_unique<Dissemination>(std::move(facts), std::move(*tiling));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_reduce},
    .summary = "all-reduce on a torus by whole vectors that are sent along offsets that tile it",
    .source = "ours; three-way dissemination along lines is common knowledge",
    .claim = "log_{2D+1} p steps for p nodes where crosses tile the torus (sides 3^j, 5^j on two dimensions, "
             "7 on three); elsewhere, a step for each factor 3 and 2 of the sides",
    .admissible =
        "torus of sides without factors other than 2 and 3, or that crosses tile, with D dimensions "
        "and a power of 2D+1 nodes",
    .parameters = {vector_parameter()},
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce::dissemination
