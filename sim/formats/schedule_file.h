// Schedules as files: JSON Lines, a header and then one message a line.
//
// Header: "flitscope": "schedule", "version": 1 or 2, "topology": {"kind", "shape", "directions"}, "ports":
// {"send", "receive"}, "routing", "algorithm", "steps", "messages", "chunks": [bytes, ...], "initial":
// [[node, [chunk, ...]], ...], "goal": likewise or "everyone-has-everything"; in version 2 "operands":
// likewise, who has an operand of which chunks; if known, "claimed_steps", "lower_bound_steps",
// "claimed_channel_load", "stages":
// [{"name", "first_step", "last_step"}, ...]. A node is its coordinates.
//
// Message: "step" (from 1, not falling), "src", "dst", "path": [[dimension, 1 or -1, hops], ...], "chunks":
// [...]. "reduce": [...] are chunks that are combined with what the receiver has. "control": BYTES is data
// that belongs to no chunk; then "chunks" may be absent, likewise beside "reduce". "first_dimension" is there
// if the path starts, by its order and virtual channels, in another dimension than the path shows: messages
// of dimension-order routing start in 0, others in their first leg's. In version 2 "id": N, from 1, is a name
// by which later lines can wait for the message: "after": [ids] until it is delivered, "behind": [ids] until
// it is handed over, and "wait": CYCLES more; an element [id, cycles] has cycles of its own on top; id 0 is
// the beginning. "kind": K, from 1, has the receiver count the message; "arrived": [[K, n]] waits until n of
// kind K have arrived at the sender. "class" is one of the header's "classes". "replies": {...} is the next
// message, back from dst to src. Blank lines are skipped.
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
