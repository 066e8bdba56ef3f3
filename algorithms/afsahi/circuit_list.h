// Circuit schedules from lists of events or rounds. In the letters of the papers: N nodes, k ports, d units
// of tuning.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace flitscope::afsahi {

inline constexpr auto kAnyNetwork = "complete network, any N >= 2, k >= 1, d >= 0";

/// N, k and d.
struct Sizes {
  std::uint64_t nodes = 0;
  std::uint64_t k = 0;
  std::uint64_t d = 0;
};
[[nodiscard]] inline Sizes sizes_of(const CircuitMachine& network) {
  return {network.topology.nodes(), network.ports, network.reconfiguration};
}

/// `message`, the bytes of one chunk (default: 64).
[[nodiscard]] Parameter message_parameter();
/// `source`, a node's number (default: 0), and `message`; then `more`.
[[nodiscard]] std::vector<Parameter> rooted_parameters(std::vector<Parameter> more = {});
/// `start`: warm, the first circuits of every node are there at time 0; cold, they are tuned as well.
[[nodiscard]] Parameter start_parameter(const std::string& fallback);
[[nodiscard]] bool is_warm(const ParameterValues& values);

/// Facts without the collective and all that follows from the events. Circuits, tunings, steps and messages
/// are left out too.
[[nodiscard]] CircuitFacts facts_of(const CircuitMachine& network, const std::string& algorithm);

/// The facts of a broadcast of one chunk. Throws Inadmissible("workload.source").
[[nodiscard]] CircuitFacts broadcast_facts(const CircuitMachine& network, const ParameterValues& values,
                                           const std::string& algorithm);
/// The facts of a scatter: chunk v is for node v, and the source has them all. Throws
/// Inadmissible("workload.source").
[[nodiscard]] CircuitFacts scatter_facts(const CircuitMachine& network, const ParameterValues& values,
                                         const std::string& algorithm);
/// The facts of a gossip: chunk v belongs to node v, and every node must get every chunk.
[[nodiscard]] CircuitFacts gossip_facts(const CircuitMachine& network, const ParameterValues& values,
                                        const std::string& algorithm);

/// Requires N to be a power of k+1. Throws Inadmissible(key), naming `what` needs that, the nearest powers,
/// and what would do `instead`.
void require_power(const CircuitMachine& network, const std::string& key, const std::string& what,
                   const std::string& instead);

/// The nodes as seen from the source of a broadcast or scatter: node 0 is the source.
using FromSource = std::function<NodeId(std::uint64_t relative)>;
[[nodiscard]] FromSource from_source(const CircuitFacts& facts);

/// Events in any order. Memory grows with them: for collectives of about N messages.
class CircuitList {
 public:
  void tune(const Circuit& circuit, std::uint64_t start) {
    events_.push_back({.start = start, .circuit = circuit});
  }
  /// A circuit that is there at time 0, or tuned from then on.
  void begin_with(const Circuit& circuit, bool warm) {
    warm ? circuits_.push_back(circuit) : tune(circuit, 0);
  }
  void send(const Circuit& circuit, std::uint64_t start, std::span<const ChunkId> chunks);
  /// Tunes at `start`, and sends when that is done, `d` later.
  void tune_and_send(const Circuit& circuit, std::uint64_t start, std::uint64_t d,
                     std::span<const ChunkId> chunks) {
    tune(circuit, start);
    send(circuit, start + d, chunks);
  }

  /// The schedule of these events, which takes them; of those that start together, the first added first.
  /// Fills in circuits, tunings, steps and messages.
  [[nodiscard]] std::unique_ptr<CircuitSchedule> schedule(CircuitFacts facts) &&;

  /// The beginning of a send or of a tuning, which has no chunks.
  struct Event {
    std::uint64_t start = 0;
    Circuit circuit;
    bool sends = false;
    std::uint32_t chunk_count = 0;
    std::uint64_t first_chunk = 0;
  };

 private:
  std::vector<Circuit> circuits_;
  std::vector<Event> events_;
  std::vector<ChunkId> chunks_;
};

/// Adds the messages of round `number`, counted from 1, at least one of at least one chunk. Called once for
/// every round, in order.
using ProduceRound = std::function<void(std::uint64_t number, CircuitEvent& round)>;

/// Rounds that all nodes begin together: every port that sends in a round is tuned for it, then sends once;
/// the next round begins when the longest message has arrived. A round takes d units and the length of that
/// message. Made one by one, so that N^2 messages cost a round's memory. facts.steps is the number of rounds,
/// facts.messages that of messages; tunings are as many.
[[nodiscard]] std::unique_ptr<CircuitSchedule> in_rounds(CircuitFacts facts, ProduceRound produce);

}  // namespace flitscope::afsahi
