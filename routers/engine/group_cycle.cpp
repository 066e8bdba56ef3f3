// A group of routers for one cycle, stages 2 to 7 of docs/timing.md: the engine's inner loop.
//
// What all flits have in common is done for four VCs of 64 routers at a time; heads and tails are handled one
// by one.
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

namespace {

[[gnu::always_inline]] inline Plane any_of(const Quad& quad) {
  return quad[0] | quad[1] | quad[2] | quad[3];
}

/// Calls visit(i, plane) for the planes of quads that are not 0.
template <typename Visit>
[[gnu::always_inline]] inline void for_each_plane(const Quad* quads, unsigned count, Visit visit) {
  const auto* const planes = reinterpret_cast<const Plane*>(quads);
  for (unsigned i = 0; i < count; ++i) {
    if (planes[i] != 0) visit(i, planes[i]);
  }
}

constexpr unsigned kMostQuads = kMaxVirtualChannels / 4;
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

/// The cycle of a group. Constants of the shape are compiled in, unless it is {}. Of a plain machine, without
/// options and observers, these are compiled out.
template <GroupShape kShape, bool kPlain>
class GroupCycle final : public RouterGroups {
 public:
  GroupCycle(const Topology& topology, const MachineConfig& machine, MessageTable& messages, Agenda& agenda,
             ArrivingMessages& arriving, const RouterObservers& observers)
      : RouterGroups(topology, machine, messages, agenda, arriving, observers),
        requests_(kRouters * input_vcs()) {}

  bool step() override {
    works_ = has_ejection_buffers() && read_ejection_buffers();
    agenda_.visit(now_, [&](Group group) { step(at(group)); });
    if (is_observed()) report();
    return works_;
  }

 private:
  static constexpr GroupLayout kLayout{kShape};

  [[nodiscard]] GroupShape shape() const {
    if constexpr (kShape != GroupShape{}) return kShape;
    return shape_;
  }
  [[nodiscard]] const GroupLayout& layout() const {
    if constexpr (kShape != GroupShape{}) return kLayout;
    return layout_;
  }
  // Options.
  [[nodiscard]] bool has_parts() const { return !kPlain && parts_ != nullptr; }
  /// Messages wait for an empty injection VC.
  [[nodiscard]] bool tracks_puts() const { return has_parts() && parts_->tracks_puts(); }
  [[nodiscard]] bool delays_grants() const { return !kPlain && vc_delay_ != 0; }
  [[nodiscard]] bool delays_releases() const { return !kPlain && vc_reallocation_delay_ != 1; }
  [[nodiscard]] bool needs_space() const { return !kPlain && needs_packet_space_; }
  [[nodiscard]] bool is_adaptive() const { return !kPlain && selector_; }
  [[nodiscard]] bool stores_and_forwards() const { return !kPlain && store_and_forward_; }
  [[nodiscard]] bool has_intervals() const { return !kPlain && !intervals_.empty(); }
  /// Requests of heads are weighed one by one, in every cycle in which something has changed.
  [[nodiscard]] bool weighs_requests() const { return needs_space() || is_adaptive(); }
  [[nodiscard]] bool observes_stalls() const { return !kPlain && observed_stalls_ != nullptr; }
  [[nodiscard]] bool observes_flits() const { return !kPlain && observed_flits_ != nullptr; }
  [[nodiscard]] bool has_classes() const { return !kPlain && shape().message_classes != 1; }
  [[nodiscard]] bool has_priorities() const { return !kPlain && shape().priorities; }
  [[nodiscard]] bool has_ejection_buffers() const { return !kPlain && shape().ejection_buffers; }
  [[nodiscard]] bool paces_channels() const { return queues() != 1 && injection_interval_ != 1; }
  [[nodiscard]] bool is_observed() const { return observes_stalls() || observes_flits(); }

  [[nodiscard]] unsigned link_ports() const { return shape().link_ports; }
  [[nodiscard]] unsigned virtual_channels() const { return shape().virtual_channels; }
  [[nodiscard]] unsigned channels() const { return shape().channels; }
  [[nodiscard]] unsigned ports() const { return shape().ports(); }
  [[nodiscard]] unsigned first_injection_vc() const { return shape().first_injection_vc(); }
  [[nodiscard]] unsigned input_vcs() const { return shape().input_vcs(); }
  [[nodiscard]] unsigned vcs_of_port(unsigned port) const { return shape().vcs_of_port(port); }
  [[nodiscard]] unsigned vc_quads() const { return shape().vc_quads(); }
  [[nodiscard]] unsigned vc_words() const { return shape().vc_quads() * 4; }
  [[nodiscard]] unsigned node_vcs() const { return shape().node_vcs; }
  [[nodiscard]] unsigned injection_vc_quads() const { return shape().injection_vc_quads(); }
  [[nodiscard]] unsigned queues() const { return kPlain ? 1 : shape().queues; }
  [[nodiscard]] unsigned injectors() const { return channels() * queues(); }
  [[nodiscard]] unsigned vcs_of_injector() const { return node_vcs() / queues(); }
  [[nodiscard]] unsigned injector_quads() const { return (injectors() + 3) / 4; }
  [[nodiscard]] unsigned injector_words() const { return injector_quads() * 4; }
  [[nodiscard]] unsigned port_quads() const { return shape().port_quads(); }
  /// By input VC, those that hold an output VC.
  [[nodiscard]] unsigned held(unsigned output) const { return layout().held + output * vc_words(); }
  /// By output port, those of which input VC `vc` holds one.
  [[nodiscard]] unsigned wanted(unsigned vc) const { return layout().wanted + vc * port_quads() * 4; }
  [[nodiscard]] Plane& sent(unsigned output) { return sent_.planes()[output]; }

// Compiled twice: for any processor, and for those with vectors of four words. The choice at the program's
// start is too early for the thread sanitizer.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
  [[gnu::target_clones("arch=x86-64-v3", "default")]]
#endif
  void
  step(GroupRef group) {
    if (has_parts()) take_early_credits(group);
    const bool events = take_events(group);
    const bool requests = has_parts() ? allocate_vcs_by_parts(group) : take_heads(group);
    bool some = find_candidates(group);
    if (has_parts()) {
      some = allocate_switch_by_parts(
          group, {candidates_.planes(), picked_.planes(), moved_.planes(), sent_.planes()});
    } else if (some) {
      pick_inputs(group);
      pick_outputs(group);
    }
    keep_heads(group);
    if (has_ejection_buffers()) note_full_buffers();
    if (some) {
      traverse(group);
    } else if (has_intervals()) {
      note_lost(group);
    }
    const bool injects = inject(group);
    works_ |= events | requests | some | injects;
    if (stays_awake(group)) agenda_.wake(group.number, now_ + 1);
  }

  // --- Stages 2 and 3: arrivals and credits ---------------------------------------------------------------

