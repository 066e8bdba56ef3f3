// All routers of a network and their network interfaces, stepped together: the engine's core.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/bits.h"
#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/agenda.h"
#include "routers/engine/coming_events.h"
#include "routers/engine/external_links.h"
#include "routers/engine/flit_observer.h"
#include "routers/engine/group_flits.h"
#include "routers/engine/group_layout.h"
#include "routers/engine/group_parts.h"
#include "routers/engine/group_stalls.h"
#include "routers/engine/message_table.h"
#include "routers/engine/neighbours.h"
#include "routers/engine/node_limits.h"
#include "routers/engine/planes.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_numbers.h"
#include "routers/engine/selector.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Counters of an output port.
struct PortCounts {
  std::uint64_t flits = 0;     ///< that left
  std::uint64_t messages = 0;  ///< whose tails have left
  StallCounts stalls{};        ///< of flits that wanted it
  bool operator==(const PortCounts&) const = default;
};

inline constexpr unsigned kMostQuads = kMaxInputVcs / 4;
/// A plane of every VC.
struct Quads {
  Quad quads[kMostQuads];
  [[nodiscard]] Quad& operator[](std::size_t i) { return quads[i]; }
  [[nodiscard]] Quad* data() { return quads; }
  [[nodiscard]] Plane* planes() { return reinterpret_cast<Plane*>(quads); }
  [[nodiscard]] const Plane* planes() const { return reinterpret_cast<const Plane*>(quads); }
};

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

  [[nodiscard]] static Group groups_of(const Topology& topology) {
    return (topology.routers() + kGroupSize - 1) / kGroupSize;
  }
  /// Bytes of the state of a router, about.
  [[nodiscard]] static std::uint64_t bytes_of_router(const Topology& topology, const MachineConfig& machine);
  /// The agenda has a place for each group. `modules`: links to external modules, if there are any.
  [[nodiscard]] static std::unique_ptr<RouterGroups> make(
      const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
      ArrivingMessages& arriving, const RouterObservers& observers, ExternalLinks* modules);
  virtual ~RouterGroups();

  void begin_cycle(Cycle now);
  /// Hands a message to the network interface of `node` in the present cycle, message.ready.
  void send(NodeId node, const NewMessage& message) {
    if (threads_ == nullptr || injection_queue_) return enqueue(node, message);
    defer_send(node, message);
  }
  [[nodiscard]] std::uint32_t queued(NodeId node, std::uint32_t message_class) const;
  /// Nodes of which a queue, full until then, has had room since the last call; by number.
  [[nodiscard]] std::vector<NodeId> take_relieved();
  /// The limited buffers behind ejection channels; nullptr: there is no limit.
  [[nodiscard]] EjectionBuffers* ejection_buffers() { return ejection_buffers_.get(); }
  /// The requests that nodes work on; nullptr: they work on all.
  [[nodiscard]] RequestsInWork* requests() { return requests_.get(); }
  /// Stages 2 to 7 of docs/timing.md. Returns whether there was any work.
  [[nodiscard]] bool step();
  /// Sets how many threads step the groups, at most one for each group, and one if the machine needs
  /// one order (docs/architecture.md). Returns how many do. A cycle after one with `divide_from` flit-hops is
  /// divided among them; by default one after a long cycle, while several threads are faster than one.
  unsigned set_threads(unsigned threads, std::optional<std::uint64_t> divide_from);

  // Of external modules (router_groups_modules.cpp).
  /// Opens a record for a message of `node` that modules put flit by flit.
  [[nodiscard]] MessageSlot open(NodeId node, const NewMessage& message);
  /// A module puts a flit, in the present cycle, begun or not. Returns the cycle in which it is usable.
  /// Throws std::logic_error for a flit that its message does not have, for a second one in a cycle, or one
  /// without credit.
  [[nodiscard]] Cycle take_external_flit(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit,
                                         Cycle now);
  /// A module returns a slot behind an output VC. Returns the first cycle of its use.
  [[nodiscard]] Cycle take_external_credit(NodeId node, unsigned output, Cycle now);

  // Cycles that repeat (router_groups_repeat.cpp).
  /// An access from outside in cycle `now`.
  void disturb(Cycle now) {
    quiet_from_ = now + 1;
    kept_from_.reset();
  }
  /// Called after cycle `now`, without accesses from outside before cycle `until`. Returns the number of
  /// cycles from now + 1 on that need not be run; the caller then calls advance() before any other access.
  [[nodiscard]] Cycle after_cycle(Cycle now, Cycle until);
  /// True if after_cycle() must be called after every cycle, also after those without work.
  [[nodiscard]] bool busy() const { return kept_from_.has_value(); }
  /// Passes `cycles` after the last one run, at most the result of after_cycle(). Returns the cycles that are
  /// counted, whole periods; the rest must be run.
  Cycle advance(Cycle cycles);
  [[nodiscard]] Cycle skipped() const { return skipped_; }

  // Counters, and the flits that wait, as of the last cycle.
  [[nodiscard]] const RouterNumbers& numbers() const { return *this; }
  /// The cycle that began last.
  [[nodiscard]] Cycle now() const { return now_; }
  [[nodiscard]] PortCounts counts(NodeId node, unsigned port) const;
  [[nodiscard]] std::uint64_t flit_hops() const;
  [[nodiscard]] const StallCounts& stalls() const { return stalls_; }
  /// Those of flits of a message class; of a machine without classes all.
  [[nodiscard]] const StallCounts& stalls_of(unsigned message_class) const {
    return stalls_of_class_.empty() ? stalls_ : stalls_of_class_[message_class];
  }
  /// Adds the stalls in progress up to (not including) cycle `now` to the counters; they continue.
  void count_stalls(Cycle now);
  /// The same, and reports them to the StallObserver up to then.
  void settle_stalls(Cycle now);

  /// A flit at the front of an input VC that waits for an output VC or for room behind its own.
  struct Waiting {
    MessageSlot message = 0;
    Cycle since = 0;                   ///< first cycle of its stall, perhaps the next one
    std::optional<unsigned> output{};  ///< VC that it holds
    /// Without one: output VCs that it may take; none at its destination, but with limited ejection buffers
    /// or requests in work.
    VcSet admissible{};
  };
  /// The input VCs of a router with such a flit.
  [[nodiscard]] VcSet waiting(NodeId node) const;
  /// Requires that it is one of these.
  [[nodiscard]] Waiting waiting(NodeId node, unsigned vc) const;
  /// If such a flit waits for a slot behind an ejection VC, or for one that is kept for requests in work: the
  /// input VCs, of injection channels, of which one must move before its node takes a message. None if it
  /// does not wait for that.
  [[nodiscard]] VcSet awaited_replies(NodeId node, unsigned vc, unsigned output) const;
  /// An output VC is held, by an input VC or, an ejection VC, by requests in work.
  [[nodiscard]] bool is_held(NodeId node, unsigned output) const { return router(node).holds().has(output); }
  /// The input VC that holds an output VC.
  [[nodiscard]] std::optional<unsigned> holder(NodeId node, unsigned output) const;
  /// If there is no room for `flits` flits behind an output VC: the input VCs of the receiver of which one
  /// must move first. None if there is, or will be since credits are on their way, or out of the network.
  [[nodiscard]] VcSet blocking_inputs(NodeId node, unsigned output, std::uint32_t flits) const;
  /// The neighbour behind an output VC of a link.
  [[nodiscard]] NodeId receiver(NodeId node, unsigned output) const {
    return receivers_.nodes[link_row(node, port_of_vc(output))];
  }
  /// A grant of a link's VC requires RouterNumbers::required_slots().
  [[nodiscard]] bool needs_packet_space() const { return needs_packet_space_; }

  /// The FIFO of an input VC, and the message at its front.
  struct InputState {
    std::uint32_t flits = 0;           ///< in the FIFO, or on their way there
    MessageSlot message = kNoMessage;  ///< of the first of these, or the one that holds an output VC
    std::uint32_t index = 0;           ///< of the first of these in its message
    std::optional<unsigned> port{};    ///< that the message requests, the first one of ejection; or holds
    bool holds = false;                ///< an output VC
  };
  [[nodiscard]] InputState input_state(NodeId node, unsigned vc) const;
  /// Usable slots behind an output VC of a link. Sets `returning` to the cycles from which those are usable
  /// whose credits are on their way.
  std::uint32_t usable_slots(NodeId node, unsigned output, std::vector<Cycle>& returning) const;
  /// The stall of an input VC's front flit in the complete cycle `now`, if there is one. Known only while
  /// stalls are observed.
  [[nodiscard]] std::optional<FlitStall> stall(NodeId node, unsigned vc, Cycle now) const {
    return observed_stalls_ != nullptr ? observed_stalls_->in_cycle(node, vc, now) : std::nullopt;
  }

 protected:
  RouterGroups(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
               ArrivingMessages& arriving, const RouterObservers& observers, ExternalLinks* modules);

  using Front = RouterBlock::Front;
  /// An injector's message.
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
  /// Messages of all nodes without a record.
  struct WaitingPool {
    WaitingMessages messages;
    std::mutex lock;  ///< see lock_messages()
  };
  /// What a thread leaves to others in a cycle.
  struct Outbox {
    std::span<const Group> firsts;                 ///< of the groups of every thread, and the end
    std::vector<std::vector<LaterEvent>> threads;  ///< for the groups of every thread
    std::vector<LaterEvent> later;                 ///< beyond the wheel
    std::vector<MessageSlot> arriving;             ///< whose tails leave their routers in this cycle
    std::vector<MessageSlot> free;                 ///< for records
    [[nodiscard]] std::vector<LaterEvent>& of(Group group);
  };
  class Threads;

  /// A group in memory, of a size that goes into registers.
  struct GroupRef {
    Plane* words;
    Group number;

    [[nodiscard]] Plane* planes(unsigned first) const { return words + first; }
    [[nodiscard]] Quad* quads(unsigned first) const { return reinterpret_cast<Quad*>(words + first); }
    [[nodiscard]] NodeId node(unsigned router) const { return number * kGroupSize + router; }
  };
  [[nodiscard]] GroupRef at(Group group) const {
    return {&planes_[std::size_t{group} * numbers_.words], group};
  }
  [[nodiscard]] RouterBlock router(NodeId node) const {
    return {routers_.get() + std::size_t{node} * block_.bytes, block_, block_.words};
  }
  [[nodiscard]] RouterBlock router(GroupRef group, unsigned number) const {
    return router(group.node(number));
  }
  [[nodiscard]] Front& front(NodeId node, unsigned vc) const { return router(node).front(vc); }
  /// Number of an injector among those of all routers.
  [[nodiscard]] std::size_t injector_row(NodeId node, unsigned injector) const {
    return std::size_t{node} * shape().injectors() + injector;
  }
  [[nodiscard]] MessageSlot& waiting_at(NodeId node, unsigned vc, std::uint32_t place) const {
    return waiting_heads_[row(node, vc) * (queue_mask_ + 1) + (place & queue_mask_)];
  }
  /// The heads that are usable in a cycle of the wheel, at their destination or not.
  [[nodiscard]] HeadList& heads_at(Cycle cycle, Group group, bool arrived) {
    return const_cast<HeadList&>(std::as_const(*this).heads_at(cycle, group, arrived));
  }
  [[nodiscard]] const HeadList& heads_at(Cycle cycle, Group group, bool arrived) const {
    return heads_[(agenda_.slot(cycle) * groups_ + group) * 2 + arrived];
  }
  [[nodiscard]] static Group group_of(NodeId node) { return node / kGroupSize; }
  [[nodiscard]] static Plane plane_of(NodeId node) { return Plane{1} << node % kGroupSize; }
  [[nodiscard]] unsigned queue_of(unsigned injector) const {
    return all_port_ ? injector : injector % shape().queues;
  }
  /// Calls visit(injector) for those that take messages of a queue: at the channels of its network.
  template <typename Visit>
  void for_each_taker(unsigned queue, Visit visit) const {
    if (all_port_) return visit(queue);
    const NetworkPorts& own = network_ports(queue);
    for (unsigned channel = own.first_channel; channel < own.end_channel; ++channel)
      visit(channel * shape().queues + queue);
  }
  [[nodiscard]] const RoutingFunction& routing_of_network(unsigned network) const {
    return network == 0 ? *routing_ : *more_routing_[network - 1];
  }
  [[nodiscard]] const RoutingFunction& routing_of_class(unsigned message_class) const {
    return routing_of_network(network_ports(message_class).network);
  }
  /// The queues that a message class has at an injection channel and at those behind it: this number of
  /// every `shape().queues`.
  [[nodiscard]] unsigned queue_of_class(std::uint32_t message_class) const {
    return shape().queues == 1 ? 0 : message_class;
  }
  [[nodiscard]] Queue& queue(NodeId node, unsigned number) {
    return queues_[std::size_t{node} * queues_of_node_ + number];
  }
  [[nodiscard]] const Queue& queue(NodeId node, unsigned number) const {
    return queues_[std::size_t{node} * queues_of_node_ + number];
  }

  void fill_planes(std::optional<std::uint32_t> ejection_buffer);
  void connect(const Topology& topology, const MachineConfig& machine);
  void find_offsets(Neighbours& neighbours, bool receive, Cycle delay) const;

  [[nodiscard]] ComingCycle in(Cycle delay);
  /// Where the planes of the present cycle's events begin in a group.
  [[nodiscard]] unsigned events_now() const {
    return numbers_.events + static_cast<unsigned>(agenda_.slot(now_)) * numbers_.events_of_cycle;
  }
  [[gnu::always_inline]] void post(const ComingCycle& then, Group group, Event event, unsigned number,
                                   Plane routers) {
    if (!then.reaches(group)) return post_elsewhere(then.cycle, group, event, number, routers);
    add_event(then, group, event, number, routers);
    then.agenda.wake(group);
  }
  /// The same in a group of the thread.
  [[gnu::always_inline]] void post(const ComingCycle& then, const GroupRef& group, Event event,
                                   unsigned number, Plane routers) {
    if (then.groups == 0) return post_elsewhere(then.cycle, group.number, event, number, routers);
    add_event(then, group.number, event, number, routers);
    then.agenda.wake(group.number);
  }
  [[gnu::noinline]] void post_elsewhere(const LaterEvent& event);
  /// The same, without the event's making in the stages that post it.
  [[gnu::noinline]] void post_elsewhere(Cycle cycle, Group group, Event event, unsigned number,
                                        Plane routers) {
    post_elsewhere({.cycle = cycle, .group = group, .event = event, .number = number, .routers = routers});
  }
  /// Posts one of a cycle of the wheel in a group of the thread.
  void post_later(const LaterEvent& event);
  /// Calls visit(router, number) for the events of a kind by VC in this cycle, and removes them.
  template <typename Visit>
  void for_each_event(GroupRef group, Event event, Visit visit);
  void hold_granted(GroupRef group);
  void free_vcs(GroupRef group);
  void find_coming_cycles();
  [[gnu::always_inline]] void add_event(const ComingCycle& then, Group group, Event event, unsigned number,
                                        Plane routers) {
    Plane* const events = at(group).words + then.events;
    events[numbers_.of(event) + number] |= routers;
  }
  /// Calls visit(cycle) for the events of a router in the cycles from `from` to before `end`; if it says
  /// whether it goes on, until it does not.
  template <typename Visit>
  void for_each_coming(NodeId node, Event event, unsigned number, Cycle from, Cycle end, Visit visit) const;
  /// The same for all after the present cycle.
  template <typename Visit>
  void for_each_coming(NodeId node, Event event, unsigned number, Visit visit) const {
    for_each_coming(node, event, number, now_ + 1, kNever, visit);
  }
  /// Slots behind an output VC of a link that are usable, or will be since their credits are on their way.
  [[nodiscard]] std::uint32_t free_slots(NodeId node, unsigned output) const;

  [[gnu::noinline]] void note_relief(NodeId node, unsigned injector);
  /// Opens the first of the messages without a record in a queue.
  [[nodiscard]] MessageSlot open_next(NodeId node, Queue& queue);
  void enqueue(NodeId node, const NewMessage& message);
  void defer_send(NodeId node, const NewMessage& message);
  [[gnu::always_inline]] void note_arriving(MessageSlot message, Cycle cycle) {
    if (outbox_ != nullptr) return defer_arriving(message);
    arriving_.add(message, cycle, now_);
  }
  [[gnu::noinline]] void defer_arriving(MessageSlot message) { outbox_->arriving.push_back(message); }

  // Of the groups of a thread (router_groups_threads.cpp).
  RouterGroups(const RouterGroups&) = default;
  /// The same groups for another thread.
  [[nodiscard]] virtual std::unique_ptr<RouterGroups> share() const = 0;
  virtual void step(GroupRef group) = 0;
  [[nodiscard]] bool can_divide() const {
    return parts_ == nullptr && ejection_buffers_ == nullptr && queue_history_ == nullptr &&
           modules_ == nullptr;
  }
  [[nodiscard]] MessageSlot take_slot();
  /// Messages without a record and free records are of one thread at a time.
  [[nodiscard]] std::unique_lock<std::mutex> lock_messages() const {
    return outbox_ != nullptr ? std::unique_lock(waiting_->lock) : std::unique_lock<std::mutex>();
  }

  void count_stall(GroupRef group, NodeId node, unsigned vc, StallCause cause, Cycle cycles);
  void count_stall(NodeId node, unsigned port, MessageRecord& message, bool head, StallCause cause,
                   Cycle cycles);
  void count_losses(GroupRef group, unsigned router, unsigned vc);
  void count_stall_since(GroupRef group, NodeId node, unsigned vc, Cycle end);

  // Output ports that are busy (router_groups_intervals.cpp).
  void free_ports(GroupRef group);
  void take_links(GroupRef group);
  /// A port is within its interval, or its queue has no room.
  [[nodiscard]] bool is_busy(GroupRef group, unsigned number, unsigned port) const;
  /// Groups whose flits wait for busy links are not visited.
  [[nodiscard]] bool has_queues() const { return parts_ && parts_->has_queues(); }
  [[nodiscard]] bool can_sleep() const { return has_busy_ports_ && !parts_ && !shape().priorities; }
  /// Calls visit(node, vc) for the flits at the front of an input VC with an output VC and room.
  template <typename Visit>
  void for_each_with_room(GroupRef group, Visit visit) const;
  void sleep(GroupRef group);
  void wake_up(GroupRef group);
  void count_sleep(GroupRef group, Cycle end);
  void observe_sleep(GroupRef group);
  void end_observed_sleep(GroupRef group, Cycle end);

  /// The port of a group of output VCs, as stalls name it: of all ejection channels the first.
  [[nodiscard]] unsigned port_of_group(unsigned group) const { return std::min(group, link_ports()); }
  [[nodiscard]] StallCause cause_without_vc(NodeId node, unsigned vc) const {
    if (head_waits_ != nullptr) return head_waits_[row(node, vc)].cause;
    return front(node, vc).group >= link_ports() ? StallCause::ejection_busy : StallCause::vc_taken;
  }
  [[nodiscard]] StallCause cause_without_room(NodeId node, const Front& front) const;

  // For limited network interfaces only (router_groups_nodes.cpp).
  [[gnu::noinline]] bool read_ejection_buffers();
  void change_causes(NodeId node);
  void buffer_message(NodeId node, unsigned output, MessageSlot message);
  void note_full_buffer(NodeId node, unsigned vc);
  void note_full_buffers();
  [[nodiscard]] VcSet full_ejection_vcs(NodeId node, unsigned vc) const;
  void wait_for_ejection_slot(GroupRef group, NodeId node, unsigned vc, unsigned output);
  void note_wait_for_ejection_slot(NodeId node, unsigned vc, unsigned output, Cycle now);
  [[nodiscard]] VcSet awaited_answers(NodeId node, unsigned ejection_vc) const;
  [[nodiscard]] VcSet inputs_before(NodeId node, std::uint64_t message, unsigned queue) const;
  [[nodiscard]] VcSet inputs_before_room(NodeId node, std::uint32_t message_class) const;
  [[nodiscard]] std::optional<unsigned> full_injection_vc(NodeId node, unsigned injector) const;
  [[nodiscard]] std::optional<std::uint64_t> under_way(NodeId node, std::uint32_t message_class) const;
  [[gnu::noinline]] void end_request(GroupRef group, unsigned number, unsigned injector);
  [[nodiscard]] std::size_t ejection_row(NodeId node, unsigned output) const {
    return std::size_t{node} * shape().injection_vcs() + output - first_injection_vc();
  }

  // Of message classes of several priorities (router_groups_priorities.cpp).
  void sort_by_priority(const Topology& topology, const MachineConfig& machine);
  [[nodiscard]] std::uint8_t priority_of(unsigned vc) const;
  [[nodiscard]] VcSet of_highest_priority(const VcSet& vcs) const;
  [[nodiscard]] std::span<const VcSet> find_priorities(GroupRef group, unsigned number);
  void keep_highest_priority(unsigned channel, Plane* puts) const;
  template <typename Visit>
  void for_each_rank(GroupRef group, Visit visit) const;
  void keep_highest_of_ports(GroupRef group, const Plane* candidates, Plane* kept) const;
  void keep_highest_requests(GroupRef group, unsigned quad, const Plane* picked, Quad* requests) const;
  void count_losses_for_rank(GroupRef group, unsigned quad, const Quad& lost);
  void count_loss_for_rank(GroupRef group, unsigned number, unsigned vc);
  void forget_losses(GroupRef group);

  // Of memories whose reads take time, by injector (router_groups_nodes.cpp).
  [[nodiscard]] Plane puts_several(GroupRef group, unsigned number) const;
  [[nodiscard]] Plane needs_read(GroupRef group, unsigned number) const;
  [[nodiscard]] Plane same_bank(GroupRef group, unsigned number, unsigned other, Plane routers) const;
  void note_writes(GroupRef group);
  void read_flits(GroupRef group, Plane* could_put);
  template <typename Visit>
  void for_each_paced(GroupRef group, Plane* puts, Visit visit);
  void keep_pace(GroupRef group, Plane* could_put);
  void take_reads(GroupRef group, Plane* puts);

  // Heads whose requests are weighed in every cycle (router_groups_requests.cpp).
  /// Cause and channel of the wait of a head without an output VC.
  struct HeadWait {
    StallCause cause{};
    std::uint8_t port = 0;
    Cycle since = 0;  ///< with this cause and channel
  };
  [[nodiscard]] std::uint32_t usable_slots(GroupRef group, unsigned router, unsigned output) const;
  /// Those that count for a grant that requires so many: fewer, if nothing may be sent.
  [[nodiscard]] std::uint32_t slots_for_grant(GroupRef group, unsigned number, unsigned output,
                                              std::uint32_t required) const;
  /// Those of `outputs` that have the required slots for the head at the front of an input VC.
  [[nodiscard]] VcSet with_required_slots(GroupRef group, unsigned router, unsigned vc,
                                          const VcSet& outputs) const;
  [[nodiscard]] bool requires_room_by_head() const;
  /// Each head without an output VC requests one of its candidates; `free` output VCs could be granted.
  /// Returns those with an open candidate: if they get no VC, they try again in the next cycle.
  [[nodiscard]] VcSet select_candidates(GroupRef group, unsigned router, const VcSet& free);
  [[nodiscard]] Offer offer(GroupRef group, unsigned router, unsigned vc, Candidate candidate,
                            const VcSet& free) const;
  [[nodiscard]] std::uint64_t queued_flits(GroupRef group, unsigned router, unsigned port) const;
  class Queues;
  [[gnu::noinline]] void note_queues(GroupRef group);
  void wait_on(GroupRef group, unsigned number, bool hopeful, bool granted);
  /// The head at the front of an input VC gets no output VC in this cycle: others have them, or they lack
  /// slots.
  void fail_request(GroupRef group, NodeId node, unsigned vc, const VcSet& taken, const VcSet& without_slots);
  /// It waits from now on because of this.
  void wait_because(GroupRef group, NodeId node, unsigned vc, StallCause cause);
  /// The slot for which the head at the front of an input VC waits, without an output VC, behind one of them.
  [[nodiscard]] GroupStalls::MissingSlot missing_slot(NodeId node, unsigned vc, unsigned output) const;
  /// Output VCs of all candidates of a waiting head, free or held.
  [[nodiscard]] VcSet admissible(NodeId node, unsigned vc) const;

  // Of external modules.
  /// That feeds an input VC.
  [[nodiscard]] const ExternalSender* external_sender(NodeId node, unsigned vc) const {
    return modules_ != nullptr ? modules_->sender(node, port_of_vc(vc)) : nullptr;
  }
  [[gnu::noinline]] void put_into_modules(GroupRef group);
  [[gnu::noinline]] void credit_modules(GroupRef group);

  // Of machines with parts (router_groups_parts.cpp).
  [[gnu::noinline]] void begin_parts(GroupRef group);
  void take_early_credits(GroupRef group);
  void take_signals(GroupRef group);
  [[gnu::noinline]] void limit_room(GroupRef group);
  void note_sent_flits(GroupRef group);
  [[nodiscard]] bool will_go(NodeId node, unsigned output) const;
  void post_queued_arrivals(GroupRef group);
  void enter_queues(GroupRef group, unsigned number, const VcSet& moved);
  void leave_queues(GroupRef group);
  void count_queued(const GroupParts::QueuedFlit& flit, Cycle end);
  void report_queued(GroupParts::QueuedFlit& flit, Cycle end);
  template <typename Visit>
  void for_each_queued(Group first, Group end, Visit visit) const;
  [[nodiscard, gnu::noinline]] bool allocate_switch_by_parts(GroupRef group);
  template <typename Vcs>
  [[nodiscard]] bool allocate_switch(GroupRef group);
  /// The head at the front of an input VC requests an output VC after so many cycles.
  [[gnu::noinline]] void request_after(GroupRef group, unsigned number, unsigned vc, Cycle delay);
  [[nodiscard, gnu::noinline]] Plane take_askers(GroupRef group);
  /// Whether the message at the front of an input VC has not requested an output VC yet.
  [[nodiscard]] bool is_routed(NodeId node, unsigned vc) const {
    return parts_ && parts_->routers[node].routing.has(vc);
  }
  [[gnu::noinline]] void allocate_vcs_by_parts(GroupRef group, unsigned number);
  // Vcs: VcSet of a router that is wide (RouterShape::is_wide), VcSetOf<1> of another.
  template <typename Vcs>
  [[nodiscard]] RouterBlock router_of(NodeId node) const;
  template <typename Vcs>
  void allocate_vcs(GroupRef group, unsigned number);
  template <typename Vcs>
  void grant_by_parts(GroupRef group, unsigned number, unsigned vc, unsigned output);
  template <typename Vcs>
  void refuse_by_parts(GroupRef group, unsigned number, const VcRequest<Vcs>& request);
  template <typename Vcs>
  [[nodiscard]] Vcs first_choice(unsigned number) const;
  template <typename Vcs>
  [[nodiscard]] Vcs eligible(GroupRef group, unsigned number) const;
  [[nodiscard]] bool has_slot(GroupRef group, unsigned number, unsigned output) const;
  template <typename Vcs>
  void find_ranks(NodeId node, const Vcs& vcs, std::span<std::uint8_t> ranks) const;
  template <typename Vcs>
  [[nodiscard]] SwitchGrants<Vcs> match_switch(GroupRef group, unsigned number, SwitchRequests<Vcs> requests);
  template <typename Vcs>
  void hold_fresh(GroupRef group, unsigned number);
  void find_arriving(GroupRef group);
  template <typename Vcs>
  [[nodiscard]] SwitchGrants<Vcs> allocate_late(GroupRef group, unsigned number, SwitchRequests<Vcs> requests,
                                                std::span<std::uint8_t> ports);
  template <typename Vcs>
  void grant_to_winner(GroupRef group, unsigned number, unsigned vc, unsigned port);
  template <typename Vcs>
  [[nodiscard]] Vcs take_bypass(GroupRef group, unsigned number, const SwitchRequests<Vcs>& fast,
                                const Vcs& slow, const Vcs& taken_outputs);
  template <typename Vcs>
  void note_losing_head(NodeId node, unsigned vc, unsigned requested, const SwitchGrants<Vcs>& grants);
  void use_coming_credit(GroupRef group, unsigned number, unsigned output);
  void post_early_credits(GroupRef group);

  /// Number of the delay of a link.
  [[nodiscard]] unsigned delay_of(NodeId node, unsigned port) const {
    return delay_of_ == nullptr ? 0 : delay_of_[link_row(node, port)];
  }
  [[nodiscard]] bool is_active(GroupRef group, NodeId node, unsigned vc) const {
    return (group.planes(layout_.active)[vc] & plane_of(node)) != 0;
  }
  /// An input VC takes part in switch allocation with an output VC.
  [[gnu::always_inline]] void hold(GroupRef group, unsigned number, unsigned vc, unsigned output,
                                   const GroupLayout& layout) const {
    const VcInfo& info = vc_info(output);
    group.planes(layout.active)[vc] |= Plane{1} << number;
    sliced::set_one(group.planes(layout.output_port) + vc, layout.shape.port_bits(), layout.vc_words, number,
                    info.port);
    sliced::set_one(group.planes(layout.output_vc) + vc, layout.shape.vc_bits(), layout.vc_words, number,
                    info.number);
  }
  /// The output VC that an active input VC holds.
  [[gnu::always_inline]] [[nodiscard]] unsigned held_output(GroupRef group, unsigned number, unsigned vc,
                                                            const GroupLayout& layout) const {
    const auto of = [&](unsigned first, unsigned bits) {
      return sliced::of(group.planes(first) + vc, bits, layout.vc_words, number);
    };
    return first_vc(of(layout.output_port, layout.shape.port_bits())) +
           of(layout.output_vc, layout.shape.vc_bits());
  }
  /// Flits that have not left an active input VC, of the message at its front.
  [[nodiscard]] std::uint32_t flits_left(GroupRef group, NodeId node, unsigned vc) const;

  [[nodiscard]] bool has_steady_groups(Cycle horizon) const;
  /// Subtracts the flits of the cycles of a steady group that have passed from those left.
  [[gnu::always_inline]] inline void settle(GroupRef group, const GroupLayout& layout) const;
  void settle(GroupRef group) const {
    if (steady_ != nullptr) settle(group, layout_);
  }
  [[nodiscard]] bool can_repeat() const;
  void keep(Cycle now);
  [[nodiscard]] bool repeats() const;
  template <typename Visit>
  void for_each_decrease(Visit visit) const;
  [[nodiscard]] Cycle periods_left() const;

  /// Observers learn that the message at the front of an input VC is granted an output VC.
  [[gnu::noinline]] void note_granted(NodeId node, unsigned vc, unsigned output, MessageSlot message);

  // For observed flits only.
  [[gnu::noinline]] void note_routed(NodeId node, unsigned vc, unsigned group, MessageSlot message);
  /// The flits of a group that leave input VCs, and have not left; those that wait in output queues come
  /// later.
  [[gnu::noinline]] void note_moves(GroupRef group);
  /// An injector has put flits.
  [[gnu::noinline]] void note_puts(GroupRef group, unsigned injector, Plane put);

  // For observed stalls only.
  void begin_stall(GroupRef group, unsigned number, unsigned vc, const Front& front,
                   const GroupStalls::Reason& reason, Cycle from, Cycle end);
  void begin_stall(NodeId node, unsigned vc, const GroupStalls::Reason& reason, Cycle from,
                   Cycle end = kNever) {
    begin_stall(at(group_of(node)), node % kGroupSize, vc, front(node, vc), reason, from, end);
  }
  [[gnu::noinline]] void note_wait_for_vc(NodeId node, unsigned vc, Cycle now);
  void note_wait_for_vc(NodeId node, unsigned vc, const VcSet& taken, Cycle now);
  void note_wait_for_room(GroupStalls::MissingSlot slot, Cycle now);
  /// Reports what happened in the present cycle, after the steps of all groups.
  [[gnu::noinline]] void report();
  void settle_observed(NodeId node, const VcSet& waiting, Cycle now);
  [[nodiscard]] std::optional<std::uint64_t> occupant(const GroupStalls::MissingSlot& slot, Cycle now) const;
  [[nodiscard]] std::uint32_t coming_credits(NodeId node, unsigned output, Cycle from, Cycle end,
                                             std::uint32_t most = kMaxFlits) const;
  /// Whether the sender gets a slot behind an output VC in a coming cycle.
  [[nodiscard]] bool gets_credit(NodeId node, unsigned output, Cycle cycle) const {
    return coming_credits(node, output, cycle, cycle + 1) != 0;
  }
  /// Heads on their way to an input VC, in order.
  [[nodiscard]] std::vector<MessageSlot> coming_heads(NodeId node, unsigned vc) const;
  /// The message of the first flit in an input VC without a message at its front.
  [[nodiscard]] MessageSlot coming_message(NodeId node, unsigned vc) const;
  void note_busy_port(NodeId node, unsigned vc);
  /// A flit lost the switch since a port is busy.
  [[nodiscard]] GroupStalls::Reason busy_port(NodeId node, unsigned port) const;

  MessageTable& messages_;
  Agenda& agenda_;
  ArrivingMessages& arriving_;
  std::shared_ptr<const RoutingFunction> routing_;
  /// Of the other networks, from number 1 on.
  std::vector<std::shared_ptr<const RoutingFunction>> more_routing_;
  bool all_port_;
  Cycle router_delay_;
  Cycle link_delay_;
  Cycle credit_delay_;
  Cycle vc_delay_;
  Cycle vc_reallocation_delay_;
  bool needs_packet_space_;
  bool store_and_forward_;
  Cycle startup_;
  std::uint32_t injection_interval_;
  std::uint32_t ejection_interval_;
  bool delays_heads_;  ///< of input VCs, for vc_delay_ or RouterParts::routing_delay
  bool waits_to_put_;

  bool has_busy_ports_;
  Group groups_;
  unsigned left_bits_ = 1;  ///< of a number of flits left, of all messages so far
  unsigned queues_of_node_;
  GroupLayout layout_;
  NumberLayout numbers_;
  SharedArray<Plane> planes_;  ///< group by group
  RouterBlock::Layout block_;
  SharedArray<std::byte> routers_;
  std::uint32_t queue_mask_;                ///< of a place in the queue of an input VC
  SharedArray<MessageSlot> waiting_heads_;  ///< behind the front of an input VC, by row()
  SharedArray<HeadList> heads_;             ///< see heads_at()
  HeadMemory head_memory_;
  SharedArray<Injecting> injecting_;  ///< by injector, node by node
  SharedArray<Queue> queues_;
  std::shared_ptr<WaitingPool> waiting_;
  Neighbours receivers_;
  Neighbours senders_;
  std::vector<Cycle> delays_;  ///< that links have, by number
  SharedArray<std::uint16_t>
      delay_of_;  ///< number of a link's, by link port, node by node; nullptr: all are 0
  SharedArray<LinkInterval> intervals_;  ///< and output queues, by port_row(); nullptr: no port is ever busy
  SharedArray<Cycle> asleep_from_;       ///< by group: waits are counted up to then; kNever: it is awake
  ExternalLinks* modules_;               ///< nullptr: there are none

  /// A stall behind a full ejection buffer.
  struct FullBuffer {
    Cycle since = 0;  ///< from which on it has the cause
    StallCause cause = StallCause::sink_full;
    std::optional<std::uint64_t> culprit{};  ///< if stalls are observed
  };
  std::shared_ptr<EjectionBuffers> ejection_buffers_;  ///< if they are limited
  std::shared_ptr<RequestsInWork> requests_;           ///< if they are limited
  std::vector<FullBuffer> full_buffers_;               ///< by ejection_row()
  SharedArray<Cycle> read_at_;                         ///< by injector, node by node, where banks count
  std::array<Plane, kMaxBanks> written_{};             ///< banks that a flit is written to in this cycle
  Cycle bank_hold_ = 0;                                ///< a flit keeps its bank at most so long
  SharedArray<LinkInterval> reads_;                    ///< by injector, node by node, where they take time
  std::vector<VcSet> input_vcs_of_priority_;           ///< from the highest on; empty: all are equal
  std::vector<VcSet> priorities_;                      ///< in find_priorities()
  std::uint32_t starvation_limit_;
  SharedArray<std::uint32_t> losses_;             ///< of the switch since a flit left an input VC, by row()
  std::optional<std::uint32_t> injection_queue_;  ///< messages that it can hold
  std::vector<NodeId> relieved_;                  ///< see take_relieved()

  Cycle now_ = 0;
  std::vector<ComingCycle> after_hop_;  ///< a flit that leaves by a link now is usable; by number of a delay
  std::vector<ComingCycle> after_credit_;  ///< the sender can use the slot that is freed now; likewise
  ComingCycle after_put_;                  ///< a flit that is put now is usable
  ComingCycle after_slot_;                 ///< a network interface can use the slot that is freed now
  ComingCycle after_grant_;           ///< an output VC that is granted now takes part in switch allocation
  ComingCycle after_release_;         ///< a VC of a link whose tail leaves now can be granted
  SharedArray<HeadWait> head_waits_;  ///< by row(); nullptr: requests of heads do not change
  std::optional<Selector> selector_;  ///< if heads can have several candidates
  std::vector<Candidate> head_candidates_;       ///< of the present head
  std::vector<Offer> offers_;                    ///< likewise
  std::shared_ptr<QueueHistory> queue_history_;  ///< if routers read queues of others
  Cycle settled_ = 0;                            ///< stalls are counted up to this cycle
  std::map<Cycle, std::vector<LaterEvent>> later_;
  bool beyond_cache_;                             ///< the routers are too many for the cache
  std::shared_ptr<GroupParts> parts_;             ///< if the machine has any
  std::shared_ptr<GroupStalls> observed_stalls_;  ///< if they are observed
  std::shared_ptr<GroupFlits> observed_flits_;    ///< likewise
  std::uint64_t flit_hops_ = 0;

  // Of the present group, by input VC.
  Quads candidates_{};  ///< flits that could move
  Quads picked_{};      ///< candidates that their port picked
  Quads moved_{};
  Quads sent_{};                                        ///< by output VC
  Quads credits_{};                                     ///< output VCs that get a slot
  std::vector<GroupStalls::MissingSlot> without_room_;  ///< from this cycle on, with limited ejection buffers
  // Of all groups in this cycle.
  bool works_ = false;
  /// Observed stalls of flits without room, whose culprits are known at its end.
  std::vector<GroupStalls::MissingSlot> missing_slots_;

  // Of the groups of a thread.
  Agenda* marks_ = &agenda_;    ///< those that it wakes
  Outbox* outbox_ = nullptr;    ///< if there are others
  Group first_ = 0;             ///< the first group
  Group own_groups_ = groups_;  ///< and their number

  std::shared_ptr<Threads> threads_;                  ///< if there are several
  std::vector<std::pair<NodeId, NewMessage>> sends_;  ///< in this cycle, which they enqueue

  SharedArray<SteadyGroup> steady_;   ///< by group; nullptr: each of their cycles is run
  bool changed_ = false;              ///< more than body flits has moved since the last after_cycle()
  Cycle quiet_from_ = 0;              ///< from then on, nothing else has
  std::optional<Cycle> kept_from_{};  ///< cycle of the planes that are kept
  std::vector<Plane> kept_;
  std::uint64_t kept_hops_ = 0;    ///< flit_hops_ then
  Cycle turns_ = 1;                ///< of the wheel, until others are kept
  Cycle period_ = 0;               ///< of the repetition that after_cycle() has found
  std::uint64_t planes_read_ = 0;  ///< by attempts without gain
  Cycle skipped_ = 0;

  StallCounts stalls_{};
  std::vector<StallCounts> stalls_of_class_;  ///< empty if there is only one
  SharedArray<StallCounts> stalls_of_ports_;  ///< by node and output port
};

