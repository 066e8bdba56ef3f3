// Section 3.7 of Seidel's paper, what it concludes from its costs (compared exactly or with the constants of
// Table II), and Section 4: any node can be the source, at no cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/route.h"
#include "sim/claims/papers/seidel/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

const Formula& linear_st() {
  return formula("seidel-st-linear");
}
const Formula& linear_bst() {
  return formula("seidel-bst-linear");
}
const Formula& linear_rh() {
  return formula("seidel-rh-linear");
}
const Formula& mesh_st() {
  return formula("seidel-st-mesh");
}
const Formula& mesh_bst() {
  return formula("seidel-bst-mesh");
}
const Formula& mesh_rh() {
  return formula("seidel-rh-mesh");
}

std::vector<Shape> many_arrays(unsigned d_most, unsigned nu_most) {
  std::vector<Shape> list;
  for (unsigned d = 1; d <= d_most; ++d) {
    for (unsigned nu = 0; nu <= nu_most && nu < d; ++nu) list.push_back({0, d, nu});
  }
  return list;
}

std::vector<Shape> many_meshes(unsigned d_most, unsigned nu_most) {
  std::vector<Shape> list;
  for (unsigned d1 = 1; d1 <= d_most; ++d1) {
    for (unsigned d2 = d1; d2 <= d_most; ++d2) {
      for (unsigned nu = 0; nu <= nu_most && nu < d1; ++nu) list.push_back({d1, d2, nu});
    }
  }
  std::ranges::stable_sort(list, {}, [](const Shape& shape) { return shape.d1 + shape.d2; });
  return list;
}

Finding bst_below_rh(Extent) {
  Cases cases;
  unsigned ties = 0;
  for (const Shape& shape : many_arrays(10, 5)) {
    const StepCost bst = linear_bst().right(shape);
    const StepCost rh = linear_rh().right(shape);
    // RH also pays m rho, whatever rho > 0 is.
    const bool lower = bst.transmission <= rh.transmission && bst.steps <= rh.steps;
    cases.add(lower, shape.name(), fmt::format("{} against {}", text_of(bst), text_of(rh)));
    if (bst == rh) ++ties;
  }
  return judge(cases, "n = 2 .. 1024, nu = 0..5",
               fmt::format("never more transmission, never more steps, and m rho less; {} of {} cases (nu = "
                           "d - 1) differ by m rho alone",
                           ties, cases.tried()));
}

/// m a (A_earlier - A_later) > b (B_later - B_earlier), solved for m a / b.
Fraction crossover_in_starts(const Formula& earlier, const Formula& later, const Shape& shape) {
  const StepCost one = earlier.right(shape);
  const StepCost other = later.right(shape);
  return Fraction(other.steps - one.steps) / (one.transmission - other.transmission);
}

std::string fraction_text(const Fraction& value) {
  return value.denominator() == 1 ? fmt::format("{}", value.numerator())
                                  : fmt::format("{}/{}", value.numerator(), value.denominator());
}

Finding linear_crossover(Extent) {
  Cases cases;
  for (const Shape& shape : many_arrays(10, 5)) {
    if (shape.d2 < shape.nu + 2) continue;  // with d = nu + 1 there is none, as the formula says
    const Fraction claimed(std::int64_t{2} << shape.nu, std::int64_t{shape.d2} - shape.nu - 1);
    cases.equal(shape.name(), "b/a", fraction_text(claimed),
                fraction_text(crossover_in_starts(linear_st(), linear_bst(), shape)));
  }
  return judge(cases, "n = 4 .. 1024, nu = 0..5",
               "the difference of the two costs changes its sign there, exactly");
}

constexpr double kOneKilobyte = 1024;

Finding linear_crossover_on_the_delta(Extent) {
  Cases printed, repaired;
  for (unsigned d = 2; d <= 10; ++d) {
    const Shape shape{0, d, 0};
    const double bytes = crossover(linear_st(), linear_bst(), shape);
    const std::string seen = fmt::format("{} bytes", rounded(bytes));
    printed.add(bytes < kOneKilobyte, shape.name(), seen);
    if (d >= 3) repaired.add(bytes < kOneKilobyte, shape.name(), seen);
  }
  return judge(printed, repaired, "d >= 3", "n = 4 .. 1024, nu = 0, Table II",
               fmt::format("{} bytes for n = 8, {} for n = 16",
                           rounded(crossover(linear_st(), linear_bst(), {0, 3, 0})),
                           rounded(crossover(linear_st(), linear_bst(), {0, 4, 0}))));
}

