// Dependencies of requests and replies through the ends of nodes. docs/deadlock.md explains them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/analysis/deadlock_verdict.h"
#include "traffic/protocol.h"

namespace flitscope {

/// What targets can have to wait for.
struct ProtocolEnds {
  /// The key without a limit, so that targets take every request; empty: all have one.
  std::string unlimited;
  /// The target at which most requests can be open, those of its own that can fill its injection queue among
  /// them; nothing: any number.
  NodeId target = 0;
  std::optional<std::uint64_t> open;
  std::uint64_t sources = 0;  ///< of these requests
  /// As many can be open at a target that never refuses one forever.
  std::uint64_t held = 0;
  /// Targets at which more can be open, by number.
  std::vector<NodeId> filling;
};

/// The channel dependency graph of a protocol. Where its ends are finite and more requests can be open than
/// they hold, a request waits at its target until a reply has room in the injection queue: so a round trip
/// is one path, over the ejection buffers of the target and its injection queue. Their vertices are those of
/// nodes; where requests and replies share them, every message begins in the injection queue and ends in the
/// ejection buffers of a node.
class ProtocolGraph {
 public:
  /// All must outlive it.
  ProtocolGraph(const Topology& topology, const MachineConfig& machine, const ProtocolConfig& protocol,
                const TrafficPattern& requests, const TrafficPattern& replies);
  ProtocolGraph(const ProtocolGraph&) = delete;
  ProtocolGraph& operator=(const ProtocolGraph&) = delete;

  [[nodiscard]] const ProtocolEnds& ends() const { return ends_; }
  /// As of DeadlockAnalyzer; a cycle through ends is not proven. The ranks are of vertices.
  [[nodiscard]] DeadlockAnalysis analyze();
  /// The message class whose cycle that is, if it goes through no ends.
  [[nodiscard]] std::uint32_t message_class() const { return message_class_; }

  /// What a vertex is of, and its VCs: those of a link, or number 0 of an end.
  struct Place {
    std::string channel;
    std::vector<unsigned> vcs;
  };
  [[nodiscard]] Place place(std::uint64_t vertex) const;
  /// Calls visit(flow, vertices) for every message of a deterministic routing function.
  void for_each_path(const std::function<void(const Flow&, const std::vector<std::uint64_t>&)>& visit) const;

 private:
  enum Kind : std::uint8_t { request, reply };
  /// Messages that have the same network and the same VCs.
  struct View {
    std::uint64_t vcs = 0;
    unsigned network = 0;
    std::uint32_t message_class = 0;
    std::unique_ptr<DeadlockAnalyzer> analyzer;
    std::vector<Kind> kinds;
    DeadlockAnalysis analysis{};
  };

  [[nodiscard]] ProtocolEnds find_ends() const;
  [[nodiscard]] Flows flows_of(std::vector<Kind> kinds) const;
  [[nodiscard]] ChannelId channel_of(const View& view, std::uint64_t group) const;
  [[nodiscard]] std::size_t view_of(Kind kind) const { return kind == reply ? views_.size() - 1 : 0; }
  [[nodiscard]] bool begins_in_queue(Kind kind) const { return kind == reply || shares_ends_; }
  [[nodiscard]] bool ends_in_buffers(Kind kind) const { return kind == request || shares_ends_; }
  [[nodiscard]] std::uint64_t end(NodeId node, NodeEnd::Kind kind) const {
    return first_end_ + 2 * std::uint64_t{node} + static_cast<std::uint64_t>(kind);
  }
  /// Calls visit(from, to) for the dependencies of a message into and out of the network.
  template <typename Visit>
  void for_each_end_arc(Kind kind, const Flow& flow, Visit visit);
  void add_ends(Kind kind, std::set<Arc>& arcs);
  [[nodiscard]] std::vector<CycleMember> members(const std::vector<std::uint64_t>& cycle);
  void find_flows(Kind kind, const std::vector<std::uint64_t>& cycle, std::vector<CycleMember>& members);

  const Topology& topology_;
  const MachineConfig& machine_;
  const ProtocolConfig& protocol_;
  const TrafficPattern& requests_;
  const TrafficPattern& replies_;
  bool shares_ends_;  ///< requests and replies have the same queues
  std::vector<View> views_;
  std::uint32_t message_class_ = 0;
  std::uint64_t groups_ = 0;     ///< vertices of a view
  std::uint64_t first_end_ = 0;  ///< vertex
  ProtocolEnds ends_;
};

/// The VC of a link that is number `place` of a set.
[[nodiscard]] unsigned vc_of(std::uint64_t vcs, unsigned place);
/// The numbers of the VCs of a set.
[[nodiscard]] std::vector<unsigned> vcs_in(std::uint64_t vcs);

}  // namespace flitscope
