#include "networks/network_family.h"

#include "model/error.h"

namespace flitscope {

std::shared_ptr<const Graph> make_graph(const NetworkFamily& family, const ParameterValues& parameters) {
  GraphPlan plan = family.make(parameters);
  plan.family = family.name;
  plan.parameters = std::make_shared<const ParameterValues>(parameters);
  plan.routing = family.routing;
  if (const auto fault = fault_of(plan)) throw Inadmissible("topology.kind", fault->message);
  return std::make_shared<const Graph>(std::move(plan));
}

}  // namespace flitscope
