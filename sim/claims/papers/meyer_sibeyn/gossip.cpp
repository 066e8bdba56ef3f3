// Meyer and Sibeyn: time-independent gossiping on full-port tori. P is the number of PUs.
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "model/text.h"
#include "sim/run/workload.h"

namespace flitscope::claims::meyer_sibeyn {

namespace {

const PaperRegistry::Entry entry{{
    .name = "meyer-sibeyn",
    .citation = "Ulrich Meyer and Jop F. Sibeyn: Time-Independent Gossiping on Full-Port Tori, "
                "Max-Planck-Institut fuer Informatik, 1998",
    .parts = {&claims_of_sections_1_and_2, &claims_of_section_3, &claims_of_section_41, &claims_of_section_42,
              &claims_of_section_43, &claims_of_tables},
}};

ExperimentConfig gossip(const Shape& shape, const std::string& algorithm, const std::string& settings) {
  return experiment(fmt::format("{{kind: torus, shape: [{}]}}", fmt::join(shape, ", ")),
                    fmt::format("{{algorithm: {}{}}}", algorithm, settings));
}

}  // namespace

std::string name_of(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::uint64_t nodes_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

Shapes named(const std::vector<Shape>& shapes) {
  constexpr std::size_t kMaxNamed = 6;
  const auto names = texts_of(shapes, [](const Shape& shape) { return name_of(shape); });
  if (names.size() <= kMaxNamed) return {shapes, fmt::format("{}", fmt::join(names, ", "))};
  return {shapes, fmt::format("{}, {}, .. {} ({} tori)", names[0], names[1], names.back(), names.size())};
}

std::function<Shapes(Extent)> listed(std::vector<Shape> shapes, std::vector<Shape> more) {
  more.insert(more.begin(), shapes.begin(), shapes.end());
  return [=](Extent extent) { return named(quick(extent) ? shapes : more); };
}

Shapes by_nodes(std::vector<Shape> shapes) {
  std::ranges::stable_sort(shapes, {}, nodes_of);
  return named(shapes);
}

std::vector<std::uint32_t> sides(std::uint32_t first, std::uint64_t last, std::uint32_t step) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t side = first; side <= last; side += step) list.push_back(side);
  return list;
}

Shapes pairs(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
  std::vector<Shape> shapes;
  for (const std::uint32_t row : rows) {
    for (const std::uint32_t column : columns) shapes.push_back({row, column});
  }
  return by_nodes(std::move(shapes));
}

Shapes squares(std::uint32_t first, std::uint64_t last, std::uint32_t step) {
  return pairs(sides(first, last, step), sides(first, last, step));
}

Shapes tori_3d(Extent extent) {
  const std::uint64_t most = quick(extent) ? 250 : 900;
  std::vector<Shape> shapes;
  for (const std::uint32_t n1 : {3U, 6U, 9U}) {
    for (std::uint32_t n2 = n1; std::uint64_t{n1} * n2 * 3 <= most; n2 += n1) {
      for (std::uint32_t n3 = 3; std::uint64_t{n1} * n2 * n3 <= most; ++n3) shapes.push_back({n1, n2, n3});
    }
  }
  return by_nodes(std::move(shapes));
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

Cycles::Cycles(LinkPrograms of) : table(std::move(of)) {
  for (const TableCycle& cycle : table.cycles) {
    std::vector<int>& on_cycle = places.emplace_back(torus().nodes(), -1);
    for (std::size_t place = 0; place < cycle.nodes.size(); ++place)
      on_cycle[cycle.nodes[place]] = static_cast<int>(place);
  }
}

std::uint64_t Cycles::between(std::size_t cycle, NodeId a, NodeId b) const {
  const int apart = std::abs(places[cycle][a] - places[cycle][b]);
  const auto length = static_cast<int>(table.cycles[cycle].nodes.size());
  return static_cast<std::uint64_t>(std::min(apart, length - apart)) - 1;
}

Measure disjoint_cycles(Shapes (*tried)(Extent), const char* algorithm, std::uint64_t (*length)(const Shape&),
                        const char* measured) {
  const auto test = [=](Trial& t, const Shape& shape) {
    const LinkPrograms table = table_of(shape, algorithm);
    t.printed.equal(shape, "cycles", shape.size(), table.cycles.size());
    t.printed.add(share_no_link(table), shape, "the cycles share a link");
    for (const TableCycle& cycle : table.cycles)
      t.printed.equal(shape, "PUs on a cycle", length(shape), cycle.nodes.size());
  };
  return trying(tried, test, measured);
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

}  // namespace flitscope::claims::meyer_sibeyn
