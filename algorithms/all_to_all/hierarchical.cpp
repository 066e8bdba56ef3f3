// hierarchical: parts go within groups to the node that has the column of their destination, across groups
// in this column, and to their destination.
#include <algorithm>
#include <utility>

#include "algorithms/all_to_all/exchange.h"
#include "algorithms/common/circulant.h"
#include "algorithms/common/schedule.h"
#include "model/node_set.h"

namespace flitscope::all_to_all::hierarchical {
namespace {

constexpr auto kName = "all-to-all-hierarchical";

/// Column c of a group is its nodes at the places c, c + m, c + 2m, ..., m the nodes of the smallest group;
/// the first is its head.
class Exchange {
 public:
  Exchange(const Topology& topology, const ParameterValues& values)
      : topology_(topology),
        participants_(topology),
        groups_(common::groups_of(topology, values)),
        columns_(groups_.smallest()),
        within_(groups_.largest() - 1),
        across_(groups_.count() - 1),
        below_((groups_.largest() - 1) / columns_) {}

  [[nodiscard]] std::uint64_t steps() const { return within_ + across_ + below_; }

  void operator()(std::uint64_t number, Step& step) const {
    if (number <= within_) return send_within(static_cast<std::uint32_t>(number), step);
    if (number <= within_ + across_) return send_across(static_cast<std::uint32_t>(number - within_), step);
    send_below(static_cast<std::uint32_t>(number - within_ - across_), step);
  }

 private:
  /// Calls visit(node) for the nodes of a column of a group.
  template <typename Visit>
  void for_each_in_column(std::uint32_t group, std::uint32_t column, Visit visit) const {
    const auto nodes = groups_[group];
    for (std::size_t at = column; at < nodes.size(); at += columns_) visit(nodes[at]);
  }
  [[nodiscard]] ChunkId chunk(NodeId source, NodeId destination) const {
    return participants_.place(source) * participants_.count() + participants_.place(destination);
  }
  void send(NodeId from, NodeId to, std::vector<ChunkId>& chunks, Step& step) const {
    std::ranges::sort(chunks);
    if (!chunks.empty()) step.add(from, to, shortest_route(topology_, from, to), chunks);
    chunks.clear();
  }

  /// Every node to the head `shift` places on: all for its column, but for the head's own neighbours below,
  /// which get it in send_below as all others do.
  void send_within(std::uint32_t shift, Step& step) const {
    std::vector<ChunkId> chunks;
    for (std::uint32_t group = 0; group < groups_.count(); ++group) {
      const auto nodes = groups_[group];
      const auto n = static_cast<std::uint32_t>(nodes.size());
      for (std::uint32_t at = 0; shift < n && at < n; ++at) {
        const std::uint32_t head = (at + shift) % n;
        if (head >= columns_) continue;
        for (std::uint32_t other = 0; other < groups_.count(); ++other) {
          for_each_in_column(other, head, [&](NodeId destination) {
            if (destination != nodes[at]) chunks.push_back(chunk(nodes[at], destination));
          });
        }
        send(nodes[at], nodes[head], chunks, step);
      }
    }
  }
  /// Every head to that of its column `shift` groups on: all from its group for that column there.
  void send_across(std::uint32_t shift, Step& step) const {
    std::vector<ChunkId> chunks;
    for (std::uint32_t group = 0; group < groups_.count(); ++group) {
      const std::uint32_t other = (group + shift) % groups_.count();
      for (std::uint32_t column = 0; column < columns_; ++column) {
        for (const NodeId source : groups_[group]) {
          for_each_in_column(other, column,
                             [&](NodeId destination) { chunks.push_back(chunk(source, destination)); });
        }
        send(groups_[group][column], groups_[other][column], chunks, step);
      }
    }
  }
  /// Every head to the node `row` rows below: all for it.
  void send_below(std::uint32_t row, Step& step) const {
    std::vector<ChunkId> chunks;
    for (std::uint32_t group = 0; group < groups_.count(); ++group) {
      const auto nodes = groups_[group];
      for (std::uint32_t column = 0; column < columns_ && column + row * columns_ < nodes.size(); ++column) {
        const NodeId destination = nodes[column + row * columns_];
        for (NodeId place = 0; place < participants_.count(); ++place) {
          if (participants_[place] != destination) chunks.push_back(chunk(participants_[place], destination));
        }
        send(nodes[column], destination, chunks, step);
      }
    }
  }

  Topology topology_;
  Participants participants_;
  NodeGroups groups_;
  std::uint32_t columns_;
  std::uint32_t within_;
  std::uint32_t across_;
  std::uint32_t below_;
};

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = all_to_all_facts(topology, values, kName, 1, 1, true);
  const Exchange exchange(topology, values);
  facts.steps = exchange.steps();
  facts.claimed_steps = facts.steps;
  facts.lower_bound_steps = broadcast_lower_bound(Participants(topology).count(), topology.link_ports());
  for (std::uint64_t number = 1; number <= facts.steps; ++number) {
    Step step;
    exchange(number, step);
    facts.messages += step.messages().size();
  }
  return common::stepwise(std::move(facts), exchange);
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_to_all},
    .summary =
        "all-to-all on any network within groups and across them: few and long messages between groups",
    .source = "hierarchical collectives, common knowledge; groups of unequal sizes are ours",
    .claim = "for G groups of at most M and at least m nodes M-1 steps within groups, G-1 across, and "
             "ceil(M/m) - 1 within",
    .admissible = "any network, any number of nodes",
    .parameters = {common::group_size_parameter(), data_parameter()},
    .make = make,
    .any_network = true,
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::hierarchical
