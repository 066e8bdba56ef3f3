#include "sim/studies/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "algorithms/algorithm.h"
#include "model/collective.h"
#include "model/error.h"
#include "model/route.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/analysis/channel_load.h"
#include "sim/config/config_source.h"
#include "sim/run/experiment.h"
#include "sim/run/isolated.h"
#include "sim/run/workload.h"

namespace flitscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kBroadcast = "broadcast";

/// An algorithm with a choice for each of its parameters that has some.
struct Contender {
  const Algorithm* algorithm = nullptr;
  std::vector<std::pair<std::string, std::string>> choices;

  [[nodiscard]] std::string name() const {
    std::string text = algorithm->name;
    for (const auto& [parameter, choice] : choices) text += fmt::format(", {} {}", parameter, choice);
    return text;
  }
  [[nodiscard]] std::string workload(std::uint64_t message, const char* advance) const {
    std::string text =
        fmt::format("workload={{algorithm: {}, message: {}, advance: {}", algorithm->name, message, advance);
    for (const auto& [parameter, choice] : choices) text += fmt::format(", {}: {}", parameter, choice);
    return text + "}";
  }
};

bool has_parameter(const Algorithm& algorithm, const std::string& name) {
  return std::ranges::find(algorithm.parameters, name, &Parameter::name) != algorithm.parameters.end();
}

bool serves(const Algorithm& algorithm, const std::string& goal) {
  if (!algorithm.make || !has_parameter(algorithm, "message")) return false;
  if (goal == kBroadcast) return has_parameter(algorithm, "source");
  // "reduce-scatter-ring" is no reduce, "greedy-all-gather" no gather, and "scatter-allgather" a broadcast.
  if (has_parameter(algorithm, "source")) return false;
  const auto fits = [&](const std::string& other) {
    return algorithm.name.starts_with(other + "-") || algorithm.name.ends_with("-" + other);
  };
  return fits(goal) && std::ranges::none_of(compared_goals(), [&](const std::string& other) {
           return other.size() > goal.size() && fits(other);
         });
}

std::vector<Contender> contenders(const std::string& goal, std::span<const std::string> only) {
  for (const std::string& name : only) {
    const Algorithm* const found = AlgorithmRegistry::find(name);
    if (found == nullptr || !serves(*found, goal)) {
      throw InputError(fmt::format("no algorithm for {} is called {}", goal, in_quotes(name)));
    }
  }
  std::vector<Contender> list;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    if (!serves(algorithm, goal)) continue;
    if (!only.empty() && std::ranges::find(only, algorithm.name) == only.end()) continue;
    list.push_back({&algorithm, {}});
    for (const Parameter& parameter : algorithm.parameters) {
      for (const std::string& choice : parameter.choices) {
        if (goal == kBroadcast) break;  // their choices are readings of papers
        if (choice != parameter.fallback) list.push_back({&algorithm, {{parameter.name, choice}}});
      }
      if (parameter.name == "segment") list.push_back({&algorithm, {{"segment", "1KiB"}}});
    }
  }
  return list;
}

/// Everything is at one node at first, and everyone wants it.
bool is_broadcast(const Collective& collective) {
  return !collective.combines() && !collective.goal && collective.initial.size() == 1;
}

/// Links out of a node or into it, whichever are more, of the node that has fewest.
unsigned fewest_links(const Topology& topology) {
  const Participants participants(topology);
  unsigned fewest = topology.link_ports();
  for (NodeId place = 0; place < participants.count(); ++place) {
    unsigned out = 0;
    unsigned in = 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      out += topology.neighbour(participants[place], port) ? 1 : 0;
      in += topology.upstream(participants[place], port) ? 1 : 0;
    }
    fewest = std::min(fewest, std::max(out, in));
  }
  return fewest;
}

/// On any network: what every node has to send or to get.
double least_bytes_at_a_node(const std::string& goal, const Topology& topology, std::uint64_t message) {
  const double nodes = Participants(topology).count();
  const double others = static_cast<double>(message) * (nodes - 1) / nodes;
  if (goal == "scatter" || goal == "gather") return others / topology.link_ports();  // of the root alone
  const double links = fewest_links(topology);
  if (goal == "all-reduce") return 2 * others / links;
  return (goal == "reduce" || goal == kBroadcast ? static_cast<double>(message) : others) / links;
}

