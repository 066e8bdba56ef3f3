// What identifies a run of a sweep.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "sim/config/config.h"

namespace flitscope {

/// Length of a run's name.
inline constexpr std::size_t kRunIdDigits = 12;

/// Derives the names of runs from what they do. Remembers schedule files it has read.
class RunIds {
 public:
  /// Twelve hexadecimal digits of the SHA-1 of the resolved configuration. The experiment's name does not
  /// count; of a schedule file, and of the files of traffic, the content counts and not the place. Throws
  /// Inadmissible if a schedule file cannot be read.
  [[nodiscard]] std::string id_of(const ExperimentConfig& config);

 private:
  const std::string& digest_of(const std::filesystem::path& file);
  void take_files_of(TrafficConfig& traffic);

  std::map<std::filesystem::path, std::string> digests_;
};

}  // namespace flitscope
