// infragraph: devices of components, their instances, and the edges between them, as YAML or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <cmath>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/network_machine.h"
#include "sim/formats/graph_file.h"
#include "sim/formats/yaml_source.h"

namespace flitscope::infragraph_format {
namespace {

constexpr std::uint32_t kMaxCount = 1U << 20;
constexpr std::size_t kMaxEdges = std::size_t{1} << 22;
constexpr unsigned kMaxDepth = 16;  ///< of devices in devices

/// A component of a device; of kind "device" it stands for all of those of the device with its name.
struct Component {
  std::string kind;
  std::uint32_t count = 0;
};

struct Device {
  const YamlNode* node = nullptr;
  std::map<std::string, Component> components = {};
  std::vector<std::string> order = {};  ///< of their names, as written
};

/// "nic[0:2]" of a part of which there are so many.
struct Part {
  std::string name;
  std::vector<std::uint32_t> indices;
};

struct Vertex {
  std::string name;
  std::string kind;
};

using Edge = DescribedNetwork::Link;

/// Vertices and edges as the description lists them, one edge at most between two vertices.
class Expansion {
 public:
  explicit Expansion(const ImportFile& file) {
    const auto root = parse_yaml_map(
        file.text, file.name, "an InfraGraph is a map of devices, instances, links and edges", diagnostics_);
    if (root) read(*root);
    diagnostics_.throw_if_any();
  }

  [[nodiscard]] const std::vector<Vertex>& vertices() const { return vertices_; }
  [[nodiscard]] std::vector<Edge> edges() const {
    std::vector<Edge> edges;
    for (const auto& [ends, like] : edges_) edges.push_back({ends.first, ends.second, like});
    return edges;
  }

 private:
  using Paths = std::vector<std::string>;
  using Links = std::map<std::string, DescribedLink>;

  template <typename... Args>
  [[noreturn]] void fail(const YamlNode& node, fmt::format_string<Args...> format, Args&&... args) {
    const std::string message = fmt::format(format, std::forward<Args>(args)...);
    diagnostics_.add(node.place, message);
    diagnostics_.throw_if_any();
    throw InputError(message);
  }

  const YamlNode& item(const YamlNode& map, const std::string& key) {
    const YamlNode* const found = map.kind == YamlNode::Kind::map ? map.find(key) : nullptr;
    if (found == nullptr) fail(map, "{} is missing", key);
    return *found;
  }
  std::string text(const YamlNode& map, const std::string& key) {
    const YamlNode& found = item(map, key);
    if (found.kind != YamlNode::Kind::scalar || found.text.empty()) fail(found, "{} must be a text", key);
    return found.text;
  }
  /// A part of names of routers.
  std::string name_of(const YamlNode& map) {
    std::string name = text(map, "name");
    if (is_graph_name(name)) return name;
    fail(item(map, "name"), "name must be of {}, not {}", kGraphNameLetters, in_quotes(name));
  }
  std::uint32_t count(const YamlNode& map) {
    const YamlNode& found = item(map, "count");
    const auto number = whole_number<std::uint32_t>(found.text, 1, kMaxCount);
    if (!number)
      fail(found, "count must be a whole number from 1 to {}, not {}", kMaxCount, in_quotes(found.text));
    return *number;
  }
  std::vector<YamlNode> list(const YamlNode& map, const std::string& key) {
    const YamlNode* const found = map.find(key);
    if (found == nullptr || found->kind == YamlNode::Kind::null) return {};
    if (found->kind != YamlNode::Kind::sequence) fail(*found, "{} must be a list", key);
    return found->items;
  }

  void read(const YamlNode& root) {
    if (root.find("connections") != nullptr) {
      fail(*root.find("connections"), "connections are of an early InfraGraph; edges are read");
    }
    for (const YamlNode& node : item(root, "devices").items) read_device(node);
    for (const YamlNode& node : item(root, "instances").items) make_instance(node);
    const Links links = read_links(root);
    for (const YamlNode& edge : list(root, "edges")) {
      join(edge, links, instance_paths(item(edge, "ep1")), instance_paths(item(edge, "ep2")));
    }
  }

  void read_device(const YamlNode& node) {
    const std::string name = text(node, "name");
    Device device{&node};
    for (const YamlNode& component : list(node, "components")) {
      const std::string own = name_of(component);
      if (!device.components.emplace(own, Component{kind_of(component), count(component)}).second) {
        fail(component, "device {} has a component {} already", in_quotes(name), in_quotes(own));
      }
      device.order.push_back(own);
    }
    if (!devices_.emplace(name, std::move(device)).second) {
      fail(node, "there is a device {} already", in_quotes(name));
    }
  }

