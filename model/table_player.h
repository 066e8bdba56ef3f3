// The machine that a routing table runs on: what each link sends next, given what has arrived where.
#pragma once

#include <optional>
#include <vector>

#include "model/possession.h"
#include "model/routing_table.h"

namespace flitscope {

/// The state of all links of a table. Which packets a link sends, and in which order, follows from what
/// arrives at its node's ports and in which order there; when it arrives does not matter, nor how ports
/// interleave. So every way of playing a table sends the same packets over each link in the same order.
class TablePlayer {
 public:
  /// `table` must outlive the player.
  explicit TablePlayer(const RoutingTable& table);

  /// The packet that a link sends next; nothing if it is not there yet or the link has sent its last.
  /// `possession` is asked for lists only.
  [[nodiscard]] std::optional<ChunkId> next(ChannelId link, const Possession& possession) const;
  /// The link sends that packet.
  void advance(ChannelId link);
  /// A packet arrives at `node` from the neighbour that link port `port` leads to.
  void arrive(NodeId node, unsigned port, ChunkId chunk);

  /// Packets the link has sent.
  [[nodiscard]] std::uint64_t sent(ChannelId link) const { return states_[link].sent; }
  /// Links that send at all, by number.
  [[nodiscard]] const std::vector<ChannelId>& links() const { return links_; }
  /// Packets that have arrived at `node` and that a link of it may still relay: the room it needs for them.
  [[nodiscard]] std::uint64_t kept(NodeId node) const;

 private:
  struct State {
    NodeId node = 0;         ///< that the link leaves
    std::uint32_t rule = 0;  ///< the present one
    std::uint64_t done = 0;  ///< packets sent by it
    std::uint64_t sent = 0;
  };
  /// What came in on one port, but for `forgotten` packets that nobody relays any more.
  struct Input {
    std::vector<ChunkId> packets;
    std::uint64_t forgotten = 0;
  };

  [[nodiscard]] Input& input(NodeId node, unsigned port) {
    return inputs_[std::size_t{node} * ports_ + port];
  }
  [[nodiscard]] const Input& input(NodeId node, unsigned port) const {
    return inputs_[std::size_t{node} * ports_ + port];
  }
  /// The first arrival on a port that a link may still relay; kAll if there is none.
  [[nodiscard]] std::uint64_t first_needed(NodeId node, unsigned port) const;
  /// Makes room for one more arrival.
  void make_room(NodeId node, unsigned port);

  const RoutingTable& table_;
  unsigned ports_;
  std::vector<State> states_;
  std::vector<Input> inputs_;
  std::vector<ChannelId> links_;
};

/// Plays a table in steps: in each, every link sends what it can, and what it sends arrives at the end.
class SteppedTable {
 public:
  /// `table` must outlive it.
  explicit SteppedTable(const RoutingTable& table)
      : table_(table), player_(table), possession_(table.facts.collective, table.facts.topology.nodes()) {}

  /// One step: calls visit(link, chunk) for every packet sent, by number of link.
  template <typename Visit>
  void step(Visit visit) {
    sends_.clear();
    for (const ChannelId link : player_.links()) {
      const auto chunk = player_.next(link, possession_);
      if (!chunk) continue;
      visit(link, *chunk);
      sends_.push_back({link, *chunk});
    }
    const Topology& topology = table_.facts.topology;
    for (const auto& [link, chunk] : sends_) {
      const unsigned port = topology.channel_port(link);
      const NodeId to = *topology.neighbour(topology.channel_node(link), port);
      player_.advance(link);
      player_.arrive(to, topology.opposite_port(port), chunk);
      possession_.add(to, chunk);
    }
  }

  [[nodiscard]] const TablePlayer& player() const { return player_; }
  [[nodiscard]] const Possession& possession() const { return possession_; }

 private:
  struct Send {
    ChannelId link = 0;
    ChunkId chunk = 0;
  };

  const RoutingTable& table_;
  TablePlayer player_;
  Possession possession_;
  std::vector<Send> sends_;
};

}  // namespace flitscope
