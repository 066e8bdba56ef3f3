#include "sim/run/experiment.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "sim/host/worker_pool.h"
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
  const RunFunction run = [](ExperimentConfig other) { return run_experiment(std::move(other)); };
  try {
    const auto run_it = complete                        ? run_on_circuits
                        : config.workload.has_traffic() ? run_traffic
                                                        : run_on_links;
    RunResult result = run_it(std::move(config), options, run);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.peak_memory_bytes = peak_memory();
    return result;
  } catch (const std::exception&) {
    throw_located(as_written);
  }
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

}  // namespace flitscope
