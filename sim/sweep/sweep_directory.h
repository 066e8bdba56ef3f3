// The directory of a sweep, and the jobs in it: runs handed to other machines, which share this directory and
// nothing else.
//   results.sqlite   the store; -wal and -shm beside it while it is in use
//   results.csv      the same table as text, written at the end
//   sweep.lock       held by the process that works on the sweep
//   incoming/        a file for each result of another machine, ID.json, that is not in the store yet
//   jobs/N/          a job:
//     job.json       {"version", "name", "runs", "runs_per_task", "run_milliseconds", "run_memory_bytes"}
//     runs.jsonl     a line for each run: {"labels": {...}, "config": the configuration as text, "schedule":
//     N} N.jsonl        copies of schedule files, which may lie where other machines do not look
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/formats/strict_json.h"
#include "sim/sweep/store.h"
#include "sim/sweep/sweep.h"

namespace flitscope {

class SweepDirectory {
 public:
  /// Makes the directory if it is not there, and locks it while this object and its process exist.
  /// Throws OutputError if that fails, or another process has the lock.
  explicit SweepDirectory(const std::filesystem::path& directory);
  ~SweepDirectory();
  SweepDirectory(const SweepDirectory&) = delete;
  SweepDirectory& operator=(const SweepDirectory&) = delete;

  /// Absolute.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path store() const { return store_in(path_); }
  [[nodiscard]] std::filesystem::path csv() const { return path_ / "results.csv"; }
  [[nodiscard]] std::filesystem::path jobs() const { return path_ / "jobs"; }
  [[nodiscard]] std::filesystem::path incoming() const { return path_ / "incoming"; }

  /// The store of a directory, which need not be locked.
  [[nodiscard]] static std::filesystem::path store_in(const std::filesystem::path& directory) {
    return directory / "results.sqlite";
  }
  /// True if a sweep has begun there.
  [[nodiscard]] static bool is_one(const std::filesystem::path& directory) {
    return std::filesystem::exists(directory / kLock) || std::filesystem::exists(store_in(directory));
  }

 private:
  static constexpr const char* kLock = "sweep.lock";

  std::filesystem::path path_;
  int lock_ = -1;
};

/// Makes a directory with those above it. Throws OutputError.
void make_directories(const std::filesystem::path& directory);

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

/// Does those of the runs `first` to `first + count - 1` of a job, counted from 0, that have no result yet,
/// `workers` at once. Throws InputError for a run that the job does not have or that is damaged.
void work_on(const Job& job, std::uint64_t first, std::uint64_t count, unsigned workers);

/// The results in incoming/.
struct Collected {
  std::vector<RunRecord> records;
  /// Messages about files that hold no result, with their new names: NAME.json.refused.
  std::vector<std::string> refused;
};

/// Moves the results in incoming/ into the store. A file without a result stays there under another name.
Collected collect(const SweepDirectory& directory, Store& store);

/// Removes the jobs of a complete sweep and incoming/, but for files that were refused.
void remove_jobs(const SweepDirectory& directory);

/// {"kind": "sweep", "columns": [..], "rows": [[..], ..], "swept": [[key, ..], ..]}: every run with what was
/// swept and its numbers. Lists and objects are left out. Throws InputError if the directory has no
/// results.
[[nodiscard]] Json sweep_page_data(const std::filesystem::path& directory);

}  // namespace flitscope
