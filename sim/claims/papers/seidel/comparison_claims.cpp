// Section 3.7 of Seidel's paper, what it concludes from its costs (compared exactly or with the constants of
// Table II), and Section 4: any node can be the source, at no cost.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/claims/papers/seidel/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

constexpr auto kSt = "seidel-st-linear";
constexpr auto kBst = "seidel-bst-linear";
constexpr auto kMeshSt = "seidel-st-mesh";
constexpr auto kMeshBst = "seidel-bst-mesh";
constexpr auto kMeshRh = "seidel-rh-mesh";

StepCost cost(const char* algorithm, const Shape& shape) {
  return formula(algorithm).right(shape);
}
double st_to_bst(const Shape& shape) {
  return shape.linear() ? crossover(formula(kSt), formula(kBst), shape)
                        : crossover(formula(kMeshSt), formula(kMeshBst), shape);
}

/// Arrays of 2^least .. 2^10 nodes.
Shapes many_arrays(unsigned least, unsigned nu_most) {
  std::vector<Shape> list;
  for (unsigned d = least; d <= 10; ++d) {
    for (unsigned nu = 0; nu <= nu_most && nu < d; ++nu) list.push_back({0, d, nu});
  }
  return {list, fmt::format("n = {} .. 1024, nu = {}", 1U << least, nu_most == 0 ? "0" : "0..5")};
}

/// Meshes up to 64 x 64 with d1 <= d2.
Shapes many_meshes(unsigned nu_most) {
  std::vector<Shape> list;
  for (unsigned d1 = 1; d1 <= 6; ++d1) {
    for (unsigned d2 = d1; d2 <= 6; ++d2) {
      for (unsigned nu = 0; nu <= nu_most && nu < d1; ++nu) list.push_back({d1, d2, nu});
    }
  }
  std::ranges::stable_sort(list, {}, [](const Shape& shape) { return shape.d1 + shape.d2; });
  return {list, "2 x 2 .. 64 x 64, d1 <= d2, nu = 0..2"};
}

std::string text_of(const Fraction& value) {
  return value.denominator() == 1 ? fmt::format("{}", value.numerator())
                                  : fmt::format("{}/{}", value.numerator(), value.denominator());
}

constexpr double kOneKilobyte = 1024;
/// "Many tens of kilobytes": at least two tens.
constexpr double kManyTens = 20;
/// "Almost twice", from here to 2: the paper takes the transmission of the broadcasts to be about 2 m a,
/// which the 3/2 m a of companions make 1.75 times as much.
constexpr double kAlmostTwice = 1.7;

void twice_with_companions(Trial& t) {
  double least = 10;
  double most = 0;
  for (const Shape& shape : many_meshes(0)) {
    if (shape.d1 < 2) continue;
    const unsigned longer = shape.longer();
    const auto compare = [&](const char* algorithm, bool short_enough) {
      const auto alone = boost::rational_cast<double>(cost(algorithm, shape).transmission);
      const double times = (alone + 1.5) / alone;
      least = std::min(least, times);
      most = std::max(most, times);
      t.add(times >= kAlmostTwice && times <= 2,
            fmt::format("{} on {}", formula(algorithm).label, name_of(shape)),
            fmt::format("{:.2f} times the transmission", times), short_enough);
    };
    compare(kMeshSt, longer <= 2);
    compare(kMeshBst, longer <= 3);
    compare(kMeshRh, longer <= shape.shorter() + 1);
  }
  t.repair = "RH where the sides are equal or one twice the other, BST up to 8 x 8, ST on 4 x 4";
  t.sizes = "4 x 4 .. 64 x 64, d1 <= d2, nu = 0, companions by halves";
  t.measured = fmt::format("{:.2f} to {:.2f} times the transmission", least, most);
}

}  // namespace

