// A network interface as a SystemC module.
#pragma once

#include <optional>
#include <systemc>
#include <vector>

#include "routers/engine/router_pool.h"
#include "routers/modules/link_interface.h"

namespace flitscope {

/// The receiving end of one ejection channel.
class NicInput final : public flit_if {
 public:
  NicInput() = default;

  /// Only routers of the same pool, which need neither of these, can feed a network interface.
  std::uint32_t attach(credit_if& sender) override;
  void put(unsigned vc, const LinkFlit& flit) override;
};

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
