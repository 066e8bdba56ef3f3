#include "algorithms/common/broadcast_tree.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "algorithms/algorithm.h"
#include "algorithms/common/spread.h"

namespace flitscope::common {

namespace {

/// A broadcast on a ring by thirds: a node answers for a stretch of the ring, and sends to the middles of the
/// parts on both sides of its third of it. No two stretches share a link.
class Thirds {
 public:
  explicit Thirds(std::uint32_t side) {
    // Position 0 answers for itself, `right` to the right of it and `left` to the left.
    const std::uint32_t right = (side - 1) / 2;
    spread(0, side - 1 - right, right, 0);
  }
  struct Hop {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };
  /// By step; positions are counted from the source, in direction +.
  [[nodiscard]] const std::vector<std::vector<Hop>>& steps() const { return steps_; }

 private:
  void spread(std::int64_t at, std::int64_t left, std::int64_t right,
              std::size_t step) {  // NOLINT(misc-no-recursion)
    if (left == 0 && right == 0) return;
    if (steps_.size() <= step) steps_.resize(step + 1);
    // As many stay as go to either side, as far as that can be.
    const std::int64_t keep = (left + right + 1 + 2) / 3 - 1;
    const std::int64_t keep_left = std::min(left, std::max(keep / 2, keep - right));
    const std::int64_t keep_right = std::min(right, keep - keep_left);
    branch(at, keep_left, left, -1, step);
    branch(at, keep_right, right, 1, step);
    spread(at, keep_left, keep_right, step + 1);
  }
  /// Sends to the middle of the nodes between `kept` and `whole` hops away on one side.
  void branch(std::int64_t at, std::int64_t kept, std::int64_t whole, int sign,
              std::size_t step) {  // NOLINT(misc-no-recursion)
    if (kept == whole) return;
    const std::int64_t nearer = (whole - kept - 1) / 2;
    const std::int64_t to = at + sign * (kept + 1 + nearer);
    steps_[step].push_back({at, to});
    const std::int64_t beyond = whole - kept - 1 - nearer;
    spread(to, sign > 0 ? nearer : beyond, sign > 0 ? beyond : nearer, step + 1);
  }

  std::vector<std::vector<Hop>> steps_;
};

/// The tree of a registered broadcast. Throws Inadmissible if it does not fit the network.
BroadcastTree tree_of(const std::string& name, const Topology& topology, NodeId root) {
  const Algorithm& algorithm = *AlgorithmRegistry::find(name);
  ParameterValues values;
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.type == ParameterType::choice) values.set(parameter.name, parameter.fallback);
  }
  values.set("source", NodeName{topology.node_name(root)});
  values.set("message", std::int64_t{1});
  const auto schedule = algorithm.make(topology, values);
  BroadcastTree tree{schedule->facts().routing};
  for (Step step; schedule->next(step);) tree.steps.push_back(step);
  return tree;
}

/// The same; nothing if it does not fit the torus or informs a node twice.
std::optional<BroadcastTree> admitted_tree_of(const std::string& name, const Topology& torus, NodeId root) {
  try {
    BroadcastTree tree = tree_of(name, torus, root);
    std::size_t messages = 0;
    for (const Step& step : tree.steps) messages += step.messages().size();
    if (messages == torus.nodes() - 1) return tree;
  } catch (const Inadmissible&) {
  }
  return std::nullopt;
}

}  // namespace

BroadcastTree thirds_tree(const Topology& torus, NodeId root) {
  BroadcastTree tree;
  std::vector<NodeId> informed{root};
  for (unsigned k = 0; k < torus.dimensions(); ++k) {
    const Thirds ring(torus.side(k));
    for (const auto& hops : ring.steps()) {
      Step& step = tree.steps.emplace_back();
      for (const NodeId line : informed) {
        for (const auto& [from, to] : hops) {
          step.add(displaced(torus, line, k, from), displaced(torus, line, k, to),
                   Route::cyclic(0, from < to ? Sign::plus : Sign::minus));
        }
      }
    }
    extend_along(informed, torus, k);
  }
  return tree;
}

BroadcastTree fastest_tree(const Topology& topology, NodeId root) {
  // Of any network, unless it refuses the network itself.
  if (!topology.is_fault_free_grid() || !topology.wraps() || topology.is_one_way())
    return tree_of("tree-broadcast", topology, root);
  BroadcastTree best = thirds_tree(topology, root);
  for (const char* name : {"two-port-torus", "tsay-wang", "tsay-wang-direct"}) {
    auto tree = admitted_tree_of(name, topology, root);
    if (tree && tree->steps.size() < best.steps.size()) best = std::move(*tree);
  }
  return best;
}

}  // namespace flitscope::common
