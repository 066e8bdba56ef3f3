// Claims of Tables 1 and 2: supply rules in five and more dimensions, and the cost of steps.
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <set>

#include "model/error.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

/// A stream of packets: +(l+1) for +c_l, -(l+1) for -c_l. A link: +k for +x_k, -k for -x_k.
using Stream = int;
using Link = int;
Stream forward(int l) {
  return l + 1;
}
Stream backward(int l) {
  return -(l + 1);
}
std::string stream_name(Stream stream) {
  return fmt::format("{}c_{}", stream > 0 ? '+' : '-', std::abs(stream) - 1);
}
std::string link_name(Link link) {
  return fmt::format("{}x_{}", link > 0 ? '+' : '-', std::abs(link));
}

/// Table 1 for a PU of Type 0 in one situation.
struct Supplied {
  std::set<Link> cycle_links;
  std::set<Stream> on_cycle;
  std::vector<std::pair<Stream, Link>> over;
};

/// `repaired`: -c_l over -x_{d-l}.
Supplied situation_1(int d, bool repaired) {
  Supplied table{{-d, 1, -1, d}, {forward(0), backward(0), forward(d - 1), backward(d - 1)}, {}};
  for (int l = 1; l <= d - 2; ++l) {
    table.over.push_back({forward(l), l + 1});
    table.over.push_back({backward(l), repaired ? -(d - l) : d - l});
  }
  return table;
}

Supplied situation_2(int d, int j) {
  Supplied table{{-d, j, -1, d}, {forward(0), backward(0), forward(d - 1), backward(d - 1)}, {}};
  for (int l = 1; l <= d - 2; ++l) {
    if (l != j - 1) table.over.push_back({forward(l), l + 1});
  }
  table.over.push_back({forward(j - 1), -(j + 1)});
  table.over.push_back({backward(1), 1});
  for (int l = 2; l <= j - 2; ++l) table.over.push_back({backward(l), -(d - l + 1)});
  for (int l = j - 1; l <= d - 2; ++l) table.over.push_back({backward(l), -(d - l)});
  return table;
}

/// `repaired`: the fifth row is -c_{d-j}.
Supplied situation_3(int d, int j, bool repaired) {
  const int other = d - j + 1;
  Supplied table{{-d, 1, -j, d}, {forward(0), backward(0), forward(other), backward(other)}, {}};
  for (int l = 1; l <= d - 2; ++l) {
    if (l != other) table.over.push_back({forward(l), l + 1});
  }
  table.over.push_back({forward(d - 1), -1});
  for (int l = 1; l <= d - j - 1; ++l) table.over.push_back({backward(l), -(l + 1)});
  table.over.push_back({repaired ? backward(d - j) : forward(d - j), d - j + 2});
  for (int l = d - j + 2; l <= d - 1; ++l) table.over.push_back({backward(l), -(d - l + 1)});
  return table;
}

Supplied situation_4(int d, int j) {
  const int other = d - j + 1;
  Supplied table{{-d, j, -j, d}, {forward(0), backward(0), forward(other), backward(other)}, {}};
  for (int l = 1; l <= d - 2; ++l) {
    if (l != d - j && l != other) table.over.push_back({forward(l), l + 1});
  }
  table.over.push_back({forward(d - j), -(j + 1)});
  table.over.push_back({forward(d - 1), -1});
  for (int l = 1; l <= d - 1; ++l) {
    if (l != d - j && l != other) table.over.push_back({backward(l), -(d - l + 1)});
  }
  table.over.push_back({backward(d - j), -(d - j + 2)});
  return table;
}

/// The first thing wrong with a table: a link of a cycle used, a link used twice, a stream missing or there
/// twice. Empty if nothing is.
std::string fault_of(const Supplied& table, int d) {
  std::map<Link, Stream> carried;
  std::set<Stream> there = table.on_cycle;
  for (const auto& [stream, link] : table.over) {
    if (std::abs(link) > d)
      return fmt::format("{} comes over {}, which does not exist", stream_name(stream), link_name(link));
    if (table.cycle_links.contains(link)) {
      return fmt::format("{} comes over {}, a link of a cycle", stream_name(stream), link_name(link));
    }
    const auto [at, first] = carried.emplace(link, stream);
    if (!first)
      return fmt::format("{} and {} both come over {}", stream_name(at->second), stream_name(stream),
                         link_name(link));
    if (!there.insert(stream).second) return fmt::format("{} comes twice", stream_name(stream));
  }
  for (int l = 0; l < d; ++l) {
    for (const Stream stream : {forward(l), backward(l)}) {
      if (!there.contains(stream)) return fmt::format("{} does not come at all", stream_name(stream));
    }
  }
  return "";
}

int last_dimension(Extent extent) {
  return extent == Extent::quick ? 8 : 20;
}

