// Time-independent routing: a program of rules for every link, which needs no clock and no schedule; the
// machine that plays these programs, and the schedule that they unroll to.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/possession.h"
#include "model/schedule.h"

namespace flitscope {

/// One rule of a link. A link follows its rules in order, one packet at a time; while its next packet is
/// missing it is idle.
struct LinkRule {
  enum class Kind : std::uint8_t {
    own,    ///< the node's own packets, those of `packets`
    relay,  ///< packets that arrived on `port`, in that order
    list,   ///< exactly `packets`, each as soon as the node holds it
  };
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  Kind kind = Kind::own;
  std::vector<ChunkId> packets = {};
  /// Relay: the link port towards the sender of the packets.
  unsigned port = 0;
  /// Relay: number of first arrivals to skip, and of packets to relay (kAll: no end). An arrival is kept as
  /// long as a rule may relay it.
  std::uint64_t skip = 0;
  std::uint64_t count = kAll;
};

/// The rules of one directed link, and the number of packets that it sends (no rules: unused).
struct LinkProgram {
  std::vector<LinkRule> rules;
  std::uint64_t packets = LinkRule::kAll;
};

/// A closed walk along links that the table keeps busy, for drawings: nodes in order, the last one's
/// successor is the first.
struct TableCycle {
  std::string name;
  std::vector<NodeId> nodes;
};

/// The programs of all links, as hardware would hold them. Each packet is one chunk of the collective and
/// travels link by link.
struct LinkPrograms {
  explicit LinkPrograms(ScheduleFacts known)
      : facts(std::move(known)), links(static_cast<std::size_t>(facts.topology.channel_ids())) {}

  /// Facts of the schedule that the programs unroll to.
  ScheduleFacts facts;
  /// By ChannelId.
  std::vector<LinkProgram> links;
  std::vector<TableCycle> cycles;
};

/// The state of all links. The packets of a link and their order follow from the arrivals at each port of its
/// node and their order; arrival times and the interleaving of ports do not matter. So every timing sends the
/// same packets over each link in the same order.
class TablePlayer {
 public:
  /// `table` must outlive the player.
  explicit TablePlayer(const LinkPrograms& table);

  /// The packet that a link sends next; nothing if it has not arrived or the link has sent its last.
  /// `possession` is read for lists only.
  [[nodiscard]] std::optional<ChunkId> next(ChannelId link, const Possession& possession) const;
  /// The link sends that packet.
  void advance(ChannelId link);
  /// A packet arrives at `node` from the neighbour that link port `port` leads to.
  void arrive(NodeId node, unsigned port, ChunkId chunk);

  /// Packets the link has sent.
  [[nodiscard]] std::uint64_t sent(ChannelId link) const { return states_[link].sent; }
  /// Links that send at all, by number.
  [[nodiscard]] const std::vector<ChannelId>& links() const { return links_; }
  /// Packets that have arrived at `node` and that one of its links may still relay.
  [[nodiscard]] std::uint64_t kept(NodeId node) const;

 private:
  struct State {
    NodeId node = 0;         ///< that the link leaves
    std::uint32_t rule = 0;  ///< the present one
    std::uint64_t done = 0;  ///< packets sent by it
    std::uint64_t sent = 0;
  };
  /// Arrivals on one port, without the `forgotten` packets that no link relays any more.
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

  const LinkPrograms& table_;
  unsigned ports_;
  std::vector<State> states_;
  std::vector<Input> inputs_;
  std::vector<ChannelId> links_;
};

/// Plays the programs in steps: every link sends a packet if it can, and all arrive at the end of the step.
class SteppedTable {
 public:
  /// `table` must outlive it.
  explicit SteppedTable(const LinkPrograms& table)
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

  const LinkPrograms& table_;
  TablePlayer player_;
  Possession possession_;
  std::vector<Send> sends_;
};

/// Plays the programs in steps until every node holds every chunk, and sets facts.steps, facts.messages and
/// the packets of each link. Throws std::logic_error if `most_steps` steps do not suffice.
void complete_table(LinkPrograms& table, std::uint64_t most_steps);

/// The most packets that a node keeps for relaying at the end of a step.
[[nodiscard]] std::uint64_t most_kept(const LinkPrograms& table);

/// The schedule of complete programs: in each step every link sends its next packet if the node has it since
/// the step before.
[[nodiscard]] std::unique_ptr<Schedule> unroll(LinkPrograms table);

}  // namespace flitscope
