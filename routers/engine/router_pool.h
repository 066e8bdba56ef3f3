// All routers of a network: their state, and what one does in a cycle.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/topology.h"
#include "routers/engine/agenda.h"
#include "routers/engine/external_link.h"
#include "routers/engine/flit_observer.h"
#include "routers/engine/message_table.h"
#include "routers/engine/router_state.h"
#include "routers/machine.h"
#include "routers/routing/routing.h"

namespace flitscope {

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

[[nodiscard]] constexpr std::uint64_t bit(unsigned position) {
  return std::uint64_t{1} << position;
}

/// True if the mask has at most one bit.
[[nodiscard]] constexpr bool is_single(std::uint64_t mask) {
  return (mask & (mask - 1)) == 0;
}

/// Time, as those see it who are not called once a cycle.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Cycle now() const = 0;
  /// There is work in `cycle`, which may be sooner than anybody thought.
  virtual void tick_at(Cycle cycle) = 0;
};

/// The network interfaces, which move after their routers.
class InjectionSide {
 public:
  virtual ~InjectionSide() = default;
  /// One network interface for one cycle. `injecting` is the set of its channels that want to be looked at;
  /// takes those out that need not be looked at before they get a message or a slot. Returns the channels
  /// that put a flit.
  virtual std::uint32_t step(NodeId node, std::uint32_t& injecting, Cycle now) = 0;
};

