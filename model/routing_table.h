// Time-independent routing: what every link sends, as rules that need no clock and no schedule. What comes of
// the rules: unrolled_table.h.
#pragma once

#include <cstdint>
#include <limits>
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

}  // namespace flitscope
