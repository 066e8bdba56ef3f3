#include "routers/engine/stall_spans.h"

#include <algorithm>

#include "model/bits.h"

namespace flitscope {

const StallSpans::Span* StallSpans::find(NodeId node, unsigned vc) const {
  const std::vector<Span>& spans = routers_[node].spans;
  const auto found = std::ranges::find(spans, vc, [](const Span& span) { return span.stall.input_vc; });
  return found == spans.end() ? nullptr : &*found;
}

void StallSpans::begin(FlitStall stall, std::uint64_t slot) {
  Router& router = routers_[stall.node];
  if (Span* const span = find(stall.node, stall.input_vc); span != nullptr) {
    const bool same_slot = slot != 0 && slot == span->slot;
    const bool same = span->end == stall.from && span->stall.cause == stall.cause &&
                      span->stall.port == stall.port && span->stall.vc == stall.vc &&
                      (same_slot || span->stall.culprit == stall.culprit);
    if (same) {
      span->slot = slot;
      span->end = kNever;
      router.ended &= ~bit(stall.input_vc);
      return;
    }
    if (same_slot && span->end == stall.from) stall.culprit = span->stall.culprit;
    close(router, *span);
  }
  router.spans.push_back({stall, slot, kNever});
}

void StallSpans::end(NodeId node, unsigned vc, Cycle end) {
  Span* const span = find(node, vc);
  if (span == nullptr) return;
  span->end = end;
  routers_[node].ended |= bit(vc);
}

/// Ends a stall.
void StallSpans::close(Router& router, Span& span) {
  router.ended &= ~bit(span.stall.input_vc);
  FlitStall stall = span.stall;
  stall.cycles = span.end - stall.from;
  if (stall.cycles != 0) router.over.push_back(stall);
  span = router.spans.back();
  router.spans.pop_back();
}

void StallSpans::close_ended(Router& router, Cycle now) {
  for (std::size_t place = 0; place < router.spans.size();) {
    Span& span = router.spans[place];
    if ((router.ended & bit(span.stall.input_vc)) != 0 && span.end <= now) {
      close(router, span);
    } else {
      ++place;
    }
  }
  std::ranges::sort(router.over, {},
                    [](const FlitStall& stall) { return std::pair(stall.input_vc, stall.from); });
}

const FlitStall* StallSpans::in_cycle(NodeId node, unsigned vc, Cycle now) const {
  const Span* const span = find(node, vc);
  return span != nullptr && span->stall.from <= now && now < span->end ? &span->stall : nullptr;
}

}  // namespace flitscope
