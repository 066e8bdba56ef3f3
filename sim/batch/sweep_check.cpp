#include "sim/batch/sweep_check.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "sim/batch/worker_pool.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

/// Chunks of runs for each worker: enough for an even load, few enough for cheap processes.
constexpr std::size_t kChunksPerWorker = 8;
constexpr std::size_t kMaxLines = 20;

/// What is wrong with a run, or nothing.
std::string objection_to(ExperimentConfig config) {
  try {
    if (!config.topology.has_links()) {
      const auto made = make_circuit_schedule(config);
      require_fitting(config, made->facts());
      return {};
    }
    auto made = make_schedule(config);
    complete_machine(config, made->facts());
    WatchedSchedule schedule(std::move(made), config.machine);
    Step step;
    static_cast<void>(schedule.next(step));
    return {};
  } catch (const Inadmissible& reason) {
    return located(config, reason).what();
  } catch (const InputError& error) {
    return error.what();
  } catch (const ScheduleError& error) {
    return fmt::format("{}: {}", config.file, error.what());
  }
}

/// Runs with the same objection.
struct Group {
  std::size_t first = 0;
  std::size_t runs = 0;
};

[[noreturn]] void refuse(const Sweep& sweep, const std::map<std::size_t, std::string>& objections) {
  std::vector<std::string> order;
  std::map<std::string, Group> groups;
  for (const auto& [run, text] : objections) {
    const auto [group, is_new] = groups.try_emplace(text, Group{run, 0});
    if (is_new) order.push_back(text);
    ++group->second.runs;
  }
  std::string message;
  for (std::size_t i = 0; i < order.size() && i < kMaxLines; ++i) {
    const Group& group = groups.at(order[i]);
    const std::string others = group.runs == 1 ? "" : fmt::format(", and {} more", group.runs - 1);
    message += fmt::format("{} (run {} of {}: {}{})\n", order[i], group.first + 1, sweep.runs().size(),
                           sweep.text_of(group.first), others);
  }
  if (order.size() > kMaxLines)
    message += fmt::format("flitscope sweep: and {} more mistakes\n", order.size() - kMaxLines);
  message += "flitscope sweep: nothing was run; 'exclude' under 'sweep' leaves runs out";
  throw InputError(message);
}

}  // namespace

void check_runs(const Sweep& sweep, unsigned workers) {
  const std::size_t runs = sweep.runs().size();
  const std::size_t chunk = std::max<std::size_t>(1, runs / (workers * kChunksPerWorker));
  const std::size_t chunks = (runs + chunk - 1) / chunk;
  std::map<std::size_t, std::string> objections;
  const auto check_chunk = [&](std::size_t index) {
    Json found = Json::array();
    for (std::size_t run = index * chunk; run < std::min(runs, (index + 1) * chunk); ++run) {
      if (sweep.runs()[run].repeat > 1) continue;  // as the first
      if (const auto text = objection_to(sweep.config(sweep.runs()[run])); !text.empty()) {
        found.push_back({run, text});
      }
    }
    return found.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const auto take = [&](std::size_t index, const JobEnd& end) {
    if (end.how != JobEnd::How::answered) {
      throw std::runtime_error(fmt::format("the check of runs {} to {} ended with signal or exit code {}",
                                           index * chunk + 1, std::min(runs, (index + 1) * chunk), end.code));
    }
    for (const Json& entry : Json::parse(end.answer)) {
      objections[entry.at(0).get<std::size_t>()] = entry.at(1).get<std::string>();
    }
  };
  WorkerPool pool(workers, {});
  pool.run(chunks, check_chunk, take);
  if (!objections.empty()) refuse(sweep, objections);
}

}  // namespace flitscope
