// Sections 2 and 3 of Seidel's paper: its model on flits, and every cost that it prints, held against the
// schedule that the algorithm makes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/route.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/claims/papers/seidel/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

/// Time of a step if every message had the network to itself, and the sharing of its links.
struct Alone {
  Cycle cycles = 0;
  Cycle transmission = 0;  ///< of these, what the longest message's flits take on its node's channel
  std::uint32_t load = 0;
};

/// timing.md: (H + 1)(R + D) + (L - 1) s cycles with delays of 1 and no startup, for flits of 8 bytes.
std::vector<Alone> alone(Schedule& schedule, unsigned nu) {
  const ScheduleFacts& facts = schedule.facts();
  ChannelLoad load(facts.topology);
  std::vector<Alone> steps;
  for (Step step; schedule.next(step);) {
    Alone here;
    for (const Message& message : step.messages()) {
      const std::uint32_t links =
          route_length(facts.topology, message.source, message.destination, message.route);
      const std::uint64_t flits = flits_of(message_bytes(facts.collective, step, message), 8);
      here.transmission = std::max(here.transmission, flits << nu);
      here.cycles = std::max(here.cycles, 2 * (Cycle{links} + 1) + ((flits - 1) << nu));
    }
    here.load = load.count(step.messages()).max_load;
    steps.push_back(here);
  }
  return steps;
}

struct Measured {
  std::vector<Alone> expected;
  std::vector<Cycle> cycles;  ///< of each step, on flits
};

Measured measured(const std::string& algorithm, const Shape& shape, std::uint64_t bytes,
                  unsigned virtual_channels) {
  std::vector<std::string> settings = one_port_machine(shape.nu, virtual_channels);
  settings.push_back(fmt::format("workload.message={}", bytes));
  const ExperimentConfig config = broadcast(formula(algorithm), shape, {}, settings);
  return {alone(*make_schedule(config), shape.nu), run_on_flits(config).step_cycles};
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

std::string shape_names(Extent extent) {
  std::string names;
  for (const Shape& shape : shapes_with_nu(extent)) names += (names.empty() ? "" : "; ") + shape.name();
  return names;
}

Finding sharing_is_free(Extent extent) {
  Cases cases;
  Cycle most = 0;
  for (const Shape& shape : shapes_with_nu(extent)) {
    for (const std::string& algorithm : trees(shape)) {
      for (const std::uint64_t bytes : {std::uint64_t{4096}, std::uint64_t{65536}}) {
        const Measured run = measured(algorithm, shape, bytes, 1U << shape.nu);
        for (std::size_t i = 0; i < run.cycles.size(); ++i) {
          const Cycle more = run.cycles[i] - std::min(run.cycles[i], run.expected[i].cycles);
          most = std::max(most, more);
          cases.at_most(fmt::format("{} on {}, {} bytes, step {}", formula(algorithm).label, shape.name(),
                                    bytes, i + 1),
                        "cycles more than alone", Cycle{2} << shape.nu, more);
        }
      }
    }
  }
  return judge(cases,
               shape_names(extent) + "; ST and BST, 4 and 64 KiB, intervals 2^nu, 2^nu virtual channels",
               fmt::format("no step takes more than {} cycles more than its slowest message takes alone, of "
                           "4 KiB as of 64 KiB: at most one turn of the others at a switch or two",
                           most));
}

/// At no cost: at most such a part more.
constexpr double kFree = 0.01;

Finding fewer_virtual_channels(Extent extent) {
  Cases cases;
  std::string seen;
  std::string names;
  for (const Shape& shape : shapes_with_nu(extent)) {
    if (!shape.linear()) continue;
    names += (names.empty() ? "" : "; ") + shape.name();
    const auto total = [&](unsigned virtual_channels) {
      Cycle sum = 0;
      for (const Cycle each : measured("seidel-st-linear", shape, 65536, virtual_channels).cycles)
        sum += each;
      return sum;
    };
    const Cycle enough = total(1U << shape.nu);
    const double one = static_cast<double>(total(1)) / static_cast<double>(enough);
    cases.add(one <= 1 + kFree, shape.name(),
              fmt::format("with one virtual channel {:.2f} times as long", one));
    seen += fmt::format("{}{:.2f} ({})", seen.empty() ? "" : ", ", one, shape.name());
    if (shape.nu > 1) {
      const double half = static_cast<double>(total(1U << (shape.nu - 1))) / static_cast<double>(enough);
      seen += fmt::format(", with half of 2^nu {:.2f}", half);
    }
  }
  return judge(cases, "ST, 64 KiB; " + names, "time with one virtual channel over that with 2^nu: " + seen);
}

constexpr double kContentionWithin = 0.05;

Finding contention_divides(Extent extent) {
  Cases cases;
  double worst = 0;
  std::vector<Shape> shapes{{0, 4, 0}, {0, 4, 1}, {0, 5, 2}, {3, 3, 0}};
  if (extent == Extent::full) {
    for (const Shape& more : {Shape{0, 6, 0}, Shape{0, 6, 1}, Shape{4, 4, 0}, Shape{4, 5, 0}, Shape{4, 5, 1}})
      shapes.push_back(more);
  }
  std::string names;
  for (const Shape& shape : shapes) {
    names += (names.empty() ? "" : "; ") + shape.name();
    const Measured run = measured(shape.linear() ? "seidel-rh-linear" : "seidel-rh-mesh", shape, 1 << 20,
                                  std::max(2U, 1U << shape.nu));
    for (std::size_t i = 0; i < run.cycles.size(); ++i) {
      const auto& [alone, transmission, load] = run.expected[i];
      const double times = std::max(1.0, static_cast<double>(load) / (1U << shape.nu));
      const double claimed = static_cast<double>(alone) + (times - 1) * static_cast<double>(transmission);
      const double off = std::abs(static_cast<double>(run.cycles[i]) / claimed - 1);
      worst = std::max(worst, off);
      cases.add(off < kContentionWithin, fmt::format("{}, step {}", shape.name(), i + 1),
                fmt::format("{} cycles, not {:.0f}", run.cycles[i], claimed));
    }
  }
  return judge(cases, names + "; RH, 1 MiB, at least 2^nu virtual channels",
               fmt::format("the transmission of every step takes max(1, k/2^nu) times as long as alone, its "
                           "cycles within {:.1f} %",
                           100 * worst));
}

}  // namespace

