// Sections 2 and 3 of Seidel's paper: its model on flits, and every cost that it prints, held against the
// schedule that the algorithm makes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/claims/papers/seidel/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

struct Measured {
  std::vector<StepAlone> expected;
  std::vector<Cycle> cycles;  ///< of each step, on flits
};

Measured measured(const std::string& algorithm, const Shape& shape, std::uint64_t bytes,
                  unsigned virtual_channels) {
  std::vector<std::string> settings = one_port_machine(shape.nu, virtual_channels);
  settings.push_back(fmt::format("workload.message={}", bytes));
  const ExperimentConfig config = broadcast(formula(algorithm), shape, {}, settings);
  return {steps_alone(*make_schedule(config), Cycle{1} << shape.nu), run_on_flits(config).step_cycles};
}

std::vector<Shape> shapes_with_nu(Extent extent) {
  if (extent == Extent::quick) return {{0, 4, 1}, {0, 5, 2}, {3, 3, 1}, {3, 3, 2}};
  return {{0, 4, 1}, {0, 4, 2}, {0, 5, 1}, {0, 5, 2}, {0, 6, 1}, {0, 6, 2}, {0, 6, 3},
          {3, 3, 1}, {3, 3, 2}, {4, 4, 1}, {4, 4, 2}, {4, 5, 1}, {4, 5, 2}};
}

std::vector<std::string> trees(const Shape& shape) {
  if (shape.linear()) return {"seidel-st-linear", "seidel-bst-linear"};
  return {"seidel-st-mesh-columns", "seidel-st-mesh-five-phase", "seidel-st-mesh", "seidel-bst-mesh"};
}

/// At no cost: at most such a part more.
constexpr double kFree = 0.01;
constexpr double kContentionWithin = 0.05;

void contention_divides(Trial& t) {
  double worst = 0;
  std::vector<Shape> shapes{{0, 4, 0}, {0, 4, 1}, {0, 5, 2}, {3, 3, 0}};
  if (!t.quick()) shapes.insert(shapes.end(), {{0, 6, 0}, {0, 6, 1}, {4, 4, 0}, {4, 5, 0}, {4, 5, 1}});
  for (const Shape& shape : t.over(listed(shapes), "; RH, 1 MiB, at least 2^nu virtual channels")) {
    const Measured run = measured(shape.linear() ? "seidel-rh-linear" : "seidel-rh-mesh", shape, 1 << 20,
                                  std::max(2U, 1U << shape.nu));
    for (std::size_t i = 0; i < run.cycles.size(); ++i) {
      const auto& [alone, transmission, load] = run.expected[i];
      const double times = std::max(1.0, static_cast<double>(load) / (1U << shape.nu));
      const double claimed = static_cast<double>(alone) + (times - 1) * static_cast<double>(transmission);
      const double off = std::abs(static_cast<double>(run.cycles[i]) / claimed - 1);
      worst = std::max(worst, off);
      t.printed.add(off < kContentionWithin, fmt::format("{}, step {}", name_of(shape), i + 1),
                    "{} cycles, not {:.0f}", run.cycles[i], claimed);
    }
  }
  t.measured = fmt::format(
      "the transmission of every step takes max(1, k/2^nu) times as long as alone, its cycles within {:.1f} "
      "%",
      100 * worst);
}

}  // namespace

