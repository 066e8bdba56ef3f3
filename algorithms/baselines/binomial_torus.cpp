// binomial-torus: the one-port broadcast by recursive halving, in one dimension after the other.
#include "algorithms/baselines/dimension_by_dimension.h"
#include "algorithms/common/segmented.h"

namespace flitscope::baselines::binomial_torus {
namespace {

/// Positions [low, high) of a ring; the node at `low` is informed and informs the others.
struct Segment {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

/// In each step the owner of [low, high) sends to low + ceil((high - low) / 2), which takes over the upper
/// part. Paths stay inside their segments, so no two share a link; the longest segment is halved, rounded up.
RingBroadcast binomial_ring(std::uint32_t side) {
  RingBroadcast steps;
  std::vector<Segment> segments{{0, side}};
  while (segments.size() < side) {
    std::vector<RingMessage> messages;
    std::vector<Segment> halves;
    for (const auto [low, high] : segments) {
      const std::uint32_t middle = high - (high - low) / 2;
      halves.push_back({low, middle});
      if (middle == high) continue;
      messages.push_back({low, middle, Sign::plus});
      halves.push_back({middle, high});
    }
    steps.push_back(std::move(messages));
    segments = std::move(halves);
  }
  return steps;
}

constexpr auto kName = "binomial-torus";

const AlgorithmRegistry::Entry entry{segmented({
    .name = kName,
    .summary = "broadcast on a one-port torus by recursive halving, one dimension after the other",
    .source = "baseline: the binomial tree, common knowledge",
    .claim = "ceil(log_2 n) steps for each side n, at most one message per link and step",
    .admissible = "torus of sides >= 3, equal or not, any number of dimensions",
    .parameters = broadcast_parameters(),
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return dimension_by_dimension(topology, values, kName, 1, binomial_ring);
        },
})};

}  // namespace
}  // namespace flitscope::baselines::binomial_torus
