#include "sim/run/circuit_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "model/error.h"
#include "model/units.h"
#include "sim/driver/circuit_schedule_driver.h"
#include "sim/network/circuit_network.h"
#include "sim/run/circuit_observation.h"
#include "sim/run/wave_choice.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// SystemC counts time in a 64-bit number of picoseconds.
void require_countable_limit(const ExperimentConfig& config, std::uint64_t period) {
  const Cycle countable = std::numeric_limits<std::uint64_t>::max() / period;
  if (config.cycle_limit <= countable) return;
  throw Inadmissible(
      "clock",
      fmt::format("with a clock of {} time can be counted to {} cycles, which limits.cycles exceeds; "
                  "lower it, or leave the clock out",
                  time_text(period), countable));
}

/// Says a few times a second how far a run is.
class ProgressReports {
 public:
  ProgressReports(const CircuitScheduleDriver& driver, std::uint64_t steps,
                  const std::function<void(const Progress&)>& on_progress)
      : driver_(driver), steps_(steps), on_progress_(on_progress) {}

  void report(Cycle now) {
    const double seconds = std::chrono::duration<double>(Stopwatch::now() - last_report_).count();
    if (seconds < 0.25) return;
    const std::uint64_t flits = driver_.flits_sent();
    on_progress_(
        {driver_.steps().size(), steps_, now, static_cast<double>(flits - flits_reported_) / seconds});
    flits_reported_ = flits;
    last_report_ = Stopwatch::now();
  }

 private:
  using Stopwatch = std::chrono::steady_clock;

  const CircuitScheduleDriver& driver_;
  std::uint64_t steps_;
  const std::function<void(const Progress&)>& on_progress_;
  Stopwatch::time_point last_report_ = Stopwatch::now();
  std::uint64_t flits_reported_ = 0;
};

void add_records(RunResult& result, const CircuitNetwork& network, Cycle cycles) {
  CircuitResult& circuits = *result.circuits;
  for (NodeId number = 0; number < result.config.topology.nodes(); ++number) {
    const CircuitNode& node = network.node(number);
    for (std::uint32_t port = 0; port < node.ports().size(); ++port) {
      const CircuitPort& record = node.ports()[port];
      circuits.ports.push_back({number, port, record.tunings(), record.messages(), record.flits(),
                                record.cycles_by_state(cycles)});
    }
    circuits.receptions.push_back({number, node.messages_received(), node.flits_received(),
                                   node.receiving_cycles(), node.max_arrivals()});
    circuits.max_arrivals = std::max(circuits.max_arrivals, node.max_arrivals());
  }
}

/// Everything has arrived: is it what the collective wanted, and what the schedule announced?
void verify(RunResult& result, const CircuitFacts& facts, const CircuitScheduleDriver& driver) {
  if (const auto missing = driver.possession().first_missing(facts.collective)) {
    result.status = RunStatus::goal_missed;
    const std::uint64_t count = driver.possession().missing(facts.collective);
    result.objections.push_back(fmt::format("node {} lacks chunk {} at the end; {} missing in all",
                                            missing->node, missing->chunk,
                                            count == 1 ? "1 chunk is" : fmt::format("{} chunks are", count)));
  }
  const auto expect = [&](const char* what, std::uint64_t expected, std::uint64_t actual) {
    if (expected == actual) return;
    result.objections.push_back(fmt::format("{} {} expected, but there were {}", expected, what, actual));
  };
  expect("steps", facts.steps, driver.steps().size());
  expect("messages", facts.messages, driver.messages_arrived());
  expect("tunings", facts.tunings, driver.tunings());
  expect("flits at their destinations", driver.flits_sent(), driver.flits_delivered());
}

}  // namespace

RunResult simulate_circuits(ExperimentConfig config, const RunOptions& options) {
  const auto schedule = make_circuit_schedule(config);
  const CircuitFacts& facts = schedule->facts();
  require_same_network(facts, config.topology);
  require_carriable(facts, config.machine);
  const std::uint64_t picoseconds = config.clock.value_or(1000);
  require_countable_limit(config, picoseconds);
  const Cycle unit = unit_cycles(config.machine, facts.collective.chunk_bytes.front());

  const WaveScope waves =
      options.observed_files.empty() ? WaveScope() : choose_wave_scope(config);  // before any simulation

  RunResult result(std::move(config), facts);
  CircuitScheduleDriver driver(*schedule, result.config.machine, unit);
  // SystemC frees its objects when the process ends and not before: so does the network.
  auto& network = *new CircuitNetwork("network", result.config.topology, result.config.machine,
                                      sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS));
  for (const Circuit& circuit : facts.circuits) network.connect(circuit);

  CircuitObservation observation(result.config, waves, options.observed_files, network);
  ProgressReports progress(driver, facts.steps, options.on_progress);
  if (options.on_progress) driver.on_moment([&](Cycle now) { progress.report(now); });

  const bool ended = network.run(driver, result.config.cycle_limit);
  CircuitResult& circuits = result.circuits.emplace();
  circuits.unit_cycles = unit;
  circuits.reconfiguration_units = facts.reconfiguration;
  circuits.claimed_units = facts.claimed_units;
  circuits.lower_bound_units = facts.lower_bound_units;
  circuits.circuits_at_start = facts.circuits.size();
  circuits.tunings = driver.tunings();
  if (ended) {
    result.cycles = network.last_delivery();
    verify(result, facts, driver);
  } else {
    result.status = RunStatus::limit;
    result.cycles = network.last_cycle();
    result.objections.push_back(
        fmt::format("the limit of {} cycles came before the end", result.config.cycle_limit));
  }
  // Tunings may begin when all has arrived.
  const Cycle last = std::max(result.cycles, network.last_cycle());
  observation.close(last);
  add_records(result, network, last);
  result.steps = driver.steps();
  result.loads.resize(result.steps.size());
  for (const StepRecord& step : result.steps) result.messages += step.messages;
  result.max_channel_load = result.messages > 0 ? 1 : 0;  // a circuit carries one message at a time
  result.flits = driver.flits_sent();
  result.flit_hops = driver.flits_delivered();  // one circuit each
  result.redundant_deliveries = driver.possession().redundant();
  result.latency = observation.latency();
  return result;
}

}  // namespace flitscope
