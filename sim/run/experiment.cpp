#include "sim/run/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "params/settings.h"
#include "routers/modules/limits.h"
#include "sim/host/processes.h"
#include "sim/network/network.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// Whether cycles that repeat are counted instead of run.
enum class FastForward : std::uint8_t { on, off };
constexpr std::array kFastForward{"on", "off"};

struct EngineSettings {
  Modules modules = Modules::automatic;
  FastForward fast_forward = FastForward::on;
  /// Nothing: see useful_threads.
  std::optional<unsigned> threads;
};

constexpr std::int64_t kMaxThreads = 256;

const SettingsRegistry::Entry engine_section{RowSection<EngineSettings>{
    .name = "engine",
    .summary = "how the simulator works; no result depends on it",
    .rows = {of_links(choice_row(
                 &EngineSettings::modules, "modules",
                 "routers that are SystemC modules of their own; auto: all, above 65,536 nodes none")),
             of_links(choice_row(
                 &EngineSettings::fast_forward, kFastForward, "fast_forward",
                 "count cycles that repeat earlier ones instead of running them; off: run every cycle")),
             of_links(row(
                 &EngineSettings::threads,
                 {.name = "threads",
                  .summary = "threads that step routers, each some of their groups of 64; one with router "
                             "parts, limited ejection buffers, or routing by queues of other routers; auto: "
                             "for `flitscope run` of traffic on 4,096 routers or more as many as there are "
                             "cores, at most one for every 1,024 routers, otherwise one",
                  .minimum = 1,
                  .maximum = kMaxThreads,
                  .choices = {"auto"}}))}}};

/// Small networks are slower with threads; so are schedules, whose cycles are counted or in which flits
/// mostly wait.
unsigned useful_threads(const ExperimentConfig& config, unsigned free_threads) {
  constexpr NodeId kMinRouters = 4096;
  constexpr NodeId kRoutersOfThread = 1024;
  const NodeId routers = config.topology.routers();
  if (!config.workload.has_traffic() || routers < kMinRouters) return 1;
  return std::min<NodeId>(free_threads, routers / kRoutersOfThread);
}

}  // namespace

RunResult run_experiment(ExperimentConfig config, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const ExperimentConfig as_written = config;
  const bool complete = !config.topology.has_links();
  return with_places(as_written, [&] {
    const auto run_it = complete                        ? run_on_circuits
                        : config.workload.has_traffic() ? run_traffic
                                                        : run_on_links;
    RunResult result = run_it(std::move(config), options);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.peak_memory_bytes = peak_memory();
    return result;
  });
}

std::string run_isolated(const std::function<std::string()>& body) {
  const auto job = [&](std::size_t) {
    try {
      return "+" + body();
    } catch (const std::exception& error) {
      return std::string("-") + error.what();
    }
  };
  std::string answer;
  WorkerPool pool(1, {});
  pool.run(1, job, [&](std::size_t, const JobEnd& end) {
    if (end.how != JobEnd::How::answered) {
      throw std::runtime_error(
          fmt::format("the simulation's process died with signal or exit code {}", end.code));
    }
    answer = end.answer;
  });
  if (answer[0] == '-') throw std::runtime_error(answer.substr(1));
  return answer.substr(1);
}

void verify(RunResult& result, const RunTotals& totals) {
  const Collective& collective = result.facts.collective;
  if (const auto missing = totals.possession.first_missing(collective)) {
    result.status = RunStatus::goal_missed;
    const std::uint64_t count = totals.possession.missing(collective);
    result.failed_checks.push_back(fmt::format("{} lacks chunk {} at the end; {} missing in all",
                                               result.facts.topology.node_name(missing->node), missing->chunk,
                                               counted(count, "chunk is", "chunks are")));
  }
  if (totals.operands != nullptr) {
    if (const auto unfinished = totals.operands->unfinished(collective)) {
      result.status = RunStatus::goal_missed;
      result.failed_checks.push_back(fmt::format(
          "the value of chunk {} at {} is not the combination of all its operands, each once; {} such in all",
          unfinished->chunk, result.facts.topology.node_name(unfinished->node),
          counted(unfinished->count, "value is", "values are")));
    }
  }
  expect(result, "steps", result.facts.steps, result.steps.size());
  expect(result, "messages", result.facts.messages, totals.messages);
  expect(result, "flits at their destinations", totals.flits_sent, totals.flits_arrived);
}

void expect(RunResult& result, const char* what, std::uint64_t expected, std::uint64_t actual) {
  if (expected == actual) return;
  result.failed_checks.push_back(fmt::format("{} {} expected, but there were {}", expected, what, actual));
}

void end_at_limit(RunResult& result) {
  result.status = RunStatus::limit;
  const RouterParts& parts = result.config.machine.parts;
  const std::string cause =
      parts.can_starve() ? fmt::format(
                               "; router.arbiter: {} can starve messages for ever beside switch-winner and "
                               "prioritised speculation, round-robin and matrix do not (docs/routers.md)",
                               name_of(parts.arbiter))
                         : "";
  result.failed_checks.push_back(fmt::format("the limit of {} came before the end{}",
                                             counted(result.config.cycle_limit, "cycle"), cause));
}

std::uint64_t countable_period(const ExperimentConfig& config, Cycle planned) {
  const std::uint64_t picoseconds = config.clock ? config.clock->whole_picoseconds() : 1000;
  const Cycle countable = std::numeric_limits<std::uint64_t>::max() / picoseconds;
  if (config.cycle_limit + planned <= countable) return picoseconds;
  throw Inadmissible("clock",
                     "with a clock of {} time can be counted to {} cycles, which limits.cycles and "
                     "node.startup together exceed; lower them, or leave the clock out",
                     time_text(picoseconds), countable);
}

Network& make_network(const ExperimentConfig& config, unsigned free_threads) {
  const auto& [modules, fast_forward, threads] = config.settings.get<EngineSettings>();
  const std::uint64_t picoseconds = countable_period(config, config.machine.furthest_ahead());
  const auto period = sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS);
  Network& network = *new Network("network", config.topology, machine_of_network(config), period, modules);
  network.clock().set_fast_forward(fast_forward == FastForward::on);
  network.clock().set_threads(threads.value_or(useful_threads(config, free_threads)));
  return network;
}

}  // namespace flitscope
