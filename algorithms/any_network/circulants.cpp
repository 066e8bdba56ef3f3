// All-gathers round circles of nodes, which reduce backwards.
// bruck: in every step a node sends all that it has, as far as it is lacking, at distances that double.
// direct: every node sends its part to every other one, or gets a part from each, one a step.
// hierarchical: round a circle of groups of nodes, then within the groups.
#include <algorithm>
#include <utility>

#include "algorithms/common/spread.h"
#include "model/node_set.h"

namespace flitscope::any_network::circulants {
namespace {

/// Position i sends the `count` blocks from that of position i + `first` on to position i + `to`. Positions
/// are modulo their number.
struct CirculantStep {
  std::uint32_t to = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

enum class Circulant : std::uint8_t {
  ring,    ///< every block goes round: n - 1 steps, one block a message
  bruck,   ///< to distance -1, -2, -4, .. all that is there: ceil(log_2 n) steps
  direct,  ///< every block by itself to every other position: n - 1 steps, one block a message
};

/// The steps of `positions` positions, each with a block of its own at the start, until each has every block.
/// No position gets a block twice.
std::vector<CirculantStep> circulant_steps(Circulant method, std::uint32_t positions) {
  const std::uint32_t n = positions;
  std::vector<CirculantStep> steps;
  switch (method) {
    case Circulant::ring:
      for (std::uint32_t step = 1; step < n; ++step) steps.push_back({1, (n - (step - 1)) % n, 1});
      break;
    case Circulant::bruck:
      for (std::uint32_t have = 1; have < n; have += steps.back().count) {
        steps.push_back({n - have, 0, std::min(have, n - have)});
      }
      break;
    case Circulant::direct:
      for (std::uint32_t step = 1; step < n; ++step) steps.push_back({step, 0, 1});
      break;
  }
  return steps;
}

/// The all-gather of all nodes, whose positions are in an order in which neighbours are close (NodeGroups).
common::Spread circulant_spread(const Topology& topology, Circulant method) {
  std::vector<NodeId> order = NodeGroups(topology).order();
  const auto n = static_cast<std::uint32_t>(order.size());
  std::vector<CirculantStep> steps = circulant_steps(method, n);
  const std::uint64_t count = steps.size();
  return {.steps = count,
          .messages = count * n,
          .produce =
              [topology, participants = Participants(topology), order = std::move(order),
               steps = std::move(steps), n](std::uint64_t number, const common::Spread::Send& send) {
                const CirculantStep& step = steps[number - 1];
                std::vector<ChunkId> chunks(step.count);
                for (std::uint32_t i = 0; i < n; ++i) {
                  for (std::uint32_t block = 0; block < step.count; ++block) {
                    chunks[block] = participants.place(order[(i + std::uint64_t{step.first} + block) % n]);
                  }
                  const NodeId to = order[(i + std::uint64_t{step.to}) % n];
                  send(order[i], to, shortest_route(topology, order[i], to), chunks);
                }
              },
          .channel_load = 0};
}

/// "ring" or "bruck".
Parameter circulant_parameter(std::string name, std::string summary) {
  return Parameter::choice(std::move(name), std::move(summary), {"ring", "bruck"}).or_else("ring");
}

Circulant circulant_of(const ParameterValues& values, const std::string& name) {
  return values.text(name) == "ring" ? Circulant::ring : Circulant::bruck;
}

const common::Family bruck_family{{
    .name = "bruck",
    .how = "at distances 1, 2, 4, ... round a circle of all nodes",
    .source =
        "J. Bruck, C. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all "
        "communications in multiport message-passing systems, 1997, the concatenation; backwards it reduces",
    .claim = "ceil(log_2 p) steps for p nodes, the fewest with one message a node and step; a node sends "
             "(p-1)/p of the vector",
    .admissible = "any network, any number of nodes",
    .make = [](const Topology& topology, const ParameterValues&,
               const std::string&) { return circulant_spread(topology, Circulant::bruck); },
    .any_network = true,
}};

const common::Family direct_family{{
    .name = "direct",
    .how = "by messages between every two nodes, one a step",
    .source = "pairwise exchange, common knowledge",
    .claim = "p-1 steps for p nodes; a node sends (p-1)/p of the vector, no part through another node",
    .admissible = "any network, any number of nodes",
    .make = [](const Topology& topology, const ParameterValues&,
               const std::string&) { return circulant_spread(topology, Circulant::direct); },
    .any_network = true,
}};

/// Column c of a group is its nodes at the places c, c + m, c + 2m, ..., m the nodes of the smallest group.
/// The first is its head and gathers their parts; heads of a column all-gather across groups; then groups
/// all-gather what their heads have.
class Hierarchy {
 public:
  Hierarchy(const Topology& topology, const ParameterValues& values)
      : topology_(topology),
        participants_(topology),
        groups_(groups_of(topology, values)),
        columns_(groups_.smallest()),
        across_(circulant_steps(circulant_of(values, "across"), groups_.count())),
        within_(circulant_of(values, "within")),
        gather_steps_((groups_.largest() - 1) / columns_),
        within_steps_(circulant_steps(within_, groups_.largest()).size()) {}

