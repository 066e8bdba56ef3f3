// A group of routers for one cycle, stages 2 to 7 of docs/timing.md: the engine's inner loop. Each stage has
// a header, which router_groups_make.cpp alone includes.
//
// What all flits have in common is done for four VCs of 64 routers at a time; heads and tails are handled one
// by one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/bits.h"
#include "routers/engine/planes.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

/// Of the number of a port or a VC.
inline constexpr unsigned kNumberBits = std::bit_width(kMaxInputVcs - 1);
/// The output VC that an input port requests in some routers.
struct PortRequest {
  Plane routers;
  Plane port[kNumberBits];
  Plane vc[kNumberBits];
};

/// Whether the processor has the vectors for which the cycle is compiled. Other processors run it for shapes
/// that are read; the address sanitizer does as they do, so that its tests cover them. Clang compiles it for
/// any processor.
[[nodiscard]] inline bool has_vectors() {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#elif defined(__x86_64__) && !defined(__clang__)
  return __builtin_cpu_supports("x86-64-v3") != 0;
#else
  return true;
#endif
}

/// What is compiled in.
enum class GroupVersion : std::uint8_t {
  plain,  ///< for machines without options and observers
  full,
  wide,  ///< with sets of VCs of several words, for routers with more than 64 input VCs
};

/// The cycle of a group. Constants of the shape are compiled in, unless it is {}.
template <GroupShape kShape, GroupVersion kVersion>
class GroupCycle final : public RouterGroups, public ShapeNumbers<GroupCycle<kShape, kVersion>> {
 public:
  GroupCycle(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             ArrivingMessages& arriving, const RouterObservers& observers, ExternalLinks* modules)
      : RouterGroups(topology, machine, messages, agenda, arriving, observers, modules) {}
  [[nodiscard]] const GroupShape& shape() const { return layout().shape; }

 private:
  [[nodiscard]] std::unique_ptr<RouterGroups> share() const override {
    return std::make_unique<GroupCycle>(*this);
  }

  using Numbers = ShapeNumbers<GroupCycle>;
  using Numbers::link_ports, Numbers::channels, Numbers::ports, Numbers::virtual_channels, Numbers::node_vcs,
      Numbers::vcs_of_port, Numbers::input_vcs, Numbers::first_injection_vc, Numbers::link_row,
      Numbers::vc_quads, Numbers::injection_vc_quads, Numbers::port_quads, Numbers::port_bits,
      Numbers::vc_bits;
  static constexpr bool kPlain = kVersion == GroupVersion::plain;
  static constexpr bool kWide = kVersion == GroupVersion::wide;
  static constexpr unsigned kMostVcs = kWide ? kMaxInputVcs : 64;
  /// Four planes of every input port.
  struct PortQuads {
    Quad quads[kMostVcs];
    [[nodiscard]] Quad& operator[](std::size_t i) { return quads[i]; }
  };
  using PortRequests = std::array<PortRequest, kMostVcs>;

  static constexpr GroupLayout kLayout{kShape};
  static constexpr RouterBlock::Layout kBlock{kShape};

