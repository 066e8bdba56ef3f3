// The files a run leaves behind.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/run/result.h"

namespace flitscope {

/// A directory that appears only when it is complete: files go into a directory of another name beside it,
/// which commit() renames. If the program ends before, nothing has the final name.
class RunDirectory {
 public:
  /// Throws OutputError if `directory` exists and is not an empty directory, or the other one cannot be made.
  explicit RunDirectory(const std::filesystem::path& directory);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  /// Where to write a file of that name until commit().
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return temporary_ / name; }

  /// The directory as it is called until commit().
  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }

  /// config.yaml, result.json, steps.csv, channels.csv, and deadlock.svg of a deadlock; of a complete network
  /// ports.csv and receptions.csv instead of channels.csv. Throws OutputError.
  void write(const RunResult& result) const;
  /// Gives the directory its name. Throws OutputError.
  void commit();

 private:
  void remove_traces() const;

  std::filesystem::path final_;
  std::filesystem::path temporary_;
  /// Directories above, innermost first, that were not there.
  std::vector<std::filesystem::path> made_above_;
  bool committed_ = false;
};

}  // namespace flitscope
