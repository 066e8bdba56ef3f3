// Numbers of ports and VCs of a router, as docs/timing.md has them.
#pragma once

#include <algorithm>
#include <cstddef>

namespace flitscope {

struct RouterShape {
  unsigned link_ports = 0;
  unsigned virtual_channels = 0;  ///< of a link port
  unsigned channels = 0;          ///< injection channels, and ejection channels
  unsigned node_vcs = 0;          ///< of each of these
  unsigned classes = 0;           ///< of the VCs of a link, in the network with the most
  unsigned fewest_classes = 0;    ///< in the network with the fewest
  unsigned networks = 1;          ///< whose ejection channels are requested apart
  unsigned input_speedup = 1;     ///< inputs of the switch that an input port has
  unsigned output_speedup = 1;    ///< outputs of the switch that an output port has

  [[nodiscard]] unsigned ports() const { return link_ports + channels; }
  [[nodiscard]] unsigned link_vcs() const { return link_ports * virtual_channels; }
  [[nodiscard]] unsigned vcs() const { return link_vcs() + channels * node_vcs; }
  [[nodiscard]] unsigned vcs_of(unsigned port) const {
    return port < link_ports ? virtual_channels : node_vcs;
  }
  [[nodiscard]] unsigned most_vcs_of_port() const {
    return virtual_channels > node_vcs ? virtual_channels : node_vcs;
  }
  [[nodiscard]] unsigned first_vc(unsigned port) const {
    return port < link_ports ? port * virtual_channels : link_vcs() + (port - link_ports) * node_vcs;
  }
  [[nodiscard]] unsigned port_of(unsigned vc) const {
    return vc < link_vcs() ? vc / virtual_channels : link_ports + (vc - link_vcs()) / node_vcs;
  }
  /// The input port on the side of an output port of a grid.
  [[nodiscard]] unsigned opposite(unsigned port) const {
    return port < link_ports && (port ^ 1U) < link_ports ? port ^ 1U : port;
  }

  // Outputs of the switch: an output port has one for every output_speedup-th input port.
  [[nodiscard]] unsigned outputs() const { return ports() * output_speedup; }
  [[nodiscard]] unsigned output_of(unsigned port, unsigned input_vc) const {
    return port * output_speedup + port_of(input_vc) % output_speedup;
  }
  /// Input VCs whose ports request the same outputs of a port.
  [[nodiscard]] bool share_outputs(unsigned one, unsigned other) const {
    return output_of(0, one) == output_of(0, other);
  }
  /// That of the port on the other side of a grid.
  [[nodiscard]] unsigned opposite_output(unsigned output) const {
    return opposite(output / output_speedup) * output_speedup + output % output_speedup;
  }

  // Inputs of the switch: an input port has one for every input_speedup-th of its VCs.
  [[nodiscard]] unsigned inputs() const { return ports() * input_speedup; }
  [[nodiscard]] unsigned input_of(unsigned vc) const {
    const unsigned port = port_of(vc);
    return port * input_speedup + (vc - first_vc(port)) % input_speedup;
  }
  [[nodiscard]] unsigned first_vc_of_input(unsigned input) const {
    return first_vc(input / input_speedup) + input % input_speedup;
  }
  [[nodiscard]] unsigned vcs_of_input(unsigned input) const {
    return (vcs_of(input / input_speedup) + input_speedup - 1 - input % input_speedup) / input_speedup;
  }
  /// The set of the VCs of an input.
  template <typename Vcs>
  [[nodiscard]] Vcs set_of_input(unsigned input) const {
    Vcs set;
    for (unsigned i = 0; i < vcs_of_input(input); ++i) set.add(first_vc_of_input(input) + i * input_speedup);
    return set;
  }
  /// A set of VCs, of inputs or of outputs needs several words.
  [[nodiscard]] bool is_wide() const { return std::max({vcs(), inputs(), outputs()}) > 64; }
};

/// An allocator. The rule is common to all routers, the state is a router's: bytes, all 0 at the start.
class RouterPart {
 public:
  virtual ~RouterPart() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace flitscope