  [[gnu::always_inline]] bool take_events(GroupRef group) {
    const unsigned events = in(0).events;
    const auto take = [&](Event event, unsigned i, Quad& routers) {
      Quad& quad = group.quads(events + numbers_.event[static_cast<unsigned>(event)])[i];
      routers = quad;
      quad = Quad{};
    };
    Quad routers;
    Quad work{};
    Quad credits{};
    for (unsigned i = 0; i < vc_quads(); ++i) {
      take(Event::arrival, i, routers);
      work |= routers;
      group.quads(layout().ready)[i] |= routers;
      sliced::increase(group.quads(numbers_.usable) + i, count_bits_, vc_quads(), routers);
      take(Event::credit, i, routers);
      if (needs_space()) credits |= routers;
      group.quads(layout().room)[i] |= routers;
      sliced::increase(group.quads(numbers_.slots) + i, count_bits_, vc_quads(), routers);
    }
    for (unsigned i = 0; i < injection_vc_quads(); ++i) {
      take(Event::slot, i, routers);
      group.quads(layout().put_room)[i] |= routers;
      sliced::increase(group.quads(numbers_.put_slots) + i, count_bits_, injection_vc_quads(), routers);
    }
    for (unsigned i = 0; i < injector_quads(); ++i) {
      take(Event::due, i, routers);
      work |= routers;
      group.quads(layout().due)[i] |= routers;
      take(Event::idle, i, routers);
      group.quads(layout().idle)[i] |= routers;
    }
    if (needs_space()) regains_slots_ = any_of(credits);
    if (has_intervals()) free_links(group);
    if (paces_channels()) {
      for (unsigned i = 0; i < (channels() + 3) / 4; ++i) {
        take(Event::pace, i, routers);
        group.quads(layout().paced)[i] |= routers;
      }
    }
    if (delays_grants()) hold_granted(group);
    if (delays_releases()) free_vcs(group);
    return any_of(work) != 0;
  }

  /// Calls visit(router, number) for the events of a kind by VC in this cycle.
  template <typename Visit>
  void for_each_event(GroupRef group, Event event, Visit visit) {
    Quad* const events = group.quads(in(0).events + numbers_.event[static_cast<unsigned>(event)]);
    for_each_plane(events, vc_words(), [&](unsigned number, Plane routers) {
      for_each_bit(routers, [&](unsigned router) { visit(router, number); });
    });
    std::fill_n(events, vc_quads(), Quad{});
  }

  /// Output VCs that were granted a while ago take part in switch allocation.
  void hold_granted(GroupRef group) {
    for_each_event(group, Event::hold, [&](unsigned number, unsigned vc) {
      const RouterRef router = this->router(group, number);
      router.header().granted &= ~bit(vc);
      group.planes(layout().active)[vc] |= Plane{1} << number;
      hold(group, number, vc, router.front(vc).output);
    });
  }

  /// Output VCs that were released a while ago can be granted.
  void free_vcs(GroupRef group) {
    for_each_event(group, Event::free, [&](unsigned number, unsigned output) {
      RouterHeader& header = router(group, number).header();
      header.holds &= ~bit(output);
      if (header.asking != 0) *group.planes(layout().retry) |= Plane{1} << number;
    });
  }

  /// Links whose interval is over.
  void free_links(GroupRef group) {
    Plane* const busy = group.planes(numbers_.busy);
    for (unsigned port = 0; port < link_ports(); ++port) {
      for_each_bit(busy[port], [&](unsigned number) {
        if (intervals_[std::size_t{group.node(number)} * link_ports() + port].free_from > now_) return;
        busy[port] &= ~(Plane{1} << number);
      });
    }
  }

  // --- Stage 4: routing and VC allocation -----------------------------------------------------------------

  /// Heads that are usable for the first time: those behind another message wait for its tail, the others,
  /// and all heads of routers that have released a VC which one of them waits for, request an output VC.
  [[gnu::always_inline]] bool take_heads(GroupRef group) {
    // The order of requests matters only where there are several for a group of output VCs.
    Plane several = std::exchange(*group.planes(layout().retry), 0);
    std::fill_n(claims_.begin(), link_ports() + 1, 0);
    if (beyond_cache_) prefetch_heads(group);
    Request* end = requests_.data();
    for (const bool arrived : {false, true}) {
      granted_[arrived] = {end, find_requests(group, arrived, end, several)};
      end += granted_[arrived].size();
    }
    for (std::span<Request>& requests : granted_) requests = request_vcs(group, requests, several);
    bool works = several != 0 || end != requests_.data();
    if (needs_space()) several |= regains_slots_ & group.planes(layout().asking)[0];
    for_each_bit(several, [&](unsigned router) { works |= allocate_vcs(group, router); });
    return works;
  }

  /// Prefetches what the heads that are usable now need, line by line of the cache.
  void prefetch_heads(GroupRef group) {
    for (const bool arrived : {false, true}) {
      for (const ComingHead head : heads_at(now_, group.number, arrived)) {
        prefetch(&messages_[head.message]);
        prefetch(router(group, head.router).block);
        prefetch(&receivers_[std::size_t{group.node(head.router)} * link_ports()]);
      }
    }
  }

  /// Notes the requests of the heads that are usable now, of those at their destination or of the others, and
  /// the routers with several for a group of output VCs. Returns the end of the requests.
  [[gnu::always_inline]] Request* find_requests(GroupRef group, bool arrived, Request* request,
                                                Plane& several) {
    std::vector<ComingHead>& heads = heads_at(now_, group.number, arrived);
    for (const ComingHead head : heads) {
      const Plane router = Plane{1} << head.router;
      if (stores_and_forwards()) arrive_whole(group, head);
      const RouterHeader& header = this->router(group, head.router).header();
      const bool waits = ((header.asking | header.granted) & bit(head.vc)) != 0;
      if (waits || (group.planes(layout().active)[head.vc] & router) != 0) {
        append(group, head);
        continue;
      }
      *request = {head, choice_of(group.node(head.router), head, arrived)};
      if (weighs_requests()) {
        several |= router;
      } else {
        Plane& claims = claims_[request->choice.group];
        several |= claims & router;
        claims |= router;
      }
      ++request;
    }
    heads.clear();
    return request;
  }

  /// All flits of a message are usable.
  void arrive_whole(GroupRef group, const ComingHead& head) {
    const Plane router = Plane{1} << head.router;
    sliced::add(group.planes(numbers_.usable) + head.vc, count_bits_, vc_words(), router,
                messages_[head.message].flits);
    group.planes(layout().ready)[head.vc] |= router;
  }

  /// The output VCs that a head requests; of several candidates it selects one in every cycle.
  [[gnu::always_inline]] Choice choice_of(NodeId node, const ComingHead& head, bool arrived) const {
    const unsigned message_class = has_classes() ? messages_[head.message].message_class : 0;
    if (arrived) {
      return {static_cast<std::uint16_t>(ejection_choice(head.vc, message_class)),
              static_cast<std::uint8_t>(link_ports())};
    }
    if (is_adaptive()) return {};
    const Arrival arrival = has_classes() ? this->arrival(head.vc, message_class) : vc_info(head.vc).arrival;
    const Candidate candidate = routing_->first_candidate(node, arrival, messages_[head.message].head);
    return {static_cast<std::uint16_t>(link_choice(candidate.port, candidate.channel_class, message_class)),
            static_cast<std::uint8_t>(candidate.port)};
  }

  /// Grants an output VC to those that need not contend. Returns these; the others wait.
  [[gnu::always_inline]] std::span<Request> request_vcs(GroupRef group, std::span<Request> requests,
                                                        Plane several) {
    Request* granted = requests.data();
    for (const Request& request : requests) {
      const ComingHead head = request.head;
      const std::uint64_t free = choice(request.choice.number) & ~router(group, head.router).header().holds;
      const bool contends = (several >> head.router & 1) != 0;
      if (observes_flits() && !contends) {
        note_routed(group.node(head.router), head.vc, request.choice.group, head.message);
      }
      if (free == 0 || contends) {
        wait(group, request);
        if (!contends && observes_stalls()) note_wait_for_vc(group.node(head.router), head.vc, now_);
        continue;
      }
      const unsigned output = grant(group, head.router, head.vc, request.choice.group, free, head.flits);
      if (observes_flits()) note_granted(group.node(head.router), head.vc, output, head.message);
      granted->head = head;
      granted++->output = static_cast<std::uint8_t>(output);
    }
    return {requests.data(), granted};
  }

