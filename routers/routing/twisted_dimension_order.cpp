// Dimension-order routing on twisted tori: one dimension after the other along a shortest path, with
// datelines.
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "model/graph.h"
#include "model/twisted_torus.h"
#include "params/parameter.h"
#include "routers/routing/routing.h"

namespace flitscope::twisted_dimension_order {
namespace {

constexpr std::size_t kMost = 3;
/// Links to travel in each dimension, with their direction.
using Links = std::array<std::int32_t, kMost>;

/// The network looks the same from every node, so paths are those from node 0, moved.
class Lattice {
 public:
  explicit Lattice(const Topology& topology)
      : torus_(topology.graph()->parameters().integers("shape"),
               static_cast<std::uint32_t>(topology.graph()->parameters().integer("twist"))),
        numbers_(TopologyKind::mesh, torus_.shape()) {
    const std::uint32_t nodes = topology.nodes();
    for (std::size_t dimension = 0; dimension < dimensions(); ++dimension) {
      auto& [plus, minus, position] = lines_[dimension];
      plus.resize(nodes);
      minus.resize(nodes);
      for (NodeId node = 0; node < nodes; ++node) {
        plus[node] = numbers_.node(torus_.next(numbers_.coordinates(node), dimension));
        minus[plus[node]] = node;
      }
      position.assign(nodes, kNoNode);
      for (NodeId first = 0; first < nodes; ++first) {
        NodeId node = first;
        for (std::uint32_t at = 0; position[node] == kNoNode; node = plus[node]) position[node] = at++;
      }
    }
    find_shortest(nodes);
  }

  [[nodiscard]] std::size_t dimensions() const { return torus_.shape().size(); }
  [[nodiscard]] std::uint32_t coordinate(NodeId node, std::size_t dimension) const {
    return numbers_.coordinate(node, static_cast<unsigned>(dimension));
  }
  [[nodiscard]] NodeId next(NodeId node, std::size_t dimension, Sign sign) const {
    const Line& line = lines_[dimension];
    return sign == Sign::plus ? line.plus[node] : line.minus[node];
  }
  [[nodiscard]] NodeId moved(NodeId node, std::size_t dimension, std::int32_t links) const {
    for (; links > 0; --links) node = lines_[dimension].plus[node];
    for (; links < 0; ++links) node = lines_[dimension].minus[node];
    return node;
  }

  /// One of the shortest, the same for a pair of nodes in every run.
  [[nodiscard]] const Links& shortest(const Topology& topology, NodeId source, NodeId destination,
                                      std::uint8_t draw) const {
    NodeId difference = destination;
    for (std::size_t i = dimensions(); i-- > 0;) {
      difference = moved(difference, i, -static_cast<std::int32_t>(coordinate(source, i)));
    }
    const auto& paths = shortest_[difference];
    return paths[number_of_pair(topology, source, destination, draw) % paths.size()];
  }

  /// How often a message from `node` to another of its line in a dimension still wraps round.
  [[nodiscard]] std::uint32_t wraps_before(NodeId node, NodeId target, std::size_t dimension,
                                           Sign sign) const {
    const auto& position = lines_[dimension].position;
    const std::uint32_t from = position[sign == Sign::plus ? node : target];
    const std::uint32_t to = position[sign == Sign::plus ? target : node];
    const std::uint32_t links = to >= from ? to - from : to + length(dimension) - from;
    const std::uint32_t side = torus_.shape()[dimension];
    const std::uint32_t start = coordinate(node, dimension);
    return ((sign == Sign::plus ? start : side - 1 - start) + links) / side;
  }
  /// The most that a message wraps round in a dimension.
  [[nodiscard]] std::uint32_t most_wraps() const { return most_wraps_; }

 private:
  /// The cycles of links of a dimension.
  struct Line {
    std::vector<NodeId> plus;
    std::vector<NodeId> minus;
    std::vector<std::uint32_t> position;
  };

  [[nodiscard]] std::uint32_t length(std::size_t dimension) const {
    const auto& [plus, minus, position] = lines_[dimension];
    return position[minus[0]] + 1;
  }

  /// Of a shortest path every part is one. So those of k + 1 links are those of k links with a link more.
  void find_shortest(std::uint32_t nodes) {
    shortest_.resize(nodes);
    shortest_[0] = {Links{}};
    std::map<Links, NodeId> ends{{Links{}, 0}};
    while (!ends.empty()) {
      std::map<Links, NodeId> farther;
      for (const auto& [links, node] : ends) {
        for (std::size_t i = 0; i < dimensions(); ++i) {
          for (const Sign sign : {Sign::plus, Sign::minus}) {
            const std::int32_t step = sign == Sign::plus ? 1 : -1;
            if (links[i] * step < 0) continue;
            const NodeId end = next(node, i, sign);
            if (!shortest_[end].empty()) continue;
            Links more = links;
            more[i] += step;
            farther.emplace(more, end);
          }
        }
      }
      for (const auto& [links, end] : farther) {
        shortest_[end].push_back(links);
        for (std::size_t i = 0; i < dimensions(); ++i) {
          const std::uint32_t side = torus_.shape()[i];
          const auto most = (side - 1 + static_cast<std::uint32_t>(std::abs(links[i]))) / side;
          most_wraps_ = std::max(most_wraps_, most);
        }
      }
      ends = std::move(farther);
    }
  }

