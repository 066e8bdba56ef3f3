// The directory of a sweep.
//   results.sqlite   the store; -wal and -shm beside it while it is in use
//   results.csv      the same table as text, written at the end
//   sweep.lock       held by the process that works on the sweep
//   jobs/N/          what was handed to a cluster, see job.h
//   incoming/        results from there that are not in the store yet
#pragma once

#include <filesystem>
#include <string>

namespace flitscope {

class SweepDirectory {
 public:
  /// Makes the directory if it is not there, and locks it for as long as this object and its process live.
  /// Throws OutputError if that fails, or another process has it.
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

  /// Where a directory that nobody need lock has its store.
  [[nodiscard]] static std::filesystem::path store_in(const std::filesystem::path& directory) {
    return directory / "results.sqlite";
  }
  /// True if somebody has begun a sweep there, however far it came.
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

/// Throws InputError if the file cannot be read.
[[nodiscard]] std::string read_whole(const std::filesystem::path& file);

}  // namespace flitscope