  /// A message comes behind those in an input VC.
  void append(GroupRef group, const ComingHead& head) {
    const NodeId node = group.node(head.router);
    Front& front = this->front(node, head.vc);
    waiting_at(node, head.vc, front.first + front.waiting++) = head.message;
    group.planes(layout().behind)[head.vc] |= Plane{1} << head.router;
  }

  /// The head at the front of an input VC waits for an output VC.
  void wait(GroupRef group, const Request& request) {
    const ComingHead& head = request.head;
    Front& front = router(group, head.router).front(head.vc);
    front.message = head.message;
    front.flits = messages_[head.message].flits;
    front.choice = request.choice.number;
    front.group = request.choice.group;
    front.since = now_;
    RouterHeader& header = router(group, head.router).header();
    header.asking |= bit(head.vc);
    header.awaited |= choice(request.choice.number);
  }

  /// All heads of a router without an output VC request one. Returns whether any gets one.
  bool allocate_vcs(GroupRef group, unsigned number) {
    const RouterRef router = this->router(group, number);
    RouterHeader& header = router.header();
    header.awaited = 0;
    const std::uint64_t hopeful = is_adaptive() ? select_candidates(group, number) : 0;
    bool granted = false;
    std::uint64_t left = header.asking;
    while (left != 0) {
      const unsigned wanted = router.front(lowest_bit(left)).group;
      std::uint64_t requests = 0;
      for_each_bit(left, [&](unsigned vc) { requests |= router.front(vc).group == wanted ? bit(vc) : 0; });
      left &= ~requests;
      const unsigned first = router.turn(wanted).request;
      while (requests != 0) {
        const unsigned vc = first_from(has_priorities() ? highest(requests) : requests, first);
        requests &= ~bit(vc);
        Front& front = router.front(vc);
        if (observes_flits() && front.since == now_) {
          note_routed(group.node(number), vc, front.group, front.message);
        }
        std::uint64_t free = choice(front.choice) & ~header.holds;
        if (needs_space()) free = with_required_slots(group, number, vc, free);
        if (free == 0) {
          header.awaited |= choice(front.choice);
          if (weighs_requests()) {
            fail_request(group, number, vc);
          } else if (observes_stalls()) {
            note_wait_for_vc(group.node(number), vc, now_);
          }
          continue;
        }
        granted = true;
        header.asking &= ~bit(vc);
        if (front.since < now_) count_stall_since(group, group.node(number), vc, now_);
        if (observes_stalls()) observed_stalls_->end(group.node(number), vc, now_, now_);
        const std::uint32_t counted = std::min(front.flits, kMostLeft);
        front.output = static_cast<std::uint8_t>(grant(group, number, vc, wanted, free, counted));
        front.more = front.flits - counted;
        if (observes_flits()) note_granted(group.node(number), vc, front.output, front.message);
        group.planes(layout().head)[vc] |= Plane{1} << number;
        if (is_adaptive() && wanted < link_ports()) {
          selector_->note_grant(row(group.node(number), vc), wanted);
        }
      }
    }
    if (weighs_requests()) wait_on(group, number, (hopeful & header.asking) != 0, granted);
    return granted;
  }

  /// Heads of a router wait on: those with an open candidate request again in the next cycle, and all where a
  /// grant may change the causes of their stalls.
  void wait_on(GroupRef group, unsigned number, bool hopeful, bool granted) {
    RouterHeader& header = router(group, number).header();
    const Plane plane = Plane{1} << number;
    const bool some = header.asking != 0;
    if (is_adaptive() && some) header.awaited = ~std::uint64_t{0};
    if (hopeful || (needs_space() && granted && some)) *group.planes(layout().retry) |= plane;
    Plane& asking = group.planes(layout().asking)[0];
    asking = some ? asking | plane : asking & ~plane;
  }

  /// Those of the highest priority among some input VCs.
  [[nodiscard]] std::uint64_t highest(std::uint64_t vcs) const {
    const auto some = [vcs](std::uint64_t of_priority) { return (of_priority & vcs) != 0; };
    return vcs & *std::ranges::find_if(input_vcs_of_priority_, some);
  }

  /// Grants one of the free output VCs to the head at the front of an input VC, whose message has so many
  /// flits or more. Returns which.
  [[gnu::always_inline]] unsigned grant(GroupRef group, unsigned number, unsigned vc, unsigned requested,
                                        std::uint64_t free, std::uint32_t counted) {
    const RouterRef router = this->router(group, number);
    Turn& turn = router.turn(requested);
    const unsigned output = first_from(free, turn.vc);
    turn.vc = vc_info(output).next_of_group;
    turn.request = vc_info(vc).next;
    router.header().holds |= bit(output);
    const Plane plane = Plane{1} << number;
    sliced::set(group.planes(layout().left) + vc, vc_words(), plane, counted);
    if (!delays_grants()) {
      hold(group, number, vc, output);
    } else {
      router.header().granted |= bit(vc);
      router.front(vc).output = static_cast<std::uint8_t>(output);
      post(after_grant_, group.number, Event::hold, vc, plane);
    }
    return output;
  }

  /// An input VC takes part in switch allocation with its output VC.
  [[gnu::always_inline]] void hold(GroupRef group, unsigned number, unsigned vc, unsigned output) {
    const Plane plane = Plane{1} << number;
    group.planes(held(output))[vc] |= plane;
    group.planes(wanted(vc))[port_of_vc(output)] |= plane;
  }

  // --- Stage 5: switch allocation -------------------------------------------------------------------------

  /// Finds the flits at the front of an input VC that have an output VC with room. The others with an output
  /// VC are stalled. Returns whether there are any.
  [[gnu::always_inline]] bool find_candidates(GroupRef group) {
    Quad some{};
    Quad changed{};
    for (unsigned i = 0; i < vc_quads(); ++i) {
      Quad room{};
      Quad active{};
      for (unsigned output = 0; output < input_vcs(); ++output) {
        const Quad held = group.quads(this->held(output))[i];
        active |= held;
        room |= held & group.planes(layout().room)[output];
      }
      group.quads(layout().active)[i] = active;
      const Quad moving = group.quads(layout().ready)[i] & active;
      candidates_[i] = moving & room;
      if (has_intervals()) {
        find_busy(group, i);
        candidates_[i] &= ~busy_[i];
      }
      some |= candidates_[i];
      Quad& no_room = group.quads(layout().no_room)[i];
      before_[i] = no_room;
      no_room = moving & ~room;
      changed |= before_[i] ^ no_room;
      moved_[i] = Quad{};
    }
    if (any_of(changed) != 0) {
      const auto* const before = before_.planes();
      for (unsigned vc = 0; vc < input_vcs(); ++vc) {
        const Plane now = group.planes(layout().no_room)[vc];
        if (before[vc] != now) note_stalls(group, vc, before[vc], now);
      }
    }
    return any_of(some) != 0;
  }

