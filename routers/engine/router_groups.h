// All routers of a network and their network interfaces, stepped together: the engine's core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
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
    unsigned retry = 0;    ///< routers in which heads request a VC again
    unsigned ready = 0;    ///< input VC: a flit is usable
    unsigned active = 0;   ///< it holds an output VC
    unsigned asking = 0;   ///< its head waits for an output VC
    unsigned behind = 0;   ///< messages wait behind the first
    unsigned head = 0;     ///< the head of its first message has not left
    unsigned no_room = 0;  ///< it holds an output VC without a slot or within its interval
    unsigned turn = 0;     ///< of the VCs of its port, it moved a flit last
    unsigned usable = 0;   ///< number of usable flits
    unsigned left = 0;     ///< number of flits left of its first message
    unsigned room = 0;     ///< output VC: a usable slot
    unsigned slots = 0;    ///< of a link: number of usable slots
    unsigned held = 0;     ///< by output VC, then by input VC: it holds that one
    unsigned wanted = 0;   ///< by input VC, then by output port: it holds a VC of that one
    unsigned behind_winner =
        0;                   ///< by input port, then by output port: the last to move a flit there is before
    unsigned idle = 0;       ///< injection channel: it may take a message
    unsigned queued = 0;     ///< its queue of messages is not empty
    unsigned due = 0;        ///< it may put its next flit
    unsigned put_head = 0;   ///< which is a head
    unsigned put_more = 0;   ///< more flits are left to put than are counted in `to_put`
    unsigned put_room = 0;   ///< a usable slot
    unsigned put_slots = 0;  ///< number of usable slots
    unsigned to_put = 0;     ///< number of flits left to put
    unsigned events = 0;     ///< of the cycles of the wheel
    std::array<unsigned, kEvents> event{};  ///< from the first word of a cycle's
    unsigned events_of_cycle = 0;           ///< words
    unsigned words = 0;
  };

  /// A head on its way to an input VC.
  struct ComingHead {
    MessageSlot message = 0;
    std::uint8_t flits = 0;   ///< of the message, kMostLeft if it has more
    std::uint8_t router = 0;  ///< of its group
    std::uint8_t vc = 0;      ///< input VC
  };
  static_assert(sizeof(ComingHead) == 8);
  /// Output VCs that a head requests.
  struct Choice {
    std::uint16_t number = 0;  ///< see RouterNumbers::choice
    std::uint8_t group = 0;    ///< link port, or the first ejection port
  };
  /// A head at the front of its input VC for the first time.
  struct Request {
    ComingHead head;
    Choice choice;
    std::uint8_t output = 0;  ///< VC that it has got
  };

  /// The message at the front of an input VC, if it waits for an output VC or holds one beyond a cycle.
  struct Front {
    MessageSlot message = 0;
    std::uint32_t flits = 0;    ///< of the message
    std::uint32_t more = 0;     ///< flits left beyond those counted in the planes
    std::uint32_t first = 0;    ///< place of the first message behind it
    std::uint32_t waiting = 0;  ///< messages behind it
    std::uint16_t choice = 0;   ///< number of what its head requests, while that waits for an output VC
    std::uint8_t group = 0;     ///< likewise
    std::uint8_t output = 0;    ///< VC held
    Cycle since = 0;            ///< first cycle of the present stall, but for a lost switch
  };
  static_assert(sizeof(Front) == 32);

  /// Round-robin pointers of a group of output VCs.
  struct Turn {
    std::uint8_t request = 0;  ///< input VC
    std::uint8_t vc = 0;       ///< output VC
  };
  /// What a router has beside the planes, in one block of memory: this, by port a Turn, by port PortCounts,
  /// by input VC a Front.
  struct RouterHeader {
    std::uint64_t holds = 0;  ///< output VCs that are held
  };
  struct RouterRef {
    std::byte* block;
    const RouterGroups& groups;

    [[nodiscard]] RouterHeader& header() const { return *reinterpret_cast<RouterHeader*>(block); }
    [[nodiscard]] Front& front(unsigned vc) const {
      return *reinterpret_cast<Front*>(block + groups.first_front_ + vc * sizeof(Front));
    }
    [[nodiscard]] PortCounts& counts(unsigned port) const {
      return *reinterpret_cast<PortCounts*>(block + groups.first_counts_ + port * sizeof(PortCounts));
    }
    [[nodiscard]] Turn& turn(unsigned port) const {
      return *reinterpret_cast<Turn*>(block + sizeof(RouterHeader) + port * sizeof(Turn));
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
  /// What happens in a cycle beyond the wheel.
  struct Later {
    std::vector<LaterEvent> events;
    std::vector<std::pair<NodeId, ComingHead>> heads;
  };

  static constexpr unsigned kMostQuads = kMaxVirtualChannels / 4;
  /// A plane of every VC.
  struct Quads {
    Quad quads[kMostQuads];
    [[nodiscard]] Quad& operator[](std::size_t i) { return quads[i]; }
    [[nodiscard]] Quad* data() { return quads; }
    [[nodiscard]] Plane* planes() { return reinterpret_cast<Plane*>(quads); }
  };
  /// Four planes of every input port.
  struct PortQuads {
    Quad quads[kMaxVirtualChannels];
    [[nodiscard]] Quad& operator[](std::size_t i) { return quads[i]; }
  };

  /// A group in memory.
  struct GroupRef {
    Plane* words;
    std::byte* routers;  ///< the blocks of its routers
    Group number;

    [[nodiscard]] Plane* planes(unsigned first) const { return words + first; }
    [[nodiscard]] Quad* quads(unsigned first) const { return reinterpret_cast<Quad*>(words + first); }
    [[nodiscard]] NodeId node(unsigned router) const { return number * kRouters + router; }
  };
  [[nodiscard]] GroupRef at(Group group) const {
    return {&planes_[std::size_t{group} * layout_.words], &routers_[std::size_t{group} * kRouters * stride_],
            group};
  }
  /// By input VC, those that hold an output VC.
  [[nodiscard]] unsigned held(unsigned output) const { return layout_.held + output * vc_words_; }
  /// By output port, those of which input VC `vc` holds one.
  [[nodiscard]] unsigned wanted(unsigned vc) const { return layout_.wanted + vc * port_quads_ * 4; }
  [[nodiscard]] RouterRef router(NodeId node) const { return {routers_.get() + node * stride_, *this}; }
  [[nodiscard]] RouterRef router(GroupRef group, unsigned number) const {
    return {group.routers + number * stride_, *this};
  }
  [[nodiscard]] Front& front(NodeId node, unsigned vc) const { return router(node).front(vc); }
  [[nodiscard]] MessageSlot& waiting_at(NodeId node, unsigned vc, std::uint32_t place) const {
    return waiting_heads_[row(node, vc) * (queue_mask_ + 1) + (place & queue_mask_)];
  }
  /// The heads that are usable in a cycle of the wheel, at their destination or not.
  [[nodiscard]] std::vector<ComingHead>& heads_at(Cycle cycle, Group group, bool arrived) {
    return heads_[(agenda_.slot(cycle) * groups_ + group) * 2 + arrived];
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
    std::vector<ComingHead>* heads = nullptr;  ///< of the first group, see heads_at()
    unsigned events = 0;                       ///< in words from the beginning of a group
    bool near = false;                         ///< less than the wheel ahead
  };
  [[nodiscard]] Then in(Cycle delay);
  void post(const Then& then, Group group, Event event, unsigned number, Plane routers);
  [[gnu::noinline]] void post_later(Cycle cycle, LaterEvent event);
  void add_event(const Then& then, const LaterEvent& event);
  /// Posts an event of the routers at a distance from `routers` of a group.
  void post_at(const std::vector<Offset>& offsets, const Then& then, Group group, Event event,
               unsigned number, Plane routers);

  void step(GroupRef group);
  void take_events(GroupRef group);
  void take_heads(GroupRef group);
  void prefetch_heads(GroupRef group);
  [[nodiscard]] Request* find_requests(GroupRef group, bool arrived, Request* request, Plane& several);
  [[nodiscard]] Choice choice_of(NodeId node, const ComingHead& head, bool arrived) const;
  [[nodiscard]] std::span<Request> request_vcs(GroupRef group, std::span<Request> requests, Plane several);
  void append(GroupRef group, const ComingHead& head);
  void wait(GroupRef group, const Request& request);
  void allocate_vcs(GroupRef group, unsigned number);
  [[nodiscard]] unsigned grant(GroupRef group, unsigned number, unsigned vc, unsigned requested,
                               std::uint64_t free, std::uint32_t counted);
  [[nodiscard]] bool find_candidates(GroupRef group);
  void note_stalls(GroupRef group, unsigned vc, Plane before, Plane no_room);
  void count_lost(GroupRef group);
  void pick_inputs(GroupRef group);
  void arbitrate_input(GroupRef group, std::uint64_t vcs, Plane contested);
  void pick_outputs(GroupRef group);
  void arbitrate_outputs(PortQuads& wins, const Quad* behind, const Quad& contested) const;
  void keep_heads(GroupRef group);
  void traverse(GroupRef group);
  void post_arrivals(GroupRef group);
  void post_credits(GroupRef group);
  void end_ejections(GroupRef group);
  [[nodiscard]] Plane& sent(unsigned output) { return sent_.planes()[output]; }
  void move_end(GroupRef group, unsigned number, unsigned vc);
  void move_granted(GroupRef group, bool arrived);
  void send_head(GroupRef group, unsigned number, MessageSlot message, unsigned output);
  void expect_head(const Then& then, NodeId node, unsigned vc, MessageSlot message);
  void release(GroupRef group, unsigned number, unsigned vc, unsigned output, std::uint32_t flits);
  void take_next(GroupRef group, unsigned number, unsigned vc);
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
  unsigned vc_words_;       ///< of a plane for every VC
  unsigned channel_words_;  ///< of a plane for every injection channel
  unsigned vc_quads_;
  unsigned channel_quads_;
  unsigned port_quads_;
  Layout layout_{};
  Zeroed<Plane> planes_;   ///< group by group
  unsigned first_counts_;  ///< in a router's block, in bytes
  unsigned first_front_;
  std::size_t stride_;  ///< of the blocks
  Zeroed<std::byte> routers_;
  std::uint32_t queue_mask_;                    ///< of a place in the queue of an input VC
  Zeroed<MessageSlot> waiting_heads_;           ///< behind the front of an input VC, by row()
  std::vector<std::vector<ComingHead>> heads_;  ///< see heads_at()
  std::vector<Injecting> injecting_;            ///< by injection channel, node by node
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
  std::map<Cycle, Later> later_;
  // Of the present group, by input VC.
  bool beyond_cache_;  ///< the routers are too many for the cache
  std::vector<Request> requests_;
  /// Requests of this cycle that were granted at once, of heads on their way and of those at their
  /// destination.
  std::array<std::span<Request>, 2> granted_;
  Quads candidates_{};  ///< flits that could move
  Quads before_{};      ///< without room in the last cycle
  Quads picked_{};      ///< candidates that their port picked
  Quads moved_{};
  Quads ends_{};                                     ///< heads and tails that leave
  Quads last_{};                                     ///< the last flits of those counted that leave
  Quads sent_{};                                     ///< by output VC
  std::array<Plane, kMaxVirtualChannels> claims_{};  ///< by group of output VCs: it is requested

  std::uint64_t flit_hops_ = 0;
  std::array<std::uint64_t, kStallCauses> stalls_{};
};

}  // namespace flitscope
