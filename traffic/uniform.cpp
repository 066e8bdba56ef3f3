// uniform: every message to a node drawn at random.
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_uniform {
namespace {

class Uniform final : public TrafficPattern {
 public:
  Uniform(NodeId nodes, bool to_itself) : nodes_(nodes), to_itself_(to_itself) {}

  NodeId destination(NodeId source, std::uint64_t /*index*/, RandomStream& random) const override {
    if (to_itself_) return static_cast<NodeId>(random.below(nodes_));
    const auto drawn = static_cast<NodeId>(random.below(nodes_ - 1));
    return drawn < source ? drawn : drawn + 1;
  }

  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override {
    const double share = 1 / static_cast<double>(to_itself_ ? nodes_ : nodes_ - 1);
    for (NodeId node = 0; node < nodes_; ++node) {
      if (node != source || to_itself_) visit(node, share);
    }
  }

 private:
  NodeId nodes_;
  bool to_itself_;
};

const TrafficRegistry::Entry entry{{
    .name = "uniform",
    .summary = "each message to a node drawn at random, all others equally likely; with `self: true` also "
               "the source",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any",
    .make = [](const PatternInput& in) { return std::make_unique<Uniform>(in.topology.nodes(), in.self); },
}};

}  // namespace
}  // namespace flitscope::traffic_uniform
