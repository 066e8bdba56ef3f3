// The state of all routers of a network in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "model/bits.h"
#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_numbers.h"
#include "routers/engine/router_state.h"

namespace flitscope {

/// One block of memory, router by router: ports from the last to the first, header, virtual channels, the
/// latter two in cache lines of their own. All routers have the same layout. A copy is another view of the
/// same routers.
class RouterMemory : public RouterNumbers {
 public:
  /// `classes` is how many classes of virtual channels the routing function has.
  RouterMemory(const Topology& topology, const MachineConfig& machine, unsigned classes);

  /// Of the state of all routers.
  [[nodiscard]] std::size_t bytes() const {
    return nodes() * (stride_ + std::size_t{input_vcs()} * buffer() * sizeof(Slot));
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

  /// True if a link is slower than one flit a cycle.
  [[nodiscard]] bool has_link_intervals() const { return link_intervals_ != nullptr; }
  [[nodiscard]] LinkInterval& link_interval(NodeId node, unsigned port) {
    return link_intervals_.get()[std::size_t{node} * link_ports() + port];
  }
  [[nodiscard]] const LinkInterval& link_interval(NodeId node, unsigned port) const {
    return link_intervals_.get()[std::size_t{node} * link_ports() + port];
  }

 private:
  [[nodiscard]] std::size_t bytes_before_header() const {
    return (ports() * sizeof(Port) + sizeof(RouterHeader) - 1) / sizeof(RouterHeader) * sizeof(RouterHeader);
  }
  void lay_out(const MachineConfig& machine);
  void time_links(const Topology& topology, const MachineConfig& machine);

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
