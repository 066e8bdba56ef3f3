// What routing functions that follow a table have in common.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "model/graph.h"
#include "model/route_table.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Derive from it and say compute() and, if it is free of deadlock, escape_classes(). Every layer of the
/// table is a class. A table is computed once for a graph, however many functions ask for it.
class TableRouting : public DeterministicRouting {
 public:
  TableRouting(const Topology& topology, std::string name) : topology_(topology), name_(std::move(name)) {}

  bool follows_routes() const final { return false; }
  unsigned classes() const override { return 1; }

  void build_tables() final {
    if (table_ != nullptr) return;
    const auto make = [this] { return std::make_shared<const RouteTable>(compute()); };
    const Graph* const graph = topology_.graph();
    table_ = graph == nullptr ? make() : graph->routes(name_, make);
  }
  void prepare(Head& head, NodeId source) const final {
    head.prepared = table_->layer(source, head.destination);
  }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const final {
    return {table_->next(node, head.destination), static_cast<unsigned>(head.prepared)};
  }

 protected:
  /// The table, for all destinations that are nodes. Throws Inadmissible("router.routing") if there is none.
  [[nodiscard]] virtual RouteTable compute() const = 0;
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const RouteTable& table() const { return *table_; }

 private:
  Topology topology_;
  std::string name_;
  std::shared_ptr<const RouteTable> table_;
};

}  // namespace flitscope