double least_link_bytes(const std::string& goal, const Topology& torus, std::uint64_t message) {
  if (!torus.is_fault_free_grid()) return least_bytes_at_a_node(goal, torus, message);
  const double all_reduce = least_all_reduce_volume(torus, message);
  if (goal == "all-reduce") return all_reduce;
  if (goal == "reduce-scatter" || goal == "all-gather") return all_reduce / 2;
  const double bytes = static_cast<double>(message);
  if (goal == "scatter" || goal == "gather") {
    return bytes * (torus.nodes() - 1.0) / torus.nodes() / torus.link_ports();
  }
  if (goal != "all-to-all") return bytes / torus.link_ports();
  // The busiest cut, across the longest rings.
  double least = 0;
  for (const std::uint32_t side : torus.sides()) {
    const std::uint64_t distances = std::uint64_t{side} * side / 4;
    least = std::max(least, bytes * static_cast<double>(distances) / (2.0 * side));
  }
  return least;
}

/// docs/timing.md, "Zero-load latency".
class MessageTime {
 public:
  explicit MessageTime(const MachineConfig& machine)
      : machine_(machine),
        head_(machine.startup + machine.head_delay() + machine.link_delay),
        slowest_(std::max(machine.injection_interval, machine.ejection_interval)),
        sum_(Cycle{machine.injection_interval} + machine.ejection_interval) {}

  /// It travels that link.
  void add(LinkTime link) {
    head_ += machine_.head_delay() + link.delay;
    slowest_ = std::max<Cycle>(slowest_, link.cycles_per_flit);
    sum_ += link.cycles_per_flit;
  }
  [[nodiscard]] Cycle of(std::uint64_t flits) const {
    const bool waits = machine_.switching == Switching::store_and_forward;
    return head_ + (flits - 1) * (waits ? sum_ : slowest_);
  }

 private:
  const MachineConfig& machine_;
  Cycle head_;
  Cycle slowest_;
  Cycle sum_;
};

/// Cycles with barriers where no message waits for another one; nothing where some must.
class ClosedForm {
 public:
  ClosedForm(const ScheduleFacts& facts, const MachineConfig& machine)
      : facts_(facts), machine_(machine), load_(Paths(facts.topology, machine.routing)) {}

  [[nodiscard]] std::optional<Cycle> of(Schedule& schedule) {
    const Cycle credit_loop = machine_.credit_loop(machine_.longest_link().delay);
    const std::uint64_t pace = std::max(machine_.injection_interval, machine_.ejection_interval);
    if (pace * machine_.buffer < credit_loop) return std::nullopt;
    Cycle sum = 0;
    for (Step step; schedule.next(step);) {
      const auto cycles = of_step(step);
      if (!cycles) return std::nullopt;
      sum += *cycles;
    }
    return sum;
  }

 private:
  struct Arrival {
    NodeId node = 0;
    Cycle time = 0;
    Cycle combining = 0;
  };

  [[nodiscard]] std::optional<Cycle> of_step(const Step& step) {
    const Topology& topology = facts_.topology;
    const Paths& ways = load_.paths();
    load_.start_step();
    injections_.clear();
    ejections_.clear();
    std::vector<Arrival> arrivals;
    for (const Message& message : step.messages()) {
      load_.add(message);
      const unsigned first = ways.first_port(message.source, message.destination, message.route);
      unsigned last = first;
      MessageTime time(machine_);
      ways.for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
        last = topology.channel_port(channel);
        time.add(machine_.link(topology, channel));
      });
      if (!has_channel(injections_, message.source, first)) return std::nullopt;
      if (!has_channel(ejections_, message.destination, last)) return std::nullopt;
      if (message.rearranged_bytes != 0 && machine_.copy_cycles_per_byte != Decimal()) return std::nullopt;
      if (message.waiting != 0) return std::nullopt;
      const std::uint64_t flits =
          flits_of(message_bytes(facts_.collective, step, message), machine_.flit_bytes);
      arrivals.push_back({message.destination, time.of(flits),
                          machine_.reduce_cycles_per_byte.times_rounded_up(
                              reduced_bytes(facts_.collective, step, message))});
    }
    if (load_.load().max_load > 1) return std::nullopt;
    return end_of(std::move(arrivals));
  }

  /// False if the node has no channel left in this step: one a port, or as many as the machine says.
  [[nodiscard]] bool has_channel(std::map<std::pair<NodeId, unsigned>, unsigned>& used, NodeId node,
                                 unsigned port) const {
    return ++used[{node, machine_.ports ? 0 : port}] <= machine_.ports.value_or(1);
  }

  [[nodiscard]] static Cycle end_of(std::vector<Arrival> arrivals) {
    std::ranges::stable_sort(arrivals, {}, &Arrival::time);
    std::map<NodeId, Cycle> free;
    Cycle end = 0;
    for (const Arrival& arrival : arrivals) {
      Cycle& memory = free[arrival.node];
      const Cycle done =
          arrival.combining == 0 ? arrival.time : std::max(memory, arrival.time) + arrival.combining;
      if (arrival.combining != 0) memory = done;
      end = std::max(end, done);
    }
    return end;
  }

  const ScheduleFacts& facts_;
  const MachineConfig& machine_;
  ChannelLoad load_;
  std::map<std::pair<NodeId, unsigned>, unsigned> injections_;
  std::map<std::pair<NodeId, unsigned>, unsigned> ejections_;
};

