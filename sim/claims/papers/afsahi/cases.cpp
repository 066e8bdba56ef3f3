#include "sim/claims/papers/afsahi/cases.h"

#include <map>
#include <stdexcept>

#include "algorithms/afsahi/closed_forms.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/claims/measure.h"
#include "sim/run/workload.h"

namespace flitscope::claims::afsahi {

namespace {

constexpr std::uint64_t kDelays[] = {0, 1, 3, 10};

/// With a startup of s cycles t_m is s+1 cycles.
ExperimentConfig circuits(const Size& size, const std::string& algorithm, const std::string& parameters,
                          std::uint64_t startup = 0) {
  return experiment(
      fmt::format("{{kind: complete, nodes: {}}}", size.nodes),
      fmt::format("{{algorithm: {}, message: 8{}{}}}", algorithm, parameters.empty() ? "" : ", ", parameters),
      {fmt::format("node.ports={}", size.k), fmt::format("node.startup={}", startup),
       fmt::format("circuits.reconfiguration={}", size.d * (startup + 1))});
}

FlitRun run(const Size& size, const std::string& algorithm, const std::string& parameters,
            std::uint64_t startup) {
  return verified_run(circuits(size, algorithm, parameters, startup),
                      fmt::format("{} at {}", algorithm, name_of(size)));
}

double in_units(Cycle cycles, const FlitRun& run) {
  return static_cast<double>(cycles) / static_cast<double>(run.unit_cycles);
}

}  // namespace

std::string name_of(const Size& size) {
  return fmt::format("N = {}, k = {}, d = {}", size.nodes, size.k, size.d);
}

std::vector<Size> sizes(std::uint64_t last) {
  std::vector<Size> list;
  for (std::uint64_t k = 1; k <= 4; ++k) {
    for (const std::uint64_t d : kDelays) {
      for (std::uint64_t n = 2; n <= last; ++n) list.push_back({n, k, d});
    }
  }
  return list;
}

std::vector<Size> power_sizes(std::uint64_t most) {
  std::vector<Size> list;
  for (const Size& size : sizes(most)) {
    if (flitscope::afsahi::is_power(size.nodes, size.k + 1)) list.push_back(size);
  }
  return list;
}

std::uint64_t checked_time(const Size& size, const std::string& algorithm, const std::string& parameters) {
  const CircuitReport report = check_events(*make_circuit_schedule(circuits(size, algorithm, parameters)));
  if (report.legal) return report.units;
  throw std::runtime_error(
      fmt::format("{} at {}: {}", algorithm, name_of(size), report.violations.front().text));
}

bool is_legal(const Size& size, const std::string& algorithm, const std::string& parameters) {
  return check_events(*make_circuit_schedule(circuits(size, algorithm, parameters))).legal;
}

double time_on_flits(const Size& size, const std::string& algorithm, const std::string& parameters) {
  const FlitRun whole = run(size, algorithm, parameters, 0);
  return in_units(whole.cycles, whole);
}

double longest_message(const Size& size, const std::string& algorithm, std::uint64_t startup) {
  const FlitRun scatter = run(size, algorithm, "", startup);
  return in_units(scatter.max_latency, scatter);
}

std::vector<Informed> latency_hiding_broadcast(const Size& size) {
  std::vector<Informed> list;
  // Of each node the number of its last set, and when that arrives.
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> sets;
  const auto schedule = make_circuit_schedule(circuits(size, "afsahi-b4", "start: warm"));
  for (CircuitEvent event; schedule->next(event);) {
    const std::uint64_t arrival = event.time() + 1;
    for (const CircuitMessage& message : event.messages()) {
      const auto [at, first] = sets.try_emplace(message.circuit.node, 0, arrival);
      auto& [set, last] = at->second;
      if (last != arrival) {
        ++set;
        last = arrival;
      }
      list.push_back({message.circuit.node, message.circuit.target, arrival, set});
    }
  }
  return list;
}

}  // namespace flitscope::claims::afsahi
