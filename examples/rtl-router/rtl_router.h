// The router of router.sv, as Verilator makes it, at the wires of a RouterBridge.
#pragma once

#include <Vrouter.h>

#include "sim/adaptors/router_bridge.h"

/// Works on the rising edges of `clock`.
class RtlRouter final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(RtlRouter);
  sc_core::sc_in<bool> clock{"clock"};

  RtlRouter(const sc_core::sc_module_name&, flitscope::RouterBridge& bridge,
            const flitscope::Network& network, flitscope::NodeId node)
      : topology_(network.topology()), bridge_(bridge) {
    model_.here_x = static_cast<std::uint8_t>(topology_.coordinate(node, 0));
    model_.here_y = static_cast<std::uint8_t>(topology_.coordinate(node, 1));
    model_.reset = 1;
    model_.eval();  // with the clock low: without it the first edge is none
    edge();
    model_.reset = 0;
    SC_METHOD(step);
    dont_initialize();
    sensitive << clock.pos();
  }

  /// Called with every flit that leaves: the number of the output port, its VC, and the flit.
  std::function<void(unsigned port, unsigned vc, const flitscope::LinkFlit& flit)> on_move;

 private:
  static constexpr unsigned kLinks = 4;

  void edge() {
    model_.clk = 1;
    model_.eval();
    model_.clk = 0;
    model_.eval();
  }

  void step() {
    for (unsigned port = 0; port < bridge_.ports(); ++port) {
      flitscope::LinkWires& to = bridge_.to_router(port);
      flitscope::LinkWires& from = bridge_.from_router(port);
      model_.in_valid[port] = to.valid.read();
      model_.in_vc[port] = static_cast<std::uint8_t>(to.vc.read());
      if (to.valid.read()) model_.in_flit[port] = word(to.flit.read());
      if (port >= kLinks) continue;
      model_.out_credit[port] = from.credit.read();
      model_.out_credit_vc[port] = static_cast<std::uint8_t>(from.credit_vc.read());
    }
    edge();
    for (unsigned port = 0; port < bridge_.ports(); ++port) {
      flitscope::LinkWires& to = bridge_.to_router(port);
      flitscope::LinkWires& from = bridge_.from_router(port);
      to.credit.write(model_.in_credit[port] != 0);
      to.credit_vc.write(model_.in_credit_vc[port]);
      from.valid.write(model_.out_valid[port] != 0);
      if (model_.out_valid[port] == 0) continue;
      from.vc.write(model_.out_vc[port]);
      const flitscope::LinkFlit flit = flit_of(model_.out_flit[port]);
      from.flit.write(flit);
      if (on_move) on_move(port, model_.out_vc[port], flit);
    }
  }

  /// What the wires of the RTL carry (router.sv). The rest of a flit the network knows by its message.
  [[nodiscard]] std::uint64_t word(const flitscope::LinkFlit& flit) const {
    return std::uint64_t{flit.message} << 32 |
           std::uint64_t{topology_.coordinate(flit.destination, 0)} << 24 |
           std::uint64_t{topology_.coordinate(flit.destination, 1)} << 16 | (flit.index & 0x3FFFU) << 2 |
           (flit.tail ? 2U : 0U) | (flit.head ? 1U : 0U);
  }
  [[nodiscard]] static flitscope::LinkFlit flit_of(std::uint64_t word) {
    return {.message = static_cast<flitscope::MessageSlot>(word >> 32),
            .index = static_cast<std::uint32_t>(word >> 2) & 0x3FFF,
            .head = (word & 1) != 0,
            .tail = (word & 2) != 0};
  }

  const flitscope::Topology& topology_;
  flitscope::RouterBridge& bridge_;
  Vrouter model_;
};
