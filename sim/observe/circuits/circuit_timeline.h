// trace.json of a complete network.
#pragma once

#include <filesystem>
#include <unordered_map>

#include "model/topology.h"
#include "routers/circuits/circuit_network.h"
#include "sim/observe/flits/flit_filter.h"
#include "sim/observe/flits/reception_slots.h"
#include "sim/observe/writers/trace_events.h"

namespace flitscope {

/// The trace events of a complete network. A node has a track for each port, with a span for every tuning and
/// every message it sends, and as many tracks as messages arrive at the same time. A message is a span in the
/// process "messages" too, with its startup and its flits inside, and an arrow leads from the port to where
/// it arrives. Everything is drawn when it begins, to the end it will have.
class CircuitTimeline final : public CircuitObserver {
 public:
  /// Nodes, messages, steps and time are those of the filter; tunings belong to no message and are shown if
  /// the filter names neither messages nor steps. Throws OutputError if the file cannot be opened.
  CircuitTimeline(const std::filesystem::path& file, FlitFilter filter, const Topology& topology,
                  Cycle startup);

  void tuned(const Circuit& circuit, Cycle begin, Cycle ready) override;
  void sent(const Transmission& transmission) override;
  /// Throws OutputError if anything could not be written.
  void close() { events_.close(); }

 private:
  [[nodiscard]] bool shows(NodeId node) const;

  FlitFilter filter_;
  Cycle startup_;
  TraceEvents events_;
  std::unordered_map<NodeId, ReceptionSlots> receptions_;
};

}  // namespace flitscope