  [[nodiscard]] const GroupLayout& layout() const {
    if constexpr (kShape != GroupShape{}) return kLayout;
    return layout_;
  }
  using RouterGroups::router;
  [[nodiscard]] RouterBlock router(GroupRef group, unsigned number) const {
    if constexpr (kShape != GroupShape{})
      return {routers_.get() + std::size_t{group.node(number)} * kBlock.bytes, kBlock, kBlock.words};
    const RouterBlock router = RouterGroups::router(group, number);
    return {router.block, router.layout, kWide ? router.words : 1};
  }
  using Set = std::conditional_t<kWide, VcSet, VcSetOf<1>>;
  [[nodiscard]] Set choice(unsigned number) const {
    return RouterNumbers::choice<Set>(number, kWide ? block_.words : 1);
  }
  // Options.
  [[nodiscard]] bool has_parts() const { return !kPlain && parts_ != nullptr; }
  [[nodiscard]] bool allocates_by_parts() const { return has_parts() && parts_->allocates; }
  [[nodiscard]] bool delays_routing() const { return has_parts() && parts_->options.routing_delay != 0; }
  /// Messages wait for an empty injection VC.
  [[nodiscard]] bool tracks_puts() const { return has_parts() && parts_->tracks_puts(); }
  [[nodiscard]] bool delays_grants() const { return !kPlain && vc_delay_ != 0; }
  /// Heads at the front of an input VC request an output VC or hold it some cycles later.
  [[nodiscard]] bool delays_heads() const { return !kPlain && delays_heads_; }
  [[nodiscard]] bool delays_releases() const { return !kPlain && vc_reallocation_delay_ != 1; }
  [[nodiscard]] bool needs_space() const { return !kPlain && needs_packet_space_; }
  [[nodiscard]] bool is_adaptive() const { return !kPlain && selector_; }
  [[nodiscard]] bool remembers_queues() const { return !kPlain && queue_history_ != nullptr; }
  [[nodiscard]] bool stores_and_forwards() const { return !kPlain && store_and_forward_; }
  [[nodiscard]] bool has_busy_ports() const { return !kPlain && has_busy_ports_; }
  [[nodiscard]] bool has_queues() const { return has_parts() && parts_->has_queues(); }
  /// Cycles that the flit of an input VC that leaves now waits in an output queue.
  [[nodiscard]] Cycle queue_wait(unsigned number, unsigned vc) const {
    return has_queues() ? parts_->queue_wait(number, vc) : 0;
  }
  /// Requests of heads are weighed one by one, in every cycle in which something has changed.
  [[nodiscard]] bool weighs_requests() const { return !kPlain && head_waits_ != nullptr; }
  [[nodiscard]] bool observes_stalls() const { return !kPlain && observed_stalls_ != nullptr; }
  [[nodiscard]] bool observes_flits() const { return !kPlain && observed_flits_ != nullptr; }
  [[nodiscard]] bool has_classes() const { return !kPlain && shape().message_classes != 1; }
  [[nodiscard]] bool has_priorities() const { return !kPlain && shape().priorities; }
  [[nodiscard]] bool limits_requests() const { return !kPlain && requests_ != nullptr; }
  [[nodiscard]] bool has_ejection_buffers() const { return !kPlain && shape().ejection_buffers; }
  [[nodiscard]] bool has_banks() const { return !kPlain && shape().banks != 0; }
  [[nodiscard]] bool paces_reads() const { return !kPlain && reads_ != nullptr; }
  [[nodiscard]] bool paces_channels() const { return queues() != 1 && injection_interval_ != 1; }
  [[nodiscard]] bool is_observed() const { return observes_stalls() || observes_flits(); }
  [[nodiscard]] bool has_modules() const { return !kPlain && modules_ != nullptr; }
  /// Routers of a group whose output port leads to a module, or whose input port is fed by one.
  [[nodiscard]] Plane to_modules(GroupRef group, unsigned port) const {
    return has_modules() ? modules_->to_modules(group.number, port) : 0;
  }
  [[nodiscard]] Plane from_modules(GroupRef group, unsigned port) const {
    return has_modules() ? modules_->from_modules(group.number, port) : 0;
  }

  [[nodiscard]] unsigned vc_words() const { return layout().vc_words; }
  [[nodiscard]] unsigned queues() const { return kPlain ? 1 : shape().queues; }
  [[nodiscard]] unsigned injectors() const { return channels() * queues(); }
  [[nodiscard]] std::size_t injector_row(NodeId node, unsigned injector) const {
    return std::size_t{node} * injectors() + injector;
  }
  [[nodiscard]] unsigned vcs_of_injector() const { return node_vcs() / queues(); }
  [[nodiscard]] unsigned injector_quads() const { return (injectors() + 3) / 4; }
  [[nodiscard]] unsigned injector_words() const { return injector_quads() * 4; }
  // Numbers of the output VCs that the input VCs of a quad hold.
  [[nodiscard]] Quad* output_port(GroupRef group, unsigned i) const {
    return group.quads(layout().output_port) + i;
  }
  [[nodiscard]] Quad* output_vc(GroupRef group, unsigned i) const {
    return group.quads(layout().output_vc) + i;
  }
  [[nodiscard]] Plane& sent(unsigned output) { return sent_.planes()[output]; }
  [[nodiscard]] static Quads links_of(const RouterNumbers& numbers) {
    Quads links{};
    for (unsigned output = 0; output < numbers.first_injection_vc(); ++output)
      links.planes()[output] = ~Plane{0};
    return links;
  }

