// hierarchical: all-gather across groups of nodes, then within them; backwards it reduces.

#include "algorithms/common/circulant.h"
#include "model/node_set.h"

namespace flitscope::any_network::hierarchical {
namespace {

/// Column c of a group is its nodes at the places c, c + m, c + 2m, ..., m the nodes of the smallest group.
/// The first is its head and gathers their parts; heads of a column all-gather across groups; then groups
/// all-gather what their heads have.
class Hierarchy {
 public:
  Hierarchy(const Topology& topology, const ParameterValues& values)
      : topology_(topology),
        participants_(topology),
        groups_(common::groups_of(topology, values)),
        columns_(groups_.smallest()),
        across_(common::circulant_steps(common::circulant_of(values, "across"), groups_.count())),
        within_(common::circulant_of(values, "within")),
        gather_steps_((groups_.largest() - 1) / columns_),
        within_steps_(common::circulant_steps(within_, groups_.largest()).size()) {}

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
  void spread_across(const common::CirculantStep& step, const common::Spread::Send& send) const {
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
      const auto steps = common::circulant_steps(within_, n);
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
  std::vector<common::CirculantStep> across_;
  common::Circulant within_;
  std::uint64_t gather_steps_;
  std::uint64_t within_steps_;
};

common::Spread make(const Topology& topology, const ParameterValues& values,
                    const std::string& /*algorithm*/) {
  const Hierarchy hierarchy(topology, values);
  std::uint64_t messages = 0;
  for (std::uint64_t number = 1; number <= hierarchy.steps(); ++number) {
    hierarchy(number, [&](NodeId, NodeId, Route, std::span<const ChunkId>) { ++messages; });
  }
  return {.steps = hierarchy.steps(), .messages = messages, .produce = hierarchy, .channel_load = 0};
}

const common::Family family{{
    .name = "hierarchical",
    .how = "across groups and within them",
    .source = "hierarchical collectives, common knowledge; groups of unequal sizes are ours",
    .claim = "for G groups of at most M and at least m nodes, ceil(M/m) - 1 steps, and G-1 (ring) or "
             "ceil(log_2 G) (bruck) across groups and M-1 or ceil(log_2 M) within; of equal groups a node "
             "sends (G-1)/p of the vector across groups",
    .admissible = "any network, any number of nodes",
    .parameters = {common::circulant_parameter("within", "how nodes of a group exchange their parts"),
                   common::circulant_parameter("across", "how groups exchange their parts"),
                   common::group_size_parameter()},
    .make = make,
    .any_network = true,
}};

}  // namespace
}  // namespace flitscope::any_network::hierarchical
