// The reference model: docs/timing.md written down as plainly as possible. Slow: it looks at every router in
// every cycle. The engine is tested against it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/flit_observer.h"
#include "routers/routing/routing.h"
#include "sim/network/transport.h"
#include "tests/reference/brute_force_deadlock.h"

namespace flitscope::reference {

/// A flit leaves a router.
struct Traversal {
  Cycle cycle = 0;
  NodeId node = 0;
  /// A link port, or 2d+e for ejection channel e.
  unsigned output_port = 0;
  /// VC of the link; 0 on an ejection channel.
  unsigned vc = 0;
  std::uint64_t message = 0;
  std::uint32_t flit = 0;  ///< 0 is the head
  bool operator==(const Traversal&) const = default;
};

/// A network interface puts a flit into its router.
struct Injection {
  Cycle cycle = 0;
  NodeId node = 0;
  unsigned channel = 0;  ///< injection channel
  std::uint64_t message = 0;
  std::uint32_t flit = 0;
  bool operator==(const Injection&) const = default;
};

enum class Ending : std::uint8_t {
  completed,  ///< the driver is finished and every message is delivered
  stuck,      ///< nothing can ever happen again, but messages remain or the driver is not finished
  limit,      ///< the limit of cycles came first
};

struct Outcome {
  Ending ending = Ending::completed;
  Cycle cycles = 0;               ///< cycle of the last delivery
  std::uint64_t flits_moved = 0;  ///< traversals of links and of ejection channels
  /// Flit-cycles stalled, by cause, of all flits.
  StallCounts stalls{};
  std::uint64_t messages_injected = 0;  ///< messages whose head was put into a router
  std::uint64_t messages_delivered = 0;
};

/// A network that runs one driver once: either `run`, or `begin` and then `step` by step.
class ReferenceNetwork final : public Transport {
 public:
  /// Throws std::invalid_argument for a routing function that it does not know.
  ReferenceNetwork(const Topology& topology, const MachineConfig& machine);

  /// Runs until everything is delivered and the driver is finished, or nothing can ever happen again, or
  /// cycles 0 to limit-1 are over.
  Outcome run(Driver& driver, Cycle limit);

  /// Lets the driver send its first messages, in cycle 0. The driver must outlive the network's use.
  void begin(Driver& driver);
  /// Goes through the seven stages of cycle now(), which is one more afterwards.
  void step();
  [[nodiscard]] Cycle now() const { return now_; }
  /// The driver is finished and nothing is left in the network.
  [[nodiscard]] bool completed() const;
  /// Not completed, nothing happened in the last cycle, and no delay, startup, interval or event of the
  /// driver is pending.
  [[nodiscard]] bool stuck() const;
  /// The outcome so far; `ending` is limit unless completed or stuck.
  [[nodiscard]] Outcome outcome() const;

  /// Every input VC whose front flit was usable in the last cycle and did not leave, and what it waits for in
  /// the state after that cycle; in order of node and number.
  ///   - a flit with an output VC: the input VC at the neighbour, if it is full;
  ///   - a head without output VC, for every admissible VC of all its candidates: the input VC of this router
  ///   that holds it, and,
  ///     where the switching needs room for the whole message, the input VC at the neighbour that it leads
  ///     to, if that lacks room. A slot whose credit is in flight counts as free.
  ///   - anything else, or an alternative that needs only time: nothing, it can move.
  [[nodiscard]] std::vector<Waiting> waiting() const;

  /// In order of cycle, node, output port.
  [[nodiscard]] const std::vector<Traversal>& traversals() const { return traversals_; }
  /// In order of cycle, node, channel.
  [[nodiscard]] const std::vector<Injection>& injections() const { return injections_; }
  /// As given to the driver, in the same order.
  [[nodiscard]] const std::vector<Delivery>& deliveries() const { return deliveries_; }
  /// For each of deliveries(): cycles in which the head was usable but behind another message in its FIFO.
  [[nodiscard]] const std::vector<Cycle>& head_behind_others() const { return head_behind_others_; }

