#include "sim/config/config_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/emitter.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "model/graph.h"
#include "model/text.h"
#include "networks/network_family.h"
#include "sim/config/keys.h"
#include "sim/config/section_reader.h"
#include "sim/config/workload_keys.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

namespace {

/// More than any configuration has; what is longer is another kind of file.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

std::string read_text(const std::filesystem::path& file) {
  const std::string name = printable(file.string());
  const auto stream = open_file(file, "configuration file");
  std::string text(kMaxBytes + 1, '\0');
  stream->read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream->gcount()));
  if (stream->bad()) throw InputError("{}: cannot be read: {}", name, std::strerror(errno));
  if (text.size() > kMaxBytes) {
    throw InputError("{}: is no configuration: longer than {} bytes", name, kMaxBytes);
  }
  return text;
}

void require_map(const YamlNode& root, Diagnostics& diagnostics) {
  if (root.kind == YamlNode::Kind::null) {
    diagnostics.add(root.place, "the configuration is empty; it must begin with 'flitscope: 1'");
  } else if (root.kind == YamlNode::Kind::scalar || root.kind == YamlNode::Kind::sequence) {
    diagnostics.add(root.place, "a configuration must be a map; it begins with 'flitscope: 1'");
  }
  if (root.kind != YamlNode::Kind::map) diagnostics.throw_if_any();
}

using Value = ParameterValues::Value;

}  // namespace

Chosen chosen_in(const std::string& section, const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  const auto of_traffic = [](const TrafficConfig& traffic) {
    return Chosen{"traffic", &traffic.pattern->parameters, &traffic.parameters};
  };
  if (section == "workload.background" && workload.background) return of_traffic(*workload.background);
  for (std::size_t item = 0; item < workload.classes.size(); ++item) {
    if (section == class_section_name(item)) return of_traffic(workload.classes[item]);
  }
  if (section == "topology") {
    const Graph* const graph = config.topology.graph();
    const NetworkFamily* const family = graph == nullptr ? nullptr : FamilyRegistry::find(graph->family());
    return family == nullptr ? Chosen() : Chosen{"kind", &family->parameters, &graph->parameters()};
  }
  if (section == "workload.requests" && workload.protocol) return of_traffic(workload.traffic);
  if (section != "workload" || workload.protocol) return {};
  if (workload.traffic.pattern != nullptr) return of_traffic(workload.traffic);
  if (workload.algorithm == nullptr) return {};
  return {"algorithm", &workload.algorithm->parameters, &workload.parameters};
}

