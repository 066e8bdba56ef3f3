#include "sim/report/report_parts.h"

#include <fmt/ranges.h>

namespace flitscope {

namespace {

/// "0" of a node's own packets, "17" of any chunk by its number.
std::string rule_text(const LinkRule& rule, const Topology& topology, std::uint64_t chunks_per_node) {
  if (rule.kind == LinkRule::Kind::own) {
    std::vector<std::uint64_t> numbers;
    for (const ChunkId chunk : rule.packets) numbers.push_back(chunk % chunks_per_node);
    return fmt::format("own {}", fmt::join(numbers, ", "));
  }
  if (rule.kind == LinkRule::Kind::list) return fmt::format("chunks {}", fmt::join(rule.packets, ", "));
  const std::string count = rule.count == LinkRule::kAll ? "all" : std::to_string(rule.count);
  const std::string skip = rule.skip == 0 ? "" : fmt::format(", but the first {}", rule.skip);
  return fmt::format("{} from {}{}", count, topology.port_name(rule.port), skip);
}

Json rule_json(const LinkRule& rule, const Topology& topology) {
  if (rule.kind == LinkRule::Kind::own) return {{"own", rule.packets}};
  if (rule.kind == LinkRule::Kind::list) return {{"list", rule.packets}};
  return {{"relay", topology.port_name(rule.port)},
          {"skip", rule.skip},
          {"count", rule.count == LinkRule::kAll ? Json(nullptr) : Json(rule.count)}};
}

}  // namespace

std::string table_text(const LinkPrograms& table) {
  const ScheduleFacts& facts = table.facts;
  const Topology& topology = facts.topology;
  const std::uint64_t chunks_per_node = facts.collective.chunk_bytes.size() / topology.nodes();
  std::string text = fmt::format("{}, {}: routing table\n", facts.algorithm, topology.name());
  text += fmt::format(
      "done after {} steps and {} packets; a node keeps at most {} packets to relay\n"
      "packet k of a node is chunk {} * node + k\n",
      facts.steps, facts.messages, most_kept(table), chunks_per_node);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    text += fmt::format("\n{}\n", topology.node_name(node));
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const LinkProgram& link = table.links[topology.channel(node, port)];
      if (link.rules.empty()) continue;
      std::vector<std::string> rules;
      for (const LinkRule& rule : link.rules) rules.push_back(rule_text(rule, topology, chunks_per_node));
      text += fmt::format("  to {}: {} ({} packets)\n", topology.port_name(port), fmt::join(rules, "; then "),
                          link.packets);
    }
  }
  return text;
}

Json table_json(const LinkPrograms& table) {
  const ScheduleFacts& facts = table.facts;
  const Topology& topology = facts.topology;
  const auto cycle_json = [&](const TableCycle& cycle) -> Json {
    const auto place = [&](NodeId node) { return topology.coordinates(node); };
    return {{"name", cycle.name}, {"nodes", json_list(cycle.nodes, place)}};
  };
  Json nodes = Json::array();
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    Json links = Json::array();
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const LinkProgram& link = table.links[topology.channel(node, port)];
      if (link.rules.empty()) continue;
      const auto of_rule = [&](const LinkRule& rule) { return rule_json(rule, topology); };
      links.push_back({{"to", topology.port_name(port)},
                       {"neighbour", topology.coordinates(*topology.neighbour(node, port))},
                       {"packets", link.packets},
                       {"rules", json_list(link.rules, of_rule)}});
    }
    nodes.push_back({{"node", topology.coordinates(node)}, {"links", std::move(links)}});
  }
  return {{"flitscope", "routing-table"},
          {"version", 1},
          {"algorithm", facts.algorithm},
          {"topology", {{"kind", name_of(topology.kind())}, {"shape", topology.sides()}}},
          {"steps", facts.steps},
          {"packets", facts.messages},
          {"most_kept", most_kept(table)},
          {"chunks", facts.collective.chunk_bytes},
          {"cycles", json_list(table.cycles, cycle_json)},
          {"nodes", std::move(nodes)}};
}

}  // namespace flitscope