  /// Every stall from its first cycle to its last, in order of first cycle, node, input VC. Present ones end
  /// with the last cycle.
  [[nodiscard]] const std::vector<FlitStall>& stalls() const { return stalls_; }
  /// The cycle since which the front flit of an input VC has been stalled with the output VC that it has now,
  /// or without any. Requires that it was stalled in the last cycle.
  [[nodiscard]] Cycle waiting_since(const InputVcName& input_vc) const {
    return routers_[input_vc.first].inputs[input_vc.second].waiting_since;
  }

  void send(const Packet& packet) override;
  [[nodiscard]] bool can_send(NodeId node, std::uint32_t message_class) const override;
  void take(std::uint64_t id) override;
  void wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) override;

 private:
  struct MessageState {
    Packet packet;
    Head head;
    unsigned first_port = 0;  ///< of its first candidate at the source
    Delivery delivery;
    Cycle head_behind_others = 0;
  };
  struct Flit {
    MessageState* message = nullptr;
    std::uint32_t index = 0;
    Cycle arrival = 0;  ///< cycle from which link and router delay are over

    [[nodiscard]] bool head() const { return index == 0; }
    [[nodiscard]] bool tail() const { return index + 1 == message->packet.flits; }
  };
  /// A slot behind an output VC that lacks: its number, counted from the first flit that was ever put there.
  struct LackingSlot {
    unsigned output_vc = 0;
    std::uint64_t number = 0;
    bool operator==(const LackingSlot&) const = default;
  };
  /// Why a front flit is stalled in a cycle.
  struct Stall {
    StallCause cause{};
    unsigned port = 0;
    std::optional<unsigned> vc;            ///< of that port, if it has an output VC
    std::optional<std::uint64_t> culprit;  ///< message
    std::optional<LackingSlot> slot;       ///< of no_credit
    [[nodiscard]] bool same_line(const Stall& other) const {
      return cause == other.cause && port == other.port && vc == other.vc && culprit == other.culprit;
    }
  };
  /// "Early credits" of docs/timing.md: what an allocator of VCs knows of the slots behind one.
  struct Tracker {
    std::deque<Cycle> puts;   ///< cycles in which it will learn of flits put
    std::deque<Cycle> slots;  ///< and of slots left
    std::uint32_t taken = 0;
    bool one_is_taken = false;
    bool empty = true;  ///< in this cycle
  };
  /// An arbiter over inputs 0, 1, ..
  struct ArbiterState {
    unsigned pointer = 0;
    std::vector<unsigned> order;  ///< of a matrix: the first one comes first
  };
  /// The request of a head: a group, and which VCs (or channels) of it are admissible.
  struct Request {
    unsigned group = 0;
    std::vector<bool> admissible;
    unsigned channel_class = 0;  ///< of the link's VCs
  };
  struct InputVc {
    std::deque<Flit> fifo;  ///< with the flits that are still on their way here
    std::optional<unsigned> output_vc;
    Cycle switch_from = 0;              ///< it takes part in switch allocation, once it has one
    std::optional<Request> request;     ///< of the head at the front, in this cycle
    unsigned selection_pointer = 0;     ///< round-robin: the link port that comes first
    unsigned late_port = 0;             ///< with switch_winner: of a head, the port it requests
    bool front_usable = false;          ///< at the beginning of stage 4
    std::optional<Cycle> at_front;      ///< a head: cycle from which it has been usable there
    std::optional<Stall> stall;         ///< of the front flit, in this cycle
    std::optional<Stall> stall_before;  ///< in the cycle before
    std::optional<unsigned> output_vc_before;
    Cycle waiting_since = 0;
    std::size_t line = 0;                     ///< of the stall under way, in stalls_
    std::vector<ArbiterState> pick_arbiters;  ///< by class of VCs
    ArbiterState flat_pick;                   ///< over all output VCs
    bool takes_part = false;                  ///< in switch allocation, in this cycle
    std::uint32_t losses = 0;                 ///< cycles in which it lost the switch since a flit left
  };
  /// The slots of a FIFO as its sender knows them.
  struct Slots {
    std::uint64_t puts = 0;  ///< flits ever put
    std::uint32_t usable = 0;
    std::deque<Cycle> returning;  ///< cycles from which taken slots are usable again
    // Stop and go: flits in the buffer when the signal of this cycle was sent.
    std::int64_t signalled = 0;
    std::deque<Cycle> arrivals;  ///< cycles whose signal is the first to count a flit more
  };
  /// A message in an ejection buffer, from when its head leaves the router.
  struct BufferedMessage {
    std::uint64_t id = 0;
    std::uint32_t unread = 0;  ///< flits
    bool delivered = false;
    bool taken = false;
    std::optional<std::uint32_t> reply = {};  ///< it is taken only when one of this class can be sent
  };
  struct OutputVc {
    std::optional<unsigned> holder;         ///< input VC of the message that holds it
    std::uint64_t message = 0;              ///< that message
    Cycle free_from = 0;                    ///< it cannot be granted before
    std::vector<std::uint64_t> requests;    ///< that came by it and are not answered
    bool is_full = false;                   ///< these are as many as the node works on
    Slots slots;                            ///< link, or limited ejection buffer
    Tracker tracker;                        ///< early credits
    ArbiterState port_arbiter;              ///< separable VC allocation
    ArbiterState flat_arbiter;              ///< likewise, over all input VCs
    std::vector<ArbiterState> vc_arbiters;  ///< by input port
    std::deque<BufferedMessage> buffer;     ///< limited ejection buffer