const Claims comparison_claims{
    {"bst-for-a-start", "Section 3.3.1",
     "For d > 1 linear BST has less transmission than ST at the cost of one start.",
     "less transmission, exactly one step more", many_arrays(2, 0),
     [](Trial& t, const Shape& shape) {
       const StepCost st = cost(kSt, shape);
       const StepCost bst = cost(kBst, shape);
       t.printed.add(bst.transmission < st.transmission && bst.steps == st.steps + 1, shape, "{} against {}",
                     text_of(bst), text_of(st));
     },
     "less transmission, one step more"},
    {"bst-below-rh", "Section 3.7", "On linear arrays BST always costs less than RH.",
     "no more transmission and no more steps; RH permutes besides", many_arrays(1, 5),
     [](Trial& t, const Shape& shape) {
       const StepCost bst = cost(kBst, shape);
       const StepCost rh = cost("seidel-rh-linear", shape);
       // RH also pays m rho, whatever rho > 0 is.
       t.printed.add(bst.transmission <= rh.transmission && bst.steps <= rh.steps, shape, "{} against {}",
                     text_of(bst), text_of(rh));
       if (bst == rh) ++t.count;
     },
     "never more transmission, never more steps, and m rho less; {count} of {tried} cases (nu = d - 1) "
     "differ by m rho alone"},
    {"linear-crossover", "Section 3.7",
     "On linear arrays BST costs less than ST for m > 2^(nu+1) b / (a (d-nu-1)).", "equal", many_arrays(2, 5),
     [](Trial& t, const Shape& shape) {
       if (shape.d2 < shape.nu + 2) return;  // with d = nu + 1 there is none, as the formula says
       const Fraction claimed(std::int64_t{2} << shape.nu, std::int64_t{shape.d2} - shape.nu - 1);
       // m a (A_ST - A_BST) > b (B_BST - B_ST), solved for m a / b.
       const StepCost st = cost(kSt, shape);
       const StepCost bst = cost(kBst, shape);
       const Fraction measured = Fraction(bst.steps - st.steps) / (st.transmission - bst.transmission);
       t.printed.equal(shape, "b/a", text_of(claimed), text_of(measured));
     },
     "the difference of the two costs changes its sign there, exactly"},
    {"linear-crossover-delta", "Section 3.7", "On the Delta that crossover is reached before 1K bytes.",
     fmt::format("below {} bytes", kOneKilobyte), many_arrays(2, 0),
     [](Trial& t, const Shape& shape) {
       const double bytes = st_to_bst(shape);
       t.add(bytes < kOneKilobyte, shape, fmt::format("{} bytes", rounded(bytes)), shape.d2 >= 3);
     },
     [](const Trial&) {
       return fmt::format("{} bytes for n = 8, {} for n = 16", rounded(st_to_bst({0, 3, 0})),
                          rounded(st_to_bst({0, 4, 0})));
     },
     "d >= 3", ", Table II"},
    {"mesh-latency", "Section 3.7", "The mesh BST has one step more than the mesh ST.", "equal",
     many_meshes(2),
     [](Trial& t, const Shape& shape) {
       t.printed.equal(shape, "step more", 1,
                       formula(kMeshBst).printed(shape).steps - formula(kMeshSt).printed(shape).steps);
     },
     "one step more, by the formulas (with M = nu + 1 ours saves it)"},
    {"mesh-crossover-delta", "Section 3.7",
     "On the Delta the mesh BST beats the mesh ST only for messages of many tens of kilobytes.",
     fmt::format("at least {} KiB", kManyTens),
     [](Trial& t) {
       for (unsigned longer = 2; longer <= 5; ++longer) {
         const Shape shape{longer, longer, 0};
         const double bytes = st_to_bst(shape);
         t.printed.add(bytes >= kManyTens * kOneKilobyte, shape, "{} bytes", rounded(bytes));
         t.note("{} for M = {}", rounded(bytes), longer);
       }
       t.sizes = "M = 2..5, nu = 0, Table II";
       t.measured = fmt::format("8b/(a(2M - 3)) bytes: {}; with nu = 2 {} for M = 5", fmt::join(t.seen, ", "),
                                rounded(st_to_bst({5, 5, 2})));
     }},
    {"crossover-and-size", "Section 3.7", "That crossover falls as the mesh grows.",
     "less for the next larger M; equal to the formula",
     [](Trial& t) {
       for (unsigned nu = 0; nu <= 2; ++nu) {
         for (unsigned longer = nu + 2; longer <= 9; ++longer) {
           const Shape shape{longer, longer, nu};
           const double here = st_to_bst(shape);
           const double larger = st_to_bst({longer + 1, longer + 1, nu});
           t.printed.add(larger < here, shape, "{} and then {} bytes", rounded(here), rounded(larger));
           const double claimed =
               std::ldexp(kStart / kByte, static_cast<int>(2 * nu + 3)) / (2.0 * (longer - nu) - 3);
           t.printed.add(std::abs(claimed - here) < 1e-6 * here, shape, "{} bytes", rounded(here));
         }
       }
       t.sizes = "M = nu + 2 .. 10, nu = 0..2";
       t.measured = "2^(2nu+3) b/(a(2(M-nu) - 3)): falls with every larger M";
     }},
    {"rh-transmission", "Section 3.7", "On meshes RH sometimes has less transmission than ST and BST.",
     "on at least one mesh, not on all",
     [](Trial& t) {
       std::uint64_t cheaper = 0;
       std::string first;
       const Shapes shapes = many_meshes(2);
       for (const Shape& shape : t.over(shapes)) {
         const Fraction rh = cost(kMeshRh, shape).transmission;
         if (rh >= cost(kMeshSt, shape).transmission || rh >= cost(kMeshBst, shape).transmission) continue;
         if (cheaper++ == 0) first = name_of(shape);
       }
       t.printed.add(cheaper > 0 && cheaper < shapes.list.size(), "all meshes", "always or never");
       t.measured = fmt::format("on {} of {} meshes, the first {}", cheaper, shapes.list.size(), first);
     }},
    {"rh-latency", "Section 3.7", "On meshes ST and BST always have lower latency than RH.", "fewer steps",
     many_meshes(2),
     [](Trial& t, const Shape& shape) {
       const std::int64_t rh = cost(kMeshRh, shape).steps;
       for (const char* const tree : {kMeshSt, kMeshBst}) {
         const std::int64_t steps = cost(tree, shape).steps;
         const bool larger = shape.d1 > shape.nu + 1;
         t.add(steps < rh, shape, fmt::format("{} {} steps, RH {}", formula(tree).label, steps, rh), larger);
       }
     },
     "fewer steps in {held} comparisons", "d1 > nu + 1 (d1 <= d2)"},
    {"twice-with-companions", "Sections 5.2 and 7",
     "Companions almost double the transmission of the mesh broadcasts of Table I.",
     fmt::format("{} to 2 times the transmission", kAlmostTwice), twice_with_companions},
};

