// Seidel: broadcasting on linear arrays and meshes, one port.
#include "sim/claims/papers/seidel/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "algorithms/seidel/plan.h"
#include "model/route.h"
#include "sim/analysis/channel_load.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

const PaperRegistry::Entry entry{{
    .name = "seidel",
    .citation = "Steven R. Seidel: Broadcasting on Linear Arrays and Meshes, ORNL/TM-12356, Oak Ridge "
                "National Laboratory, 1993",
    .parts = {&model_claims, &cost_claims, &detail_claims, &comparison_claims, &source_claims, &size_claims,
              &delta_claims},
    .figures = {&delta_figures},
}};

using flitscope::seidel::Placement;
using flitscope::seidel::planned_schedule;
using flitscope::seidel::Resize;
using flitscope::seidel::Tail;

std::unique_ptr<Schedule> schedule_of(const Coordinates& sides, Plan (*make)(const Setting&), unsigned nu,
                                      Resize resize) {
  const Topology topology(TopologyKind::mesh, sides);
  const Placement placement(resize, Tail::st, topology, 0);
  Plan plan = make({placement.axes(), placement.source_address(), nu});
  ScheduleFacts facts(topology);
  facts.algorithm = "variant";
  facts.collective.chunk_bytes.assign(plan.atoms(), 1 << 10);
  facts.collective.initial = {{0, first_chunks(plan.atoms())}};
  return planned_schedule(std::move(facts), std::move(plan), placement, resize == Resize::virtual_nodes);
}

}  // namespace

std::string rounded(double value) {
  return fmt::format("{:.1f}", std::abs(value) < 0.05 ? 0.0 : value);  // no -0.0
}

Shapes listed(std::vector<Shape> shapes) {
  std::string text;
  for (const Shape& shape : shapes) append(text, "; ", name_of(shape));
  return {std::move(shapes), std::move(text)};
}

namespace {

Shapes named(std::vector<Shape> shapes) {
  std::set<std::uint64_t> nus;
  for (const Shape& shape : shapes) nus.insert(shape.nu);
  const auto size = [](const Shape& shape) {
    return shape.linear() ? fmt::format("n = {}", 1U << shape.d2)
                          : fmt::format("{} x {}", 1U << shape.d1, 1U << shape.d2);
  };
  const Shape last = *std::ranges::max_element(
      shapes, {}, [](const Shape& shape) { return std::pair(shape.d1 + shape.d2, shape.d2); });
  const std::string text = fmt::format("{} .. {}, nu = {}", size(shapes.front()),
                                       last.linear() ? fmt::format("{}", 1U << last.d2) : size(last),
                                       ranges(std::vector<std::uint64_t>(nus.begin(), nus.end())));
  return {std::move(shapes), text};
}

}  // namespace

Shapes arrays(Extent extent, unsigned least_nu, unsigned most_nu) {
  std::vector<Shape> list;
  for (unsigned d = 1; d <= (extent == Extent::quick ? 5U : 6U); ++d) {
    for (unsigned nu = least_nu; nu <= most_nu && nu < d; ++nu) list.push_back({0, d, nu});
  }
  return named(std::move(list));
}

Shapes meshes(Extent extent, unsigned least_nu, unsigned most_nu) {
  std::vector<Shape> list;
  const bool quick = extent == Extent::quick;
  for (unsigned d1 = 1; d1 <= (quick ? 3U : 4U); ++d1) {
    for (unsigned d2 = 1; d2 <= (quick ? 3U : 5U); ++d2) {
      for (unsigned nu = least_nu; nu <= most_nu && nu < std::min(d1, d2); ++nu) list.push_back({d1, d2, nu});
    }
  }
  std::ranges::stable_sort(list, {}, [](const Shape& shape) { return shape.d1 + shape.d2; });
  return named(std::move(list));
}

Shapes arrays_and_meshes(Extent extent) {
  Shapes both = arrays(extent, 0, 2);
  const Shapes more = meshes(extent, 0, 2);
  both.list.insert(both.list.end(), more.begin(), more.end());
  both.text += "; " + more.text;
  return both;
}

ExperimentConfig broadcast(const Formula& formula, const Shape& shape, const Coordinates& source,
                           const std::vector<std::string>& settings) {
  std::string workload = fmt::format("{{algorithm: {}, message: 1MiB", formula.algorithm);
  if (formula.takes_nu) workload += fmt::format(", nu: {}", shape.nu);
  if (!source.empty()) workload += fmt::format(", source: [{}]", fmt::join(source, ", "));
  return experiment(shape.topology(), workload + "}", settings);
}

std::unique_ptr<Schedule> broadcast_schedule(const std::string& algorithm, const Shape& shape) {
  return make_schedule(broadcast(formula(algorithm), shape));
}