    [[nodiscard]] bool is_held(Cycle now) const { return holder || is_full || now < free_from; }
  };
  /// A link, as its sender knows it, or an ejection channel.
  struct OutputPort {
    LinkTime time;
    /// When it is free, docs/timing.md stage 5, times the denominator of its interval.
    std::uint64_t free_parts = 0;
    std::uint64_t last_message = 0;

    [[nodiscard]] bool is_free(Cycle now) const {
      return free_parts < (now + 1) * time.cycles_per_flit.denominator();
    }
  };
  /// Between the switch and a link or an ejection channel.
  struct OutputQueue {
    Cycle next = 0;  ///< the next flit leaves it in this cycle at the earliest
    std::uint64_t last_message = 0;
  };
  /// A flit that waits there.
  struct QueuedFlit {
    Cycle from = 0;
    Cycle leaves = 0;
    unsigned input_vc = 0;
    unsigned output_vc = 0;
    MessageState* message = nullptr;
    std::uint32_t index = 0;
    std::uint64_t culprit = 0;
    std::size_t line = 0;  ///< of its stall
  };
  struct Group {
    unsigned request_pointer = 0;
    unsigned vc_pointer = 0;
  };
  /// What an injection channel has for a queue.
  struct Injector {
    MessageState* message = nullptr;  ///< none: idle
    std::uint32_t next_flit = 0;
    Cycle earliest = 0;            ///< cycle from which the next flit may be put, or the next message taken
    unsigned vc = 0;               ///< of the message under way, or the last one, among those of the queue
    bool vc_known = false;         ///< of the message under way
    std::optional<Cycle> read{};   ///< the cycle in which the next flit was read from a bank
    std::uint64_t free_parts = 0;  ///< when its memory can read the next one, in parts of its interval
  };
  struct InjectionChannel {
    std::vector<Injector> injectors;  ///< by queue
    unsigned turn = 0;                ///< the injector that comes first
    Cycle earliest = 0;               ///< cycle from which the next flit may be put
    std::vector<Slots> slots;         ///< by VC
    std::vector<Tracker> trackers;
  };
  /// An allocator of the switch.
  struct SwitchState {
    std::vector<ArbiterState> inputs;   ///< over the VCs of an input
    std::vector<ArbiterState> outputs;  ///< over inputs
    std::vector<ArbiterState> accepts;  ///< over output ports, of an input
    unsigned diagonal = 0;              ///< max-size: the input that comes first
  };
  /// What it finds: input VCs.
  struct SwitchMatch {
    std::vector<unsigned> winners;
    std::vector<unsigned> picked;
    std::vector<bool> asked;  ///< by output port
  };
  struct Winner {
    unsigned input_vc = 0;
    unsigned output_vc = 0;
  };
  struct Router {
    std::vector<InputVc> inputs;
    std::vector<OutputVc> outputs;
    std::vector<OutputPort> links;              ///< by link port
    std::vector<std::optional<Cycle>> ejected;  ///< by ejection channel: the last flit
    std::vector<Group> groups;                  ///< a link port each, then the ejection channels
    std::vector<unsigned> input_pointers;       ///< of each input port, in the switch
    std::vector<unsigned> output_pointers;      ///< of each output port, in the switch
    std::vector<Winner> winners;                ///< in this cycle, in order of output port
    std::vector<InjectionChannel> channels;
    std::set<unsigned> written;            ///< banks, in this cycle
    std::deque<MessageState*> queue;       ///< messages that wait in the network interface, oldest first
    unsigned vc_diagonal = 0;              ///< wavefront VC allocation
    std::vector<ArbiterState> winner_vcs;  ///< switch_winner, by output port
    std::vector<std::optional<unsigned>> bypass;  ///< by input port: the input VC whose message takes it
    std::vector<OutputQueue> queues;              ///< by output port
    std::vector<QueuedFlit> queued;
    std::vector<unsigned> kept;  ///< input VCs that keep the switch in the next cycle
    SwitchState switch_state;
    SwitchState speculative_state;
  };
  struct Arriving {
    Cycle cycle = 0;
    MessageState* message = nullptr;
    std::uint32_t flit = 0;
  };

