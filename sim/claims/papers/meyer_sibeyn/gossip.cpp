#include "sim/claims/papers/meyer_sibeyn/gossip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "algorithms/meyer_sibeyn/gossip.h"
#include "sim/claims/measure.h"
#include "sim/run/workload.h"

namespace flitscope::claims::meyer_sibeyn {

namespace {

ExperimentConfig gossip(const Shape& shape, const std::string& algorithm, const std::string& settings) {
  return experiment(fmt::format("{{kind: torus, shape: [{}]}}", fmt::join(shape, ", ")),
                    fmt::format("{{algorithm: {}{}}}", algorithm, settings));
}

}  // namespace

std::string size_of(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::string sizes_of(const Shapes& shapes) {
  constexpr std::size_t kMaxNamed = 6;
  std::vector<std::string> names;
  for (const Shape& shape : shapes) names.push_back(size_of(shape));
  if (names.size() <= kMaxNamed) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, {}, .. {} ({} tori)", names[0], names[1], names.back(), names.size());
}

std::uint64_t nodes_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::vector<std::uint32_t> sides(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t side = first; side <= last; side += step) list.push_back(side);
  return list;
}

Shapes pairs(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
  Shapes shapes;
  for (const std::uint32_t row : rows) {
    for (const std::uint32_t column : columns) shapes.push_back({row, column});
  }
  std::ranges::stable_sort(shapes, {}, nodes_of);
  return shapes;
}

Shapes tori_3d(Extent extent) {
  const std::uint64_t most = quick(extent) ? 250 : 900;
  Shapes shapes;
  for (const std::uint32_t n1 : {3U, 6U, 9U}) {
    for (std::uint32_t n2 = n1; std::uint64_t{n1} * n2 * 3 <= most; n2 += n1) {
      for (std::uint32_t n3 = 3; std::uint64_t{n1} * n2 * n3 <= most; ++n3) shapes.push_back({n1, n2, n3});
    }
  }
  std::ranges::stable_sort(shapes, {}, nodes_of);
  return shapes;
}

LinkPrograms table_of(const Shape& shape, const std::string& algorithm, const std::string& settings) {
  return make_table(gossip(shape, algorithm, settings));
}

std::uint64_t table_steps(const Shape& shape, const std::string& algorithm, const std::string& settings) {
  return table_of(shape, algorithm, settings).facts.steps;
}

std::optional<std::uint64_t> checked_steps(const Shape& shape, const std::string& algorithm) {
  const CheckReport report = check(gossip(shape, algorithm, ""));
  return report.legal && report.claim_kept.value_or(true) ? std::optional(report.steps) : std::nullopt;
}

std::vector<int> places_on(const TableCycle& cycle, NodeId nodes) {
  std::vector<int> places(nodes, -1);
  for (std::size_t place = 0; place < cycle.nodes.size(); ++place) {
    places[cycle.nodes[place]] = static_cast<int>(place);
  }
  return places;
}

std::vector<std::vector<int>> all_places(const LinkPrograms& table) {
  std::vector<std::vector<int>> all;
  for (const TableCycle& cycle : table.cycles) all.push_back(places_on(cycle, table.facts.topology.nodes()));
  return all;
}

std::uint64_t between(const std::vector<int>& places, std::size_t length, NodeId a, NodeId b) {
  const int apart = std::abs(places[a] - places[b]);
  return static_cast<std::uint64_t>(std::min(apart, static_cast<int>(length) - apart)) - 1;
}

void add_cycles(Cases& cases, const Shape& shape, const LinkPrograms& table, std::uint64_t length) {
  cases.equal(size_of(shape), "cycles", shape.size(), table.cycles.size());
  cases.add(share_no_link(table), size_of(shape), "the cycles share a link");
  for (const TableCycle& cycle : table.cycles)
    cases.equal(size_of(shape), "PUs on a cycle", length, cycle.nodes.size());
}

bool share_no_link(const LinkPrograms& table) {
  const Topology& topology = table.facts.topology;
  std::map<std::pair<NodeId, NodeId>, unsigned> used;
  for (const TableCycle& cycle : table.cycles) {
    for (std::size_t i = 0; i < cycle.nodes.size(); ++i) {
      ++used[std::minmax(cycle.nodes[i], cycle.nodes[(i + 1) % cycle.nodes.size()])];
    }
  }
  return std::ranges::all_of(used, [&](const auto& entry) {
    unsigned links = 0;  // a side of 2 has two between its nodes
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      if (topology.neighbour(entry.first.first, port) == entry.first.second) ++links;
    }
    return entry.second <= links;
  });
}

std::uint64_t Trail::length() const {
  return std::accumulate(visits.begin(), visits.end(), std::uint64_t{0});
}

std::uint64_t Trail::nodes() const {
  return visits.size() - static_cast<std::uint64_t>(std::ranges::count(visits, 0U));
}

std::vector<Trail> trails_of(const Topology& torus,
                             const std::function<std::optional<unsigned>(NodeId, unsigned)>& connected) {
  std::vector<bool> travelled(torus.channel_ids(), false);
  std::vector<Trail> trails;
  for (ChannelId first = 0; first < torus.channel_ids(); ++first) {
    if (travelled[first]) continue;
    Trail trail{std::vector<std::uint32_t>(torus.nodes(), 0)};
    ChannelId link = first;
    do {
      travelled[link] = true;
      const unsigned port = torus.channel_port(link);
      const NodeId node = *torus.neighbour(torus.channel_node(link), port);
      const auto out = connected(node, port ^ 1U);
      if (!out) break;
      travelled[torus.channel(node, port ^ 1U)] = true;  // the same trail backwards
      ++trail.visits[node];
      link = torus.channel(node, *out);
    } while (link != first);
    if (link == first && trail.length() > 0) trails.push_back(std::move(trail));
  }
  return trails;
}

Laps laps_on(const Shape& shape) {
  const Topology topology(TopologyKind::torus, shape);
  const std::vector<unsigned> moves = flitscope::meyer_sibeyn::moves_of_laps(shape);
  Laps laps;
  std::vector<bool> used(topology.channel_ids(), false);
  for (std::uint32_t j = 0; j < shape.size(); ++j) {
    Trail cycle{std::vector<std::uint32_t>(topology.nodes(), 0)};
    const NodeId start = topology.moved(0, 0, Sign::plus, j);
    NodeId at = start;
    for (const unsigned axis : moves) {
      ++cycle.visits[at];
      const ChannelId link = topology.channel(at, port_of(axis, Sign::plus));
      laps.share_a_link = laps.share_a_link || used[link];
      used[link] = true;
      at = topology.moved(at, axis, Sign::plus, 1);
    }
    laps.close = laps.close && at == start;
    laps.cycles.push_back(std::move(cycle));
  }
  return laps;
}

}  // namespace flitscope::claims::meyer_sibeyn
