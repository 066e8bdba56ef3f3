#include "routers/engine/group_stalls.h"

#include <algorithm>

namespace flitscope {

/// A flit whose stall ends in cycle `now` stays stalled: the stall goes on, or another one begins.
void GroupStalls::change(NodeId node, unsigned vc, Span& span, const Reason& reason, const Channel& channel,
                         Cycle now) {
  Span before = span;
  before.end = now;
  const bool same_slot = reason.slot != 0 && reason.slot == span.slot;
  set(span, reason, channel, now);
  if (same_slot) {
    span.culprit = before.culprit;
    span.has_culprit = before.has_culprit;
  }
  const bool same = span.cause == before.cause && span.port == before.port && span.vc == before.vc &&
                    span.culprit == before.culprit && span.has_culprit == before.has_culprit;
  if (same) {
    span.from = before.from;
  } else {
    close(node, vc, before);
  }
}

/// Keeps a stall that is over for the report.
void GroupStalls::close(NodeId node, unsigned vc, const Span& span) {
  if (span.end != span.from && is_needed(node, span)) add(stall_of(node, vc, span));
}

/// Reports a stall if it is needed.
void GroupStalls::report_one(const FlitStall& stall) {
  if (!is_needed(stall.node, stall.port, stall.index, stall.cycles)) return;
  if (!needs_all_) {
    Cycle& longest = longest_[port_row(stall.node, stall.port)];
    longest = std::max(longest, stall.cycles);
  }
  observer_.stalled(stall);
}

FlitStall GroupStalls::stall_of(NodeId node, unsigned vc, const Span& span) {
  return {.from = span.from,
          .cycles = span.end - span.from,
          .node = node,
          .input_vc = vc,
          .cause = span.cause,
          .port = span.port,
          .vc = span.vc == kNoVc ? std::nullopt : std::optional<unsigned>(span.vc),
          .message = span.message,
          .index = span.index,
          .culprit = span.has_culprit ? std::optional(span.culprit) : std::nullopt};
}

void GroupStalls::report(NodeId node, Cycle now) {
  Router& router = routers_[node];
  of_router_.clear();
  const auto end = [&](unsigned vc) {
    const Span& span = this->span(node, vc);
    if (span.end > now) return;
    if (span.end != span.from && is_needed(node, span)) of_router_.push_back(stall_of(node, vc, span));
    router.present.remove(vc);
    router.ended.remove(vc);
  };
  for (unsigned first = 0; first < input_vcs_; first += 64)
    for_each_bit(router.ended.word(first / 64), [&](unsigned place) { end(first + place); });
  if (std::exchange(router.has_over, false)) {
    std::erase_if(groups_[node / kGroupSize].over, [&](const FlitStall& stall) {
      if (stall.node == node) of_router_.push_back(stall);
      return stall.node == node;
    });
    std::ranges::sort(of_router_, {},
                      [](const FlitStall& stall) { return std::pair(stall.input_vc, stall.from); });
  }
  for (const FlitStall& stall : of_router_) report_one(stall);
}

std::optional<FlitStall> GroupStalls::in_cycle(NodeId node, unsigned vc, Cycle now) const {
  if (!routers_[node].present.has(vc)) return std::nullopt;
  const Span& span = groups_[node / kGroupSize].spans[node % kGroupSize * input_vcs_ + vc];
  return span.from <= now && now < span.end ? std::optional(stall_of(node, vc, span)) : std::nullopt;
}

}  // namespace flitscope
