#include "sim/network/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ranges>

#include "sim/host/processes.h"

// SystemC's library has a main() that calls sc_main(), and wants one of every program, also of those with
// their own main(), which start the kernel where they need it, or step a network without it. A program's own
// takes the place of this one.
[[gnu::weak]] int sc_main(int, char*[]) {
  return 0;
}

namespace flitscope {

std::string identifier(std::string_view name) {
  std::string text;
  for (const char each : name) {
    if (each == '>') {
      text += "_to_";
    } else {
      text += std::isalnum(static_cast<unsigned char>(each)) != 0 ? each : '_';
    }
  }
  return text;
}

std::string node_identifier(const Topology& topology, NodeId node) {
  if (!topology.is_grid()) return identifier(topology.node_name(node));
  return fmt::format("{}", fmt::join(topology.coordinates(node), "_"));
}

namespace {

MachineConfig buildable(const Topology& topology, const MachineConfig& machine, Modules modules) {
  require_buildable(topology, machine, memory_limit(), modules);
  return machine;
}

}  // namespace

Network::Network(const sc_core::sc_module_name&, const Topology& topology, const MachineConfig& machine,
                 const ClockTiming& timing, Modules modules)
    : topology_(topology),
      machine_(buildable(topology, machine, modules)),
      clock_("clock", topology_, machine_, timing),
      modules_(topology.routers()) {
  if (!all_are_modules(topology.routers(), modules)) return;
  for (NodeId node = 0; node < topology.routers(); ++node) make_modules(node);
}

void Network::make_modules(NodeId node) {
  std::string place = node_identifier(topology_, node);
  // "core.1" and "core_1" of one graph.
  if (sc_core::sc_find_object(fmt::format("{}.router_{}", name(), place).c_str()) != nullptr)
    place += fmt::format("_{}", node);
  modules_[node].router =
      std::make_unique<Router>(("router_" + place).c_str(), clock_.external_links(), node);
  modules_[node].nic = std::make_unique<NetworkInterface>(("nic_" + place).c_str(), clock_.numbers(), node);
}

Network::NodeModules& Network::modules_of(NodeId node) {
  NodeModules& modules = modules_.at(node);
  if (modules.router != nullptr) return modules;
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
    report_error(kBindingReport,
                 "router {} of a network this large is a module only if it is asked for before elaboration",
                 topology_.node_name(node));
  }
  // The call is outside of the constructor, so the parent of these modules is set by hand.
  simcontext()->hierarchy_push(this);
  make_modules(node);
  simcontext()->hierarchy_pop();
  return modules;
}

namespace {

/// Modules are bound when elaboration ends.
void require_elaboration() {
  if (sc_core::sc_start_of_simulation_invoked())
    report_error(kBindingReport, "receivers and routers are replaced before the simulation starts");
}

}  // namespace

void Network::replace_receiver(NodeId node, unsigned port, flit_if& receiver) {
  reporting(kBindingReport, [&] { clock_.external_links().require_modules(); });
  if (node >= topology_.routers() || port >= clock_.numbers().ports()) {
    report_error(kBindingReport, "there is no output port {} at node {}", port, node);
  }
  require_elaboration();
  if (!replaced_.emplace(std::pair(node, port), &receiver).second) {
    report_error(kBindingReport, "output port {} at node {} has two receivers", port, node);
  }
  static_cast<void>(modules_of(node));
}

void Network::replace_router(NodeId node, ExternalRouter& router) {
  reporting(kBindingReport, [&] { clock_.external_links().require_modules(); });
  if (node >= topology_.routers()) report_error(kBindingReport, "there is no node {}", node);
  require_elaboration();
  if (!external_routers_.emplace(node, &router).second) {
    report_error(kBindingReport, "the router of node {} is replaced twice", node);
  }
  clock_.replace_router(node, router);
  // The router is bound to the modules of its neighbours; the module that it replaces is not bound.
  static_cast<void>(modules_of(node));
  for (unsigned port = 0; port < topology_.link_ports(); ++port) {
    if (const auto neighbour = topology_.neighbour(node, port)) static_cast<void>(modules_of(*neighbour));
  }
}

