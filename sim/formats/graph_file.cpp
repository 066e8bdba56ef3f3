#include "sim/formats/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <unordered_map>

#include "model/link_kinds.h"
#include "model/numbers.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/formats/text_lines.h"
#include "sim/formats/value_reader.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

bool PlanPlaces::check(const std::optional<PlanFault>& fault, Diagnostics& diagnostics) const {
  if (!fault) return true;
  const bool is_whole = fault->part == PlanFault::Part::whole;
  const auto& places = fault->part == PlanFault::Part::router ? routers : links;
  diagnostics.add(is_whole ? whole : places[fault->index], fault->message);
  return false;
}

bool is_graph_name(std::string_view name) {
  return is_word_of(name, "_-.");
}

namespace {

constexpr std::string_view kNameComment = "# flitscope name ";

std::string name_in_comment(std::string_view text) {
  if (!text.starts_with(kNameComment)) return {};
  text.remove_prefix(kNameComment.size());
  return printable(text.substr(0, text.find('\n')));
}

constexpr std::int64_t kLongestDelay = 65'535;
constexpr std::int64_t kLongestWire = 1'000'000;
constexpr std::int64_t kMaxGraphCyclesPerFlit = 65'535;

/// A graph in YAML.
class GraphReader : DiagnosingReader {
 public:
  GraphReader(const YamlNode& root, const CycleLength& clock, Diagnostics& diagnostics)
      : DiagnosingReader(diagnostics), root_(root), clock_(clock) {
    places_.whole = root.place;
  }

  std::optional<GraphPlan> read() {
    std::int64_t version = 0;
    members(root_, "", {member(version, {Parameter::integer("graph", "", {1, 1})})},
            {"name", "routers", "nodes", "links"});
    if (root_.find("graph") == nullptr) fail(root_.place, "a network begins with 'graph: 1'");
    if (const YamlNode* const name = root_.find("name")) plan_.name = printable(text(*name, "name"));
    const YamlNode* const nodes = list("nodes", false);
    each(list("routers", true), "routers", "{name: r0}",
         [&](const YamlNode& item, const std::string& path) { read_router(item, path, nodes == nullptr); });
    check_nodes_said();
    each(nodes, "nodes", "{name: n0, router: r0}",
         [&](const YamlNode& item, const std::string& path) { read_node(item, path); });
    if (sound_) sound_ = places_.check(fault_of_names(plan_), diagnostics_);
    // With attached nodes one router is a network.
    each(list("links", nodes == nullptr), "links", "{between: [r0, r1]}",
         [&](const YamlNode& item, const std::string& path) { read_link(item, path); });
    if (!sound_ || !places_.check(fault_of(plan_), diagnostics_)) return std::nullopt;
    attach_to_switches();
    return std::move(plan_);
  }

 private:
  /// A router, and the port if one is named: "r0:east".
  struct End {
    std::uint32_t router = 0;
    std::string port;
  };

  void members(const YamlNode& map, const std::string& path, const std::vector<Member>& list,
               const std::vector<std::string>& others = {}) {
    const auto [fit, known] = read_members(map, path, list, clock_, diagnostics_, others);
    sound_ = sound_ && fit && known;
  }

  const YamlNode* list(const std::string& key, bool required) {
    const YamlNode* const node = root_.find(key);
    const bool there = node != nullptr && node->kind != YamlNode::Kind::null;
    if (!there && required) fail(root_.place, "'{}' is missing; it must be a list", key);
    if (!there) return nullptr;
    if (node->kind == YamlNode::Kind::sequence) return node;
    if (node->kind != YamlNode::Kind::refused) fail(node->place, "{} must be a list", key);
    return nullptr;
  }

  template <typename Read>
  void each(const YamlNode* items, const std::string& name, const char* example, Read read) {
    if (items == nullptr) return;
    for (std::size_t i = 0; i < items->items.size(); ++i) {
      const std::string path = fmt::format("{}[{}]", name, i);
      if (items->items[i].kind == YamlNode::Kind::map) {
        read(items->items[i], path);
      } else if (items->items[i].kind != YamlNode::Kind::refused) {
        fail(items->items[i].place, "{} must be a map, such as {}", path, example);
      }
    }
  }

  std::string text(const YamlNode& node, const std::string& path) {
    if (node.kind == YamlNode::Kind::scalar && !node.text.empty()) return node.text;
    if (node.kind != YamlNode::Kind::refused) fail(node.place, "{} must be a text", path);
    sound_ = false;
    return {};
  }

  /// A name of a router, which a colon or blanks would spoil.
  std::string name(const YamlNode& map, const std::string& path) {
    const YamlNode* const node = map.find("name");
    if (node == nullptr) {
      fail(map.place, "{}.name is missing", path);
      return {};
    }
    std::string name = text(*node, path + ".name");
    if (!name.empty() && !is_graph_name(name)) {
      fail(node->place, "{}.name must be of {}, not {}", path, kGraphNameLetters, in_quotes(name));
    }
    return name;
  }