  /// Candidates whose output VC is one of a busy link.
  void find_busy(GroupRef group, unsigned i) {
    Quad behind{};
    for (unsigned output = 0; output < first_injection_vc(); ++output) {
      behind |= group.quads(held(output))[i] & group.planes(numbers_.busy)[port_of_vc(output)];
    }
    busy_[i] = candidates_[i] & behind;
  }

  /// Flits without room in the last cycle and in this one, of all with the number of one input VC.
  void note_stalls(GroupRef group, unsigned vc, Plane before, Plane no_room) {
    for_each_bit(no_room & ~before, [&](unsigned router) {
      const NodeId node = group.node(router);
      front(node, vc).since = now_;
      if (has_ejection_buffers()) {
        without_room_.push_back({.node = node, .vc = vc});
      } else if (observes_stalls()) {
        observed_stalls_->begin_without_room({.node = node, .vc = vc});
      }
    });
    for_each_bit(before & ~no_room, [&](unsigned router) {
      count_stall_since(group, group.node(router), vc, now_);
      if (observes_stalls()) observed_stalls_->end(group.node(router), vc, now_, now_);
    });
  }

  /// Of the flits that wait for room from this cycle on, those at their destination wait for their node.
  void note_full_buffers() {
    for (const GroupStalls::MissingSlot& slot : without_room_) {
      if (front(slot.node, slot.vc).output >= first_injection_vc()) {
        note_full_buffer(slot.node, slot.vc);
      } else if (observes_stalls()) {
        observed_stalls_->begin_without_room(slot);
      }
    }
    without_room_.clear();
  }

  /// Every input port picks one of its VCs.
  [[gnu::always_inline]] void pick_inputs(GroupRef group) {
    std::copy_n(candidates_.data(), vc_quads(), picked_.data());
    if (has_priorities()) keep_highest_of_ports(group);
    const auto* const candidates = picked_.planes();
    for (unsigned port = 0, vc = 0; port < ports(); ++port) {
      const unsigned first = vc;
      Plane any = 0;
      Plane several = 0;
      for (const unsigned end = first + vcs_of_port(port); vc < end; ++vc) {
        several |= any & candidates[vc];
        any |= candidates[vc];
      }
      if (several != 0) arbitrate_input(group, vc_info(first).of_port, several);
    }
  }

  /// In the routers `contested` a port with these VCs picks the first one in circular order behind the last
  /// winner.
  void arbitrate_input(GroupRef group, std::uint64_t vcs, Plane contested) {
    auto* const picked = picked_.planes();
    std::array<Plane, kMaxVirtualChannels> candidates;
    Plane behind = 0;  // the last winner is a VC before
    Plane left = contested;
    for_each_bit(vcs, [&](unsigned vc) {
      candidates[vc] = picked[vc];
      const Plane wins = candidates[vc] & behind & left;
      left &= ~wins;
      behind |= group.planes(layout().turn)[vc];
      picked[vc] = (candidates[vc] & ~contested) | wins;
    });
    for_each_bit(vcs, [&](unsigned vc) {
      const Plane first = candidates[vc] & left;  // nothing is behind the last winner
      left &= ~first;
      picked[vc] |= first;
    });
  }

  /// Calls visit(vc, rank) for some input VCs from the highest rank to the lowest: those that are starved,
  /// then priority by priority. `rank` has the routers in which the VC may be of it.
  template <typename Visit>
  void for_each_rank(GroupRef group, std::uint64_t vcs, Visit visit) const {
    visit([&](auto each) {
      for_each_bit(vcs, [&](unsigned vc) { each(vc, group.planes(layout().starved)[vc]); });
    });
    for (const std::uint64_t of_priority : input_vcs_of_priority_) {
      visit([&](auto each) { for_each_bit(vcs & of_priority, [&](unsigned vc) { each(vc, ~Plane{0}); }); });
    }
  }

  /// Every input port keeps the candidates of the highest rank that it has.
  void keep_highest_of_ports(GroupRef group) {
    auto* const kept = picked_.planes();
    const auto* const candidates = candidates_.planes();
    for (unsigned port = 0; port < ports(); ++port) {
      const std::uint64_t vcs = vc_info(first_vc(port)).of_port;
      for_each_bit(vcs, [&](unsigned vc) { kept[vc] = 0; });
      Plane decided = 0;
      for_each_rank(group, vcs, [&](auto for_each_vc) {
        Plane some = 0;
        for_each_vc([&](unsigned vc, Plane rank) {
          const Plane of_rank = candidates[vc] & rank & ~decided;
          kept[vc] |= of_rank;
          some |= of_rank;
        });
        decided |= some;
      });
    }
  }

  /// Of the requests for four output ports, those of the highest rank at each are kept.
  void keep_highest_requests(GroupRef group, unsigned quad, PortQuads& requests) {
    const Plane* const picked = picked_.planes();
    for (unsigned from = 0; from < ports(); ++from) requests[from] = Quad{};
    Quad decided{};
    for_each_rank(group, ~std::uint64_t{0} >> (64 - input_vcs()), [&](auto for_each_vc) {
      Quad some{};
      for_each_vc([&](unsigned vc, Plane rank) {
        const Quad of_rank = group.quads(wanted(vc))[quad] & (picked[vc] & rank) & ~decided;
        requests[port_of_vc(vc)] |= of_rank;
        some |= of_rank;
      });
      decided |= some;
    });
  }

  /// Every output port picks one of the input ports.
  [[gnu::always_inline]] void pick_outputs(GroupRef group) {
    const Plane* const picked = picked_.planes();
    Plane* const moved = moved_.planes();
    for (unsigned i = 0; i < port_quads(); ++i) {
      // The requests of an input port, and of them those that win: bit by bit of four output ports.
      PortQuads wins;
      Quad any{};
      Quad contested{};
      for (unsigned from = 0, vc = 0; from < ports(); ++from) {
        Quad requests{};
        for (const unsigned end = vc + vcs_of_port(from); vc < end; ++vc) {
          requests |= group.quads(wanted(vc))[i] & picked[vc];
        }
        wins[from] = requests;
        contested |= any & requests;
        any |= requests;
      }
      if (has_priorities() && any_of(contested) != 0) keep_highest_requests(group, i, wins);
      Quad* const behind = group.quads(layout().behind_winner) + i;
      if (any_of(contested) != 0) arbitrate_outputs(wins, behind, contested);
      Quad winner{};  // in an input port before
      for (unsigned from = 0, vc = 0; from < ports(); ++from) {
        behind[from * port_quads()] = (behind[from * port_quads()] & ~any) | winner;
        winner |= wins[from];
        const Plane some = any_of(wins[from]);
        for (const unsigned end = vc + vcs_of_port(from); vc < end; ++vc) moved[vc] |= picked[vc] & some;
      }
    }
    for (unsigned output = 0; output < input_vcs(); ++output) {
      Quad sum{};
      for (unsigned i = 0; i < vc_quads(); ++i) sum |= moved_[i] & group.quads(held(output))[i];
      sent(output) = any_of(sum);
    }
  }

  /// Where requests of several input ports contend for one of four output ports, the first in circular order
  /// behind the last winner wins.
  void arbitrate_outputs(PortQuads& wins, const Quad* behind, const Quad& contested) const {
    Quad left = contested;
    PortQuads requests;
    for (unsigned from = 0; from < ports(); ++from) {
      requests[from] = wins[from];
      const Quad won = requests[from] & behind[from * port_quads()] & left;
      left &= ~won;
      wins[from] = (requests[from] & ~contested) | won;
    }
    for (unsigned from = 0; from < ports(); ++from) {
      const Quad first = requests[from] & left;  // nothing is behind the last winner
      left &= ~first;
      wins[from] |= first;
    }
  }

