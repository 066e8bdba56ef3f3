#include "sim/claims/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "model/route.h"
#include "sim/analysis/channel_load.h"
#include "sim/config/config_source.h"
#include "sim/run/experiment.h"
#include "sim/run/workload.h"

namespace flitscope::claims {

namespace {

FlitRun measured(const RunResult& result) {
  FlitRun run;
  run.cycles = result.cycles;
  for (const StepRecord& step : result.steps) run.step_cycles.push_back(step.cycles());
  if (const LinkResult* const links = result.links()) run.stalls = links->stalls;
  run.max_latency = result.latency.max;
  if (const CircuitResult* const circuits = result.circuits()) run.unit_cycles = circuits->unit_cycles;
  if (!result.verified()) {
    run.objection = result.failed_checks.empty() ? name_of(result.status) : result.failed_checks.front();
  }
  return run;
}

}  // namespace

ExperimentConfig experiment(const std::string& topology, const std::string& workload,
                            const std::vector<std::string>& settings) {
  return parse_config(fmt::format("flitscope: 1\ntopology: {}\nworkload: {}\n", topology, workload), "claim",
                      "/", settings);
}

std::string equal_torus(std::uint64_t side, unsigned dimensions) {
  const std::vector<std::uint64_t> sides(dimensions, side);
  return fmt::format("{{kind: torus, shape: [{}]}}", fmt::join(sides, ", "));
}

CheckReport check(const ExperimentConfig& config, const CheckOptions& options) {
  const auto schedule = make_schedule(config);
  return check_schedule(*schedule, options);
}

std::string violation_of(const CheckReport& report) {
  return report.legal ? "" : report.violations.front().text;
}

std::vector<StepAlone> steps_alone(Schedule& schedule, Cycle interval) {
  const ScheduleFacts& facts = schedule.facts();
  ChannelLoad load(facts.topology);
  std::vector<StepAlone> steps;
  for (Step step; schedule.next(step);) {
    StepAlone& alone = steps.emplace_back();
    for (const Message& message : step.messages()) {
      const Cycle links = route_length(facts.topology, message.source, message.destination, message.route);
      const Cycle flits = flits_of(message_bytes(facts.collective, step, message), 8);
      alone.transmission = std::max(alone.transmission, flits * interval);
      alone.cycles = std::max(alone.cycles, 2 * (links + 1) + (flits - 1) * interval);
    }
    alone.load = load.count(step.messages()).max_load;
  }
  return steps;
}

std::uint64_t FlitRun::total_stalls() const {
  return std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FlitRun, cycles, step_cycles, stalls, max_latency, unit_cycles, objection)

FlitRun run_on_flits(const ExperimentConfig& config) {
  const auto answer = [&] {
    const nlohmann::json run = measured(run_experiment(config));
    return run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  return nlohmann::json::parse(run_isolated(answer)).get<FlitRun>();
}

FlitRun verified_run(const ExperimentConfig& config, const std::string& name) {
  FlitRun run = run_on_flits(config);
  if (!run.objection.empty()) throw std::runtime_error(fmt::format("{}: {}", name, run.objection));
  return run;
}

}  // namespace flitscope::claims