namespace {

/// All nodes; of large meshes, unless everything is asked for, the corners and every seventh node.
std::vector<Coordinates> sources(const Shape& shape, bool all) {
  const std::uint32_t columns = 1U << shape.d2;
  const std::uint32_t rows = 1U << shape.d1;
  std::vector<Coordinates> list;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      const bool corner = (r == 0 || r + 1 == rows) && (c == 0 || c + 1 == columns);
      if (!all && !corner && (r * columns + c) % 7 != 3) continue;
      list.push_back(shape.linear() ? Coordinates{c} : Coordinates{c, r});
    }
  }
  return list;
}

/// The measurement of a claim that every source costs what node 0 costs, and is as legal.
Measure any_source(Shapes (*shapes)(Extent, unsigned, unsigned), const std::vector<std::string>& algorithms) {
  return [=](Trial& t) {
    const Shapes tried = t.over(shapes(t.extent, 0, 2));
    for (const std::string& algorithm : algorithms) {
      const Formula& each = formula(algorithm);
      for (const Shape& shape : tried) {
        if (shape.nu > 0 && !each.takes_nu) continue;
        const bool all = shape.d1 + shape.d2 <= (t.quick() ? 5U : each.halving ? 6U : 7U);
        for (const Coordinates& source : sources(shape, all)) {
          add_cost(fmt::format("{} on {} from [{}]", each.label, name_of(shape), fmt::join(source, ", ")),
                   broadcast(each, shape, source), shape.nu, {{t.printed, each.right(shape)}});
        }
      }
    }
    t.measured = fmt::format(
        "{} schedules, from every node of up to {} and from some of larger ones: legal, same cost, same "
        "bound on the links",
        t.printed.tried() / 2, t.text("32", "128"));
  };
}

}  // namespace

