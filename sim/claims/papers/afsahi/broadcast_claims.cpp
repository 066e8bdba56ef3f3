// Broadcasts of Afsahi and Dimopoulos, and their tables.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "algorithms/afsahi/closed_forms.h"
#include "sim/claims/papers/afsahi/cases.h"

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
  Cases printed, repaired;
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
  Cases printed, repaired;
  const std::uint64_t with_2 = checked_time({41, 2, 2}, "afsahi-b4");
  printed.equal("N = 41, k = 2, d = 2", "units", 4, with_2);
  repaired.equal("N = 41, k = 2, d = 1", "units", 4, checked_time({41, 2, 1}, "afsahi-b4"));
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
  cases.equal("first tree", "nodes", 31, first_tree + 1);
  return judge(cases, "N = 41, k = 2, d = 1",
               fmt::format("{} nodes in the first tree, {} by second sets", first_tree + 1, second_sets));
}

Finding reach_while_tuning(Extent extent) {
  Cases printed, repaired;
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
  Cases printed, repaired;
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

namespace {

/// More nodes are not simulated.
constexpr std::uint64_t kMaxNodes = 120'000;

/// A row of Tables I to III. For one port the paper prints no B3.
struct BroadcastRow {
  std::uint64_t nodes = 2;
  std::uint64_t b2 = 0;
  std::optional<std::uint64_t> b3;
  std::uint64_t b4 = 0;
  std::uint64_t logarithm = 0;
};

/// On flits; in a quick run large networks by the schedule checker, and beyond kMaxNodes by the closed form.
std::uint64_t broadcast_time(Extent extent, const Size& size, const std::string& algorithm) {
  const auto [n, k, d] = size;
  if (n > kMaxNodes) {
    if (algorithm == "afsahi-b2") return (d + 1) * ceil_log(k + 1, n);
    if (algorithm == "afsahi-b3") return d + flitscope::afsahi::tree_depth(n, k);
    return flitscope::afsahi::b4_time(n, k, d);
  }
  if (extent == Extent::quick && n > 2'000) return checked_time(size, algorithm);
  return static_cast<std::uint64_t>(time_on_flits(size, algorithm));
}

Finding broadcast_table(Extent extent, std::uint64_t k, std::uint64_t d, std::span<const BroadcastRow> rows) {
  Cases cases;
  bool by_form = false;
  for (const BroadcastRow& row : rows) {
    const Size size{row.nodes, k, d};
    by_form |= row.nodes > kMaxNodes;
    cases.equal(name_of(size) + ", B2", "units", row.b2, broadcast_time(extent, size, "afsahi-b2"));
    if (row.b3)
      cases.equal(name_of(size) + ", B3", "units", *row.b3, broadcast_time(extent, size, "afsahi-b3"));
    cases.equal(name_of(size) + ", B4", "units", row.b4, broadcast_time(extent, size, "afsahi-b4"));
    cases.equal(name_of(size) + ", logarithm rounded up", "", row.logarithm, ceil_log(k + 1, row.nodes));
  }
  std::vector<std::uint64_t> nodes;
  for (const BroadcastRow& row : rows) nodes.push_back(row.nodes);
  return judge(
      cases,
      fmt::format(
          "N = {}, k = {}, d = {}; {}{}", ranges(nodes), k, d,
          extent == Extent::quick ? "N <= 2000 on flits, more by the schedule checker" : "on flits",
          by_form ? fmt::format(", more than {} nodes by recurrence and closed form", kMaxNodes) : ""),
      fmt::format("{} of {} cells equal, B4 from a warm start, the others from a cold one",
                  cases.tried() - cases.failed(), cases.tried()));
}

/// A row of Tables IV and V, with the i printed beside TE3.
struct ExchangeRow {
  std::uint64_t d = 0;
  std::uint64_t te1 = 0;
  std::uint64_t te2 = 0;
  std::uint64_t te3 = 0;
  std::vector<unsigned> best;
};

/// The first row in a quick run by the schedule checker, others by the closed form; in a full run all on
/// flits.
std::uint64_t exchange_time(Extent extent, bool first_row, const Size& size, unsigned i) {
  if (extent == Extent::full) {
    return static_cast<std::uint64_t>(
        time_on_flits(size, "combined-total-exchange", fmt::format("form: digit, i: {}", i)));
  }
  if (first_row) return checked_time(size, "combined-total-exchange", fmt::format("form: digit, i: {}", i));
  return flitscope::afsahi::digit_exchange_time(size.nodes, size.k, size.d, i);
}

Finding exchange_table(Extent extent, std::uint64_t n, std::uint64_t k, std::span<const ExchangeRow> rows) {
  Cases cases;
  const unsigned s = ceil_log(k + 1, n);
  for (const ExchangeRow& row : rows) {
    const Size size{n, k, row.d};
    const auto time = [&](unsigned i) { return exchange_time(extent, &row == rows.data(), size, i); };
    cases.equal(name_of(size) + ", TE1", "units", row.te1, time(0));
    cases.equal(name_of(size) + ", TE2", "units", row.te2, time(s));
    for (const unsigned i : row.best) {
      cases.equal(fmt::format("{}, TE3, i = {}", name_of(size), i), "units", row.te3, time(i));
    }
    std::vector<unsigned> best;
    for (unsigned i = 0; i <= s; ++i) {
      const std::uint64_t units = flitscope::afsahi::digit_exchange_time(n, k, row.d, i);
      cases.add(units >= row.te3, fmt::format("{}, TE3, i = {}", name_of(size), i),
                fmt::format("{} units, less than the best printed", units));
      if (units == row.te3) best.push_back(i);
    }
    cases.add(best == row.best, name_of(size), "other i are the best");
  }
  return judge(cases,
               fmt::format("N = {}, k = {}, d = {}..{}; {}; other i by the closed form", n, k, rows.front().d,
                           rows.back().d,
                           extent == Extent::quick
                               ? "d's first value by the schedule checker, the others by the closed form"
                               : "all cells on flits"),
               fmt::format("{} of {} comparisons as printed", cases.tried() - cases.failed(), cases.tried()));
}

const std::array<BroadcastRow, 4> kTable1{
    {{99, 10, 7, 5, 5}, {1393, 14, 11, 8, 7}, {114'243, 22, 17, 13, 11}, {1'607'520, 28, 21, 16, 14}}};
const std::array<BroadcastRow, 4> kTable2{
    {{85, 12, 6, 3, 3}, {1369, 20, 9, 5, 5}, {88'633, 32, 12, 8, 8}, {1'429'100, 36, 14, 10, 9}}};
const std::array<BroadcastRow, 3> kTable3{
    {{69, 28, std::nullopt, 12, 7}, {1252, 44, std::nullopt, 21, 11}, {82'629, 68, std::nullopt, 34, 17}}};
const std::array<ExchangeRow, 4> kTable4{{{2, 3069, 5140, 2558, {1, 2}},
                                          {3, 4092, 5150, 2815, {2}},
                                          {4, 5115, 5160, 3072, {2, 3}},
                                          {5, 6138, 5170, 3202, {3}}}};
const std::array<ExchangeRow, 4> kTable5{{{1, 728, 1464, 728, {0, 1}},
                                          {2, 1092, 1470, 850, {1}},
                                          {3, 1456, 1476, 972, {1, 2}},
                                          {4, 1820, 1482, 1014, {2}}}};

}  // namespace

Finding table_1(Extent extent) {
  return broadcast_table(extent, 2, 1, kTable1);
}
Finding table_2(Extent extent) {
  return broadcast_table(extent, 4, 3, kTable2);
}
Finding table_3(Extent extent) {
  return broadcast_table(extent, 1, 3, kTable3);
}
Finding table_4(Extent extent) {
  return exchange_table(extent, 1024, 1, kTable4);
}
Finding table_5(Extent extent) {
  return exchange_table(extent, 729, 2, kTable5);
}

std::vector<std::vector<std::string>> broadcast_times(Extent extent) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::uint64_t k, std::uint64_t d, std::span<const BroadcastRow> table) {
    for (const BroadcastRow& row : table) {
      const Size size{row.nodes, k, d};
      const std::uint64_t b4 = broadcast_time(extent, size, "afsahi-b4");
      rows.push_back({std::to_string(k), std::to_string(d), std::to_string(row.nodes),
                      std::to_string(broadcast_time(extent, size, "afsahi-b2")),
                      std::to_string(broadcast_time(extent, size, "afsahi-b3")), std::to_string(b4),
                      std::to_string(b4 + d), std::to_string(ceil_log(k + 1, row.nodes))});
    }
  };
  add(2, 1, kTable1);
  add(4, 3, kTable2);
  add(1, 3, kTable3);
  return rows;
}

std::vector<std::vector<std::string>> exchange_times(Extent) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::uint64_t n, std::uint64_t k, std::span<const ExchangeRow> table) {
    for (const ExchangeRow& row : table) {
      rows.push_back({std::to_string(n), std::to_string(k), std::to_string(row.d)});
      for (unsigned i = 0; i <= 10; ++i) {
        const bool possible = i <= ceil_log(k + 1, n);
        rows.back().push_back(
            possible ? std::to_string(flitscope::afsahi::digit_exchange_time(n, k, row.d, i)) : "");
      }
    }
  };
  add(1024, 1, kTable4);
  add(729, 2, kTable5);
  return rows;
}

}  // namespace flitscope::claims::afsahi