  void step(GroupRef group) override {
    if constexpr (kShape == GroupShape{} && !kPlain) {
      if (!has_vectors()) return run_stages(group);
    }
    step_with_vectors(group);
  }
#if defined(__x86_64__) && !defined(__clang__)
  [[gnu::target("arch=x86-64-v3")]]
#endif
  void
  step_with_vectors(GroupRef group) {
    run_stages(group);
  }
  [[gnu::always_inline]] inline void run_stages(GroupRef group) {
    if (*group.planes(layout().steady) != 0 && repeat_cycle(group)) return;
    if (has_parts()) begin_parts(group);
    if (has_busy_ports() && can_sleep()) wake_up(group);
    const bool events = take_events(group);
    if (has_parts() && parts_->options.limits_room()) limit_room(group);
    const bool requests = allocates_by_parts() ? take_heads_by_parts(group) : take_heads(group);
    bool some = find_candidates(group);
    bool repeats = false;
    if (allocates_by_parts()) {
      some = allocate_switch_by_parts(group);
    } else if (some) {
      repeats = repeat_moves(group);
      if (!repeats) {
        pick_inputs(group);
        kWide ? pick_outputs_by_flits(group) : pick_outputs(group);
      }
      if (has_parts()) note_sent_flits(group);
    }
    count_flits(group);
    if (!kPlain || !some) keep_heads(group);
    if (has_ejection_buffers()) note_full_buffers();
    if (some) {
      traverse(group, repeats);
    } else if (has_busy_ports()) {
      note_lost(group);
    }
    const bool injects = inject(group);
    if (remembers_queues()) note_queues(group);
    works_ |= events | requests | some | injects;
    if (steady_ != nullptr && repeats && keeps_moves_) find_steady(group);
    if (stays_awake(group)) {
      marks_->wake(group.number, now_ + 1);
    } else if (has_busy_ports() && can_sleep()) {
      sleep(group);
    }
  }

  /// Of the input ports that request an output port.
  struct PortWinner {
    std::uint16_t place;  ///< the lowest wins
    std::uint8_t vc;
    std::uint8_t output;
  };
  /// A flit that moves.
  struct Move {
    unsigned router;
    unsigned vc;
    unsigned output;
  };

  // Stages 2 and 3: arrivals and credits (group_events.h).
  [[gnu::always_inline]] inline bool take_events(GroupRef group);

  // Stage 4: routing and VC allocation (group_vc_allocation.h).
  [[gnu::always_inline]] inline bool take_heads(GroupRef group);
  bool take_heads_by_parts(GroupRef group);
  void prefetch_heads(GroupRef group);
  [[gnu::always_inline]] inline std::span<ComingHead> find_requests(GroupRef group, bool arrived,
                                                                    Plane& several, bool& some);
  void arrive_whole(GroupRef group, const ComingHead& head);
  [[gnu::always_inline]] inline ComingHead::Choice choice_of(NodeId node, unsigned vc, const Head& head,
                                                             MessageSlot message, bool arrived) const;
  [[gnu::always_inline]] inline void request_vcs(GroupRef group, std::span<ComingHead> heads, Plane several);
  void append(GroupRef group, const ComingHead& head);
  [[nodiscard]] std::uint32_t flits_of(const ComingHead& head) const {
    return head.flits != kMostLeft ? head.flits : messages_[head.message].flits;
  }
  void wait(GroupRef group, const ComingHead& head);
  bool allocate_vcs(GroupRef group, unsigned number);
  [[gnu::always_inline]] inline unsigned grant(GroupRef group, unsigned number, unsigned vc,
                                               unsigned requested, const Set& free, std::uint32_t counted);

  // Stage 5: switch allocation (group_switch_allocation.h).
  [[gnu::always_inline]] inline bool find_candidates(GroupRef group);
  void find_busy(GroupRef group, unsigned i);
  void note_stalls(GroupRef group, unsigned vc, Plane before, Plane no_room);
  [[gnu::always_inline]] inline bool repeat_moves(GroupRef group);
  bool change_moves(GroupRef group, Quads& changed);
  [[gnu::always_inline]] inline void take_turn(GroupRef group, const Move& move);
  [[gnu::always_inline]] inline void pick_inputs(GroupRef group);
  void arbitrate_input(GroupRef group, unsigned first, unsigned vcs, Plane contested);
  [[gnu::always_inline]] inline void pick_outputs(GroupRef group);
  void find_without_room(GroupRef group, Quads& no_room);
  void pick_outputs_by_flits(GroupRef group);
  [[gnu::always_inline]] inline void find_port_requests(GroupRef group, PortRequests& requests);

