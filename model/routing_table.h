// Time-independent routing: what every link sends, as rules that need no clock and no schedule.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
struct RoutingTable {
  explicit RoutingTable(ScheduleFacts known)
      : facts(std::move(known)), links(static_cast<std::size_t>(facts.topology.channel_ids())) {}

  /// Of the schedule that the table unrolls to.
  ScheduleFacts facts;
  /// By ChannelId.
  std::vector<LinkProgram> links;
  std::vector<TableCycle> cycles;
};

/// Plays the table in steps until every node holds every chunk, and enters what that took: facts.steps,
/// facts.messages, and the packets each link sends in these steps. Throws std::logic_error if `most_steps`
/// steps do not suffice: then the table is wrong.
void complete_table(RoutingTable& table, std::uint64_t most_steps);

/// The most packets that a node has to keep at the end of a step because a link of it may still relay them:
/// the memory it needs for relaying. What lists send is taken from the data that it has anyway.
[[nodiscard]] std::uint64_t most_kept(const RoutingTable& table);

/// The schedule that a complete table unrolls to: in each step every link sends the packet that is next by
/// its rules, if the node has it since the step before. One step's memory, and what relays keep.
[[nodiscard]] std::unique_ptr<Schedule> unroll(RoutingTable table);

}  // namespace flitscope
