// astra-sim: YAML that describes a network by its dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "model/topology.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/network_machine.h"
#include "sim/formats/yaml_source.h"

namespace flitscope::astra_sim_format {
namespace {

/// A gigabyte of ASTRA-sim is 2^30 bytes.
constexpr double kGigabyte = 1.073741824;
constexpr std::uint64_t kMaxNodes = 1U << 20;

enum class Block : std::uint8_t { ring, fully_connected, by_switch };

struct Dimension {
  Block block = Block::ring;
  std::uint32_t side = 0;
  DescribedLink link = {};
};

/// Reads the file; its mistakes are reported together.
class Reader {
 public:
  explicit Reader(const ImportFile& file) {
    const auto root = parse_yaml_map(
        file.text, file.name,
        "a network of ASTRA-sim is a map of topology, npus_count, bandwidth and latency", diagnostics_);
    if (root) read(*root);
    diagnostics_.throw_if_any();
  }

  [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }

 private:
  template <typename... Args>
  void fail(const YamlNode& node, fmt::format_string<Args...> format, Args&&... args) {
    diagnostics_.add(node.place, fmt::format(format, std::forward<Args>(args)...));
  }

  void read(const YamlNode& root) {
    const std::vector<std::string> keys{"topology", "npus_count", "bandwidth", "latency"};
    for (const YamlNode& item : root.items) {
      if (std::ranges::count(keys, item.key) > 0) continue;
      diagnostics_.add(item.key_place,
                       "unknown key {}{}; keys are topology, npus_count, bandwidth and latency",
                       in_quotes(item.key), did_you_mean(item.key, keys));
    }
    for (const std::string& key : keys) read_list(root, key);
    std::uint64_t nodes = 1;
    for (const Dimension& dimension : dimensions_) {
      if (dimension.block == Block::fully_connected && dimension.side > Graph::kMaxPorts + 1) {
        return fail(root, "FullyConnected joins at most {} NPUs: a router has {} links at most",
                    Graph::kMaxPorts + 1, Graph::kMaxPorts);
      }
      nodes *= dimension.side;
      if (nodes > kMaxNodes) return fail(root, "the network has more than {} NPUs", kMaxNodes);
    }
  }

  /// A value for each dimension.
  void read_list(const YamlNode& root, const std::string& key) {
    const YamlNode* const list = root.find(key);
    if (list == nullptr) return fail(root, "{} is missing: a list, a value a dimension", key);
    if (list->kind != YamlNode::Kind::sequence || list->items.empty()) {
      return fail(*list, "{} must be a list, a value a dimension, such as [{}]", key,
                  key == "topology" ? "Ring, Switch" : "4, 8");
    }
    if (dimensions_.empty()) dimensions_.resize(list->items.size());
    if (list->items.size() != dimensions_.size()) {
      return fail(*list, "{} has {} and topology {}", key, counted(list->items.size(), "value"),
                  dimensions_.size());
    }
    for (std::size_t i = 0; i < list->items.size(); ++i) read_value(key, list->items[i], dimensions_[i]);
  }

  void read_value(const std::string& key, const YamlNode& node, Dimension& dimension) {
    if (key == "topology") return read_block(node, dimension);
    if (key == "npus_count") {
      const auto side = whole_number<std::uint32_t>(node.text, 2, kMaxNodes);
      if (!side) {
        return fail(node, "npus_count must be whole numbers from 2 to {}, not {}", kMaxNodes,
                    in_quotes(node.text));
      }
      dimension.side = *side;
      return;
    }
    const auto number = number_in<double>(node.text);
    const bool fits = number && std::isfinite(*number) && (*number > 0 || (key == "latency" && *number == 0));
    if (!fits) {
      return fail(node, "{} must be numbers {} of {}, not {}", key, key == "latency" ? "from 0" : "above 0",
                  key == "latency" ? "nanoseconds" : "GB/s", in_quotes(node.text));
    }
    if (key == "latency") {
      dimension.link.latency = *number;
    } else {
      dimension.link.bandwidth = *number * kGigabyte;
    }
  }