template <typename Visit>
void RouterGroups::for_each_event(GroupRef group, Event event, Visit visit) {
  Quad* const events = group.quads(events_now() + numbers_.of(event));
  for_each_plane(events, layout_.vc_words, [&](unsigned number, Plane routers) {
    for_each_bit(routers, [&](unsigned router) { visit(router, number); });
  });
  std::fill_n(events, shape().vc_quads(), Quad{});
}

template <typename Visit>
void RouterGroups::for_each_coming(NodeId node, Event event, unsigned number, Cycle from, Cycle end,
                                   Visit visit) const {
  const auto goes_on = [&](Cycle cycle) {
    if constexpr (std::is_same_v<decltype(visit(cycle)), bool>) {
      return visit(cycle);
    } else {
      visit(cycle);
      return true;
    }
  };
  const GroupRef group = at(group_of(node));
  const unsigned word = numbers_.of(event) + number;
  for (Cycle cycle = from; cycle < std::min(end, now_ + agenda_.wheel()); ++cycle) {
    const auto slot = static_cast<unsigned>(agenda_.slot(cycle));
    if (!agenda_.is_awake(group.number, slot)) continue;  // has no events
    const Plane* const events = group.planes(numbers_.events + slot * numbers_.events_of_cycle);
    if ((events[word] & plane_of(node)) != 0 && !goes_on(cycle)) return;
  }
  for (auto later = later_.lower_bound(from); later != later_.end() && later->first < end; ++later) {
    for (const LaterEvent& each : later->second) {
      const bool same = each.group == group.number && each.event == event && each.number == number;
      if (same && (each.routers & plane_of(node)) != 0 && !goes_on(later->first)) return;
    }
  }
}

void RouterGroups::settle(GroupRef group, const GroupLayout& layout) const {
  SteadyGroup& steady = steady_[group.number];
  const std::uint32_t passed = std::exchange(steady.passed, 0);
  if (passed == 0) return;
  steady.cycles -= passed;
  const auto decrease = [&](unsigned left, unsigned quads, unsigned moved) {
    for (unsigned i = 0; i < quads; ++i)
      sliced::subtract(group.quads(left) + i, left_bits_, quads, group.quads(moved)[i], passed);
  };
  decrease(layout.left, layout.shape.vc_quads(), layout.moved);
  decrease(layout.to_put, layout.shape.injector_quads(), layout.put);
}

/// Calls visit(flit) for the flits in output queues of some groups.
template <typename Visit>
void RouterGroups::for_each_queued(Group first, Group end, Visit visit) const {
  for (Group group = first; has_queues() && group < end; ++group) {
    for (auto& [leaves, flits] : parts_->groups[group].queued) {
      for (GroupParts::QueuedFlit& flit : flits) visit(flit);
    }
  }
}

}  // namespace flitscope
