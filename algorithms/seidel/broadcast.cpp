// Seidel's broadcasts: their parameters, admissible networks, and the schedule of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/seidel/planned_schedule.h"

namespace flitscope::seidel {

namespace {

Sizes sizes_of(const std::vector<Axis>& axes, unsigned nu) {
  return {axes.size() == 2 ? axes[1].bits : 0, axes[0].bits, nu};
}

void require_virtual_is_possible(const Broadcast& broadcast, unsigned nu) {
  const std::string why = broadcast.can_be_virtual ? fmt::format("with nu = {}", nu) : "here";
  refuse_if(!broadcast.can_be_virtual || nu != 0, "workload.resize",
            "{} cannot use virtual nodes {}: the last node of a side would have to send or receive "
            "several messages in a step; use 'companions'",
            broadcast.name, why);
}

/// nu < d, and on a mesh nu < min(d1, d2): there must be a bit left to broadcast over.
void require_nu(const std::vector<Axis>& axes, unsigned nu) {
  const unsigned least = std::ranges::min(axes, {}, &Axis::bits).bits;
  refuse_if(nu >= least, "workload.nu", "nu must be below {}, the logarithm of {}, so at most {}, not {}",
            least, axes.size() == 1 ? "the number of nodes" : "the shorter side", least - 1, nu);
}

std::unique_ptr<Schedule> make(const Broadcast& broadcast, const Topology& topology,
                               const ParameterValues& values) {
  require_mesh(topology, broadcast.name, broadcast.dimensions);
  const std::string& given = values.text("resize");
  const Resize resize = given == "virtual"      ? Resize::virtual_nodes
                        : given == "companions" ? Resize::companions
                                                : Resize::none;
  const auto nu = broadcast.takes_nu ? static_cast<unsigned>(values.integer("nu")) : 0U;
  if (resize == Resize::virtual_nodes) require_virtual_is_possible(broadcast, nu);
  if (resize == Resize::none) {
    require_powers_of_two(topology, broadcast.name,
                          broadcast.can_be_virtual && nu == 0
                              ? ", or set 'resize' to 'companions' or 'virtual'"
                              : ", or set 'resize' to 'companions'");
  }

  const NodeId source = node_parameter(topology, values, "source");
  const Tail tail = values.text("tail") == "bst" ? Tail::bst : Tail::st;
  Placement placement(resize, tail, topology, source);
  require_nu(placement.axes(), nu);
  Plan plan = broadcast.plan({placement.axes(), placement.source_address(), nu});

  ScheduleFacts facts = common::facts_of(topology, broadcast.name, 1);
  facts.routing = "dimension-order";
  std::uint64_t chunks = plan.atoms();
  if (chunks == 1 && tail == Tail::bst && placement.tail_steps() > 0) chunks = 2;  // it needs halves
  facts.collective.chunk_bytes = cut_evenly(values.bytes("message"), chunks);
  facts.collective.initial = {common::run_of_chunks(source, chunks)};
  const Sizes sizes = sizes_of(placement.axes(), nu);
  facts.claimed_steps = broadcast.claimed_steps(sizes) + placement.tail_steps();
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), 1);
  facts.claimed_channel_load =
      broadcast.claimed_load == nullptr ? std::uint32_t{1} << nu : broadcast.claimed_load(sizes);
  return planned_schedule(std::move(facts), std::move(plan), placement, resize == Resize::virtual_nodes);
}

std::vector<Parameter> parameters_of(const Broadcast& broadcast) {
  std::vector<Parameter> more{
      Parameter::choice("resize",
                        "what to do with sides that are no powers of two: refuse them, let the last node "
                        "play the missing ones, or inform the surplus nodes at the end",
                        {"none", "virtual", "companions"})
          .or_else("none"),
      Parameter::choice("tail", "with companions: how they are informed, with the whole message or by halves",
                        {"st", "bst"})
          .or_else("st")};
  if (broadcast.takes_nu) {
    more.insert(
        more.begin(),
        Parameter::integer("nu",
                           "the network is 2^nu times faster than the nodes, so that 2^nu messages may share "
                           "a link; set node.injection_interval and node.ejection_interval to 2^nu",
                           {0, 30})
            .or_else("0"));
  }
  return broadcast_parameters(std::move(more));
}

}  // namespace

void require_mesh(const Topology& topology, const std::string& algorithm, unsigned dimensions) {
  refuse_if(!topology.has_links() || topology.wraps(), "topology.kind",
            "{} needs a mesh, without wrap-around links, not a {}", algorithm, name_of(topology.kind()));
  refuse_if(
      dimensions != 0 && topology.dimensions() != dimensions, "topology.shape", "{} needs {}, not {}",
      algorithm,
      dimensions == 1 ? "a linear array, such as [16]" : "two dimensions, such as [32, 16] for 16 rows of 32",
      topology.name());
}

Algorithm declared(const Broadcast& broadcast) {
  const std::string sides = broadcast.dimensions == 1
                                ? "linear array of 2^d nodes"
                                : "mesh of 2^d1 rows and 2^d2 columns, shape [2^d2, 2^d1]";
  const std::string nu = !broadcast.takes_nu         ? ""
                         : broadcast.dimensions == 1 ? ", nu < d"
                                                     : ", nu < min(d1, d2)";
  const std::string loads = broadcast.claimed_load != nullptr
                                ? "; links are shared, most in the first exchange"
                            : broadcast.takes_nu ? "; at most 2^nu messages per link and step"
                                                 : "; at most one message per link and step";
  return common::segmented(
      {.name = broadcast.name,
       .collective = {CollectiveKind::broadcast},
       .summary = broadcast.summary,
       .source = "Seidel, Broadcasting on Linear Arrays and Meshes, " + broadcast.source,
       .claim = broadcast.cost + loads,
       .admissible = sides + nu + "; other sides with resize",
       .parameters = parameters_of(broadcast),
       .make = [broadcast](const Topology& topology,
                           const ParameterValues& values) { return make(broadcast, topology, values); },
       .memory = broadcast.memory});
}

}  // namespace flitscope::seidel
