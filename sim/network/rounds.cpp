#include "sim/network/rounds.h"

#include <algorithm>
#include <utility>

namespace flitscope {
namespace {

/// Adds `cycles` to all times of a delivery.
Delivery shifted(Delivery delivery, Cycle cycles) {
  delivery.ready += cycles;
  delivery.head_entered += cycles;
  delivery.head_arrived += cycles;
  delivery.arrived += cycles;
  return delivery;
}

}  // namespace

void Rounds::allow(bool allowed) {
  allowed_ = allowed;
  if (!allowed) interrupt();
}

// --- Events of the network ---------------------------------------------------------------------------------

void Rounds::rest() {
  if (phase_ == Phase::noting) end_noting();
  messages_.clear();
  phase_ = allowed_ ? Phase::resting : Phase::busy;
}

void Rounds::disturb() {
  settle();
  turns_known_ = false;
  if (phase_ == Phase::noting) phase_ = Phase::busy;
}

void Rounds::interrupt() {
  if (phase_ == Phase::noting) known_[digest_].unfit = true;
  disturb();
  phase_ = Phase::busy;
}

// --- A round begins ----------------------------------------------------------------------------------------

bool Rounds::begin(Cycle now, Cycle until, bool planned) {
  began_ = now;
  const bool comparable = !planned && possible(now) && seen_before() && find_turns();
  const Round* const round = comparable ? find_round() : nullptr;
  if (round == nullptr || !can_be_replayed(*round) || now + round->length() >= until) {
    simulate(comparable && round == nullptr && memory_ < kMaxMemory);
    return false;
  }
  phase_ = Phase::repeating;
  round_ = static_cast<std::size_t>(round - rounds_.data());
  next_delivery_ = 0;
  return true;
}

/// Whether these messages were a round before.
bool Rounds::seen_before() {
  if (known_.size() >= kMaxKnown) known_.clear();
  digest_ = digest();
  const auto [known, unseen] = known_.try_emplace(digest_);
  return !unseen && !known->second.unfit;
}

/// A stall observer must see each stall.
bool Rounds::can_be_replayed(const Round& round) const {
  return !routers_.observes_stalls() || round.stalls == Stalls{};
}

/// Whether the round follows from the messages and the pointers alone.
bool Rounds::possible(Cycle now) const {
  return messages_.size() * kNodesOfMessage >= routers_.nodes() &&
         (!last_step_ || now >= *last_step_ + longest_wait_) && routers_.knows_only_turns();
}

std::uint64_t Rounds::digest() const {
  std::uint64_t digest = messages_.size();
  const auto add = [&](std::uint64_t value) {
    digest = (digest ^ value) * 0x9E3779B97F4A7C15;
    digest ^= digest >> 32;
  };
  for (const Packet& message : messages_) {
    add(std::uint64_t{message.source} << 32 | message.destination);
    add(std::uint64_t{message.flits} << 32 | std::uint64_t{message.route.negative} << 8 |
        message.route.first_dimension);
  }
  return digest;
}

/// Reads the pointers. Returns false if a router is busy, or after too many reads.
bool Rounds::find_turns() {
  if (turns_known_) return true;
  if (memory_ >= kMaxMemory || ++looks_ > kLooksAtFirst + kLooksForEach * repeated_) return false;
  Turns turns;
  if (!routers_.note_turns(turns)) return false;
  const auto found = std::ranges::find(turns_, turns);
  at_rest_ = static_cast<std::size_t>(found - turns_.begin());
  if (found == turns_.end()) {
    memory_ += turns.size() * sizeof turns.front();
    turns_.push_back(std::move(turns));
  }
  turns_known_ = true;
  return true;
}

/// The recorded round with these messages and pointers; nullptr if there is none.
const Rounds::Round* Rounds::find_round() const {
  for (const std::size_t place : known_.at(digest_).rounds) {
    const Round& round = rounds_[place];
    const bool same = std::ranges::equal(messages_, round.sent, {}, &Sent::of);
    if (same && round.turns_before == at_rest_) return &round;
  }
  return nullptr;
}

void Rounds::simulate(bool noted) {
  settle();
  phase_ = noted ? Phase::noting : Phase::busy;
  turns_known_ = noted;
  if (!noted) return;
  noted_.clear();
  counts_before_ = counts();
  hops_before_ = routers_.flit_hops();
  stalls_before_ = routers_.stalls();
}

// --- Recording ---------------------------------------------------------------------------------------------

std::vector<PortCounts> Rounds::counts() const {
  std::vector<PortCounts> counts;
  counts.reserve(std::size_t{routers_.nodes()} * routers_.ports());
  for (NodeId node = 0; node < routers_.nodes(); ++node) {
    for (unsigned number = 0; number < routers_.ports(); ++number) {
      counts.push_back(routers_.counts(node, number));
    }
  }
  return counts;
}

void Rounds::end_noting() {
  const std::size_t before = at_rest_;
  turns_known_ = false;
  if (!routers_.knows_only_turns() || !find_turns()) return;
  Round round = noted_round();
  // The next round may begin at once, before all stored times have passed.
  if (round.last_step + longest_wait_ > round.length()) {
    known_[digest_].unfit = true;
    return;
  }
  round.turns_before = before;
  round.turns_after = at_rest_;
  memory_ += round.sent.size() * sizeof(Sent) + round.deliveries.size() * sizeof(Delivery) +
             round.gains.size() * sizeof(PortGain);
  known_[digest_].rounds.push_back(rounds_.size());
  rounds_.push_back(std::move(round));
}

Rounds::Round Rounds::noted_round() const {
  Round round;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // by id
  places.reserve(messages_.size());
  round.sent.reserve(messages_.size());
  for (const Packet& message : messages_) {
    places.emplace_back(message.id, round.sent.size());
    round.sent.push_back(Sent::of(message));
  }
  if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
  round.deliveries.reserve(noted_.size());
  for (const Delivery& delivery : noted_) {
    round.deliveries.push_back(shifted(delivery, -began_));
    round.deliveries.back().id = std::ranges::lower_bound(places, delivery.id, {}, [](const auto& place) {
                                   return place.first;
                                 })->second;
  }
  round.last_step = *last_step_ - began_;
  round.flit_hops = routers_.flit_hops() - hops_before_;
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    round.stalls[cause] = routers_.stalls()[cause] - stalls_before_[cause];
  }
  const PortCounts* before = counts_before_.data();
  for (NodeId node = 0; node < routers_.nodes(); ++node) {
    for (unsigned number = 0; number < routers_.ports(); ++number, ++before) {
      const PortCounts after = routers_.counts(node, number);
      const PortCounts gain{after.flits - before->flits, after.messages - before->messages,
                            after.stalled - before->stalled};
      if ((gain.flits | gain.stalled) != 0) round.gains.push_back({node, number, gain});
    }
  }
  return round;
}