  void deliver();
  void read_ejection_buffers();
  /// Of an input VC, among those of a message class; docs/timing.md, "Network interfaces".
  [[nodiscard]] unsigned number_in_class(unsigned input_vc, unsigned message_class) const;
  [[nodiscard]] Stall full_ejection_buffer(NodeId node, unsigned output_vc) const;
  [[nodiscard]] std::vector<Alternative> alternatives_of_reply(NodeId node, std::uint32_t reply) const;
  [[nodiscard]] std::vector<Alternative> alternatives_of_answers(NodeId node, const OutputVc& output) const;
  void note_usable_fronts();
  void return_slots();
  void allocate_vcs(NodeId node);
  void grant_group(NodeId node, unsigned group, Group& pointers,
                   const std::vector<std::optional<Request>>& requests);
  [[nodiscard]] Stall refusal(NodeId node, unsigned input_vc, const Request& request) const;
  [[nodiscard]] Stall lack_of_room(NodeId node, unsigned output_vc, std::uint32_t flits) const;
  void allocate_switch(NodeId node);

  // Router parts (router_parts.cpp).
  using Wants = std::vector<std::optional<unsigned>>;  ///< output port, by input VC
  void prepare_parts(Router& router) const;
  void track();
  void track(Tracker& tracker) const;
  [[nodiscard]] bool tracks_puts() const {
    return machine_.parts.early_credits && machine_.vc_allocation == VcAllocation::atomic;
  }
  /// For the head of an input VC.
  [[nodiscard]] bool is_eligible(NodeId node, unsigned output_vc, unsigned input_vc) const;
  [[nodiscard]] bool has_room(NodeId node, unsigned output_vc) const;
  [[nodiscard]] std::vector<unsigned> blocking_vcs(NodeId node, unsigned output_vc,
                                                   std::uint32_t flits) const;
  [[nodiscard]] bool can_queue(NodeId node, unsigned port) const;
  [[nodiscard]] bool can_take(NodeId node, unsigned port) const;
  [[nodiscard]] std::uint64_t last_through(NodeId node, unsigned port) const;
  [[nodiscard]] Cycle leave_queue(NodeId node, const Winner& winner, const Flit& flit);
  void count_queued(NodeId node);
  /// The head at the front does not request an output VC yet.
  [[nodiscard]] bool is_routed(const InputVc& input) const {
    return input.at_front && now_ < *input.at_front + machine_.parts.routing_delay;
  }
  void allocate_vcs_separably(NodeId node, const std::vector<std::optional<Request>>& requests);
  void allocate_vcs_flatly(NodeId node, const std::vector<std::optional<Request>>& requests);
  void find_heads_without_vc(NodeId node, const std::vector<std::optional<Request>>& requests);
  [[nodiscard]] bool arrives_alone(const InputVc& input) const;
  void grant_to_winner(NodeId node, unsigned input_vc, unsigned port);
  /// Of a cycle's switch allocation: outputs that flits with an output VC and heads without request, by input
  /// VC, and the heads that could leave.
  struct SwitchRequests {
    Wants wants;
    Wants heads;
    std::vector<bool> can_leave;
  };
  [[nodiscard]] SwitchRequests switch_requests(NodeId node);
  void request_as_late_head(NodeId node, unsigned vc, SwitchRequests& requests);
  void request_as_head(NodeId node, unsigned vc, SwitchRequests& requests);
  [[nodiscard]] std::optional<unsigned> request_of_flit(NodeId node, unsigned vc);
  [[nodiscard]] std::vector<unsigned> keep_switch(NodeId node, SwitchRequests& requests) const;
  void allocate_late(NodeId node, const SwitchRequests& requests, std::vector<bool>& moves, Wants& picked);
  void allocate_speculatively(NodeId node, const SwitchRequests& requests, std::vector<bool>& moves,
                              Wants& picked);
  void name_winners(NodeId node, const Wants& picked);
  /// The interval of an ejection channel is over.
  [[nodiscard]] bool can_eject(NodeId node, unsigned port) const;
  void take_bypass(NodeId node, const Wants& wants, const Wants& heads, const std::vector<bool>& can_leave,
                   const std::vector<bool>& taken_outputs, std::vector<bool>& moves);
  void allocate_vcs_by_wavefront(NodeId node, const std::vector<std::optional<Request>>& requests);
  void hold(NodeId node, unsigned input_vc, unsigned output_vc);
  [[nodiscard]] Stall lost_to(NodeId node, const Request& request, unsigned output_vc) const;
  void allocate_switch_by_parts(NodeId node);
  // An input of the switch is a share of the VCs of an input port.
  [[nodiscard]] unsigned inputs() const { return ports() * machine_.parts.input_speedup; }
  [[nodiscard]] unsigned input_of(unsigned vc) const;
  // An output of the switch is an output port for a share of the input ports.
  [[nodiscard]] unsigned outputs() const { return ports() * machine_.parts.output_speedup; }
  [[nodiscard]] unsigned output_of(unsigned port, unsigned input_vc) const {
    const unsigned speedup = machine_.parts.output_speedup;
    return port * speedup + port_of_vc(input_vc) % speedup;
  }
  [[nodiscard]] std::vector<unsigned> vcs_of_input(unsigned input) const;
  [[nodiscard]] unsigned oldest(NodeId node, const std::vector<unsigned>& vcs) const;
  [[nodiscard]] std::vector<unsigned> asking(const Wants& wants, std::optional<unsigned> input,
                                             std::optional<unsigned> to) const;
  [[nodiscard]] unsigned pick_vc(NodeId node, const SwitchState& state, unsigned input,
                                 const std::vector<unsigned>& asking) const;
  void update_vc(SwitchState& state, unsigned vc) const;
  [[nodiscard]] unsigned pick_input(NodeId node, const SwitchState& state, unsigned to,
                                    const std::vector<unsigned>& asking) const;
  [[nodiscard]] SwitchMatch match(NodeId node, SwitchState& state, const Wants& wants,
                                  const Wants& low) const;
  [[nodiscard]] SwitchMatch match_input_first(NodeId node, SwitchState& state, const Wants& wants,
                                              const Wants& low) const;
  [[nodiscard]] SwitchMatch match_input_first_ports(NodeId node, SwitchState& state,
                                                    const Wants& wants) const;
  [[nodiscard]] SwitchMatch match_output_first(NodeId node, SwitchState& state, const Wants& wants) const;
  [[nodiscard]] SwitchMatch match_islip(NodeId node, SwitchState& state, const Wants& wants) const;
  [[nodiscard]] SwitchMatch match_wavefront(NodeId node, SwitchState& state, const Wants& wants) const;
  [[nodiscard]] SwitchMatch match_max_size(NodeId node, SwitchState& state, const Wants& wants) const;
  void move_pairs(NodeId node, SwitchState& state, const Wants& wants,
                  const std::vector<std::optional<unsigned>>& output_of, SwitchMatch& match) const;
  [[nodiscard]] unsigned pick(const ArbiterState& arbiter, const std::vector<bool>& requests) const;
  void update(ArbiterState& arbiter, unsigned inputs, unsigned winner) const;
  [[nodiscard]] unsigned column_port(unsigned column) const {
    return column < links_ && (column ^ 1U) < links_ ? column ^ 1U : column;
  }
  [[nodiscard]] std::vector<unsigned> admissible_vcs(const Request& request) const;
  class Queues;
  [[nodiscard]] std::uint64_t queued(NodeId node, unsigned port) const;
  void note_queues();
  void traverse(NodeId node);
  void count_stalls();
  void write_stall(NodeId node, unsigned input_vc);
  void inject(NodeId node);
  void take_message(NodeId node, unsigned e, unsigned queue);
  void read_flits(NodeId node);
  [[nodiscard]] bool can_read(NodeId node, const Injector& injector) const;
  void put_flit(NodeId node, unsigned e, unsigned queue);