  /// Kept until the end of the program, as names of kinds in families are.
  const char* kind_of(const YamlNode& map, const std::string& path) {
    static std::set<std::string> kept;
    const YamlNode* const node = map.find("kind");
    if (node == nullptr) return GraphPlan::Link().kind;
    const auto kind = read_link_kind(*node, path + ".kind", diagnostics_);
    sound_ = sound_ && kind;
    return kind ? kept.insert(*kind).first->c_str() : GraphPlan::Link().kind;
  }

  std::optional<Point> point(const YamlNode& map, const std::string& path) {
    const YamlNode* const node = map.find("at");
    if (node == nullptr) return std::nullopt;
    std::vector<double> numbers;
    if (node->kind == YamlNode::Kind::sequence && node->items.size() == 2) {
      for (const YamlNode& item : node->items) {
        const auto number = number_in<double>(item.text);
        if (number && std::isfinite(*number)) numbers.push_back(*number);
      }
    }
    if (numbers.size() == 2) return Point{numbers[0], numbers[1]};
    return refuse(node->place, "{}.at must be two numbers, such as [0, 1.5]", path);
  }

  void add(GraphPlan::Router router, const SourceLocation& place) {
    numbers_.emplace(router.name, static_cast<std::uint32_t>(plan_.routers.size()));
    plan_.routers.push_back(std::move(router));
    places_.routers.push_back(place);
  }

  void read_router(const YamlNode& map, const std::string& path, bool nodes_by_default) {
    std::optional<bool> node;
    members(map, path, {member(node, {Parameter::boolean("node", "")})}, {"name", "at"});
    names_nodes_ = names_nodes_ || (nodes_by_default && node.value_or(false));
    if (unsaid_ == nullptr && map.find("node") == nullptr) unsaid_ = &map;
    add({name(map, path), node.value_or(nodes_by_default), point(map, path)}, map.place);
  }

  /// Refuses routers without the key where others say 'node: true': their author may not know that they are
  /// nodes, too.
  void check_nodes_said() {
    if (!names_nodes_ || unsaid_ == nullptr) return;
    fail(unsaid_->place,
         "a router without the key 'node' is a node, but other routers say 'node: true'; say 'node: false' "
         "here, or 'node: true' too");
  }

  void read_node(const YamlNode& map, const std::string& path) {
    std::string own = name(map, path);
    const auto router = end(map, path, "router");
    GraphPlan::Link link = link_of(map, path, {"name", "router", "at"});
    link.kind = kLinkOfNode.data();
    const auto number = static_cast<std::uint32_t>(plan_.routers.size());
    add({std::move(own), true, point(map, path)}, map.place);
    if (!router) return;
    add_link(*router, {number, {}}, link, map.place);
    add_link({number, {}}, *router, link, map.place);
  }

  void read_link(const YamlNode& map, const std::string& path) {
    GraphPlan::Link link = link_of(map, path, {"between", "from", "to", "kind"});
    link.kind = kind_of(map, path);
    if (link.kind == kLinkOfNode) {
      fail(map.find("kind")->place, "{}.kind must not be 'node', which links of attached nodes are", path);
    }
    if (const YamlNode* const both = map.find("between")) {
      if (both->kind != YamlNode::Kind::sequence || both->items.size() != 2 || map.find("from") != nullptr ||
          map.find("to") != nullptr) {
        return fail(
            both->place,
            "{}.between must be two routers, such as [r0, r1]; a link one way has 'from' and 'to' instead",
            path);
      }
      const auto one = end_of(both->items[0], path + ".between[0]");
      const auto other = end_of(both->items[1], path + ".between[1]");
      if (!one || !other) return;
      add_link(*one, *other, link, map.place);
      add_link(*other, *one, link, map.place);
      return;
    }
    const auto from = end(map, path, "from");
    const auto to = end(map, path, "to");
    if (to && !to->port.empty()) {
      return fail(map.find("to")->place,
                  "{}.to names a port; ports are outputs, so only 'from' of a link one way can name one",
                  path);
    }
    if (from && to) add_link(*from, *to, link, map.place);
  }

  /// Nodes with one link each way, both to a router without a node, are attached to it as those of `nodes`
  /// are.
  void attach_to_switches() {
    std::vector<std::vector<GraphPlan::Link*>> leaving(plan_.routers.size());
    std::vector<std::vector<GraphPlan::Link*>> entering(plan_.routers.size());
    for (GraphPlan::Link& link : plan_.links) {
      leaving[link.from].push_back(&link);
      entering[link.to].push_back(&link);
    }
    for (std::size_t router = 0; router < plan_.routers.size(); ++router) {
      if (!plan_.routers[router].node || leaving[router].size() != 1 || entering[router].size() != 1)
        continue;
      GraphPlan::Link& out = *leaving[router].front();
      GraphPlan::Link& in = *entering[router].front();
      if (out.to != in.from || plan_.routers[out.to].node) continue;
      out.kind = in.kind = kLinkOfNode.data();
    }
  }

