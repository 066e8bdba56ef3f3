// Software prefetch: the memory of the next routers is fetched while the present one is stepped.
//
// A flit-hop reads and writes about ten cache lines in a chain of addresses: header, VC, slot, message,
// output VC, slot and pending events of the receiver. In a network beyond the cache size these loads would
// dominate. So awake routers pass a pipeline whose stages each follow the chain by one step, some routers
// ahead.
//
// With few flits most memory of a router is in the cache from the cycle before, and the pipeline does not
// pay. But heads, and flits that end a standing VC, reach routers without recent accesses. They are known a
// link delay ahead: their memory is prefetched then, and the memory behind it in the next cycle, unless there
// are too many.
//
// Results do not change: a stage reads and prefetches. The only one that writes, fetch_route(), calls the
// routing function early. That is safe: the front flits, the bits of the header read here and the events of
// this cycle are changed by the router itself only, and a routing function has no state.
#include <array>
#include <cstddef>
#include <utility>

#include "routers/engine/prefetch.h"
#include "routers/engine/router_pool.h"

namespace flitscope {
namespace {

/// Distance of each stage from the step of a router. A stage reads memory that the stage before it has
/// prefetched.
struct Ahead {
  static constexpr std::size_t header = 16;
  static constexpr std::size_t channels = 13;
  static constexpr std::size_t flits = 10;
  static constexpr std::size_t messages = 7;
  static constexpr std::size_t route = 4;
  static constexpr std::size_t receiver = 2;
};
constexpr std::size_t kLookedAt = 16;
static_assert(Ahead::channels < kLookedAt);

/// Flits of a router that are prefetched; with more of them loads overlap anyway.
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
  // Behind the last router the stages repeat it.
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
    fetch_route(in(Ahead::route));
    fetch_receivers(in(Ahead::receiver));
    step(awake_[turn], interfaces);
  }
}

inline void RouterPool::fetch_header(NodeId node) const {
  prefetch(&this_cycle_.events[node]);
  prefetch(&header(node));
}

/// Prefetches input VCs with a flit that could move.
inline RouterPool::PrefetchEntry RouterPool::fetch_channels(NodeId node,
                                                            const InjectionSide& interfaces) const {
  const RouterRef router = at(node);
  const RouterHeader& state = router.state();
  const PendingEvents& events = this_cycle_.events[node];
  std::uint64_t blocked = state.blocked;
  if (events.credits != 0) blocked = 0;
  const std::uint64_t able = first_few((state.ready | events.arrivals) & ~blocked);
  for_each_bit(able, [&](unsigned vc) { prefetch(&router.input(vc)); });
  if (state.injecting != 0) interfaces.fetch(node, state.injecting);
  return {router, able};
}

/// Prefetches front flits, and output VCs that are known.
inline void RouterPool::fetch_flits(PrefetchEntry entry) const {
  const auto [router, able] = entry;
  for_each_bit(able, [&](unsigned vc) {
    const InputVc& input = router.input(vc);
    prefetch(&input.fifo[input.front]);
    prefetch(&router.port(vc_info(vc)));
    if ((router.state().active & bit(vc)) != 0) fetch_output(router, input.output);
  });
}

/// Prefetches messages of heads, and receivers of other flits.
inline void RouterPool::fetch_messages(PrefetchEntry entry) const {
  const auto [router, able] = entry;
  for_each_bit(able, [&](unsigned vc) {
    const InputVc& input = router.input(vc);
    if ((router.state().active & bit(vc)) != 0) return fetch_receiver(router, input.output);
    prefetch(&messages_[input.fifo[input.front].message()]);
  });
}

/// Routes heads.
inline void RouterPool::fetch_route(PrefetchEntry entry) {
  const auto [router, able] = entry;
  if (!uncontended_fast_path_ || observer(router.state().node) != nullptr) return;
  for_each_bit(able & ~router.state().active, [&](unsigned vc) {
    if ((router.state().routed & bit(vc)) == 0) route_ahead(router, vc);
    const InputVc& input = router.input(vc);
    for_each_bit(choice(input.choice), [&](unsigned output) { fetch_output(router, output); });
    if (input.group == link_ports()) prefetch(&messages_[input.message].head_arrived);
  });
}

inline void RouterPool::fetch_receivers(PrefetchEntry entry) const {
  const auto [router, able] = entry;
  if (!uncontended_fast_path_) return;
  for_each_bit(able & router.state().routed & ~router.state().active, [&](unsigned vc) {
    for_each_bit(choice(router.input(vc).choice), [&](unsigned output) { fetch_receiver(router, output); });
  });
}

/// Prefetches for the head that leaves an input VC by `output`.
[[gnu::noinline]] void RouterPool::fetch_head_behind(RouterRef router, unsigned vc, unsigned output) {
  const NodeId receiver = router.output(output).receiver;
  if (!range_.contains(receiver)) return;
  const Head& head = messages_[router.input(vc).message].head;
  if (head.destination == receiver) return fetch(receiver, output, choice(ejection_choice(output)));
  const Candidate next = routing_->first_candidate(receiver, vc_info(output).arrival, head);
  fetch(receiver, output, choice(link_choice(next.port, next.channel_class)));
}

[[gnu::noinline]] void RouterPool::fetch_head_of(NodeId node, unsigned channel, Candidate first) {
  fetch(node, first_vc(link_ports() + channel), choice(link_choice(first.port, first.channel_class)));
}

/// Prefetches for a flit that will arrive at an input VC and leave by one of `outputs`, or by the VC that it
/// holds if these are none.
[[gnu::noinline]] void RouterPool::fetch(NodeId node, unsigned vc, std::uint64_t outputs) {
  const RouterRef router = at(node);
  prefetch(&router.state());
  prefetch(&router.input(vc));
  prefetch(&router.port(vc_info(vc)));
  for_each_bit(outputs, [&](unsigned output) { fetch_output(router, output); });
  standing_.fetch(node, vc);
  expected_.push_back({node, vc, outputs});
  if (expected_.size() == kMaxPrefetches) fetches_heads_ = false;
}

/// Prefetches the receivers of expected flits.
[[gnu::noinline]] void RouterPool::fetch_expected() {
  for (const auto& [node, vc, outputs] : expected_) {
    const RouterRef router = at(node);
    for_each_bit(outputs, [&](unsigned output) { fetch_receiver(router, output); });
    if (outputs != 0) continue;
    const unsigned output = router.input(vc).output;
    fetch_receiver(router, output);
    const NodeId receiver = router.output(output).receiver;
    if (receiver == kNoNode) continue;
    prefetch(&header(receiver));
    prefetch(&input(receiver, output));
    standing_.fetch(receiver, output);
  }
  expected_.clear();
}

inline void RouterPool::fetch_output(RouterRef router, unsigned output) const {
  prefetch(&router.output(output));
  prefetch(&router.port(vc_info(output)));
}

inline void RouterPool::fetch_receiver(RouterRef router, unsigned output) const {
  const OutputVc& target = router.output(output);
  if (target.fifo == nullptr) return;  // no link: the expected flit may have taken another port
  prefetch(&target.next());
  if (target.receiver != kNoNode) prefetch(&after_hop_.events[target.receiver]);
}

}  // namespace flitscope
