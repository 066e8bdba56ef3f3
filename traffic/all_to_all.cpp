// all-to-all: every node to all others in turn, one round after the other.
#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_all_to_all {
namespace {

constexpr auto kRandom = "random";
constexpr auto kExclusiveOr = "exclusive-or";
constexpr auto kShifted = "shifted";

/// A permutation of 0 to `size` - 1 that is computed, not stored: four rounds of a Feistel network on the
/// next even number of bits; what lies outside is permuted again until it lies inside.
class ComputedPermutation {
 public:
  explicit ComputedPermutation(std::uint64_t size)
      : size_(size), half_((static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2) {}

  [[nodiscard]] std::uint64_t at(std::uint64_t place, std::uint64_t key) const {
    do place = permuted(place, key);
    while (place >= size_);
    return place;
  }

 private:
  [[nodiscard]] std::uint64_t permuted(std::uint64_t place, std::uint64_t key) const {
    constexpr std::uint64_t kRounds = 4;
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = place >> half_;
    std::uint64_t right = place & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t mixed = RandomStream::mix(RandomStream::mix(key + round) + right) & mask;
      left = std::exchange(right, left ^ mixed);
    }
    return left << half_ | right;
  }

  std::uint64_t size_;
  unsigned half_;
};

/// Destination of a source in turn 0 to N - 2 of round 0, 1, ...
using InTurn = std::function<NodeId(NodeId source, std::uint64_t turn, std::uint64_t round)>;

/// A round visits every other node once.
class AllToAll final : public EquallyOften {
 public:
  AllToAll(NodeId nodes, InTurn in_turn) : EquallyOften(nodes, false), in_turn_(std::move(in_turn)) {}

  NodeId destination(NodeId source, std::uint64_t index, RandomStream& /*random*/) const override {
    return in_turn_(source, index % destinations(), index / destinations());
  }

 private:
  InTurn in_turn_;
};

InTurn in_random_order(NodeId nodes, std::uint64_t seed) {
  return [=, order = ComputedPermutation(nodes - 1)](NodeId source, std::uint64_t turn, std::uint64_t round) {
    const auto drawn = static_cast<NodeId>(order.at(turn, RandomStream(seed + round, source).next()));
    return drawn < source ? drawn : drawn + 1;
  };
}

std::unique_ptr<TrafficPattern> make(const PatternInput& in) {
  const NodeId nodes = in.topology.nodes();
  const std::string& order = in.values.text("order");
  InTurn in_turn;
  if (order == kShifted) {
    in_turn = [=](NodeId source, std::uint64_t turn, std::uint64_t) {
      return static_cast<NodeId>((source + turn + 1) % nodes);
    };
  } else if (order == kExclusiveOr) {
    (void)node_bits(in.topology, "all-to-all by exclusive or");
    in_turn = [](NodeId source, std::uint64_t turn, std::uint64_t) {
      return source ^ static_cast<NodeId>(turn + 1);
    };
  } else {
    in_turn = in_random_order(nodes, static_cast<std::uint64_t>(in.values.integer("order_seed")));
  }
  return std::make_unique<AllToAll>(nodes, std::move(in_turn));
}

const TrafficRegistry::Entry entry{{
    .name = "all-to-all",
    .summary = "each node to all others in turn, round after round",
    .source = "common knowledge",
    .admissible = "any; in the order exclusive-or a power of two of nodes",
    .parameters = {Parameter::choice("order",
                                     "random: each round in an order of its own; exclusive-or: node i in "
                                     "turn t to i xor t; shifted: to i + t",
                                     {kRandom, kExclusiveOr, kShifted})
                       .or_else(kRandom),
                   Parameter::integer("order_seed", "draws the random orders").or_else("1")},
    .make = make,
}};

}  // namespace
}  // namespace flitscope::traffic_all_to_all
