// translated-tree: one tree, moved to every node, backward and forward.
#include "algorithms/meyer_sibeyn/translated_tree.h"

#include "algorithms/all_reduce/spread.h"

namespace flitscope::all_reduce::translated_tree {
namespace {

class TranslatedTree final : public Spread {
 public:
  explicit TranslatedTree(const Topology& topology)
      : torus_(topology), steps_(meyer_sibeyn::translated_tree::tree_steps(torus_)) {}

  [[nodiscard]] unsigned colours() const override { return 1; }
  [[nodiscard]] std::uint64_t steps() const override { return steps_.size(); }
  [[nodiscard]] std::uint64_t messages() const override {
    return std::uint64_t{torus_.size()} * (torus_.size() - 1);
  }
  [[nodiscard]] unsigned ports() const override { return torus_.directions(); }

  void produce(std::uint64_t number, const Send& send) const override {
    const Topology& topology = torus_.topology();
    for (const auto& [direction, pu] : steps_[number - 1]) {
      const unsigned port = torus_.port(direction);
      const std::vector<std::uint32_t> offset = topology.coordinates(torus_.node(pu));
      for (NodeId receiver = 0; receiver < topology.nodes(); ++receiver) {
        ChunkId owner = receiver;
        for (unsigned k = 0; k < topology.dimensions(); ++k) {
          owner = topology.moved(owner, k, Sign::minus, offset[k]);
        }
        send(*topology.upstream(receiver, port), receiver, one_hop(port), std::span(&owner, 1));
      }
    }
  }

 private:
  meyer_sibeyn::PaperTorus torus_;
  meyer_sibeyn::translated_tree::TreeSteps steps_;
};

std::unique_ptr<Spread> make(const Topology& topology, const ParameterValues& /*values*/,
                             const std::string& algorithm) {
  require_torus(topology, algorithm);
  return std::make_unique<TranslatedTree>(topology);
}

const Family family{{
    .name = "translated-tree",
    .how = "along one tree that is moved to every node",
    .source = "ours, beside Meyer and Sibeyn: their bound, backward and forward",
    .claim =
        "ceil((p-1)/2D) steps for p nodes, the fewest with neighbours; with t sides of 2 the larger of "
        "ceil((p-1+t)/2D) and the diameter; one message per link and step; ceil((p-1)/2D)/p of the vector "
        "on a link, the least possible, on every shape",
    .admissible = "torus of any sides and any number D of dimensions",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce::translated_tree
