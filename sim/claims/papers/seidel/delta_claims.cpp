// Section 6 of Seidel's paper: the Intel Delta, by the formulas and on flits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/claims/papers/seidel/cases.h"

namespace flitscope::claims::seidel {

namespace {

constexpr Shape kArray{0, 4, 0};  ///< 16 nodes
constexpr Shape kMesh{4, 5, 0};   ///< 16 x 32 nodes

std::vector<const Formula*> of(const std::vector<std::string>& algorithms) {
  std::vector<const Formula*> list;
  for (const std::string& algorithm : algorithms) list.push_back(&formula(algorithm));
  return list;
}

std::vector<const Formula*> on_array() {
  return of({"seidel-st-linear", "seidel-bst-linear", "seidel-rh-linear"});
}
std::vector<const Formula*> on_mesh() {
  return of({"seidel-st-mesh-simple", "seidel-bst-mesh-line", "seidel-st-mesh", "seidel-bst-mesh",
             "seidel-rh-mesh"});
}

std::vector<std::uint64_t> lengths(Extent extent) {
  if (extent == Extent::quick) return {8, 64, 512, 4096};
  return {8, 32, 128, 512, 1024, 2048, 4096, 16384, 65536};
}

/// An algorithm as an architect can choose it: for the nu of the network, or for a smaller one.
struct Choice {
  const Formula* formula = nullptr;
  Shape shape;  ///< with the algorithm's nu
  unsigned network_nu = 0;

  [[nodiscard]] std::string label() const {
    return shape.nu == network_nu || !formula->takes_nu
               ? formula->label
               : fmt::format("{}, its nu = {}", formula->label, shape.nu);
  }
  [[nodiscard]] double by_formula(double bytes) const { return predicted(*formula, shape, bytes); }
  [[nodiscard]] double by_flits(std::uint64_t bytes) const {
    return on_flits(*formula, shape, bytes, "barrier", network_nu);
  }
};

/// All choices on a network; RH has no choice of nu, which only says what its contention costs.
std::vector<Choice> choices(const Shape& network) {
  std::vector<Choice> list;
  for (const Formula& each : formulas()) {
    if (each.linear != network.linear()) continue;
    const unsigned least = each.halving || !each.takes_nu ? network.nu : 0;
    for (unsigned nu = least; nu <= network.nu; ++nu)
      list.push_back({&each, {network.d1, network.d2, nu}, network.nu});
  }
  return list;
}

/// The length at which `later` is no slower than `earlier` by the formulas; negative if it never is.
double crossover_by_formula(const Choice& earlier, const Choice& later) {
  return crossover(earlier.by_formula(0), earlier.by_formula(1) - earlier.by_formula(0), later.by_formula(0),
                   later.by_formula(1) - later.by_formula(0));
}

/// The same on flits, near the length that the formulas give, to a byte or to one in 256; nothing if there is
/// none within a factor of 5/4.
std::optional<std::uint64_t> crossover_on_flits(const Choice& earlier, const Choice& later,
                                                std::uint64_t near) {
  const auto no_slower = [&](std::uint64_t bytes) {
    return later.by_flits(bytes) <= earlier.by_flits(bytes);
  };
  std::uint64_t low = near * 4 / 5;
  std::uint64_t high = near * 5 / 4;
  if (no_slower(low) || !no_slower(high)) return std::nullopt;
  while (high - low > std::max<std::uint64_t>(1, near / 256)) {
    const std::uint64_t middle = (low + high) / 2;
    (no_slower(middle) ? high : low) = middle;
  }
  return high;
}

/// A length in bytes; "none" if there is none near the one that the formulas give.
std::string length_text(const std::optional<std::uint64_t>& length) {
  return length ? fmt::format("{}", *length) : "none within a factor of 5/4";
}

/// Between which lengths the paper has something.
struct Range {
  double first = 0;
  double last = 0;

