// Section 3.1: the four broadcasts, Figure 2, and broadcasts that follow each other.
#include <algorithm>
#include <set>

#include "algorithms/afsahi/closed_forms.h"
#include "sim/claims/papers/afsahi/cases.h"
#include "sim/claims/papers/afsahi/claims.h"

namespace flitscope::claims::afsahi {

namespace {

using flitscope::afsahi::b4_time;
using flitscope::afsahi::power;

std::uint64_t last_node(Extent extent) {
  return extent == Extent::quick ? 40 : 200;
}

std::string range_of(Extent extent) {
  return fmt::format("N = 2..{}, k = 1..4, d = 0, 1, 3, 10", last_node(extent));
}

/// ceil(log_k(N(k-1) + 1)) - 1 as printed, for k >= 2.
std::uint64_t printed_depth(const Size& size) {
  return ceil_log(size.k, size.nodes * (size.k - 1) + 1) - 1;
}

/// B1 and B3: `printed` for k >= 2, and nothing for k = 1, where log_1 does not exist.
template <typename Time>
Finding tree_time(Extent extent, const std::string& algorithm, Time time) {
  Cases printed;
  Cases repaired;
  printed.add(false, "k = 1", "log_1 is undefined");
  for (const Size& size : sizes(last_node(extent))) {
    const std::uint64_t depth = size.k == 1 ? size.nodes - 1 : printed_depth(size);
    repaired.equal(name_of(size), "units", time(size.d, depth), checked_time(size, algorithm));
  }
  return judge(printed, repaired, "for k = 1 the depth of the tree, N-1, in place of the logarithm",
               range_of(extent), fmt::format("{} schedules legal, of exactly that time", repaired.tried()));
}

}  // namespace

Finding b1_time(Extent extent) {
  return tree_time(extent, "afsahi-b1", [](std::uint64_t d, std::uint64_t depth) { return (d + 1) * depth; });
}

Finding b3_time(Extent extent) {
  return tree_time(extent, "afsahi-b3", [](std::uint64_t d, std::uint64_t depth) { return d + depth; });
}

Finding b2_time(Extent extent) {
  Cases cases;
  for (const Size& size : sizes(last_node(extent))) {
    cases.equal(name_of(size), "units", (size.d + 1) * ceil_log(size.k + 1, size.nodes),
                checked_time(size, "afsahi-b2"));
  }
  return judge(cases, range_of(extent),
               fmt::format("{} schedules legal, of exactly that time", cases.tried()));
}

Finding figure_2_delay(Extent) {
  Cases printed;
  Cases repaired;
  const std::uint64_t with_2 = checked_time({41, 2, 2}, "afsahi-b4");
  printed.equal("N = 41, k = 2, d = 2", "units", std::uint64_t{4}, with_2);
  repaired.equal("N = 41, k = 2, d = 1", "units", std::uint64_t{4}, checked_time({41, 2, 1}, "afsahi-b4"));
  return judge(
      printed, repaired, "d = 1, as the caption says; two sends of a node are d + 1 = 2 apart",
      "N = 41, k = 2, d = 1, 2",
      fmt::format("with d = 2, {} nodes are informed at time 4", flitscope::afsahi::informed(2, 2, 4)));
}

Finding figure_2_sets(Extent) {
  Cases cases;
  std::uint64_t second_sets = 0;
  std::set<std::uint64_t> parents;
  for (const Informed& message : latency_hiding_broadcast({41, 2, 1})) {
    if (message.set == 0) continue;
    ++second_sets;
    parents.insert(message.source);
    if (message.source == 0)
      cases.add(message.target == 15 || message.target == 16, "node 0", "another second set");
  }
  cases.add(parents == std::set<std::uint64_t>{0, 1, 2}, "second sets", "other nodes have one");
  std::uint64_t first_tree = 0;
  std::set<std::uint64_t> outside;
  for (const Informed& message : latency_hiding_broadcast({41, 2, 1})) {
    if (message.set > 0 || outside.contains(message.source)) {
      outside.insert(message.target);
    } else {
      ++first_tree;
    }
  }
  cases.equal("first tree", "nodes", std::uint64_t{31}, first_tree + 1);
  return judge(cases, "N = 41, k = 2, d = 1",
               fmt::format("{} nodes in the first tree, {} by second sets", first_tree + 1, second_sets));
}

Finding reach_while_tuning(Extent extent) {
  Cases printed;
  Cases repaired;
  for (std::uint64_t k = 1; k <= 4; ++k) {
    for (std::uint64_t d = 0; d <= (extent == Extent::quick ? 3U : 5U); ++d) {
      // From when node 0's first messages arrive until it sends again, d units later.
      const Size size{flitscope::afsahi::informed(k, d, d + 2), k, d};
      std::uint64_t reached = 0;
      for (const Informed& message : latency_hiding_broadcast(size))
        reached += message.arrival <= d + 1 ? 1 : 0;
      std::uint64_t claimed = 0;
      for (std::uint64_t level = 0; level <= d; ++level) claimed += power(k, level);
      const std::string name = fmt::format("k = {}, d = {}", k, d);
      printed.equal(name, "nodes", claimed, reached);
      repaired.equal(name, "nodes", k * claimed, reached);
    }
  }
  return judge(printed, repaired, "over each of its k links, k times as many in all",
               extent == Extent::quick ? "k = 1..4, d = 0..3" : "k = 1..4, d = 0..5",
               "nodes informed by afsahi-b4, beside the source, when it has tuned for the first time");
}

Finding multi_broadcast(Extent extent) {
  Cases cases;
  std::string periods;
  std::vector<Size> list{{41, 2, 1}, {99, 2, 1}, {85, 4, 3}, {69, 1, 3}, {1000, 2, 5}};
  if (extent == Extent::full) {
    const std::vector<Size> all = sizes(130);
    list.insert(list.end(), all.begin(), all.end());
  }
  for (const Size& size : list) {
    const std::uint64_t one = checked_time(size, "afsahi-b4");
    const std::uint64_t period = checked_time(size, "afsahi-b4", "repeat: 2") - one;
    cases.equal(name_of(size), "units for 5 broadcasts", 4 * period + one,
                checked_time(size, "afsahi-b4", "repeat: 5"));
    if (period > 1) {
      const bool earlier = is_legal(size, "afsahi-b4", fmt::format("repeat: 2, period: {}", period - 1));
      cases.add(!earlier, name_of(size), fmt::format("{} units are enough too", period - 1));
    }
    if (&size - list.data() < 5)
      periods += fmt::format("{}{} ({}) at {}", periods.empty() ? "" : "; ", period, one, name_of(size));
  }
  return judge(
      cases, extent == Extent::quick ? "five sizes" : "five sizes, and N = 2..130, k = 1..4, d = 0, 1, 3, 10",
      fmt::format("least period (and time of one broadcast): {}; one unit less is illegal", periods));
}

Finding faster_broadcast(Extent extent) {
  Cases printed;
  Cases repaired;
  std::string first;
  const std::uint64_t last = extent == Extent::quick ? 400 : 2000;
  for (const auto& [k, d] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{2, 1}, {2, 3}, {3, 2}, {4, 3}}) {
    std::uint64_t faster_from = 0;
    for (std::uint64_t n = 2; n <= last; ++n) {
      const Size size{n, k, d};
      const std::uint64_t b3 = flitscope::afsahi::tree_depth(n, k) + d;
      const std::uint64_t b4 = b4_time(n, k, d) + d;
      printed.add(b4 < b3, name_of(size), fmt::format("from a cold start both take {} units", b4));
      repaired.add(b4 <= b3, name_of(size), fmt::format("{} units, B3 takes {}", b4, b3));
      if (faster_from == 0 && b4 < b3) faster_from = n;
    }
    first +=
        fmt::format("{}{} (k = {}, d = {})", first.empty() ? "" : ", ",
                    faster_from == 0 ? fmt::format("not up to {}", last) : std::to_string(faster_from), k, d);
  }
  const Size table{85, 4, 3};
  const std::uint64_t b3 = checked_time(table, "afsahi-b3");
  const std::uint64_t b4 = checked_time(table, "afsahi-b4", "start: cold");
  return judge(
      printed, repaired,
      "from the same start it is never slower; the tables charge the first tuning to B2 and B3 only",
      fmt::format("N = 2..{}, (k, d) = (2, 1), (2, 3), (3, 2), (4, 3), both from a cold start", last),
      fmt::format("first faster at N = {}; Table II's N = 85: {} against {}, not 3 against 6", first, b4,
                  b3));
}

}  // namespace flitscope::claims::afsahi