  /// How long a link takes; the other keys of its map are `others`.
  GraphPlan::Link link_of(const YamlNode& map, const std::string& path,
                          const std::vector<std::string>& others) {
    GraphPlan::Link link;
    members(map, path,
            {member(link.delay, {Parameter::cycles("delay", "", {1, kLongestDelay})}),
             member(link.cycles_per_flit, {Parameter::of(ParameterType::ratio, "cycles_per_flit", "",
                                                         {1, kMaxGraphCyclesPerFlit})}),
             member(link.bandwidth, {Parameter::of(ParameterType::bandwidth, "bandwidth", "", {1})}),
             member(link.length, {Parameter::number("length", "", {0, kLongestWire})})},
            others);
    if (const YamlNode* const delay = map.find("delay"); delay != nullptr && link.delay)
      link.delay_time = parse_time(delay->text).value;
    if (link.bandwidth && link.cycles_per_flit)
      fail(map.place, "{} has both 'bandwidth' and 'cycles_per_flit'; leave one out", path);
    return link;
  }

  void add_link(const End& from, const End& to, GraphPlan::Link link, const SourceLocation& place) {
    link.from = from.router;
    link.to = to.router;
    link.port = from.port;
    plan_.links.push_back(std::move(link));
    places_.links.push_back(place);
  }

  std::optional<End> end(const YamlNode& map, const std::string& path, const std::string& key) {
    const YamlNode* const node = map.find(key);
    if (node != nullptr) return end_of(*node, path + "." + key);
    return refuse(map.place, "{}.{} is missing", path, key);
  }

  std::optional<End> end_of(const YamlNode& node, const std::string& path) {
    const std::string given = text(node, path);
    if (given.empty()) return std::nullopt;
    const std::size_t colon = given.find(':');
    const std::string router = given.substr(0, colon);
    const auto number = numbers_.find(router);
    if (number != numbers_.end()) {
      if (colon == std::string::npos) return End{number->second, {}};
      const std::string port = given.substr(colon + 1);
      if (is_graph_name(port)) return End{number->second, port};
      return refuse(node.place, "{}: the name of a port must be of {}, not {}", path, kGraphNameLetters,
                    in_quotes(port));
    }
    if (numbers_.contains("")) return std::nullopt;  // the name of a router is refused: it can be this one
    return refuse(node.place, "{} names {}, but there is no such router{}", path, in_quotes(router),
                  diagnostics_.many() ? "" : did_you_mean(router, texts_of(std::views::keys(numbers_))));
  }

  const YamlNode& root_;
  const CycleLength& clock_;
  GraphPlan plan_;
  PlanPlaces places_;
  bool names_nodes_ = false;          ///< a router says 'node: true'
  const YamlNode* unsaid_ = nullptr;  ///< the first router without the key
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace

std::optional<GraphPlan> read_graph(const std::filesystem::path& file, const CycleLength& clock,
                                    Diagnostics& diagnostics) {
  constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 28;
  std::error_code ignored;
  if (const auto size = std::filesystem::file_size(file, ignored); size != UINTMAX_MAX && size > kMaxBytes)
    return diagnostics.add({file.string()}, "is no network: longer than {} bytes", kMaxBytes);
  const auto text = text_of_file(file, diagnostics);
  if (!text) return std::nullopt;
  const std::string extension = file.extension().string();
  const bool yaml = extension == ".yaml" || extension == ".yml";
  auto plan = yaml ? read_graph_yaml(*text, file.string(), diagnostics, clock)
                   : read_anynet(*text, file.string(), diagnostics);
  if (plan && plan->name.empty()) plan->name = name_in_comment(*text);
  if (plan && plan->name.empty()) {
    const auto nodes = std::ranges::count_if(plan->routers, &GraphPlan::Router::node);
    plan->name = graph_name_of_file(file, static_cast<std::size_t>(nodes));
  }
  return plan;
}

std::string graph_name_of_file(const std::filesystem::path& file, std::size_t nodes) {
  return fmt::format("{} of {} nodes", printable(file.stem().string()), nodes);
}

std::string graph_name_comment(const std::string& name) {
  return fmt::format("{}{}\n", kNameComment, name);
}

std::optional<GraphPlan> read_graph_yaml(std::string_view text, const std::string& name,
                                         Diagnostics& diagnostics, const CycleLength& clock) {
  const auto root =
      parse_yaml_map(text, name, "a network must be a map; it begins with 'graph: 1'", diagnostics);
  return root ? GraphReader(*root, clock, diagnostics).read() : std::nullopt;
}

}  // namespace flitscope