namespace {

// Values as texts of YAML.

/// A number, true or false, or a list of numbers.
template <typename T>
std::string yaml_text(const T& value) {
  if constexpr (requires { value.text(); }) {
    return value.text();
  } else {
    return fmt::format("{}", value);
  }
}

std::string yaml_text(const std::string& text) {
  if (is_plain_text(text)) return text;
  YAML::Emitter out;
  out << text;
  return out.c_str();
}

template <typename T, typename Text>
std::string list_text(const std::vector<T>& items, Text text) {
  return fmt::format("[{}]", fmt::join(texts_of(items, text), ", "));
}

std::string yaml_text(const NodeName& node) {
  return node.text.starts_with('[') ? node.text : yaml_text(node.text);
}

std::string yaml_text(const NodeSet& set) {
  switch (set.kind) {
    case NodeSet::Kind::all:
      break;
    case NodeSet::Kind::listed:
      return list_text(set.nodes, [](const NodeName& node) { return yaml_text(node); });
    case NodeSet::Kind::count:
      return fmt::format("{{count: {}, seed: {}}}", set.count, set.seed);
    case NodeSet::Kind::fraction:  // the shortest text that gives the same number
      return fmt::format("{{fraction: {}, seed: {}}}", set.fraction, set.seed);
  }
  return "all";
}

std::string yaml_text(const std::vector<Decimal>& numbers) {
  return list_text(numbers, [](const Decimal& number) { return number.text(); });
}

std::string yaml_text(const std::vector<std::string>& texts) {
  return list_text(texts, quoted_for_yaml);
}

std::string yaml_text(const MessageSizes& message) {
  std::vector<std::string> parts;
  for (const auto& [bytes, weight] : message.sizes)
    parts.push_back(fmt::format("{}: {}", bytes, weight.text()));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string yaml_text(const std::vector<LinkSetting>& links) {
  return list_text(links, [](const LinkSetting& link) {
    std::string text = !link.kind.empty()
                           ? "{kind: " + (is_plain_text(link.kind) ? link.kind : quoted_for_yaml(link.kind))
                           : "{at: " + quoted_for_yaml(link.at);
    if (link.delay) text += fmt::format(", delay: {}", *link.delay);
    if (link.cycles_per_flit) text += fmt::format(", cycles_per_flit: {}", link.cycles_per_flit->text());
    if (link.both) text += ", both: true";
    if (link.missing) text += ", missing: true";
    return text + "}";
  });
}

std::string yaml_text(const std::vector<ClassSetting>& classes) {
  return list_text(classes, [](const ClassSetting& each) {
    const std::string vcs = each.counted ? std::to_string(each.vcs.front()) : yaml_text(each.vcs);
    const std::string network =
        each.network == 0 ? std::string() : fmt::format(", network: {}", each.network);
    return fmt::format("{{name: {}, vcs: {}, priority: {}{}}}", yaml_text(each.name), vcs, each.priority,
                       network);
  });
}

std::string yaml_text(const std::vector<PhysicalNetwork>& networks) {
  return list_text(networks, [](const PhysicalNetwork& each) {
    return fmt::format("{{directions: {}, first_dimension: {}}}", name_of(each.directions),
                       each.first_dimension);
  });
}

/// Maps in one another, an entry a line. What the emitter does as well, but it looks at every word and number
/// at length, which is most of the time that the runs of a large sweep take to be read.
class BlockPrinter {
 public:
  explicit BlockPrinter(const ExperimentConfig& config) : config_(config) {}

  /// The keys of a section that a network of this kind has, then the sections in it that have such keys.
  void print(const ConfigSection& section) {
    const std::size_t begin = text_.size();
    const Chosen chosen = chosen_in(section.name, config_);
    for (const Row<ExperimentConfig>& row : section.rows) {
      if (has(row)) print_entry(row, row.take(config_, config_.topology));
      if (chosen.parameters == nullptr || row.name != chosen.key) continue;
      for (const Parameter& parameter : *chosen.parameters) {
        print_entry(parameter, chosen.values->has(parameter.name)
                                   ? std::optional(chosen.values->all().at(parameter.name))
                                   : std::nullopt);
      }
    }
    for (const std::string& name : sections_in(section.name)) print_inner(path_of(section.name, name), name);
    if (text_.size() == begin) line() += "{}\n";
  }

  [[nodiscard]] std::string take_text() { return std::move(text_); }

 private:
  static constexpr std::size_t kIndent = 2;

  [[nodiscard]] bool has(const Row<ExperimentConfig>& row) const {
    return applies(row, config_.topology.kind()) && applies(row, config_.workload.work());
  }

  /// The text, at the beginning of what a line holds.
  std::string& line() { return text_.append(indent_, ' '); }

  /// Prints a key that has a value. Only those with the fallback "null" may lack one.
  void print_entry(const Parameter& parameter, const std::optional<Value>& value) {
    if (value) {
      line().append(parameter.name).append(": ").append(value_text(*value)) += '\n';
    } else if (parameter.fallback != "null") {
      throw std::logic_error("key '" + parameter.name + "' has no value to print");
    }
  }

  void print_inner(const std::string& path, const std::string& name) {
    if (path == kClasses) return print_classes(name);
    const auto& inner = config_section(path);
    if (!inner.is_there(config_) ||
        std::ranges::none_of(inner.rows, [&](const auto& row) { return has(row); }))
      return;
    line().append(name) += ":\n";
    indent_ += kIndent;
    print(inner);
    indent_ -= kIndent;
  }

  void print_classes(const std::string& name) {
    const std::size_t classes = config_.workload.classes.size();
    if (classes == 0) return;
    line().append(name) += ":\n";
    indent_ += 2 * kIndent;
    for (std::size_t item = 0; item < classes; ++item) {
      const std::size_t dash = text_.size() + indent_ - kIndent;
      print(class_section(item));
      text_[dash] = '-';
    }
    indent_ -= 2 * kIndent;
  }

  const ExperimentConfig& config_;
  std::string text_;
  std::size_t indent_ = 0;
};

/// The values of a section, those of the parameters that are declared elsewhere among them.
ParameterValues values_of(const ConfigSection& section, const ExperimentConfig& config) {
  if (!section.is_there(config)) return {};
  const Chosen chosen = chosen_in(section.name, config);
  ParameterValues values = chosen.values == nullptr ? ParameterValues() : *chosen.values;
  for (const Row<ExperimentConfig>& row : section.rows) {
    if (!applies(row, config.workload.work())) continue;
    if (auto value = row.take(config, config.topology)) values.set(row.name, std::move(*value));
  }
  return values;
}

/// As load_source(), from text.
ConfigSource parse_source(std::string_view text, const std::string& file_name,
                          const std::filesystem::path& base_directory, std::span<const std::string> overrides,
                          Diagnostics& diagnostics) {
  auto root = parse_yaml(text, {file_name, 1, 1}, diagnostics);
  if (!root) diagnostics.throw_if_any();
  require_map(*root, diagnostics);
  apply_overrides(*root, overrides, diagnostics);
  return {std::move(*root), file_name, base_directory};
}

}  // namespace

ConfigSource load_source(const std::filesystem::path& file, std::span<const std::string> overrides,
                         Diagnostics& diagnostics) {
  return parse_source(read_text(file), file.string(), file.parent_path(), overrides, diagnostics);
}

ExperimentConfig load_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_source(load_source(file, overrides, diagnostics), diagnostics);
}

