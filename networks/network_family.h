// Declaration of a family of networks. One file a family, in networks/; see
// docs/adding-a-network.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/graph.h"
#include "params/parameter.h"
#include "params/registry.h"

namespace flitscope {

/// Parameters in, graph out. A configuration asks for it with `topology: {kind: NAME, ...}`.
struct NetworkFamily {
  std::string name;
  /// One line: which routers there are and how links join them.
  std::string summary;
  /// Paper or textbook it comes from.
  std::string source;
  /// Meaning of the coordinates of a router, for routing functions and readers of results.
  std::string coordinates;
  std::vector<Parameter> parameters;
  /// The routing function that `routing: auto` selects.
  std::string routing = "layered";
  /// Links each way of the least cut that parts the nodes in halves, where the family has a closed form and
  /// all links are alike; nothing for parameters without one.
  std::function<std::optional<std::uint64_t>(const ParameterValues&)> bisection = {};
  /// Throws Inadmissible("topology." + parameter) for values that do not fit together. Name, routers and
  /// links are enough; make_graph fills in the rest of the plan.
  std::function<GraphPlan(const ParameterValues&)> make;
};

using FamilyRegistry = Registry<NetworkFamily>;

/// The graph of a family. Throws Inadmissible as its `make` does, and Inadmissible("topology.kind") for a
/// graph that cannot be, such as one with more links at a router than there may be.
[[nodiscard]] inline std::shared_ptr<const Graph> make_graph(const NetworkFamily& family,
                                                             const ParameterValues& parameters) {
  GraphPlan plan = family.make(parameters);
  plan.family = family.name;
  plan.parameters = std::make_shared<const ParameterValues>(parameters);
  plan.routing = family.routing;
  if (const auto fault = fault_of(plan)) throw Inadmissible("topology.kind", fault->message);
  return std::make_shared<const Graph>(std::move(plan));
}

}  // namespace flitscope