  [[nodiscard]] bool usable(const std::deque<Flit>& fifo, std::size_t position) const;
  [[nodiscard]] bool timer_pending() const;
  [[nodiscard]] Request request_of(NodeId node, unsigned input_vc) const;
  [[nodiscard]] const RoutingFunction& routing_of(std::uint32_t message_class) const;
  [[nodiscard]] bool is_of_network(unsigned channel, std::uint32_t message_class) const;
  [[nodiscard]] std::vector<Candidate> candidates(NodeId node, unsigned input_vc,
                                                  const MessageState& message) const;
  [[nodiscard]] Candidate selected(NodeId node, unsigned input_vc, const std::vector<Candidate>& candidates,
                                   const MessageState& message) const;
  [[nodiscard]] bool in_class(unsigned vc, unsigned channel_class, std::uint32_t message_class) const;
  [[nodiscard]] std::uint32_t class_of(const InputVc& input) const {
    return input.fifo.front().message->packet.message_class;
  }
  [[nodiscard]] std::uint32_t priority_of(std::uint32_t message_class) const {
    return machine_.classes.empty() ? 0 : machine_.classes[message_class].priority;
  }
  [[nodiscard]] std::uint32_t rank(const InputVc& input) const;
  [[nodiscard]] std::vector<unsigned> highest(NodeId node, const std::vector<unsigned>& vcs) const;
  [[nodiscard]] std::vector<Wants> by_rank(NodeId node, const Wants& wants) const;
  [[nodiscard]] unsigned queue_of(std::uint32_t message_class) const {
    return machine_.queues_of_node() == 1 ? 0 : message_class;
  }
  [[nodiscard]] bool needs_packet_space() const {
    return machine_.switching != Switching::wormhole || machine_.vc_allocation == VcAllocation::atomic;
  }
  [[nodiscard]] std::uint32_t room_first(unsigned input_vc, unsigned port, std::uint32_t flits) const;
  [[nodiscard]] std::vector<Alternative> alternatives(NodeId node, unsigned input_vc) const;

