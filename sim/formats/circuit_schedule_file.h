// Schedules for complete networks as files: JSON Lines, as in schedule_file.h, with other lines
// (docs/complete-networks.md). A node is its number.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "model/circuit_schedule.h"
#include "sim/formats/schedule_lines.h"

namespace flitscope {

/// Takes all events of `schedule` (which is used up by that) and writes them. Reading the file back gives
/// the same events, and so the identical run. Throws OutputError if the stream fails, and ScheduleError for
/// an event that a file cannot express (no such node) or if steps, messages or tunings are not as many as
/// announced.
void write_schedule(CircuitSchedule& schedule, std::ostream& out);

/// The event schedule a file holds, read event by event. Errors are InputError, as of ScheduleFile. A file
/// in order can still hold an illegal schedule (see check_events).
class CircuitScheduleFile final : public CircuitSchedule {
 public:
  /// Reads a stream that error messages call `name`.
  CircuitScheduleFile(std::unique_ptr<std::istream> stream, const std::string& name);

  [[nodiscard]] const CircuitFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(CircuitEvent& event) override;

 private:
  void read_circuits();
  /// Reads a line into `ahead_`, or nothing at the end of the file, and the start of its event.
  void read_ahead();
  [[nodiscard]] Circuit read_circuit(const JsonValue& from, const char* node, const char* target) const;
  void add_message(const JsonValue& line, CircuitEvent& event);

  ScheduleLines lines_;
  CircuitFacts facts_;
  std::uint64_t tunings_read_ = 0;
  std::uint64_t messages_read_ = 0;
  std::uint64_t steps_read_ = 0;
  std::optional<std::uint64_t> last_send_;
  std::optional<nlohmann::json> ahead_;  ///< the next line
  bool is_tuning_ = false;               ///< so is it
  std::uint64_t ahead_start_ = 0;
};

}  // namespace flitscope
