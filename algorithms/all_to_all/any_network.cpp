// All-to-all on any network.
// direct: every node sends to every other one, one a step.
// bruck: parts travel the binary digits of their distance, one digit a step.
// hierarchical: parts go within groups to the node that has the column of their destination, across groups in
// this column, and to their destination.
#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/common/schedule.h"
#include "model/node_set.h"

namespace flitscope::all_to_all::any_network {
namespace {

constexpr auto kDirect = "all-to-all-direct";

/// The node whose place is k further on: by coordinates if no node is missing, otherwise by number.
NodeId shifted(const Topology& topology, const Participants& participants, NodeId place, NodeId k) {
  if (!participants.all()) return (place + k) % participants.count();
  for (unsigned d = 0; d < topology.dimensions(); ++d)
    place = topology.moved(place, d, Sign::plus, topology.coordinate(k, d));
  return place;
}

/// The shortest path; where both directions are equally long, even positions go in direction + and odd ones
/// in direction -. On a side k with odd k/2 that would load every other link more, so that each position goes
/// in both, in turn over the other offsets.
Route balanced_route(const Topology& topology, NodeId from, NodeId to) {
  Route route = shortest_route(topology, from, to);
  if (!topology.wraps() || topology.is_one_way()) return route;
  const auto offset = [&](unsigned d) {
    return *topology.hops(d, topology.coordinate(from, d), topology.coordinate(to, d), Sign::plus);
  };
  for (unsigned d = 0; d < topology.dimensions(); ++d) {
    const std::uint32_t side = topology.side(d);
    if (2 * offset(d) != side) continue;
    std::uint64_t turn = 0;  // the number of the offset in all other dimensions
    for (unsigned other = topology.dimensions(); side % 4 != 0 && other-- > 0;) {
      if (other != d) turn = turn * topology.side(other) + offset(other);
    }
    route.set_sign(d, (topology.coordinate(from, d) + turn) % 2 == 0 ? Sign::plus : Sign::minus);
  }
  return route;
}

std::unique_ptr<Schedule> make_direct(const Topology& topology, const ParameterValues& values) {
  const bool exclusive_or = values.text("pairs") == "xor";
  ScheduleFacts facts = common::all_to_all_facts(topology, values, kDirect, 1, 1, true);
  const NodeId nodes = Participants(topology).count();
  refuse_if(exclusive_or && !std::has_single_bit(nodes), "workload.pairs",
            "pairs by exclusive or need a power of two nodes, not {}; shifts do with any", nodes);
  facts.steps = nodes - 1;
  facts.claimed_steps = facts.steps;
  facts.lower_bound_steps = facts.steps;
  facts.messages = facts.steps * nodes;
  return common::stepwise(
      std::move(facts), [=, participants = Participants(topology)](std::uint64_t number, Step& step) {
        const auto k = static_cast<NodeId>(number);
        for (NodeId from = 0; from < nodes; ++from) {
          const NodeId to = exclusive_or ? from ^ k : shifted(topology, participants, from, k);
          const ChunkId chunk = from * nodes + to;
          const NodeId source = participants[from];
          const NodeId destination = participants[to];
          step.add(source, destination, balanced_route(topology, source, destination), std::span(&chunk, 1));
        }
      });
}

const AlgorithmRegistry::Entry direct_entry{{
    .name = kDirect,
    .collective = {CollectiveKind::all_to_all},
    .summary = "all-to-all on any network by messages from every node to every other one, one a step",
    .source = "pairwise exchange, common knowledge",
    .claim = "p-1 steps for p nodes; on a torus, over all of them, shifts load all links of a dimension of "
             "side k alike, on even sides with p k/8 messages, rounded up",
    .admissible = "any network, also one of which links or nodes are missing; pairs by exclusive or: a power "
                  "of two nodes",
    .parameters = {Parameter::choice(
                       "pairs",
                       "whom a node sends to in step k: the node k places further on in all dimensions, on a "
                       "graph and where nodes are missing by number (shift), or node number xor k (xor)",
                       {"shift", "xor"})
                       .or_else("shift"),
                   common::data_parameter()},
    .make = make_direct,
    .any_network = true,
    .memory = {.per_pair_of_nodes = 96},
}};

constexpr auto kBruck = "all-to-all-bruck";

/// Nodes are on a circle. In step s a node sends to the one 2^(s-1) places on all parts that it has whose
/// distance from their source to their destination has that digit.
std::unique_ptr<Schedule> make_bruck(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = common::all_to_all_facts(topology, values, kBruck, 1, 1, true);
  const Participants participants(topology);
  const NodeId nodes = participants.count();
  facts.steps = ceil_log(2, nodes);
  facts.claimed_steps = facts.steps;
  facts.lower_bound_steps = broadcast_lower_bound(nodes, topology.link_ports());
  facts.messages = facts.steps * nodes;
  return common::stepwise(std::move(facts),
                          [=, order = NodeGroups(topology).order()](std::uint64_t number, Step& step) {
                            const NodeId distance = NodeId{1} << (number - 1);
                            const auto from = [&](NodeId at, NodeId places) {
                              return static_cast<NodeId>((std::uint64_t{at} + places) % nodes);
                            };
                            std::vector<ChunkId> chunks;
                            for (NodeId at = 0; at < nodes; ++at) {
                              chunks.clear();
                              for (NodeId whole = distance; whole < nodes; ++whole) {
                                if ((whole & distance) == 0) continue;
                                const NodeId source = from(at, nodes - whole % distance);
                                chunks.push_back(participants.place(order[source]) * nodes +
                                                 participants.place(order[from(source, whole)]));
                              }
                              std::ranges::sort(chunks);
                              const NodeId to = order[from(at, distance)];
                              step.add(order[at], to, shortest_route(topology, order[at], to), chunks);
                            }
                          });
}

const AlgorithmRegistry::Entry bruck_entry{{
    .name = kBruck,
    .collective = {CollectiveKind::all_to_all},
    .summary = "all-to-all on any network in which parts travel the binary digits of their distance on a "
               "circle of all nodes, one digit a step",
    .source = "J. Bruck, C. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all "
              "communications in multiport message-passing systems, 1997, the index operation",
    .claim = "ceil(log_2 p) steps for p nodes; with p a power of two a node sends half of its data in each",
    .admissible = "any network, any number of nodes",
    .parameters = {common::data_parameter()},
    .make = make_bruck,
    .any_network = true,
    .memory = {.per_pair_of_nodes = 96},
}};

constexpr auto kHierarchical = "all-to-all-hierarchical";

/// Column c of a group is its nodes at the places c, c + m, c + 2m, ..., m the nodes of the smallest group;
/// the first is its head.
class Exchange {
 public:
  Exchange(const Topology& topology, const ParameterValues& values)
      : topology_(topology),
        participants_(topology),
        groups_(groups_of(topology, values)),
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

std::unique_ptr<Schedule> make_hierarchical(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = common::all_to_all_facts(topology, values, kHierarchical, 1, 1, true);
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

const AlgorithmRegistry::Entry hierarchical_entry{{
    .name = kHierarchical,
    .collective = {CollectiveKind::all_to_all},
    .summary =
        "all-to-all on any network within groups and across them: few and long messages between groups",
    .source = "hierarchical collectives, common knowledge; groups of unequal sizes are ours",
    .claim = "for G groups of at most M and at least m nodes M-1 steps within groups, G-1 across, and "
             "ceil(M/m) - 1 within",
    .admissible = "any network, any number of nodes",
    .parameters = {group_size_parameter(), common::data_parameter()},
    .make = make_hierarchical,
    .any_network = true,
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::any_network
