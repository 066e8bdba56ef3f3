// Reports of routers to flit observers; not called without one.
#include <utility>

#include "routers/engine/router_pool.h"

namespace flitscope {

void RouterPool::observe(FlitObserver* observer, std::span<const NodeId> nodes) {
  observer_ = observer;
  watched_.assign(this->nodes(), nodes.empty() ? 1 : 0);
  for (const NodeId node : nodes) watched_[node] = 1;
}

/// Derives the events of a step from the state before and after it. In one cycle an input VC loses one flit
/// at most, and a head behind it is not routed yet.
void RouterPool::step_watched(NodeId node, InjectionSide& interfaces) {
  const RouterRef router = at(node);
  const RouterHeader before = router.state();
  moves_.clear();
  const std::uint32_t put = step_noting_moves(node, interfaces);
  stalls_.report(node, now_);
  std::uint64_t routed = router.state().routed;
  std::uint64_t granted = router.state().active;
  std::array<std::uint8_t, kMaxVirtualChannels> output;
  for_each_bit(granted, [&](unsigned vc) { output[vc] = router.input(vc).output; });
  for (const Move& move : moves_) {
    if (!move.flit.head()) continue;
    routed |= bit(move.input_vc);
    granted |= bit(move.input_vc);
    output[move.input_vc] = static_cast<std::uint8_t>(move.output_vc);
  }
  for_each_bit(routed & ~before.routed, [&](unsigned vc) {
    const InputVc& input = router.input(vc);
    observer_->routed(now_, node, vc, input.group, messages_[input.message].id);
  });
  for_each_bit(granted & ~before.active, [&](unsigned vc) {
    const unsigned port = vc_info(output[vc]).port;
    observer_->granted(now_, node, vc, port, output[vc] - first_vc(port),
                       messages_[router.input(vc).message].id);
  });
  for (const Move& move : moves_) {
    const unsigned port = vc_info(move.output_vc).port;
    observer_->moved(now_, node, port, move.output_vc - first_vc(port), messages_[move.flit.message()].id,
                     move.flit.index(), move.flit.tail());
  }
  interfaces.report(node, put, now_, *observer_);
}

}  // namespace flitscope
