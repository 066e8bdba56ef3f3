#include "routers/engine/stall_spans.h"

#include <algorithm>
#include <utility>

#include "routers/engine/bits.h"

namespace flitscope {

void StallSpans::begin(const FlitStall& stall, const Slot* slot) {
  std::uint32_t& place = place_of(stall.node, stall.input_vc);
  if (place != kNone) {
    Span& span = spans_[place];
    const bool same_slot = slot != nullptr && slot == span.slot;
    const bool same = span.end == stall.from && span.stall.cause == stall.cause &&
                      span.stall.port == stall.port && span.stall.vc == stall.vc &&
                      (same_slot || span.stall.culprit == stall.culprit);
    if (same) {
      span.slot = slot;
      span.end = kNever;
      ended_[stall.node] &= ~bit(stall.input_vc);
      return;
    }
    close(stall.node, stall.input_vc);
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(spans_.size()));
    spans_.emplace_back();
  }
  place = free_.back();
  free_.pop_back();
  spans_[place] = {stall, slot, kNever};
}

void StallSpans::end(NodeId node, unsigned vc, Cycle end) {
  const std::uint32_t place = place_of(node, vc);
  if (place == kNone) return;
  spans_[place].end = end;
  ended_[node] |= bit(vc);
}

/// The stall of an input VC is over.
void StallSpans::close(NodeId node, unsigned vc) {
  const std::uint32_t place = std::exchange(place_of(node, vc), kNone);
  free_.push_back(place);
  ended_[node] &= ~bit(vc);
  FlitStall& stall = spans_[place].stall;
  stall.cycles = spans_[place].end - stall.from;
  if (stall.cycles != 0) over_.push_back(stall);
}

void StallSpans::report_ended(NodeId node, Cycle now) {
  for_each_bit(ended_[node], [&](unsigned vc) {
    if (spans_[place_of(node, vc)].end <= now) close(node, vc);
  });
  std::ranges::sort(over_, {}, [](const FlitStall& stall) { return std::pair(stall.input_vc, stall.from); });
  for (const FlitStall& stall : over_) observer_.stalled(stall);
  reported_ += over_.size();
  over_.clear();
}

const FlitStall* StallSpans::in_cycle(NodeId node, unsigned vc, Cycle now) const {
  const std::uint32_t place = place_of_[std::size_t{node} * input_vcs_ + vc];
  if (place == kNone) return nullptr;
  const Span& span = spans_[place];
  return span.stall.from <= now && now < span.end ? &span.stall : nullptr;
}

}  // namespace flitscope