/// The routers of one clock domain. State lies in one block of memory, router after router: header, virtual
/// channels, ports. The SystemC modules (class Router) are the faces through which it is wired and observed.
///
/// step() runs one router for one cycle and wakes whoever has work because of it. It reads and writes other
/// routers only where that cannot matter before the next cycle, so the order of steps is free.
class RouterPool {
 public:
  RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             ArrivingMessages& arriving, Clock& clock);

  // --- Wiring, before the first cycle --------------------------------------------------------------------

  /// Output port `port` of `node` leads to input port `port` of `receiver`.
  void connect(NodeId node, unsigned port, NodeId receiver);
  /// Output port `port` of `node` leads to a module that is not ours. At most `buffer` flits of its room are
  /// used. On an ejection channel, a message whose tail goes there counts as delivered, and the module alone
  /// sets the pace (not `slowdown`).
  void connect_external(NodeId node, unsigned port, FlitReceiver& receiver);
  /// Input port `port` of `node` is fed by a module that is not ours, and by nobody else. Returns the FIFO's
  /// length.
  std::uint32_t attach_external_sender(NodeId node, unsigned port, credit_if& sender);
  [[nodiscard]] bool has_external_sender(NodeId node, unsigned port) const;
  [[nodiscard]] bool has_external_senders() const { return !external_senders_.empty(); }
  /// Flits are reported to `observer`, those of the routers `nodes` only unless that is empty. The other
  /// routers pay one test for each flit.
  void observe(FlitObserver* observer, std::span<const NodeId> nodes = {});
  /// The stalls of all routers are reported to `observer`.
  void observe_stalls(StallObserver* observer);

  // --- One cycle -----------------------------------------------------------------------------------------

  /// Cycle `now` begins: what follows happens in it.
  void begin_cycle(Cycle now);

  /// Stages 2 to 7 of docs/timing.md for every router that was woken for this cycle.
  void step_awake(InjectionSide& interfaces);

  /// The same for one router.
  void step(NodeId node, InjectionSide& interfaces);

  /// First slot of the FIFO behind an injection channel, which has buffer() slots.
  [[nodiscard]] Slot* injection_fifo(NodeId node, unsigned channel) {
    return at(node).input(first_vc(link_ports_ + channel)).fifo;
  }
  /// Flits were put behind these injection channels.
  void inject(NodeId node, std::uint32_t channels) {
    after_injection_.arrive(node, std::uint64_t{channels} << first_injection_vc_);
  }
  /// Injection channel `channel` found `slot`, which it would write next, not usable: it is to be looked at
  /// again when that changes.
  void await_injection_slot(NodeId node, unsigned channel, Slot slot);

  /// A external module puts a flit into an input port. Throws std::logic_error for a flit without credit, or
  /// that cannot be.
  void put_external(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit);

  /// Injection channels that the network interface has to look at.
  [[nodiscard]] std::uint32_t& injecting(NodeId node) { return state_of(node).injecting; }

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
  [[nodiscard]] unsigned port_of_vc(unsigned vc) const { return place_[vc].port; }
  /// First VC of a port.
  [[nodiscard]] unsigned first_vc(unsigned port) const {
    return port < link_ports_ ? port * vcs_ : link_ports_ * vcs_ + (port - link_ports_);
  }
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  /// Flits an input VC can hold.
  [[nodiscard]] std::uint32_t buffer() const { return buffer_; }
  /// The link port by which a head leaves `node`. Requires that this is not its destination.
  [[nodiscard]] unsigned first_port(NodeId node, const Head& head) const {
    return routing_->decide(coordinates(node), head).port;
  }
  /// One per dimension.
  [[nodiscard]] const std::uint32_t* coordinates(NodeId node) const {
    return &coordinates_[std::size_t{node} * coordinates_row_];
  }
  void set_destination(Head& head, NodeId destination) const {
    head.destination = destination;
    for (unsigned first = 0; first < coordinates_row_; first += kCoordinatesStep) {
      std::memcpy(&head.target[first], coordinates(destination) + first,
                  kCoordinatesStep * sizeof(std::uint32_t));
    }
  }
  /// Who watches the flits of `node`; nullptr if nobody does.
  [[nodiscard]] FlitObserver* observer(NodeId node) const {
    return observer_ != nullptr && watched_[node] ? observer_ : nullptr;
  }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& stalls() const { return stalls_; }

  // --- State, for those who watch ------------------------------------------------------------------------

  [[nodiscard]] const RouterHeader& header(NodeId node) const {
    return *reinterpret_cast<const RouterHeader*>(block(node));
  }
  [[nodiscard]] const InputVc& input(NodeId node, unsigned vc) const { return at(node).input(vc); }
  [[nodiscard]] const OutputVc& output(NodeId node, unsigned vc) const { return at(node).output(vc); }
  [[nodiscard]] const Port& port(NodeId node, unsigned number) const { return at(node).port[number]; }
  /// The flit at the front of an input VC. Requires that one is usable.
  [[nodiscard]] Slot front(NodeId node, unsigned vc) const {
    const InputVc& from = input(node, vc);
    return from.fifo[from.front];
  }
  /// First cycle in which the front flit of an input VC was stalled, and ever since. Requires that it is.
  [[nodiscard]] Cycle stalled_since(NodeId node, unsigned vc) const {
    return stalled_since_[std::size_t{node} * input_vcs_ + vc];
  }
  /// Who is to blame for the stall under way in an input VC (see FlitStall). Known only while stalls are
  /// observed.
  [[nodiscard]] std::optional<std::uint64_t> culprit(NodeId node, unsigned vc) const {
    return culprits_.empty() ? std::nullopt : culprits_[std::size_t{node} * input_vcs_ + vc];
  }
  /// Output VCs a waiting head may take, whoever holds them. Requires that it is routed and not active.
  [[nodiscard]] std::uint64_t admissible(NodeId node, unsigned vc) const;

 private:
  /// A link to a module that is not ours: its FIFOs as far as the sender must know them.
  struct ExternalLink : credit_if {
    ExternalLink(RouterPool& in_pool, NodeId from, unsigned through, FlitReceiver& to)
        : pool(in_pool), node(from), port(through), receiver(to) {}
    void credit(unsigned vc) override;

    RouterPool& pool;
    NodeId node;
    unsigned port;
    FlitReceiver& receiver;
    std::vector<std::vector<Slot>> fifos;  ///< per VC
    std::vector<std::uint32_t> front;      ///< per VC, slot of the flit whose credit comes next
  };

  /// One router, as the stages see it: its header lies before its virtual channels. Passed by value: it fits
  /// into two registers.
  struct Here {
    VirtualChannel* vcs;
    Port* port;

    [[nodiscard]] RouterHeader& state() const { return reinterpret_cast<RouterHeader*>(vcs)[-1]; }
    [[nodiscard]] InputVc& input(unsigned vc) const { return vcs[vc].input; }
    [[nodiscard]] OutputVc& output(unsigned vc) const { return vcs[vc].output; }
  };

  /// A coming cycle: where to leave word for a router, and wake it.
  struct DueCycle {
    Mailbox* mail = nullptr;  ///< by node
    Agenda::Page awake;

    void arrive(NodeId node, Agenda::Place place, std::uint64_t vcs) const {
      mail[node].arrivals |= vcs;
      awake.wake(place);
    }
    void arrive(NodeId node, std::uint64_t vcs) const { arrive(node, Agenda::place(node), vcs); }
    void credit(NodeId node, std::uint64_t outputs) const {
      mail[node].credits |= outputs;
      awake.wake(node);
    }
  };

  /// Where the VC of one number stands, and what comes next to it in the circular orders of docs/timing.md.
  struct alignas(64) VcPlace {
    std::uint64_t bit = 0;       ///< this VC
    std::uint64_t of_port = 0;   ///< all VCs of its port
    std::uint64_t claim = 0;     ///< output VCs with different claims cannot hinder each other
    Cycle slot_delay = 0;        ///< from the cycle a flit leaves its FIFO until the sender can use the slot
    std::uint8_t port = 0;       ///< its port
    std::uint8_t next_port = 0;  ///< port, among all ports
    std::uint8_t next = 0;       ///< VC, among all VCs
    std::uint8_t next_of_port = 0;   ///< VC, among those of its port
    std::uint8_t next_of_group = 0;  ///< VC, among those of its link port, or the ejection channels
  };

  [[nodiscard]] std::byte* block(NodeId node) const { return blocks_.get() + node * stride_; }
  [[nodiscard]] RouterHeader& state_of(NodeId node) { return *reinterpret_cast<RouterHeader*>(block(node)); }
  [[nodiscard]] Here at(NodeId node) const {
    std::byte* const start = block(node);
    return {reinterpret_cast<VirtualChannel*>(start + sizeof(RouterHeader)),
            reinterpret_cast<Port*>(start + ports_offset_)};
  }
  [[nodiscard]] std::uint32_t behind(std::uint32_t position) const {
    return position + 1 == buffer_ ? 0 : position + 1;
  }
  [[nodiscard]] DueCycle day(Cycle cycle) {
    return {&mail_[agenda_.slot(cycle) * nodes_], agenda_.page(cycle)};
  }
  void number_ports();
  /// Throws if input port `port` of `node` is fed already.
  void require_no_sender(NodeId node, unsigned port) const;

  // The stages, in order.
  void step_router(NodeId node, InjectionSide& interfaces);
  void step_unwatched(NodeId node, InjectionSide& interfaces);
  void step_watched(NodeId node, InjectionSide& interfaces);
  void take_arrivals(Here here, std::uint64_t arrivals);
  void take_complete_messages(Here here, std::uint64_t arrivals);
  void take_credits(Here here, std::uint64_t credits);
  void pass(Here here, unsigned vc);
  void pass_or_compete(Here here, std::uint64_t able);
  [[nodiscard]] bool want_the_same(Here here, std::uint64_t able);
  [[nodiscard]] std::uint64_t compete(Here here);
  bool request_vc(Here here, unsigned vc);
  void allocate_vcs(Here here, std::uint64_t asking);
  void route(Here here, unsigned vc);
  unsigned choose_vc(Here here, unsigned vc, std::uint64_t free);
  void hold_vc(Here here, unsigned vc, unsigned output);
  void refuse_vc(Here here, unsigned vc);
  [[nodiscard]] std::uint64_t with_room_for_all(Here here, std::uint64_t outputs, MessageSlot message);
  [[nodiscard]] std::uint64_t allocate_switch(Here here, std::uint64_t moving);
  [[nodiscard]] bool has_room(Here here, unsigned output) const;
  void block_for_room(Here here, unsigned vc);
  void traverse(Here here, unsigned vc, unsigned output);
  void release(Here here, unsigned vc, unsigned output);
  void note_move(Here here, unsigned vc, unsigned output, Slot flit);
  void send_to_external(Here here, unsigned number, unsigned output, Slot flit);
  void eject(Slot flit);
  void return_slot(Here here, unsigned vc, unsigned number);
  void expect_credit(Here here, unsigned output, Slot slot);

  /// Heads that found no VC ask again in the cycle `from`: all of the router's, or those of one group.
  void retry_heads(Here here, Cycle from);
  void retry_group(Here here, unsigned group, Cycle from);

  // Stall accounting.
  void begin_stall(Here here, unsigned vc, StallCause cause) {
    // A flit whose last stall has been counted up to this cycle is still the same one: it has not moved.
    if (here.input(vc).blocked_since != now_) {
      stalled_since_[std::size_t{here.state().node} * input_vcs_ + vc] = now_;
    }
    here.input(vc).cause = cause;
    here.input(vc).blocked_since = now_;
    if (stall_observer_ != nullptr) note_culprit(here, vc, cause);
  }
  /// Remembers who is to blame for the stall that begins.
  void note_culprit(Here here, unsigned vc, StallCause cause);
  [[nodiscard]] MessageSlot culprit_of(Here here, unsigned vc, StallCause cause) const;
  void report_stall(Here here, unsigned vc, StallCause cause, Cycle from, Cycle cycles,
                    std::optional<std::uint64_t> culprit) const;
  void report_switch_lost(Here here, unsigned vc, unsigned winner) const;
  /// Counts the stall under way up to (not including) cycle `end`.
  void end_stall(Here here, unsigned vc, Cycle end);
  void count_stall(Here here, unsigned vc, StallCause cause, Cycle cycles);

  MessageTable& messages_;
  Agenda& agenda_;
  ArrivingMessages& arriving_;
  Clock& clock_;
  FlitObserver* observer_ = nullptr;
  StallObserver* stall_observer_ = nullptr;
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

  std::array<VcPlace, kMaxVirtualChannels> place_{};
  unsigned first_injection_vc_;  ///< also that of ejection
  unsigned classes_;
  /// What heads may take, as sets of output VCs: link port by link port a set for every class of VCs, then by
  /// input VC the ejection channels.
  std::vector<std::uint64_t> choices_;
  unsigned first_ejection_choice_ = 0;
  /// Coordinates, node by node; rows are filled up so that they can be copied a few numbers at a time.
  static constexpr unsigned kCoordinatesStep = 4;
  static_assert(kMaxDimensions % kCoordinatesStep == 0);
  unsigned coordinates_row_;
  std::vector<std::uint32_t> coordinates_;

  // The present cycle, and those for which a router leaves word.
  Cycle now_ = 0;
  DueCycle this_cycle_;
  DueCycle next_cycle_;
  DueCycle after_injection_;  ///< a flit put now by a network interface is usable
  DueCycle after_hop_;        ///< a flit sent now to another router is usable there
  DueCycle after_credit_;     ///< a slot freed now can be used by the router that feeds it

  std::vector<Mailbox> mail_;  ///< node by node, cycle after cycle of the agenda's wheel
  std::size_t ports_offset_ = 0;
  std::size_t stride_ = 0;
  struct FreeAligned {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  struct Free {
    void operator()(Slot* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], FreeAligned> blocks_;
  /// FIFOs of all input VCs. Comes zeroed from the system, which hands out pages only when they are used.
  std::unique_ptr<Slot[], Free> slots_;

  std::vector<std::unique_ptr<ExternalLink>> external_links_;
  struct ExternalSender {
    NodeId node;
    unsigned port;
    credit_if* sender;
  };
  std::vector<ExternalSender> external_senders_;

  std::uint64_t flit_hops_ = 0;
  std::array<std::uint64_t, kStallCauses> stalls_{};
  std::vector<Cycle> stalled_since_;  ///< by input VC, node by node

  // For those who watch; empty if nobody does.
  std::vector<std::uint8_t> watched_;  ///< by node, if there is an observer
  struct Move {
    unsigned input_vc = 0;
    unsigned output_vc = 0;
    Slot flit;
  };
  std::vector<Move> moves_;  ///< of the router that is stepped, if it is watched
  /// By input VC, node by node: the culprit of the stall under way, if there is an observer of stalls.
  std::vector<std::optional<std::uint64_t>> culprits_;
};

}  // namespace flitscope
