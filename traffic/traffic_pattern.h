// Declaration of a pattern of synthetic traffic. See docs/adding-a-traffic-pattern.md.
#pragma once

#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/random.h"
#include "model/topology.h"
#include "params/parameter.h"
#include "params/registry.h"

namespace flitscope {

/// Shares of destinations that are the same for all sources.
struct CommonShares {
  std::vector<double> of;  ///< by destination
  /// A source sends its share to itself, too; if not, it sends nothing to itself.
  bool to_itself = false;
};

/// The destinations of each source, and its rate. Pure: results depend on the arguments only.
class TrafficPattern {
 public:
  virtual ~TrafficPattern() = default;

  /// The destination of message `index` of `source`, which counts from 0. It may be the source itself.
  [[nodiscard]] virtual NodeId destination(NodeId source, std::uint64_t index,
                                           RandomStream& random) const = 0;

  /// Calls visit(destination, share) for every destination of `source`; the shares add up to 1.
  virtual void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const = 0;

  /// Messages of `source`, in parts of the load. The mean over all nodes is 1; each sends the same unless a
  /// pattern says otherwise.
  [[nodiscard]] virtual double rate(NodeId /*source*/) const { return 1; }

  /// The shares again, if they do not depend on the source and all sources send the same. Bounds are then
  /// found without looking at every pair of nodes. Shares of a source to itself may differ where nodes do not
  /// send to themselves (PatternInput::self).
  [[nodiscard]] virtual std::optional<CommonShares> common_shares() const { return std::nullopt; }
};

/// Base of patterns in which a source sends to all others, or to all nodes, equally often.
class EquallyOften : public TrafficPattern {
 public:
  EquallyOften(NodeId nodes, bool to_itself) : nodes_(nodes), to_itself_(to_itself) {}

  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const final {
    for (NodeId node = 0; node < nodes_; ++node) {
      if (goes_to(source, node)) visit(node, 1 / static_cast<double>(destinations()));
    }
  }
  [[nodiscard]] std::optional<CommonShares> common_shares() const final {
    return CommonShares{std::vector(nodes_, 1 / static_cast<double>(destinations())), to_itself_};
  }

  [[nodiscard]] bool goes_to(NodeId source, NodeId node) const { return node != source || to_itself_; }
  /// Of a source.
  [[nodiscard]] NodeId destinations() const { return to_itself_ ? nodes_ : nodes_ - 1; }

 private:
  NodeId nodes_;
  bool to_itself_;
};

/// A pattern that sends each node's messages to one node, its partner.
class FixedPattern final : public TrafficPattern {
 public:
  explicit FixedPattern(std::vector<NodeId> partners) : partners_(std::move(partners)) {}
  FixedPattern(NodeId nodes, const std::function<NodeId(NodeId source)>& partner) {
    for (NodeId source = 0; source < nodes; ++source) partners_.push_back(partner(source));
  }

  [[nodiscard]] NodeId destination(NodeId source, std::uint64_t /*index*/,
                                   RandomStream& /*random*/) const override {
    return partners_[source];
  }
  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override {
    visit(partners_[source], 1);
  }

 private:
  std::vector<NodeId> partners_;
};

/// The text of a file that a parameter names. Throws InputError if it cannot be read.
using FileReader = std::function<std::string(const std::string& file)>;

/// Input of a pattern.
struct PatternInput {
  const Topology& topology;
  const ParameterValues& values;
  const FileReader& text_of;
  /// The section that its parameters stand in: "workload", "workload.background", "workload.classes[1]".
  std::string section = "workload";
  /// A node may send to itself (the key `self`).
  bool self = false;
};

/// A pattern as it is declared.
struct Traffic {
  std::string name;
  /// One line: the destinations of each source.
  std::string summary;
  std::string source;
  /// The networks it is defined for.
  std::string admissible;
  std::vector<Parameter> parameters = {};
  /// Throws Inadmissible with the path of the key that does not fit.
  std::function<std::unique_ptr<TrafficPattern>(const PatternInput&)> make;
};

using TrafficRegistry = Registry<Traffic>;

/// The key to blame for the number of nodes: only tori and meshes have a `shape` that says it alone.
[[nodiscard]] inline const char* nodes_key(const Topology& topology) {
  return topology.is_grid() ? "topology.shape" : "topology";
}

// Patterns that are defined on the bits of a node's number.

/// The bits of a node's number. Throws Inadmissible if the number of nodes is no power of two.
[[nodiscard]] inline unsigned node_bits(const Topology& topology, const std::string& pattern) {
  const NodeId nodes = topology.nodes();
  refuse_if(!std::has_single_bit(nodes), nodes_key(topology),
            "{} permutes the bits of a node's number, so the number of nodes must be a power of "
            "two, such as {}; the {} has {}",
            pattern, std::bit_floor(nodes), topology.name(), nodes);
  return static_cast<unsigned>(std::countr_zero(nodes));
}

}  // namespace flitscope
