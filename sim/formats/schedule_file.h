// Schedules as files: JSON Lines, a header and then one message a line (docs/schedules.md). A node is its
// coordinates.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/machine.h"
#include "model/schedule.h"
#include "sim/formats/schedule_lines.h"

namespace flitscope {

/// Takes all steps of `schedule` (which is used up by that) and writes them. Reading the file back gives the
/// same messages in the same order, with the same paths and virtual channels, and so the identical run.
/// Throws OutputError if the stream fails, and ScheduleError for a message that a file cannot express (no
/// such node, no path to it) or if steps or messages are not as many as announced.
void write_schedule(Schedule& schedule, std::ostream& out);

/// The schedule a file holds. It is read step by step, so a long file costs the memory of one step.
///
/// Errors are InputError, "file:line: ..." or, where the line is not JSON, "file:line:column: ...": those of
/// the header when it is opened, those of a message at the latest when its step is read. A file in order can
/// still hold an illegal schedule (see check_schedule).
class ScheduleFile final : public Schedule {
 public:
  /// Where paths of a network begin unless their lines say otherwise.
  struct FirstDimension {
    std::optional<unsigned> dimension;  ///< nothing: in that of their first leg
    std::optional<unsigned> network;    ///< of several
  };

  /// Reads a stream that error messages call `name`. `known` is the network it is for: a file names a graph
  /// by its digest alone, and a torus or mesh as if nothing of it were missing and there were one network.
  /// `classes` are those of the machine, each with the network whose messages it has.
  ScheduleFile(std::unique_ptr<std::istream> stream, const std::string& name,
               const std::optional<Topology>& known = {}, std::span<const MessageClass> classes = {});

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override;

 private:
  /// Reads a line into `ahead_`, or nothing at the end of the file, and its step.
  void read_ahead();
  void count_message(const JsonValue& line);
  /// Adds the message of a line, and its reply.
  void add_message(const JsonValue& line, Step& step);
  /// What a message carries, and its path from its source to its destination.
  void add_contents(const JsonValue& line, NodeId source, NodeId destination, Step& step) const;
  /// The number of the line's message class, from 1; 0 if it has none, or one that the header does not list.
  [[nodiscard]] std::uint32_t class_of(const JsonValue& line) const;
  /// Kind, class and id of the last message. It can be waited for if it has an id, or `is_awaited`.
  void add_names(const JsonValue& line, bool is_awaited, Step& step);
  /// What the last message waits for.
  void add_waits(const JsonValue& line, Step& step) const;
  /// An element of "after" or "behind", `wait` cycles after it.
  [[nodiscard]] Dependency read_dependency(const JsonValue& value, std::uint64_t wait) const;
  /// Likewise of "arrived".
  [[nodiscard]] static Dependency read_arrived(const JsonValue& value, std::uint64_t wait);

  ScheduleLines lines_;
  ScheduleFacts facts_;
  std::vector<FirstDimension> first_dimensions_;  ///< by class_of()
  std::uint64_t steps_given_ = 0;
  std::uint64_t messages_read_ = 0;
  std::uint64_t empty_steps_ = 0;        ///< between messages read so far
  std::optional<nlohmann::json> ahead_;  ///< the next line
  std::uint64_t ahead_step_ = 0;         ///< its step
  /// message_id() by the id in the file.
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;
};

}  // namespace flitscope