  // --- Stage 6: traversal ---------------------------------------------------------------------------------

  /// New holders of an output VC that are not gone in this cycle, whole, stay at the front of their input VC.
  [[gnu::always_inline]] void keep_heads(GroupRef group) {
    for (const std::span<Request>& granted : granted_) {
      for (const auto& [head, choice, output] : granted) {
        const Plane router = Plane{1} << head.router;
        const bool moved = (moved_.planes()[head.vc] & router) != 0;
        if (moved && head.flits == 1 && !is_observed() && !has_intervals()) continue;
        if (!moved) group.planes(layout().head)[head.vc] |= router;
        Front& front = this->router(group, head.router).front(head.vc);
        front.message = head.message;
        front.flits = messages_[head.message].flits;
        front.more = front.flits - head.flits;
        front.output = output;
      }
    }
  }

  [[gnu::always_inline]] void traverse(GroupRef group) {
    note_lost(group);
    if (observes_flits()) note_moves(group);
    if (has_intervals()) take_links(group);
    for (unsigned i = 0; i < vc_quads(); ++i) {
      const Quad moved = moved_[i];
      sliced::decrease(group.quads(numbers_.usable) + i, count_bits_, vc_quads(), moved,
                       group.quads(layout().ready)[i]);
      Quad left;
      sliced::decrease(group.quads(layout().left) + i, left_bits_, vc_quads(), moved, left);
      last_[i] = moved & ~left;
      ends_[i] = (moved & group.quads(layout().head)[i]) | last_[i];
    }
    for (const bool arrived : {false, true}) move_granted(group, arrived);
    for_each_plane(ends_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
      for_each_bit(routers, [&](unsigned router) { move_end(group, router, vc); });
    });
    post_credits(group);
    post_arrivals(group);
    if (ejection_interval_ != 1) end_ejections(group);
    // Input VCs whose tails have left.
    for (unsigned i = 0; i < vc_quads(); ++i) {
      const Quad last = last_[i];
      group.quads(layout().head)[i] &= ~moved_[i];
      group.quads(layout().active)[i] &= ~last;
      if (has_priorities()) forget_losses(group, i);
    }
    const auto* const moved = moved_.planes();
    Plane* const turn = group.planes(layout().turn);
    for (unsigned port = 0, vc = 0; port < ports(); ++port) {
      const unsigned vcs = vcs_of_port(port);
      if (vcs == 1) {
        ++vc;
        continue;
      }
      Plane any = 0;
      for (unsigned i = 0; i < vcs; ++i) any |= moved[vc + i];
      for (unsigned i = 0; i < vcs; ++i, ++vc) turn[vc] = (turn[vc] & ~any) | moved[vc];
    }
  }

