// A network interface as a SystemC module.
#pragma once

#include <optional>
#include <systemc>
#include <vector>

#include "routers/engine/router_pool.h"
#include "routers/modules/link_interface.h"
#include "routers/modules/nic_input.h"

namespace flitscope {

/// One network interface. Behaviour and state are the NicPool's.
class NetworkInterface final : public sc_core::sc_module {
 public:
  /// Injection channels 0 .. E-1, each bound to an input port of the router.
  std::optional<sc_core::sc_port<flit_if, 0>> out{std::in_place, "out"};

  NetworkInterface(const sc_core::sc_module_name& name, const RouterPool& pool, NodeId node);
  NetworkInterface(const NetworkInterface&) = delete;
  NetworkInterface& operator=(const NetworkInterface&) = delete;

  [[nodiscard]] NicInput& in(unsigned channel) { return inputs_.at(channel); }

 private:
  void end_of_elaboration() override;

  const RouterPool& pool_;
  NodeId node_;
  std::vector<NicInput> inputs_;
};

}  // namespace flitscope
