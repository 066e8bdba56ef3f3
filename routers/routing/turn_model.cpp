// The turn model on meshes: some turns are forbidden, so that no dependency cycle closes.
#include "routers/routing/coordinate_routing.h"

namespace flitscope {
namespace {

/// One class is enough: the turns that are left close no dependency cycle.
class TurnModel final : public CoordinateRouting {
 public:
  /// Adds the candidates of a head, by the coordinates of its node and of its destination.
  using Turns = void (*)(unsigned dimensions, Arrival arrival, Coordinates here, Coordinates target,
                         std::vector<Candidate>& candidates);

  TurnModel(const Topology& topology, Turns turns) : CoordinateRouting(topology), turns_(turns) {}

  unsigned classes() const override { return 1; }
  ClassMask escape_classes() const override { return 1; }
  void add_candidates(NodeId node, Arrival arrival, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    turns_(dimensions(), arrival, coordinates(node), target_of(head), candidates);
  }

 private:
  Turns turns_;
};

/// No turn leads to direction -0, which every dependency cycle of a mesh needs.
void west_first(unsigned dimensions, Arrival /*arrival*/, Coordinates here, Coordinates target,
                std::vector<Candidate>& candidates) {
  if (target[0] < here[0]) return candidates.push_back({port_of(0, Sign::minus), 0});
  for (unsigned k = 0; k < dimensions; ++k) {
    if (target[k] == here[k]) continue;
    candidates.push_back({port_of(k, target[k] > here[k] ? Sign::plus : Sign::minus), 0});
  }
}

const RoutingRegistry::Entry west_first_entry{{
    .name = "west-first",
    .summary = "minimal, adaptive: direction -0 first, then any order of dimensions",
    .source = "C. Glass, L. Ni: The turn model for adaptive routing, 1992",
    .topologies = {TopologyKind::mesh},
    .max_dimensions = 2,
    .make = [](const Topology& topology) { return std::make_unique<TurnModel>(topology, west_first); },
}};

/// No turn leads from direction + to direction -, so no dependency cycle closes.
void negative_first(unsigned dimensions, Arrival /*arrival*/, Coordinates here, Coordinates target,
                    std::vector<Candidate>& candidates) {
  bool negative = false;
  for (unsigned k = 0; k < dimensions; ++k) {
    if (target[k] >= here[k]) continue;
    candidates.push_back({port_of(k, Sign::minus), 0});
    negative = true;
  }
  for (unsigned k = 0; k < dimensions && !negative; ++k) {
    if (target[k] > here[k]) candidates.push_back({port_of(k, Sign::plus), 0});
  }
}

const RoutingRegistry::Entry negative_first_entry{{
    .name = "negative-first",
    .summary = "minimal, adaptive: direction - in any order of dimensions, then direction + in any order",
    .source = "C. Glass, L. Ni: The turn model for adaptive routing, 1992",
    .topologies = {TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<TurnModel>(topology, negative_first); },
}};

/// East is direction +0, a column is the nodes of one coordinate 0. In an even column no message turns from
/// east to dimension 1, in an odd column none from dimension 1 to west. (Function ROUTE of the paper.)
void odd_even(unsigned dimensions, Arrival arrival, Coordinates here, Coordinates target,
              std::vector<Candidate>& candidates) {
  const std::uint32_t column = here[0];
  const bool odd = column % 2 == 1;
  const bool up_or_down = dimensions > 1 && here[1] != target[1];
  const auto add_dimension_1 = [&] {
    candidates.push_back({port_of(1, target[1] > here[1] ? Sign::plus : Sign::minus), 0});
  };
  if (target[0] == column) return add_dimension_1();
  if (target[0] < column) {
    candidates.push_back({port_of(0, Sign::minus), 0});
    if (up_or_down && !odd) add_dimension_1();
    return;
  }
  // In an even column only a message that did not arrive from the west: it is in the column of its source.
  if (up_or_down && (odd || arrival.port != port_of(0, Sign::plus))) add_dimension_1();
  // Into an even column only if the message need not turn there.
  if (!up_or_down || target[0] % 2 == 1 || target[0] - column > 1) {
    candidates.push_back({port_of(0, Sign::plus), 0});
  }
}

const RoutingRegistry::Entry odd_even_entry{{
    .name = "odd-even",
    .summary = "minimal, adaptive: turns depend on whether the column is odd or even",
    .source = "G.-M. Chiu: The odd-even turn model for adaptive routing, 2000",
    .topologies = {TopologyKind::mesh},
    .max_dimensions = 2,
    .make = [](const Topology& topology) { return std::make_unique<TurnModel>(topology, odd_even); },
}};

}  // namespace
}  // namespace flitscope
