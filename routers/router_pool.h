// All routers of a network: their state, and what one does in a cycle.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "model/topology.h"
#include "routers/agenda.h"
#include "routers/flit_observer.h"
#include "routers/link_interface.h"
#include "routers/machine.h"
#include "routers/message_table.h"
#include "routers/router_state.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Refuses a machine that cannot be built: too few virtual channels for the routing (the message says how many
/// are needed), more than 64 per router, more ports than links, or more memory than `memory_bytes`. Throws
/// Inadmissible.
void require_buildable(const Topology& topology, const MachineConfig& machine, std::uint64_t memory_bytes);

/// Bytes that routers, network interfaces and their SystemC modules take.
[[nodiscard]] std::uint64_t estimated_bytes(const Topology& topology, const MachineConfig& machine);

/// Injection (and ejection) channels of a node.
[[nodiscard]] unsigned node_channels(const Topology& topology, const MachineConfig& machine);

/// Number of the lowest bit. Requires mask != 0 (which std::countr_zero would test).
[[nodiscard]] inline unsigned lowest_bit(std::uint64_t mask) {
  return static_cast<unsigned>(__builtin_ctzll(mask));
}

/// Iterates over the bits of a mask, lowest first.
template <typename Visit>
void for_each_bit(std::uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(lowest_bit(mask));
}

/// The lowest bit at or above `from`, or else the lowest of all. Requires mask != 0.
[[nodiscard]] inline unsigned first_from(std::uint64_t mask, unsigned from) {
  const std::uint64_t above = mask >> from << from;
  return lowest_bit(above != 0 ? above : mask);
}

[[nodiscard]] constexpr std::uint64_t bit(unsigned position) { return std::uint64_t{1} << position; }

/// Time, as those see it who are not called once a cycle.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Cycle now() const = 0;
  /// There is work in `cycle`, which may be sooner than anybody thought.
  virtual void tick_at(Cycle cycle) = 0;
};

/// Where messages leave the network.
class EjectionSink {
 public:
  virtual ~EjectionSink() = default;
  /// The tail of `message` reaches its destination in `cycle`, at most the link delay ahead.
  virtual void arrives(MessageSlot message, Cycle cycle) = 0;
};

