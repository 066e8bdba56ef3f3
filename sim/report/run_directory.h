// The files of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sim/report/output_file.h"
#include "sim/run/result.h"

namespace flitscope {

/// A directory that appears only when it is complete: files go into a directory of another name beside it
/// (see PartialOutput), which commit() renames. If the program ends before, nothing has the final name.
class RunDirectory {
 public:
  /// Throws OutputError if `directory` exists and is not an empty directory, or the other one cannot be made.
  explicit RunDirectory(const std::filesystem::path& directory);

  /// Where to write a file of that name until commit().
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path() / name; }

  /// The directory until commit(), which no link can take the place of.
  [[nodiscard]] std::filesystem::path path() const { return directory_->path(); }
  /// Calls `work`, whose errors name files of the directory as they are called after commit().
  void with_names(const std::function<void()>& work) const;

  /// Takes in what the run needs beside its configuration: copies the schedule file, as schedule.jsonl, and
  /// has `config` read the copy. Of a file of more than kMaxCopied bytes only the digest is kept. Likewise
  /// the file of a graph, as network.EXTENSION, and of routes, as routes.txt, of any size. Throws InputError
  /// if a file cannot be read, OutputError if the copy cannot be written.
  void copy_inputs(ExperimentConfig& config) const;
  static constexpr std::uint64_t kMaxCopied = std::uint64_t{64} << 20;

  /// config.yaml, result.json, steps.csv and channels.csv; of a complete network ports.csv and receptions.csv
  /// instead of channels.csv. Throws OutputError.
  void write(const RunResult& result) const;
  /// Gives the directory its name. Throws OutputError.
  void commit();

 private:
  std::filesystem::path final_;
  std::optional<PartialOutput> directory_;
  std::filesystem::perms permissions_{};
};

}  // namespace flitscope
