// tsay-wang-direct: broadcast on the d-dimensional torus in d * ceil(log_{2d+1} n) steps, for every n.
//
// Tsay and Wang inform the nodes of a diagonal, then of ever larger lattices around it, and need a step that
// aligns the lattice before their last phase. Here the lattices are chosen so that the last phase finds the
// informed set {x : x_1 - x_2 + x_3 - .. = 0} and nothing has to be aligned. With K = ceil(log_{2d+1} n),
// each of the d phases runs the ring schedule of Lemma 2 once, K steps.
//
// As in the paper, dimensions count from 1, coordinates are mod n and relative to the source; e_k is the unit
// vector. A_0 = {0}, and phase h informs A_h = A_{h-1} + Z_n g_h: class m of it is A_{h-1} + m g_h.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "algorithms/common/ring_schedule.h"
#include "algorithms/common/schedule.h"
#include "algorithms/tsay_wang/phase.h"

namespace flitscope::tsay_wang::direct {
namespace {

/// Ones in dimensions p..d; if they are an odd number >= 3, dimension d-1 has a 2 instead. Then the
/// alternating sum from p on is 0 whenever there are at least two.
Vector tail(unsigned d, unsigned p) {
  Vector vector = ones(p, d);
  const unsigned count = d + 1 - p;
  if (count >= 3 && count % 2 == 1) vector[d - 1] = 2;
  return vector;
}

/// g_h, by which phase h leads from one class to the next.
Vector generator(unsigned d, unsigned h) {
  if (h == d) return e(1);
  if (h == 1) return tail(d, 1);
  return e(h - 1) + e(h);
}

/// Effect of a message that starts in dimension k: it travels x * path, x of any sign, and that leads
/// `direction` * x classes on.
struct Port {
  Vector path;        ///< c_k
  int direction = 1;  ///< eps_k
};

Port port(unsigned d, unsigned h, unsigned k) {
  if (h == d) return {e(k), k % 2 == 1 ? 1 : -1};
  if (h == 1) return {tail(d, 1), 1};
  if (k == h) return {e(h) + e(h - 1), 1};
  if (k < h && (h - k) % 2 == 1) return {e(k) + e(h), 1};
  if (k < h) return {e(k) - e(h), -1};
  if (h % 2 == 1) return {e(1) + tail(d, h) - e(h), -1};
  if (d - h >= 2) return {tail(d, h + 1), -1};
  return {e(d) + e(d - 1), -1};
}

/// Gives the targets of one side, nearest first, the start dimensions 1, 2, .. in turn. A target whose hop
/// in some start dimension would have no length may not start there; it is served before the others. (That
/// happens only for odd d >= 3 and even n, at displacement n/2 where the path has a 2.)
std::vector<Send> assign_ports(unsigned d, std::int64_t n, unsigned h,
                               std::span<const std::int64_t> targets) {
  const auto may_start_in = [&](std::int64_t t, unsigned k) { return t * port(d, h, k).path[k] % n != 0; };
  std::vector<std::int64_t> order(targets.begin(), targets.end());
  std::ranges::stable_partition(order, [&](std::int64_t t) {
    for (unsigned k = 1; k <= d; ++k) {
      if (!may_start_in(t, k)) return true;
    }
    return false;
  });
  std::array<bool, kMaxDimensions + 1> taken{};
  std::vector<Send> sends;
  for (const std::int64_t t : order) {
    unsigned k = 1;
    while (taken[k] || !may_start_in(t, k)) ++k;
    taken[k] = true;
    const auto [path, direction] = port(d, h, k);
    const std::int64_t x = direction * t;
    sends.push_back({path * x, Route::cyclic(k - 1, x > 0 ? Sign::plus : Sign::minus)});
  }
  return sends;
}

std::vector<Phase> phases(unsigned d, std::uint32_t n) {
  std::vector<Phase> list;
  std::vector<Vector> informed;  // generators of A_{h-1}
  for (unsigned h = 1; h <= d; ++h) {
    list.push_back({"phase " + std::to_string(h), informed, generator(d, h),
                    [=](std::span<const std::int64_t> targets) { return assign_ports(d, n, h, targets); }});
    informed.push_back(generator(d, h));
  }
  return list;
}

constexpr auto kName = "tsay-wang-direct";

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kName, 3);
  const unsigned d = topology.dimensions();
  ScheduleFacts facts = common::broadcast_facts(topology, values, kName, "cyclic-dimension-order", 2 * d);
  const RingSchedule ring(n, d);
  facts.steps = std::uint64_t{d} * ring.steps();
  facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n);
  facts.claimed_channel_load = 1;
  const std::vector<Phase> list = phases(d, n);
  add_stages(list, ring, facts.stages);
  const RelativeNodes nodes(topology, common::source_of(facts));
  return common::stepwise(std::move(facts),
                          [=](std::uint64_t number, Step& step) { play(list, ring, number, nodes, step); });
}

const AlgorithmRegistry::Entry entry{common::segmented({
    .name = kName,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on an all-port torus in d phases, without the alignment step of tsay-wang",
    .source = "ours, after Tsay and Wang: the same phases on other diagonals",
    .claim = "d * ceil(log_{2d+1} n) steps, at most one message per link and step, none redundant",
    .admissible = "torus of equal sides n >= 3, any number of dimensions d",
    .parameters = broadcast_parameters(),
    .make = make,
})};

}  // namespace
}  // namespace flitscope::tsay_wang::direct
