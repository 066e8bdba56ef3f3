// What routers tell those who watch them. Nothing of this is called while nobody does.
#include <utility>

#include "routers/engine/router_pool.h"

namespace flitscope {

void RouterPool::observe(FlitObserver* observer, std::span<const NodeId> nodes) {
  observer_ = observer;
  watched_.assign(this->nodes(), nodes.empty() ? 1 : 0);
  for (const NodeId node : nodes) watched_[node] = 1;
}

/// What happened in between is read off the state before and after, so that the stages need not tell. In one
/// cycle an input VC loses one flit at most, and a head that comes to the front by it is not routed yet.
void RouterPool::step_watched(NodeId node, InjectionSide& interfaces) {
  const Here here = at(node);
  const RouterHeader before = here.state();
  moves_.clear();
  const std::uint32_t put = step_noting_moves(node, interfaces);
  stalls_.report(node, now_);
  std::uint64_t routed = here.state().routed;
  std::uint64_t granted = here.state().active;
  std::array<std::uint8_t, kMaxVirtualChannels> output;
  for_each_bit(granted, [&](unsigned vc) { output[vc] = here.input(vc).output; });
  for (const Move& move : moves_) {
    if (!move.flit.head()) continue;
    routed |= bit(move.input_vc);
    granted |= bit(move.input_vc);
    output[move.input_vc] = static_cast<std::uint8_t>(move.output_vc);
  }
  for_each_bit(routed & ~before.routed, [&](unsigned vc) {
    const InputVc& input = here.input(vc);
    observer_->routed(now_, node, vc, input.group, messages_[input.message].id);
  });
  for_each_bit(granted & ~before.active, [&](unsigned vc) {
    const unsigned port = vc_place(output[vc]).port;
    observer_->granted(now_, node, vc, port, output[vc] - first_vc(port),
                       messages_[here.input(vc).message].id);
  });
  for (const Move& move : moves_) {
    const unsigned port = vc_place(move.output_vc).port;
    observer_->moved(now_, node, port, move.output_vc - first_vc(port), messages_[move.flit.message()].id,
                     move.flit.index(), move.flit.tail());
  }
  interfaces.report(node, put, now_, *observer_);
}

}  // namespace flitscope