std::vector<Claim> model_claims() {
  return {
      {"shared-links", "Section 2, on flits", "Up to 2^nu messages share a link at no cost.",
       "no step more than 2^(nu+1) cycles longer than its slowest message alone", sharing_is_free},
      {"contention", "Section 2, on flits", "k > 2^nu messages on a link take k/2^nu times as long.",
       fmt::format("the cycles of every step within {:.0f} %", 100 * kContentionWithin), contention_divides},
      {"one-virtual-channel", "not in the paper",
       "Sharing would be free, too, if a link had one virtual channel.",
       fmt::format("at most {:.0f} % more time", 100 * kFree), fewer_virtual_channels, Origin::ours},
  };
}

namespace {

std::vector<Shape> shapes_of(const Formula& formula, Extent extent, unsigned least_nu, unsigned most_nu) {
  return formula.linear ? arrays(extent, least_nu, most_nu) : meshes(extent, least_nu, most_nu);
}

/// The schedule is legal, has no more than 2^nu messages on a link unless it is RH, and costs what is
/// printed.
Finding cost_as_printed(const Formula& formula, const std::vector<Shape>& shapes, const std::string& repair) {
  Cases printed, corrected;
  for (const Shape& shape : shapes) {
    const ExperimentConfig config = broadcast(formula, shape);
    const std::string wrong = objection(*make_schedule(config));
    printed.add(wrong.empty(), shape.name(), wrong);
    corrected.add(wrong.empty(), shape.name(), wrong);
    const StepCost measured = step_cost(*make_schedule(config), shape.nu);
    printed.equal(shape.name(), "in fact", text_of(formula.printed(shape)), text_of(measured));
    corrected.equal(shape.name(), "in fact", text_of(formula.right(shape)), text_of(measured));
  }
  std::string seen = fmt::format("transmission and steps of {} schedules as printed, exactly", shapes.size());
  if (!printed.hold()) {
    seen = fmt::format("transmission and steps of {} schedules, exactly; {} of them not as printed",
                       shapes.size(), printed.failed());
  }
  if (!formula.halving) seen += "; never more than 2^nu messages on a link";
  return judge(printed, corrected, repair, sizes_of(shapes), seen);
}

/// A claim about one formula and a range of nu.
Claim cost(const std::string& id, const std::string& place, const std::string& statement,
           const std::string& algorithm, unsigned least_nu, unsigned most_nu,
           const std::string& repair = "") {
  const bool halving = seidel::formula(algorithm).halving;
  return {id, place, statement,
          halving ? "legal, cost equal" : "legal, cost equal, at most 2^nu messages on a link",
          [=](Extent extent) {
            const Formula& formula = seidel::formula(algorithm);
            return cost_as_printed(formula, shapes_of(formula, extent, least_nu, most_nu), repair);
          }};
}

Finding collective(Extent extent, const std::string& name, bool counts_contention) {
  Cases cases;
  const auto shapes = arrays(extent, 0, 0);
  for (const Shape& shape : shapes) {
    const ExperimentConfig config =
        experiment(shape.topology(), fmt::format("{{algorithm: {}, message: 1MiB}}", name));
    const std::string wrong = objection(*make_schedule(config));
    cases.add(wrong.empty(), shape.name(), wrong);
    const StepCost claimed{1 - Fraction(1, std::int64_t{1} << shape.d2), shape.d2};
    const StepCost measured = step_cost(*make_schedule(config), counts_contention ? 0 : shape.d2);
    cases.equal(shape.name(), "in fact", text_of(claimed), text_of(measured));
  }
  return judge(cases, sizes_of(shapes),
               fmt::format("(1 - 1/2^d) m a + d b in all of them{}",
                           counts_contention ? "" : ", where 2^nu >= n/2 messages may share a link"));
}

Finding table_one(Extent extent) {
  Cases printed, corrected;
  std::vector<Shape> tried = arrays(extent, 0, 2);
  for (const Shape& shape : meshes(extent, 0, 2)) tried.push_back(shape);
  for (const Shape& shape : tried) {
    for (const char* const algorithm : {"seidel-st-linear", "seidel-bst-linear", "seidel-rh-linear",
                                        "seidel-st-mesh", "seidel-bst-mesh", "seidel-rh-mesh"}) {
      const Formula& each = formula(algorithm);
      if (each.linear != shape.linear()) continue;
      const StepCost measured = step_cost(*make_schedule(broadcast(each, shape)), shape.nu);
      const std::string size = each.label + " on " + shape.name();
      printed.equal(size, "in fact", text_of(each.printed(shape)), text_of(measured));
      corrected.equal(size, "in fact", text_of(each.right(shape)), text_of(measured));
    }
  }
  return judge(
      printed, corrected,
      "the mesh BST needs max(d1, d2) >= nu + 2; on submeshes of 2 x 2 nodes the better ST",
      sizes_of(arrays(extent, 0, 2)) + "; " + sizes_of(meshes(extent, 0, 2)),
      fmt::format("six algorithms, {} schedules, all but {} as printed", printed.tried(), printed.failed()));
}

}  // namespace

