#include "sim/claims/papers/seidel/flits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/route.h"
#include "sim/analysis/channel_load.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

std::vector<std::string> one_port_machine(unsigned nu, unsigned virtual_channels) {
  return {"node.ports=1", fmt::format("node.injection_interval={}", 1U << nu),
          fmt::format("node.ejection_interval={}", 1U << nu),
          fmt::format("router.virtual_channels={}", virtual_channels)};
}

double delta_cycle(unsigned nu) {
  return kByte / (1U << nu);
}

namespace {

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
