// All routers of a network and their network interfaces, stepped together: the engine's core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/agenda.h"
#include "routers/engine/message_table.h"
#include "routers/engine/planes.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_numbers.h"
#include "routers/engine/router_state.h"
#include "routers/engine/waiting_messages.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// The routers of one clock domain in groups of 64, in the order of their numbers.
///
/// What a group knows of its flits is in planes, one bit a router, so the stages of docs/timing.md handle 64
/// routers at a time. Body flits are not stored: a virtual channel has its number of flits, and those left of
/// the message at its front. Heads and tails are handled one by one. What leaves a router in one cycle is
/// an event of another in a later one, so the order of groups is free; a group without events and flits that
/// could move is not visited.
class RouterGroups : public RouterNumbers {
 public:
  using Group = std::uint32_t;
  static constexpr unsigned kRouters = 64;  ///< of a group

  /// True for the machines that it can simulate.
  [[nodiscard]] static bool serves(const Topology& topology, const MachineConfig& machine);

  /// Requires serves(topology, machine). The agenda has a place for each group.
  RouterGroups(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
               ArrivingMessages& arriving);

  /// Begins cycle `now`.
  void begin_cycle(Cycle now);
  /// Hands a message to the network interface of `node` in the present cycle, message.ready.
  void send(NodeId node, const NewMessage& message);
  /// Stages 2 to 7 of docs/timing.md.
  void step();

  [[nodiscard]] PortCounts counts(NodeId node, unsigned port) const;
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& stalls() const { return stalls_; }
  /// Adds the stalls in progress up to (not including) cycle `now` to the counters; they continue.
  void settle_stalls(Cycle now);

 private:
  /// Numbers of flits that are left of a message, beyond which the rest is counted apart.
  static constexpr unsigned kLeftBits = 8;
  static constexpr std::uint32_t kMostLeft = (1U << kLeftBits) - 1;

  /// What happens in a group in a coming cycle, by input VC, output VC, or channel.
  enum class Event : std::uint8_t {
    arrival,  ///< a flit is usable in this input VC
    credit,   ///< a slot behind this output VC; of an ejection channel: the end of its interval
    slot,     ///< in the FIFO of this injection channel
    due,      ///< this injection channel may put its next flit
    idle,     ///< it may take a message
  };
  static constexpr unsigned kEvents = 5;

  /// Where the planes of a group lie, in words from its first. All but `retry` have a plane for every VC or
  /// channel, side by side and filled up to whole quads; numbers have one for every bit.
  struct Layout {
    std::size_t retry = 0;      ///< routers in which heads request a VC again
    std::size_t ready = 0;      ///< input VC: a flit is usable
    std::size_t active = 0;     ///< it holds an output VC
    std::size_t asking = 0;     ///< its head waits for an output VC
    std::size_t head = 0;       ///< the head of its first message has not left
    std::size_t no_room = 0;    ///< it holds an output VC without a slot or within its interval
    std::size_t turn = 0;       ///< of the VCs of its port, it moved a flit last
    std::size_t usable = 0;     ///< number of usable flits
    std::size_t left = 0;       ///< number of flits left of its first message
    std::size_t room = 0;       ///< output VC: a usable slot
    std::size_t slots = 0;      ///< of a link: number of usable slots
    std::size_t held = 0;       ///< by output VC, then by input VC: it holds that one
    std::size_t port_turn = 0;  ///< by output port, then by input VC: it moved a flit to that port last
    std::size_t idle = 0;       ///< injection channel: it may take a message
    std::size_t queued = 0;     ///< its queue of messages is not empty
    std::size_t due = 0;        ///< it may put its next flit
    std::size_t put_head = 0;   ///< which is a head
    std::size_t put_more = 0;   ///< more flits are left to put than are counted in `to_put`
    std::size_t put_room = 0;   ///< a usable slot
    std::size_t put_slots = 0;  ///< number of usable slots
    std::size_t to_put = 0;     ///< number of flits left to put
    std::size_t events = 0;     ///< of the cycles of the wheel
    std::array<std::size_t, kEvents> event{};  ///< from the first word of a cycle's
    std::size_t events_of_cycle = 0;           ///< words
    std::size_t words = 0;
  };

  /// An input VC: its messages, and the one at its front once it is routed.
  struct Front {
    MessageSlot message = 0;
    std::uint32_t flits = 0;   ///< of the message
    std::uint32_t more = 0;    ///< flits left beyond those counted in the planes
    std::uint32_t first = 0;   ///< place of the first message in the VC's queue
    std::uint32_t count = 0;   ///< messages
    std::uint16_t choice = 0;  ///< set of output VCs that its head requests
    std::uint8_t group = 0;    ///< link port asked for, or the first ejection port
    std::uint8_t output = 0;   ///< output VC held
    Cycle since = 0;           ///< first cycle of the present stall, but for a lost switch
  };
  static_assert(sizeof(Front) == 32);

