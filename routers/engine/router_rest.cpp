// The state of an idle network: the round-robin pointers and the counters.
#include <bit>

#include "routers/engine/router_pool.h"

namespace flitscope {
namespace {

bool is_idle(const RouterHeader& state) {
  return (state.ready | state.active | state.blocked | state.streaming | state.routed | state.held |
          state.awaited | state.injecting) == 0;
}

}  // namespace

bool RouterPool::knows_only_turns() const {
  return !adaptive_ && node_vcs() == 1 && observer_ == nullptr && external_.empty() && cooldowns_.empty() &&
         deferred_events_.empty() && !standing_.any_standing() && !standing_.pending();
}

bool RouterPool::note_turns(std::vector<std::uint32_t>& turns) const {
  turns.reserve(turns.size() + std::size_t{nodes()} * ports());
  for (NodeId node = 0; node < nodes(); ++node) {
    if (!is_idle(header(node))) return false;
    for (unsigned number = 0; number < ports(); ++number) {
      turns.push_back(std::bit_cast<std::uint32_t>(port(node, number).next));
    }
  }
  return true;
}

void RouterPool::set_turns(std::span<const std::uint32_t> turns) {
  std::size_t place = 0;
  for (NodeId node = 0; node < nodes(); ++node) {
    for (unsigned number = 0; number < ports(); ++number, ++place) {
      at(node).port(number).next = std::bit_cast<RoundRobin>(turns[place]);
    }
  }
}

void RouterPool::count(NodeId node, unsigned number, const PortCounts& counts, std::uint64_t times) {
  const RouterRef router = at(node);
  router.output(first_vc(number)).flits += times * counts.flits;
  router.port(number).messages += times * counts.messages;
  router.port(number).stalled += times * counts.stalled;
}

void RouterPool::count(std::uint64_t flit_hops, const std::array<std::uint64_t, kStallCauses>& stalls,
                       std::uint64_t times) {
  flit_hops_ += flit_hops;
  hops_before_ += flit_hops;
  stalls_.add(stalls, times);
}

}  // namespace flitscope