std::vector<Claim> cost_claims() {
  return {
      cost("equation-1", "Equation 1, Section 3.1.1", "ST on a linear array costs d (m a + b) with nu = 0.",
           "seidel-st-linear", 0, 0),
      {"distribute", "Section 3.1.1", "Distributing a packet to every node costs (1 - 1/2^d) m a + d b.",
       "legal, cost equal", [](Extent extent) { return collective(extent, "distribute", true); }},
      {"dimensional-exchange", "Section 3.1.1",
       "A dimensional exchange costs as much as a distribution, provided there is no link contention.",
       "legal, cost equal", [](Extent extent) { return collective(extent, "dimensional-exchange", false); }},
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
           "The better ST with nu costs (2 + (M-nu-2)/2^(2nu+1)) m a + (2M+2nu+2) b.", "seidel-st-mesh", 1,
           2),
      cost("equation-7", "Equation 7, Section 3.3.1",
           "BST on a linear array costs (d + 1)(m a/2 + b) with nu = 0.", "seidel-bst-linear", 0, 0),
      cost("equation-8", "Equation 8, Section 3.3.2",
           "BST with nu costs (2 + (d-nu-3)/2^(nu+1)) m a + (d + nu + 1) b.", "seidel-bst-linear", 1, 2),
      cost("bst-mesh-rows", "Section 3.4.1",
           "BST in the column, then in the rows, costs (d1+d2+2)(m a/2 + b).", "seidel-bst-mesh-rows", 0, 0),
      cost("equation-9", "Equation 9, Section 3.4.1",
           "BST over the mesh as one line costs (d1+d2+1)(m a/2 + b).", "seidel-bst-mesh-line", 0, 0),
      cost("equation-10", "Equation 10, Section 3.4.1",
           "The better BST costs (2M + 11)/8 m a + (2M + 3) b with nu = 0.", "seidel-bst-mesh", 0, 0,
           "M >= 2; on a 2 x 2 mesh the two blocks are the same, and the better ST costs 3/2 m a + 4 b"),
      cost("bst-mesh-nu", "Section 3.4.2",
           "The better BST with nu costs (2 + (2M-2nu-5)/2^(2nu+3)) m a + (2M+2nu+3) b.", "seidel-bst-mesh",
           1, 2, "M >= nu + 2; on submeshes of 2 x 2 nodes the better ST does, with one step less"),
      cost("rh-linear", "Section 3.5",
           "RH on a linear array costs (2 + (d-nu-2)/2^(nu+1) - 1/2^d) m a + 2d b, and m rho.",
           "seidel-rh-linear", 0, 2),
      cost("rh-mesh", "Section 3.6",
           "RH on a mesh costs (2 + (2(d2-d1)-3)/2^(d1+nu+2) + 1/2^(2nu+3) - 1/2^(d1+d2)) m a + 2(d1+d2) b, "
           "and m rho, for d1 <= d2 (else exchanged).",
           "seidel-rh-mesh", 0, 2),
      {"table-1", "Table I", "The six costs of the table.", "cost equal", table_one},
  };
}

}  // namespace flitscope::claims::seidel
