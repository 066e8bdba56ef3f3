// The lines of a schedule file: a header, then one JSON object each. Blank lines are skipped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/formats/strict_json.h"

namespace flitscope {

/// Opens a schedule file. Throws InputError if it is a directory or cannot be opened.
[[nodiscard]] std::unique_ptr<std::istream> open_schedule(const std::filesystem::path& file);

/// Reads one line after the other, so that a long file costs the memory of one. Errors are InputError.
class ScheduleLines {
 public:
  /// Reads the first line. Throws if the file cannot be read or does not look like a schedule.
  explicit ScheduleLines(const std::filesystem::path& file);
  /// Reads a stream that error messages call `name`.
  ScheduleLines(std::unique_ptr<std::istream> stream, const std::string& name);

  [[nodiscard]] const nlohmann::json& header() const { return header_; }
  /// The next line, or nothing at the end of the file.
  [[nodiscard]] std::optional<nlohmann::json> next();
  /// Where the line read last stands.
  [[nodiscard]] const LinePlace& place() const { return place_; }

 private:
  [[nodiscard]] bool read_line();
  /// Throws InputError if this process may not have the memory to read the line.
  void require_memory() const;

  std::unique_ptr<std::istream> stream_;
  LinePlace place_;
  std::uint64_t memory_limit_;
  std::string line_;
  nlohmann::json header_;
};

/// A line of a schedule file: without spaces; a text that is not UTF-8 gets replacement characters.
[[nodiscard]] std::string dumped_line(const nlohmann::ordered_json& line);

}  // namespace flitscope
