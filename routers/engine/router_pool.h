// All routers of a network, and the step of a router in a cycle.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/engine/agenda.h"
#include "routers/engine/external_links.h"
#include "routers/engine/flit_observer.h"
#include "routers/engine/message_table.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_core.h"
#include "routers/engine/router_memory.h"
#include "routers/engine/selector.h"
#include "routers/engine/stall_account.h"
#include "routers/engine/standing.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// The clock for callers outside of a cycle.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Cycle now() const = 0;
  /// Requests a run of `cycle`, possibly before the next planned one.
  virtual void tick_at(Cycle cycle) = 0;
};

/// The network interfaces, which are stepped after their routers.
class InjectionSide {
 public:
  virtual ~InjectionSide() = default;
  /// Steps one network interface for one cycle. `injecting` is the set of its active channels; channels
  /// without a message or a slot are removed. Returns the channels that put a flit.
  virtual std::uint32_t step(NodeId node, std::uint32_t& injecting, Cycle now) = 0;
  /// Prefetches for a step() of these channels.
  virtual void fetch(NodeId node, std::uint32_t injecting) const = 0;
  /// Reports the flits that the channels `put` have put in cycle `now`, which are still the last in their
  /// FIFOs.
  virtual void report(NodeId node, std::uint32_t put, Cycle now, FlitObserver& observer) const = 0;

  // For a standing channel (class Standing).

  /// The cycle in which it puts its message's tail without a conflict.
  [[nodiscard]] virtual Cycle tail_due(NodeId node, unsigned channel) const = 0;
  /// Ends standing: a flit was put in every cycle before `cycle`, from which on step() puts them.
  virtual void resume(NodeId node, unsigned channel, Cycle cycle) = 0;
};

/// Routers with consecutive numbers.
struct NodeRange {
  NodeId first = 0;
  NodeId end = 0;  ///< the one behind the last

  [[nodiscard]] bool contains(NodeId node) const { return node - first < end - first; }
};

