// Barriers of a recording beside their replay: when the last answer of each has come, and what its packets
// waited for.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/config.h"
#include "sim/formats/recording.h"
#include "sim/network/transport.h"
#include "sim/observe/observer.h"

namespace flitscope {

/// What packets wait for, and why: "vc_taken" at "[1, 0]+0", "memory" at "[1, 0]".
struct WaitPlace {
  std::string cause;  ///< of a stall, or "memory"
  std::string place;  ///< a link, "end at [1, 0]" for the ejection channels of a node, or a node
  auto operator<=>(const WaitPlace&) const = default;

  /// "memory of [1, 0]", "vc_taken at [1, 0]+0"
  [[nodiscard]] std::string name() const { return cause + (cause == "memory" ? " of " : " at ") + place; }
};

/// Flit-cycles that packets waited.
using PacketWaits = std::map<WaitPlace, Cycle>;

/// Where they waited most, and its share of all of it; 0 if they did not wait.
[[nodiscard]] std::pair<WaitPlace, double> longest_wait(const PacketWaits& waits);

/// Follows the packets of a recording through a run. Without `of_calls` all calls are as one, the first.
class ReplayObserver final : public StallObserver {
 public:
  /// Both must outlive it.
  ReplayObserver(const RecordedSchedule& schedule, const Topology& topology, bool of_calls = true);

  void arrived(const ArrivedMessage& message);
  void waited_for_memory(const Packet& packet, Cycle cycles);
  void stalled(const FlitStall& stall) override;

  /// By call: when it was made, and when its last answer had come.
  [[nodiscard]] const std::vector<Cycle>& begins() const { return begins_; }
  [[nodiscard]] const std::vector<Cycle>& ends() const { return ends_; }
  /// By call and place.
  [[nodiscard]] std::map<std::size_t, PacketWaits> waits() const;

 private:
  /// The cause, none for a memory, the node and the port.
  struct Where {
    std::optional<StallCause> cause;
    NodeId node = 0;
    unsigned port = 0;
    auto operator<=>(const Where&) const = default;
  };
  [[nodiscard]] WaitPlace named(const Where& where) const;
  [[nodiscard]] std::size_t call_of(std::uint64_t id) const;

  const RecordedSchedule& schedule_;
  const Topology& topology_;
  bool of_calls_;
  std::vector<Cycle> begins_;
  std::vector<Cycle> ends_;
  std::map<std::pair<std::size_t, Where>, Cycle> waits_;
};

/// A barrier beside its replay. Barriers without calls have none.
struct BarrierRecord {
  ChipProcessor processor;
  bool reads = false;
  // Recorded.
  Cycle first_call = 0;
  Cycle start = 0;
  Cycle end = 0;
  // In the replay.
  Cycle replayed_first_call = 0;
  Cycle replayed_end = 0;
  PacketWaits waits;  ///< of its packets

  /// "read on network 0"
  [[nodiscard]] std::string kind() const;
  /// Whether it was recorded to end after its first call, so that it has an error.
  [[nodiscard]] bool takes_time() const { return end > first_call; }
  /// Of the time since the first call, in parts of the recorded one; of a barrier that takes time.
  [[nodiscard]] double error() const;
};

/// The longest wait of the packets of all these barriers together, as longest_wait() of one.
[[nodiscard]] std::pair<WaitPlace, double> longest_wait(std::span<const BarrierRecord* const> barriers);

/// The barriers that have calls, in the order of their recorded ends. `begins` and `ends`: see
/// ReplayObserver. The configuration has the time of an empty barrier.
[[nodiscard]] std::vector<BarrierRecord> compare_barriers(const ExperimentConfig& config,
                                                          const Recording& recording,
                                                          std::span<const Cycle> begins,
                                                          std::span<const Cycle> ends,
                                                          const std::map<std::size_t, PacketWaits>& waits);

/// How `recording.calls` has recordings replayed.
[[nodiscard]] ReplayPlan replay_plan(const ExperimentConfig& config);

}  // namespace flitscope