const Claims model_claims{
    {"shared-links", "Section 2, on flits", "Up to 2^nu messages share a link at no cost.",
     "no step more than 2^(nu+1) cycles longer than its slowest message alone",
     [](Trial& t) {
       Cycle most = 0;
       for (const Shape& shape :
            t.over(listed(shapes_with_nu(t.extent)),
                   "; ST and BST, 4 and 64 KiB, intervals 2^nu, 2^nu virtual channels")) {
         for (const std::string& algorithm : trees(shape)) {
           for (const std::uint64_t bytes : {4096U, 65536U}) {
             const Measured run = measured(algorithm, shape, bytes, 1U << shape.nu);
             for (std::size_t i = 0; i < run.cycles.size(); ++i) {
               const Cycle more = run.cycles[i] - std::min(run.cycles[i], run.expected[i].cycles);
               most = std::max(most, more);
               t.printed.at_most(fmt::format("{} on {}, {} bytes, step {}", formula(algorithm).label,
                                             name_of(shape), bytes, i + 1),
                                 "cycles more than alone", Cycle{2} << shape.nu, more);
             }
           }
         }
       }
       t.measured = fmt::format(
           "no step takes more than {} cycles more than its slowest message takes alone, of 4 KiB as of 64 "
           "KiB: at most one turn of the others at a switch or two",
           most);
     }},
    {"contention", "Section 2, on flits", "k > 2^nu messages on a link take k/2^nu times as long.",
     fmt::format("the cycles of every step within {:.0f} %", 100 * kContentionWithin), contention_divides},
    {"one-virtual-channel", "not in the paper",
     "Sharing would be free, too, if a link had one virtual channel.",
     fmt::format("at most {:.0f} % more time", 100 * kFree),
     [](Trial& t) {
       std::vector<Shape> shapes = shapes_with_nu(t.extent);
       std::erase_if(shapes, [](const Shape& shape) { return !shape.linear(); });
       for (const Shape& shape : listed(shapes)) {
         const auto total = [&](unsigned virtual_channels) {
           const auto cycles = measured("seidel-st-linear", shape, 65536, virtual_channels).cycles;
           return std::accumulate(cycles.begin(), cycles.end(), Cycle{0});
         };
         const Cycle enough = total(1U << shape.nu);
         const double one = quotient(total(1), enough);
         t.printed.add(one <= 1 + kFree, shape, "with one virtual channel {:.2f} times as long", one);
         append(t.measured, ", ", fmt::format("{:.2f} ({})", one, name_of(shape)));
         if (shape.nu > 1) {
           const double half = quotient(total(1U << (shape.nu - 1)), enough);
           t.measured += fmt::format(", with half of 2^nu {:.2f}", half);
         }
       }
       t.sizes = "ST, 64 KiB; " + listed(shapes).text;
       t.measured = "time with one virtual channel over that with 2^nu: " + t.measured;
     },
     Origin::ours},
};

namespace {

/// A claim about one formula and a range of nu: the schedule is legal, has no more than 2^nu messages on a
/// link unless it is RH, and costs what is printed.
Claim cost(const std::string& id, const std::string& place, const std::string& statement,
           const std::string& algorithm, unsigned least_nu, unsigned most_nu,
           const std::string& repair = "") {
  const auto measure = [=](Trial& t) {
    const Formula& formula = seidel::formula(algorithm);
    const Shapes shapes = (formula.linear ? arrays : meshes)(t.extent, least_nu, most_nu);
    for (const Shape& shape : t.over(shapes)) {
      add_cost(name_of(shape), broadcast(formula, shape), shape.nu,
               {{t.printed, formula.printed(shape)}, {t.repaired, formula.right(shape)}});
    }
    t.repair = repair;
    t.measured = fmt::format("transmission and steps of {} schedules", shapes.list.size());
    t.measured += t.printed.hold() ? " as printed, exactly"
                                   : fmt::format(", exactly; {} of them not as printed", t.printed.failed());
    if (!formula.halving) t.measured += "; never more than 2^nu messages on a link";
  };
  const bool halving = seidel::formula(algorithm).halving;
  return {id, place, statement,
          halving ? "legal, cost equal" : "legal, cost equal, at most 2^nu messages on a link", measure};
}

/// The measurement of a claim that a collective costs (1 - 1/2^d) m a + d b.
Measure costs_a_distribution(const char* algorithm, bool counts_contention) {
  const auto test = [=](Trial& t, const Shape& shape) {
    add_cost(name_of(shape),
             experiment(shape.topology(), fmt::format("{{algorithm: {}, message: 1MiB}}", algorithm)),
             counts_contention ? 0 : shape.d2,
             {{t.printed, {1 - Fraction(1, std::int64_t{1} << shape.d2), shape.d2}}});
  };
  const char* const more = counts_contention ? "" : ", where 2^nu >= n/2 messages may share a link";
  return trying([](const Trial& t) { return arrays(t.extent, 0, 0); }, test,
                std::string("(1 - 1/2^d) m a + d b in all of them") + more);
}

}  // namespace