  [[nodiscard]] bool contains(double length) const { return length >= first && length <= last; }
};
constexpr Range kArrayCrossover{256, 512};  ///< bytes
constexpr Range kMeshCrossover{512, 1024};  ///< bytes
constexpr Range kTwelve{11.5, 12.5};        ///< KiB: "12K"

/// Which of some algorithms costs least at a length, by a measure.
template <typename Cost>
const Formula* cheapest(const std::vector<const Formula*>& candidates, const Cost& cost) {
  return *std::ranges::min_element(candidates, {}, [&](const Formula* each) { return cost(*each); });
}

constexpr double kFormulasWithin = 0.05;

/// A row a length: predicted and simulated time of every algorithm, and the cheapest by each.
Rows times(Extent extent, const std::vector<const Formula*>& algorithms, const Shape& shape, bool dataflow) {
  Rows rows;
  for (const std::uint64_t bytes : lengths(extent)) {
    std::vector<std::string> row{fmt::format("{}", bytes)};
    std::vector<double> flits;
    for (const Formula* each : algorithms) {
      flits.push_back(on_flits(*each, shape, bytes));
      row.push_back(
          fmt::format("{:.0f} / {:.0f}", predicted(*each, shape, static_cast<double>(bytes)), flits.back()));
      if (dataflow) row.back() += fmt::format(" / {:.0f}", on_flits(*each, shape, bytes, "dataflow"));
    }
    row.push_back(cheapest(algorithms, [&](const Formula& each) {
                    return predicted(each, shape, static_cast<double>(bytes));
                  })->label);
    row.push_back(
        algorithms[static_cast<std::size_t>(std::ranges::min_element(flits) - flits.begin())]->label);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> time_columns(const std::vector<const Formula*>& algorithms) {
  std::vector<std::string> columns{"bytes"};
  for (const Formula* each : algorithms) columns.push_back(each->label);
  columns.emplace_back("cheapest, formulas");
  columns.emplace_back("cheapest, flits");
  return columns;
}

/// From which length on which algorithm is cheapest, one row a change.
Rows what_is_cheapest(Extent extent, const std::vector<Shape>& networks) {
  Rows rows;
  for (const Shape& network : networks) {
    const std::vector<Choice> candidates = choices(network);
    Choice best =
        *std::ranges::min_element(candidates, {}, [](const Choice& each) { return each.by_formula(1); });
    rows.push_back({name_of(network), best.label(), "1", "1"});
    for (double from = 1;;) {
      const Choice* next = nullptr;
      double at = 0;
      for (const Choice& each : candidates) {
        const double bytes = each.by_formula(0) > best.by_formula(0) ? crossover_by_formula(best, each) : -1;
        if (bytes > from && (next == nullptr || bytes < at)) {
          next = &each;
          at = bytes;
        }
      }
      if (next == nullptr) break;
      const bool long_run = !network.linear() && at > (extent == Extent::quick ? 2000 : 20'000);
      rows.push_back({name_of(network), next->label(), fmt::format("{:.0f}", at),
                      long_run
                          ? "(with --full)"
                          : length_text(crossover_on_flits(best, *next, static_cast<std::uint64_t>(at)))});
      best = *next;
      from = at;
    }
  }
  return rows;
}

Rows differences(Extent extent) {
  Rows rows;
  for (const std::uint64_t bytes :
       {std::uint64_t{8}, std::uint64_t{1000}, std::uint64_t{extent == Extent::quick ? 4096U : 16384U}}) {
    for (const Shape& shape : {kArray, kMesh}) {
      for (const Formula* const each : shape.linear() ? on_array() : on_mesh()) {
        const Difference of = difference(*each, shape, bytes);
        rows.push_back({name_of(shape), fmt::format("{}", bytes), each->label,
                        rounded(predicted(*each, shape, static_cast<double>(bytes))), rounded(of.total),
                        rounded(of.distance), rounded(of.rounding), rounded(of.sharing)});
      }
    }
  }
  return rows;
}

}  // namespace

const Claims delta_claims{
    {"figure-16", "Section 6, Figure 16", "On 16 nodes BST is always faster than RH.",
     "less time at every length",
     [](Trial& t) {
       for (std::uint64_t m = 8; m <= 65536; m *= 2) {
         const double bst = predicted(*on_array()[1], kArray, static_cast<double>(m));
         const double rh = predicted(*on_array()[2], kArray, static_cast<double>(m));
         t.printed.add(bst < rh, fmt::format("{} bytes", m), "BST {} us, RH {}", rounded(bst), rounded(rh));
       }
       t.sizes = "n = 16, nu = 0, 8 bytes .. 64 KiB, Table II";
       t.measured = "BST costs less at every length";
     }},
    {"array-crossover", "Section 6, Figure 17", "On 16 nodes ST and BST cross between 256 and 512 bytes.",
     fmt::format("by the formulas {} to {} bytes", kArrayCrossover.first, kArrayCrossover.last),
     [](Trial& t) {
       const double bytes = crossover(*on_array()[0], *on_array()[1], kArray);
       const auto flits = crossover_on_flits({on_array()[0], kArray, 0}, {on_array()[1], kArray, 0},
                                             static_cast<std::uint64_t>(bytes));
       t.sizes = "n = 16, nu = 0";
       t.measured = fmt::format("{} bytes by the formulas, {} on flits", rounded(bytes), length_text(flits));
       t.printed.add(kArrayCrossover.contains(bytes), "n = 16, Table II", t.measured);
     }},
    {"mesh-crossover", "Section 6, Figure 18",
     "On 16 x 32 nodes BST overtakes the better ST between 512 and 1K bytes.",
     fmt::format("by the formulas {} to {} bytes", kMeshCrossover.first, kMeshCrossover.last),
     [](Trial& t) {
       const double better = crossover(formula("seidel-st-mesh"), formula("seidel-bst-mesh"), kMesh);
       const double simple = crossover(formula("seidel-st-mesh-simple"), formula("seidel-bst-mesh"), kMesh);
       t.printed.add(kMeshCrossover.contains(better), "16 x 32, Table II", "{} bytes against the better ST",
                     rounded(better));
       t.repaired.add(kMeshCrossover.contains(simple), "16 x 32, Table II", "{} bytes against the simple ST",
                      rounded(simple));
       t.repair = "against the simple ST, not the better one as stated";
       t.sizes = "16 x 32, nu = 0";
       t.measured = fmt::format("the better BST overtakes the better ST at {} bytes and the simple ST at {}",
                                rounded(better), rounded(simple));
     }},
    {"rh-crossover", "Section 6, Figure 18",
     "On 16 x 32 nodes RH is better than BST for more than 12K bytes.",
     fmt::format("by the formulas {} to {} KiB", kTwelve.first, kTwelve.last),
     [](Trial& t) {
       const double bytes = crossover(formula("seidel-bst-mesh"), formula("seidel-rh-mesh"), kMesh);
       t.printed.add(kTwelve.contains(bytes / 1024), "16 x 32, Table II", "{} bytes", rounded(bytes));
       t.sizes = "16 x 32, nu = 0";
       t.measured = fmt::format("{} bytes, {:.1f} KiB", rounded(bytes), bytes / 1024);
     }},
    {"short-and-long", "Section 7", "On meshes ST is best for very short messages and RH for very long ones.",
     "least time of the three: ST at 8 bytes, BST at 4 KiB, RH at 64 KiB",
     [](Trial& t) {
       const auto best = [](const std::vector<const Formula*>& algorithms, double bytes) {
         return cheapest(algorithms, [&](const Formula& each) { return predicted(each, kMesh, bytes); })
             ->label;
       };
       const auto three = of({"seidel-st-mesh", "seidel-bst-mesh", "seidel-rh-mesh"});
       t.printed.equal("16 x 32, 8 bytes", "costs least", std::string("ST better"), best(three, 8));
       t.printed.equal("16 x 32, 4096 bytes", "costs least", std::string("BST better"), best(three, 4096));
       t.printed.equal("16 x 32, 65536 bytes", "costs least", std::string("RH"), best(three, 65536));
       t.sizes = "16 x 32, nu = 0, Table II";
       t.measured =
           fmt::format("of all five on the mesh {} costs least at 8 bytes, {} at 4 KiB, {} at 64 KiB",
                       best(on_mesh(), 8), best(on_mesh(), 4096), best(on_mesh(), 65536));
     }},
    {"formulas-on-flits", "Section 6, on flits", "The cost model predicts the broadcasts.",
     fmt::format("within {:.0f} %", 100 * kFormulasWithin),
     [](Trial& t) {
       // With nu = 0 formulas agree with flits up to the distance: a few cycles a link.
       double worst = 0;
       std::string at;
       for (const std::uint64_t bytes : lengths(Extent::quick)) {
         for (const Shape& shape : {kArray, kMesh}) {
           for (const Formula* const each : shape.linear() ? on_array() : on_mesh()) {
             const double claimed = predicted(*each, shape, static_cast<double>(bytes));
             const double seen = on_flits(*each, shape, bytes);
             const double off = std::abs(seen / claimed - 1);
             const std::string size = fmt::format("{} on {}, {} bytes", each->label, name_of(shape), bytes);
             t.printed.add(off < kFormulasWithin, size, "{} us, not {}", rounded(seen), rounded(claimed));
             if (off > worst) at = size;
             worst = std::max(worst, off);
           }
         }
       }
       t.sizes = "n = 16 and 16 x 32, nu = 0, 8 bytes .. 4 KiB, barrier";
       t.measured = fmt::format("never more than {:.1f} % apart; most for {}", 100 * worst, at);
     },
     Origin::ours},
};

const Figures delta_figures{
    {"figure-16",
     "Figure 16: 16 nodes, nu = 0. Microseconds predicted / on flits with barriers / on flits without.",
     time_columns(on_array()), [](Extent extent) { return times(extent, on_array(), kArray, true); }},
    {"figure-18",
     "Figure 18: 16 x 32 nodes, nu = 0, and two algorithms that the figure leaves out. Microseconds "
     "predicted / on flits with barriers.",
     time_columns(on_mesh()), [](Extent extent) { return times(extent, on_mesh(), kMesh, false); }},
    {"cheapest",
     "From which length on (bytes) which algorithm is cheapest, with the Delta's constants.",
     {"network", "cheapest", "from, formulas", "from, flits"},
     [](Extent extent) {
       return what_is_cheapest(extent,
                               extent == Extent::quick
                                   ? std::vector<Shape>{kArray, {0, 4, 1}, kMesh}
                                   : std::vector<Shape>{kArray, {0, 4, 1}, {0, 4, 2}, kMesh, {4, 5, 1}});
     }},
    {"differences",
     "What flits with barriers take more than the formulas say, in microseconds: the path through routers "
     "and links; rounding to cycles and bytes; links that are shared.",
     {"network", "bytes", "algorithm", "formula", "flits take more", "distance", "rounding", "sharing"},
     differences},
};

}  // namespace flitscope::claims::seidel
