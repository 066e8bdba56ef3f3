// The state of all routers of a network: numbers of ports and virtual channels, and their layout in memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/bits.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_state.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// One block of memory, router by router: ports from the last to the first, header, virtual channels, the
/// latter two in cache lines of their own. All routers have the same layout. A copy is another view of the
/// same routers.
class RouterMemory {
 public:
  /// `classes` is how many classes of virtual channels the routing function has.
  RouterMemory(const Topology& topology, const MachineConfig& machine, unsigned classes);

  // --- Numbers -------------------------------------------------------------------------------------------

  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] unsigned link_ports() const { return link_ports_; }
  [[nodiscard]] unsigned channels() const { return channels_; }
  [[nodiscard]] unsigned ports() const { return link_ports_ + channels_; }
  [[nodiscard]] unsigned virtual_channels() const { return vcs_; }
  /// Virtual channels of an injection or an ejection channel.
  [[nodiscard]] unsigned node_vcs() const { return node_vcs_; }
  [[nodiscard]] unsigned vcs_of_port(unsigned port) const { return port < link_ports_ ? vcs_ : node_vcs_; }
  /// Input VCs (and output VCs) of a router.
  [[nodiscard]] unsigned input_vcs() const { return input_vcs_; }
  /// Of the state of all routers.
  [[nodiscard]] std::size_t bytes() const {
    return nodes_ * (stride_ + std::size_t{input_vcs_} * buffer_ * sizeof(Slot));
  }
  /// Flits an input VC can hold.
  [[nodiscard]] std::uint32_t buffer() const { return buffer_; }
  [[nodiscard]] unsigned port_of_vc(unsigned vc) const { return vc_infos_[vc].port; }
  /// First VC of a port.
  [[nodiscard]] unsigned first_vc(unsigned port) const {
    return port < link_ports_ ? port * vcs_ : first_injection_vc_ + (port - link_ports_) * node_vcs_;
  }
  /// Usable slots behind output VC `output` of a link that a grant to the head in input VC `vc` requires, for
  /// a message of `flits` flits, where packet space is needed (docs/timing.md, stage 4).
  [[nodiscard]] std::uint32_t required_slots(unsigned vc, unsigned output, std::uint32_t flits) const {
    if (atomic_) return buffer_;
    return bubble_ && port_of_vc(vc) != port_of_vc(output) ? 2 * flits : flits;
  }
  /// Number of an input VC among those of all routers, for tables with a row for each.
  [[nodiscard]] std::size_t row(NodeId node, unsigned vc) const {
    return std::size_t{node} * input_vcs_ + vc;
  }

  // --- State, read only ----------------------------------------------------------------------------------

  [[nodiscard]] const RouterHeader& header(NodeId node) const { return at(node).state(); }
  [[nodiscard]] const InputVc& input(NodeId node, unsigned vc) const { return at(node).input(vc); }
  [[nodiscard]] const OutputVc& output(NodeId node, unsigned vc) const { return at(node).output(vc); }
  [[nodiscard]] const Port& port(NodeId node, unsigned number) const { return at(node).port(number); }
  /// Counters of an output port.
  [[nodiscard]] PortCounts counts(NodeId node, unsigned number) const;
  /// The flit at the front of an input VC. Requires that one is usable.
  [[nodiscard]] Slot front(NodeId node, unsigned vc) const {
    const InputVc& from = input(node, vc);
    return from.fifo[from.front];
  }

  // --- State ---------------------------------------------------------------------------------------------

  /// The port of a VC number, its masks, and its successors in the circular orders of docs/timing.md.
  struct alignas(32) VcInfo {
    std::uint64_t bit = 0;           ///< this VC
    std::uint64_t of_port = 0;       ///< all VCs of its port
    Arrival arrival;                 ///< of a head in this input VC
    std::int32_t port_offset = 0;    ///< of its port, in bytes from the header
    std::uint8_t port = 0;           ///< its port
    std::uint8_t claim = 0;          ///< output VCs with different claims have no conflict
    std::uint8_t next_input = 0;     ///< the first VC of the next port among all ports
    std::uint8_t next = 0;           ///< VC, among all VCs
    std::uint8_t next_of_port = 0;   ///< VC, among those of its port
    std::uint8_t next_of_group = 0;  ///< VC, among those of its link port, or of all ejection channels
  };

  /// A reference to one router: its virtual channels lie behind its header, its ports before it. Passed by
  /// value in a register.
  struct RouterRef {
    RouterHeader* header;

    [[nodiscard]] RouterHeader& state() const { return *header; }
    [[nodiscard]] InputVc& input(unsigned vc) const { return channel(vc).input; }
    [[nodiscard]] OutputVc& output(unsigned vc) const { return channel(vc).output; }
    [[nodiscard]] Port& port(unsigned number) const {
      return reinterpret_cast<Port*>(header)[-1 - static_cast<std::ptrdiff_t>(number)];
    }
    /// The port of a VC.
    [[nodiscard]] Port& port(const VcInfo& vc) const {
      return *reinterpret_cast<Port*>(reinterpret_cast<std::byte*>(header) + vc.port_offset);
    }
    /// The input VC and the output VC of that number. The constant is added last, so that it is part of the
    /// instruction.
    [[nodiscard]] VirtualChannel& channel(unsigned vc) const {
      std::byte* const before =
          reinterpret_cast<std::byte*>(header) + std::size_t{vc} * sizeof(VirtualChannel);
      return *reinterpret_cast<VirtualChannel*>(before + sizeof(RouterHeader));
    }
  };
  [[nodiscard]] RouterRef at(NodeId node) const {
    return {reinterpret_cast<RouterHeader*>(first_header_ + node * stride_)};
  }
  [[nodiscard]] RouterHeader& state_of(NodeId node) { return at(node).state(); }

  [[nodiscard]] const VcInfo& vc_info(unsigned vc) const { return vc_infos_[vc]; }
  /// Output VCs from this one on are those of ejection channels, input VCs those of injection channels.
  [[nodiscard]] unsigned first_injection_vc() const { return first_injection_vc_; }

  /// True if a link is slower than one flit a cycle.
  [[nodiscard]] bool has_link_intervals() const { return link_intervals_ != nullptr; }
  [[nodiscard]] LinkInterval& link_interval(NodeId node, unsigned port) {
    return link_intervals_.get()[std::size_t{node} * link_ports_ + port];
  }
  [[nodiscard]] const LinkInterval& link_interval(NodeId node, unsigned port) const {
    return link_intervals_.get()[std::size_t{node} * link_ports_ + port];
  }

  /// Choices of heads, by number: a set of output VCs for every class of every link port, then those of
  /// ejection channels for every input VC.
  [[nodiscard]] std::uint64_t choice(unsigned number) const { return choices_[number]; }
  [[nodiscard]] unsigned link_choice(unsigned port, unsigned channel_class) const {
    return port * classes_ + channel_class;
  }
  [[nodiscard]] unsigned ejection_choice(unsigned vc) const { return first_ejection_choice_ + vc; }

 private:
  [[nodiscard]] std::size_t bytes_before_header() const {
    return (ports() * sizeof(Port) + sizeof(RouterHeader) - 1) / sizeof(RouterHeader) * sizeof(RouterHeader);
  }
  void number_ports(const MachineConfig& machine);
  void lay_out(const MachineConfig& machine);
  void time_links(const Topology& topology, const MachineConfig& machine);

  NodeId nodes_;
  unsigned link_ports_;
  unsigned channels_;
  unsigned vcs_;
  unsigned node_vcs_;
  unsigned first_injection_vc_;
  unsigned input_vcs_;
  std::uint32_t buffer_;
  bool atomic_;  ///< VC allocation
  bool bubble_;  ///< flow control
  unsigned classes_;
  unsigned first_ejection_choice_ = 0;
  std::array<VcInfo, kMaxVirtualChannels> vc_infos_{};
  std::vector<std::uint64_t> choices_;

  std::size_t stride_;
  std::byte* first_header_ = nullptr;
  struct FreeAligned {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  std::shared_ptr<std::byte[]> blocks_;
  /// FIFOs, adjacent for the same VC of all routers: unused VCs take no memory.
  SharedZeroed<Slot> slots_;
  std::shared_ptr<LinkInterval[]> link_intervals_;  ///< by node and link port
};

}  // namespace flitscope
