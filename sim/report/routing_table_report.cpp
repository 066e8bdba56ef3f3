#include "sim/report/routing_table_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/link_programs.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

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
  Json cycles = Json::array();
  for (const TableCycle& cycle : table.cycles) {
    Json nodes = Json::array();
    for (const NodeId node : cycle.nodes) nodes.push_back(topology.coordinates(node));
    cycles.push_back({{"name", cycle.name}, {"nodes", std::move(nodes)}});
  }
  Json nodes = Json::array();
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    Json links = Json::array();
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const LinkProgram& link = table.links[topology.channel(node, port)];
      if (link.rules.empty()) continue;
      Json rules = Json::array();
      for (const LinkRule& rule : link.rules) rules.push_back(rule_json(rule, topology));
      links.push_back({{"to", topology.port_name(port)},
                       {"neighbour", topology.coordinates(*topology.neighbour(node, port))},
                       {"packets", link.packets},
                       {"rules", std::move(rules)}});
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
          {"cycles", std::move(cycles)},
          {"nodes", std::move(nodes)}};
}

// --- The drawing -------------------------------------------------------------------------------------------

namespace {

constexpr int kCell = 44;    ///< between neighbouring nodes
constexpr int kMargin = 40;  ///< around a panel: half a cell for the links that wrap around
constexpr int kTitle = 24;
constexpr int kStub = kCell / 2;
constexpr std::array kColours{"#1f5fbf", "#c8322b", "#2e8b3d", "#b9770e", "#7b3fa0", "#0f8b8d"};

struct Pixel {
  int x = 0;
  int y = 0;
};

class TableDrawing {
 public:
  explicit TableDrawing(const LinkPrograms& table)
      : table_(table), topology_(table.facts.topology), last_(topology_.dimensions() - 1) {
    for (unsigned k = 1; k < last_; ++k) panels_ *= topology_.side(k);
  }