  std::string kind_of(const YamlNode& component) {
    const std::string choice = text(component, "choice");
    static constexpr std::array<std::string_view, 9> kChoices{"custom", "device", "cpu",  "xpu",   "npu",
                                                              "nic",    "memory", "port", "switch"};
    if (std::ranges::count(kChoices, choice) == 0) {
      fail(item(component, "choice"),
           "choice must be custom, device, cpu, xpu, nic, memory, port or switch, not {}", in_quotes(choice));
    }
    return choice == "npu" ? "xpu" : choice;
  }

  const Device& device(const std::string& name, const YamlNode& place) {
    const auto found = devices_.find(name);
    if (found != devices_.end()) return found->second;
    const auto names = texts_of(std::views::keys(devices_));
    fail(place, "there is no device {}{}", in_quotes(name), did_you_mean(name, names));
  }

  void make_instance(const YamlNode& node) {
    const std::string name = name_of(node);
    const std::uint32_t copies = count(node);
    if (!instances_.emplace(name, std::pair(text(node, "device"), copies)).second) {
      fail(node, "there is an instance {} already", in_quotes(name));
    }
    const Device& made = device(instances_.at(name).first, item(node, "device"));
    for (std::uint32_t i = 0; i < copies; ++i) make(made, fmt::format("{}.{}", name, i), 0);
  }

  /// The vertices and edges of a device, those of devices in it first.
  void make(const Device& made, const std::string& prefix, unsigned depth) {
    if (depth > kMaxDepth) fail(*made.node, "the device contains itself");
    for (const std::string& name : made.order) {
      const Component& component = made.components.at(name);
      for (std::uint32_t i = 0; i < component.count; ++i) {
        const std::string path = fmt::format("{}.{}.{}", prefix, name, i);
        if (component.kind == "device") {
          make(device(name, *made.node), path, depth + 1);
          continue;
        }
        if (vertices_.size() >= kMaxCount) fail(*made.node, "there are more than {} components", kMaxCount);
        numbers_.emplace(path, static_cast<std::uint32_t>(vertices_.size()));
        vertices_.push_back({path, component.kind});
      }
    }
    const Links links = read_links(*made.node);
    for (const YamlNode& edge : list(*made.node, "edges")) {
      join(edge, links, device_paths(made, item(edge, "ep1"), prefix),
           device_paths(made, item(edge, "ep2"), prefix));
    }
  }

  Links read_links(const YamlNode& owner) {
    Links links;
    for (const YamlNode& node : list(owner, "links")) {
      DescribedLink like;
      const YamlNode* const physical = node.find("physical");
      if (physical != nullptr && physical->kind == YamlNode::Kind::map) {
        like.bandwidth =
            quantity(*physical, "bandwidth", {{"gigabits_per_second", 0.125}, {"gigabytes_per_second", 1}});
        like.latency = quantity(*physical, "latency", {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}});
      }
      const std::string name = text(node, "name");
      if (!links.emplace(name, like).second) fail(node, "there is a link {} already", in_quotes(name));
    }
    return links;
  }

  /// A quantity that has one of several units; 0 if it is not there. A bandwidth is above 0.
  double quantity(const YamlNode& physical, const std::string& key,
                  const std::map<std::string, double>& units) {
    const YamlNode* const found = physical.find(key);
    if (found == nullptr || found->kind != YamlNode::Kind::map) return 0;
    const YamlNode* const choice = found->find("choice");
    for (const auto& [unit, factor] : units) {
      const YamlNode* const value = found->find(unit);
      if (value == nullptr || (choice != nullptr && choice->text != unit)) continue;
      const auto number = number_in<double>(value->text);
      const bool zero = key == "latency";
      if (number && std::isfinite(*number) && (*number > 0 || (zero && *number == 0)))
        return *number * factor;
      fail(*value, "{} must be a number {} 0, not {}", unit, zero ? "from" : "above", in_quotes(value->text));
    }
    const auto names = texts_of(std::views::keys(units));
    fail(*found, "{} must be in {}{}", key, fmt::join(names, " or "),
         key == "bandwidth" ? ": the bytes of a transfer are not known" : "");
  }

