#include "sim/run/experiment.h"

#include <algorithm>
#include <utility>

#include "routers/circuits/circuit_network.h"
#include "routers/circuits/circuit_schedule_driver.h"
#include "sim/run/observation.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

void add_records(const RunResult& result, CircuitResult& circuits, const CircuitNetwork& network,
                 Cycle cycles) {
  for (NodeId number = 0; number < result.config.topology.nodes(); ++number) {
    const CircuitNode& node = network.node(number);
    for (std::uint32_t port = 0; port < node.ports().size(); ++port) {
      const CircuitPort& record = node.ports()[port];
      circuits.ports.push_back({number, port, record.tunings(), record.messages(), record.flits(),
                                record.cycles_by_state(cycles)});
    }
    circuits.receptions.push_back({number, node.messages_received(), node.flits_received(),
                                   node.receiving_cycles(cycles), node.max_arrivals()});
    circuits.max_arrivals = std::max(circuits.max_arrivals, node.max_arrivals());
  }
}

}  // namespace

RunResult run_on_circuits(ExperimentConfig config, const RunOptions& options) {
  const auto schedule = make_circuit_schedule(config);
  const CircuitFacts& facts = schedule->facts();
  require_fitting(config, facts);
  const std::uint64_t picoseconds = countable_period(config, config.machine.startup);
  const Cycle unit = unit_cycles(config.machine, facts.collective.chunk_bytes.front());

  ObserverSet observers(config, options);  // before any simulation

  RunResult result(std::move(config), facts);
  CircuitScheduleDriver driver(*schedule, result.config.machine, unit);
  // As SystemC's objects the network lives until the process ends.
  auto& network = *new CircuitNetwork("network", result.config.topology, result.config.machine,
                                      sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS));
  for (const Circuit& circuit : facts.circuits) network.connect(circuit);

  ObservedRun observed(observers.observed(result.config, 0), network);
  CircuitStatistics statistics(observed);
  observers.watch(observed);
  if (const auto report = progress_report(options, facts.messages)) {
    driver.on_event(
        [&driver, report](Cycle now) { report(now, driver.messages_arrived(), driver.flits_delivered()); });
  }

  const bool ended = network.run(driver, result.config.cycle_limit);
  CircuitResult& circuits = result.network.emplace<CircuitResult>();
  circuits.unit_cycles = unit;
  circuits.reconfiguration_units = facts.reconfiguration;
  circuits.claimed_units = facts.claimed_units;
  circuits.lower_bound_units = facts.lower_bound_units;
  circuits.circuits_at_start = facts.circuits.size();
  circuits.tunings = driver.tunings();
  result.steps = driver.steps();
  if (ended) {
    result.cycles = network.last_delivery();
    verify(result, {driver.possession(), nullptr, driver.messages_arrived(), driver.flits_sent(),
                    driver.flits_delivered()});
    expect(result, "tunings", facts.tunings, driver.tunings());
  } else {
    result.cycles = result.config.cycle_limit;
    end_at_limit(result);
  }
  // Tunings may begin after the last arrival.
  const Cycle last = std::max(result.cycles, network.last_cycle());
  observers.ended(last);
  observers.close({last, result.cycles, {}});
  add_records(result, circuits, network, last);
  for (const StepRecord& step : result.steps) result.messages += step.messages;
  result.max_channel_load = result.messages > 0 ? 1 : 0;  // a circuit carries one message at a time
  result.flits = driver.flits_sent();
  result.flit_hops = driver.flits_delivered();  // one circuit each
  result.redundant_deliveries = driver.possession().redundant();
  result.latency = statistics.latencies().summary();
  result.latency_distribution = statistics.latencies().distribution();
  return result;
}

}  // namespace flitscope
