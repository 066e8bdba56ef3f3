// Cycles that repeat earlier ones, counted instead of run.
//
// After cycles without heads, tails, new messages and stalls nothing but body flits moves: the state of the
// network is its planes. If they are, some turns of the wheel later, what they were, but for the numbers of
// flits that are left, the next cycles repeat those between, as long as no tail is reached: no stage reads a
// clock or the number of a flit. A turn of the wheel is long enough for all that was under way.
#include <algorithm>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

namespace {

constexpr Cycle kMaxTurns = 16;              ///< of the wheel, of a period
constexpr Cycle kWorthwhile = 64;            ///< fewest cycles of a skip, which changes each number by itself
constexpr std::size_t kMaxWords = 1U << 24;  ///< of the planes that are kept
/// What attempts without gain may cost: one plane for so many flit-hops.
constexpr std::uint64_t kPlanesOfFlitHop = 4;

}  // namespace

/// Whether the planes are the whole state.
bool RouterGroups::can_repeat() const {
  return shape().banks == 0 && reads_ == nullptr && parts_ == nullptr && modules_ == nullptr &&
         ejection_buffers_ == nullptr && queue_history_ == nullptr && intervals_ == nullptr &&
         observed_flits_ == nullptr;
}

Cycle RouterGroups::after_cycle(Cycle now, Cycle until) {
  if (std::exchange(changed_, false)) disturb(now);
  if (now < quiet_from_ + agenda_.wheel() || !can_repeat()) return 0;
  if (std::size_t{groups_} * numbers_.words > kMaxWords) return 0;
  if (!kept_from_) {
    if (planes_read_ > flit_hops_ * kPlanesOfFlitHop) return 0;
    turns_ = 1;
    keep(now);
    return 0;
  }
  const Cycle period = now - *kept_from_;
  if (period == 0 || (period & (agenda_.wheel() - 1)) != 0) return 0;
  planes_read_ += std::size_t{groups_} * numbers_.words;
  if (!repeats()) {
    if (period == turns_ * agenda_.wheel()) {
      if (turns_ == kMaxTurns) {
        disturb(now);
      } else {
        turns_ *= 2;
        keep(now);
      }
    }
    return 0;
  }
  if (!later_.empty()) until = std::min(until, later_.begin()->first);
  until = std::min(until, agenda_.first_far());
  const Cycle left = periods_left();
  const Cycle cycles = left == kNever ? 0 : std::min((until - now - 1) / period, left) * period;
  if (cycles < kWorthwhile) {
    disturb(now + cycles);  // nothing is gained before these have passed
    return 0;
  }
  planes_read_ = 0;
  period_ = period;
  return cycles;
}

/// Whether cycles of a single group can repeat, too: all that comes to it is in its events.
bool RouterGroups::has_steady_groups(Cycle horizon) const {
  return can_repeat() && !has_busy_ports_ && !store_and_forward_ && !needs_packet_space_ && !waits_to_put_ &&
         ejection_interval_ == 1 && node_vcs() == 1 && horizon < agenda_.wheel();
}

/// Keeps the planes of the present.
void RouterGroups::keep(Cycle now) {
  for (Group group = 0; group < groups_; ++group) settle(at(group));
  const std::size_t words = std::size_t{groups_} * numbers_.words;
  planes_read_ += words;
  kept_.assign(planes_.get(), planes_.get() + words);
  kept_from_ = now;
  kept_hops_ = flit_hops_;
}

/// Whether the planes are those that were kept, but for flits left.
bool RouterGroups::repeats() const {
  for (Group group = 0; group < groups_; ++group) {
    settle(at(group));
    const Plane* const now = at(group).words;
    const Plane* const then = &kept_[std::size_t{group} * numbers_.words];
    for (const auto& [from, end] :
         {std::pair(0U, layout_.steady), std::pair(layout_.steady + 1, layout_.left),
          std::pair(layout_.end, numbers_.words)}) {
      if (!std::equal(now + from, now + end, then + from)) return false;
    }
  }
  return true;
}

/// Calls visit(number, router, left, more, flits) for each number of flits left, of input VCs and of
/// injectors, that has become smaller by `flits`: `left` of them are counted in the planes from `number` on.
template <typename Visit>
void RouterGroups::for_each_decrease(Visit visit) const {
  const auto visit_all = [&](GroupRef group, unsigned first, std::size_t stride, auto more) {
    const Plane* const then = &kept_[std::size_t{group.number} * numbers_.words + first];
    for (unsigned number = 0; number < stride; ++number) {
      Plane* const now = group.planes(first) + number;
      Plane changed = 0;
      for (unsigned i = 0; i < left_bits_; ++i) changed |= now[i * stride] ^ then[i * stride + number];
      for_each_bit(changed, [&](unsigned router) {
        const std::uint32_t left = sliced::of(now, left_bits_, stride, router);
        visit(now, stride, router, left, more(number, router),
              sliced::of(then + number, left_bits_, stride, router) - left);
      });
    }
  };
  for (Group number = 0; number < groups_; ++number) {
    const GroupRef group = at(number);
    visit_all(group, layout_.left, layout_.vc_words, [&](unsigned vc, unsigned router) -> std::uint32_t& {
      return this->router(group, router).front(vc).more;
    });
    visit_all(group, layout_.to_put, layout_.injector_words,
              [&](unsigned injector, unsigned router) -> std::uint32_t& {
                return injecting_[injector_row(group.node(router), injector)].more;
              });
  }
}

/// Periods in which no tail leaves a router or is put; kNever if nothing moves.
Cycle RouterGroups::periods_left() const {
  Cycle periods = kNever;
  for_each_decrease(
      [&](Plane*, std::size_t, unsigned, std::uint32_t left, std::uint32_t more, std::uint32_t flits) {
        periods = std::min<Cycle>(periods, (left + more - 1) / flits);
      });
  return periods;
}

Cycle RouterGroups::advance(Cycle cycles) {
  const auto periods = static_cast<std::uint32_t>(cycles / period_);
  for_each_decrease([&](Plane* number, std::size_t stride, unsigned router, std::uint32_t left,
                        std::uint32_t& more, std::uint32_t flits) {
    left += more - flits * periods;
    const std::uint32_t counted = std::min(left, kMostLeft);
    const Plane plane = Plane{1} << router;
    for (unsigned i = 0; i < left_bits_; ++i) number[i * stride] &= ~plane;
    sliced::set(number, stride, plane, counted);
    more = left - counted;
  });
  for (Group number = 0; number < groups_; ++number) {
    const GroupRef group = at(number);
    for_each_plane(group.quads(layout_.put_more), shape().injectors(), [&](unsigned injector, Plane routers) {
      for_each_bit(routers, [&](unsigned router) {
        if (injecting_[injector_row(group.node(router), injector)].more == 0)
          group.planes(layout_.put_more)[injector] &= ~(Plane{1} << router);
      });
    });
    *group.planes(layout_.steady) = 0;
  }
  flit_hops_ += (flit_hops_ - kept_hops_) * periods;
  skipped_ += period_ * periods;
  now_ += period_ * periods;
  disturb(now_);
  return period_ * periods;
}

}  // namespace flitscope