  /// "name", "name[2]", "name[0:4]" or "name[0:8:2]".
  Part part_of(const YamlNode& place, std::string_view given, std::uint32_t all) {
    const std::size_t open = given.find('[');
    Part part{std::string(given.substr(0, open)), {}};
    std::array<std::uint32_t, 3> slice{0, all, 1};
    if (open != std::string_view::npos) {
      const auto wrong = [&] {
        fail(place, "{} must have indices below {}, such as {}[0] or {}[0:{}]", in_quotes(given), all,
             part.name, part.name, all);
      };
      if (given.back() != ']') wrong();
      const std::string_view inner = given.substr(open + 1, given.size() - open - 2);
      std::vector<std::string_view> fields;
      boost::split(fields, inner, boost::is_any_of(":"));
      if (fields.size() > slice.size()) wrong();
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool step = i == 2;
        const auto number = whole_number<std::uint32_t>(fields[i], step ? 1 : 0, step ? kMaxCount : all);
        if (!fields[i].empty() && !number) wrong();
        if (number) slice[i] = *number;
      }
      const bool is_index = fields.size() == 1;
      if (is_index) slice[1] = slice[0] + 1;
      if (slice[1] > all || slice[0] >= all || (is_index && inner.empty())) wrong();
      if (slice[0] >= slice[1])
        fail(place, "{} has no indices: its end must be above its start", in_quotes(given));
    }
    for (std::uint32_t i = slice[0]; i < slice[1]; i += slice[2]) part.indices.push_back(i);
    return part;
  }

  static std::string_view name_in(std::string_view given) { return given.substr(0, given.find('[')); }

  /// Paths below `prefixes` of a component, which can be within devices within a device.
  Paths component_paths(const Device& owner, const YamlNode& place, std::string_view given, Paths prefixes) {
    const Device* within = &owner;
    while (true) {
      const std::size_t dot = given.find('.');
      const std::string name(name_in(given.substr(0, dot)));
      const auto found = within->components.find(name);
      if (found == within->components.end()) {
        fail(place, "the device has no component {}{}", in_quotes(name), did_you_mean(name, within->order));
      }
      const Part part = part_of(place, given.substr(0, dot), found->second.count);
      Paths longer;
      if (prefixes.size() * part.indices.size() > kMaxEdges) fail(place, "there are too many of them");
      for (const std::string& prefix : prefixes) {
        for (const std::uint32_t i : part.indices) longer.push_back(fmt::format("{}.{}.{}", prefix, name, i));
      }
      prefixes = std::move(longer);
      const bool is_device = found->second.kind == "device";
      if (dot == std::string_view::npos) {
        if (is_device) fail(place, "{} is a device; an edge ends at a component of it", in_quotes(name));
        return prefixes;
      }
      if (!is_device) fail(place, "{} is no device, so nothing is in it", in_quotes(name));
      within = &device(name, place);
      given.remove_prefix(dot + 1);
    }
  }

  Paths device_paths(const Device& owner, const YamlNode& end, const std::string& prefix) {
    std::string given = text(end, "component");
    const YamlNode* const within = end.find("device");
    if (within != nullptr && within->kind == YamlNode::Kind::scalar) given = within->text + "." + given;
    return component_paths(owner, end, given, {prefix});
  }

  Paths instance_paths(const YamlNode& end) {
    const std::string given = text(end, "instance");
    const std::string name(name_in(given));
    const auto found = instances_.find(name);
    if (found == instances_.end()) {
      const auto names = texts_of(std::views::keys(instances_));
      fail(end, "there is no instance {}{}", in_quotes(name), did_you_mean(name, names));
    }
    const auto& [device_name, copies] = found->second;
    const Part part = part_of(end, given, copies);
    Paths prefixes;
    for (const std::uint32_t i : part.indices) prefixes.push_back(fmt::format("{}.{}", name, i));
    // The component may be written behind the name of its device.
    std::string component = text(end, "component");
    if (component.starts_with(device_name + ".")) component.erase(0, device_name.size() + 1);
    return component_paths(device(device_name, end), end, component, std::move(prefixes));
  }

  void join(const YamlNode& edge, const Links& links, const Paths& ones, const Paths& others) {
    const std::string name = text(edge, "link");
    const auto like = links.find(name);
    if (like == links.end()) fail(item(edge, "link"), "there is no link {}", in_quotes(name));
    const std::string scheme = text(edge, "scheme");
    if (scheme == "one2one") {
      for (std::size_t i = 0; i < std::min(ones.size(), others.size()); ++i) {
        add(edge, ones[i], others[i], like->second);
      }
    } else if (scheme == "many2many") {
      for (const std::string& one : ones) {
        for (const std::string& other : others) add(edge, one, other, like->second);
      }
    } else {
      fail(item(edge, "scheme"), "scheme must be one2one or many2many, not {}", in_quotes(scheme));
    }
  }

  void add(const YamlNode& place, const std::string& one, const std::string& other,
           const DescribedLink& like) {
    const std::uint32_t a = numbers_.at(one);
    const std::uint32_t b = numbers_.at(other);
    if (a == b) return;
    edges_[std::minmax(a, b)] = like;
    if (edges_.size() > kMaxEdges) fail(place, "there are more than {} edges", kMaxEdges);
  }

  Diagnostics diagnostics_;
  std::map<std::string, Device> devices_;
  std::map<std::string, std::pair<std::string, std::uint32_t>> instances_;  ///< device, how many
  std::vector<Vertex> vertices_;
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, DescribedLink> edges_;
};

