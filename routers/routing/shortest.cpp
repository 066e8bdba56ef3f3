// Shortest routing on any network: a table, with ties balanced over links. It can deadlock.
#include "routers/routing/table_routing.h"

namespace flitscope {
namespace {

class Shortest final : public TableRouting {
 public:
  explicit Shortest(const Topology& topology) : TableRouting(topology, "shortest") {}
  ClassMask escape_classes() const override { return 0; }

 private:
  RouteTable compute() const override { return shortest_routes(topology()); }
};

const RoutingRegistry::Entry shortest_entry{{
    .name = "shortest",
    .summary = "a shortest route on any network, ties balanced over links; can deadlock where links form "
               "dependency cycles",
    .source = "textbook",
    .any_network = true,
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<Shortest>(topology); },
}};

}  // namespace
}  // namespace flitscope
