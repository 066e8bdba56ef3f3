// Recordings of a chip's network: the calls of its processors, their barriers and kernels, with the cycles in
// which the chip had them; and the schedule that replays one. docs/formats.md, "Recordings of a chip".
#pragma once

#include <compare>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "model/schedule.h"

namespace flitscope {

/// A place on a chip, counted from the upper left.
struct ChipPlace {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  auto operator<=>(const ChipPlace&) const = default;
};

/// A processor of a tile, on one of the networks. On both it is one processor with one sequence of calls and
/// barriers: see events_of_processors().
struct ChipProcessor {
  ChipPlace tile;
  std::string name;
  std::uint32_t network = 0;
  auto operator<=>(const ChipProcessor&) const = default;
  /// "BRISC of 1, 2"
  [[nodiscard]] std::string text() const;
};

/// A transfer that a processor starts. Of a read the data comes from `other`, of a write it goes there.
struct RecordedCall {
  std::uint64_t cycle = 0;
  ChipProcessor processor;
  bool reads = false;
  ChipPlace other;
  std::uint64_t bytes = 0;
  std::size_t place = 0;  ///< of its event in the file, from 1
};

/// A processor waits for the answers of its calls of one kind: all since its last barrier of that kind.
struct RecordedBarrier {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  ChipProcessor processor;
  bool reads = false;
};

/// Cycles count from the first event. Calls and barriers are sorted by their cycles, barriers by their ends.
struct Recording {
  std::string file;
  std::vector<RecordedCall> calls;
  std::vector<RecordedBarrier> barriers;
};

/// Reads a list of events in JSON. Throws InputError, with the number of the event, for what it does not
/// understand or cannot replay.
[[nodiscard]] Recording read_recording(const std::string& text, const std::string& file);
/// Whether a text begins as a list of events. It is read up to there.
[[nodiscard]] bool is_recording(std::istream& text);

/// By call: the place of the barrier that waits for it in Recording::barriers; nothing if none does.
[[nodiscard]] std::vector<std::optional<std::size_t>> barriers_of_calls(const Recording& recording);

/// A call of a processor, or one of its barriers.
struct ProcessorEvent {
  std::size_t processor = 0;  ///< a number for each tile and name, whatever the network
  bool is_barrier = false;
  std::size_t place = 0;        ///< in Recording::calls, or in Recording::barriers
  std::uint64_t computing = 0;  ///< cycles between it and the event before it of its processor
  std::uint64_t length = 0;     ///< of a barrier
};

/// All calls and barriers, in the order of the cycles of calls and of the ends of barriers; a barrier that
/// ends in the cycle of a call, and has begun before, is before the call.
[[nodiscard]] std::vector<ProcessorEvent> events_of_processors(const Recording& recording);

/// How a recording is replayed.
struct ReplayPlan {
  /// A call follows the one before it of its processor, the barriers since and the computing between them;
  /// otherwise it is made in its recorded cycle.
  bool is_relative = false;
  /// Least length of a barrier that waits for replies, in a relative replay.
  std::uint64_t empty_barrier = 0;
};

/// The packets of all calls on a torus: requests and replies, of the message classes `request` and `reply`
/// on network 0, `request-1` and `reply-1` on network 1. A place x, y is the node [x, y].
class RecordedSchedule final : public Schedule {
 public:
  /// Largest packet and its head, in bytes.
  static constexpr std::uint64_t kPayload = 8192;
  static constexpr std::uint32_t kHead = 32;

  /// Throws InputError for a call from or to a place, or on a network, that the torus does not have.
  RecordedSchedule(Recording recording, const Topology& topology, const std::string& routing,
                   const ReplayPlan& plan);

  [[nodiscard]] const Recording& recording() const { return recording_; }

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override;

  /// The place of a message's call in Recording::calls; its messages are a request and its reply, in turn.
  [[nodiscard]] std::size_t call_of(std::size_t message) const { return packets_[message / 2].call; }
  [[nodiscard]] static bool is_reply(std::size_t message) { return message % 2 == 1; }

 private:
  struct PacketOfCall {
    std::size_t call = 0;
    std::uint64_t bytes = 0;
    std::size_t waits_end = 0;  ///< in `waits_`; they begin where those of the packet before end
    std::uint32_t kind = 0;     ///< of its reply
  };

  void plan_waits(const ReplayPlan& plan);
  [[nodiscard]] NodeId node_of(ChipPlace place, const RecordedCall& call) const;

  Recording recording_;
  ScheduleFacts facts_;
  std::vector<PacketOfCall> packets_;
  std::vector<Dependency> waits_;
  bool is_given_ = false;
};

}  // namespace flitscope