ComparedRun run_once(const ExperimentConfig& config) {
  const Json json = Json::parse(run_isolated([&] {
    const RunResult result = run_experiment(config);
    if (!result.verified()) {
      throw ScheduleError(fmt::format("{}: {}", name_of(result.status),
                                      result.failed_checks.empty() ? "" : result.failed_checks.front()));
    }
    return Json{{"cycles", result.cycles}, {"stalls", result.links()->stalls}}.dump();
  }));
  return {json["cycles"].get<Cycle>(), json["stalls"].get<std::array<std::uint64_t, kStallCauses>>()};
}

ComparedAlgorithm measured(const std::string& goal, const Contender& contender, std::uint64_t message,
                           const std::function<ExperimentConfig(const std::string&)>& load) {
  ExperimentConfig config = load(contender.workload(message, "barrier"));
  auto schedule = make_schedule(config);
  const ScheduleFacts& facts = schedule->facts();
  if (goal == kBroadcast && !is_broadcast(facts.collective)) {
    throw Inadmissible("workload.algorithm", "is no broadcast from one node");
  }
  resolve_auto_settings(config, facts);
  ComparedAlgorithm row{.name = contender.name(),
                        .message = message,
                        .steps = facts.steps,
                        .lower_bound_steps = facts.lower_bound_steps,
                        .least_bytes = least_link_bytes(goal, config.topology, message)};
  row.closed_form = ClosedForm(facts, config.machine).of(*schedule);
  const LinkVolume volume =
      link_volume(*make_schedule(config), Paths(config.topology, config.machine.routing));
  row.link_bytes = volume.busiest_link;
  row.step_bytes = volume.busiest_of_steps;
  row.barrier = run_once(load(contender.workload(message, "barrier")));
  row.dataflow = run_once(load(contender.workload(message, "dataflow")));
  return row;
}

}  // namespace

const std::vector<std::string>& compared_goals() {
  static const std::vector<std::string> goals{"all-reduce", "reduce-scatter", "all-gather", "all-to-all",
                                              "reduce",     "gather",         "scatter",    kBroadcast};
  return goals;
}

Comparison compare(const std::string& goal, const std::filesystem::path& config,
                   std::span<const std::string> settings, std::span<const std::uint64_t> messages,
                   std::span<const std::string> only,
                   const std::function<void(const std::string&)>& on_algorithm) {
  const auto load = [&](const std::string& workload) {
    std::vector<std::string> all(settings.begin(), settings.end());
    all.push_back(workload);
    return load_config(config, all);
  };
  Comparison comparison{.goal = goal};
  for (const Contender& contender : contenders(goal, only)) {
    for (const std::uint64_t message : messages) {
      on_algorithm(fmt::format("{}, {}", contender.name(), bytes_text(message)));
      try {
        comparison.algorithms.push_back(measured(goal, contender, message, load));
      } catch (const std::bad_alloc&) {
        comparison.left_out.emplace_back(
            contender.name(), fmt::format("{} takes more memory than there is", bytes_text(message)));
        break;
      } catch (const std::exception& reason) {
        comparison.left_out.emplace_back(contender.name(), reason.what());
        break;
      }
    }
  }
  if (comparison.algorithms.empty()) {
    throw InputError(fmt::format(
        "{}: no algorithm for {} fits; {}", config.string(), goal,
        comparison.left_out.empty()
            ? "there is none"
            : fmt::format("{}: {}", comparison.left_out.front().first, comparison.left_out.front().second)));
  }
  std::ranges::stable_sort(comparison.algorithms, {}, [](const ComparedAlgorithm& row) {
    return std::tuple(row.message, row.dataflow.cycles, row.barrier.cycles, row.name);
  });
  return comparison;
}

}  // namespace flitscope