  [[nodiscard]] std::string svg() {
    std::vector<bool> on_cycle(topology_.channel_ids(), false);
    for (std::size_t number = 0; number < table_.cycles.size(); ++number) {
      const auto& nodes = table_.cycles[number].nodes;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeId from = nodes[i];
        const unsigned port = port_between(from, nodes[(i + 1) % nodes.size()], on_cycle);
        const NodeId to = *topology_.neighbour(from, port);
        on_cycle[topology_.channel(from, port)] = true;
        on_cycle[topology_.channel(to, topology_.opposite_port(port))] = true;
        add_link(from, port, kColours[number % kColours.size()]);
      }
    }
    for (ChannelId link = 0; link < topology_.channel_ids(); ++link) {
      if (!on_cycle[link] && !table_.links[link].rules.empty()) add_supply(link);
    }
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      const Pixel at = place(node);
      body_ +=
          fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"white\" stroke=\"black\"/>\n", at.x, at.y);
    }
    const int width = static_cast<int>(panels_) * panel_width();
    const int height = 2 * kMargin + kTitle + (rows() - 1) * kCell;
    std::string title;
    for (std::size_t number = 0; number < table_.cycles.size(); ++number) {
      title += fmt::format("<tspan dx=\"6\" fill=\"{}\">{}</tspan>", kColours[number % kColours.size()],
                           table_.cycles[number].name);
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
        "<text x=\"8\" y=\"16\" font-family=\"sans-serif\" font-size=\"12\">{2}:{3}</text>\n{4}</svg>\n",
        width, height, topology_.name(), title, body_);
  }

 private:
  [[nodiscard]] int rows() const { return last_ == 0 ? 1 : static_cast<int>(topology_.side(0)); }
  [[nodiscard]] int columns() const { return static_cast<int>(topology_.side(last_)); }
  [[nodiscard]] int panel_width() const { return 2 * kMargin + (columns() - 1) * kCell; }

  [[nodiscard]] Pixel place(NodeId node) const {
    std::uint32_t panel = 0;
    for (unsigned k = 1; k < last_; ++k) panel = panel * topology_.side(k) + topology_.coordinate(node, k);
    const int row = last_ == 0 ? 0 : static_cast<int>(topology_.coordinate(node, 0));
    const int column = static_cast<int>(topology_.coordinate(node, last_));
    return {static_cast<int>(panel) * panel_width() + kMargin + column * kCell,
            kTitle + kMargin + row * kCell};
  }

  /// The port of a link from one node to the next that is not drawn yet.
  [[nodiscard]] unsigned port_between(NodeId from, NodeId to, const std::vector<bool>& drawn) const {
    unsigned port = 0;
    while (*topology_.neighbour(from, port) != to || drawn[topology_.channel(from, port)]) ++port;
    return port;
  }

  /// Where a link through `port` points to in the picture: right and down, or slantwise to another panel.
  [[nodiscard]] Pixel direction(unsigned port) const {
    const int sign = sign_of_port(port) == Sign::plus ? 1 : -1;
    const unsigned dimension = dimension_of_port(port);
    if (dimension == last_) return {sign, 0};
    if (dimension == 0) return {0, sign};
    return {sign, -sign};
  }

  [[nodiscard]] bool is_straight(NodeId from, unsigned port) const {
    const unsigned dimension = dimension_of_port(port);
    if (dimension != 0 && dimension != last_) return false;
    const std::uint32_t at = topology_.coordinate(from, dimension);
    return sign_of_port(port) == Sign::plus ? at + 1 < topology_.side(dimension) : at > 0;
  }

  void add_line(Pixel from, Pixel to, const char* style) {
    body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", from.x, from.y, to.x, to.y,
                         style);
  }

  /// A link of a cycle; one that wraps around or leaves the panel is a stub at both ends.
  void add_link(NodeId from, unsigned port, const char* colour) {
    const std::string style = fmt::format("stroke=\"{}\" stroke-width=\"3\"", colour);
    const NodeId to = *topology_.neighbour(from, port);
    if (is_straight(from, port)) {
      add_line(place(from), place(to), style.c_str());
      return;
    }
    add_stub(from, port, style);
    add_stub(to, topology_.opposite_port(port), style);
  }
  void add_stub(NodeId node, unsigned port, const std::string& style) {
    const Pixel at = place(node);
    const Pixel to = direction(port);
    const int length = to.x != 0 && to.y != 0 ? kStub / 2 : kStub;
    add_line(at, {at.x + to.x * length, at.y + to.y * length}, style.c_str());
  }

  /// A thin arrow into the node that is supplied, from half way, beside the opposite one.
  void add_supply(ChannelId link) {
    const unsigned port = topology_.channel_port(link);
    const Pixel end = place(*topology_.neighbour(topology_.channel_node(link), port));
    const Pixel to = direction(port);
    const Pixel beside{4 * to.y, 4 * to.x};
    const int length = to.x != 0 && to.y != 0 ? kStub / 2 : kStub;
    const Pixel tip{end.x - 6 * to.x + beside.x, end.y - 6 * to.y + beside.y};
    add_line({end.x - length * to.x + beside.x, end.y - length * to.y + beside.y}, tip, "stroke=\"#808080\"");
    const Pixel barb{tip.x - 4 * to.x, tip.y - 4 * to.y};
    body_ += fmt::format("<polygon points=\"{},{} {},{} {},{}\" fill=\"#808080\"/>\n", tip.x, tip.y,
                         barb.x + 2 * to.y, barb.y + 2 * to.x, barb.x - 2 * to.y, barb.y - 2 * to.x);
  }

  const LinkPrograms& table_;
  const Topology& topology_;
  unsigned last_;
  std::uint32_t panels_ = 1;
  std::string body_;
};

}  // namespace

std::string table_svg(const LinkPrograms& table) {
  return TableDrawing(table).svg();
}

}  // namespace flitscope