  TwistedTorus torus_;
  Topology numbers_;  ///< a mesh with the same coordinates
  std::array<Line, kMost> lines_;
  std::vector<std::vector<Links>> shortest_;  ///< by destination, from node 0
  std::uint32_t most_wraps_ = 0;
};

/// The class of a message in a dimension is the last one less the wrap-around links that are still before it
/// there. No dependency cycle: dimensions follow in order; in one of them, messages of a class use no
/// wrap-around link but as the last of this class.
class TwistedDimensionOrder final : public WithoutRoutes<DeterministicRouting> {
 public:
  explicit TwistedDimensionOrder(const Topology& topology)
      : WithoutRoutes(topology), lattice_(topology.graph()->computed("twisted lattice", [&] {
          return std::make_shared<const Lattice>(topology);
        })) {}

  unsigned classes() const override { return lattice_->most_wraps() + 1; }

  void build_tables() override {
    const unsigned ports = topology().link_ports();
    steps_.assign(std::size_t{topology().nodes()} * ports, {});
    for (NodeId node = 0; node < topology().nodes(); ++node) {
      Step* const steps = &steps_[std::size_t{node} * ports];
      std::array<bool, Graph::kMaxPorts> used{};
      for (std::size_t step = 0; step < 2 * lattice_->dimensions(); ++step) {
        // Parallel links, of sides of two nodes, are one of each direction.
        const NodeId to = lattice_->next(node, step / 2, static_cast<Sign>(step % 2));
        unsigned port = 0;
        while (used[port] || topology().neighbour(node, port) != to) ++port;
        used[port] = true;
        steps[step].port = static_cast<std::uint8_t>(port);
        steps_[std::size_t{to} * ports + port].dimension_of_arrival = static_cast<std::uint8_t>(step / 2);
      }
    }
  }

  /// The nodes at which the path turns, and the directions.
  void prepare(Head& head, NodeId source) const override {
    const Links& links = lattice_->shortest(topology(), source, head.destination, head.route.draw);
    NodeId at = source;
    head.prepared = 0;
    for (std::size_t i = 0; i < lattice_->dimensions(); ++i) {
      at = lattice_->moved(at, i, links[i]);
      if (i + 1 < kMost) head.prepared |= std::uint64_t{at} << i * kNodeBits;
      head.prepared |= std::uint64_t{links[i] < 0} << (kSigns + i);
    }
  }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const unsigned ports = topology().link_ports();
    const Step* const steps = &steps_[std::size_t{node} * ports];
    std::size_t dimension = arrival.port < ports ? steps[arrival.port].dimension_of_arrival : 0;
    while (turn(head, dimension) == node) ++dimension;
    const auto sign = static_cast<Sign>(head.prepared >> (kSigns + dimension) & 1);
    return {steps[2 * dimension + static_cast<std::size_t>(sign)].port,
            lattice_->most_wraps() - lattice_->wraps_before(node, turn(head, dimension), dimension, sign)};
  }

 private:
  static constexpr unsigned kNodeBits = 21;
  static constexpr unsigned kSigns = 2 * kNodeBits;

  struct Step {
    std::uint8_t port = 0;                  ///< by dimension and direction
    std::uint8_t dimension_of_arrival = 0;  ///< by input port
  };

  /// Where a message leaves a dimension.
  [[nodiscard]] NodeId turn(const Head& head, std::size_t dimension) const {
    if (dimension + 1 == lattice_->dimensions()) return head.destination;
    return static_cast<NodeId>(head.prepared >> dimension * kNodeBits & ((1U << kNodeBits) - 1));
  }

  std::shared_ptr<const Lattice> lattice_;  ///< one for all that route on the network
  std::vector<Step> steps_;
};

const RoutingRegistry::Entry entry{{
    .name = "twisted-dimension-order",
    .summary = "on a twisted torus: a shortest path, one dimension after the other, of several one drawn for "
               "each pair; a class more than a message can wrap round in a dimension, usually two",
    .source = "C. Camarero, C. Martinez, R. Beivide: Lattice graphs for high-scale interconnection "
              "topologies, 2015; W. Dally, C. Seitz: Deadlock-free message routing, 1987",
    .families = {"twisted-torus"},
    .minimal = false,
    .draws_paths = true,
    .make = [](const Topology& topology) { return std::make_unique<TwistedDimensionOrder>(topology); },
}};

}  // namespace
}  // namespace flitscope::twisted_dimension_order
