// Broadcasts of Afsahi and Dimopoulos, and their tables.
#include <array>
#include <optional>
#include <set>

#include "sim/claims/papers/afsahi/cases.h"

namespace flitscope::claims::afsahi {

namespace {

using flitscope::afsahi::b4_time;
using flitscope::afsahi::tree_depth;

Sizes<Size> broadcast_sizes(Extent extent) {
  return sizes(extent == Extent::quick ? 40 : 200);
}

/// B1 and B3, whose time is printed with log_k; `time` is that of a tree of so much depth.
Measure tree_time(const char* algorithm, std::uint64_t (*time)(std::uint64_t d, std::uint64_t depth)) {
  return [=](Trial& t) {
    t.printed.add(false, "k = 1", "log_1 is undefined");
    for (const Size& size : t.over(broadcast_sizes)) {
      const auto [n, k, d] = size;
      const std::uint64_t depth = k == 1 ? n - 1 : ceil_log(k, n * (k - 1) + 1) - 1;
      t.repaired.equal(size, "units", time(d, depth), checked_time(size, algorithm));
    }
    t.repair = "for k = 1 the depth of the tree, N-1, in place of the logarithm";
    t.measured = fmt::format("{} schedules legal, of exactly that time", t.repaired.tried());
  };
}

void figure_2_sets(Trial& t) {
  std::uint64_t second_sets = 0;
  std::uint64_t first_tree = 1;
  std::set<std::uint64_t> parents;
  std::set<std::uint64_t> outside;
  for (const auto& [source, target, arrival, set] : latency_hiding_broadcast({41, 2, 1})) {
    if (set > 0) {
      ++second_sets;
      parents.insert(source);
      if (source == 0) t.printed.add(target == 15 || target == 16, "node 0", "another second set");
    }
    if (set > 0 || outside.contains(source)) {
      outside.insert(target);
    } else {
      ++first_tree;
    }
  }
  t.printed.add(parents == std::set<std::uint64_t>{0, 1, 2}, "second sets", "other nodes have one");
  t.printed.equal("first tree", "nodes", 31, first_tree);
  t.sizes = "N = 41, k = 2, d = 1";
  t.measured = fmt::format("{} nodes in the first tree, {} by second sets", first_tree, second_sets);
}

void multi_broadcast(Trial& t) {
  std::string periods;
  std::vector<Size> list{{41, 2, 1}, {99, 2, 1}, {85, 4, 3}, {69, 1, 3}, {1000, 2, 5}};
  t.sizes = "five sizes";
  if (t.extent == Extent::full) {
    const Sizes<Size> all = t.over(sizes(130));
    t.sizes = "five sizes, and " + all.text;
    list.insert(list.end(), all.begin(), all.end());
  }
  for (const Size& size : list) {
    const std::uint64_t one = checked_time(size, "afsahi-b4");
    const std::uint64_t period = checked_time(size, "afsahi-b4", "repeat: 2") - one;
    t.printed.equal(size, "units for 5 broadcasts", 4 * period + one,
                    checked_time(size, "afsahi-b4", "repeat: 5"));
    if (period > 1) {
      const bool earlier = is_legal(size, "afsahi-b4", fmt::format("repeat: 2, period: {}", period - 1));
      t.printed.add(!earlier, size, "{} units are enough too", period - 1);
    }
    if (&size - list.data() < 5)
      append(periods, "; ", fmt::format("{} ({}) at {}", period, one, name_of(size)));
  }
  t.measured = fmt::format("least period (and time of one broadcast): {}; one unit less is illegal", periods);
}

}  // namespace

const Claims broadcast_claims{
    {"message-time", "Section 2",
     "A combined message of M units takes d + M, where a unit takes t_m = t_s + l tau = 1.", "equal",
     [](Trial& t) {
       for (const std::uint64_t m : {1, 2, 8, 32}) {
         for (const std::uint64_t startup : {0, 7}) {
           // The first message of a scatter to 2M nodes carries M chunks, and no later one more.
           const double units = longest_message({2 * m, 1, 3}, "afsahi-scatter", startup);
           const auto claimed = static_cast<double>(m);
           const std::string name = fmt::format("M = {}, t_s = {} cycles, l tau = 1 cycle", m, startup);
           t.printed.equal(name, "units", claimed, units);
           if (startup == 0) t.repaired.equal(name, "units", claimed, units);
           t.repaired.at_most(name, "units", claimed, units);
           if (m == 32) t.note("{} units with t_s = {}", units, startup);
         }
       }
       t.repair = "exact for t_s = 0, else an upper bound: a message is prepared once, not M times";
       t.sizes = "messages of afsahi-scatter on flits, M = 1, 2, 8, 32, over circuits that are there";
       t.measured = with_counts("M = 32: {seen}", t);
     }},
    {"b1-time", "Section 3.1, B1", "B1 takes (d+1)(ceil(log_k(N(k-1)+1)) - 1).", "legal, equal, for every k",
     tree_time("afsahi-b1", [](std::uint64_t d, std::uint64_t depth) { return (d + 1) * depth; })},
    {"b2-time", "Section 3.1, B2", "B2 takes (d+1) ceil(log_{k+1} N).", "legal, equal",
     takes(
         broadcast_sizes, [](const Size& size) { return (size.d + 1) * log_of(size); }, "afsahi-b2")},
    {"b3-time", "Section 3.1, B3", "B3 takes d + ceil(log_k(N(k-1)+1)) - 1.", "legal, equal, for every k",
     tree_time("afsahi-b3", [](std::uint64_t d, std::uint64_t depth) { return d + depth; })},
    {"reach-while-tuning", "Section 3.1",
     "A message leaving a node reaches 1 + k + .. + k^d nodes while that node tunes.", "equal",
     [](Trial& t) {
       const std::uint64_t last_d = t.up_to(3, 5);
       for (std::uint64_t k = 1; k <= 4; ++k) {
         for (std::uint64_t d = 0; d <= last_d; ++d) {
           // From when node 0's first messages arrive until it sends again, d units later.
           std::uint64_t reached = 0;
           for (const Informed& message : latency_hiding_broadcast({informed(k, d, d + 2), k, d}))
             reached += message.arrival <= d + 1 ? 1 : 0;
           std::uint64_t claimed = 0;
           for (std::uint64_t level = 0; level <= d; ++level) claimed += power(k, level);
           const std::string name = fmt::format("k = {}, d = {}", k, d);
           t.equal(name, "nodes", claimed, k * claimed, reached);
         }
       }
       t.repair = "over each of its k links, k times as many in all";
       t.sizes = fmt::format("k = 1..4, d = 0..{}", last_d);
       t.measured = "nodes informed by afsahi-b4, beside the source, when it has tuned for the first time";
     }},
    {"figure-2-delay", "Section 3.1, text at Figure 2",
     "B4 informs 41 nodes in 4 units with k = 2 and d = 2.", "equal",
     [](Trial& t) {
       t.printed.equal(Size{41, 2, 2}, "units", 4, checked_time({41, 2, 2}, "afsahi-b4"));
       t.repaired.equal(Size{41, 2, 1}, "units", 4, checked_time({41, 2, 1}, "afsahi-b4"));
       t.repair = "d = 1, as the caption says; two sends of a node are d + 1 = 2 apart";
       t.sizes = "N = 41, k = 2, d = 1, 2";
       t.measured = fmt::format("with d = 2, {} nodes are informed at time 4", informed(2, 2, 4));
     }},
    {"figure-2-sets", "Figure 2",
     "With d = 1 the first tree has 31 of 41 nodes, node 0's second set is 15 and 16, and only nodes 0, 1, 2 "
     "have two sets.",
     "equal, nodes and sets", figure_2_sets},
    {"multi-broadcast", "Abstract, Section 3.1",
     "Nodes reconnect to their first sets, so that broadcasts can follow each other.",
     "r broadcasts in r - 1 periods and the time of one; one unit less is illegal", multi_broadcast},
};

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

struct BroadcastTable {
  std::uint64_t k = 1;
  std::uint64_t d = 0;
  std::vector<BroadcastRow> rows;
};

const std::array<BroadcastTable, 3> kTables{{
    {2, 1, {{99, 10, 7, 5, 5}, {1393, 14, 11, 8, 7}, {114'243, 22, 17, 13, 11}, {1'607'520, 28, 21, 16, 14}}},
    {4, 3, {{85, 12, 6, 3, 3}, {1369, 20, 9, 5, 5}, {88'633, 32, 12, 8, 8}, {1'429'100, 36, 14, 10, 9}}},
    {1,
     3,
     {{69, 28, std::nullopt, 12, 7}, {1252, 44, std::nullopt, 21, 11}, {82'629, 68, std::nullopt, 34, 17}}},
}};

/// On flits; in a quick run large networks by the schedule checker, and beyond kMaxNodes by the closed form.
std::uint64_t broadcast_time(Extent extent, const Size& size, const std::string& algorithm) {
  const auto [n, k, d] = size;
  if (n > kMaxNodes) {
    if (algorithm == "afsahi-b2") return (d + 1) * log_of(size);
    return algorithm == "afsahi-b3" ? d + tree_depth(n, k) : b4_time(n, k, d);
  }
  if (extent == Extent::quick && n > 2'000) return checked_time(size, algorithm);
  return static_cast<std::uint64_t>(time_on_flits(size, algorithm));
}

/// Table I, II or III: 0, 1 or 2.
Measure broadcast_table(std::size_t number) {
  return [number](Trial& t) {
    const auto& [k, d, rows] = kTables[number];
    std::vector<std::uint64_t> nodes;
    for (const BroadcastRow& row : rows) {
      nodes.push_back(row.nodes);
      const Size size{row.nodes, k, d};
      const auto equal = [&](const char* name, const char* algorithm, std::uint64_t claimed) {
        t.printed.equal(fmt::format("{}, {}", name_of(size), name), "units", claimed,
                        broadcast_time(t.extent, size, algorithm));
      };
      equal("B2", "afsahi-b2", row.b2);
      if (row.b3) equal("B3", "afsahi-b3", *row.b3);
      equal("B4", "afsahi-b4", row.b4);
      t.printed.equal(name_of(size) + ", logarithm rounded up", "", row.logarithm, log_of(size));
    }
    t.sizes = fmt::format("N = {}, k = {}, d = {}; {}", ranges(nodes), k, d,
                          t.text("N <= 2000 on flits, more by the schedule checker", "on flits"));
    if (nodes.back() > kMaxNodes)
      t.sizes += fmt::format(", more than {} nodes by recurrence and closed form", kMaxNodes);
    t.measured = fmt::format("{} cells equal, B4 from a warm start, the others from a cold one",
                             t.printed.share_held());
  };
}

void faster_broadcast(Trial& t) {
  std::string first;
  const std::uint64_t last = t.up_to(400, 2000);
  for (const auto& [k, d] : {std::pair{2U, 1U}, {2U, 3U}, {3U, 2U}, {4U, 3U}}) {
    std::uint64_t faster_from = 0;
    for (std::uint64_t n = 2; n <= last; ++n) {
      const Size size{n, k, d};
      const std::uint64_t b3 = tree_depth(n, k) + d;
      const std::uint64_t b4 = b4_time(n, k, d) + d;
      t.printed.add(b4 < b3, size, "from a cold start both take {} units", b4);
      t.repaired.add(b4 <= b3, size, "{} units, B3 takes {}", b4, b3);
      if (faster_from == 0 && b4 < b3) faster_from = n;
    }
    const std::string from =
        faster_from == 0 ? fmt::format("not up to {}", last) : std::to_string(faster_from);
    append(first, ", ", fmt::format("{} (k = {}, d = {})", from, k, d));
  }
  t.repair = "from the same start it is never slower; the tables charge the first tuning to B2 and B3 only";
  t.sizes = fmt::format("N = 2..{}, (k, d) = (2, 1), (2, 3), (3, 2), (4, 3), both from a cold start", last);
  t.measured = fmt::format("first faster at N = {}; Table II's N = 85: {} against {}, not 3 against 6", first,
                           checked_time({85, 4, 3}, "afsahi-b4", "start: cold"),
                           checked_time({85, 4, 3}, "afsahi-b3"));
}

Rows broadcast_times(Extent extent) {
  Rows rows;
  for (const auto& [k, d, table] : kTables) {
    for (const BroadcastRow& row : table) {
      const Size size{row.nodes, k, d};
      const std::uint64_t b4 = broadcast_time(extent, size, "afsahi-b4");
      std::vector<std::string>& cells = rows.emplace_back();
      for (const std::uint64_t cell : {k, d, row.nodes, broadcast_time(extent, size, "afsahi-b2"),
                                       broadcast_time(extent, size, "afsahi-b3"), b4, b4 + d, log_of(size)})
        cells.push_back(std::to_string(cell));
    }
  }
  return rows;
}

}  // namespace

const Claims broadcast_table_claims{
    {"table-1", "Table I", "Broadcasting times for k = 2, d = 1.", "every cell equal", broadcast_table(0)},
    {"table-2", "Table II", "Broadcasting times for k = 4, d = 3.", "every cell equal", broadcast_table(1)},
    {"table-3", "Table III", "Broadcasting times for one port, d = 3.", "every cell equal",
     broadcast_table(2)},
    {"much-faster", "Section 3.1.1", "B4 takes much less time than the known algorithms.",
     "less time than B3 for every N, both from a cold start", faster_broadcast},
};

const Figures broadcast_figures{
    {"broadcast-times",
     "Tables I to III: units of t_m until all are informed, B4 from a warm and from a cold start.",
     {"k", "d", "N", "B2", "B3", "B4", "B4 cold", "lower bound"},
     broadcast_times},
};

}  // namespace flitscope::claims::afsahi