  /// The flits that leave, before that.
  [[gnu::noinline]] void note_moves(GroupRef group) {
    for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
      for_each_bit(routers, [&](unsigned router) { note_moved(group, group.node(router), vc); });
    });
  }

  /// The flits that leave take their links for an interval.
  void take_links(GroupRef group) {
    for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
      for_each_bit(routers, [&](unsigned number) {
        const Front& front = router(group, number).front(vc);
        if (front.output >= first_injection_vc()) return;
        const unsigned port = port_of_vc(front.output);
        LinkInterval& link = intervals_[std::size_t{group.node(number)} * link_ports() + port];
        link.take(now_, messages_[front.message].id);
        if (link.free_from > now_ + 1) group.planes(numbers_.busy)[port] |= Plane{1} << number;
      });
    });
  }

  /// Those that have moved a flit have lost nothing any more.
  void forget_losses(GroupRef group, unsigned quad) {
    for (unsigned k = 0; k < kLossBits; ++k) {
      group.quads(layout().losses + k * vc_words())[quad] &= ~moved_[quad];
    }
    group.quads(layout().starved)[quad] &= ~moved_[quad];
  }

  /// Counts the flits that lost the switch in this cycle, until their message moves on (count_losses).
  [[gnu::always_inline]] void note_lost(GroupRef group) {
    for (unsigned i = 0; i < vc_quads(); ++i) {
      Quad lost = candidates_[i] & ~moved_[i];
      if (has_intervals()) lost |= busy_[i];
      if (any_of(lost) == 0) continue;
      if (observes_stalls()) {
        for_each_plane(&lost, 4, [&](unsigned vc, Plane routers) {
          for_each_bit(routers, [&](unsigned router) { note_lost_switch(group, router, i * 4 + vc); });
        });
      }
      group.quads(layout().losing)[i] |= lost;
      Quad overflow;
      sliced::increase(group.quads(layout().lost) + i, kLostBits, vc_quads(), lost, overflow);
      if (has_priorities()) count_losses_for_rank(group, i, lost);
      if (any_of(overflow) == 0) continue;
      for_each_plane(&overflow, 4, [&](unsigned vc, Plane routers) {
        for_each_bit(routers, [&](unsigned router) {
          count_stall(group, group.node(router), i * 4 + vc, StallCause::switch_lost,
                      now_ + 1 - (Cycle{1} << kLostBits), now_ + 1);
        });
      });
    }
  }

  /// VCs are starved that have lost the switch often enough.
  void count_losses_for_rank(GroupRef group, unsigned quad, const Quad& lost) {
    const unsigned stride = vc_words();
    for_each_plane(&lost, 4, [&](unsigned i, Plane routers) {
      const unsigned vc = quad * 4 + i;
      Plane* const losses = group.planes(layout().losses) + vc;
      for_each_bit(routers & ~group.planes(layout().starved)[vc], [&](unsigned router) {
        const unsigned count = sliced::of(losses, kLossBits, stride, router) + 1;
        for (unsigned k = 0; k < kLossBits; ++k) losses[k * stride] &= ~(Plane{1} << router);
        if (count < starvation_limit_) return sliced::set(losses, stride, Plane{1} << router, count);
        group.planes(layout().starved)[vc] |= Plane{1} << router;
      });
    });
  }

  /// A flit has lost the switch, at its input port or at its output port.
  [[gnu::noinline]] void note_lost_switch(GroupRef group, unsigned number, unsigned vc) {
    const NodeId node = group.node(number);
    if (has_intervals() && (busy_.planes()[vc] >> number & 1) != 0) return note_busy_link(node, vc);
    const auto lost_to = [&](std::uint64_t vcs, Quads& winners) {
      bool found = false;
      for_each_bit(vcs & ~bit(vc), [&](unsigned other) {
        if ((winners.planes()[other] >> number & 1) == 0) return;
        begin_stall(node, vc, StallCause::switch_lost, messages_[front(node, other).message].id, now_);
        found = true;
      });
      return found;
    };
    if (!lost_to(vc_info(vc).of_port, picked_)) {
      std::uint64_t rivals = 0;
      const unsigned port = port_of_vc(front(node, vc).output);
      for (unsigned other = 0; other < input_vcs(); ++other) {
        if ((group.planes(wanted(other))[port] >> number & 1) != 0) rivals |= bit(other);
      }
      if (!lost_to(rivals, moved_)) begin_stall(node, vc, StallCause::switch_lost, {}, now_);
    }
    observed_stalls_->end(node, vc, now_ + 1, now_);
  }

  /// Flits leave by links.
  [[gnu::always_inline]] void post_arrivals(GroupRef group) {
    const unsigned room = layout().room;
    for (unsigned i = 0; i < vc_quads(); ++i) {
      const Quad before = group.quads(room)[i];
      sliced::decrease(group.quads(numbers_.slots) + i, count_bits_, vc_quads(), sent_[i],
                       group.quads(room)[i]);
      if (has_ejection_buffers()) continue;
      // Those of ejection channels are not counted, and have room.
      for (unsigned output = std::max(i * 4, first_injection_vc()); output < i * 4 + 4; ++output) {
        group.planes(room)[output] = before[output % 4];
      }
    }
    for (unsigned output = 0; output < first_injection_vc(); ++output) {
      const Plane routers = sent(output);
      if (routers == 0) continue;
      flit_hops_ += static_cast<unsigned>(std::popcount(routers));
      if (stores_and_forwards()) continue;  // see expect_head
      const unsigned port = port_of_vc(output);
      if (!to_receivers_[port].empty()) {
        post_at(to_receivers_[port], after_hop_, group.number, Event::arrival, output, routers);
        continue;
      }
      for_each_bit(routers, [&](unsigned router) {
        const NodeId node = group.node(router);
        const NodeId receiver = receivers_[std::size_t{node} * link_ports() + port];
        post(after_hop_[delay_of(node, port)], group_of(receiver), Event::arrival, output,
             plane_of(receiver));
      });
    }
  }

  /// Slots are free again from which flits have left the input VCs.
  [[gnu::always_inline]] void post_credits(GroupRef group) {
    for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
      if (vc >= first_injection_vc()) {
        return post(next_cycle_, group.number, Event::slot, vc - first_injection_vc(), routers);
      }
      const unsigned port = port_of_vc(vc);
      if (!to_senders_[port].empty()) {
        return post_at(to_senders_[port], after_credit_, group.number, Event::credit, vc, routers);
      }
      for_each_bit(routers, [&](unsigned router) {
        const NodeId sender = senders_[std::size_t{group.node(router)} * link_ports() + port];
        post(after_credit_[delay_of(sender, port)], group_of(sender), Event::credit, vc, plane_of(sender));
      });
    });
  }

  /// Ejection channels that have moved a flit wait for their interval.
  void end_ejections(GroupRef group) {
    for (unsigned output = first_injection_vc(); output < input_vcs(); ++output) {
      if (sent(output) == 0) continue;
      group.planes(layout().room)[output] &= ~sent(output);
      post(in(ejection_interval_), group.number, Event::credit, output, sent(output));
    }
  }

  /// Heads that have got their output VC in this cycle leave, and messages of one flit.
  [[gnu::always_inline]] void move_granted(GroupRef group, bool arrived) {
    for (const auto& [head, choice, output] : granted_[arrived]) {
      const Plane router = Plane{1} << head.router;
      if ((moved_.planes()[head.vc] & router) == 0) continue;
      if (arrived) {
        messages_[head.message].head_arrived = now_ + link_delay_;
      } else {
        send_head(group, head.router, head.message, output);
      }
      if (head.flits != 1) continue;
      if (arrived) arriving_.add(head.message, now_ + link_delay_, now_);
      if (arrived && has_ejection_buffers()) buffer_message(group.node(head.router), output, head.message);
      release(group, head.router, head.vc, output, 1);
      ends_.planes()[head.vc] &= ~router;
    }
  }

  /// The head or the tail of the message at the front of an input VC leaves.
  [[gnu::always_inline]] void move_end(GroupRef group, unsigned number, unsigned vc) {
    if ((group.planes(layout().losing)[vc] >> number & 1) != 0) count_losses(group, number, vc, now_);
    const Front& front = router(group, number).front(vc);
    const bool ejected = front.output >= first_injection_vc();
    if ((group.planes(layout().head)[vc] >> number & 1) != 0) {
      if (ejected) {
        messages_[front.message].head_arrived = now_ + link_delay_;
      } else {
        send_head(group, number, front.message, front.output);
      }
    }
    Plane& last = last_.planes()[vc];
    if ((last >> number & 1) == 0) return;
    if (front.more != 0) {
      last &= ~(Plane{1} << number);
      return count_more(group, number, vc);
    }
    if (ejected) arriving_.add(front.message, now_ + link_delay_, now_);
    if (ejected && has_ejection_buffers()) buffer_message(group.node(number), front.output, front.message);
    release(group, number, vc, front.output, front.flits);
  }

  /// A head leaves by a link.
  [[gnu::always_inline]] void send_head(GroupRef group, unsigned number, MessageSlot message,
                                        unsigned output) {
    const unsigned port = port_of_vc(output);
    const NodeId node = receivers_[std::size_t{group.node(number)} * link_ports() + port];
    const unsigned delay = delay_of(group.node(number), port);
    if (delay != 0) {
      messages_[message].link_excess +=
          static_cast<std::int64_t>(delays_[delay]) - static_cast<std::int64_t>(link_delay_);
    }
    if (!stores_and_forwards()) expect_head(after_hop_[delay], node, output, message);
  }

  /// A tail leaves by a link, and its message is usable as a whole.
  void send_whole(NodeId node, MessageSlot message, unsigned output) {
    const unsigned port = port_of_vc(output);
    const NodeId receiver = receivers_[std::size_t{node} * link_ports() + port];
    expect_head(after_hop_[delay_of(node, port)], receiver, output, message);
  }

  /// A head will be usable in an input VC, with store-and-forward its message.
  [[gnu::always_inline]] void expect_head(const Then& then, NodeId node, unsigned vc, MessageSlot message) {
    const MessageRecord& record = messages_[message];
    const ComingHead head{
        .message = message,
        .flits = static_cast<std::uint8_t>(std::min(record.flits, kMostLeft)),
        .router = static_cast<std::uint8_t>(node % kRouters),
        .vc = static_cast<std::uint8_t>(vc),
    };
    const bool arrives = record.head.destination == node;
    if (then.near) {
      then.heads[std::size_t{group_of(node)} * 2 + arrives].push_back(head);
    } else {
      later_[then.cycle].heads.emplace_back(node, head);
    }
    // Else the event of its arrival does.
    if (stores_and_forwards()) agenda_.wake_at(group_of(node), then.cycle, now_);
  }

  /// The tail of a message leaves an input VC, and the next message is at the front.
  [[gnu::always_inline]] void release(GroupRef group, unsigned number, unsigned vc, unsigned output,
                                      std::uint32_t flits) {
    const RouterRef router = this->router(group, number);
    const unsigned port = port_of_vc(output);
    PortCounts& counts = router.counts(port);
    ++counts.messages;
    counts.flits += flits;
    const Plane plane = Plane{1} << number;
    RouterHeader& header = router.header();
    if (!delays_releases() || output >= first_injection_vc()) {
      header.holds &= ~bit(output);
      if ((header.awaited & bit(output)) != 0) *group.planes(layout().retry) |= plane;
    } else {
      post(after_release_, group.number, Event::free, output, plane);
      // Heads that wait for it have no culprit from now on.
      if (header.asking != 0) *group.planes(layout().retry) |= plane;
    }
    group.planes(held(output))[vc] &= ~plane;
    group.planes(wanted(vc))[port] &= ~plane;
    if (stores_and_forwards() && output < first_injection_vc()) {
      send_whole(group.node(number), router.front(vc).message, output);
    }
    if (observes_stalls()) {
      const NodeId node = group.node(number);
      observed_stalls_->note_tail(row(node, vc), messages_[router.front(vc).message].id, now_);
      observed_stalls_->note_sent(row(node, output), flits);
    }
    if ((group.planes(layout().behind)[vc] & plane) != 0) take_next(group, number, vc);
  }

  /// The first of the messages behind the one that has left is at the front in the next cycle.
  void take_next(GroupRef group, unsigned number, unsigned vc) {
    const NodeId node = group.node(number);
    Front& front = router(group, number).front(vc);
    front.message = waiting_at(node, vc, front.first++);
    const MessageRecord& record = messages_[front.message];
    front.flits = record.flits;
    const ComingHead head{.message = front.message, .vc = static_cast<std::uint8_t>(vc)};
    const Choice choice = choice_of(node, head, record.head.destination == node);
    front.choice = choice.number;
    front.group = choice.group;
    front.since = now_ + 1;
    const Plane plane = Plane{1} << number;
    if (--front.waiting == 0) group.planes(layout().behind)[vc] &= ~plane;
    router(group, number).header().asking |= bit(vc);
    *group.planes(layout().retry) |= plane;
  }

  /// Of a message longer than the planes count, the next flits are counted.
  void count_more(GroupRef group, unsigned number, unsigned vc) {
    Front& front = router(group, number).front(vc);
    const std::uint32_t counted = std::min(front.more, kMostLeft);
    front.more -= counted;
    sliced::set(group.planes(layout().left) + vc, vc_words(), Plane{1} << number, counted);
  }

  // --- Stage 7: injection ---------------------------------------------------------------------------------

  [[gnu::always_inline]] bool inject(GroupRef group) {
    bool works = false;
    for (unsigned number = 0; number < injectors(); ++number) {
      Plane& idle = group.planes(layout().idle)[number];
      const Plane takes = idle & group.planes(layout().queued)[number];
      idle &= ~takes;
      works |= takes != 0;
      for_each_bit(takes, [&](unsigned router) { take_message(group, group.node(router), number); });
    }
    if (node_vcs() != 1) return inject_by_vcs(group) || works;
    for (unsigned i = 0; i < injector_quads(); ++i) {
      Quad put = group.quads(layout().due)[i] & group.quads(layout().put_room)[i];
      if (tracks_puts()) keep_from_putting(group, i, put);
      if (any_of(put) == 0) continue;
      works = true;
      sliced::decrease(group.quads(numbers_.put_slots) + i, count_bits_, injector_quads(), put,
                       group.quads(layout().put_room)[i]);
      Quad left;
      sliced::decrease(group.quads(layout().to_put) + i, left_bits_, injector_quads(), put, left);
      const Quad last = put & ~left;
      for (unsigned k = 0; k < 4; ++k) {
        const auto number = static_cast<unsigned>(i * 4 + k);
        if (put[k] != 0) put_flits(group, number, first_injection_vc() + number, put[k], last[k]);
      }
    }
    return works;
  }

  /// The same for channels of several VCs.
  bool inject_by_vcs(GroupRef group) {
    bool works = false;
    std::array<Plane, kMaxVirtualChannels> could_put;  // by injector
    for (unsigned number = 0; number < injectors(); ++number) {
      could_put[number] = 0;
      const Plane due = group.planes(layout().due)[number];
      if (due == 0) continue;
      const Plane heads = due & group.planes(layout().put_head)[number];
      choose_vcs(group, number, heads & ~group.planes(layout().put_chosen)[number]);
      const Plane blocked = tracks_puts() ? heads & ~group.planes(layout().put_chosen)[number] : 0;
      for (unsigned vc = number * vcs_of_injector(); vc < (number + 1) * vcs_of_injector(); ++vc) {
        could_put[number] |=
            due & ~blocked & group.planes(layout().chosen)[vc] & group.planes(layout().put_room)[vc];
      }
    }
    if (queues() != 1) take_turns(group, could_put.data());
    for (unsigned number = 0; number < injectors(); ++number) {
      if (could_put[number] == 0) continue;
      works = true;
      for (unsigned vc = number * vcs_of_injector(); vc < (number + 1) * vcs_of_injector(); ++vc) {
        Plane& room = group.planes(layout().put_room)[vc];
        const Plane put = could_put[number] & group.planes(layout().chosen)[vc];
        if (put == 0) continue;
        sliced::decrease(group.planes(numbers_.put_slots) + vc, count_bits_, injection_vc_quads() * 4, put,
                         room);
        Plane left = 0;
        sliced::decrease(group.planes(layout().to_put) + number, left_bits_, injector_words(), put, left);
        put_flits(group, number, first_injection_vc() + vc, put, put & ~left);
      }
    }
    return works;
  }

  /// Channels of a quad whose message waits for an empty VC do not put it.
  void keep_from_putting(GroupRef group, unsigned quad, Quad& put) const {
    const Plane* const empty = parts_->empty_puts(group.number);
    for (unsigned i = 0; i < 4 && quad * 4 + i < channels(); ++i) {
      put[i] &= ~group.planes(layout().put_head)[quad * 4 + i] | empty[quad * 4 + i];
    }
  }

  /// Of the injectors of a channel one puts a flit: the first behind the one that did last.
  void take_turns(GroupRef group, Plane* could_put) {
    for (unsigned channel = 0; channel < channels(); ++channel) {
      Plane* const puts = could_put + channel * queues();
      Plane* const last = group.planes(layout().put_last) + channel * queues();
      Plane& paced = group.planes(layout().paced)[channel];
      Plane any = 0;
      for (unsigned i = 0; i < queues(); ++i) any |= puts[i] & paced;
      std::array<Plane, kMaxMessageClasses> wins;
      Plane behind = 0;
      Plane left = any;
      for (unsigned i = 0; i < queues(); ++i) {
        wins[i] = puts[i] & behind & left;
        left &= ~wins[i];
        behind |= last[i];
      }
      for (unsigned i = 0; i < queues(); ++i) {
        wins[i] |= puts[i] & left;
        left &= ~wins[i];
        last[i] = (last[i] & ~any) | wins[i];
        puts[i] = wins[i];
      }
      if (injection_interval_ == 1 || any == 0) continue;
      paced &= ~any;
      post(in(injection_interval_), group.number, Event::pace, channel, any);
    }
  }

  /// The messages of an injector at `routers` go by the first VC with a slot behind that of the message
  /// before; by that again if there is none.
  void choose_vcs(GroupRef group, unsigned number, Plane routers) {
    Plane& put_chosen = group.planes(layout().put_chosen)[number];
    put_chosen |= routers;
    Plane* const chosen = group.planes(layout().chosen) + number * vcs_of_injector();
    const Plane* const room = tracks_puts() ? parts_->empty_puts(group.number) + number * vcs_of_injector()
                                            : group.planes(layout().put_room) + number * vcs_of_injector();
    for_each_bit(routers, [&](unsigned router) {
      const Plane plane = Plane{1} << router;
      std::uint64_t free = 0;
      unsigned last = 0;
      for (unsigned vc = 0; vc < vcs_of_injector(); ++vc) {
        if ((room[vc] & plane) != 0) free |= bit(vc);
        if ((chosen[vc] & plane) != 0) last = vc;
      }
      if (free == 0) {
        if (tracks_puts()) put_chosen &= ~plane;
        return;
      }
      chosen[last] &= ~plane;
      chosen[first_from(free, last + 1)] |= plane;
    });
  }

  /// Injectors put a flit each into an input VC; some the last of those counted.
  [[gnu::always_inline]] void put_flits(GroupRef group, unsigned number, unsigned vc, Plane put, Plane last) {
    if (!stores_and_forwards()) post(after_put_, group.number, Event::arrival, vc, put);
    if (observes_flits()) note_puts(group, number, put);
    if (tracks_puts()) note_tracked_puts(group, vc, put);
    Plane& heads = group.planes(layout().put_head)[number];
    for_each_bit(put & heads, [&](unsigned router) {
      const NodeId node = group.node(router);
      const MessageSlot message = injecting_[std::size_t{node} * injectors() + number].message;
      messages_[message].head_entered = now_;
      if (!stores_and_forwards()) expect_head(after_put_, node, vc, message);
    });
    heads &= ~put;
    if (node_vcs() != 1) group.planes(layout().put_chosen)[number] &= ~put;
    Plane tails = last;
    for_each_bit(last & group.planes(layout().put_more)[number], [&](unsigned router) {
      Injecting& injecting = injecting_[std::size_t{group.node(router)} * injectors() + number];
      const std::uint32_t counted = std::min(injecting.more, kMostLeft);
      injecting.more -= counted;
      tails &= ~(Plane{1} << router);
      if (injecting.more == 0) group.planes(layout().put_more)[number] &= ~(Plane{1} << router);
      sliced::set(group.planes(layout().to_put) + number, injector_words(), Plane{1} << router, counted);
    });
    if (stores_and_forwards()) {
      for_each_bit(tails, [&](unsigned router) {
        const NodeId node = group.node(router);
        expect_head(after_put_, node, vc, injecting_[std::size_t{node} * injectors() + number].message);
      });
    }
    if (has_ejection_buffers()) {
      for_each_bit(tails, [&](unsigned router) {
        injecting_[std::size_t{group.node(router)} * injectors() + number].message = kNoMessage;
      });
    }
    Plane& due = group.planes(layout().due)[number];
    due &= ~tails;
    if (injection_interval_ == 1) {
      group.planes(layout().idle)[number] |= tails;
      return;
    }
    due &= ~put;
    if (tails != 0) post(in(injection_interval_), group.number, Event::idle, number, tails);
    if (put != tails) post(in(injection_interval_), group.number, Event::due, number, put & ~tails);
  }

  /// An injection channel has put flits.
  [[gnu::noinline]] void note_puts(GroupRef group, unsigned number, Plane put) {
    for_each_bit(put, [&](unsigned router) { note_injected(group, group.node(router), number); });
  }

  /// An idle injector takes the first message of its queue.
  void take_message(GroupRef group, NodeId node, unsigned number) {
    if (!kPlain && injection_queue_) note_relief(node, number);
    Queue& queue = this->queue(node, queue_of(number));
    const MessageSlot message = queue.first;
    queue.open = queue.others.length != 0;
    const Plane router = plane_of(node);
    if (queue.open) {
      queue.first = open(node, waiting_.take_first(queue.others));
    } else {
      for (unsigned other = 0; other < injectors(); ++other) {
        if (queue_of(other) == queue_of(number)) group.planes(layout().queued)[other] &= ~router;
      }
    }
    const std::uint32_t flits = messages_[message].flits;
    const std::uint32_t counted = std::min(flits, kMostLeft);
    left_bits_ = std::max(left_bits_, static_cast<unsigned>(std::bit_width(counted)));
    injecting_[std::size_t{node} * injectors() + number] = {message, flits - counted};
    if (flits != counted) group.planes(layout().put_more)[number] |= router;
    sliced::set(group.planes(layout().to_put) + number, injector_words(), router, counted);
    group.planes(layout().put_head)[number] |= router;
    if (startup_ == 0) {
      group.planes(layout().due)[number] |= router;
    } else {
      post(in(startup_), group.number, Event::due, number, router);
    }
  }

  /// Whether anything could happen in the next cycle without an event.
  [[gnu::always_inline]] bool stays_awake(GroupRef group) const {
    Quad able{};
    for (unsigned i = 0; i < vc_quads(); ++i) {
      able |= group.quads(layout().ready)[i] & group.quads(layout().active)[i] &
              ~group.quads(layout().no_room)[i];
    }
    for (unsigned i = 0; i < injector_quads(); ++i) {
      const Quad idle = group.quads(layout().idle)[i] & group.quads(layout().queued)[i];
      if (node_vcs() != 1) {
        able |= group.quads(layout().due)[i] | idle;
      } else {
        able |= (group.quads(layout().due)[i] & group.quads(layout().put_room)[i]) | idle;
      }
    }
    return (any_of(able) | *group.planes(layout().retry)) != 0;
  }

  // Of the present group.
  std::vector<Request> requests_;
  /// Requests of this cycle that were granted at once, of heads on their way and of those at their
  /// destination.
  std::array<std::span<Request>, 2> granted_;
  std::vector<GroupStalls::MissingSlot> without_room_;  ///< from this cycle on
  bool works_ = false;                                  ///< in this cycle, of all groups
  // By input VC.
  Quads candidates_{};  ///< flits that could move
  Quads before_{};      ///< without room in the last cycle
  Quads picked_{};      ///< candidates that their port picked
  Quads moved_{};
  Quads ends_{};                                     ///< heads and tails that leave
  Quads last_{};                                     ///< the last flits of those counted that leave
  Quads sent_{};                                     ///< by output VC
  Quads busy_{};                                     ///< input VC: a flit waits for its link alone
  Plane regains_slots_ = 0;                          ///< routers with a usable slot more, where space counts
  std::array<Plane, kMaxVirtualChannels> claims_{};  ///< by group of output VCs: it is requested
};

}  // namespace

