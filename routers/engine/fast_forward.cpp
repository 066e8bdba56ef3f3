#include "routers/engine/fast_forward.h"

#include <algorithm>
#include <bit>

namespace flitscope {

// --- Visitors of values, all in the same order -------------------------------------------------------------

/// Records the state.
class FastForward::Keeping {
 public:
  explicit Keeping(std::vector<std::uint64_t>& values) : values_(values) {}

  bool same(std::uint64_t value) { return keep(value); }
  bool count(std::uint64_t& value) { return keep(value); }
  bool time(Cycle& value) { return keep(value); }
  bool since(Cycle& value) { return keep(value); }
  bool slot(Slot& value) { return keep(value.word()); }
  bool left(std::uint32_t& value) { return keep(value); }

 private:
  bool keep(std::uint64_t value) {
    values_.push_back(value);
    return values_.size() < kMaxValues;
  }

  std::vector<std::uint64_t>& values_;
};

/// Compares each value with the recorded one: equal, or with an admissible gain.
class FastForward::Comparing {
 public:
  Comparing(const std::vector<std::uint64_t>& kept, Times times) : kept_(kept.data()), times_(times) {}

  bool same(std::uint64_t value) { return value == *kept_++; }
  bool count(std::uint64_t& /*value*/) { return ++kept_ != nullptr; }
  bool time(Cycle& value) {
    const Cycle kept = *kept_++;
    return value == kept || value - kept == times_.now - times_.then ||
           (kept <= times_.then && value <= times_.now);
  }
  bool since(Cycle& value) {
    const Cycle kept = *kept_++;
    return value == kept || value - kept == times_.now - times_.then;
  }
  bool slot(Slot& value) {
    const Slot kept = Slot::of_word(*kept_);
    if (!value.occupied() && !kept.occupied()) {
      Cycle from = value.free_from();
      return time(from);
    }
    ++kept_;
    if (value.word() == kept.word()) return true;
    return value.occupied() && kept.occupied() && value.body() && kept.body() &&
           value.message() == kept.message() && value.index() > kept.index();
  }
  /// Flits that a network interface has left; the last one is no repetition.
  bool left(std::uint32_t& value) {
    const std::uint64_t put = *kept_++ - value;
    if (put == 0) return true;
    if (value < 2) return false;
    periods_left_ = std::min<Cycle>(periods_left_, (value - 2) / put);
    return true;
  }

  [[nodiscard]] Cycle periods_left() const { return periods_left_; }

 private:
  const std::uint64_t* kept_;
  Times times_;
  Cycle periods_left_ = kNever;
};

/// Replaces the recorded state by the gains of each value.
class FastForward::Subtracting {
 public:
  Subtracting(std::vector<std::uint64_t>& kept, Times times) : kept_(kept.data()), times_(times) {}

  bool same(std::uint64_t /*value*/) { return gain(0); }
  bool count(std::uint64_t& value) { return gain(value - *kept_); }
  bool time(Cycle& value) {
    const bool moves = value - *kept_ == times_.now - times_.then && value > times_.now;
    return gain(moves ? value - *kept_ : 0);
  }
  bool since(Cycle& value) { return gain(value - *kept_); }
  bool slot(Slot& value) {
    if (value.occupied()) return gain(value.word() - *kept_);
    Cycle from = value.free_from();
    return time(from);
  }
  bool left(std::uint32_t& value) { return gain(*kept_ - value); }

 private:
  bool gain(std::uint64_t gained) {
    *kept_++ = gained;
    return true;
  }

  std::uint64_t* kept_;
  Times times_;
};

/// Adds the gains of some periods to each value.
class FastForward::Advancing {
 public:
  Advancing(const std::vector<std::uint64_t>& gains, Cycle periods)
      : gain_(gains.data()), periods_(periods) {}

  bool same(std::uint64_t /*value*/) { return ++gain_ != nullptr; }
  bool count(std::uint64_t& value) {
    value += gained();
    return true;
  }
  bool time(Cycle& value) { return count(value); }
  bool since(Cycle& value) { return count(value); }
  bool slot(Slot& value) {
    value = Slot::of_word(value.word() + gained());
    return true;
  }
  bool left(std::uint32_t& value) {
    value -= static_cast<std::uint32_t>(gained());
    return true;
  }

