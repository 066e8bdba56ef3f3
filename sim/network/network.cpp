#include "sim/network/network.h"

#include "routers/modules/limits.h"
#include "sim/host/memory_limit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

namespace flitscope {

namespace {

MachineConfig buildable(const Topology& topology, const MachineConfig& machine) {
  require_buildable(topology, machine, memory_limit());
  return machine;
}

}  // namespace

Network::Network(const sc_core::sc_module_name&, const Topology& topology, const MachineConfig& machine,
                 const sc_core::sc_time& clock_period)
    : topology_(topology),
      machine_(buildable(topology, machine)),
      clock_("clock", topology_, machine_, clock_period) {
  const NodeId nodes = topology.nodes();
  router_modules_.reserve(nodes);
  nic_modules_.reserve(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    const std::string place = fmt::format("{}", fmt::join(topology.coordinates(node), "_"));
    router_modules_.push_back(std::make_unique<Router>(("router_" + place).c_str(), clock_.routers(), node));
    nic_modules_.push_back(
        std::make_unique<NetworkInterface>(("nic_" + place).c_str(), clock_.routers(), node));
  }
}

void Network::replace_receiver(NodeId node, unsigned port, flit_if& receiver) {
  if (node >= topology_.nodes() || port >= clock_.routers().ports()) {
    throw std::logic_error(fmt::format("there is no output port {} at node {}", port, node));
  }
  replaced_[{node, port}] = &receiver;
}

Network::~Network() {
  // SystemC searches its lists for what goes away, and puts the last entry into its place: the list of ports
  // from the end, those of modules from the beginning. So ports go in reverse order; and after the modules of
  // the first node the last ones are always found at once. In another order a large network takes minutes.
  for (NodeId node = topology_.nodes(); node-- > 0;) {
    nic_modules_[node]->out.reset();
    router_modules_[node]->out.reset();
  }
  router_modules_.front().reset();
  nic_modules_.front().reset();
  while (!router_modules_.empty()) {
    nic_modules_.pop_back();
    router_modules_.pop_back();
  }
}

void Network::before_end_of_elaboration() {
  for (NodeId node = 0; node < topology_.nodes(); ++node) bind_outputs(node);
}

void Network::bind_outputs(NodeId node) {
  const RouterPool& pool = clock_.routers();
  for (unsigned port = 0; port < pool.ports(); ++port) {
    flit_if* receiver = nullptr;
    if (const auto external = replaced_.find({node, port}); external != replaced_.end()) {
      receiver = external->second;
    } else if (port >= pool.link_ports()) {
      receiver = &nic_modules_[node]->in(port - pool.link_ports());
    } else if (const auto neighbour = topology_.neighbour(node, port)) {
      receiver = &router_modules_[*neighbour]->in(port);
    } else {
      receiver = &walls_.emplace_back();
    }
    router_modules_[node]->out->bind(*receiver);
  }
  for (unsigned channel = 0; channel < pool.channels(); ++channel) {
    nic_modules_[node]->out->bind(router_modules_[node]->in(pool.link_ports() + channel));
  }
}

ClockStop Network::run(Driver& driver, Cycle limit) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  clock_.drive(driver, limit);
  // The kernel watches the limit too, for modules that have clocks of their own.
  const std::uint64_t cycle = clock_.period().value();
  const bool endless = limit >= sc_core::sc_max_time().value() / cycle;
  sc_core::sc_start(endless ? sc_core::sc_max_time() : sc_core::sc_time::from_value(cycle * (limit + 1)),
                    sc_core::SC_EXIT_ON_STARVATION);
  if (clock_.failure()) std::rethrow_exception(clock_.failure());
  const bool stopped = sc_core::sc_get_status() == sc_core::SC_STOPPED;
  return !stopped && sc_core::sc_pending_activity() ? ClockStop::limit : clock_.stop();
}

}  // namespace flitscope