/// "Many tens of kilobytes": at least two tens.
constexpr double kManyTens = 20;

Finding mesh_crossover_on_the_delta(Extent) {
  Cases cases;
  std::string seen;
  for (unsigned longer = 2; longer <= 5; ++longer) {
    const Shape shape{longer, longer, 0};
    const double bytes = crossover(mesh_st(), mesh_bst(), shape);
    cases.add(bytes >= kManyTens * kOneKilobyte, shape.name(), fmt::format("{} bytes", rounded(bytes)));
    seen += fmt::format("{}{} for M = {}", seen.empty() ? "" : ", ", rounded(bytes), longer);
  }
  return judge(cases, "M = 2..5, nu = 0, Table II",
               fmt::format("8b/(a(2M - 3)) bytes: {}; with nu = 2 {} for M = 5", seen,
                           rounded(crossover(mesh_st(), mesh_bst(), {5, 5, 2}))));
}

Finding crossover_and_size(Extent) {
  Cases cases;
  for (unsigned nu = 0; nu <= 2; ++nu) {
    for (unsigned longer = nu + 2; longer <= 9; ++longer) {
      const double here = crossover(mesh_st(), mesh_bst(), {longer, longer, nu});
      const double larger = crossover(mesh_st(), mesh_bst(), {longer + 1, longer + 1, nu});
      cases.add(larger < here, Shape{longer, longer, nu}.name(),
                fmt::format("{} and then {} bytes", rounded(here), rounded(larger)));
      const double formula =
          std::ldexp(kStart / kByte, static_cast<int>(2 * nu + 3)) / (2.0 * (longer - nu) - 3);
      cases.add(std::abs(formula - here) < 1e-6 * here, Shape{longer, longer, nu}.name(),
                fmt::format("{} bytes", rounded(here)));
    }
  }
  return judge(cases, "M = nu + 2 .. 10, nu = 0..2",
               "2^(2nu+3) b/(a(2(M-nu) - 3)): falls with every larger M");
}

Finding rh_sometimes_cheaper(Extent) {
  std::uint64_t cheaper = 0;
  const auto shapes = many_meshes(6, 2);
  std::string first;
  for (const Shape& shape : shapes) {
    const Fraction rh = mesh_rh().right(shape).transmission;
    if (rh >= mesh_st().right(shape).transmission || rh >= mesh_bst().right(shape).transmission) continue;
    if (cheaper++ == 0) first = shape.name();
  }
  Cases cases;
  cases.add(cheaper > 0 && cheaper < shapes.size(), "all meshes", "always or never");
  return judge(cases, "2 x 2 .. 64 x 64, d1 <= d2, nu = 0..2",
               fmt::format("on {} of {} meshes, the first {}", cheaper, shapes.size(), first));
}

Finding rh_latency(Extent) {
  Cases printed, repaired;
  for (const Shape& shape : many_meshes(6, 2)) {
    const std::int64_t rh = mesh_rh().right(shape).steps;
    for (const Formula* const tree : {&mesh_st(), &mesh_bst()}) {
      const std::int64_t steps = tree->right(shape).steps;
      const std::string seen = fmt::format("{} {} steps, RH {}", tree->label, steps, rh);
      printed.add(steps < rh, shape.name(), seen);
      if (shape.d1 > shape.nu + 1) repaired.add(steps < rh, shape.name(), seen);
    }
  }
  return judge(printed, repaired, "d1 > nu + 1 (d1 <= d2)", "2 x 2 .. 64 x 64, d1 <= d2, nu = 0..2",
               fmt::format("fewer steps in {} of {} comparisons", printed.tried() - printed.failed(),
                           printed.tried()));
}

Finding bst_step_more(Extent) {
  Cases cases;
  for (const Shape& shape : many_meshes(6, 2)) {
    cases.equal(shape.name(), "step more", 1,
                mesh_bst().printed(shape).steps - mesh_st().printed(shape).steps);
  }
  return judge(cases, "2 x 2 .. 64 x 64, d1 <= d2, nu = 0..2",
               "one step more, by the formulas (with M = nu + 1 ours saves it)");
}

Finding bst_for_a_start(Extent) {
  Cases cases;
  for (const Shape& shape : many_arrays(10, 0)) {
    if (shape.d2 < 2) continue;
    const StepCost st = linear_st().right(shape);
    const StepCost bst = linear_bst().right(shape);
    cases.add(bst.transmission < st.transmission && bst.steps == st.steps + 1, shape.name(),
              fmt::format("{} against {}", text_of(bst), text_of(st)));
  }
  return judge(cases, "n = 4 .. 1024, nu = 0", "less transmission, one step more");
}

