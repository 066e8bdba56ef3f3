#include "sim/claims/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "sim/config/config_source.h"
#include "sim/run/experiment.h"
#include "sim/run/isolated.h"
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

/// From the process that ran it: numbers with blanks between them, and on a line of its own the objection.
std::string packed(const FlitRun& run) {
  return fmt::format("{} {} {} {} {} {}\n{}", run.cycles, run.max_latency, run.unit_cycles,
                     fmt::join(run.stalls, " "), run.step_cycles.size(), fmt::join(run.step_cycles, " "),
                     run.objection);
}

FlitRun unpacked(const std::string& text) {
  std::istringstream in(text);
  FlitRun run;
  std::size_t steps = 0;
  in >> run.cycles >> run.max_latency >> run.unit_cycles;
  for (std::uint64_t& flit_cycles : run.stalls) in >> flit_cycles;
  in >> steps;
  run.step_cycles.resize(steps);
  for (Cycle& cycles : run.step_cycles) in >> cycles;
  if (!in) throw std::runtime_error("a run on flits came back incomplete");
  in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  std::getline(in, run.objection, '\0');
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

std::uint64_t FlitRun::total_stalls() const {
  return std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
}

FlitRun run_on_flits(const ExperimentConfig& config) {
  return unpacked(run_isolated([&] { return packed(measured(run_experiment(config))); }));
}

FlitRun verified_run(const ExperimentConfig& config, const std::string& name) {
  FlitRun run = run_on_flits(config);
  if (!run.objection.empty()) throw std::runtime_error(fmt::format("{}: {}", name, run.objection));
  return run;
}

}  // namespace flitscope::claims