// --- Replay ------------------------------------------------------------------------------------------------

Cycle Rounds::next_delivery() const {
  return repeating() ? began_ + rounds_[round_].deliveries[next_delivery_].arrived : kNever;
}

std::uint64_t Rounds::take(Cycle now, std::vector<Delivery>& deliveries) {
  const std::vector<Delivery>& noted = rounds_[round_].deliveries;
  std::uint64_t flits = 0;
  while (next_delivery_ < noted.size() && began_ + noted[next_delivery_].arrived <= now) {
    const Delivery& delivery = noted[next_delivery_++];
    const Packet& message = messages_[delivery.id];
    deliveries.push_back(shifted(delivery, began_));
    deliveries.back().id = message.id;
    flits += message.flits;
  }
  if (next_delivery_ == noted.size()) end_repeating();
  return flits;
}

void Rounds::end_repeating() {
  Round& round = rounds_[round_];
  turns_written_ = turns_written_ && round.turns_after == at_rest_;
  at_rest_ = round.turns_after;
  last_step_ = began_ + round.last_step;
  ++round.uncounted;
  ++repeated_;
  counted_ = false;
  skipped_ += round.length();
  phase_ = Phase::busy;
  rest();
}

void Rounds::give_up() {
  phase_ = Phase::busy;
  disturb();
}

std::uint64_t Rounds::flit_hops() const {
  std::uint64_t hops = 0;
  for (const Round& round : rounds_) hops += round.uncounted * round.flit_hops;
  return hops;
}

void Rounds::settle() {
  if (!std::exchange(turns_written_, true)) routers_.set_turns(turns_[at_rest_]);
  if (std::exchange(counted_, true)) return;
  for (Round& round : rounds_) {
    const std::uint64_t times = std::exchange(round.uncounted, 0);
    if (times == 0) continue;
    routers_.count(times * round.flit_hops, round.stalls, times);
    for (const auto& [node, number, gain] : round.gains) routers_.count(node, number, gain, times);
  }
}

}  // namespace flitscope
