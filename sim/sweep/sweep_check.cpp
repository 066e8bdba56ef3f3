// Before anything runs: whether every run of a sweep is admissible.
#include <fmt/format.h>

#include <exception>
#include <map>
#include <memory>
#include <utility>

#include "model/error.h"
#include "sim/formats/circuit_schedule_file.h"
#include "sim/formats/schedule_file.h"
#include "sim/formats/schedule_lines.h"
#include "sim/formats/strict_json.h"
#include "sim/host/processes.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"
#include "sim/sweep/sweep.h"

namespace flitscope {

namespace {

/// Chunks of runs for each worker: enough for an even load, few enough for cheap processes.
constexpr std::size_t kChunksPerWorker = 8;
constexpr std::size_t kMaxLines = 20;

/// The header and the first step of a schedule file, or the error of reading it. Nothing of a recording: its
/// schedule depends on the machine.
struct Beginning {
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<CircuitScheduleFile> circuits;
  Step first_step;
  bool has_step = false;
  std::exception_ptr error;
};

using Beginnings = std::map<SweptSchedule, Beginning>;

Beginning read_beginning(const SweptSchedule& schedule, const std::optional<Topology>& network) {
  WorkloadConfig workload;
  workload.schedule_file = schedule.file;
  workload.schedule_digest = schedule.digest;
  Beginning beginning;
  try {
    auto stream = open_schedule(workload);
    if (!has_links(schedule.kind)) {
      beginning.circuits = std::make_unique<CircuitScheduleFile>(std::move(stream), schedule.file.string());
    } else if (stream->peek() != '[') {
      beginning.file = std::make_unique<ScheduleFile>(std::move(stream), schedule.file.string(), network,
                                                      schedule.classes);
      beginning.has_step = beginning.file->next(beginning.first_step);
    }
  } catch (const std::exception&) {
    beginning.error = std::current_exception();
  }
  return beginning;
}

/// Gives the first step of a file that has been read.
class FirstStep final : public Schedule {
 public:
  explicit FirstStep(const Beginning& beginning) : beginning_(beginning) {}

  [[nodiscard]] const ScheduleFacts& facts() const override { return beginning_.file->facts(); }
  [[nodiscard]] bool next(Step& step) override {
    step = beginning_.first_step;
    return beginning_.has_step;
  }

 private:
  const Beginning& beginning_;
};

/// The beginning of the run's schedule file; nullptr if an algorithm makes its schedule. Throws the error of
/// reading the file.
const Beginning* beginning_of(const ExperimentConfig& config, const Beginnings& beginnings) {
  if (config.workload.schedule_file.empty()) return nullptr;
  const Beginning& beginning = beginnings.at(swept_schedule(config));
  if (beginning.error) std::rethrow_exception(beginning.error);
  return &beginning;
}

void require_admissible(ExperimentConfig& config, const Beginnings& beginnings) {
  const Beginning* const read = beginning_of(config, beginnings);
  if (!config.topology.has_links()) {
    const auto made = read == nullptr ? make_circuit_schedule(config) : nullptr;
    const CircuitFacts& facts = read == nullptr ? made->facts() : read->circuits->facts();
    require_fitting(config, facts);
    return;
  }
  if (config.workload.has_traffic()) {
    static_cast<void>(make_traffic_patterns(config));
    return resolve_auto_settings(config, traffic_facts(config));
  }
  const bool has_file = read != nullptr && read->file != nullptr;
  std::unique_ptr<Schedule> made = !has_file || config.workload.advance == Advance::table
                                       ? make_schedule(config)
                                       : with_data(std::make_unique<FirstStep>(*read), config.workload.data);
  resolve_auto_settings(config, made->facts());
  CheckedSchedule schedule(std::move(made), config.topology, machine_of_messages(config));
  Step step;
  static_cast<void>(schedule.next(step));
}

/// The error of a run that is not admissible; empty if it is.
std::string objection_to(ExperimentConfig config, const Beginnings& beginnings) {
  try {
    with_places(config, [&] { require_admissible(config, beginnings); });
    return {};
  } catch (const InputError& error) {
    return error.what();
  } catch (const ScheduleError& error) {
    return config.workload.schedule_file.empty() ? fmt::format("{}: {}", config.file, error.what())
                                                 : error.what();
  }
}

/// Runs with the same objection.
struct SameObjection {
  std::size_t first = 0;
  std::size_t runs = 0;
};

[[noreturn]] void refuse(const Sweep& sweep, const std::map<std::size_t, std::string>& failed_checks) {
  std::vector<std::string> order;
  std::map<std::string, SameObjection> groups;
  for (const auto& [run, text] : failed_checks) {
    const auto [group, is_new] = groups.try_emplace(text, SameObjection{run, 0});
    if (is_new) order.push_back(text);
    ++group->second.runs;
  }
  std::string message;
  for (std::size_t i = 0; i < order.size() && i < kMaxLines; ++i) {
    const SameObjection& group = groups.at(order[i]);
    const std::string others = group.runs == 1 ? "" : fmt::format(", and {} more", group.runs - 1);
    message += fmt::format("{} (run {} of {}: {}{})\n", order[i], group.first + 1, sweep.runs().size(),
                           sweep.text_of(group.first), others);
  }
  if (order.size() > kMaxLines)
    message += fmt::format("flitscope sweep: and {} more diagnostics\n", order.size() - kMaxLines);
  message += "flitscope sweep: nothing was run; 'exclude' under 'sweep' leaves runs out";
  throw InputError(message);
}

}  // namespace

void check_runs(const Sweep& sweep, unsigned workers, const std::function<void(std::size_t)>& on_progress) {
  const std::size_t runs = sweep.runs().size();
  const std::size_t chunk = std::max<std::size_t>(1, runs / (workers * kChunksPerWorker));
  const std::size_t chunks = (runs + chunk - 1) / chunk;
  // Read before any worker is started, so that all workers have it.
  Beginnings beginnings;
  for (const auto& [each, network] : sweep.schedule_files()) {
    beginnings.emplace(each, read_beginning(each, network));
  }
  std::map<std::size_t, std::string> failed_checks;
  std::size_t checked = 0;
  const auto check_chunk = [&](std::size_t index) {
    Json found = Json::array();
    for (std::size_t run = index * chunk; run < std::min(runs, (index + 1) * chunk); ++run) {
      if (sweep.runs()[run].repeat > 1) continue;  // same as the first repeat
      if (const auto text = objection_to(sweep.config(sweep.runs()[run]), beginnings); !text.empty()) {
        found.push_back({run, text});
      }
    }
    return dumped_line(found);
  };
  const auto take = [&](std::size_t index, const JobEnd& end) {
    if (end.how != JobEnd::How::answered) {
      throw std::runtime_error(fmt::format("the check of runs {} to {} ended with signal or exit code {}",
                                           index * chunk + 1, std::min(runs, (index + 1) * chunk), end.code));
    }
    for (const Json& entry : Json::parse(end.answer)) {
      failed_checks[entry.at(0).get<std::size_t>()] = entry.at(1).get<std::string>();
    }
    on_progress(checked = std::min(runs, checked + chunk));
  };
  WorkerPool pool(workers, {});
  pool.run(chunks, check_chunk, take);
  if (!failed_checks.empty()) refuse(sweep, failed_checks);
}

}  // namespace flitscope
