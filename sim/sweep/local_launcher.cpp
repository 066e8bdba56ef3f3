// The cores of this machine, and commands for other ones.
#include <fmt/format.h>

#include "sim/sweep/job.h"
#include "sim/sweep/launcher.h"
#include "sim/sweep/worker_pool.h"

namespace flitscope {

using Json = nlohmann::ordered_json;

std::vector<std::size_t> Launch::missing() const {
  const auto done = store.done();
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < sweep.runs().size(); ++i) {
    if (!done.contains(sweep.runs()[i].id)) missing.push_back(i);
  }
  return missing;
}

bool launch_locally(const Launch& launch, unsigned workers) {
  const Sweep& sweep = launch.sweep;
  const RunLimits& limits = sweep.settings().run;
  const auto runs = launch.missing();
  WorkerPool pool(workers, limits);
  return pool.run(
      runs.size(),
      [&](std::size_t i) {
        const RunRecord record = run_to_record(sweep.labels(runs[i]), sweep.config(sweep.runs()[runs[i]]));
        return record.dump(-1, ' ', false, Json::error_handler_t::replace);
      },
      [&](std::size_t i, const JobEnd& end) {
        const RunRecord record = end.how == JobEnd::How::answered
                                     ? Json::parse(end.answer)
                                     : record_of_end(sweep.labels(runs[i]), end, limits);
        launch.store.put(record);
        launch.on_record(record);
      },
      launch.keep_going);
}

std::vector<std::string> commands_for(const Launch& launch) {
  const auto runs = launch.missing();
  if (runs.empty()) return {};
  const Job job = write_job(launch.directory, launch.sweep, runs, 1);
  std::vector<std::string> commands;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    commands.push_back(fmt::format("{} work {} --task {}", shell_word(this_program()),
                                   shell_word(job.directory.string()), i));
  }
  return commands;
}

}  // namespace flitscope
