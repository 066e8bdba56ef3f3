#include "sim/observe/flits/tail_lag.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace flitscope {

namespace {

/// Takes up to `cycles` away and says how many are left to be taken.
Cycle take_away(Cycle& part, Cycle cycles) {
  const Cycle taken = std::min(part, cycles);
  part -= taken;
  return cycles - taken;
}

}  // namespace

void TailLag::shrink(Follower& follower, std::int64_t cycles) {
  follower.gap -= cycles;
  const Cycle total = follower.parts.total();
  const auto left = static_cast<Cycle>(std::max<std::int64_t>(follower.gap, 0));
  Cycle excess = total > left ? total - left : 0;
  excess = take_away(follower.parts.injection, excess);
  for (Cycle& part : follower.parts.stalls) excess = take_away(part, excess);
}

void TailLag::grow(Follower& follower) {
  // The pace of the ejection channel comes first: it parts flits that are too close.
  constexpr auto kPace = static_cast<unsigned>(StallCause::ejection_busy);
  auto stalls = std::exchange(follower.stalls, {});
  const Cycle stalled = std::accumulate(stalls.begin(), stalls.end(), Cycle{0});
  Cycle free_of_charge = static_cast<Cycle>(std::max<std::int64_t>(-follower.gap, 0));
  follower.gap += static_cast<std::int64_t>(stalled);
  free_of_charge = take_away(stalls[kPace], free_of_charge);
  for (Cycle& cycles : stalls) free_of_charge = take_away(cycles, free_of_charge);
  for (unsigned cause = 0; cause < kStallCauses; ++cause) follower.parts.stalls[cause] += stalls[cause];
}

/// The flit leaves the place it is in, behind the one before it.
void TailLag::leave(Worm& worm, Follower& follower, Cycle now) const {
  const Cycle before = std::exchange(worm.left[follower.place++], now);
  const auto gap = static_cast<std::int64_t>(now - before) - pace_;
  const auto stalled =
      static_cast<std::int64_t>(std::accumulate(follower.stalls.begin(), follower.stalls.end(), Cycle{0}));
  // While the flit before it waited and this one was not here yet, the gap shrank.
  shrink(follower, follower.gap + stalled - gap);
  grow(follower);
}

void TailLag::injected(Cycle now, NodeId /*node*/, unsigned /*channel*/, std::uint64_t message,
                       std::uint32_t index, bool /*tail*/) {
  Worm& worm = worms_[message];
  Follower& follower = worm.followers.emplace_back();
  follower.place = 1;
  if (index == 0) {
    worm.left.assign(1, now);
    return;
  }
  follower.gap = static_cast<std::int64_t>(now - std::exchange(worm.left[0], now)) - pace_;
  follower.parts.injection = static_cast<Cycle>(std::max<std::int64_t>(follower.gap, 0));
}

void TailLag::moved(Cycle now, NodeId /*node*/, unsigned port, unsigned /*vc*/, std::uint64_t message,
                    std::uint32_t index, bool /*tail*/) {
  Worm& worm = worms_.at(message);
  Follower& follower = worm.followers[index - worm.gone];
  if (index == 0) {
    ++follower.place;
    worm.left.push_back(now);
  } else {
    leave(worm, follower, now);
  }
  if (port < link_ports_) return;
  worm.lag.injection += follower.parts.injection;
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    worm.lag.stalls[cause] += follower.parts.stalls[cause];
  }
  worm.followers.pop_front();
  ++worm.gone;
}

void TailLag::stalled(const FlitStall& stall) {
  if (stall.index == 0) return;
  Worm& worm = worms_.at(stall.message);
  worm.followers[stall.index - worm.gone].stalls[static_cast<unsigned>(stall.cause)] += stall.cycles;
}

LagParts TailLag::take(std::uint64_t message) {
  const auto worm = worms_.find(message);
  if (worm == worms_.end()) return {};
  const LagParts lag = worm->second.lag;
  worms_.erase(worm);
  return lag;
}

}  // namespace flitscope