/// A vertex that passes on between its two links: they are one.
bool is_transparent(const Vertex& vertex) {
  return vertex.kind == "port" || vertex.kind == "custom";
}

DescribedLink in_series(const DescribedLink& one, const DescribedLink& other) {
  const bool both = one.bandwidth > 0 && other.bandwidth > 0;
  return {both ? std::min(one.bandwidth, other.bandwidth) : std::max(one.bandwidth, other.bandwidth),
          one.latency + other.latency};
}

/// The description as routers: nodes are those of a kind; what leads nowhere is left out, and transparent
/// vertices are parts of their links.
class Reduction {
 public:
  Reduction(const std::vector<Vertex>& vertices, std::vector<Edge> edges, std::string node_kind)
      : vertices_(vertices),
        edges_(std::move(edges)),
        node_kind_(std::move(node_kind)),
        at_(vertices.size()) {
    for (std::uint32_t i = 0; i < edges_.size(); ++i) {
      at_[edges_[i].one].push_back(i);
      at_[edges_[i].other].push_back(i);
    }
    auto work = numbers_below<std::uint32_t>(vertices.size());
    while (!work.empty()) {
      const std::uint32_t vertex = work.back();
      work.pop_back();
      reduce(vertex, work);
    }
  }

  [[nodiscard]] DescribedNetwork network() const {
    DescribedNetwork network;
    std::vector<std::uint32_t> numbers(vertices_.size());
    for (std::uint32_t i = 0; i < vertices_.size(); ++i) {
      if (!is_node(i) && at_[i].empty()) continue;
      numbers[i] = static_cast<std::uint32_t>(network.routers.size());
      network.routers.push_back({vertices_[i].name, is_node(i)});
    }
    std::vector<bool> seen(edges_.size());
    for (std::uint32_t i = 0; i < vertices_.size(); ++i) {
      for (const std::uint32_t edge : at_[i]) {
        if (seen[edge]) continue;
        seen[edge] = true;
        network.links.push_back({numbers[edges_[edge].one], numbers[edges_[edge].other], edges_[edge].like});
      }
    }
    return network;
  }

 private:
  [[nodiscard]] bool is_node(std::uint32_t vertex) const { return vertices_[vertex].kind == node_kind_; }
  [[nodiscard]] std::uint32_t beyond(std::uint32_t edge, std::uint32_t vertex) const {
    return edges_[edge].one == vertex ? edges_[edge].other : edges_[edge].one;
  }

  void reduce(std::uint32_t vertex, std::vector<std::uint32_t>& work) {
    auto& links = at_[vertex];
    if (is_node(vertex)) return;
    if (links.size() == 1) {
      const std::uint32_t neighbour = beyond(links[0], vertex);
      std::erase(at_[neighbour], links[0]);
      links.clear();
      work.push_back(neighbour);
      return;
    }
    if (links.size() != 2 || !is_transparent(vertices_[vertex])) return;
    const std::uint32_t one = beyond(links[0], vertex);
    const std::uint32_t other = beyond(links[1], vertex);
    if (one == other) return;
    const std::uint32_t gone = links[1];
    edges_[links[0]] = {one, other, in_series(edges_[links[0]].like, edges_[gone].like)};
    std::ranges::replace(at_[other], gone, links[0]);
    links.clear();
  }

  const std::vector<Vertex>& vertices_;
  std::vector<Edge> edges_;
  std::string node_kind_;
  std::vector<std::vector<std::uint32_t>> at_;  ///< edges of a vertex
};

ImportedMachine read(const ImportFile& file, const MachineFiles& files) {
  const Expansion expansion(file);
  const auto has = [&](const std::string& kind) {
    return std::ranges::any_of(expansion.vertices(),
                               [&](const Vertex& vertex) { return vertex.kind == kind; });
  };
  if (!has("xpu") && !has("cpu")) {
    throw InputError("{}: has neither xpu nor cpu, which are the nodes", printable(file.name));
  }
  const std::string nodes = has("xpu") ? "xpu" : "cpu";
  const Reduction reduction(expansion.vertices(), expansion.edges(), nodes);
  return machine_of(reduction.network(), file, files, "InfraGraph",
                    fmt::format("Each {} is a node. Ports and custom components with two links are parts of "
                                "their link; what leads nowhere is left out.",
                                nodes));
}

const FormatRegistry::Entry entry{{
    .name = "infragraph",
    .summary =
        "InfraGraph, YAML or JSON: devices, instances, edges; becomes a configuration and a graph file",
    .source = "InfraGraph 2 (Keysight and MLCommons), infragraph.proto",
    .machine = read,
}};

}  // namespace
}  // namespace flitscope::infragraph_format
