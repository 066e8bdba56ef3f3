// Schedules as files: JSON Lines, a header and then one message a line (docs/schedules.md). A node is its
// coordinates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

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
  explicit ScheduleFile(const std::filesystem::path& file, const std::optional<Topology>& known = {});
  /// Reads a stream that error messages call `name`. `known` is the network it is for: a file names a graph
  /// by its digest alone, and a torus or mesh as if nothing of it were missing.
  ScheduleFile(std::unique_ptr<std::istream> stream, const std::string& name,
               const std::optional<Topology>& known = {});

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override;

 private:
  ScheduleFile(ScheduleLines lines, const std::optional<Topology>& known);

  /// A message that is read; `message.route` and the chunks are in force, its place in a Step is not.
  struct Entry {
    std::uint64_t step = 0;
    Message message;
    std::vector<ChunkId> chunks;
    std::uint64_t id = 0;             ///< in the file; 0: it has none
    std::uint32_t kind = 0;           ///< see Step::kind
    std::uint32_t message_class = 0;  ///< see Step::message_class
    std::vector<Dependency> dependencies;
  };

  /// Reads one message into `ahead_`, or nothing at the end of the file.
  void read_ahead();
  [[nodiscard]] Entry read_entry(const JsonValue& line) const;
  /// "replies": the answer to the message of a line.
  [[nodiscard]] Entry read_reply(const JsonValue& reply, const Entry& request) const;
  /// What a message carries, and its path from its source to its destination.
  void read_contents(const JsonValue& line, Entry& entry) const;
  /// Its id, kind and class.
  void read_id(const JsonValue& line, Entry& entry) const;
  /// What it waits for, and its own id.
  void read_waits(const JsonValue& line, Entry& entry) const;
  /// An element of "after" or "behind", `wait` cycles after it.
  [[nodiscard]] Dependency read_dependency(const JsonValue& value, std::uint64_t wait) const;
  /// Likewise of "arrived".
  [[nodiscard]] static Dependency read_arrived(const JsonValue& value, std::uint64_t wait);

  ScheduleLines lines_;
  ScheduleFacts facts_;
  /// Where messages start unless their line says otherwise; nothing: in their first leg's dimension.
  std::optional<unsigned> first_dimension_;
  std::uint64_t steps_given_ = 0;
  std::uint64_t messages_read_ = 0;
  std::uint64_t empty_steps_ = 0;  ///< between messages read so far
  std::optional<Entry> ahead_;
  std::optional<Entry> reply_;     ///< to that message
  std::uint64_t ahead_index_ = 0;  ///< of that message in its step
  /// message_id() by the id in the file.
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;
};

}  // namespace flitscope
