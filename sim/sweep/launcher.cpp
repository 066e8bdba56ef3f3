#include "sim/sweep/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <thread>

#include "model/error.h"
#include "model/text.h"
#include "sim/formats/schedule_lines.h"
#include "sim/host/processes.h"
#include "sim/report/output_file.h"

namespace flitscope {

namespace {

/// The output of a program of Slurm, without line feeds at its end; exit code 127: there is no such program.
CommandOutput run_slurm(const std::vector<std::string>& words) {
  CommandOutput output = run_command(words, CommandErrors::in_text);
  if (output.failure == ENOENT) output.exit_code = 127;
  if (output.failure != 0 && output.failure != ENOENT) {
    throw std::runtime_error(
        fmt::format("{} cannot be started: {}", words[0], std::strerror(output.failure)));
  }
  boost::algorithm::trim_right_if(output.text, boost::algorithm::is_any_of("\n"));
  return output;
}

/// The path of this program's file.
std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

/// A word for a POSIX shell.
std::string shell_word(const std::string& text) {
  constexpr const char* kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:@,%";
  if (!text.empty() && text.find_first_not_of(kHarmless) == std::string::npos) return text;
  return "'" + boost::algorithm::replace_all_copy(text, "'", "'\\''") + "'";
}

/// A path within a file name pattern of Slurm, where % begins a replacement.
std::string pattern_word(const std::string& path) {
  return boost::algorithm::replace_all_copy(path, "%", "%%");
}

}  // namespace

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
        return dumped_line(run_to_record(sweep.labels(runs[i]), sweep.config(sweep.runs()[runs[i]])));
      },
      [&](std::size_t i, const JobEnd& end) {
        const RunRecord record = end.how == JobEnd::How::answered
                                     ? RunRecord::parse(end.answer)
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

namespace {

using Clock = std::chrono::steady_clock;

/// A Slurm whose administrator changed nothing takes arrays of up to 1001 tasks.
constexpr std::uint64_t kMaxArray = 1000;
constexpr std::chrono::milliseconds kTick{100};
/// How much later than a job's end a directory of another machine may show the job's last files.
constexpr std::chrono::seconds kGrace{3};

class SlurmLauncher {
 public:
  explicit SlurmLauncher(const Launch& launch) : launch_(launch), slurm_(launch.sweep.settings().slurm) {}

  bool run(bool detach) {
    for (const Job& job : jobs_of(launch_.directory)) {
      const auto state = state_of(job);
      if (!state) continue;
      if (detach) {
        note(fmt::format("job {} of {} is still under way ({})", job.directory.filename().string(),
                         counted(job.runs, "run"), *state));
        return true;
      }
      note(fmt::format("waiting for job {} of {}", job.directory.filename().string(),
                       counted(job.runs, "run")));
      if (!wait_for(job)) return false;
    }
    std::uint64_t runs_per_task = 0;
    for (auto runs = launch_.missing(); !runs.empty();) {
      const std::size_t before = runs.size();
      if (runs_per_task == 0) runs_per_task = wanted_runs_per_task(before);
      const Job job = write_job(launch_.directory, launch_.sweep, runs, runs_per_task);
      submit(job);
      if (detach) return true;
      if (!wait_for(job)) return false;
      runs = launch_.missing();
      if (runs.size() < before) continue;
      if (runs_per_task == 1) {
        give_up(runs, job);
        return true;
      }
      runs_per_task = 1;
    }
    return true;
  }

 private:
  [[nodiscard]] std::uint64_t wanted_runs_per_task(std::size_t runs) const {
    return slurm_.runs_per_task > 0 ? slurm_.runs_per_task : (runs + kMaxArray - 1) / kMaxArray;
  }

  void note(const std::string& text) const { launch_.on_note(text); }

  void submit(const Job& job) const {
    const std::string program = slurm_.program.empty() ? this_program() : slurm_.program;
    const std::filesystem::path script = job.directory / "task.sh";
    write_file(script,
               fmt::format("#!/bin/sh\nexec {} work {} --task \"$SLURM_ARRAY_TASK_ID\"\n",
                           shell_word(program), shell_word(job.directory.string())),
               Existing::replace);
    std::vector<std::string> words{"sbatch", "--parsable", "--job-name=" + job.name, "--cpus-per-task=1"};
    words.push_back(fmt::format("--array=0-{}{}", job.tasks() - 1,
                                slurm_.at_once > 0 ? fmt::format("%{}", slurm_.at_once) : ""));
    words.push_back("--output=" + pattern_word(job.directory.string()) + "/task-%a.log");
    words.push_back("--chdir=" + job.directory.string());
    if (!slurm_.partition.empty()) words.push_back("--partition=" + slurm_.partition);
    if (const auto time = task_seconds(job))
      words.push_back(fmt::format("--time={}:{:02}", *time / 60, *time % 60));
    if (const auto memory = task_mebibytes(job)) words.push_back(fmt::format("--mem={}M", *memory));
    words.push_back(script.string());
    const CommandOutput output = run_slurm(words);
    if (output.exit_code == 127)
      throw InputError("flitscope sweep: there is no sbatch here; is Slurm installed?");
    if (output.exit_code != 0) throw InputError("flitscope sweep: Slurm refuses the job: " + output.text);
    note(fmt::format("job {} handed to Slurm as {}: {} in {}", job.directory.filename().string(), output.text,
                     counted(job.runs, "run"), counted(job.tasks(), "task")));
  }

  /// The limits of a task: those of its runs together, and a minute or 64 MiB for its start.
  [[nodiscard]] std::optional<std::uint64_t> task_seconds(const Job& job) const {
    if (slurm_.task_milliseconds > 0) return (slurm_.task_milliseconds + 999) / 1000;
    if (job.limits.milliseconds == 0) return std::nullopt;
    return (job.limits.milliseconds * job.runs_per_task + 999) / 1000 + 60;
  }
  [[nodiscard]] std::optional<std::uint64_t> task_mebibytes(const Job& job) const {
    constexpr std::uint64_t kMebibyte = 1 << 20;
    if (slurm_.task_memory_bytes > 0) return (slurm_.task_memory_bytes + kMebibyte - 1) / kMebibyte;
    if (job.limits.memory_bytes == 0) return std::nullopt;
    return (job.limits.memory_bytes + kMebibyte - 1) / kMebibyte + 64;
  }

  /// "RUNNING", "PENDING" and so on; nothing if Slurm has no such job any more.
  static std::optional<std::string> state_of(const Job& job) {
    const CommandOutput output = run_slurm({"squeue", "--noheader", "--name=" + job.name, "--format=%T"});
    if (output.exit_code == 127)
      throw InputError("flitscope sweep: there is no squeue here; is Slurm installed?");
    if (output.exit_code != 0) return "unknown: " + output.text;  // the controller may answer again later
    if (output.text.empty()) return std::nullopt;
    return output.text.substr(0, output.text.find('\n'));
  }

  void collect_results() const {
    const Collected collected = collect(launch_.directory, launch_.store);
    for (const std::string& refusal : collected.refused) note(refusal);
    for (const RunRecord& record : collected.records) launch_.on_record(record);
  }

  /// Waits until the job has ended and its results are in the store. False if keep_going ended it.
  [[nodiscard]] bool wait_for(const Job& job) const {
    const auto start = Clock::now();
    std::optional<Clock::time_point> ended;
    while (!ended || Clock::now() < *ended + kGrace) {
      collect_results();
      if (ended && launch_.missing().empty()) return true;
      if (!ended && !state_of(job)) {
        ended = Clock::now();
        continue;
      }
      // Polls are rarer the longer the job takes: the controller serves other users too.
      const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
      const auto pause = std::min<std::chrono::milliseconds>(std::chrono::seconds(15),
                                                             std::chrono::milliseconds(300) + elapsed / 20);
      for (std::chrono::milliseconds slept{0}; slept < pause; slept += kTick) {
        if (!launch_.keep_going()) return false;
        std::this_thread::sleep_for(kTick);
      }
    }
    return true;
  }

  void give_up(const std::vector<std::size_t>& runs, const Job& job) const {
    for (const std::size_t run : runs) {
      RunRecord record = record_of_end(launch_.sweep.labels(run), {JobEnd::How::signalled, {}, 9}, {});
      record["error"] = "its task ended before it; see the logs in " + job.directory.string();
      launch_.store.put(record);
      launch_.on_record(record);
    }
  }

  const Launch& launch_;
  const SlurmSettings& slurm_;
};

}  // namespace

bool launch_on_slurm(const Launch& launch, bool detach) {
  return SlurmLauncher(launch).run(detach);
}

}  // namespace flitscope