/// The measurement of a claim on a table of a situation, for all j.
Measure situation(Supplied (*printed)(int d, int j), Supplied (*repaired)(int d, int j) = nullptr,
                  const std::string& repair = "") {
  return [=](Trial& t) {
    const auto add = [&](Cases& cases, Supplied (*table)(int, int)) {
      for (int d = 3; d <= last_dimension(t.extent); ++d) {
        for (int j = 2; j < d; ++j)
          cases.faultless(fmt::format("d = {}, j = {}", d, j), fault_of(table(d, j), d));
      }
      return fmt::format("{} cases of d and j are in order", cases.share_held());
    };
    t.sizes = fmt::format("d = 3..{}, j = 2..d-1", last_dimension(t.extent));
    t.measured = add(t.printed, printed);
    if (repaired == nullptr) return;
    t.repair = repair;
    t.measured += fmt::format("; with {} {}", repair, add(t.repaired, repaired));
  };
}

/// Cycles of a message to a neighbour beyond its flits: two routers and two links, less one.
constexpr unsigned kHopCycles = 3;
/// Largest effect of rounding to whole units on a printed number.
constexpr double kHalfAUnit = 0.5;

struct PrintedCell {
  int n;
  double r;
  int d;
  double tree;        ///< the algorithm of [14]
  double two_packet;  ///< Section 3
  double one_packet;  ///< Section 4
};

/// Table 2 as printed.
const std::vector<PrintedCell> table_2{
    {4, 0.01, 2, 4, 4, 6},
    {4, 0.01, 3, 11, 11, 19},
    {4, 0.1, 2, 4, 5, 7},
    {4, 0.1, 3, 12, 14, 21},
    {4, 1, 2, 8, 12, 12},
    {4, 1, 3, 21, 43, 37},
    {16, 0.01, 2, 65, 65, 73},
    {16, 0.01, 3, 689, 702, 818},
    {16, 0.1, 2, 70, 77, 79},
    {16, 0.1, 3, 751, 887, 891},
    {16, 1, 2, 128, 192, 144},
    {16, 1, 3, 1365, 2730, 1620},
    {64, 0.01, 2, 1034, 1044, 1067},
    {64, 0.01, 3, 44110, 44958, 46152},
    {64, 0.1, 2, 1126, 1229, 1162},
    {64, 0.1, 3, 48041, 56754, 50264},
    {64, 1, 2, 2048, 3072, 2112},
    {64, 1, 3, 87346, 174719, 91390},
};

/// T_stv, T_opt, T_one of Section 5, with 1/3 and 1/6 cut after so many places if `cut`.
struct Costs {
  double tree;
  double two_packet;
  double one_packet;
};
Costs costs(int n, int d, double r, bool cut) {
  const double part = cut && d == 3 ? 0.333 : 1.0 / d;
  const double half_part = cut && d == 3 ? 0.1666 : 0.5 / d;
  const double nodes = std::pow(n, d);
  return {nodes * half_part * (1 + r), nodes / 2 * (part + r), nodes / n / 2 * (n * part + 1) * (1 + r)};
}

FlitRun gossip_on_flits(const std::string& topology, const std::string& algorithm, unsigned flits,
                        long startup) {
  return run_on_flits(experiment(topology,
                                 fmt::format("{{algorithm: {}, message: {}}}", algorithm, flits * 8),
                                 {fmt::format("node.startup={}", startup)}));
}

void transfer_time(Trial& t) {
  for (const std::string algorithm : {kTwoPackets, kOnePacket, "hamiltonian-cycles", "translated-tree"}) {
    for (const unsigned flits : {2U, 16U, 64U}) {
      for (const unsigned startup : {0U, 100U}) {
        const FlitRun result = gossip_on_flits("{kind: torus, shape: [4, 6]}", algorithm, flits, startup);
        const bool one_packet = algorithm == kOnePacket || algorithm == "translated-tree";
        const std::uint64_t packets = one_packet ? 1 : 2;
        const std::uint64_t step = startup + flits / packets + kHopCycles;
        const std::string size = fmt::format("4x6, {}, {} flits, start-up {}", algorithm, flits, startup);
        t.printed.equal(size, "cycles", result.step_cycles.size() * step, result.cycles);
        t.printed.equal(size, "flit-cycles of stalls", 0, result.total_stalls());
        if (flits == 64 && startup == 100) {
          t.note("{} cycles for {} steps of {}", result.cycles, result.step_cycles.size(), algorithm);
        }
      }
    }
  }
  t.sizes = "4x6, messages of 2, 16 and 64 flits, start-up 0 and 100 cycles";
  t.measured = fmt::format("64 flits, start-up 100: {}", fmt::join(t.seen, ", "));
}

void table_2_cells(Trial& t) {
  const auto compare = [](Cases& cases, bool cut) {
    for (const PrintedCell& cell : table_2) {
      const Costs formula = costs(cell.n, cell.d, cell.r, cut);
      const auto add = [&](const char* name, double value, double printed) {
        cases.add(std::abs(value - printed) <= kHalfAUnit,
                  fmt::format("{}, n = {}, d = {}, r = {}", name, cell.n, cell.d, cell.r),
                  "{:.2f}, printed {}", value, printed);
      };
      add("T_stv", formula.tree, cell.tree);
      add("T_opt", formula.two_packet, cell.two_packet);
      add("T_one", formula.one_packet, cell.one_packet);
    }
  };
  compare(t.printed, false);
  compare(t.repaired, true);
  t.repair = "the table was computed with 0.333 for 1/3 and 0.1666 for 1/6";
  t.sizes = "all 54 cells";
  t.measured = fmt::format("{} cells equal the formulas", t.printed.share_held());
}