ExperimentConfig parse_config(std::string_view text, const std::string& file_name,
                              const std::filesystem::path& base_directory,
                              std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_source(parse_source(text, file_name, base_directory, overrides, diagnostics), diagnostics);
}

std::string resolve(const ExperimentConfig& config) {
  BlockPrinter printer(config);
  printer.print(config_section(""));
  return printer.take_text();
}

std::map<std::string, Value> resolved_values(const ExperimentConfig& config) {
  std::map<std::string, Value> result;
  for_each_section(config, [&](const ConfigSection& section) {
    const ParameterValues values = values_of(section, config);
    for (const auto& [name, value] : values.all()) result[path_of(section.name, name)] = value;
  });
  return result;
}

std::string value_text(const Value& value) {
  return std::visit([](const auto& held) { return yaml_text(held); }, value);
}

const YamlNode* given_at(const ExperimentConfig& config, const std::string& path) {
  return config.given == nullptr ? nullptr : find_section(*config.given, path);
}

InputError located(const ExperimentConfig& config, const Inadmissible& reason) {
  const std::string& key = reason.key();
  std::string path = key;
  const YamlNode* given = given_at(config, path);
  while (given == nullptr && path.find('.') != std::string::npos) {
    path.resize(path.rfind('.'));
    given = given_at(config, path);
  }
  const std::string place = (given == nullptr ? SourceLocation{config.file, 1, 1} : place_of(*given)).text();
  const std::string_view what = reason.what();
  const bool names_key = (given != nullptr && path == key) || what.starts_with(key);
  return names_key ? InputError("{}: {}", place, what) : InputError("{}: {}: {}", place, key, what);
}

}  // namespace flitscope
