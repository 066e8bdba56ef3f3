#include "routers/engine/divided_step.h"

#include <algorithm>

namespace flitscope {
namespace {

/// Groups of routers that cannot be divided.
std::size_t groups_of(NodeId nodes) {
  return (std::size_t{nodes} + Agenda::kNodesOfWord - 1) / Agenda::kNodesOfWord;
}

std::vector<NodeRange> ranges_of(NodeId nodes, unsigned threads) {
  const auto border = [&, groups = groups_of(nodes)](std::size_t thread) {
    return static_cast<NodeId>(
        std::min<std::size_t>(groups * thread / threads * Agenda::kNodesOfWord, nodes));
  };
  std::vector<NodeRange> ranges;
  for (unsigned thread = 0; thread < threads; ++thread)
    ranges.push_back({border(thread), border(thread + 1)});
  return ranges;
}

}  // namespace

unsigned DividedStep::threads_for(NodeId nodes, unsigned wanted) {
  return static_cast<unsigned>(std::clamp<std::size_t>(groups_of(nodes), 1, wanted));
}

DividedStep::Part::Part(DividedStep& whole, NodeRange range)
    : agenda(whole.agenda_, range.first, range.end),
      arriving(whole.messages_, agenda),
      routers(whole.routers_, agenda, arriving, range),
      nics(whole.nics_, agenda, routers) {}

DividedStep::DividedStep(unsigned threads, RouterPool& routers, NicPool& nics, Agenda& agenda,
                         MessageTable& messages)
    : routers_(routers), nics_(nics), agenda_(agenda), messages_(messages), meeting_(threads) {
  const std::vector<NodeRange> ranges = ranges_of(routers.nodes(), threads);
  routers_.divide(ranges);
  for (const NodeRange range : ranges) parts_.emplace_back(*this, range);
  for (unsigned thread = 1; thread < threads; ++thread) {
    threads_.emplace_back([this, thread] { work(parts_[thread]); });
  }
}

DividedStep::~DividedStep() {
  over_ = true;
  meeting_.arrive_and_wait();
}

void DividedStep::work(Part& part) {
  for (;;) {
    meeting_.arrive_and_wait();
    if (over_) return;
    step(part);
    meeting_.arrive_and_wait();
  }
}

void DividedStep::step(Part& part) const {
  try {
    part.routers.begin_cycle_of_part(routers_);
    part.routers.step_awake(part.nics);
  } catch (...) {
    part.failure = std::current_exception();
  }
}

void DividedStep::step(Cycle now) {
  agenda_.forget_mark(now);
  routers_.begin_division();
  meeting_.arrive_and_wait();
  step(parts_.front());
  meeting_.arrive_and_wait();
  for (Part& part : parts_) routers_.take_over(part.routers);
  for (const Part& part : parts_) {
    if (part.failure) std::rethrow_exception(part.failure);
  }
}

}  // namespace flitscope
