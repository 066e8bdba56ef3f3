#include "sim/run/experiment.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/host/processes.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
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
  result.failed_checks.push_back(fmt::format("the limit of {} came before the end",
                                             counted(result.config.cycle_limit, "cycle", "cycles")));
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

}  // namespace flitscope
