#include "sim/report/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <vector>

#include "model/machine.h"
#include "model/schedule.h"
#include "model/text.h"
#include "sim/observe/flits/latency.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"

namespace flitscope {

namespace {

using Text = fmt::memory_buffer;

template <typename... Args>
void add(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

/// The set-up of a complete network.
void add_circuits(Text& text, const RunResult& result, const CircuitResult& circuits) {
  const MachineConfig& machine = result.config.machine;
  add(text, "  network     {}, {} each; {} there at the start\n", result.config.topology.name(),
      counted(*machine.ports, "port"), counted(circuits.circuits_at_start, "circuit"));
  add(text, "  node        startup {}, flits of {}; tuning takes {}\n", counted(machine.startup, "cycle"),
      counted(machine.flit_bytes, "byte"), counted(machine.reconfiguration, "cycle"));
  add(text, "  unit        t_m = {}; d = {} t_m\n\n", counted(circuits.unit_cycles, "cycle"),
      circuits.reconfiguration_units);
}

/// What has to be sent.
void add_data(Text& text, const RunResult& result) {
  const WorkloadConfig& workload = result.config.workload;
  add(text, "  algorithm   {}{}\n", printable(result.facts.algorithm),
      workload.algorithm == nullptr ? " (schedule " + printable(workload.schedule_file.string()) + ")"
                                    : ": " + workload.algorithm->summary);
  std::uint64_t bytes = 0;
  for (const std::uint64_t chunk : result.facts.collective.chunk_bytes) bytes += chunk;
  const Collective& collective = result.facts.collective;
  const auto at = [&](const std::vector<Holding>& holdings) {
    return holdings.size() == 1 ? "at " + result.facts.topology.node_name(holdings.front().node)
                                : "at " + counted(holdings.size(), "node");
  };
  add(text, "  data        {} of {} in all, {}\n", counted(collective.chunk_bytes.size(), "chunk"),
      counted(bytes, "byte"),
      !collective.combines()           ? "at first " + at(collective.initial)
      : collective.operands_everywhere ? "an operand of each at every node"
                                       : "operands " + at(collective.operands));
}

/// A line for each bandwidth, and for whatever is simulated otherwise than it was asked for.
void add_simulated(Text& text, const ExperimentConfig& config) {
  for (const SimulatedQuantity& quantity : simulated_quantities(config)) {
    const bool is_exact = quantity.asked == quantity.simulated;
    if (is_exact && quantity.key.starts_with("workload")) continue;
    const bool warns = std::abs(quantity.difference) > SimulatedQuantity::kTolerance;
    const double percent = 100 * quantity.difference;
    const std::string difference =
        std::abs(percent) < 10 ? fmt::format("{:+.2g}%", percent) : fmt::format("{:+.0f}%", percent);
    add(text, "  {}   {} {}{}\n", warns ? "WARNING  " : "simulated", quantity.key, quantity.simulated,
        is_exact ? ", as asked" : fmt::format(", asked {} ({})", quantity.asked, difference));
  }
}

/// "4 on the link", "up to 8 on a link, which takes a flit every 2 cycles at worst".
std::string links_text(const ExperimentConfig& config) {
  const MachineConfig& machine = config.machine;
  const LinkTime longest = machine.longest_link();
  const bool alike = machine.links.none();
  std::string text = alike ? fmt::format("{} on the link", machine.link_delay)
                           : fmt::format("up to {} on a link", longest.delay);
  text += fmt::format(" (cycles{})",
                      config.clock ? " of " + readable_time(config.clock->seconds(1)) : std::string());
  if (longest.cycles_per_flit > 1U) {
    text += fmt::format(", which takes a flit every {} cycles{}", longest.cycles_per_flit.text(),
                        alike ? "" : " at worst");
  }
  return text;
}

/// "3", "2 (head 3)".
std::string router_delay_text(const MachineConfig& machine) {
  if (machine.vc_delay == 0) return std::to_string(machine.router_delay);
  return fmt::format("{} (head {})", machine.router_delay, machine.head_delay());
}

/// "all ports", "1 port of 4 virtual channels".
std::string node_ports_text(const MachineConfig& machine) {
  std::string ports = machine.ports ? counted(*machine.ports, "port") : "all ports";
  if (machine.node_vcs == 1) return ports;
  return fmt::format("{} of {}", ports, counted(machine.node_vcs, "virtual channel"));
}

std::string intervals_text(const MachineConfig& machine) {
  const auto every = [](unsigned interval) {
    return interval == 1 ? "every cycle" : fmt::format("every {} cycles", interval);
  };
  if (machine.injection_interval != machine.ejection_interval) {
    return fmt::format("a flit in {}, out {}", every(machine.injection_interval),
                       every(machine.ejection_interval));
  }
  return machine.injection_interval == 1 ? "a flit a cycle" : "a flit " + every(machine.injection_interval);
}

void add_set_up(Text& text, const RunResult& result) {
  const MachineConfig& machine = result.config.machine;
  const LinkResult* const links = result.links();
  const bool has_traffic = links != nullptr && links->traffic;
  add(text, "{}\n", printable(result.config.name));
  if (!has_traffic) add_data(text, result);
  if (result.circuits() != nullptr) return add_circuits(text, result, *result.circuits());
  const Topology& topology = result.config.topology;
  // The name of a ring or a linear array has the number of nodes in it.
  add(text, "  network     {}{}; {}, {}\n", topology.name(),
      topology.dimensions() == 1 ? "" : fmt::format(", {} nodes", Participants(topology).count()),
      name_of(machine.switching), machine.routing);
  add(text, "  router      {} of {} a link, delay {} + {}\n",
      counted(machine.virtual_channels, "virtual channel"), counted(machine.buffer, "flit"),
      router_delay_text(machine), links_text(result.config));
  add(text, "  node        {}, startup {}, {}, flits of {}{}\n", node_ports_text(machine),
      cycles_text(result.config, machine.startup), intervals_text(machine),
      counted(machine.flit_bytes, "byte"),
      (machine.copy_cycles_per_byte == Decimal()
           ? ""
           : fmt::format(", copy {} cycles/byte", machine.copy_cycles_per_byte.text())) +
          (machine.reduce_cycles_per_byte == Decimal()
               ? ""
               : fmt::format(", reduce {} cycles/byte", machine.reduce_cycles_per_byte.text())));
  add_simulated(text, result.config);
  if (has_traffic) {
    add(text, "{}{}", traffic_text(result, *links->traffic), accepted_text(result));
  } else {
    add(text, "  advance     {}\n\n{}", name_of(result.config.workload.advance), waits_text(result));
  }
}

/// A long schedule is shown by its first and last steps.
constexpr std::uint64_t kStepsShown = 40;

/// "  [1, 0]+0: 2 messages", or "  -" if the step uses no link.
std::string busiest_text(const StepLoad& load, const Topology& topology) {
  if (!load.busiest) return "  -";
  return fmt::format("  {}: {}", topology.channel_name(*load.busiest), counted(load.max_load, "message"));
}

void add_steps(Text& text, const RunResult& result) {
  if (result.steps.empty()) return;
  const LinkResult* const links = result.links();
  const bool barrier = links != nullptr && result.config.workload.advance == Advance::barrier;
  const auto& clock = result.config.clock;
  add(text, "{:>6} {:>10} {:>10} {:>10}{}{}\n", "step", "messages", barrier ? "cycles" : "from",
      barrier ? "until" : "to cycle", clock ? fmt::format(" {:>10}", "takes") : "",
      links != nullptr ? "  busiest channel" : "");
  for (std::uint64_t index = 0; index < result.steps.size(); ++index) {
    if (result.steps.size() > kStepsShown && index == kStepsShown / 2) {
      const std::uint64_t left_out = result.steps.size() - kStepsShown;
      add(text, "   ... {} more steps (steps.csv of --out has them all) ...\n", left_out);
      index += left_out;
    }
    const StepRecord& step = result.steps[index];
    const Cycle begin = step.messages == 0 ? step.end : step.begin;
    const std::string busiest =
        links == nullptr ? "" : busiest_text(links->loads[index], result.config.topology);
    // With barriers only the last step can lack messages that are not handed over yet.
    const bool all_sent =
        !barrier || index + 1 < result.steps.size() || result.status == RunStatus::completed;
    const bool complete = all_sent && step.arrived == step.messages;
    const std::string time =
        complete && clock ? readable_time(clock->seconds(static_cast<double>(step.end - begin))) : "-";
    add(text, "{:>6} {:>10} {:>10} {:>10}{}{}\n", index + 1, step.messages,
        barrier && !complete ? "-" : std::to_string(barrier ? step.cycles() : begin),
        complete ? std::to_string(step.end) : "-", clock ? fmt::format(" {:>10}", time) : "", busiest);
  }
  add(text, "\n");
}

/// Time in units of t_m, and what circuits were tuned for it.
void add_units(Text& text, const RunResult& result, const CircuitResult& circuits) {
  add(text, "  time        {:.10g} t_m{}\n",
      static_cast<double>(result.cycles) / static_cast<double>(circuits.unit_cycles),
      bounds_text(circuits.claimed_units, circuits.lower_bound_units));
  add(text, "  steps       {}\n", result.steps.size());
  add(text, "  circuits    {}; at most {} at the same time at one node\n",
      counted(circuits.tunings, "tuning"), counted(circuits.max_arrivals, "arrival"));
}

/// Cycles by stage, unless every stage is a step and has its line already.
void add_stages(Text& text, const RunResult& result) {
  const auto& stages = result.facts.stages;
  if (stages.empty() || stages.size() == result.steps.size()) return;
  std::vector<std::string> cycles;
  for (const Stage& stage : stages) {
    const Cycle own = result.stage_cycles(stage);
    cycles.push_back(fmt::format("{}: {}{}", printable(stage.name), own,
                                 time_in_brackets(result.config, static_cast<double>(own))));
  }
  add(text, "  stages      {} cycles\n", fmt::join(cycles, ", "));
}

/// What all messages together did.
void add_sums(Text& text, const RunResult& result) {
  add(text, "  traffic     {}, {}, {}\n", counted(result.messages, "message"), counted(result.flits, "flit"),
      counted(result.flit_hops, "flit-hop"));
  if (result.links() == nullptr || !result.links()->packets) return;
  const auto& [packets, head_flits] = *result.links()->packets;
  add(text, "  packets     {}, {} beside the data\n", counted(packets, "packet"),
      counted(head_flits, "head flit"));
}

void add_message_classes(Text& text, const RunResult& result) {
  if (result.links() == nullptr) return;
  for (const MessageClassRecord& each : result.links()->message_classes) {
    const bool several = result.config.topology.networks() > 1;
    add(text, "  class       {}{}: {}, {}", each.name,
        several ? fmt::format(" (network {})", each.network) : std::string(),
        counted(each.messages, "message"), counted(each.flits, "flit"));
    if (each.messages > 0) {
      add(text, ", latency mean {:.1f}{}, max {}", each.latency_mean,
          time_in_brackets(result.config, each.latency_mean), cycles_text(result.config, each.latency_max));
    }
    const std::string stalls = causes_text(each.stalls, " ");
    add(text, "; {}\n", stalls.empty() ? "no stalls" : "stalls " + stalls);
  }
}

/// Of a run of traffic, from the beginning of its warm-up to the last arrival.
void add_whole_run(Text& text, const RunResult& result) {
  add(text, "\n  the whole run, {}:\n", cycles_text(result.config, result.counted_cycles()));
  add_sums(text, result);
  add_message_classes(text, result);
  add(text, "{}", energy_text(result));
}

void add_totals(Text& text, const RunResult& result) {
  add(text, "  cycles      {}{}\n", result.cycles,
      time_in_brackets(result.config, static_cast<double>(result.cycles)));
  if (const auto bandwidth = collective_bandwidth(result)) {
    add(text, "  bandwidth   algorithm {:.5g} GB/s, bus {:.5g} GB/s{}\n", bandwidth->algorithm,
        bandwidth->bus,
        result.config.workload.algorithm == nullptr ? fmt::format(", as {}", name_of(bandwidth->kind)) : "");
  }
  if (result.circuits() != nullptr) {
    add_units(text, result, *result.circuits());
  } else {
    add(text, "  steps       {}{}\n", result.steps.size(),
        bounds_text(result.facts.claimed_steps, result.facts.lower_bound_steps));
    add_stages(text, result);
  }
  add_sums(text, result);
  if (result.latency.messages > 0) {
    add(text, "  latency     min {}, mean {:.1f}, median {}, 99% {}, 99.9% {}, max {} cycles{}\n",
        result.latency.min, result.latency.mean, result.latency.p50, result.latency.p99, result.latency.p999,
        result.latency.max,
        result.config.clock ? "; mean " + readable_time(result.config.clock->seconds(result.latency.mean))
                            : "");
  }
  if (result.links() == nullptr) return;  // nothing can stall on a circuit
  add_message_classes(text, result);
  add(text, "{}", energy_text(result));
  if (const auto& background = result.links()->background) {
    add(text, "{}", background_text(result, *background));
  }
  const auto& stalls = result.links()->stalls;
  const std::uint64_t stalled = total_of(stalls);
  if (stalled == 0) {
    add(text, "  stalls      none\n");
    return;
  }
  add(text, "  stalls      {}: {}\n", counted(stalled, "flit-cycle"), causes_text(stalls, " "));
}

void add_worst_channels(Text& text, const RunResult& result, const LinkResult& links) {
  const Topology& topology = result.config.topology;
  const auto worst = worst_channels(links.channels);
  if (worst.empty()) return;
  add(text, "\n  flits waited most for these channels (flit-cycles):\n");
  for (const ChannelRecord& channel : worst) {
    const auto waited = links.longest_waits.find(channel.channel);
    if (waited == links.longest_waits.end()) continue;
    add(text, "    {}  {}: {}; busy in {:.1f}% of all cycles\n", topology.channel_name(channel.channel),
        total_of(channel.stalls), causes_text(channel.stalls, " "), 100 * result.utilisation(channel));
    add(text, "      longest: {}\n", describe(waited->second, topology, result.config.clock));
  }
}

void add_most_delayed(Text& text, const RunResult& result, const LinkResult& links) {
  const Topology& topology = result.config.topology;
  if (links.most_delayed.empty()) return;
  add(text, "\n  messages delayed most (cycles beyond those of an empty network):\n");
  for (const DelayedMessage& message : links.most_delayed) {
    const LatencyParts& parts = message.parts;
    add(text, "    {} ({} to {})  {} of {}: {}\n", message_label(message.message),
        topology.node_name(message.source), topology.node_name(message.destination), parts.delay(),
        parts.latency,
        parts_text(
            by_name({{"queueing", parts.queueing}}, parts.head_stalls,
                    {{"hol_blocked", parts.hol_blocked}, {"tail_serialization", parts.tail_serialization}}),
            " "));
    if (!message.longest_wait) continue;
    add(text, "      longest: {}\n", describe(*message.longest_wait, topology, result.config.clock));
  }
}

void add_deadlock(Text& text, const Deadlock& deadlock, const Topology& topology) {
  add(text, "\nDEADLOCK: {} in a dependency cycle, deadlocked since cycle {} (detected in cycle {});\n",
      counted(deadlock.dependency_cycle.size(), "worm"), deadlock.standstill, deadlock.detected);
  add(text, "          {} and {} are blocked forever.\n", counted(deadlock.blocked_buffers, "VC buffer"),
      counted(deadlock.blocked_messages, "message"));
  for (const std::string& line : describe(deadlock, topology)) add(text, "  {}\n", line);
}

}  // namespace

std::string report_text(const RunResult& result) {
  Text text;
  add_set_up(text, result);
  const bool has_traffic = result.links() != nullptr && result.links()->traffic;
  if (has_traffic) {
    add_whole_run(text, result);
  } else {
    add_steps(text, result);
    add_totals(text, result);
  }
  if (const LinkResult* const links = result.links()) {
    const Topology& topology = result.config.topology;
    add_worst_channels(text, result, *links);
    add_most_delayed(text, result, *links);
    add(text, "{}", barriers_text(result));
    if (links->deadlock) add_deadlock(text, *links->deadlock, topology);
  }
  if (result.verified()) {
    if (has_traffic) return fmt::to_string(text) + "\nverified: no flit was lost; Little's law holds\n";
    add(text,
        "\nverified: every node holds what it should; every flit arrived; every sender held what it sent\n");
  } else {
    add(text, "\nNOT VERIFIED ({})\n", name_of(result.status));
    for (const std::string& objection : result.failed_checks) add(text, "  {}\n", printable(objection));
  }
  return fmt::to_string(text);
}

std::string progress_text(const Progress& progress) {
  return fmt::format("cycle {}, {} of {} messages arrived, {:.1f} M flit-hops/s", progress.cycle,
                     progress.arrived, progress.messages, progress.flit_hops_per_second / 1e6);
}

}  // namespace flitscope
