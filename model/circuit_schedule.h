// Schedules for complete networks: circuits are tuned and messages sent, each at a time of its own.
//
// The network has no links. A port of a node is tuned to a target and then holds a circuit to it until it is
// tuned again. Tuning takes d units of time, a message of M chunks M units, and a unit is the time t_m of a
// message of one chunk. All chunks have the same size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/schedule.h"

namespace flitscope {

/// A complete network as a schedule sees it.
struct CircuitMachine {
  Topology topology;
  /// k: ports of a node, and the most messages that may arrive at one at the same time.
  unsigned ports = 1;
  /// d: units of time that tuning takes.
  std::uint64_t reconfiguration = 0;
};

/// A port of a node, and the node its circuit leads to.
struct Circuit {
  NodeId node = 0;
  std::uint32_t port = 0;
  NodeId target = 0;
  bool operator==(const Circuit&) const = default;
};

/// A message over the circuit of a port. Its chunks are stored in the event.
struct CircuitMessage {
  Circuit circuit;
  std::uint64_t first_chunk = 0;
  std::uint32_t chunk_count = 0;
};

/// The actions of one time: first ports are tuned, then messages sent. Reused from event to event.
class CircuitEvent {
 public:
  void clear(std::uint64_t start) {
    time_ = start;
    tunings_.clear();
    messages_.clear();
    chunks_.clear();
  }
  void tune(const Circuit& circuit) { tunings_.push_back(circuit); }
  void send(const Circuit& circuit, std::span<const ChunkId> chunks) {
    messages_.push_back({circuit, chunks_.size(), static_cast<std::uint32_t>(chunks.size())});
    chunks_.insert(chunks_.end(), chunks.begin(), chunks.end());
  }

  /// In units.
  [[nodiscard]] std::uint64_t time() const { return time_; }
  [[nodiscard]] std::span<const Circuit> tunings() const { return tunings_; }
  [[nodiscard]] std::span<const CircuitMessage> messages() const { return messages_; }
  [[nodiscard]] std::span<const ChunkId> chunks(const CircuitMessage& message) const {
    return std::span(chunks_).subspan(message.first_chunk, message.chunk_count);
  }

 private:
  std::uint64_t time_ = 0;
  std::vector<Circuit> tunings_;
  std::vector<CircuitMessage> messages_;
  std::vector<ChunkId> chunks_;
};

/// Facts of an event schedule, known before its first event. Steps are the times at which messages are
/// sent, counted from 1; ports are k for both directions. All chunks of the collective have the same size,
/// above 0.
struct CircuitFacts : ScheduleFacts {
  explicit CircuitFacts(const CircuitMachine& network)
      : ScheduleFacts(network.topology), reconfiguration(network.reconfiguration) {
    routing = "none";
    send_ports = network.ports;
    receive_ports = network.ports;
  }

  /// d: units of time that the schedule leaves for tuning.
  std::uint64_t reconfiguration = 0;
  std::uint64_t tunings = 0;
  /// Circuits that exist at time 0 (a warm start), in rising order of node and port.
  std::vector<Circuit> circuits;
  /// The time until the last arrival that the source claims or a closed form gives, and the least that any
  /// algorithm could need, in units; absent if unknown.
  std::optional<std::uint64_t> claimed_units;
  std::optional<std::uint64_t> lower_bound_units;
};

/// A source of events. Producing them again needs a new CircuitSchedule.
class CircuitSchedule {
 public:
  virtual ~CircuitSchedule() = default;
  [[nodiscard]] virtual const CircuitFacts& facts() const = 0;
  /// Writes the next event over `event` and returns true; returns false after the last. Times rise. Throws
  /// InputError if it reads a file and finds it broken.
  [[nodiscard]] virtual bool next(CircuitEvent& event) = 0;
};

}  // namespace flitscope