  // Stage 6: traversal (group_traversal.h).
  void keep_heads(GroupRef group);
  [[gnu::always_inline]] inline void keep_head(GroupRef group, const ComingHead& head, bool moved);
  [[gnu::always_inline]] inline void traverse(GroupRef group, bool repeats);
  [[gnu::always_inline]] inline void forget_ends(GroupRef group);
  [[gnu::always_inline]] inline void take_turns_at_inputs(GroupRef group);
  [[gnu::always_inline]] inline void note_lost(GroupRef group);
  [[gnu::noinline]] void note_lost_switch(GroupRef group, unsigned vc, Plane routers);
  [[nodiscard, gnu::always_inline]] inline MessageSlot find_winner(GroupRef group, unsigned number,
                                                                   unsigned vc) const;
  [[gnu::always_inline]] inline void count_flits(GroupRef group);
  [[gnu::always_inline]] inline void count_slots(GroupRef group, unsigned i, const Quad& got,
                                                 const Quad& taken);
  [[gnu::always_inline]] inline void count_put_slots(GroupRef group, unsigned i, const Quad& got,
                                                     const Quad& taken);
  void end_ejections(GroupRef group);
  [[gnu::always_inline]] inline void move_granted(GroupRef group, bool arrived);
  [[gnu::always_inline]] inline void move_end(GroupRef group, unsigned number, unsigned vc);
  [[gnu::always_inline]] inline void send_head(GroupRef group, unsigned number, const Head& head,
                                               MessageSlot message, std::uint32_t flits, unsigned output,
                                               Cycle wait = 0);
  void send_whole(NodeId node, MessageSlot message, unsigned output, Cycle wait);
  [[gnu::always_inline]] inline void expect_head(const ComingCycle& then, NodeId node, unsigned vc,
                                                 const Head& head, MessageSlot message, std::uint32_t flits);
  [[gnu::always_inline]] inline void release(GroupRef group, unsigned number, unsigned vc, unsigned output,
                                             std::uint32_t flits);
  [[gnu::noinline]] void forget_move(GroupRef group, const Move& move);
  void take_next(GroupRef group, unsigned number, unsigned vc);
  void count_more(GroupRef group, unsigned number, unsigned vc);

  // Events of neighbours (group_events.h).
  [[gnu::always_inline]] inline void post_arrivals(GroupRef group);
  [[gnu::always_inline]] inline void post_credits(GroupRef group);
  template <Event kEvent>
  [[gnu::always_inline]] inline void post_to_neighbours(GroupRef group, Quads& flits);
  [[gnu::always_inline]] inline void post_at(const std::vector<Neighbours::Offset>& offsets,
                                             const std::vector<ComingCycle>& then, Group group, Event event,
                                             unsigned first, std::span<const Plane> routers);
  [[gnu::always_inline]] inline void post_quads(const std::vector<Neighbours::QuadOffset>& offsets,
                                                const ComingCycle& then, GroupRef group, Event event,
                                                Quads& routers);

  // Stage 7: injection (group_injection.h).
  [[gnu::always_inline]] inline bool inject(GroupRef group);
  bool inject_by_vcs(GroupRef group);
  [[nodiscard]] std::uint32_t counted_of(std::uint32_t flits) const;
  void keep_from_putting(GroupRef group, unsigned quad, Quad& put) const;
  void take_turns(GroupRef group, Plane* could_put);
  void choose_vcs(GroupRef group, unsigned number, Plane routers);
  [[gnu::always_inline]] inline void put_flits(GroupRef group, unsigned number, unsigned vc, Plane put,
                                               Plane last);
  [[gnu::always_inline]] inline void take_message(GroupRef group, NodeId node, unsigned number);
  [[gnu::always_inline]] inline bool stays_awake(GroupRef group) const;
  [[nodiscard]] Plane puts_next(GroupRef group, unsigned number) const;

  // Cycles of a group that are like the last one (group_repetition.h).
  [[nodiscard]] bool has_posts(GroupRef group) const {
    return steady_ != nullptr && steady_[group.number].has_posts;
  }
  [[gnu::always_inline]] inline void find_steady(GroupRef group);
  [[gnu::always_inline]] inline bool repeat_cycle(GroupRef group);
  [[gnu::always_inline]] inline bool has_same_flits(GroupRef group, const Quad* events);
  [[nodiscard, gnu::always_inline]] inline std::uint32_t cycles_without_tails(GroupRef group);
  [[gnu::always_inline]] inline bool exchange_slots(GroupRef group, const Quad* events);
  void find_posts(GroupRef group);
  void change_posts(GroupRef group, const Move& move, bool adds);
  [[gnu::always_inline]] inline void post_moves(const SteadyGroup& steady);

  // Of the present group.
  /// Heads that are usable for the first time, on their way or at their destination. Those that get an output
  /// VC at once have flits.
  std::array<std::span<ComingHead>, 2> fresh_;
  Quads put_{};    ///< injectors that put a flit
  Quads freed_{};  ///< injection VCs that get a slot
  // By input VC.
  Quads arrivals_{};                      ///< flits that are usable for the first time
  Quads before_{};                        ///< without room in the last cycle
  Quads ends_{};                          ///< heads and tails that leave
  Quads last_{};                          ///< the last flits of those counted that leave
  Quads links_ = links_of(*this);         ///< output VC: it is one of a link
  Quads busy_{};                          ///< input VC: a flit waits for its link alone
  bool keeps_moves_ = false;              ///< the moves of this cycle are kept for the next one
  std::vector<PortWinner> best_;          ///< of wide routers, by output port, router by router
  std::vector<Move> tails_;               ///< that leave a group with known posts
  Plane regains_slots_ = 0;               ///< routers with a usable slot more, where space counts
  std::array<Plane, kMostVcs> claims_{};  ///< by group of output VCs: it is requested
};

}  // namespace flitscope