/// The routers of one clock domain. State lies in one block of memory, router after router; the SystemC
/// modules (class Router) are the faces through which it is wired and observed.
///
/// step() runs one router for one cycle and wakes whoever has work because of it. It reads and writes other
/// routers only where that cannot matter before the next cycle, so the order of steps is free.
class RouterPool {
 public:
  RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             EjectionSink& sink, Clock& clock);

  // --- Wiring, before the first cycle --------------------------------------------------------------------

  /// Output port `port` of `node` leads to input port `port` of `receiver`.
  void connect(NodeId node, unsigned port, NodeId receiver);
  /// Output port `port` of `node` leads to a module that is not ours. At most `buffer` flits of its room are
  /// used. A message whose tail goes there counts as delivered.
  void connect_foreign(NodeId node, unsigned port, flit_if& receiver);
  /// Input port `port` of `node` is fed by a module that is not ours. Returns the FIFO's length.
  std::uint32_t attach_foreign_sender(NodeId node, unsigned port, credit_if& sender);
  void observe(FlitObserver* observer) { observer_ = observer; }

  // --- One cycle -----------------------------------------------------------------------------------------

  /// Stages 2 to 6 of docs/timing.md for one router.
  void step(NodeId node, Cycle now);

  /// A flit enters through injection channel `channel` in cycle `now`; `back` is the sender's position in the
  /// FIFO, which it keeps for this. Returns false, and arranges for the channel to be looked at again, if the
  /// FIFO has no usable slot.
  bool inject(NodeId node, unsigned channel, std::uint32_t& back, MessageSlot message, std::uint32_t index,
              bool tail, Cycle now);

  /// A foreign module puts a flit into an input port.
  void put_foreign(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit);

  /// Injection channels that the network interface has to look at.
  [[nodiscard]] std::uint64_t& injecting(NodeId node) { return state_of(node).injecting; }

  /// Adds the stalls under way up to (not including) cycle `now` to the counters; they go on from there.
  void settle_stalls(Cycle now);

  // --- Numbers -------------------------------------------------------------------------------------------

  /// Virtual cut-through and store-and-forward: a VC is granted only with room for the whole message.
  [[nodiscard]] bool needs_room_for_all() const { return switching_ != Switching::wormhole; }
  [[nodiscard]] unsigned link_ports() const { return link_ports_; }
  [[nodiscard]] unsigned channels() const { return channels_; }
  [[nodiscard]] unsigned ports() const { return link_ports_ + channels_; }
  [[nodiscard]] unsigned virtual_channels() const { return vcs_; }
  /// Input VCs (and output VCs) of a router.
  [[nodiscard]] unsigned input_vcs() const { return input_vcs_; }
  [[nodiscard]] unsigned port_of_vc(unsigned vc) const { return port_of_[vc]; }
  /// First VC of a port.
  [[nodiscard]] unsigned first_vc(unsigned port) const {
    return port < link_ports_ ? port * vcs_ : link_ports_ * vcs_ + (port - link_ports_);
  }
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& stalls() const { return stalls_; }

  // --- State, for those who watch ------------------------------------------------------------------------

  [[nodiscard]] const RouterHeader& header(NodeId node) const {
    return *reinterpret_cast<const RouterHeader*>(block(node));
  }
  [[nodiscard]] const InputVc& input(NodeId node, unsigned vc) const { return at(node, 0).input[vc]; }
  [[nodiscard]] const OutputVc& output(NodeId node, unsigned vc) const { return at(node, 0).output[vc]; }
  [[nodiscard]] const Port& port(NodeId node, unsigned number) const { return at(node, 0).port[number]; }
  /// The flit at the front of an input VC. Requires that one is usable.
  [[nodiscard]] Slot front(NodeId node, unsigned vc) const {
    const InputVc& from = input(node, vc);
    return from.fifo[from.front];
  }
  /// Output VCs a waiting head may take, whoever holds them. Requires that it is routed and not active.
  [[nodiscard]] std::uint64_t admissible(NodeId node, unsigned vc) const;

 private:
  /// A link to a module that is not ours: its FIFOs as far as the sender must know them.
  struct ForeignLink : credit_if {
    ForeignLink(RouterPool& in_pool, NodeId from, unsigned through, flit_if& to)
        : pool(in_pool), node(from), port(through), receiver(to) {}
    void credit(unsigned vc) override;

    RouterPool& pool;
    NodeId node;
    unsigned port;
    flit_if& receiver;
    std::vector<std::vector<Slot>> fifos;  ///< per VC
    std::vector<std::uint32_t> front;      ///< per VC, slot of the flit whose credit comes next
  };

  /// One router in one cycle, as the stages see it.
  struct Here {
    NodeId node;
    Cycle now;
    RouterHeader& state;
    Mailbox* mail;
    InputVc* input;
    OutputVc* output;
    Port* port;
  };

  [[nodiscard]] std::byte* block(NodeId node) const { return blocks_.get() + node * stride_; }
  [[nodiscard]] RouterHeader& state_of(NodeId node) { return *reinterpret_cast<RouterHeader*>(block(node)); }
  [[nodiscard]] Here at(NodeId node, Cycle now) const {
    std::byte* const start = block(node);
    return {node,
            now,
            *reinterpret_cast<RouterHeader*>(start),
            reinterpret_cast<Mailbox*>(start + sizeof(RouterHeader)),
            reinterpret_cast<InputVc*>(start + inputs_offset_),
            reinterpret_cast<OutputVc*>(start + outputs_offset_),
            reinterpret_cast<Port*>(start + ports_offset_)};
  }
  [[nodiscard]] std::uint32_t behind(std::uint32_t position) const {
    return position + 1 == buffer_ ? 0 : position + 1;
  }

  /// Leaves word for `node` in a coming cycle, and wakes it then.
  void announce_arrival(NodeId node, unsigned vc, Cycle cycle);
  void announce_credit(NodeId node, unsigned output, Cycle cycle);

  // The stages, in order.
  void take_arrivals(const Here& here, std::uint64_t arrivals);
  void take_complete_messages(const Here& here, std::uint64_t arrivals);
  void take_credits(const Here& here, std::uint64_t credits);
  void allocate_vcs(const Here& here);
  void route(const Here& here, unsigned vc);
  void grant_vcs(const Here& here, unsigned group, std::uint64_t requests);
  bool grant_vc(const Here& here, Port& group, unsigned number, unsigned vc);
  [[nodiscard]] std::uint64_t admissible_in_group(unsigned group, unsigned vc, const InputVc& input) const;
  [[nodiscard]] std::uint64_t with_room_for(const Here& here, unsigned group, std::uint64_t vcs,
                                            MessageSlot message);
  void allocate_switch(const Here& here);
  [[nodiscard]] std::uint64_t with_credit(const Here& here, std::uint64_t vcs);
  void arbitrate(const Here& here, std::uint64_t candidates);
  void win(const Here& here, unsigned vc, unsigned from, unsigned to);
  void traverse(const Here& here, unsigned vc, unsigned from, unsigned to);
  void send_to_foreign(const Here& here, unsigned port, unsigned output, Slot flit);
  void eject(Slot flit, Cycle now);
  void release(const Here& here, unsigned vc, unsigned output);
  void return_slot(const Here& here, unsigned vc, unsigned number);
  void expect_credit(const Here& here, unsigned output, Slot slot);

  /// Heads that found no VC ask again in the cycle `from`: all of the router's, or those of one group.
  void retry_heads(const Here& here, Cycle from);
  void retry_group(const Here& here, unsigned group, Cycle from);

  // Stall accounting.
  void begin_stall(const Here& here, unsigned vc, StallCause cause) {
    here.input[vc].cause = cause;
    here.input[vc].blocked_since = here.now;
  }
  void end_stall(const Here& here, unsigned vc, Cycle now);
  void count_stall(const Here& here, unsigned vc, StallCause cause, Cycle cycles);

  MessageTable& messages_;
  Agenda& agenda_;
  EjectionSink& sink_;
  Clock& clock_;
  FlitObserver* observer_ = nullptr;
  std::unique_ptr<RoutingFunction> routing_;

  NodeId nodes_;
  unsigned dimensions_;
  unsigned link_ports_;
  unsigned channels_;
  unsigned vcs_;
  unsigned input_vcs_;
  std::uint32_t buffer_;
  bool all_port_;
  Switching switching_;
  Cycle router_delay_;
  Cycle link_delay_;
  std::uint32_t slowdown_;

  std::array<std::uint8_t, kMostVirtualChannels> port_of_{};
  std::array<std::uint8_t, kMostPorts> first_vc_of_{};
  std::array<std::uint64_t, kMostPorts> vcs_of_port_{};
  std::vector<std::uint64_t> class_masks_;
  std::vector<std::uint32_t> coordinates_;  ///< node by node

  std::size_t inputs_offset_ = 0;
  std::size_t outputs_offset_ = 0;
  std::size_t ports_offset_ = 0;
  std::size_t stride_ = 0;
  struct FreeAligned {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], FreeAligned> blocks_;
  /// FIFOs of all input VCs, then one slot per ejection channel: the cycle from which it can move a flit.
  std::vector<Slot> slots_;

  std::vector<std::unique_ptr<ForeignLink>> foreign_links_;
  struct ForeignSender {
    NodeId node;
    unsigned port;
    credit_if* sender;
  };
  std::vector<ForeignSender> foreign_senders_;

  std::uint64_t flit_hops_ = 0;
  std::array<std::uint64_t, kStallCauses> stalls_{};
};

}  // namespace flitscope