const Claims source_claims{
    {"any-source-linear", "Sections 4.1 to 4.4",
     "On linear arrays ST, BST and RH cost the same from every source.", "legal, cost equal",
     any_source(arrays, {"seidel-st-linear", "seidel-bst-linear", "seidel-rh-linear"})},
    {"same-bit", "Section 4.1", "In step i of ST from any source the i-th bit of each sender is the same.",
     "no exception", [](const Trial& t) { return arrays(t.extent, 0, 0); },
     [](Trial& t, const Shape& shape) {
       for (const Coordinates& source : sources(shape, true)) {
         const auto schedule = make_schedule(broadcast(formula(kSt), shape, source));
         unsigned i = 1;
         for (Step step; schedule->next(step); ++i) {
           const auto add = [&](Cases& cases, unsigned bit) {
             std::set<NodeId> values;
             for (const Message& message : step.messages()) values.insert(message.source >> bit & 1);
             cases.add(values.size() == 1, fmt::format("{} from [{}], step {}", name_of(shape), source[0], i),
                       "bit {} of the senders differs", bit);
           };
           if (i < shape.d2) add(t.printed, i);
           add(t.repaired, shape.d2 - i);
         }
       }
     },
     "in step i the (d-i)-th bit is the same in all senders",
     "the (d-i)-th bit, and so all messages of a step go in the same direction"},
    {"one-metanode", "Section 4.2",
     "All messages sent by nodes in metanode j have destinations in the same metanode.", "no exception",
     [](const Trial& t) { return arrays(t.extent, 1, 2); },
     [](Trial& t, const Shape& shape) {
       const unsigned nu = shape.nu;
       const auto schedule = broadcast_schedule(kSt, shape);
       unsigned i = 1;
       for (Step step; schedule->next(step); ++i) {
         if (i <= nu || i > shape.d2) continue;  // distribution and exchange
         std::map<NodeId, std::set<NodeId>> leads_to;
         for (const Message& message : step.messages())
           leads_to[message.source >> nu].insert(message.destination >> nu);
         const std::string size = fmt::format("{}, step {}", name_of(shape), i);
         for (const auto& [from, to] : leads_to) {
           t.printed.add(to == std::set<NodeId>{from}, size, "metanode {} sends to metanode {}", from,
                         *to.begin());
           t.repaired.add(to.size() == 1, size, "metanode {} sends to {} metanodes", from, to.size());
         }
       }
     },
     "every metanode sends to one other metanode in a step",
     "read as: all have destinations in one metanode, not in metanode j itself"},
    {"any-source-rh-mesh", "Section 4.4", "On meshes RH costs the same from every source.",
     "legal, cost equal", any_source(meshes, {"seidel-rh-mesh"})},
    {"any-source-mesh", "Sections 4.2 and 4.3, conjecture",
     "ST and BST on meshes, too, can be extended to every source at no cost.", "legal, cost equal",
     any_source(meshes,
                {"seidel-st-mesh-simple", "seidel-st-mesh-columns", "seidel-st-mesh-five-phase",
                 "seidel-st-mesh", "seidel-bst-mesh-rows", "seidel-bst-mesh-line", "seidel-bst-mesh"})},
};

}  // namespace flitscope::claims::seidel
