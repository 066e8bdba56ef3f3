// permutation: every node sends to one node and is sent to by one, as a file says or drawn at random.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "model/error.h"
#include "model/random.h"
#include "model/text.h"
#include "traffic/number_table.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_permutation {
namespace {

class Permutation final : public FixedPattern {
 public:
  explicit Permutation(std::vector<NodeId> partners) : partners_(std::move(partners)) {}

  NodeId partner(NodeId source) const override { return partners_[source]; }

 private:
  std::vector<NodeId> partners_;
};

/// All permutations are equally likely (Fisher and Yates).
std::vector<NodeId> drawn(NodeId nodes, std::uint64_t seed) {
  std::vector<NodeId> partners(nodes);
  std::iota(partners.begin(), partners.end(), NodeId{0});
  std::mt19937_64 random(seed);
  for (NodeId left = nodes; left > 1; --left) {
    std::swap(partners[left - 1], partners[random_below(random, left)]);
  }
  return partners;
}

std::vector<NodeId> read(const Topology& topology, const std::string& file, const FileReader& text_of) {
  std::vector<NodeId> partners;
  std::vector<bool> taken(topology.nodes(), false);
  for (const NumberLine& line : number_lines(text_of(file), file)) {
    for (const double number : line.numbers) {
      const auto node = static_cast<NodeId>(std::min<double>(number, topology.nodes()));
      if (number != node || node >= topology.nodes() || taken[node]) {
        const bool twice = number == node && node < topology.nodes();
        throw InputError(fmt::format(
            "{}:{}: {} {}", printable(file), line.line, number,
            twice ? "is named twice; a permutation names every node once"
                  : fmt::format("is no node; nodes have the numbers 0 to {}", topology.nodes() - 1)));
      }
      taken[node] = true;
      partners.push_back(node);
    }
  }
  if (partners.size() != topology.nodes()) {
    throw InputError(fmt::format("{}: it names {} destinations; the {} has {} nodes", printable(file),
                                 partners.size(), topology.name(), topology.nodes()));
  }
  return partners;
}

const TrafficRegistry::Entry entry{{
    .name = "permutation",
    .summary = "every node to one node and from one node, drawn at random or from a file",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any",
    .parameters = {{.name = "destinations",
                    .type = ParameterType::file,
                    .summary = "file with the number of each node's destination, node 0's first",
                    .fallback = "null"},
                   {.name = "permutation_seed",
                    .type = ParameterType::integer,
                    .summary = "draws the permutation, if no file is given",
                    .fallback = "1"}},
    .make =
        [](const PatternInput& in) {
          return std::make_unique<Permutation>(
              in.values.has("destinations")
                  ? read(in.topology, in.values.text("destinations"), in.text_of)
                  : drawn(in.topology.nodes(),
                          static_cast<std::uint64_t>(in.values.integer("permutation_seed"))));
        },
}};

}  // namespace
}  // namespace flitscope::traffic_permutation
