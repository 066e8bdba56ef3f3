// trace.json: a run as a timeline for Perfetto (ui.perfetto.dev) or chrome://tracing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/topology.h"
#include "routers/engine/flit_observer.h"
#include "sim/network/transport.h"
#include "sim/observe/flits/flit_filter.h"
#include "sim/observe/writers/trace_events.h"

namespace flitscope {

/// The trace events of a network with links. A node has these tracks: each of its injection channels, each VC
/// of the links that leave it, each of its ejection channels, and each input VC in which flits were stalled.
/// On a channel's track lies a span for every worm, from the grant of the VC to the cycle after its tail
/// (injection: from its head on). A stall is a span on the track of its input VC, with cause and culprit. A
/// message is an asynchronous span from ready to arrival in the process "messages", with its queueing
/// (startup included), way and tail inside; arrows follow its head from channel to channel. What has not
/// ended when the run ends is drawn to that end, with the argument "unfinished".
///
/// Memory follows the messages in flight.
class Timeline final : public FlitObserver, public StallObserver {
 public:
  /// Nodes, messages and steps are those of the filter, and spans that reach into its time. Throws
  /// OutputError if the file cannot be opened.
  Timeline(const std::filesystem::path& file, FlitFilter filter, const Topology& topology);

  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool tail) override;
  void granted(Cycle now, NodeId node, unsigned input_vc, unsigned port, unsigned vc,
               std::uint64_t message) override;
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool tail) override;
  void stalled(const FlitStall& stall) override;
  /// A message has arrived.
  void arrived(const Delivery& delivery);
  /// Cycle `last` was the last one. A stall that is told of afterwards and lasts until then has not ended.
  void ended(Cycle last) { end_ = last + 1; }
  /// The run is over; `last` was its last cycle. Throws OutputError if anything could not be written.
  void close(Cycle last);

 private:
  using Track = TraceEvents::Track;
  /// A worm on a channel.
  struct Visit {
    Track track;
    std::string name;  ///< of the track
    Cycle from = 0;
    std::uint32_t flits = 0;  ///< that have passed
    std::optional<Cycle> head;
    std::optional<Cycle> tail;
  };

  [[nodiscard]] bool wants(NodeId node, std::uint64_t message) const;
  void pass(Track track, std::uint64_t message, Cycle now, std::uint32_t index, bool tail);
  void write_visits(std::uint64_t message, const std::vector<Visit>& visits, Cycle end);

  FlitFilter filter_;
  const Topology& topology_;
  TraceEvents events_;
  std::optional<Cycle> end_;  ///< of the run, once it has ended
  std::unordered_map<std::uint64_t, std::vector<Visit>> in_flight_;
};

}  // namespace flitscope