/// The routers of one clock domain. The SystemC modules (class Router) wire and observe them.
///
/// step() runs one router for one cycle and wakes the routers that get work. It reads and writes other
/// routers only with effect from the next cycle on, so the order of steps is free.
class RouterPool final : public RouterMemory, public RouterCore {
 public:
  RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             ArrivingMessages& arriving, Clock& clock);
  /// A range of the routers of `whole`, for another thread (class ParallelStepper). The state is shared;
  /// counters and events for routers beyond the range are kept until whole.merge().
  RouterPool(const RouterPool& whole, Agenda& agenda, ArrivingMessages& arriving, NodeRange range);
  RouterPool(const RouterPool&) = delete;
  RouterPool& operator=(const RouterPool&) = delete;

  // --- Wiring, before the first cycle --------------------------------------------------------------------

  /// Output port `port` of `node` leads to input port `port` of `receiver`.
  void connect(NodeId node, unsigned port, NodeId receiver);
  /// Output port `port` of `node` leads to an external module. At most `buffer` of its slots are used. On an
  /// ejection channel, a message whose tail goes there counts as delivered, and the module alone sets the
  /// interval (not the interval of its end).
  void connect_external(NodeId node, unsigned port, FlitReceiver& receiver);
  /// Input port `port` of `node` has an external module as its only sender. Returns the FIFO's length.
  std::uint32_t attach_external_sender(NodeId node, unsigned port, credit_if& sender);
  [[nodiscard]] bool has_external_sender(NodeId node, unsigned port) const {
    return external_.sender(node, port) != nullptr;
  }
  [[nodiscard]] bool has_external_senders() const { return external_.has_senders(); }
  /// Reports flits to `observer`, only those of the routers `nodes` unless that is empty. Other routers pay
  /// one test for each flit.
  void observe(FlitObserver* observer, std::span<const NodeId> nodes = {});
  /// Reports the stalls of all routers to `observer`.
  void observe_stalls(StallObserver* observer) { stalls_.observe(observer); }

  // --- One cycle -----------------------------------------------------------------------------------------

  /// Begins cycle `now`.
  void begin_cycle(Cycle now);
  /// Begins the cycle for a part of the routers, after all.
  void begin_cycle_of_part(const RouterPool& whole);

  // A cycle that is divided among several threads.

  /// True without flit observers and external modules; stalls are reported after all routers.
  [[nodiscard]] bool can_divide() const;
  /// Marks the links that leave a range. Requires that all are connected.
  void divide(std::span<const NodeRange> ranges);
  /// Prepares a divided cycle; every part is merged at its end.
  void begin_division() {
    hops_before_ = flit_hops_;
    fetches_heads_ = false;  // each part fetches for itself
  }
  void merge(RouterPool& part);
  /// Flit-hops in the last cycle in which anything moved.
  [[nodiscard]] std::uint64_t last_hops() const { return flit_hops_ - hops_before_; }

  /// The cycle that began last.
  [[nodiscard]] Cycle now() const override { return now_; }

  /// Sets the flit-hops of a cycle from which on the memory of the next routers is prefetched
  /// (router_prefetch.cpp). Results do not depend on it.
  void look_ahead_from(std::uint64_t flit_hops) { look_ahead_from_ = flit_hops; }
  /// Sets whether in other cycles it is prefetched for heads before their arrival; by default if the state of
  /// all routers exceeds the cache.
  void fetch_heads(bool fetches) { outgrows_cache_ = fetches; }
  /// Prefetches for the head of a message from an injection channel, with candidate `first`.
  void prefetch_head(NodeId node, unsigned channel, Candidate first) {
    if (fetches_heads_) fetch_head_of(node, channel, first);
  }
  /// Prefetches for a standing input VC.
  void expect_standing(NodeId node, unsigned vc) {
    if (fetches_heads_) fetch(node, vc, 0);
  }

  /// Standing VCs, which are not run.
  [[nodiscard]] Standing& standing() { return standing_; }
  [[nodiscard]] const Standing& standing() const { return standing_; }
  /// Whether VCs may stand in such a network: no flit observer, and all links with one flit a cycle.
  [[nodiscard]] bool can_stand() const;

  /// False if this cycle has only stale wakes: of an injection channel that stood until its tail, or of a VC
  /// after the last arrival.
  [[nodiscard]] bool any_active() const;
  /// Stages 2 to 7 of docs/timing.md for every router that was woken for this cycle.
  void step_awake(InjectionSide& interfaces);

  /// Steps one router.
  void step(NodeId node, InjectionSide& interfaces);

  /// First slot of the FIFO behind a VC of an injection channel, which has buffer() slots.
  [[nodiscard]] Slot* injection_fifo(NodeId node, unsigned channel, unsigned vc) {
    return at(node).input(first_vc(link_ports() + channel) + vc).fifo;
  }
  /// Sets the VC of an injection channel for its next flits, initially 0.
  void choose_injection_vc(NodeId node, unsigned channel, unsigned vc) {
    injection_vcs_[std::size_t{node} * channels() + channel] = static_cast<std::uint8_t>(vc);
  }
  [[nodiscard]] unsigned injection_vc(NodeId node, unsigned channel) const {
    return node_vcs() == 1 ? 0 : injection_vcs_[std::size_t{node} * channels() + channel];
  }
  /// Posts the arrival of flits from these injection channels.
  void inject(NodeId node, std::uint32_t channels) {
    if (!single_vc_injection_) return inject_slow(node, channels);
    after_injection_.arrive(node, std::uint64_t{channels} << first_injection_vc());
  }
  /// Wakes injection channel `channel` when `slot`, its next one, is usable.
  void await_injection_slot(NodeId node, unsigned channel, Slot slot);

  /// Takes a flit of an external module at an input port. Throws std::logic_error for a flit without credit
  /// or an impossible one.
  void put_external(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit);

  /// Active injection channels.
  [[nodiscard]] std::uint32_t& injecting(NodeId node) { return state_of(node).injecting; }

  /// Adds the stalls in progress up to (not including) cycle `now` to the counters; they continue.
  void settle_stalls(Cycle now) override { stalls_.settle(now); }

  // --- Idle network, for replays of rounds ---------------------------------------------------------------

  /// Whether the future depends on the messages and the round-robin pointers alone.
  [[nodiscard]] bool knows_only_turns() const;
  /// Appends the round-robin pointers of every port of every router. Returns false if a router is not idle.
  [[nodiscard]] bool note_turns(std::vector<std::uint32_t>& turns) const;
  void set_turns(std::span<const std::uint32_t> turns);
  // Add the counters of replays: of a port; flit-hops (once) and stalls.
  void count(NodeId node, unsigned number, const PortCounts& counts, std::uint64_t times);
  void count(std::uint64_t flit_hops, const std::array<std::uint64_t, kStallCauses>& stalls,
             std::uint64_t times);
  /// Stalls are observed.
  [[nodiscard]] bool observes_stalls() const { return stalls_.observed(); }

  // --- Numbers -------------------------------------------------------------------------------------------

  /// A grant of a link's VC requires required_slots().
  [[nodiscard]] bool needs_packet_space() const override { return needs_packet_space_; }
  /// The head of a message at its source.
  [[nodiscard]] Head head_of(NodeId source, NodeId destination, Route route) const {
    Head head{.destination = destination, .route = route};
    routing_->prepare(head, source);
    return head;
  }
  /// The first candidate of a head at its source; any if that is its destination.
  [[nodiscard]] Candidate first_candidate(NodeId source, const Head& head) const {
    if (head.destination == source) return {};
    return routing_->first_candidate(source, vc_info(first_injection_vc()).arrival, head);
  }
  /// The observer of the flits of `node`; nullptr if there is none.
  [[nodiscard]] FlitObserver* observer(NodeId node) const {
    return observer_ != nullptr && watched_[node] ? observer_ : nullptr;
  }
  /// Flit-hops without those of standing VCs, see Standing::flit_hops().
  [[nodiscard]] std::uint64_t flit_hops() const override { return flit_hops_; }
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& stalls() const override {
    return stalls_.totals();
  }
  [[nodiscard]] const RouterNumbers& numbers() const override { return *this; }
  [[nodiscard]] PortCounts counts(NodeId node, unsigned number) const override {
    return RouterMemory::counts(node, number);
  }
  [[nodiscard]] std::uint64_t waiting(NodeId node) const override;
  [[nodiscard]] Waiting waiting(NodeId node, unsigned vc) const override;
  [[nodiscard]] std::optional<unsigned> holder(NodeId node, unsigned output) const override;
  [[nodiscard]] std::uint64_t blocking_inputs(NodeId node, unsigned output,
                                              std::uint32_t flits) const override;
  [[nodiscard]] NodeId receiver(NodeId node, unsigned output) const override {
    return RouterMemory::output(node, output).receiver;
  }
  /// The first cycle of the present stall of an input VC's front flit: with its output VC, or without one.
  /// Requires that it waits for a VC or a slot.
  [[nodiscard]] Cycle stalled_since(NodeId node, unsigned vc) const { return stalls_.since(node, vc); }
  [[nodiscard]] InputState input_state(NodeId node, unsigned vc) const override;
  std::uint32_t usable_slots(NodeId node, unsigned output, std::vector<Cycle>& returning) const override;
  [[nodiscard]] const FlitStall* stall(NodeId node, unsigned vc, Cycle now) const override {
    return stalls_.in_cycle(node, vc, now);
  }
  /// Output VCs of all candidates of a waiting head, free or held. Requires that it is routed and not active.
  [[nodiscard]] std::uint64_t admissible(NodeId node, unsigned vc) const;

 private:
  friend class FastForward;  // compares the whole state, and moves it on
  friend class Standing;     // moves on the state of a router that is not run

  /// Fewer flit-hops, of about a kilobyte each, find their memory in the cache.
  static constexpr std::uint64_t kLookAheadFrom = 1536;
  /// Bytes of the second-level cache of most machines.
  static constexpr std::size_t kCache = std::size_t{1} << 20;
  /// The most prefetches of a cycle, of half that cache.
  static constexpr std::size_t kMaxPrefetches = 512;

  /// The pending events and wakes of a coming cycle.
  struct DueCycle {
    PendingEvents* events = nullptr;  ///< by node
    Agenda::Page awake;

    [[gnu::always_inline]] void arrive(NodeId node, std::uint64_t vcs) const {
      events[node].arrivals |= vcs;
      awake.wake(node);
    }
  };

  [[nodiscard]] std::uint32_t behind(std::uint32_t position) const {
    return position_behind(position, buffer());
  }
  /// `cycle` is less than the agenda's wheel ahead.
  [[nodiscard]] DueCycle due(Cycle cycle) {
    return {&events_[agenda_.slot(cycle) * nodes()], agenda_.page(cycle)};
  }
  /// Posts events for a router in any cycle after `now`.
  void post(Cycle cycle, NodeId node, PendingEvents word, Cycle now);
  void inject_slow(NodeId node, std::uint32_t channels);
  void take_deferred_events();
  [[nodiscard]] PendingEvents pending_events(Cycle cycle, NodeId node, Cycle now);
  RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             ArrivingMessages& arriving, Clock& clock, std::unique_ptr<RoutingFunction> routing);
  void advance_calendar(Cycle now);

  /// Throws if input port `port` of `node` has a sender.
  void require_no_sender(NodeId node, unsigned port) const;
  /// Throws if links have options that external modules do not support.
  void require_plain_links() const;

  // The stages, in order.
  // Those that return something return the injection channels that put a flit.
  /// Tests that a step needs.
  enum class Step : std::uint8_t {
    plain,    ///< none: uncontended_fast_path_, no store-and-forward, no standing VC, no prefetch
    any,      ///< all of that
    watched,  ///< the same, and moves are noted
  };
  template <Step step>
  [[gnu::always_inline]] std::uint32_t step_router(NodeId node, InjectionSide& interfaces);
  template <Step step>
  [[gnu::always_inline]] bool move_flits(RouterRef router, NodeId node);
  std::uint32_t step_beside_standing(NodeId node, InjectionSide& interfaces);
  template <Step step>
  [[gnu::always_inline]] void take_events(RouterRef router, NodeId node);
  std::uint32_t step_interface(RouterRef router, NodeId node, InjectionSide& interfaces);
  void step_unwatched(NodeId node, InjectionSide& interfaces);
  std::uint32_t step_noting_moves(NodeId node, InjectionSide& interfaces);
  void step_watched(NodeId node, InjectionSide& interfaces);
  [[gnu::noinline]] void route_ahead(RouterRef router, unsigned vc);
  template <Step step>
  [[gnu::always_inline]] void take_arrivals(RouterRef router, std::uint64_t arrivals);
  void take_complete_messages(RouterRef router, std::uint64_t arrivals);
  void take_credits(RouterRef router, std::uint64_t credits);
  template <Step step>
  [[gnu::always_inline]] void pass(RouterRef router, unsigned vc);
  template <Step step>
  [[gnu::always_inline]] void stream(RouterRef router, unsigned vc);
  template <Step step>
  void pass_or_arbitrate(RouterRef router, std::uint64_t able);
  [[nodiscard]] std::uint64_t find_conflicts(RouterRef router, std::uint64_t able);
  [[nodiscard]] std::uint64_t arbitrate(RouterRef router, std::uint64_t contenders);
  bool request_vc(RouterRef router, unsigned vc);
  void allocate_vcs(RouterRef router, std::uint64_t asking);
  void route(RouterRef router, unsigned vc);
  void ask_for(InputVc& input, Candidate candidate) const {
    input.group = input.claim = static_cast<std::uint8_t>(candidate.port);
    input.choice = static_cast<std::uint16_t>(link_choice(candidate.port, candidate.channel_class));
  }
  void ask_for_ejection(InputVc& input, unsigned vc) const {
    input.group = input.claim = static_cast<std::uint8_t>(link_ports());
    input.choice = static_cast<std::uint16_t>(ejection_choice(vc));
  }
  unsigned choose_vc(RouterRef router, unsigned vc, std::uint64_t free);
  void hold_vc(RouterRef router, unsigned vc, unsigned output);
  void delay_switch_request(RouterRef router, unsigned vc);
  void fail_vc_allocation(RouterRef router, unsigned vc);
  [[nodiscard]] std::uint64_t with_required_slots(RouterRef router, unsigned vc, std::uint64_t outputs,
                                                  MessageSlot message);
  [[nodiscard]] std::uint64_t allocate_switch(RouterRef router, std::uint64_t moving);
  [[nodiscard]] std::uint64_t choose_of_two(RouterRef router, unsigned one, unsigned other);
  [[nodiscard]] std::uint64_t choose(RouterRef router, std::uint64_t candidates);
  [[nodiscard]] std::uint64_t allocate_with_intervals(RouterRef router, std::uint64_t moving);
  void wait_for_link(RouterRef router, unsigned vc, Cycle free_from);
  [[nodiscard]] bool has_room(RouterRef router, unsigned output) const;
  void block_for_room(RouterRef router, unsigned vc);
  template <Step step>
  [[gnu::always_inline]] void traverse(RouterRef router, unsigned vc, unsigned output);
  void release(RouterRef router, unsigned vc, unsigned output);
  void start_vc_cooldown(RouterRef router, unsigned output);
  void release_due_vcs();
  void send_far(RouterRef router, unsigned output, Slot flit);
  void send_to_external(RouterRef router, unsigned number, unsigned output, Slot flit);
  /// Takes a slot that a module returns behind an output VC. Returns the first cycle of its use.
  Cycle take_external_credit(NodeId node, unsigned output);
  void eject(Slot flit);
  void return_slot(RouterRef router, unsigned vc, unsigned number);
  void expect_credit(RouterRef router, unsigned output, Slot& slot);

  // Software prefetch (router_prefetch.cpp).
  /// A router before its step, and its input VCs with a flit that could move.
  struct PrefetchEntry {
    RouterRef router{};
    std::uint64_t able = 0;
  };
  void step_looking_ahead(InjectionSide& interfaces);
  void fetch_header(NodeId node) const;
  [[nodiscard]] PrefetchEntry fetch_channels(NodeId node, const InjectionSide& interfaces) const;
  void fetch_flits(PrefetchEntry router) const;
  void fetch_messages(PrefetchEntry router) const;
  void fetch_route(PrefetchEntry router);
  void fetch_receivers(PrefetchEntry router) const;
  void fetch_head_behind(RouterRef router, unsigned vc, unsigned output);
  void fetch_head_of(NodeId node, unsigned channel, Candidate first);
  void fetch(NodeId node, unsigned vc, std::uint64_t outputs);
  void fetch_expected();
  void fetch_output(RouterRef router, unsigned output) const;
  void fetch_receiver(RouterRef router, unsigned output) const;

  // Several candidates.
  void route_adaptively(RouterRef router, std::uint64_t heads);
  [[nodiscard]] std::uint64_t select_candidates(RouterRef router, std::uint64_t heads);
  [[nodiscard]] std::uint64_t queued_flits(RouterRef router, unsigned port) const;
  class Queues;
  [[nodiscard]] Offer offer(RouterRef router, unsigned vc, Candidate candidate);
  void ask_again(RouterRef router, std::uint64_t heads);
  [[nodiscard]] std::uint32_t usable_slots(const OutputVc& target) const;

  /// Heads without a VC request again in cycle `from`: all of the router, or those of one group.
  void retry_heads(RouterRef router, Cycle from);
  void retry_group(RouterRef router, unsigned group, Cycle from);

  MessageTable& messages_;
  Agenda& agenda_;
  ArrivingMessages& arriving_;
  Clock& clock_;
  FlitObserver* observer_ = nullptr;
  std::shared_ptr<const RoutingFunction> routing_;
  bool adaptive_;  ///< heads may have several candidates
  bool needs_packet_space_;
  bool streams_;                ///< flits without a conflict need no further comparison
  bool uncontended_fast_path_;  ///< a flit without a conflict passes all stages at once
  std::uint64_t look_ahead_from_ = kLookAheadFrom;
  std::uint64_t hops_before_ = 0;  ///< at the beginning of the last cycle
  bool outgrows_cache_ = bytes() > kCache;
  bool fetches_heads_ = false;  ///< in this cycle, from now on
  /// A flit that will arrive at an input VC and leave by one of `outputs`, or by the VC that it holds if
  /// these are none.
  struct Expected {
    NodeId node = 0;
    unsigned vc = 0;
    std::uint64_t outputs = 0;
  };
  std::vector<Expected> expected_;  ///< since the last cycle
  Selector selector_;
  std::vector<Candidate> candidates_;  ///< of the present head
  std::vector<Offer> offers_;          ///< of the present head

  Switching switching_;
  Cycle vc_reallocation_delay_;
  Cycle vc_delay_;
  Cycle credit_delay_;
  /// An output VC of a link that cannot be granted before cycle `until`.
  struct VcCooldown {
    Cycle until = 0;
    NodeId node = 0;
    unsigned output = 0;
  };
  std::deque<VcCooldown> cooldowns_;
  Cycle router_delay_;
  Cycle link_delay_;  ///< that most links have
  std::uint32_t ejection_interval_;
  bool single_vc_injection_;                  ///< by the only VC of a channel, within the agenda's wheel
  SharedZeroed<std::uint8_t> injection_vcs_;  ///< by injection channel, if these have several VCs

  // The present cycle, and those of new events.
  Cycle now_ = 0;
  DueCycle this_cycle_;
  DueCycle next_cycle_;
  DueCycle after_injection_;  ///< a flit put now by a network interface is usable
  DueCycle after_hop_;        ///< a flit sent now to another router is usable there

  std::vector<NodeId> awake_;           ///< in this cycle, with software prefetch
  SharedZeroed<PendingEvents> events_;  ///< node by node, cycle after cycle of the agenda's wheel
  /// Events of a router in a cycle beyond the wheel.
  struct DeferredEvent {
    NodeId node = 0;
    PendingEvents word;
  };
  std::map<Cycle, std::vector<DeferredEvent>> deferred_events_;
  NodeRange range_{0, nodes()};  ///< of the routers that are stepped here
  /// Events for routers beyond the range.
  struct BeyondRange {
    struct Word {
      Cycle cycle = 0;
      NodeId node = 0;
      PendingEvents word;
    };
    /// An output VC waits for a slot of its receiver.
    struct Credit {
      RouterRef router{};
      unsigned output = 0;
      Slot* slot = nullptr;
    };
    std::vector<Word> words;
    std::vector<Credit> credits;
  };
  BeyondRange beyond_range_;
  ExternalLinks external_{ports()};
  StallAccount stalls_;
  Standing standing_;
  std::uint64_t flit_hops_ = 0;

  // Empty without an observer.
  std::vector<std::uint8_t> watched_;  ///< by node, if there is an observer
  struct Move {
    unsigned input_vc = 0;
    unsigned output_vc = 0;
    Slot flit;
  };
  std::vector<Move> moves_;  ///< of the present router, if it is observed
};

}  // namespace flitscope