void add_cost(const std::string& size, const ExperimentConfig& config, unsigned nu,
              std::initializer_list<Claimed> claims) {
  const CheckReport report = check(config);
  std::string fault = violation_of(report);
  if (fault.empty() && report.claim_kept == false) {
    fault = fmt::format("{} messages on a link in step {}", report.max_channel_load, report.max_load_step);
  }
  const std::string cost = text_of(step_cost(*make_schedule(config), nu));
  for (const Claimed& claim : claims) {
    claim.cases.faultless(size, fault);
    claim.cases.equal(size, "in fact", text_of(claim.cost), cost);
  }
}

std::unique_ptr<Schedule> variant(const Shape& shape, Plan (*plan)(const Setting&)) {
  Coordinates sides{1U << shape.d2};
  if (!shape.linear()) sides.push_back(1U << shape.d1);
  return schedule_of(sides, plan, shape.nu, Resize::none);
}

std::unique_ptr<Schedule> with_virtual_nodes(const Coordinates& sides, Plan (*plan)(const Setting&)) {
  return schedule_of(sides, plan, 0, Resize::virtual_nodes);
}

namespace {

Plan rh(const Setting& setting, const Bits& numbered) {
  Plan plan;
  Holders holders = setting.start(Numbering(numbered));
  flitscope::seidel::distribute(plan, holders, setting.all_bits());
  flitscope::seidel::dimensional_exchange(plan, holders, setting.all_bits());
  return plan;
}

}  // namespace

Plan rh_as_sent(const Setting& setting) {
  return rh(setting, setting.all_bits());
}

Plan rh_as_joined(const Setting& setting) {
  return rh(setting, flitscope::seidel::reversed(setting.all_bits()));
}

std::vector<std::string> one_port_machine(unsigned nu, unsigned virtual_channels) {
  return {"node.ports=1", fmt::format("node.injection_interval={}", 1U << nu),
          fmt::format("node.ejection_interval={}", 1U << nu),
          fmt::format("router.virtual_channels={}", virtual_channels)};
}

namespace {

/// Length of a cycle in microseconds that makes a flit of one byte take a = 0.08 us on a node's channel.
double delta_cycle(unsigned nu) {
  return kByte / (1U << nu);
}

Cycle delta_startup(unsigned nu) {
  return static_cast<Cycle>(std::ceil(kStart / delta_cycle(nu)));
}

ExperimentConfig on_the_delta(const Formula& formula, const Shape& shape, std::uint64_t bytes,
                              const std::string& advance, unsigned nu) {
  std::vector<std::string> settings = one_port_machine(nu, 8);
  settings.push_back("node.flit_bytes=1");
  settings.push_back(fmt::format("node.startup={}", delta_startup(nu)));
  settings.push_back(fmt::format("node.copy_cycles_per_byte={}", kCopy / delta_cycle(nu)));
  settings.push_back(fmt::format("workload.message={}", bytes));
  settings.push_back("workload.advance=" + advance);
  return broadcast(formula, shape, {}, settings);
}

}  // namespace

double on_flits(const Formula& formula, const Shape& shape, std::uint64_t bytes, const std::string& advance,
                std::optional<unsigned> machine_nu) {
  const unsigned nu = machine_nu.value_or(shape.nu);
  const FlitRun run = verified_run(on_the_delta(formula, shape, bytes, advance, nu), formula.algorithm);
  return static_cast<double>(run.cycles) * delta_cycle(nu);
}

Difference difference(const Formula& formula, const Shape& shape, std::uint64_t bytes) {
  const double cycle = delta_cycle(shape.nu);
  const auto interval = static_cast<double>(1U << shape.nu);
  const double exact_start = kStart / cycle;
  const double more_start = static_cast<double>(delta_startup(shape.nu)) - exact_start;
  // The schedule of one MiB has the exact shares of each step's longest message.
  const auto exact = make_schedule(broadcast(formula, shape));
  const auto rounded = make_schedule(on_the_delta(formula, shape, bytes, "barrier", shape.nu));
  const Topology& topology = rounded->facts().topology;
  ChannelLoad load(topology);
  Difference result;
  Step whole;
  for (Step step; rounded->next(step) && exact->next(whole);) {
    double links = 0;
    double flits = 1;  // a message without bytes is a flit, too
    double share = 0;
    for (std::size_t i = 0; i < step.messages().size(); ++i) {
      const Message& message = step.messages()[i];
      links = std::max(links, static_cast<double>(route_length(topology, message.source, message.destination,
                                                               message.route)));
      flits = std::max(flits, static_cast<double>(message_bytes(rounded->facts().collective, step, message)));
      share = std::max(
          share, static_cast<double>(message_bytes(exact->facts().collective, whole, whole.messages()[i])) /
                     (1 << 20));
    }
    const double times = std::max(1.0, load.count(step.messages()).max_load / interval);
    result.distance += (2 * (links + 1) - interval) * cycle;
    result.rounding += (more_start + (flits - share * static_cast<double>(bytes)) * interval * times) * cycle;
  }
  result.total = on_flits(formula, shape, bytes) - predicted(formula, shape, static_cast<double>(bytes));
  result.sharing = result.total - result.distance - result.rounding;
  return result;
}

}  // namespace flitscope::claims::seidel
