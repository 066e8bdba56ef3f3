// Looking ahead: what the next routers will need is fetched while the present one is stepped.
//
// A flit-hop reads and writes about ten cache lines, most of them found through others: the header says which
// VCs, a VC says which slot, a slot says which message, the message says which output VC, and that says which
// slot and mailbox at the receiver. In a network that outgrows the cache a router that waited for one after
// the other would wait most of the time. So the routers that are awake pass through a pipeline, whose
// stations each follow the chain by one step, some routers before their turn.
//
// Where few flits move, most of what a router needs was touched in the cycle before, and the pipeline does
// not pay. But heads come to routers that nobody has touched lately, and so does who ends what stands. They
// are known a link's delay ahead: what they will touch is fetched when it is known that they come, and what
// is found through that in the next cycle. Where very many come at once, little of it would still be there.
//
// Nothing here changes what happens: a station reads what is there, and asks for memory. The one that writes,
// fetch_way(), asks the routing function ahead of the router's turn. That is safe: the flits at the front of
// a router's FIFOs, the bits of the header that are read here, and the mail of this cycle are changed by the
// router itself only, and a routing function has no state.
#include <array>
#include <cstddef>
#include <utility>

#include "routers/engine/prefetch.h"
#include "routers/engine/router_pool.h"

namespace flitscope {
namespace {

/// At which distance from its turn each station looks at a router. What a station reads was asked for by the
/// one before it.
struct Ahead {
  static constexpr std::size_t header = 16;
  static constexpr std::size_t channels = 13;
  static constexpr std::size_t flits = 10;
  static constexpr std::size_t messages = 7;
  static constexpr std::size_t way = 4;
  static constexpr std::size_t receiver = 2;
};
constexpr std::size_t kLookedAt = 16;
static_assert(Ahead::channels < kLookedAt);

/// A router with more flits than these need not wait: what one of them lacks comes while others move.
constexpr unsigned kFew = 3;

std::uint64_t first_few(std::uint64_t flits) {
  std::uint64_t others = flits;
  for (unsigned few = 0; few < kFew; ++few) others &= others - 1;
  return flits & ~others;
}

}  // namespace

void RouterPool::step_looking_ahead(InjectionSide& interfaces) {
  awake_.clear();
  agenda_.visit(now_, [&](NodeId node) { awake_.push_back(node); });
  const std::size_t count = awake_.size();
  const std::uint64_t moved = flit_hops_ - std::exchange(hops_before_, flit_hops_);
  if (count == 0 || moved > kFew * count) {
    for (const NodeId node : awake_) step(node, interfaces);
    return;
  }
  // Behind the last router the stations look at it again.
  awake_.insert(awake_.end(), Ahead::header, awake_.back());
  std::array<PrefetchEntry, kLookedAt> approaching;
  approaching.fill({at(awake_.front()), 0});
  for (std::size_t turn = 0; turn < count; ++turn) {
    const auto in = [&](std::size_t turns) -> PrefetchEntry& {
      return approaching[(turn + turns) % kLookedAt];
    };
    fetch_header(awake_[turn + Ahead::header]);
    in(Ahead::channels) = fetch_channels(awake_[turn + Ahead::channels], interfaces);
    fetch_flits(in(Ahead::flits));
    fetch_messages(in(Ahead::messages));
    fetch_way(in(Ahead::way));
    fetch_receivers(in(Ahead::receiver));
    step(awake_[turn], interfaces);
  }
}

inline void RouterPool::fetch_header(NodeId node) const {
  prefetch(&this_cycle_.mail[node]);
  prefetch(&header(node));
}

/// The input VCs with a flit that could move.
inline RouterPool::PrefetchEntry RouterPool::fetch_channels(NodeId node,
                                                            const InjectionSide& interfaces) const {
  const Here here = at(node);
  const RouterHeader& state = here.state();
  const PendingEvents& mail = this_cycle_.mail[node];
  std::uint64_t blocked = state.blocked;
  if (mail.credits != 0) blocked = 0;
  const std::uint64_t able = first_few((state.ready | mail.arrivals) & ~blocked);
  for_each_bit(able, [&](unsigned vc) { prefetch(&here.input(vc)); });
  if (state.injecting != 0) interfaces.fetch(node, state.injecting);
  return {here, able};
}

/// The flits in front; and of those whose output VC is known, that.
inline void RouterPool::fetch_flits(PrefetchEntry router) const {
  const auto [here, able] = router;
  for_each_bit(able, [&](unsigned vc) {
    const InputVc& input = here.input(vc);
    prefetch(&input.fifo[input.front]);
    prefetch(&here.port(vc_place(vc)));
    if ((here.state().active & bit(vc)) != 0) fetch_output(here, input.output);
  });
}

/// The messages of heads; the receivers of other flits.
inline void RouterPool::fetch_messages(PrefetchEntry router) const {
  const auto [here, able] = router;
  for_each_bit(able, [&](unsigned vc) {
    const InputVc& input = here.input(vc);
    if ((here.state().active & bit(vc)) != 0) return fetch_receiver(here, input.output);
    prefetch(&messages_[input.fifo[input.front].message()]);
  });
}

/// Heads ask the routing function.
inline void RouterPool::fetch_way(PrefetchEntry router) {
  const auto [here, able] = router;
  if (!uncontended_fast_path_ || observer(here.state().node) != nullptr) return;
  for_each_bit(able & ~here.state().active, [&](unsigned vc) {
    if ((here.state().routed & bit(vc)) == 0) route_ahead(here, vc);
    const InputVc& input = here.input(vc);
    for_each_bit(choice(input.choice), [&](unsigned output) { fetch_output(here, output); });
    if (input.group == link_ports()) prefetch(&messages_[input.message].head_arrived);
  });
}

inline void RouterPool::fetch_receivers(PrefetchEntry router) const {
  const auto [here, able] = router;
  if (!uncontended_fast_path_) return;
  for_each_bit(able & here.state().routed & ~here.state().active, [&](unsigned vc) {
    for_each_bit(choice(here.input(vc).choice), [&](unsigned output) { fetch_receiver(here, output); });
  });
}

/// The head in an input VC leaves by `output`.
[[gnu::noinline]] void RouterPool::fetch_head_behind(Here here, unsigned vc, unsigned output) {
  const NodeId receiver = here.output(output).receiver;
  if (!range_.contains(receiver)) return;
  const Head& head = messages_[here.input(vc).message].head;
  if (head.destination == receiver) return fetch(receiver, output, choice(ejection_choice(output)));
  const Candidate next = routing_->first_candidate(receiver, vc_place(output).arrival, head);
  fetch(receiver, output, choice(link_choice(next.port, next.channel_class)));
}

[[gnu::noinline]] void RouterPool::fetch_head_of(NodeId node, unsigned channel, Candidate first) {
  fetch(node, first_vc(link_ports() + channel), choice(link_choice(first.port, first.channel_class)));
}

/// What somebody needs who comes to an input VC and goes on by one of `outputs`, or if these are none by that
/// which it holds.
[[gnu::noinline]] void RouterPool::fetch(NodeId node, unsigned vc, std::uint64_t outputs) {
  const Here here = at(node);
  prefetch(&here.state());
  prefetch(&here.input(vc));
  prefetch(&here.port(vc_place(vc)));
  for_each_bit(outputs, [&](unsigned output) { fetch_output(here, output); });
  standing_.fetch(node, vc);
  expected_.push_back({node, vc, outputs});
  if (expected_.size() == kMaxPrefetches) fetches_heads_ = false;
}

/// The receivers of those who are expected.
[[gnu::noinline]] void RouterPool::fetch_expected() {
  for (const auto& [node, vc, outputs] : expected_) {
    const Here here = at(node);
    for_each_bit(outputs, [&](unsigned output) { fetch_receiver(here, output); });
    if (outputs != 0) continue;
    const unsigned output = here.input(vc).output;
    fetch_receiver(here, output);
    const NodeId receiver = here.output(output).receiver;
    if (receiver == kNoNode) continue;
    prefetch(&header(receiver));
    prefetch(&input(receiver, output));
    standing_.fetch(receiver, output);
  }
  expected_.clear();
}

inline void RouterPool::fetch_output(Here here, unsigned output) const {
  prefetch(&here.output(output));
  prefetch(&here.port(vc_place(output)));
}

inline void RouterPool::fetch_receiver(Here here, unsigned output) const {
  const OutputVc& target = here.output(output);
  if (target.fifo == nullptr) return;  // it leads nowhere: who is expected may have gone another way
  prefetch(&target.next());
  if (target.receiver != kNoNode) prefetch(&after_hop_.mail[target.receiver]);
}

}  // namespace flitscope
