// Broadcasts on a torus, one dimension after the other.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/common/ring_schedule.h"
#include "algorithms/common/schedule.h"

namespace flitscope::baselines {

namespace {

/// A message of a ring broadcast; positions are counted from the source, in direction +.
struct RingMessage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Sign sign = Sign::plus;
};

/// A broadcast on a ring from position 0: the messages of each of its steps.
using RingBroadcast = std::vector<std::vector<RingMessage>>;

/// Schedules `ring(side)` in dimension 0, then in every ring of dimension 1 that has an informed node, and so
/// on; a stage per dimension. A ring broadcast with p ports that takes ceil(log_{p+1} side) steps and puts
/// one message on a link makes a torus broadcast of the sum of those steps, with the same load. Throws
/// Inadmissible unless `topology` is a torus of sides >= 3, equal or not.
std::unique_ptr<Schedule> dimension_by_dimension(const Topology& topology, const ParameterValues& values,
                                                 const std::string& algorithm, unsigned ports,
                                                 RingBroadcast (*ring)(std::uint32_t side)) {
  require_torus(topology, algorithm, 3);
  ScheduleFacts facts = common::broadcast_facts(topology, values, algorithm, "dimension-order", ports);
  facts.claimed_channel_load = 1;
  std::uint64_t claimed_steps = 0;
  std::vector<RingBroadcast> rings;
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    rings.push_back(ring(topology.side(dimension)));
    const std::uint64_t before = facts.steps;
    facts.steps += rings.back().size();
    facts.stages.push_back({fmt::format("dimension {}", dimension), before + 1, facts.steps});
    claimed_steps += ceil_log(std::uint64_t{ports} + 1, topology.side(dimension));
  }
  facts.claimed_steps = claimed_steps;
  const NodeId source = common::source_of(facts);
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    unsigned dimension = 0;
    // Informed so far, up to this dimension: all values of the lower coordinates, which are the lowest digits
    // of a node's number, with the source's values in the higher ones.
    NodeId lines = 1;
    for (; number > rings[dimension].size(); ++dimension) {
      number -= rings[dimension].size();
      lines *= topology.side(dimension);
    }
    for (NodeId line = 0; line < lines; ++line) {
      const NodeId start = source - source % lines + line;
      for (const RingMessage& message : rings[dimension][number - 1]) {
        Route route;
        route.set_sign(dimension, message.sign);
        step.add(topology.moved(start, dimension, Sign::plus, message.from),
                 topology.moved(start, dimension, Sign::plus, message.to), route);
      }
    }
  });
}

// binomial-torus: the one-port broadcast by recursive halving, in one dimension after the other.

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

constexpr auto kBinomialTorus = "binomial-torus";

const AlgorithmRegistry::Entry binomial_torus_entry{common::segmented({
    .name = kBinomialTorus,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on a one-port torus by recursive halving, one dimension after the other",
    .source = "baseline: the binomial tree, common knowledge",
    .claim = "ceil(log_2 n) steps for each side n, at most one message per link and step",
    .admissible = "torus of sides >= 3, equal or not, any number of dimensions",
    .parameters = broadcast_parameters(),
    .make = common::make_with(dimension_by_dimension, kBinomialTorus, 1, binomial_ring),
})};

// two-port-torus: broadcast that uses the two ports of one dimension at a time.

/// The ring schedule of Tsay and Wang's Lemma 2 with d = 1: each informed node sends one message to the right
/// by + and one to the left by -, both inside the gap to the next informed node, so no two share a link.
RingBroadcast two_port_ring(std::uint32_t side) {
  const common::RingSchedule schedule(side, 1);
  RingBroadcast steps(schedule.steps());
  for (unsigned k = 1; k <= schedule.steps(); ++k) {
    for (const common::RingSender& sender : schedule.senders(k)) {
      const std::uint32_t from = sender.ring_class;
      const auto target = [&](std::int64_t t) {
        return static_cast<std::uint32_t>((from + t + side) % side);
      };
      for (const std::int64_t t : sender.right) steps[k - 1].push_back({from, target(t), Sign::plus});
      for (const std::int64_t t : sender.left) steps[k - 1].push_back({from, target(t), Sign::minus});
    }
  }
  return steps;
}

constexpr auto kTwoPortTorus = "two-port-torus";

const AlgorithmRegistry::Entry two_port_torus_entry{common::segmented({
    .name = kTwoPortTorus,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on a torus by the two ports of one dimension, one dimension after the other",
    .source = "baseline: Tsay and Wang, Lemma 2 with d = 1, in each dimension",
    .claim = "ceil(log_3 n) steps for each side n, at most one message per link and step",
    .admissible = "torus of sides >= 3, equal or not, any number of dimensions",
    .parameters = broadcast_parameters(),
    .make = common::make_with(dimension_by_dimension, kTwoPortTorus, 2, two_port_ring),
})};

}  // namespace

}  // namespace flitscope::baselines