  /// Round-robin pointers of a group of output VCs.
  struct Turn {
    std::uint8_t request = 0;  ///< input VC
    std::uint8_t vc = 0;       ///< output VC
  };
  /// What a router has beside the planes, in one block of memory: this, by input VC a Front, by port
  /// PortCounts, by port a Turn.
  struct RouterHeader {
    std::uint64_t holds = 0;  ///< output VCs that are held
  };
  struct RouterRef {
    std::byte* block;
    const RouterGroups& groups;

    [[nodiscard]] RouterHeader& header() const { return *reinterpret_cast<RouterHeader*>(block); }
    [[nodiscard]] Front& front(unsigned vc) const {
      return *reinterpret_cast<Front*>(block + sizeof(RouterHeader) + vc * sizeof(Front));
    }
    [[nodiscard]] PortCounts& counts(unsigned port) const {
      return *reinterpret_cast<PortCounts*>(block + groups.first_counts_ + port * sizeof(PortCounts));
    }
    [[nodiscard]] Turn& turn(unsigned port) const {
      return *reinterpret_cast<Turn*>(block + groups.first_turn_ + port * sizeof(Turn));
    }
  };
  /// An injection channel's message.
  struct Injecting {
    MessageSlot message = kNoMessage;
    std::uint32_t more = 0;  ///< flits left to put beyond the planes
  };
  /// Messages that wait at a node, the first of them with a record.
  struct Queue {
    MessageSlot first = 0;
    bool open = false;
    WaitingMessages::Line others;
  };
  /// Routers that have their neighbour at the same distance.
  struct Offset {
    std::int64_t distance = 0;
    std::vector<Plane> routers;  ///< by group
  };
  struct LaterEvent {
    Group group = 0;
    Event event{};
    unsigned number = 0;
    Plane routers = 0;
  };

  /// A group in memory.
  struct GroupRef {
    Plane* words;
    std::byte* routers;  ///< the blocks of its routers
    Group number;

    [[nodiscard]] Plane* planes(std::size_t first) const { return words + first; }
    [[nodiscard]] Quad* quads(std::size_t first) const { return reinterpret_cast<Quad*>(words + first); }
    [[nodiscard]] NodeId node(unsigned router) const { return number * kRouters + router; }
  };
  [[nodiscard]] GroupRef at(Group group) const {
    return {&planes_[group * layout_.words], &routers_[group * kRouters * stride_], group};
  }
  /// By input VC, those that hold an output VC.
  [[nodiscard]] std::size_t held(unsigned output) const { return layout_.held + output * vc_words_; }
  [[nodiscard]] RouterRef router(NodeId node) const { return {routers_.get() + node * stride_, *this}; }
  [[nodiscard]] RouterRef router(GroupRef group, unsigned number) const {
    return {group.routers + number * stride_, *this};
  }
  [[nodiscard]] Front& front(NodeId node, unsigned vc) const { return router(node).front(vc); }
  [[nodiscard]] MessageSlot& message_at(NodeId node, unsigned vc, std::uint32_t place) const {
    return arriving_queues_[row(node, vc) * (queue_mask_ + 1) + (place & queue_mask_)];
  }
  [[nodiscard]] static Group group_of(NodeId node) { return node / kRouters; }
  [[nodiscard]] static Plane plane_of(NodeId node) { return Plane{1} << node % kRouters; }
  [[nodiscard]] unsigned queue_of(unsigned channel) const { return all_port_ ? channel : 0; }
  [[nodiscard]] Queue& queue(NodeId node, unsigned number) {
    return queues_[std::size_t{node} * queues_of_node_ + number];
  }

  void lay_out();
  void connect(const Topology& topology);
  [[nodiscard]] std::vector<Offset> offsets(bool to_receivers, unsigned port) const;

  /// A coming cycle for events.
  struct Then {
    Cycle cycle = 0;
    std::size_t events = 0;  ///< in words from the beginning of a group
    bool near = false;       ///< less than the wheel ahead
  };
  [[nodiscard]] Then in(Cycle delay) const;
  void post(const Then& then, Group group, Event event, unsigned number, Plane routers);
  [[gnu::noinline]] void post_later(Cycle cycle, LaterEvent event);
  void add_event(const Then& then, const LaterEvent& event);
  /// Posts an event of the routers at a distance from `routers` of a group.
  void post_at(const std::vector<Offset>& offsets, const Then& then, Group group, Event event,
               unsigned number, Plane routers);