/// "Almost twice", from here to 2: the paper takes the transmission of the broadcasts to be about 2 m a,
/// which the 3/2 m a of companions make 1.75 times as much.
constexpr double kAlmostTwice = 1.7;

Finding twice_with_companions(Extent) {
  Cases printed, repaired;
  double least = 10;
  double most = 0;
  for (const Shape& shape : many_meshes(6, 0)) {
    if (shape.d1 < 2) continue;
    for (const Formula* const each : {&mesh_st(), &mesh_bst(), &mesh_rh()}) {
      const auto alone = boost::rational_cast<double>(each->right(shape).transmission);
      const double times = (alone + 1.5) / alone;
      least = std::min(least, times);
      most = std::max(most, times);
      const std::string size = fmt::format("{} on {}", each->label, shape.name());
      const std::string seen = fmt::format("{:.2f} times the transmission", times);
      const bool almost = times >= kAlmostTwice && times <= 2;
      printed.add(almost, size, seen);
      const bool short_enough = each == &mesh_rh()    ? shape.longer() <= shape.shorter() + 1
                                : each == &mesh_bst() ? shape.longer() <= 3
                                                      : shape.longer() <= 2;
      if (short_enough) repaired.add(almost, size, seen);
    }
  }
  return judge(printed, repaired,
               "RH where the sides are equal or one twice the other, BST up to 8 x 8, ST on 4 x 4",
               "4 x 4 .. 64 x 64, d1 <= d2, nu = 0, companions by halves",
               fmt::format("{:.2f} to {:.2f} times the transmission", least, most));
}

}  // namespace

std::vector<Claim> comparison_claims() {
  return {
      {"bst-for-a-start", "Section 3.3.1",
       "For d > 1 linear BST has less transmission than ST at the cost of one start.",
       "less transmission, exactly one step more", bst_for_a_start},
      {"bst-below-rh", "Section 3.7", "On linear arrays BST always costs less than RH.",
       "no more transmission and no more steps; RH permutes besides", bst_below_rh},
      {"linear-crossover", "Section 3.7",
       "On linear arrays BST costs less than ST for m > 2^(nu+1) b / (a (d-nu-1)).", "equal",
       linear_crossover},
      {"linear-crossover-delta", "Section 3.7", "On the Delta that crossover is reached before 1K bytes.",
       fmt::format("below {} bytes", kOneKilobyte), linear_crossover_on_the_delta},
      {"mesh-latency", "Section 3.7", "The mesh BST has one step more than the mesh ST.", "equal",
       bst_step_more},
      {"mesh-crossover-delta", "Section 3.7",
       "On the Delta the mesh BST beats the mesh ST only for messages of many tens of kilobytes.",
       fmt::format("at least {} KiB", kManyTens), mesh_crossover_on_the_delta},
      {"crossover-and-size", "Section 3.7", "That crossover falls as the mesh grows.",
       "less for the next larger M; equal to the formula", crossover_and_size},
      {"rh-transmission", "Section 3.7", "On meshes RH sometimes has less transmission than ST and BST.",
       "on at least one mesh, not on all", rh_sometimes_cheaper},
      {"rh-latency", "Section 3.7", "On meshes ST and BST always have lower latency than RH.", "fewer steps",
       rh_latency},
      {"twice-with-companions", "Sections 5.2 and 7",
       "Companions almost double the transmission of the mesh broadcasts of Table I.",
       fmt::format("{} to 2 times the transmission", kAlmostTwice), twice_with_companions},
  };
}

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

/// Every source costs what node 0 costs, and is as legal.
Finding any_source(Extent extent, const std::vector<std::string>& algorithms,
                   const std::vector<Shape>& shapes) {
  Cases cases;
  for (const std::string& algorithm : algorithms) {
    const Formula& each = formula(algorithm);
    for (const Shape& shape : shapes) {
      if (shape.nu > 0 && !each.takes_nu) continue;
      const bool all = shape.d1 + shape.d2 <= (extent == Extent::quick ? 5U : each.halving ? 6U : 7U);
      for (const Coordinates& source : sources(shape, all)) {
        const ExperimentConfig config = broadcast(each, shape, source);
        const std::string size =
            fmt::format("{} on {} from [{}]", each.label, shape.name(), fmt::join(source, ", "));
        const std::string wrong = objection(*make_schedule(config));
        cases.add(wrong.empty(), size, wrong);
        cases.equal(size, "in fact", text_of(each.right(shape)),
                    text_of(step_cost(*make_schedule(config), shape.nu)));
      }
    }
  }
  return judge(cases, sizes_of(shapes),
               fmt::format("{} schedules, from every node of up to {} and from some of larger ones: legal, "
                           "same cost, same bound on the links",
                           cases.tried() / 2, extent == Extent::quick ? "32" : "128"));
}

