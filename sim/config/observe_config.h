// What a run is to write down beyond its result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/topology.h"
#include "sim/observe/flits/flit_filter.h"

namespace flitscope {

/// "none", "csv", "binary".
enum class TraceFormat : std::uint8_t { none, csv, binary };
[[nodiscard]] const char* name_of(TraceFormat format);

/// "none", "vcd", "fst".
enum class WaveFormat : std::uint8_t { none, vcd, fst };
[[nodiscard]] const char* name_of(WaveFormat format);

/// What waveforms are wanted of, where it is not listed: words of observe.waves.
enum class NodeChoice : std::uint8_t { listed, none, deadlock, busiest };
enum class ChannelChoice : std::uint8_t { listed, none, busiest, congested };

struct WavesConfig {
  WaveFormat format = WaveFormat::none;
  NodeChoice node_choice = NodeChoice::deadlock;
  std::vector<NodeId> nodes;  ///< if listed
  ChannelChoice channel_choice = ChannelChoice::busiest;
  std::vector<ChannelId> channels;  ///< if listed
  Cycle from = 0;
  std::optional<Cycle> to;  ///< the last cycle; nothing: no end

  /// Whether nodes or channels are known only after a run.
  [[nodiscard]] bool needs_a_first_run() const {
    return format != WaveFormat::none &&
           (node_choice == NodeChoice::deadlock || node_choice == NodeChoice::busiest ||
            channel_choice == ChannelChoice::busiest || channel_choice == ChannelChoice::congested);
  }
};

struct ObserveConfig {
  bool messages = false;  ///< messages.csv
  TraceFormat trace = TraceFormat::none;
  bool timeline = false;
  bool map = false;   ///< channels.svg
  FlitFilter filter;  ///< of trace and timeline
  WavesConfig waves;

  /// Whether any file is wanted.
  [[nodiscard]] bool anything() const {
    return messages || map || trace != TraceFormat::none || timeline || waves.format != WaveFormat::none;
  }
};

}  // namespace flitscope
