// uniform: every message to a node drawn at random; hotspot: a share of them to a few nodes.
#include <algorithm>
#include <optional>
#include <vector>

#include "traffic/traffic_pattern.h"

namespace flitscope::random_patterns {

namespace {

class Uniform final : public EquallyOften {
 public:
  using EquallyOften::EquallyOften;

  NodeId destination(NodeId source, std::uint64_t /*index*/, RandomStream& random) const override {
    const auto drawn = static_cast<NodeId>(random.below(destinations()));
    return goes_to(source, source) || drawn < source ? drawn : drawn + 1;
  }
};

const TrafficRegistry::Entry uniform_entry{{
    .name = "uniform",
    .summary = "each message to a node drawn at random, all others equally likely; with `self: true` also "
               "the source",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any",
    .make = [](const PatternInput& in) { return std::make_unique<Uniform>(in.topology.nodes(), in.self); },
}};

// hotspot: uniform traffic, of which a share goes to a few nodes.

class Hotspot final : public TrafficPattern {
 public:
  Hotspot(const PatternInput& in, std::vector<NodeId> hot, double share)
      : nodes_(in.topology.nodes()),
        others_(nodes_, in.self),
        hot_(std::move(hot)),
        share_(share),
        threshold_(probability_bits(share)) {}

  NodeId destination(NodeId source, std::uint64_t index, RandomStream& random) const override {
    if (random.next() < threshold_) return hot_[random.below(hot_.size())];
    return others_.destination(source, index, random);
  }

  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override {
    for (NodeId node = 0; node < nodes_; ++node)
      visit(node, hot_share(node) + (others_.goes_to(source, node) ? other_share() : 0));
  }

  std::optional<CommonShares> common_shares() const override {
    CommonShares shares{std::vector<double>(nodes_), others_.goes_to(0, 0)};
    for (NodeId node = 0; node < nodes_; ++node) shares.of[node] = hot_share(node) + other_share();
    return shares;
  }

 private:
  /// Of the hot nodes' share, and of the others'.
  [[nodiscard]] double hot_share(NodeId node) const {
    return std::ranges::count(hot_, node) > 0 ? share_ / static_cast<double>(hot_.size()) : 0;
  }
  [[nodiscard]] double other_share() const {
    return (1 - share_) / static_cast<double>(others_.destinations());
  }

  NodeId nodes_;
  Uniform others_;
  std::vector<NodeId> hot_;
  double share_;
  std::uint64_t threshold_;
};

const TrafficRegistry::Entry hotspot_entry{{
    .name = "hotspot",
    .summary = "a share of the messages to a few nodes, the others as in uniform",
    .source = "G. Pfister, V. A. Norton: Hot spot contention and combining in multistage interconnection "
              "networks, 1985",
    .admissible = "any; a hot node would send its share to itself",
    .parameters =
        {Parameter::of(ParameterType::node_set, "nodes", "the hot nodes, all equally hot")
             .or_else("{count: 1, seed: 1}"),
         Parameter::number("share", "part of the messages that goes to them", {0, 1}).or_else("0.1")},
    .make =
        [](const PatternInput& in) {
          return std::make_unique<Hotspot>(
              in, nodes_of(in.values.node_set("nodes"), in.topology, in.section + ".nodes"),
              in.values.number("share").approximate());
        },
}};

}  // namespace

}  // namespace flitscope::random_patterns