void table_2_times(Trial& t) {
  for (const PrintedCell& cell : table_2) {
    if (cell.d != 2 || cell.n > (t.quick() ? 4 : 16)) continue;
    const unsigned flits = cell.n == 4 ? 1000 : 500;
    const auto add = [&](const char* algorithm, double printed) {
      const FlitRun run = gossip_on_flits(equal_torus(static_cast<std::uint64_t>(cell.n), 2), algorithm,
                                          flits, std::lround(cell.r * flits));
      const double time = quotient(run.cycles, flits);
      const double hops = quotient(kHopCycles * run.step_cycles.size(), flits);
      const std::string size = fmt::format("{}, n = {}, r = {}", algorithm, cell.n, cell.r);
      t.printed.add(std::abs(time - printed) <= kHalfAUnit + hops, size, "{:.2f}, printed {}", time, printed);
      return time;
    };
    const double tree = add("translated-tree", cell.tree);
    const double two = add(kTwoPackets, cell.two_packet);
    const double one = add(kOnePacket, cell.one_packet);
    t.note("n = {}, r = {}: {:.2f}, {:.2f}, {:.2f}", cell.n, cell.r, tree, two, one);
  }
  t.measured = fmt::format("{}", fmt::join(t.seen, "; "));
  t.sizes = t.text("d = 2, n = 4", "d = 2, n = 4, 16");
}

}  // namespace

const Claims claims_of_tables{
    {"table-1-situation-1", "Table 1",
     "Situation 1: every stream reaches the PU over a free link of its own.",
     "every stream once, no link twice, no link of a cycle",
     [](Trial& t) {
       for (int d = 3; d <= last_dimension(t.extent); ++d) {
         t.printed.faultless(fmt::format("d = {}", d), fault_of(situation_1(d, false), d));
         t.repaired.faultless(fmt::format("d = {}", d), fault_of(situation_1(d, true), d));
       }
       t.repair = "-c_l over -x_{d-l}";
       t.sizes = fmt::format("d = 3..{}", last_dimension(t.extent));
       t.measured = "every stream once, every link once, after the repair";
     }},
    {"table-1-situation-2", "Table 1", "Situation 2: the same.",
     "every stream once, no link twice, no link of a cycle", situation(situation_2)},
    {"table-1-situation-3", "Table 1", "Situation 3: the same.",
     "every stream once, no link twice, no link of a cycle",
     situation([](int d, int j) { return situation_3(d, j, false); },
               [](int d, int j) { return situation_3(d, j, true); }, "-c_{d-j} in the fifth row")},
    {"table-1-situation-4", "Table 1", "Situation 4: the same.",
     "every stream once, no link twice, no link of a cycle", situation(situation_4)},
    {"transfer-time", "Section 5, Equation (5)", "Sending s' bytes to a neighbour takes s'/s + r.",
     fmt::format("start-up + flits + {} cycles a step, exactly; no stalls", kHopCycles), transfer_time},
    {"table-2", "Table 2", "Its cells are T_stv, T_opt and T_one, rounded.",
     fmt::format("within {}, the rounding", kHalfAUnit), table_2_cells},
    {"table-2-tori", "Table 2", "The algorithm of Section 4 runs on n x n x n for n = 4, 16, 64.",
     "the algorithm has a table for the torus",
     [](Trial& t) {
       for (const std::uint32_t n : {4U, 16U}) {
         std::string refusal;
         try {
           (void)table_of({n, n, n}, kOnePacket);
         } catch (const Inadmissible&) {
           refusal = "no multiple of 3, as Theorem 6 requires";
         }
         t.printed.faultless(fmt::format("{0}x{0}x{0}", n), refusal);
       }
       for (const std::uint32_t n : {3U, 6U, 9U}) {
         const std::uint64_t steps = table_steps({n, n, n}, kOnePacket);
         t.repaired.at_most(fmt::format("{0}x{0}x{0}", n), "steps",
                            std::uint64_t{n} * n * n / 6 + n * n / 2 + 2, steps);
       }
       t.repair = "n a multiple of 3";
       t.sizes = "n = 4, 16; with the repair n = 3, 6, 9";
       t.measured = "the tori of the table's d = 3 cells do not admit the algorithm of Section 4";
     }},
    {"table-2-cycles", "Table 2", "Its numbers are the times of the algorithms, here measured on flits.",
     fmt::format("within {}, the rounding, and {} cycles a step, the path", kHalfAUnit, kHopCycles),
     table_2_times},
};

}  // namespace flitscope::claims::meyer_sibeyn