  [[nodiscard]] std::uint64_t steps() const { return gather_steps_ + across_.size() + within_steps_; }

  void operator()(std::uint64_t number, const common::Spread::Send& send) const {
    if (number <= gather_steps_) return gather(static_cast<std::uint32_t>(number), send);
    const std::uint64_t index = number - 1 - gather_steps_;
    if (index < across_.size()) return spread_across(across_[index], send);
    spread_within(index - across_.size(), send);
  }

 private:
  /// In step s the nodes s places below the heads send their part.
  void gather(std::uint32_t step, const common::Spread::Send& send) const {
    for (std::uint32_t group = 0; group < groups_.count(); ++group) {
      const auto nodes = groups_[group];
      for (std::uint32_t head = 0; head < columns_ && head + step * columns_ < nodes.size(); ++head) {
        const NodeId from = nodes[head + step * columns_];
        const ChunkId chunk = participants_.place(from);
        send(from, nodes[head], shortest_route(topology_, from, nodes[head]), std::span(&chunk, 1));
      }
    }
  }
  void add_column(std::uint32_t group, std::uint32_t column, std::vector<ChunkId>& chunks) const {
    const auto nodes = groups_[group];
    for (std::size_t at = column; at < nodes.size(); at += columns_) {
      chunks.push_back(participants_.place(nodes[at]));
    }
  }
  void spread_across(const CirculantStep& step, const common::Spread::Send& send) const {
    std::vector<ChunkId> chunks;
    const std::uint32_t n = groups_.count();
    for (std::uint32_t group = 0; group < n; ++group) {
      for (std::uint32_t column = 0; column < columns_; ++column) {
        chunks.clear();
        for (std::uint32_t block = 0; block < step.count; ++block) {
          add_column((group + step.first + block) % n, column, chunks);
        }
        const NodeId from = groups_[group][column];
        const NodeId to = groups_[(group + step.to) % n][column];
        send(from, to, shortest_route(topology_, from, to), chunks);
      }
    }
  }
  void spread_within(std::uint64_t index, const common::Spread::Send& send) const {
    std::vector<ChunkId> chunks;
    for (std::uint32_t group = 0; group < groups_.count(); ++group) {
      const auto nodes = groups_[group];
      const auto n = static_cast<std::uint32_t>(nodes.size());
      const auto steps = circulant_steps(within_, n);
      if (index >= steps.size()) continue;
      const auto& [to, first, count] = steps[index];
      for (std::uint32_t at = 0; at < n; ++at) {
        const NodeId receiver = nodes[(at + to) % n];
        chunks.clear();
        for (std::uint32_t block = 0; block < count; ++block) {
          const std::uint32_t column = (at + first + block) % n;
          if (column >= columns_) continue;
          for (std::uint32_t other = 0; other < groups_.count(); ++other) add_column(other, column, chunks);
        }
        std::erase(chunks, participants_.place(receiver));
        if (!chunks.empty())
          send(nodes[at], receiver, shortest_route(topology_, nodes[at], receiver), chunks);
      }
    }
  }

  Topology topology_;
  Participants participants_;
  NodeGroups groups_;
  std::uint32_t columns_;
  std::vector<CirculantStep> across_;
  Circulant within_;
  std::uint64_t gather_steps_;
  std::uint64_t within_steps_;
};

common::Spread make_hierarchical(const Topology& topology, const ParameterValues& values,
                                 const std::string& /*algorithm*/) {
  const Hierarchy hierarchy(topology, values);
  std::uint64_t messages = 0;
  for (std::uint64_t number = 1; number <= hierarchy.steps(); ++number) {
    hierarchy(number, [&](NodeId, NodeId, Route, std::span<const ChunkId>) { ++messages; });
  }
  return {.steps = hierarchy.steps(), .messages = messages, .produce = hierarchy, .channel_load = 0};
}

const common::Family hierarchical_family{{
    .name = "hierarchical",
    .how = "across groups and within them",
    .source = "hierarchical collectives, common knowledge; groups of unequal sizes are ours",
    .claim = "for G groups of at most M and at least m nodes, ceil(M/m) - 1 steps, and G-1 (ring) or "
             "ceil(log_2 G) (bruck) across groups and M-1 or ceil(log_2 M) within; of equal groups a node "
             "sends (G-1)/p of the vector across groups",
    .admissible = "any network, any number of nodes",
    .parameters = {circulant_parameter("within", "how nodes of a group exchange their parts"),
                   circulant_parameter("across", "how groups exchange their parts"), group_size_parameter()},
    .make = make_hierarchical,
    .any_network = true,
}};

}  // namespace
}  // namespace flitscope::any_network::circulants