std::unique_ptr<RouterGroups> RouterGroups::make(const Topology& topology, const MachineConfig& machine,
                                                 MessageTable& messages, Agenda& agenda,
                                                 ArrivingMessages& arriving,
                                                 const RouterObservers& observers) {
  const RouterNumbers numbers(topology, machine, routing_of(topology, machine)->classes());
  const GroupShape shape = shape_of(numbers, machine);
  const bool plain = !machine.has_parts() && !is_needed(machine) && machine.vc_delay == 0 &&
                     machine.vc_reallocation_delay == 1 &&
                     !flitscope::needs_packet_space(machine.switching, machine.vc_allocation) &&
                     machine.longest_link().cycles_per_flit == 1 &&
                     RoutingRegistry::find(machine.routing)->make(topology)->deterministic() &&
                     observers.stalls == nullptr && observers.flits == nullptr;
  const auto make = [&]<GroupShape kShape>() -> std::unique_ptr<RouterGroups> {
    if (plain) {
      return std::make_unique<GroupCycle<kShape, true>>(topology, machine, messages, agenda, arriving,
                                                        observers);
    }
    return std::make_unique<GroupCycle<kShape, false>>(topology, machine, messages, agenda, arriving,
                                                       observers);
  };
  // Grids of two and three dimensions as most are.
  constexpr GroupShape kPlane{4, 2, 4};
  constexpr GroupShape kPlaneOnePort{4, 2, 1};
  constexpr GroupShape kSpace{6, 2, 6};
  if (shape == kPlane) return make.operator()<kPlane>();
  if (shape == kPlaneOnePort) return make.operator()<kPlaneOnePort>();
  if (shape == kSpace) return make.operator()<kSpace>();
  return make.operator()<GroupShape{}>();
}

}  // namespace flitscope