  [[nodiscard]] unsigned ports() const { return links_ + channels_; }
  [[nodiscard]] unsigned vcs() const {
    return links_ * machine_.virtual_channels + channels_ * machine_.channel_vcs();
  }
  [[nodiscard]] unsigned port_of_vc(unsigned vc) const;
  [[nodiscard]] unsigned first_vc_of_port(unsigned port) const;
  [[nodiscard]] unsigned vcs_of_port(unsigned port) const;
  [[nodiscard]] bool is_link(unsigned port) const { return port < links_; }

  Topology topology_;
  MachineConfig machine_;
  unsigned links_;     ///< 2d
  unsigned channels_;  ///< E
  std::unique_ptr<RoutingFunction> routing_;
  std::vector<std::unique_ptr<RoutingFunction>> other_routing_;  ///< of the networks from number 1 on
  std::vector<unsigned> classes_;                                ///< C, by network
  std::vector<Router> routers_;
  std::map<std::uint64_t, MessageState> messages_;  ///< not yet delivered, by id
  std::deque<Arriving> arriving_;                   ///< between ejection channel and network interface
  std::set<NodeId> relieved_;                       ///< injection queues that were full before the last cycle
  Driver* driver_ = nullptr;
  Cycle now_ = 0;
  bool something_happened_ = true;
  std::map<std::uint64_t, std::uint32_t>
      without_room_;  ///< by request: the class of its reply (wait_to_send)
  Outcome totals_;
  std::vector<Traversal> traversals_;
  std::vector<Injection> injections_;
  std::vector<Delivery> deliveries_;
  std::vector<FlitStall> stalls_;
  std::vector<Cycle> head_behind_others_;
  bool reads_past_queues_;
  std::deque<std::vector<std::uint64_t>> past_queues_;  ///< of the last cycles: at their ends, by ChannelId
};

}  // namespace flitscope::reference
