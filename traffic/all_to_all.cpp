// all-to-all: every node to all others in turn, one round after the other.
#include <bit>
#include <optional>
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

/// Turn 0 to N - 2 of round 0, 1, ... of a node; a round visits every other node once.
class AllToAll : public TrafficPattern {
 public:
  explicit AllToAll(NodeId nodes) : nodes_(nodes) {}

  NodeId destination(NodeId source, std::uint64_t index, RandomStream& /*random*/) const final {
    return in_turn(source, index % (nodes_ - 1), index / (nodes_ - 1));
  }
  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const final {
    for (NodeId node = 0; node < nodes_; ++node) {
      if (node != source) visit(node, 1 / static_cast<double>(nodes_ - 1));
    }
  }
  std::optional<CommonShares> common_shares() const final {
    return CommonShares{std::vector(nodes_, 1 / static_cast<double>(nodes_ - 1)), false};
  }

 protected:
  [[nodiscard]] virtual NodeId in_turn(NodeId source, std::uint64_t turn, std::uint64_t round) const = 0;
  [[nodiscard]] NodeId nodes() const { return nodes_; }

 private:
  NodeId nodes_;
};

class InRandomOrder final : public AllToAll {
 public:
  InRandomOrder(NodeId nodes, std::uint64_t seed) : AllToAll(nodes), order_(nodes - 1), seed_(seed) {}

 private:
  NodeId in_turn(NodeId source, std::uint64_t turn, std::uint64_t round) const override {
    const auto drawn = static_cast<NodeId>(order_.at(turn, RandomStream(seed_ + round, source).next()));
    return drawn < source ? drawn : drawn + 1;
  }

  ComputedPermutation order_;
  std::uint64_t seed_;
};

class Shifted final : public AllToAll {
 public:
  using AllToAll::AllToAll;

 private:
  NodeId in_turn(NodeId source, std::uint64_t turn, std::uint64_t /*round*/) const override {
    return static_cast<NodeId>((source + turn + 1) % nodes());
  }
};

class ByExclusiveOr final : public AllToAll {
 public:
  using AllToAll::AllToAll;

 private:
  NodeId in_turn(NodeId source, std::uint64_t turn, std::uint64_t /*round*/) const override {
    return source ^ static_cast<NodeId>(turn + 1);
  }
};

std::unique_ptr<TrafficPattern> make(const PatternInput& in) {
  const std::string& order = in.values.text("order");
  if (order == kShifted) return std::make_unique<Shifted>(in.topology.nodes());
  if (order == kExclusiveOr) {
    (void)node_bits(in.topology, "all-to-all by exclusive or");
    return std::make_unique<ByExclusiveOr>(in.topology.nodes());
  }
  return std::make_unique<InRandomOrder>(in.topology.nodes(),
                                         static_cast<std::uint64_t>(in.values.integer("order_seed")));
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
