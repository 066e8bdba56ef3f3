// Time-independent routing: what every link sends, as rules that need no clock and no schedule. What comes of
// the rules: unrolled_table.h.
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

/// One rule of a link. The rules of a link are worked off in order, one packet at a time; a link whose next
/// packet is not there yet is idle.
struct LinkRule {
  enum class Kind : std::uint8_t {
    own,    ///< the node's own packets, those of `packets`
    relay,  ///< packets that came in on `port`, in the order of their arrival
    list,   ///< exactly `packets`, each as soon as the node holds it
  };
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  Kind kind = Kind::own;
  std::vector<ChunkId> packets = {};
  /// Relay: the link port towards the neighbour that the packets come from.
  unsigned port = 0;
  /// Relay: how many of the first arrivals are passed over, and how many packets are relayed (kAll: no end).
  /// What has arrived is kept as long as a rule may still relay it.
  std::uint64_t skip = 0;
  std::uint64_t count = kAll;
};

/// The rules of one directed link, and how many packets it sends before it stops (0 rules: it is not used).
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

/// What one would build into hardware: for each directed link the fixed rule by which it chooses what it
/// sends. Each packet is one chunk of the collective and travels link by link.
struct LinkPrograms {
  explicit LinkPrograms(ScheduleFacts known)
      : facts(std::move(known)), links(static_cast<std::size_t>(facts.topology.channel_ids())) {}

  /// Of the schedule that the table unrolls to.
  ScheduleFacts facts;
  /// By ChannelId.
  std::vector<LinkProgram> links;
  std::vector<TableCycle> cycles;
};

/// The state of all links of a table. Which packets a link sends, and in which order, follows from what
/// arrives at its node's ports and in which order there; when it arrives does not matter, nor how ports
/// interleave. So every way of playing a table sends the same packets over each link in the same order.
class TablePlayer {
 public:
  /// `table` must outlive the player.
  explicit TablePlayer(const LinkPrograms& table);

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

  const LinkPrograms& table_;
  unsigned ports_;
  std::vector<State> states_;
  std::vector<Input> inputs_;
  std::vector<ChannelId> links_;
};

/// Plays a table in steps: in each, every link sends what it can, and what it sends arrives at the end.
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

/// Plays the table in steps until every node holds every chunk, and enters what that took: facts.steps,
/// facts.messages, and the packets each link sends in these steps. Throws std::logic_error if `most_steps`
/// steps do not suffice: then the table is wrong.
void complete_table(LinkPrograms& table, std::uint64_t most_steps);

/// The most packets that a node has to keep at the end of a step because a link of it may still relay them:
/// the memory it needs for relaying. What lists send is taken from the data that it has anyway.
[[nodiscard]] std::uint64_t most_kept(const LinkPrograms& table);

/// The schedule that a complete table unrolls to: in each step every link sends the packet that is next by
/// its rules, if the node has it since the step before. One step's memory, and what relays keep.
[[nodiscard]] std::unique_ptr<Schedule> unroll(LinkPrograms table);

}  // namespace flitscope
