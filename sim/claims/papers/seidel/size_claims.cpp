// Section 5 of Seidel's paper: sides that are no powers of two.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "algorithms/algorithm.h"
#include "algorithms/seidel/plan.h"
#include "sim/claims/papers/seidel/cases.h"

namespace flitscope::claims::seidel {

namespace {

unsigned floor_log(std::uint32_t n) {
  return static_cast<unsigned>(std::bit_width(n)) - 1;
}

/// Sides of an array or a mesh, columns first.
struct Sides {
  Coordinates n;

  [[nodiscard]] bool linear() const { return n.size() == 1; }
  /// Of the next power of two, and of the last.
  [[nodiscard]] Shape padded() const { return {linear() ? 0 : ceil_log(2, n[1]), ceil_log(2, n[0]), 0}; }
  [[nodiscard]] Shape full() const { return {linear() ? 0 : floor_log(n[1]), floor_log(n[0]), 0}; }
  /// Sides that are no powers of two.
  [[nodiscard]] std::int64_t uneven() const {
    return std::ranges::count_if(n, [](std::uint32_t side) { return !std::has_single_bit(side); });
  }
};

/// "n = 11", "3 x 5": rows before columns.
std::string name_of(const Sides& sides) {
  return sides.linear() ? fmt::format("n = {}", sides.n[0]) : fmt::format("{} x {}", sides.n[1], sides.n[0]);
}

Sizes<Sides> lines(Extent extent) {
  const std::uint32_t most = extent == Extent::quick ? 33 : 64;
  Sizes<Sides> all{{}, fmt::format("n = 2..{}", most)};
  for (std::uint32_t n = 2; n <= most; ++n) all.list.push_back({{n}});
  return all;
}

Sizes<Sides> rectangles(Extent extent) {
  const std::uint32_t most = extent == Extent::quick ? 9 : 17;
  Sizes<Sides> all{{}, fmt::format("2 x 2 .. {0} x {0}", most)};
  for (std::uint32_t rows = 2; rows <= most; ++rows) {
    for (std::uint32_t columns = 2; columns <= most; ++columns) all.list.push_back({{columns, rows}});
  }
  std::ranges::stable_sort(all.list, {}, [](const Sides& sides) { return sides.n[0] * sides.n[1]; });
  return all;
}

ExperimentConfig resized(const std::string& algorithm, const Sides& sides, const std::string& how) {
  return experiment(fmt::format("{{kind: mesh, shape: [{}]}}", fmt::join(sides.n, ", ")),
                    fmt::format("{{algorithm: {}, message: 1MiB, {}}}", algorithm, how));
}

/// The measurement of a claim that virtual nodes cost what the padded array or mesh costs.
Measure virtual_nodes(Sizes<Sides> (*tried)(Extent), const std::vector<std::string>& algorithms) {
  const auto test = [=](Trial& t, const Sides& sides) {
    for (const std::string& algorithm : algorithms) {
      add_cost(fmt::format("{} on {}", formula(algorithm).label, name_of(sides)),
               resized(algorithm, sides, "resize: virtual"), 0,
               {{t.printed, formula(algorithm).right(sides.padded())}});
    }
  };
  return trying(tried, test, "legal, at the cost of the padded array or mesh, exactly");
}

/// What companions cost more, with a tail that sends the message as a whole or in halves.
StepCost tail_cost(std::int64_t uneven_sides, bool halves) {
  return halves ? StepCost{Fraction(uneven_sides + 1, 2), uneven_sides + 1}
                : StepCost{uneven_sides, uneven_sides};
}

/// The measurement of a claim that companions cost one tail more on arrays, and two on meshes.
Measure companions(bool linear, const char* measured) {
  const auto test = [=](Trial& t, const Sides& sides) {
    if (sides.uneven() == 0) return;
    for (const Formula& each : formulas()) {
      if (each.linear != linear) continue;
      for (const std::string tail : {"st", "bst"}) {
        if (linear && tail == "bst") continue;
        const StepCost alone = each.right(sides.full());
        add_cost(fmt::format("{} on {}, tail {}", each.label, name_of(sides), tail),
                 resized(each.algorithm, sides, "resize: companions, tail: " + tail), 0,
                 {{t.printed, alone + tail_cost(linear ? 1 : 2, tail == "bst")},
                  {t.repaired, alone + tail_cost(sides.uneven(), tail == "bst")}});
      }
    }
  };
  return trying(linear ? lines : rectangles, test, measured,
                "(m a + b) or 2 (m a/2 + b) if only one side is no power of two", ", sides no powers of two");
}

/// Predicted times on the Delta.
double by_companions(const std::string& algorithm, const Sides& sides, double bytes) {
  const auto tail = [&](bool halves) {
    const StepCost cost = tail_cost(sides.uneven(), halves);
    return boost::rational_cast<double>(cost.transmission) * bytes * kByte +
           static_cast<double>(cost.steps) * kStart;
  };
  return predicted(formula(algorithm), sides.full(), bytes) +
         (sides.uneven() == 0 ? 0 : std::min(tail(false), tail(true)));
}
double by_virtual_nodes(const std::string& algorithm, const Sides& sides, double bytes) {
  return predicted(formula(algorithm), sides.padded(), bytes);
}

constexpr double kLengths[] = {8, 64, 512, 1000, 4096, 16384, 65536};
constexpr auto kOnTheDelta = ", 8 bytes .. 64 KiB, Table II";

void corner(Trial& t, const Sides& sides) {
  const auto [columns, rows] = std::pair(sides.n[0], sides.n[1]);
  if (std::has_single_bit(columns) || std::has_single_bit(rows)) return;
  const Topology topology(TopologyKind::mesh, sides.n);
  const flitscope::seidel::Placement placement(flitscope::seidel::Resize::virtual_nodes,
                                               flitscope::seidel::Tail::st, topology, 0);
  const std::int64_t missing_rows = (std::int64_t{1} << ceil_log(2, rows)) - rows;
  const std::int64_t missing_columns = (std::int64_t{1} << ceil_log(2, columns)) - columns;
  const std::int64_t claimed = (missing_rows + 1) * (missing_columns + 1) - 1;
  const auto add = [&](Cases& cases, std::uint32_t from_the_right) {
    std::int64_t count = -1;  // itself
    const NodeId node = topology.node(Coordinates{columns - from_the_right, rows - 1});
    for (flitscope::seidel::Address address = 0; address < placement.addresses(); ++address)
      count += placement.node(address) == node ? 1 : 0;
    cases.equal(sides, fmt::format("virtual nodes played by (n1 - 1, n2 - {})", from_the_right), claimed,
                count);
  };
  add(t.printed, 2);
  add(t.repaired, 1);
}

void better_with_companions(Trial& t) {
  for (const Sides& sides : t.over(rectangles, kOnTheDelta)) {
    if (sides.uneven() == 0) continue;
    for (const double bytes : kLengths) {
      const double better = std::min(by_companions("seidel-st-mesh", sides, bytes),
                                     by_companions("seidel-bst-mesh", sides, bytes));
      for (const std::string algorithm :
           {"seidel-st-mesh-simple", "seidel-bst-mesh-rows", "seidel-bst-mesh-line"}) {
        const double other = by_virtual_nodes(algorithm, sides, bytes);
        t.printed.add(better <= other + 1e-6, fmt::format("{}, {} bytes", name_of(sides), bytes),
                      "{} us with {} and virtual nodes, {} us with the better ones and companions",
                      rounded(other), formula(algorithm).label, rounded(better));
      }
    }
  }
  const Sides three{{3, 3}};
  t.measured = fmt::format(
      "false for {} cases; at 3 x 3 and 1000 bytes BST line with virtual nodes takes {} us, ST simple {}, "
      "the better ST with companions {}",
      t.printed.share_failed(), rounded(by_virtual_nodes("seidel-bst-mesh-line", three, 1000)),
      rounded(by_virtual_nodes("seidel-st-mesh-simple", three, 1000)),
      rounded(by_companions("seidel-st-mesh", three, 1000)));
}

}  // namespace

const Claims size_claims{
    {"virtual-linear", "Section 5.1",
     "With virtual nodes linear ST and BST cost what the padded array costs, nu = 0.", "legal, cost equal",
     virtual_nodes(lines, {"seidel-st-linear", "seidel-bst-linear"})},
    {"virtual-rh", "Section 5.1",
     "In RH on 5 nodes node 4 would have to send to and receive from four nodes in step 4.", "equal",
     [](Trial& t) {
       const auto schedule = with_virtual_nodes({5}, rh_as_sent);
       Step step;
       for (unsigned number = 1; number <= 4; ++number) (void)schedule->next(step);
       const auto sent = std::ranges::count(step.messages(), NodeId{4}, &Message::source);
       const auto received = std::ranges::count(step.messages(), NodeId{4}, &Message::destination);
       t.printed.equal("n = 5, step 4", "messages sent by node 4", 4, sent);
       t.printed.equal("n = 5, step 4", "messages received by node 4", 4, received);
       t.sizes = "n = 5";
       t.measured = "node 4 sends 4 messages and receives 4 in step 4";
     }},
    {"virtual-mesh", "Section 5.1",
     "With virtual nodes the simple ST and BST on meshes cost what the padded mesh costs.",
     "legal, cost equal",
     virtual_nodes(rectangles, {"seidel-st-mesh-simple", "seidel-bst-mesh-rows", "seidel-bst-mesh-line"})},
    {"virtual-corner", "Section 5.1",
     "Node (n1 - 1, n2 - 2), the bottom rightmost, plays the virtual nodes of the corner.",
     "(2^ceil(log n1) - n1 + 1)(2^ceil(log n2) - n2 + 1) - 1 nodes, equal", rectangles, corner,
     "the corner (n1 - 1, n2 - 1) plays that many nodes", "node (n1 - 1, n2 - 1)"},
    {"companions-linear", "Section 5.2", "Companions cost linear arrays m a + b more.", "legal, cost equal",
     companions(true, "m a + b more, exactly")},
    {"companions-mesh", "Section 5.2", "Companions cost meshes min(2(m a + b), 3(m a/2 + b)) more.",
     "legal, cost equal",
     companions(false, "2(m a + b) or 3(m a/2 + b) more if neither side is a power of two")},
    {"rh-2x2", "Section 5.2", "On a 2 x 2 mesh RH always does worse than ST and BST.",
     "no length from which RH costs less",
     [](Trial& t) {
       t.sizes = "2 x 2, Table II";
       for (const auto& [name, algorithm] :
            {std::pair("ST", "seidel-st-mesh-simple"), std::pair("BST", "seidel-bst-mesh-line")}) {
         const double bytes = crossover(formula(algorithm), formula("seidel-rh-mesh"), {1, 1, 0});
         const std::string from = fmt::format("from {} bytes on", rounded(bytes));
         t.printed.add(bytes < 0, t.sizes, "RH costs less than {} {}", name, from);
         append(t.measured, ", ", fmt::format("less than {} {}", name, bytes < 0 ? "at no length" : from));
       }
       t.measured = "RH costs " + t.measured;
     }},
    {"st-either-way", "Section 5.3", "Linear ST costs the same with virtual nodes and with companions.",
     "cost equal", lines,
     [](Trial& t, const Sides& sides) {
       const Formula& st = formula("seidel-st-linear");
       if (sides.uneven() == 0) return;
       t.printed.equal(sides, "with companions", text_of(st.right(sides.padded())),
                       text_of(st.right(sides.full()) + StepCost{1, 1}));
     },
     "the same cost either way", "", ", no powers of two"},
    {"bst-virtual", "Section 5.3", "Linear BST costs less with virtual nodes than with companions.",
     "less transmission, no more steps", lines,
     [](Trial& t, const Sides& sides) {
       const Formula& bst = formula("seidel-bst-linear");
       if (sides.uneven() == 0) return;
       const StepCost ours = bst.right(sides.padded());
       const StepCost other = bst.right(sides.full()) + StepCost{1, 1};
       t.printed.add(ours.transmission < other.transmission && ours.steps <= other.steps, sides,
                     "{} against {}", text_of(ours), text_of(other));
     },
     "half a message less, in as many steps", "", ", no powers of two"},
    {"simple-virtual", "Section 5.3",
     "The simple mesh broadcasts cost no more with virtual nodes than with companions.",
     "no more time at any length", rectangles,
     [](Trial& t, const Sides& sides) {
       for (const double bytes : kLengths) {
         for (const std::string algorithm : {"seidel-st-mesh-simple", "seidel-bst-mesh-rows"}) {
           const double ours = by_virtual_nodes(algorithm, sides, bytes);
           const double other = by_companions(algorithm, sides, bytes);
           const std::string seen =
               fmt::format("{} us with virtual nodes, {} with companions", rounded(ours), rounded(other));
           const std::string size =
               fmt::format("{} on {}, {} bytes", formula(algorithm).label, name_of(sides), bytes);
           t.add(ours <= other + 1e-6, size, seen,
                 algorithm != "seidel-st-mesh-simple" || bytes * kByte <= 2 * kStart);
         }
       }
     },
     "BST never costs more with virtual nodes",
     "true for BST, and for ST unless m a > 2b: then the BST tail of the companions is cheaper", kOnTheDelta},
    {"only-case", "Section 5.3", "Linear BST is the only known case in which virtual nodes cost less.",
     "BST by rows never takes less time with virtual nodes", rectangles,
     [](Trial& t, const Sides& sides) {
       for (const double bytes : kLengths) {
         const double ours = by_virtual_nodes("seidel-bst-mesh-rows", sides, bytes);
         const double other = by_companions("seidel-bst-mesh-rows", sides, bytes);
         t.printed.add(ours >= other - 1e-6, fmt::format("BST rows on {}, {} bytes", name_of(sides), bytes),
                       "{} us with virtual nodes, {} with companions", rounded(ours), rounded(other));
       }
     },
     "BST by rows takes less time with virtual nodes in {failed} cases", "", kOnTheDelta},
    {"better-companions", "Section 5.3",
     "On meshes the better broadcasts with companions cost least overall.",
     "no more time than any of the others at any length", better_with_companions},
};

}  // namespace flitscope::claims::seidel
