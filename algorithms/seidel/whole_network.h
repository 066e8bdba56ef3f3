// What the two collectives that take in all nodes bit by bit share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/seidel/collective_schedule.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel {

/// `message`: bytes of all packets together.
[[nodiscard]] Parameter total_message_parameter();

/// All nodes of a mesh of any number of dimensions, whose sides are powers of two; an address is the node's
/// number. Throws Inadmissible("topology.kind" or "topology.shape").
class WholeNetwork {
 public:
  WholeNetwork(const Topology& topology, const std::string& algorithm, NodeId source);

  [[nodiscard]] const Setting& setting() const { return setting_; }
  /// All bits, the most significant first.
  [[nodiscard]] Bits bits() const;

  /// Every node has the packet of its number: what a scatter ends with and an all-to-all broadcast starts
  /// from.
  [[nodiscard]] std::vector<Holding> own_packets() const;
  [[nodiscard]] std::vector<ChunkId> all_packets() const;

  /// Facts without a collective's start and goal. The message is cut into a packet for every node.
  [[nodiscard]] ScheduleFacts facts(const std::string& algorithm, std::uint64_t message) const;
  [[nodiscard]] std::unique_ptr<Schedule> schedule(ScheduleFacts facts, Plan plan) const;

 private:
  Topology topology_;
  Placement placement_;
  Setting setting_;
};

}  // namespace flitscope::seidel
