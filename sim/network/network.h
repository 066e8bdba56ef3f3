// A topology made of SystemC modules.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "routers/modules/limits.h"
#include "routers/modules/router.h"
#include "sim/network/clock_domain.h"

namespace flitscope {

// Names of nodes and links as SystemC modules and waveforms need them: letters, digits and _.

/// "r0_3_to_r1_0" for "r0.3>r1.0".
[[nodiscard]] std::string identifier(std::string_view name);

/// "1_2" for node [1, 2] of a torus or mesh; on a graph the identifier of its name.
[[nodiscard]] std::string node_identifier(const Topology& topology, NodeId node);

/// Routers, network interfaces and the links between them, with one clock.
///
/// Modules are named by coordinates: router_1_2_0, nic_1_2_0. A module of your own takes the place of a
/// network interface, or of any receiver, through replace_receiver(), and feeds any input port by an
/// sc_port<flit_if> bound to router(node).in(port); docs/embedding.md shows how.
///
/// Any number of networks, of different configurations and clocks, can be in one simulation.
///
/// In a large network (Modules::automatic) a node has its two modules only on request; all other routers and
/// links belong to this module.
class Network final : public sc_core::sc_module {
 public:
  /// `timing` is a period, or an sc_clock of the model around it. Throws Inadmissible for a machine that
  /// cannot be built (see require_buildable).
  Network(const sc_core::sc_module_name& name, const Topology& topology, const MachineConfig& machine,
          const ClockTiming& timing = sc_core::sc_time(1, sc_core::SC_NS),
          Modules modules = Modules::automatic);
  ~Network() override;

  /// Output port `port` of `node` (link ports, then ejection channels) leads to `receiver` instead. Call it
  /// before the simulation starts; the receiver must outlive the network. Messages that leave by an ejection
  /// channel count as delivered; a receiver on a link port passes them on to a router, or ends them with
  /// ClockDomain::close_message. Reports an error of type kBindingReport if there is no such port.
  void replace_receiver(NodeId node, unsigned port, flit_if& receiver);
  /// `router` takes the place of the router of `node` and of its network interface. Call it before the
  /// simulation starts; it must outlive the network.
  void replace_router(NodeId node, ExternalRouter& router);

  /// The modules of a node. Both report an error of type kBindingReport if it has none and elaboration has
  /// begun.
  [[nodiscard]] Router& router(NodeId node) { return *modules_of(node).router; }
  [[nodiscard]] NetworkInterface& network_interface(NodeId node) { return *modules_of(node).nic; }
  [[nodiscard]] ClockDomain& clock() { return clock_; }
  [[nodiscard]] const ClockDomain& clock() const { return clock_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const MachineConfig& machine() const { return machine_; }

  /// For programs without a simulation of their own; a model with an sc_main calls clock().drive(driver) and
  /// starts the kernel.
  ///
  /// Starts the kernel and runs until no work is left (external modules included), cycle `limit` is over, or
  /// the watcher halts the clock; then the kernel is paused. Rethrows exceptions of the driver, the watcher
  /// and the put() of an external receiver; SystemC turns exceptions of an external module's process into an
  /// sc_core::sc_report with the same text.
  ClockStop run(Driver& driver, Cycle limit = kNever);

  /// Restores the state before the first cycle, which begins with the next edge, at an edge in the next delta
  /// cycle. Observers, driver and watcher are removed; external modules are attached again.
  void reset();

 private:
  struct NodeModules {
    std::unique_ptr<Router> router;
    std::unique_ptr<NetworkInterface> nic;
  };

  [[nodiscard]] NodeModules& modules_of(NodeId node);
  void make_modules(NodeId node);
  void before_end_of_elaboration() override;
  void bind_outputs(NodeId node);
  void bind_external_router(NodeId node, ExternalRouter& router);
  /// The input port of a router with or without a module, or of an external router.
  [[nodiscard]] flit_if& input(NodeId node, unsigned port);

  Topology topology_;
  MachineConfig machine_;
  ClockDomain clock_;
  std::vector<NodeModules> modules_;  ///< by node
  std::deque<RouterInput> inputs_;    ///< of routers without modules, next to those with modules
  std::map<std::pair<NodeId, unsigned>, flit_if*> replaced_;
  std::map<NodeId, ExternalRouter*> external_routers_;
  std::deque<UnconnectedPort> unconnected_;
};

}  // namespace flitscope
