// A schedule file as text: its lines, a header and then one JSON object each (blank lines are skipped), the
// lines of messages, and its digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

/// Reads one line after the other, so that a long file costs the memory of one. Errors are InputError.
class ScheduleLines {
 public:
  /// Reads the first line of a stream, which error messages call `name`. Throws if it cannot be read or does
  /// not look like a schedule.
  ScheduleLines(std::unique_ptr<std::istream> stream, const std::string& name);

  [[nodiscard]] const nlohmann::json& header() const { return header_; }
  /// The next line, or nothing at the end of the file.
  [[nodiscard]] std::optional<nlohmann::json> next();
  /// The place of the line read last.
  [[nodiscard]] const SourceLocation& place() const { return place_; }

 private:
  [[nodiscard]] bool read_line();
  /// Throws InputError if this process may not have the memory to read the line.
  void require_memory() const;

  std::unique_ptr<std::istream> stream_;
  SourceLocation place_;
  std::uint64_t memory_limit_;
  std::string line_;
  nlohmann::json header_;
};

/// A line of JSON Lines: without spaces; a text that is not UTF-8 gets replacement characters.
[[nodiscard]] std::string dumped_line(const Json& line);

/// The lines, counted from 1, of the messages with these names in a schedule file of either kind. It reads
/// the file once more, which errors can afford. Nothing for a message that is not found, or for all if the
/// file cannot be read a second time.
[[nodiscard]] std::vector<std::optional<std::uint64_t>> message_lines(const std::filesystem::path& file,
                                                                      std::span<const MessageName> names);

/// The SHA-256 of a stream from its present position to its end, as configurations have it: "sha256:" and 64
/// hexadecimal digits. What is read is also written to `copy`, if there is one.
[[nodiscard]] std::string schedule_digest(std::istream& stream, std::ostream* copy = nullptr);

}  // namespace flitscope
