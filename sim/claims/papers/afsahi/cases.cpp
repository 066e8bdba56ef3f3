// Afsahi and Dimopoulos: collectives on a reconfigurable optical network, complete. N nodes, k ports, d
// units.
#include "sim/claims/papers/afsahi/cases.h"

#include <map>
#include <stdexcept>

#include "sim/analysis/circuit_checker.h"
#include "sim/claims/measure.h"
#include "sim/run/workload.h"

namespace flitscope::claims::afsahi {

namespace {

const PaperRegistry::Entry entry{{
    .name = "afsahi",
    .citation = "Ahmad Afsahi and Nikitas J. Dimopoulos: Collective Communications on a Reconfigurable "
                "Optical Interconnect",
    .parts = {&broadcast_claims, &generation_claims, &broadcast_table_claims, &exchange_claims},
    .figures = {&broadcast_figures, &exchange_figures},
}};

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

/// "1..4", or "1" of a single one.
std::string range_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

}  // namespace

std::string name_of(const Size& size) {
  return fmt::format("N = {}, k = {}, d = {}", size.nodes, size.k, size.d);
}

Sizes<Size> sizes(std::uint64_t last, std::uint64_t last_k) {
  Sizes<Size> all{{}, fmt::format("N = 2..{}, k = {}, d = 0, 1, 3, 10", last, range_text(1, last_k))};
  for (std::uint64_t k = 1; k <= last_k; ++k) {
    for (const std::uint64_t d : {0, 1, 3, 10}) {
      for (std::uint64_t n = 2; n <= last; ++n) all.list.push_back({n, k, d});
    }
  }
  return all;
}

Sizes<Size> power_sizes(std::uint64_t most, std::uint64_t first_k, std::uint64_t last_k) {
  Sizes<Size> powers = sizes(most, last_k);
  std::erase_if(powers.list, [&](const Size& size) {
    return size.k < first_k || !flitscope::afsahi::is_power(size.nodes, size.k + 1);
  });
  powers.text = fmt::format("k = {}, N = (k+1)^s <= {}, d = 0, 1, 3, 10", range_text(first_k, last_k), most);
  return powers;
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
  return quotient(whole.cycles, whole.unit_cycles);
}

double longest_message(const Size& size, const std::string& algorithm, std::uint64_t startup) {
  const FlitRun scatter = run(size, algorithm, "", startup);
  return quotient(scatter.max_latency, scatter.unit_cycles);
}

Measure takes(Sizes<Size> (*sizes)(Extent), std::uint64_t (*claimed)(const Size&),
              const std::string& algorithm, const std::string& parameters) {
  const auto test = [=](Trial& t, const Size& size) {
    const std::string of_size = fmt::format(fmt::runtime(parameters), log_of(size));
    t.printed.equal(size, "units", claimed(size), checked_time(size, algorithm, of_size));
  };
  return trying(sizes, test, "{tried} schedules legal, of exactly that time");
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
