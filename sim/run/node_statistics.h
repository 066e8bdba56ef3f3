// Nodes of a schedule on links: when they send, for whom they wait, and the critical path of the run.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "sim/observe/flits/latency.h"
#include "sim/observe/observer.h"
#include "sim/run/result.h"

namespace flitscope {

/// Messages that led to others: each with the one that released it. Forgets those that nothing leads
/// from any more, so that memory follows messages in flight, nodes and steps.
class MessageChains {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Adds a message that `before` released, with one reference to it; kNone: nothing did.
  [[nodiscard]] std::uint32_t add(const CriticalMessage& message, std::uint32_t before);
  [[nodiscard]] CriticalMessage& at(std::uint32_t place) { return links_[place].message; }
  [[nodiscard]] const CriticalMessage& at(std::uint32_t place) const { return links_[place].message; }
  [[nodiscard]] std::uint32_t before(std::uint32_t place) const { return links_[place].before; }
  [[nodiscard]] std::uint32_t share(std::uint32_t place) {
    if (place != kNone) ++links_[place].references;
    return place;
  }
  void release(std::uint32_t place);

 private:
  struct Link {
    CriticalMessage message;
    std::uint32_t before = kNone;
    std::uint32_t references = 0;
  };
  std::deque<Link> links_;  ///< grows without copies
  std::vector<std::uint32_t> free_;
};

/// Counts a message that has arrived at its ends.
void count_at_nodes(const Delivery& delivery, std::uint64_t flits, const MachineConfig& machine,
                    NodeRecord& source, NodeRecord& destination);

class NodeStatistics final : public MessageObserver {
 public:
  /// A message is released by what it waited for last, if it waits for others (Packet::released_by);
  /// otherwise with `barrier` by the last message of the step before, without by the last one that arrived at
  /// its node. `begins`: the first cycle of the schedule, before which no node waits.
  NodeStatistics(const Topology& topology, const MachineConfig& machine, bool barrier, Cycle begins);

  void sent(const Packet& packet, Cycle now) override;
  void delivered(const Delivery& delivery) override;
  /// Where the time of a message that has arrived went, and the longest wait of its head, if it is known.
  void explain(std::uint64_t message, const LatencyParts& parts, const Wait* longest);
  /// Sets the nodes and the critical path. Requires status and cycles of the result.
  void fill(LinkResult& links, const RunResult& result);

 private:
  struct Node {
    NodeRecord record;
    std::map<NodeId, Cycle> waits_for = {};
    std::uint64_t in_flight = 0;  ///< messages that it sends
    Cycle free_since = 0;
    std::uint32_t last_arrival = MessageChains::kNone;
  };

  struct InFlight {
    std::uint32_t place = 0;  ///< in chains_
    bool is_awaited = false;
  };

  /// A node without messages on their way comes to the next one in cycle `now`: it has waited until
  /// `arrived`, for a message if one released that, and has worked since.
  void wait(Node& node, Cycle arrived, Cycle now, std::uint32_t released_by);
  /// The cycle from which on a node has worked for a message that it sends: of an arrival there, its own
  /// send, or the beginning of the step or the run; nothing if the message waits for another node.
  [[nodiscard]] std::optional<Cycle> works_since(const Packet& packet, std::uint32_t released_by) const;
  [[nodiscard]] std::uint32_t released_by(const Packet& packet) const;
  void remember(std::uint64_t message, std::uint32_t place);

  const MachineConfig& machine_;
  bool barrier_;
  Cycle begins_;
  std::vector<Node> nodes_;
  MessageChains chains_;
  std::unordered_map<std::uint64_t, InFlight> in_flight_;  ///< by message
  /// Places of the last messages that arrived of those that others may wait for.
  std::unordered_map<std::uint64_t, std::uint32_t> awaited_;
  std::deque<std::uint64_t> remembered_;                      ///< the same messages, as they arrived
  std::unordered_map<std::uint64_t, std::uint32_t> arrived_;  ///< those of this cycle
  Cycle arrived_in_ = 0;
  std::uint32_t last_arrival_ = MessageChains::kNone;  ///< at any node
  // With barriers, of the present step:
  std::uint32_t step_ = 0;
  std::uint32_t before_step_ = MessageChains::kNone;  ///< the last arrival at any node then
};

}  // namespace flitscope
