// What the schedule checker found.
#pragma once

#include <cstdint>
#include <optional>

#include "model/types.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/legality.h"

namespace flitscope {

/// What one step does to the network.
struct StepSummary {
  std::uint64_t step = 0;  ///< counted from 1
  std::uint64_t messages = 0;
  StepLoad load;
};

/// The claim is that max_channel_load is not exceeded.
struct CheckReport : Legality {
  /// Links travelled by all messages together.
  std::uint64_t hops = 0;

  /// Most messages of one step on one link, with the first step in which that happens and one such link.
  std::uint32_t max_channel_load = 0;
  std::uint64_t max_load_step = 0;
  std::optional<ChannelId> max_load_channel;

  /// Links with more than one message, summed over the steps; and the step with the most of them (0: none).
  std::uint64_t shared_links = 0;
  std::uint64_t most_shared_step = 0;
  std::uint64_t most_shared_links = 0;

  /// How the operands of combined chunks were counted; nothing if no chunk is combined.
  enum class Proof : std::uint8_t {
    sets,  ///< each operand by itself
    sums,  ///< by 128-bit sums of random keys, since sets would take too much memory
  };
  std::optional<Proof> proof;

  /// Most messages that a node sends, and receives, in one step.
  std::uint32_t max_sends = 0;
  std::uint32_t max_receives = 0;

  // With CheckOptions::volumes, of the messages that have a way.
  /// Messages that travel more than one link, and the links of the longest one.
  std::uint64_t messages_of_many_links = 0;
  std::uint32_t longest_message_links = 0;
  std::uint64_t largest_message_bytes = 0;
  /// Bytes over all steps on all links, on the one that carries most, and which that is.
  std::uint64_t link_bytes = 0;
  std::uint64_t busiest_link_bytes = 0;
  std::optional<ChannelId> busiest_link;
};

}  // namespace flitscope