/// The bits in which senders and receivers of every step of a schedule differ, on a linear array.
template <typename Visit>
void for_each_step(Schedule& schedule, const Visit& visit) {
  unsigned number = 0;
  for (Step step; schedule.next(step);) visit(++number, step);
}

Finding same_bit(Extent extent) {
  Cases printed, repaired, directions;
  const auto shapes = arrays(extent, 0, 0);
  for (const Shape& shape : shapes) {
    for (const Coordinates& source : sources(shape, true)) {
      const auto schedule = make_schedule(broadcast(formula("seidel-st-linear"), shape, source));
      for_each_step(*schedule, [&](unsigned i, const Step& step) {
        const auto agree = [&](unsigned bit) {
          std::set<NodeId> values;
          for (const Message& message : step.messages()) values.insert(message.source >> bit & 1);
          return values.size() == 1;
        };
        const std::string size = fmt::format("{} from [{}], step {}", shape.name(), source[0], i);
        if (i < shape.d2) printed.add(agree(i), size, fmt::format("bit {} of the senders differs", i));
        repaired.add(agree(shape.d2 - i), size, fmt::format("bit {} of the senders differs", shape.d2 - i));
      });
    }
  }
  return judge(printed, repaired, "the (d-i)-th bit, and so all messages of a step go the same way",
               sizes_of(shapes), "in step i the (d-i)-th bit is the same in all senders");
}

Finding one_metanode(Extent extent) {
  Cases printed, repaired;
  const auto shapes = arrays(extent, 1, 2);
  for (const Shape& shape : shapes) {
    const unsigned nu = shape.nu;
    const auto schedule = make_schedule(broadcast(formula("seidel-st-linear"), shape));
    for_each_step(*schedule, [&](unsigned i, const Step& step) {
      if (i <= nu || i > shape.d2) return;  // distribution and exchange
      std::map<NodeId, std::set<NodeId>> leads_to;
      for (const Message& message : step.messages())
        leads_to[message.source >> nu].insert(message.destination >> nu);
      const std::string size = fmt::format("{}, step {}", shape.name(), i);
      for (const auto& [from, to] : leads_to) {
        printed.add(to == std::set<NodeId>{from}, size,
                    fmt::format("metanode {} sends to metanode {}", from, *to.begin()));
        repaired.add(to.size() == 1, size, fmt::format("metanode {} sends to {} metanodes", from, to.size()));
      }
    });
  }
  return judge(printed, repaired, "read as: all have destinations in one metanode, not in metanode j itself",
               sizes_of(shapes), "every metanode sends to one other metanode in a step");
}

}  // namespace

std::vector<Claim> source_claims() {
  return {
      {"any-source-linear", "Sections 4.1 to 4.4",
       "On linear arrays ST, BST and RH cost the same from every source.", "legal, cost equal",
       [](Extent extent) {
         return any_source(extent, {"seidel-st-linear", "seidel-bst-linear", "seidel-rh-linear"},
                           arrays(extent, 0, 2));
       }},
      {"same-bit", "Section 4.1", "In step i of ST from any source the i-th bit of each sender is the same.",
       "no exception", same_bit},
      {"one-metanode", "Section 4.2",
       "All messages sent by nodes in metanode j have destinations in the same metanode.", "no exception",
       one_metanode},
      {"any-source-rh-mesh", "Section 4.4", "On meshes RH costs the same from every source.",
       "legal, cost equal",
       [](Extent extent) { return any_source(extent, {"seidel-rh-mesh"}, meshes(extent, 0, 2)); }},
      {"any-source-mesh", "Sections 4.2 and 4.3, conjecture",
       "ST and BST on meshes, too, can be extended to every source at no cost.", "legal, cost equal",
       [](Extent extent) {
         return any_source(
             extent,
             {"seidel-st-mesh-simple", "seidel-st-mesh-columns", "seidel-st-mesh-five-phase",
              "seidel-st-mesh", "seidel-bst-mesh-rows", "seidel-bst-mesh-line", "seidel-bst-mesh"},
             meshes(extent, 0, 2));
       }},
  };
}

}  // namespace flitscope::claims::seidel