Network::~Network() {
  // SystemC searches its lists for a destroyed object and moves the last entry into its place: the list of
  // ports from the end, those of modules from the beginning. So ports are destroyed in reverse order; after
  // the modules of the first node the last ones are found at once. Another order takes minutes for a large
  // network.
  const auto made = [](const NodeModules& modules) { return modules.router != nullptr; };
  for (NodeModules& modules : modules_ | std::views::reverse | std::views::filter(made)) {
    modules.nic->out.reset();
    modules.router->out.reset();
  }
  const auto first = std::ranges::find_if(modules_, made);
  if (first != modules_.end()) {
    first->router.reset();
    first->nic.reset();
  }
  for (NodeModules& modules : modules_ | std::views::reverse | std::views::filter(made)) {
    modules.nic.reset();
    modules.router.reset();
  }
}

void Network::before_end_of_elaboration() {
  for (NodeId node = 0; node < topology_.routers(); ++node) {
    if (modules_[node].router != nullptr) bind_outputs(node);
  }
  for (const auto& [node, router] : external_routers_) bind_external_router(node, *router);
}

void Network::reset() {
  if (clock_.running()) report_error(kUseReport, "a network cannot be reset while it runs a cycle");
  clock_.reset();
  for (const auto& [node, router] : external_routers_) router->reset();
}

flit_if& Network::input(NodeId node, unsigned port) {
  if (const auto found = external_routers_.find(node); found != external_routers_.end()) {
    return found->second->in(port);
  }
  if (modules_[node].router != nullptr) return modules_[node].router->in(port);
  RouterInput& made = inputs_.emplace_back();
  made.place(clock_.external_links(), node, port);
  return made;
}

void Network::bind_external_router(NodeId node, ExternalRouter& router) {
  for (unsigned port = 0; port < topology_.link_ports(); ++port) {
    if (const auto neighbour = topology_.neighbour(node, port))
      router.out(port).bind(input(*neighbour, port));
  }
}

void Network::bind_outputs(NodeId node) {
  const bool in_use = !external_routers_.contains(node);
  const RouterNumbers& numbers = clock_.numbers();
  const NodeModules& modules = modules_[node];
  for (unsigned port = 0; port < numbers.ports(); ++port) {
    flit_if* receiver = nullptr;
    bool is_cut = true;
    if (const auto external = replaced_.find({node, port}); external != replaced_.end()) {
      receiver = external->second;
    } else if (port >= numbers.link_ports()) {
      receiver = &modules.nic->in(port - numbers.link_ports());
    } else if (const auto neighbour = topology_.neighbour(node, port); neighbour && in_use) {
      receiver = &input(*neighbour, port);
      is_cut = external_routers_.contains(*neighbour);
    } else {
      receiver = &unconnected_.emplace_back();
    }
    modules.router->out->bind(*receiver);
    if (is_cut && port < numbers.link_ports() && topology_.neighbour(node, port)) {
      clock_.external_links().cut(node, port);
    }
  }
  for (unsigned channel = 0; channel < numbers.channels(); ++channel) {
    modules.nic->out->bind(modules.router->in(numbers.link_ports() + channel));
  }
}

ClockStop Network::run(Driver& driver, Cycle limit) {
  if (sc_core::sc_time_stamp() > clock_.time_of(0) && limit < clock_.now()) {
    report_error(kUseReport, "a run up to cycle {} begins in cycle {}", limit, clock_.now());
  }
  clock_.when_stopped([] { sc_core::sc_pause(); });
  clock_.drive(driver, limit);
  // The kernel has the limit, too, for modules with clocks of their own.
  const std::uint64_t end = sc_core::sc_max_time().value();
  const bool endless = limit >= (end - clock_.time_of(0).value()) / clock_.period().value();
  const sc_core::sc_time until = endless ? sc_core::sc_max_time() : clock_.time_of(limit + 1);
  sc_core::sc_start(until - sc_core::sc_time_stamp(), sc_core::SC_EXIT_ON_STARVATION);
  clock_.when_stopped({});
  if (clock_.failure()) std::rethrow_exception(clock_.failure());
  return !clock_.stopped() && sc_core::sc_pending_activity() ? ClockStop::limit : clock_.stop();
}

}  // namespace flitscope