const Claims cost_claims{
    cost("equation-1", "Equation 1, Section 3.1.1", "ST on a linear array costs d (m a + b) with nu = 0.",
         "seidel-st-linear", 0, 0),
    {"distribute", "Section 3.1.1", "Distributing a packet to every node costs (1 - 1/2^d) m a + d b.",
     "legal, cost equal", costs_a_distribution("distribute", true)},
    {"dimensional-exchange", "Section 3.1.1",
     "A dimensional exchange costs as much as a distribution, provided there is no link contention.",
     "legal, cost equal", costs_a_distribution("dimensional-exchange", false)},
    cost("equation-2", "Equation 2, Section 3.1.2",
         "ST on 2^nu interleaved subarrays costs (2 + (d-nu-2)/2^nu) m a + (d + nu) b.", "seidel-st-linear",
         1, 2),
    cost("st-mesh-simple", "Section 3.2.1", "ST down a column and along the rows costs (d1 + d2)(m a + b).",
         "seidel-st-mesh-simple", 0, 0),
    cost("st-mesh-better", "Section 3.2.1",
         "ST on four interleaved submeshes costs (M/2 + 1) m a + (2M + 2) b with nu = 0, M = max(d1, d2).",
         "seidel-st-mesh", 0, 0),
    cost("equation-3", "Equation 3, Section 3.2.2",
         "ST with nu in the column, then in every row, costs (4 + (d1+d2-2nu-4)/2^nu) m a + (d1+d2+2nu) b.",
         "seidel-st-mesh-columns", 0, 2),
    cost("equation-4", "Equation 4, Section 3.2.2",
         "The five phases cost (3 + (d1-nu-2)/2^nu + (d2-nu-1)/4^nu) m a + (d1+d2+2nu) b.",
         "seidel-st-mesh-five-phase", 0, 2,
         "the sum of the five phases as printed, (2 + (d1-nu)/2^nu + (d2-nu-2)/4^nu) m a + (d1+d2+2nu) b; "
         "the total counts phase 3 without its factor 1/2^nu"),
    cost("equation-6", "Equations 5 and 6, Section 3.2.2",
         "The better ST with nu costs (2 + (M-nu-2)/2^(2nu+1)) m a + (2M+2nu+2) b.", "seidel-st-mesh", 1, 2),
    cost("equation-7", "Equation 7, Section 3.3.1",
         "BST on a linear array costs (d + 1)(m a/2 + b) with nu = 0.", "seidel-bst-linear", 0, 0),
    cost("equation-8", "Equation 8, Section 3.3.2",
         "BST with nu costs (2 + (d-nu-3)/2^(nu+1)) m a + (d + nu + 1) b.", "seidel-bst-linear", 1, 2),
    cost("bst-mesh-rows", "Section 3.4.1", "BST in the column, then in the rows, costs (d1+d2+2)(m a/2 + b).",
         "seidel-bst-mesh-rows", 0, 0),
    cost("equation-9", "Equation 9, Section 3.4.1",
         "BST over the mesh as one line costs (d1+d2+1)(m a/2 + b).", "seidel-bst-mesh-line", 0, 0),
    cost("equation-10", "Equation 10, Section 3.4.1",
         "The better BST costs (2M + 11)/8 m a + (2M + 3) b with nu = 0.", "seidel-bst-mesh", 0, 0,
         "M >= 2; on a 2 x 2 mesh the two blocks are the same, and the better ST costs 3/2 m a + 4 b"),
    cost("bst-mesh-nu", "Section 3.4.2",
         "The better BST with nu costs (2 + (2M-2nu-5)/2^(2nu+3)) m a + (2M+2nu+3) b.", "seidel-bst-mesh", 1,
         2, "M >= nu + 2; on submeshes of 2 x 2 nodes the better ST does, with one step less"),
    cost("rh-linear", "Section 3.5",
         "RH on a linear array costs (2 + (d-nu-2)/2^(nu+1) - 1/2^d) m a + 2d b, and m rho.",
         "seidel-rh-linear", 0, 2),
    cost("rh-mesh", "Section 3.6",
         "RH on a mesh costs (2 + (2(d2-d1)-3)/2^(d1+nu+2) + 1/2^(2nu+3) - 1/2^(d1+d2)) m a + 2(d1+d2) b, "
         "and m rho, for d1 <= d2 (else exchanged).",
         "seidel-rh-mesh", 0, 2),
    {"table-1", "Table I", "The six costs of the table.", "cost equal", arrays_and_meshes,
     [](Trial& t, const Shape& shape) {
       for (const std::string family : {"seidel-st", "seidel-bst", "seidel-rh"}) {
         const Formula& each = formula(family + (shape.linear() ? "-linear" : "-mesh"));
         const std::string cost = text_of(step_cost(*make_schedule(broadcast(each, shape)), shape.nu));
         const std::string size = each.label + " on " + name_of(shape);
         t.equal(size, "in fact", text_of(each.printed(shape)), text_of(each.right(shape)), cost);
       }
     },
     "six algorithms, {tried} schedules, all but {failures} as printed",
     "the mesh BST needs max(d1, d2) >= nu + 2; on submeshes of 2 x 2 nodes the better ST"},
};

}  // namespace flitscope::claims::seidel
