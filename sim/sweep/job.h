// Runs handed to other machines. Those who hand them over and those who do them share one directory, nothing
// else: a job is a directory jobs/N of the sweep's with
//   job.json     {"version", "name", "runs", "runs_per_task", "run_milliseconds", "run_memory_bytes"}
//   runs.jsonl   a line for each run: {"labels": {...}, "config": the configuration as text, "schedule": N}
//   N.jsonl      copies of schedule files, which may lie where other machines do not look
// and each result appears, whole, as incoming/ID.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/store.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_directory.h"

namespace flitscope {

struct Job {
  /// jobs/N.
  std::filesystem::path directory;
  /// Unique: the name under which a cluster knows it.
  std::string name;
  std::uint64_t runs = 0;
  std::uint64_t runs_per_task = 1;
  RunLimits limits;

  [[nodiscard]] std::uint64_t tasks() const { return (runs + runs_per_task - 1) / runs_per_task; }
};

/// Writes a job of the runs with these positions. Throws OutputError.
[[nodiscard]] Job write_job(const SweepDirectory& directory, const Sweep& sweep,
                            const std::vector<std::size_t>& runs, std::uint64_t runs_per_task);

/// Throws InputError if the directory holds none, a damaged one, or one that another version of flitscope
/// wrote.
[[nodiscard]] Job read_job(const std::filesystem::path& directory);

/// The jobs of a sweep, oldest first.
[[nodiscard]] std::vector<Job> jobs_of(const SweepDirectory& directory);

/// Does runs `first` to `first + count - 1` of a job, counted from 0, as far as there are and their results
/// are not there, `workers` at once. Throws InputError for a run the job does not have or has not whole.
void work_on(const Job& job, std::uint64_t first, std::uint64_t count, unsigned workers);

/// What has come in.
struct Collected {
  std::vector<RunRecord> records;
  /// Files that hold no result, under the name they have got: NAME.json.refused.
  std::vector<std::filesystem::path> refused;
};

/// Moves what has come in into the store. What is no result stays where it is under another name, so that
/// somebody can look at it and nobody takes it again.
Collected collect(const SweepDirectory& directory, Store& store);
/// A line that says so of one file.
[[nodiscard]] std::string refusal_of(const std::filesystem::path& file);

/// Removes jobs and what has come in, but for what was left aside. For a sweep that is complete.
void remove_jobs(const SweepDirectory& directory);

}  // namespace flitscope
