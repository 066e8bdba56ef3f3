// All routers of a network: what one does in a cycle.
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
#include "routers/engine/router_memory.h"
#include "routers/engine/selector.h"
#include "routers/engine/stall_account.h"
#include "routers/engine/standing.h"
#include "routers/routing/routing.h"

namespace flitscope {

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
  /// step() will be called for these channels soon.
  virtual void fetch(NodeId node, std::uint32_t injecting) const = 0;
  /// Tells which flits the channels `put` have put in cycle `now`: they are still the last in their FIFOs.
  virtual void report(NodeId node, std::uint32_t put, Cycle now, FlitObserver& observer) const = 0;

  // Of a channel that stands (class Standing).

  /// The cycle in which it puts its message's tail, if nothing hinders it.
  [[nodiscard]] virtual Cycle tail_due(NodeId node, unsigned channel) const = 0;
  /// It has put a flit in every cycle before `cycle`, and from then on puts them in step().
  virtual void resume(NodeId node, unsigned channel, Cycle cycle) = 0;
};

/// Routers with consecutive numbers.
struct NodeRange {
  NodeId first = 0;
  NodeId end = 0;  ///< the one behind the last

  [[nodiscard]] bool contains(NodeId node) const { return node - first < end - first; }
};

/// The routers of one clock domain. The SystemC modules (class Router) are the faces through which they are
/// wired and observed.
///
/// step() runs one router for one cycle and wakes whoever has work because of it. It reads and writes other
/// routers only where that cannot matter before the next cycle, so the order of steps is free.
class RouterPool : public RouterMemory {
 public:
  RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             ArrivingMessages& arriving, Clock& clock);
  /// Some of the routers of `whole`, to be stepped by another thread (class ParallelStepper). The state is
  /// the same; what is counted, and what is for routers beyond the range, is kept until whole.take_over().
  RouterPool(const RouterPool& whole, Agenda& agenda, ArrivingMessages& arriving, NodeRange range);
  RouterPool(const RouterPool&) = delete;
  RouterPool& operator=(const RouterPool&) = delete;

  // --- Wiring, before the first cycle --------------------------------------------------------------------

  /// Output port `port` of `node` leads to input port `port` of `receiver`.
  void connect(NodeId node, unsigned port, NodeId receiver);
  /// Output port `port` of `node` leads to a module that is not ours. At most `buffer` flits of its room are
  /// used. On an ejection channel, a message whose tail goes there counts as delivered, and the module alone
  /// sets the pace (not the interval of its end).
  void connect_external(NodeId node, unsigned port, FlitReceiver& receiver);
  /// Input port `port` of `node` is fed by a module that is not ours, and by nobody else. Returns the FIFO's
  /// length.
  std::uint32_t attach_external_sender(NodeId node, unsigned port, credit_if& sender);
  [[nodiscard]] bool has_external_sender(NodeId node, unsigned port) const {
    return external_.sender(node, port) != nullptr;
  }
  [[nodiscard]] bool has_external_senders() const { return external_.has_senders(); }
  /// Flits are reported to `observer`, those of the routers `nodes` only unless that is empty. The other
  /// routers pay one test for each flit.
  void observe(FlitObserver* observer, std::span<const NodeId> nodes = {});
  /// The stalls of all routers are reported to `observer`.
  void observe_stalls(StallObserver* observer) { stalls_.observe(observer); }

  // --- One cycle -----------------------------------------------------------------------------------------

  /// Cycle `now` begins: what follows happens in it.
  void begin_cycle(Cycle now);
  /// The same for some of the routers, when it has begun for all.
  void begin_cycle_of_part(const RouterPool& whole);

  // A cycle that is divided among several threads.

  /// Nobody acts or hears of anything while a router is stepped; stalls can be told when all have been.
  [[nodiscard]] bool can_divide() const;
  /// Links that leave a range are told apart from those within. Call it when all are connected.
  void divide(std::span<const NodeRange> ranges);
  /// The cycle will be divided; every part is taken over when all have ended it.
  void begin_division() {
    hops_before_ = flit_hops_;
    fetches_heads_ = false;  // each part fetches for itself
  }
  void take_over(RouterPool& part);
  /// Flit-hops in the last cycle in which anything moved.
  [[nodiscard]] std::uint64_t last_hops() const { return flit_hops_ - hops_before_; }

  /// The cycle that began last.
  [[nodiscard]] Cycle now() const { return now_; }

  /// After a cycle with at least `flit_hops` of them, the memory of the next routers is fetched ahead of
  /// their turn (router_prefetch.cpp). Results do not depend on it.
  void look_ahead_from(std::uint64_t flit_hops) { look_ahead_from_ = flit_hops; }
  /// Whether in other cycles it is fetched for those who come to a router. As given, where the state of all
  /// routers outgrows the cache.
  void fetch_heads(bool fetches) { outgrows_cache_ = fetches; }
  /// The head of a message that takes `first` will come from an injection channel soon.
  void prefetch_head(NodeId node, unsigned channel, Candidate first) {
    if (fetches_heads_) fetch_head_of(node, channel, first);
  }
  /// What stands at an input VC will be looked at soon.
  void expect_standing(NodeId node, unsigned vc) {
    if (fetches_heads_) fetch(node, vc, 0);
  }

  /// Who is not run, since nothing changes there.
  [[nodiscard]] Standing& standing() { return standing_; }
  [[nodiscard]] const Standing& standing() const { return standing_; }
  /// Whether anybody may stand in such a network: nobody sees flits one by one, and one flit a cycle is the
  /// pace of all.
  [[nodiscard]] bool can_stand() const;

  /// False if this cycle has only wakes that nobody needs any more: of an injection channel that stood, when
  /// its tail was due, or of somebody who was told that nothing arrives.
  [[nodiscard]] bool any_active() const;
  /// Stages 2 to 7 of docs/timing.md for every router that was woken for this cycle.
  void step_awake(InjectionSide& interfaces);

  /// The same for one router.
  void step(NodeId node, InjectionSide& interfaces);

  /// First slot of the FIFO behind a VC of an injection channel, which has buffer() slots.
  [[nodiscard]] Slot* injection_fifo(NodeId node, unsigned channel, unsigned vc) {
    return at(node).input(first_vc(link_ports() + channel) + vc).fifo;
  }
  /// The VC of an injection channel, by which its next flits come. 0 at first.
  void choose_injection_vc(NodeId node, unsigned channel, unsigned vc) {
    injection_vcs_[std::size_t{node} * channels() + channel] = static_cast<std::uint8_t>(vc);
  }
  [[nodiscard]] unsigned injection_vc(NodeId node, unsigned channel) const {
    return node_vcs() == 1 ? 0 : injection_vcs_[std::size_t{node} * channels() + channel];
  }
  /// Flits were put behind these injection channels.
  void inject(NodeId node, std::uint32_t channels) {
    if (!single_vc_injection_) return inject_slow(node, channels);
    after_injection_.arrive(node, std::uint64_t{channels} << first_injection_vc());
  }
  /// Injection channel `channel` found `slot`, which it would write next, not usable: it is to be looked at
  /// again when that changes.
  void await_injection_slot(NodeId node, unsigned channel, Slot slot);

  /// An external module puts a flit into an input port. Throws std::logic_error for a flit without credit, or
  /// that cannot be.
  void put_external(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit);

  /// Injection channels that the network interface has to look at.
  [[nodiscard]] std::uint32_t& injecting(NodeId node) { return state_of(node).injecting; }

  /// Adds the stalls under way up to (not including) cycle `now` to the counters; they go on from there.
  void settle_stalls(Cycle now) { stalls_.settle(now); }

  // --- At rest: no message is in the network, nor was one lately -----------------------------------------

  /// What happens next depends on the messages that come, and of all that was on the round-robin pointers
  /// only.
  [[nodiscard]] bool knows_only_turns() const;
  /// Appends the round-robin pointers of every port of every router. Returns false if somebody is not at
  /// rest.
  [[nodiscard]] bool note_turns(std::vector<std::uint32_t>& turns) const;
  void set_turns(std::span<const std::uint32_t> turns);
  // Add what was not run, so many times: what happened at a port; flit-hops (once), and stalls.
  void count(NodeId node, unsigned number, const PortCounts& counts, std::uint64_t times);
  void count(std::uint64_t flit_hops, const std::array<std::uint64_t, kStallCauses>& stalls,
             std::uint64_t times);
  /// Somebody is told of each stall.
  [[nodiscard]] bool tells_stalls() const { return stalls_.observed(); }

  // --- Numbers -------------------------------------------------------------------------------------------

  /// A VC of a link is granted only with as much room as room_first() says.
  [[nodiscard]] bool needs_packet_space() const { return needs_packet_space_; }
  /// The head of a message at its source.
  [[nodiscard]] Head head_of(NodeId source, NodeId destination, Route route) const {
    Head head{.destination = destination, .route = route};
    routing_->prepare(head, source);
    return head;
  }
  /// The first candidate of a head at its source. If that is its destination it has none; any channel will
  /// do.
  [[nodiscard]] Candidate first_candidate(NodeId source, const Head& head) const {
    if (head.destination == source) return {};
    return routing_->first_candidate(source, vc_place(first_injection_vc()).arrival, head);
  }
  /// Who watches the flits of `node`; nullptr if nobody does.
  [[nodiscard]] FlitObserver* observer(NodeId node) const {
    return observer_ != nullptr && watched_[node] ? observer_ : nullptr;
  }
  /// Those of routers that stand are counted when they are run again, see Standing::flit_hops().
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] const std::array<std::uint64_t, kStallCauses>& stalls() const { return stalls_.totals(); }
  /// The cycle since which the front flit of an input VC has been stalled as it is: with the output VC that
  /// it holds, or without any. Requires that it waits for a VC or for room.
  [[nodiscard]] Cycle stalled_since(NodeId node, unsigned vc) const { return stalls_.since(node, vc); }
  /// The stall of an input VC's front flit in cycle `now`, which is over; nullptr if there is none. Known
  /// only while stalls are observed.
  [[nodiscard]] const FlitStall* stall(NodeId node, unsigned vc, Cycle now) const {
    return stalls_.in_cycle(node, vc, now);
  }
  /// Output VCs that a waiting head may take, of all its candidates, whoever holds them. Requires that it is
  /// routed and not active.
  [[nodiscard]] std::uint64_t admissible(NodeId node, unsigned vc) const;

 private:
  friend class FastForward;  // compares the whole state, and moves it on
  friend class Standing;     // moves on the state of a router that is not run

  /// A flit-hop touches about a kilobyte. What fewer than these touch is in the cache from the cycle before.
  static constexpr std::uint64_t kLookAheadFrom = 1536;
  /// Bytes. The second cache of most machines holds as much.
  static constexpr std::size_t kCache = std::size_t{1} << 20;
  /// What comes to more in one cycle touches half of that.
  static constexpr std::size_t kMaxPrefetches = 512;

  /// A coming cycle: where to leave word for a router, and wake it.
  struct DueCycle {
    PendingEvents* mail = nullptr;  ///< by node
    Agenda::Page awake;

    [[gnu::always_inline]] void arrive(NodeId node, std::uint64_t vcs) const {
      mail[node].arrivals |= vcs;
      awake.wake(node);
    }
  };

  [[nodiscard]] std::uint32_t behind(std::uint32_t position) const {
    return position_behind(position, buffer());
  }
  /// `cycle` is less than the agenda's wheel ahead.
  [[nodiscard]] DueCycle due(Cycle cycle) {
    return {&mail_[agenda_.slot(cycle) * nodes()], agenda_.page(cycle)};
  }
  /// Word for a router for any cycle after `now`.
  void post(Cycle cycle, NodeId node, PendingEvents word, Cycle now);
  void inject_slow(NodeId node, std::uint32_t channels);
  void take_far_word();
  [[nodiscard]] PendingEvents word_left(Cycle cycle, NodeId node, Cycle now);
  RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             ArrivingMessages& arriving, Clock& clock, std::unique_ptr<RoutingFunction> routing);
  void advance_calendar(Cycle now);

  /// Throws if input port `port` of `node` is fed already.
  void require_no_sender(NodeId node, unsigned port) const;
  /// Throws if links have what modules that are not ours do not know.
  void require_plain_links() const;

  // The stages, in order.
  // Those that return something return the injection channels that put a flit.
  /// What has to be asked of each router.
  enum class Step : std::uint8_t {
    plain,    ///< nothing: uncontended_fast_path_, flits need not wait for their tails, nobody stands, nor is
              ///< expected
    any,      ///< all of that
    watched,  ///< the same, and moves are noted
  };
  template <Step step>
  [[gnu::always_inline]] std::uint32_t step_router(NodeId node, InjectionSide& interfaces);
  template <Step step>
  [[gnu::always_inline]] bool move_flits(Here here, NodeId node);
  std::uint32_t step_beside_standing(NodeId node, InjectionSide& interfaces);
  template <Step step>
  [[gnu::always_inline]] void take_mail(Here here, NodeId node);
  std::uint32_t step_interface(Here here, NodeId node, InjectionSide& interfaces);
  void step_unwatched(NodeId node, InjectionSide& interfaces);
  std::uint32_t step_noting_moves(NodeId node, InjectionSide& interfaces);
  void step_watched(NodeId node, InjectionSide& interfaces);
  [[gnu::noinline]] void route_ahead(Here here, unsigned vc);
  template <Step step>
  [[gnu::always_inline]] void take_arrivals(Here here, std::uint64_t arrivals);
  void take_complete_messages(Here here, std::uint64_t arrivals);
  void take_credits(Here here, std::uint64_t credits);
  template <Step step>
  [[gnu::always_inline]] void pass(Here here, unsigned vc);
  template <Step step>
  [[gnu::always_inline]] void stream(Here here, unsigned vc);
  template <Step step>
  void pass_or_compete(Here here, std::uint64_t able);
  [[nodiscard]] std::uint64_t find_conflicts(Here here, std::uint64_t able);
  [[nodiscard]] std::uint64_t arbitrate(Here here, std::uint64_t contenders);
  bool request_vc(Here here, unsigned vc);
  void allocate_vcs(Here here, std::uint64_t asking);
  void route(Here here, unsigned vc);
  void ask_for(InputVc& input, Candidate candidate) const {
    input.group = input.claim = static_cast<std::uint8_t>(candidate.port);
    input.choice = static_cast<std::uint16_t>(link_choice(candidate.port, candidate.channel_class));
  }
  void ask_for_ejection(InputVc& input, unsigned vc) const {
    input.group = input.claim = static_cast<std::uint8_t>(link_ports());
    input.choice = static_cast<std::uint16_t>(ejection_choice(vc));
  }
  unsigned choose_vc(Here here, unsigned vc, std::uint64_t free);
  void hold_vc(Here here, unsigned vc, unsigned output);
  void delay_switch_request(Here here, unsigned vc);
  void fail_vc_allocation(Here here, unsigned vc);
  [[nodiscard]] std::uint64_t with_room_first(Here here, unsigned vc, std::uint64_t outputs,
                                              MessageSlot message);
  [[nodiscard]] std::uint64_t allocate_switch(Here here, std::uint64_t moving);
  [[nodiscard]] std::uint64_t choose_of_two(Here here, unsigned one, unsigned other);
  [[nodiscard]] std::uint64_t choose(Here here, std::uint64_t candidates);
  [[nodiscard]] std::uint64_t allocate_paced(Here here, std::uint64_t moving);
  void wait_for_link(Here here, unsigned vc, Cycle free_from);
  [[nodiscard]] bool has_room(Here here, unsigned output) const;
  void block_for_room(Here here, unsigned vc);
  template <Step step>
  [[gnu::always_inline]] void traverse(Here here, unsigned vc, unsigned output);
  void release(Here here, unsigned vc, unsigned output);
  void rest(Here here, unsigned output);
  void release_due_vcs();
  void leave_far(Here here, unsigned output, Slot flit);
  void send_to_external(Here here, unsigned number, unsigned output, Slot flit);
  /// A module has given back a slot behind an output VC. Returns from which cycle on it can be used.
  Cycle take_external_credit(NodeId node, unsigned output);
  void eject(Slot flit);
  void return_slot(Here here, unsigned vc, unsigned number);
  void expect_credit(Here here, unsigned output, Slot& slot);

  // Looking ahead (router_prefetch.cpp).
  /// A router that will be stepped soon, and its input VCs with a flit that could move.
  struct PrefetchEntry {
    Here here{};
    std::uint64_t able = 0;
  };
  void step_looking_ahead(InjectionSide& interfaces);
  void fetch_header(NodeId node) const;
  [[nodiscard]] PrefetchEntry fetch_channels(NodeId node, const InjectionSide& interfaces) const;
  void fetch_flits(PrefetchEntry router) const;
  void fetch_messages(PrefetchEntry router) const;
  void fetch_way(PrefetchEntry router);
  void fetch_receivers(PrefetchEntry router) const;
  void fetch_head_behind(Here here, unsigned vc, unsigned output);
  void fetch_head_of(NodeId node, unsigned channel, Candidate first);
  void fetch(NodeId node, unsigned vc, std::uint64_t outputs);
  void fetch_expected();
  void fetch_output(Here here, unsigned output) const;
  void fetch_receiver(Here here, unsigned output) const;

  // Several candidates.
  void route_adaptively(Here here, std::uint64_t heads);
  [[nodiscard]] std::uint64_t select_candidates(Here here, std::uint64_t heads);
  [[nodiscard]] Offer offer(Here here, unsigned vc, Candidate candidate);
  void ask_again(Here here, std::uint64_t heads);
  [[nodiscard]] std::uint32_t usable_slots(const OutputVc& target) const;

  /// Heads that found no VC ask again in the cycle `from`: all of the router's, or those of one group.
  void retry_heads(Here here, Cycle from);
  void retry_group(Here here, unsigned group, Cycle from);

  MessageTable& messages_;
  Agenda& agenda_;
  ArrivingMessages& arriving_;
  Clock& clock_;
  FlitObserver* observer_ = nullptr;
  std::shared_ptr<const RoutingFunction> routing_;
  bool adaptive_;  ///< heads may have several candidates
  bool needs_packet_space_;
  bool streams_;                ///< flits that were seen not to hinder each other need not be compared again
  bool uncontended_fast_path_;  ///< a flit that nobody competes with goes through all stages at once
  std::uint64_t look_ahead_from_ = kLookAheadFrom;
  std::uint64_t hops_before_ = 0;  ///< until the last cycle began
  bool outgrows_cache_ = bytes() > kCache;
  bool fetches_heads_ = false;  ///< in this cycle, from now on
  /// Somebody comes to an input VC, and goes on by one of the output VCs, or that which it holds if there are
  /// none.
  struct Expected {
    NodeId node = 0;
    unsigned vc = 0;
    std::uint64_t outputs = 0;
  };
  std::vector<Expected> expected_;  ///< since the last cycle
  Selector selector_;
  std::vector<Candidate> candidates_;  ///< of the head that asks
  std::vector<Offer> offers_;          ///< likewise

  Switching switching_;
  Cycle vc_reallocation_delay_;
  Cycle vc_delay_;
  Cycle credit_delay_;
  /// An output VC of a link that cannot be granted before a cycle; by that cycle.
  struct Rest {
    Cycle until = 0;
    NodeId node = 0;
    unsigned output = 0;
  };
  std::deque<Rest> rests_;
  Cycle router_delay_;
  Cycle link_delay_;  ///< that most links have
  std::uint32_t ejection_pace_;
  bool single_vc_injection_;                  ///< by the only VC of a channel, within the agenda's wheel
  SharedZeroed<std::uint8_t> injection_vcs_;  ///< by injection channel, if these have several VCs

  // The present cycle, and those for which a router leaves word.
  Cycle now_ = 0;
  DueCycle this_cycle_;
  DueCycle next_cycle_;
  DueCycle after_injection_;  ///< a flit put now by a network interface is usable
  DueCycle after_hop_;        ///< a flit sent now to another router is usable there

  std::vector<NodeId> awake_;         ///< in this cycle, if the pool looks ahead
  SharedZeroed<PendingEvents> mail_;  ///< node by node, cycle after cycle of the agenda's wheel
  /// What a router is told in a cycle beyond the wheel; by that cycle.
  struct DeferredEvent {
    NodeId node = 0;
    PendingEvents word;
  };
  std::map<Cycle, std::vector<DeferredEvent>> far_mail_;
  NodeRange range_{0, nodes()};  ///< of the routers that are stepped here
  /// What routers beyond the range are to be told.
  struct ForOthers {
    struct Word {
      Cycle cycle = 0;
      NodeId node = 0;
      PendingEvents word;
    };
    /// An output VC waits for a slot of its receiver.
    struct Credit {
      Here here{};
      unsigned output = 0;
      Slot* slot = nullptr;
    };
    std::vector<Word> words;
    std::vector<Credit> credits;
  };
  ForOthers for_others_;
  ExternalLinks external_{ports()};
  StallAccount stalls_;
  Standing standing_;
  std::uint64_t flit_hops_ = 0;

  // For those who watch; empty if nobody does.
  std::vector<std::uint8_t> watched_;  ///< by node, if there is an observer
  struct Move {
    unsigned input_vc = 0;
    unsigned output_vc = 0;
    Slot flit;
  };
  std::vector<Move> moves_;  ///< of the router that is stepped, if it is watched
};

}  // namespace flitscope