 private:
  std::uint64_t gained() { return *gain_++ * periods_; }

  const std::uint64_t* gain_;
  Cycle periods_;
};

// --- The state ---------------------------------------------------------------------------------------------

template <typename Visit>
bool FastForward::visit_state(Visit& visit) {
  if (!visit.same(agenda_.far_wakes())) return false;
  visit.count(routers_.flit_hops_);
  visit.count(routers_.hops_before_);
  for (std::uint64_t& stalls : routers_.stalls_.totals_) visit.count(stalls);
  // A stall observer must see each stall.
  const auto& spans = routers_.stalls_.spans_;
  if (spans != nullptr && !visit.same(spans->reported_)) return false;
  return std::ranges::all_of(nodes_, [&](NodeId node) { return visit_router(node, visit); });
}

template <typename Visit>
bool FastForward::visit_router(NodeId node, Visit& visit) {
  const RouterHeader& state = routers_.state_of(node);
  for (const std::uint64_t vcs : {state.ready, state.active, state.blocked, state.streaming, state.routed,
                                  state.held, state.awaited, std::uint64_t{state.injecting}}) {
    if (!visit.same(vcs)) return false;
  }
  if (!visit_events(node, visit) || !visit_standing(node, visit)) return false;
  for (unsigned vc = 0; vc < routers_.input_vcs(); ++vc) {
    if (!visit_input(node, vc, visit)) return false;
  }
  for (unsigned number = 0; number < routers_.ports(); ++number) {
    if (!visit_port(node, number, visit)) return false;
  }
  return visit_interface(node, visit);
}

/// Pending events and wakes of a router. A period is a multiple of the calendar's wheel, so positions on it
/// are comparable.
template <typename Visit>
bool FastForward::visit_events(NodeId node, Visit& visit) {
  for (Cycle place = 0; place < agenda_.wheel(); ++place) {
    const PendingEvents& events = routers_.events_[place * routers_.nodes() + node];
    if (!visit.same(events.arrivals) || !visit.same(events.credits)) return false;
    if (!visit.same(agenda_.is_awake(node, place) ? 1 : 0)) return false;
  }
  return true;
}

/// VCs that stand at both times advance by themselves.
template <typename Visit>
bool FastForward::visit_standing(NodeId node, Visit& visit) {
  Standing& standing = routers_.standing_;
  const bool concerns = standing.concerns(node);
  if (!visit.same(concerns ? 1 : 0)) return false;
  if (!concerns) return true;
  const std::uint64_t inputs = standing.nodes_[node].inputs;
  const std::uint64_t stands = standing.nodes_[node].stands;
  if (!visit.same(inputs) || !visit.same(stands) || !visit.same(standing.nodes_[node].watched)) return false;
  bool all = true;
  for_each_bit(inputs, [&](unsigned vc) {
    const std::size_t row = routers_.row(node, vc);
    all = all && visit.slot(standing.vcs_[row].next);
    if ((stands & bit(vc)) == 0) return;
    all = all && visit.since(standing.vcs_[row].since) && visit.same(standing.vcs_[row].waiting);
  });
  return all;
}

/// A FIFO from its front on, whose position in memory is not visible. The sender's position follows from the
/// number of flits.
template <typename Visit>
bool FastForward::visit_input(NodeId node, unsigned vc, Visit& visit) {
  InputVc& input = routers_.at(node).input(vc);
  const std::uint32_t length = routers_.buffer();
  // Flits lie from the front on; the free slot before it was used last.
  const std::uint32_t last = (input.front == 0 ? length : input.front) - 1;
  const bool in_use = !input.fifo[input.front].usable(present_) || !input.fifo[last].usable(present_);
  if (!visit.same(in_use ? 1 : 0)) return false;
  if (!in_use) return true;
  const RouterHeader& state = routers_.state_of(node);
  const bool blocked = (state.blocked & bit(vc)) != 0;
  const auto cause = static_cast<std::uint64_t>(input.cause);
  if (!visit.same(input.message | cause << 32) ||
      !visit.same(std::uint64_t{input.choice} | std::uint64_t{input.group} << 16 |
                  std::uint64_t{input.output} << 24 | std::uint64_t{input.queued_flits} << 32) ||
      !visit.same(input.partial_packet_flits)) {
    return false;
  }
  auto& stalled = routers_.stalls_.blocked_[routers_.row(node, vc)];
  if (blocked && (!visit.since(stalled.since) || !visit.since(stalled.counted_to))) {
    return false;
  }
  if (!visit_stall(node, vc, visit)) return false;
  std::uint32_t position = input.front;
  for (std::uint32_t place = 0; place < length; ++place) {
    if (!visit.slot(input.fifo[position])) return false;
    position = position_behind(position, length);
  }
  const Slot front = input.fifo[input.front];
  if (!front.occupied() || !front.head()) return true;
  auto& stalls = messages_[front.message()].head_stalls;
  return std::ranges::all_of(stalls, [&](Cycle& cycles) { return visit.count(cycles); });
}

/// The stall in progress, if stalls are observed: the same one, since the same cycle.
template <typename Visit>
bool FastForward::visit_stall(NodeId node, unsigned vc, Visit& visit) {
  if (!routers_.stalls_.observed()) return true;
  const StallSpans::Span* const span = routers_.stalls_.spans_->find(node, vc);
  if (!visit.same(span != nullptr ? 1 : 0)) return false;
  if (span == nullptr) return true;
  const FlitStall& stall = span->stall;
  return visit.same(stall.from) && visit.same(span->end) && visit.same(stall.culprit.value_or(kNever)) &&
         visit.same(static_cast<std::uint64_t>(stall.cause) | std::uint64_t{stall.port} << 8 |
                    std::uint64_t{stall.vc.value_or(0xFF)} << 40);
}

template <typename Visit>
bool FastForward::visit_port(NodeId node, unsigned number, Visit& visit) {
  Port& port = routers_.at(node).port(number);
  if (!visit.same(std::bit_cast<std::uint32_t>(port.next))) return false;
  // The departure of a tail is no repetition, even if the state is equal afterwards.
  if (!visit.same(port.messages) || !visit.slot(port.rate)) return false;
  for_each_bit(routers_.vc_info(routers_.first_vc(number)).of_port,
               [&](unsigned vc) { visit.count(routers_.at(node).output(vc).flits); });
  visit.count(port.stalled);
  if (!routers_.has_link_intervals() || number >= routers_.link_ports()) return true;
  LinkInterval& link = routers_.link_interval(node, number);
  return visit.time(link.free_from) && visit.same(link.part) && visit.same(link.last_message);
}

template <typename Visit>
bool FastForward::visit_interface(NodeId node, Visit& visit) {
  for (unsigned number = 0; number < nics_.channels_; ++number) {
    NicPool::InjectionChannel& channel = nics_.channel(node, number);
    if (!visit.same(channel.idle() ? 1 : 0) || !visit.time(channel.due)) return false;
    const NicPool::Queue& queue = nics_.queue(node, number);
    if (!visit.same(queue.empty() ? kNoMessage : queue.front)) return false;
    if (nics_.vcs_ > 1) {
      const NicPool::ChosenVc chosen = nics_.chosen_[std::size_t{node} * nics_.channels_ + number];
      if (!visit.same(chosen.vc | (chosen.waiting ? 256U : 0U))) return false;
    }
    if (channel.idle()) continue;
    if (!visit.left(channel.flits) || !visit.slot(channel.next)) return false;
  }
  return true;
}

// --- Conditions ------------------------------------------------------------------------------------------

/// No observer of flits, and all planned events are visited by visit_state().
bool FastForward::possible() const {
  return within_wheel_ && mode_ != FastForwardMode::off && routers_.observer_ == nullptr &&
         routers_.external_.empty() && routers_.cooldowns_.empty() && routers_.deferred_events_.empty() &&
         !routers_.standing_.pending();
}

/// Attempts without gain may take a small part of the run time.
bool FastForward::affordable() const {
  constexpr std::uint64_t kAtFirst = 1000;
  return mode_ == FastForwardMode::on || spent_ <= kAtFirst + (routers_.flit_hops() - skipped_hops_) / 64;
}

/// Called between two cycles, before cycle `next`.
Cycle FastForward::look(Cycle next, Cycle until) {
  present_ = next;
  if (phase_ == Phase::waiting) {
    if (until >= next + kWorthwhile && affordable() && possible()) begin_gathering(next);
    return 0;
  }
  // Cycles without work need no counting.
  const bool asleep = agenda_.next(next - 1) >= next + agenda_.wheel();
  if (!possible() || agenda_.is_marked() || asleep) {
    give_up();
    return 0;
  }
  const bool known = gather(next);
  const Cycle passed = next - since_;
  switch (phase_) {
    case Phase::waiting:
      break;
    case Phase::gathering:
      if (passed >= agenda_.wheel()) keep_state(next);
      break;
    case Phase::comparing:
      // A router outside of the recorded state may change it.
      if (!known || passed > kMaxTurns * agenda_.wheel()) {
        give_up();
      } else if (passed % agenda_.wheel() == 0 && repeats(next)) {
        phase_ = Phase::repeating;
        period_ = passed;
        since_ = next;
        repeats_until_ = agenda_.first_far();
      }
      break;
    case Phase::repeating:
      if (next > repeats_until_ || periods_left_ == 0) {
        give_up();
      } else if (passed == period_) {
        since_ = next;
        --periods_left_;
      }
      break;
  }
  if (phase_ != Phase::repeating || since_ != next) return 0;
  return cycles_to_skip(next, until);
}

Cycle FastForward::cycles_to_skip(Cycle next, Cycle until) const {
  const Cycle end = std::min(until, repeats_until_);
  const Cycle periods = end <= next ? 0 : std::min((end - next) / period_, periods_left_);
  return periods * period_ >= kWorthwhile ? periods * period_ : 0;
}

void FastForward::begin_gathering(Cycle next) {
  phase_ = Phase::gathering;
  since_ = next;
  with_work_.assign(agenda_.words(), 0);
  (void)gather(next);
}

/// Adds the routers with work from cycle `next` on within the wheel. Returns whether all were known.
bool FastForward::gather(Cycle next) {
  bool known = true;
  for (Cycle ahead = 0; ahead < agenda_.wheel(); ++ahead) {
    known &= agenda_.add_awake(next + ahead, with_work_);
  }
  return known;
}

void FastForward::keep_state(Cycle next) {
  nodes_.clear();
  for (std::size_t word = 0; word < with_work_.size(); ++word) {
    for_each_bit(with_work_[word],
                 [&](unsigned place) { nodes_.push_back(static_cast<NodeId>(word * 64 + place)); });
  }
  spent_ += nodes_.size() * kVisit;
  values_.clear();
  Keeping keeping(values_);
  if (nodes_.empty() || !visit_state(keeping)) return give_up();
  phase_ = Phase::comparing;
  since_ = next;
}

bool FastForward::repeats(Cycle next) {
  const Times times{since_, next};
  Comparing comparing(values_, times);
  if (!visit_state(comparing)) return false;
  periods_left_ = comparing.periods_left();
  Subtracting subtracting(values_, times);
  visit_state(subtracting);
  return true;
}

Cycle FastForward::advance(Cycle cycles) {
  const Cycle periods = cycles / period_;
  if (periods == 0) return 0;
  const std::uint64_t hops_before = routers_.flit_hops();
  Advancing advancing(values_, periods);
  visit_state(advancing);
  const std::uint64_t hops = routers_.flit_hops() - hops_before;
  skipped_hops_ += hops;
  spent_ -= std::min(spent_, hops / 8);
  periods_left_ -= periods;
  since_ += periods * period_;
  skipped_ += periods * period_;
  present_ = since_;
  return periods * period_;
}

}  // namespace flitscope