  void read_block(const YamlNode& node, Dimension& dimension) {
    const std::vector<std::string> names{"Ring", "FullyConnected", "Switch"};
    const auto found = std::ranges::find(names, node.text);
    if (found == names.end()) {
      return fail(node, "topology must be of Ring, FullyConnected and Switch, not {}{}", in_quotes(node.text),
                  did_you_mean(node.text, names));
    }
    dimension.block = static_cast<Block>(found - names.begin());
  }

  Diagnostics diagnostics_;
  std::vector<Dimension> dimensions_;
};

/// Rings of more than two NPUs in every dimension.
ImportedMachine torus_of(const std::vector<Dimension>& dimensions, const ImportFile& file) {
  std::vector<std::uint32_t> shape;
  std::vector<DescribedLink> links;
  for (const Dimension& dimension : dimensions) {
    shape.push_back(dimension.side);
    links.push_back(dimension.link);
  }
  const LinkUnits units(file.name, links);
  const auto describe = [&](const DescribedLink& link) {
    return fmt::format("delay: {}, cycles_per_flit: {}", units.delay(link),
                       units.cycles_per_flit(link).text());
  };
  std::string text =
      units.sections("ASTRA-sim", "") + fmt::format("topology: {{kind: torus, shape: [{}]}}\nlink: {{{}}}\n",
                                                    fmt::join(shape, ", "), describe(links.front()));
  const Topology torus(TopologyKind::torus, shape);
  std::string others;
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    if (describe(links[i]) == describe(links.front())) continue;
    for (NodeId node = 0; node < torus.nodes(); ++node) {
      others += fmt::format("  - {{at: '[{}]+{}', both: true, {}}}\n",
                            fmt::join(torus.coordinates(node), ", "), i, describe(links[i]));
    }
  }
  if (!others.empty()) text += "links:\n" + others;
  return {text};
}

/// Any dimensions. NPU i has the digits of i by the sides as coordinates, the first changes fastest.
DescribedNetwork graph_of(const std::vector<Dimension>& dimensions) {
  DescribedNetwork network;
  std::uint32_t nodes = 1;
  for (const Dimension& dimension : dimensions) nodes *= dimension.side;
  for (std::uint32_t i = 0; i < nodes; ++i) network.routers.push_back({fmt::format("npu{}", i)});
  std::uint32_t stride = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const Dimension& dimension = dimensions[d];
    std::uint32_t lines = 0;
    for (std::uint32_t first = 0; first < nodes; ++first) {
      if (first / stride % dimension.side != 0) continue;
      const auto at = [&](std::uint32_t place) { return first + place * stride; };
      const auto join = [&](std::uint32_t one, std::uint32_t other) {
        network.links.push_back({one, other, dimension.link});
      };
      if (dimension.block == Block::by_switch) {
        const auto central = static_cast<std::uint32_t>(network.routers.size());
        network.routers.push_back({fmt::format("switch{}.{}", d, lines++), false});
        for (std::uint32_t i = 0; i < dimension.side; ++i) join(at(i), central);
        continue;
      }
      for (std::uint32_t i = 0; i + 1 < dimension.side; ++i) {
        const bool ring = dimension.block == Block::ring;
        const std::uint32_t last = ring ? i + 1 : dimension.side - 1;
        for (std::uint32_t j = i + 1; j <= last; ++j) join(at(i), at(j));
      }
      if (dimension.block == Block::ring && dimension.side > 2) join(at(dimension.side - 1), at(0));
    }
    stride *= dimension.side;
  }
  return network;
}

ImportedMachine read(const ImportFile& file, const MachineFiles& files) {
  const Reader reader(file);
  const auto is_ring = [](const Dimension& one) { return one.block == Block::ring && one.side > 2; };
  if (std::ranges::all_of(reader.dimensions(), is_ring)) return torus_of(reader.dimensions(), file);
  return machine_of(graph_of(reader.dimensions()), file, files, "ASTRA-sim",
                    "An NPU is a router; a switch passes on.");
}

const FormatRegistry::Entry entry{{
    .name = "astra-sim",
    .summary =
        "network of ASTRA-sim: rings, switches and complete graphs by dimension; becomes a configuration",
    .source = "ASTRA-sim's analytical network (Won et al.: ASTRA-sim 2.0, 2023)",
    .machine = read,
}};

}  // namespace
}  // namespace flitscope::astra_sim_format
