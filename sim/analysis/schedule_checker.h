// Checks of a schedule without a simulation: possession of chunks, ports, paths, load of links, goal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/possession.h"
#include "model/schedule.h"
#include "model/types.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/legality.h"

namespace flitscope {

/// The load of one step.
struct StepSummary {
  std::uint64_t step = 0;  ///< counted from 1
  std::uint64_t messages = 0;
  StepLoad load;
};

/// The claim is that max_channel_load is not exceeded.
struct CheckReport : Legality {
  /// Links travelled by all messages together.
  std::uint64_t hops = 0;

  /// Most messages of one step on one link, and the first such step and link.
  std::uint32_t max_channel_load = 0;
  std::uint64_t max_load_step = 0;
  std::optional<ChannelId> max_load_channel;

  /// Links with more than one message, summed over the steps; and the step with the most of them (0: none).
  std::uint64_t shared_links = 0;
  std::uint64_t most_shared_step = 0;
  std::uint64_t most_shared_links = 0;

  /// The method by which operands of combined chunks were counted; nothing if no chunk is combined.
  enum class Proof : std::uint8_t {
    sets,  ///< each operand by itself
    sums,  ///< by 128-bit sums of random keys, since sets would take too much memory
  };
  std::optional<Proof> proof;

  /// Most messages that a node sends, and receives, in one step.
  std::uint32_t max_sends = 0;
  std::uint32_t max_receives = 0;

  // With CheckOptions::volumes, of the messages that have a path.
  /// Messages that travel more than one link, and the links of the longest one.
  std::uint64_t messages_of_many_links = 0;
  std::uint32_t longest_message_links = 0;
  std::uint64_t largest_message_bytes = 0;
  /// Bytes over all steps on all links, on the one that carries most, and which that is.
  std::uint64_t link_bytes = 0;
  std::uint64_t busiest_link_bytes = 0;
  std::optional<ChannelId> busiest_link;
};

struct CheckOptions {
  /// Memory for the possession of chunks, in bytes.
  std::uint64_t possession_limit = Possession::kMemoryLimit;
  /// Memory up to which operands are counted one by one (OperandLedger), in bytes.
  std::uint64_t operand_set_limit = OperandLedger::kSetLimit;
  /// Called after each step, if given.
  std::function<void(const StepSummary&)> on_step = {};
  /// The routing function of the machine, which gives the paths on other networks than whole tori and meshes.
  /// Empty: the default of the network.
  std::string routing = {};
  /// Of several networks the one that messages go by: those without a class first, then those of each of
  /// ScheduleFacts::classes. Empty: all go by network 0.
  std::vector<unsigned> networks = {};
  /// Also count bytes and links of messages (CheckReport), which takes as long again.
  bool volumes = false;
};

/// Consumes and checks all steps of `schedule`.
///
/// A chunk can be sent from the step after its arrival on. The chunks of an impossible message (its sender
/// does not hold one, or there is no path) do not arrive. Throws Inadmissible if the schedule is too large
/// for the memory allowed, and passes on what reading the schedule throws.
[[nodiscard]] CheckReport check_schedule(Schedule& schedule, const CheckOptions& options = {});

}  // namespace flitscope