  void step(GroupRef group);
  void take_events(GroupRef group);
  void find_heads(GroupRef group);
  [[nodiscard]] unsigned route(GroupRef group, unsigned router, unsigned vc);
  void allocate_vcs(GroupRef group, unsigned number);
  void request_vc(GroupRef group, unsigned number, unsigned vc);
  [[nodiscard]] bool find_candidates(GroupRef group);
  void note_stalls(GroupRef group, unsigned vc, Plane before, Plane no_room);
  void count_lost(GroupRef group);
  void pick_inputs(GroupRef group);
  void arbitrate_input(GroupRef group, std::uint64_t vcs, Plane contested);
  void pick_outputs(GroupRef group);
  void arbitrate_output(GroupRef group, unsigned port, Plane contested);
  void traverse(GroupRef group);
  void post_arrivals(GroupRef group);
  void post_credits(GroupRef group);
  void end_ejections(GroupRef group);
  [[nodiscard]] Plane& sent(unsigned output) { return sent_.planes()[output]; }
  void move_end(GroupRef group, unsigned number, unsigned vc);
  void append(NodeId node, unsigned vc, MessageSlot message);
  void count_more(GroupRef group, unsigned number, unsigned vc);
  void inject(GroupRef group);
  void take_message(GroupRef group, NodeId node, unsigned number);
  void put_flits(GroupRef group, unsigned number, Plane put, Plane last);
  [[nodiscard]] MessageSlot open(NodeId node, const NewMessage& message);
  [[nodiscard]] bool stays_awake(GroupRef group) const;

  void count_stall(GroupRef group, NodeId node, unsigned vc, StallCause cause, Cycle cycles);
  void count_stall_since(GroupRef group, NodeId node, unsigned vc, Cycle end);
  [[nodiscard]] StallCause cause_without_vc(const Front& front) const {
    return front.group == link_ports() ? StallCause::ejection_busy : StallCause::vc_taken;
  }

  MessageTable& messages_;
  Agenda& agenda_;
  ArrivingMessages& arriving_;
  std::unique_ptr<RoutingFunction> routing_;
  bool all_port_;
  Cycle router_delay_;
  Cycle link_delay_;
  Cycle credit_delay_;
  Cycle startup_;
  std::uint32_t injection_interval_;
  std::uint32_t ejection_interval_;

  Group groups_;
  unsigned count_bits_;     ///< of a number of flits in a FIFO
  unsigned left_bits_ = 1;  ///< of a number of flits left, of all messages so far
  unsigned queues_of_node_;
  std::size_t vc_words_;       ///< of a plane for every VC
  std::size_t channel_words_;  ///< of a plane for every injection channel
  std::size_t vc_quads_;
  std::size_t channel_quads_;
  Layout layout_{};
  Zeroed<Plane> planes_;      ///< group by group
  std::size_t first_counts_;  ///< in a router's block, in bytes
  std::size_t first_turn_;
  std::size_t stride_;  ///< of the blocks
  Zeroed<std::byte> routers_;
  std::uint32_t queue_mask_;             ///< of a place in the queue of an input VC
  Zeroed<MessageSlot> arriving_queues_;  ///< messages of an input VC, by row()
  std::vector<Injecting> injecting_;     ///< by injection channel, node by node
  std::vector<Queue> queues_;
  WaitingMessages waiting_;
  std::vector<NodeId> receivers_;  ///< by link port, node by node
  std::vector<NodeId> senders_;
  std::vector<std::vector<Offset>> to_receivers_;  ///< by link port; empty: each by itself
  std::vector<std::vector<Offset>> to_senders_;

  Cycle now_ = 0;
  Then after_hop_;     ///< a flit that leaves by a link now is usable
  Then after_credit_;  ///< the sender can use the slot that is freed now
  Then after_put_;     ///< a flit that is put now is usable
  Then next_cycle_;
  Cycle settled_ = 0;  ///< stalls are counted up to this cycle
  std::map<Cycle, std::vector<LaterEvent>> later_;
  // Of the present group, by input VC.
  static constexpr unsigned kMostQuads = kMaxVirtualChannels / 4;
  struct Quads {
    Quad quads[kMostQuads];
    [[nodiscard]] Quad& operator[](std::size_t i) { return quads[i]; }
    [[nodiscard]] Quad* data() { return quads; }
    [[nodiscard]] Plane* planes() { return reinterpret_cast<Plane*>(quads); }
  };
  Quads fresh_{};       ///< heads that request a VC for the first time
  Quads candidates_{};  ///< flits that could move
  Quads picked_{};      ///< those that their port picked
  Quads moving_{};      ///< to the output port at hand
  Quads moved_{};
  Quads last_{};                                     ///< the last flits of those counted that leave
  Quads sent_{};                                     ///< by output VC
  std::array<Plane, kMaxVirtualChannels> claims_{};  ///< by group of output VCs: it is requested

  std::uint64_t flit_hops_ = 0;
  std::array<std::uint64_t, kStallCauses> stalls_{};
};

}  // namespace flitscope
