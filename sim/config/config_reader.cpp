// From the tree of a configuration to its typed form. The schema is a tree of maps (keys.h) with three
// choices: the kind of network, the kind of workload, and what a map names - a family of networks, an
// algorithm, a pattern of traffic -, which brings parameters of its own. One pass reads all maps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "model/text.h"
#include "model/units.h"
#include "networks/network_family.h"
#include "params/key_names.h"
#include "sim/config/config_source.h"
#include "sim/config/keys.h"
#include "sim/config/section_reader.h"
#include "sim/config/topology_reader.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;

/// A family, an algorithm or a pattern of traffic that a map names, and its parameters.
struct Choice {
  /// Nothing is named, or nothing that exists.
  bool is_known = false;
  std::vector<Parameter> parameters;

  [[nodiscard]] bool declares(const std::string& name) const {
    return std::ranges::count(parameters, name, &Parameter::name) > 0;
  }
};

template <typename T>
void choose(const YamlNode& map, const char* key, Choice& choice) {
  const YamlNode* const name = map.find(key);
  if (name == nullptr || name->kind != Kind::scalar || choice.is_known) return;
  if (const T* const entry = Registry<T>::find(name->text)) choice = {true, entry->parameters};
}

bool is_given(const YamlNode& map, std::string_view key) {
  const YamlNode* const node = map.find(key);
  return node != nullptr && node->kind != Kind::null;
}

/// The kind of workload that is described.
KeyWork work_of(const YamlNode& root) {
  const YamlNode* const workload = find_section(root, "workload");
  if (workload == nullptr) return KeyWork::schedules;
  return is_given(*workload, "protocol")  ? KeyWork::protocol
         : is_given(*workload, "traffic") ? KeyWork::one_class
         : is_given(*workload, "classes") ? KeyWork::traffic
                                          : KeyWork::schedules;
}

/// The networks that have a key.
const char* networks_of(KeyScope scope) {
  constexpr const char* kWithLinks = "networks with links";
  constexpr std::array kNetworks{kWithLinks, kWithLinks, "tori and meshes", "graphs", "complete networks"};
  return kNetworks[static_cast<std::size_t>(scope)];
}

/// Some of the keys that sections and parameters declare.
using Keys = std::vector<const Key*>;

class ConfigReader {
 public:
  ConfigReader(const YamlNode& root, const std::filesystem::path& directory, Diagnostics& diagnostics,
               KnownNetworks* networks)
      : root_(root),
        diagnostics_(diagnostics),
        context_{root, directory, {}, named_kind(root), diagnostics, networks},
        work_(work_of(root)) {}

  std::optional<ExperimentConfig> read() {
    if (!has_known_version() || is_sweep()) return std::nullopt;
    context_.clock = read_clock();
    for (const ConfigSection& section : config_sections()) {
      if (section.name == kClasses) {
        read_classes(section);
      } else {
        read_map(section.name, section);
      }
    }
    auto topology = read_topology(values_, parameters_["topology"], context_);
    if (!topology || !diagnostics_.none()) return std::nullopt;
    ExperimentConfig config(std::move(*topology));
    fill(config);
    if (!diagnostics_.none()) return std::nullopt;
    report("", [&] {
      take_bandwidths(config, values_[""], values_["link"], values_["node"]);
      take_link_times(config);
    });
    if (auto& protocol = config.workload.protocol)
      offer(*protocol, config.workload.traffic, config.machine.flit_bytes);
    for_each_section(config, [&](const ConfigSection& section) {
      report("", [&] { section.check(config, config.topology); });
    });
    return diagnostics_.none() ? std::optional(std::move(config)) : std::nullopt;
  }

 private:
  /// False if the file is of another schema version, in which all else may mean something different.
  bool has_known_version() {
    const YamlNode* const version = root_.find("flitscope");
    if (version == nullptr || version->quoted || !is_whole_number(version->text) || version->text == "1")
      return true;
    diagnostics_.add(version->place, "this flitscope reads schema version 1, not {}", version->text);
    return false;
  }

  /// Whether the file describes many runs. What it lacks otherwise its sweep may have.
  bool is_sweep() {
    const YamlNode* const sweep = root_.find("sweep");
    if (sweep == nullptr) return false;
    diagnostics_.add(
        sweep->key_place,
        "'sweep' describes many runs, which 'flitscope sweep CONFIG' runs; for a single one take "
        "it away, and give the keys a value that have none outside of it (--set sweep=null --set "
        "KEY=VALUE)");
    return true;
  }

  CycleLength read_clock() {
    const YamlNode* const node = root_.find("clock");
    if (node == nullptr || node->kind == Kind::null) return {CycleLength::State::absent};
    if (node->kind != Kind::scalar) return {CycleLength::State::broken};  // read_keys() says so
    const auto clock = ClockPeriod::parse(node->text);
    if (clock.value) return {CycleLength::State::known, *clock.value};
    diagnostics_.add(
        node->place,
        "clock must be a time from 1ps to 1s, such as 1ns, or a frequency, such as 1GHz, not {}: {}",
        in_quotes(node->text), clock.problem);
    return {CycleLength::State::broken};
  }

  // --- One map ---------------------------------------------------------------------------------------------

  /// Reads the map at `path`, which has the keys of `section`.
  void read_map(const std::string& path, const ConfigSection& section) {
    const YamlNode* const map = find_section(root_, path);
    if (const auto work = only_work_of(path); work && *work != work_) {
      if (map != nullptr && map->kind != Kind::null)
        diagnostics_.add(map->key_place, path + " " + reason_of(*work));
      return;
    }
    if (path == "workload.background" && (map == nullptr || map->kind == Kind::null)) return;
    if (map == nullptr && path == "workload") {
      diagnostics_.add(
          root_.place,
          "section 'workload' is missing; it must have algorithm, schedule, traffic or protocol");
      return;
    }
    if (!is_readable(path, section, map)) return;
    const Choice choice = map == nullptr ? Choice() : choice_in(path, *map);
    if (map != nullptr) {
      if (path == "workload") require_one_workload(*map);
      for (const YamlNode& item : map->items) refuse_key(path, section, *map, item, choice);
    }
    values_[path] = read_keys(path, map, keys_of(section, map, choice));
    parameters_[path] = read_parameters(path, map, choice.parameters);
  }

  /// True if the section is absent or a map; otherwise adds an error.
  bool is_readable(const std::string& path, const ConfigSection& section, const YamlNode* map) {
    if (map == nullptr || map->kind == Kind::map) return true;
    if (map->kind == Kind::refused) return false;
    diagnostics_.add(map->place, "section '{}' must be a map with keys such as {}, not {}", path,
                     section.rows.front().name,
                     map->kind == Kind::null       ? "nothing"
                     : map->kind == Kind::sequence ? "a list"
                                                   : in_quotes(map->text));
    return false;
  }

  /// The values of `keys` in a map, or without one, with their defaults. A key that is missing or wrong is
  /// added to the diagnostics and absent from the values; so is, without an error, one whose fallback is
  /// "null".
  ParameterValues read_keys(const std::string& path, const YamlNode* map, const Keys& keys) {
    ParameterValues values;
    std::vector<const Key*> missing;
    for (const Key* const key : keys) {
      const std::string& name = key->name;
      const YamlNode* const node = map == nullptr ? nullptr : map->find(name);
      std::optional<ParameterValues::Value> value;
      if (node == nullptr && key->fallback.empty()) {
        missing.push_back(key);
      } else if (node == nullptr || (node->kind == Kind::null && key->fallback == "null")) {
        value = default_value(*key);
      } else {
        value = read_value(*key, path_of(path, name), *node, context_.clock, diagnostics_);
      }
      if (value) values.set(name, std::move(*value));
    }
    if (map == nullptr && !missing.empty()) {
      const auto names = texts_of(missing, &Key::name);
      diagnostics_.add(root_.place, "section '{}' is missing; it must have {}", path, fmt::join(names, ", "));
      return values;
    }
    for (const Key* const key : missing) {
      diagnostics_.add(context_.place_of_section(path), "key '{}' is missing; it must be {}",
                       path_of(path, key->name), expected(*key));
    }
    return values;
  }

  /// The values of the keys that an algorithm, a traffic pattern or a family of networks declares, as those
  /// of other keys. Files are made absolute.
  ParameterValues read_parameters(const std::string& path, const YamlNode* map,
                                  const std::vector<Parameter>& parameters) {
    std::vector<Key> declared;
    for (const Parameter& parameter : parameters) declared.push_back({parameter});
    Keys keys;
    for (const Key& key : declared) keys.push_back(&key);
    ParameterValues values = read_keys(path, map, keys);
    for (const Parameter& parameter : parameters) {
      if (parameter.type != ParameterType::file || !values.has(parameter.name)) continue;
      const auto file = std::filesystem::absolute(context_.directory / values.text(parameter.name));
      values.set(parameter.name, file.lexically_normal().string());
    }
    return values;
  }

  /// The kind of workload that has the map at `path`, if only one has.
  [[nodiscard]] static std::optional<KeyWork> only_work_of(const std::string& path) {
    if (path == "workload.background") return KeyWork::schedules;
    if (path == "workload.requests" || path == "workload.service") return KeyWork::protocol;
    return std::nullopt;
  }

  [[nodiscard]] static Choice choice_in(const std::string& path, const YamlNode& map) {
    Choice choice;
    if (path == "topology") choose<NetworkFamily>(map, "kind", choice);
    if (!path.starts_with("workload")) return choice;
    choose<Traffic>(map, "traffic", choice);
    if (path == "workload.requests" && !is_given(map, "traffic")) {
      choice = {true, TrafficRegistry::find("uniform")->parameters};
    }
    if (path == "workload") choose<Algorithm>(map, "algorithm", choice);
    return choice;
  }

  /// The keys that this network and this workload have. Of an unknown kind of network: all that any has, but
  /// for those that must be given, and are not, by some kinds only.
  [[nodiscard]] Keys keys_of(const ConfigSection& section, const YamlNode* map, const Choice& choice) const {
    Keys keys;
    for (const Key& key : section.rows) {
      const std::string& name = key.name;
      if (!applies(key, work_) || choice.declares(name)) continue;
      const bool is_optional = key.scope == KeyScope::all || !key.fallback.empty();
      const bool is_wanted = context_.kind ? applies(key, *context_.kind)
                                           : is_optional || (map != nullptr && is_given(*map, name));
      if (is_wanted) keys.push_back(&key);
    }
    return keys;
  }

  /// Adds why a key cannot be in its map, if it cannot.
  void refuse_key(const std::string& path, const ConfigSection& section, const YamlNode& map,
                  const YamlNode& item, const Choice& choice) {
    const std::string& name = item.key;
    if (choice.declares(name)) return;
    const auto is_named = [&](const Key& key) { return key.name == name; };
    const auto key = std::ranges::find_if(section.rows, is_named);
    if (key == section.rows.end()) return refuse_unknown(path, section, map, item, choice);
    const bool asks_for_none = item.text == "none" && key->fallback == "none";
    if (item.kind == Kind::null || asks_for_none) return;
    const auto is_of_work = [&](const Key& each) { return is_named(each) && applies(each, work_); };
    const auto is_of_both = [&](const Key& each) {
      return is_of_work(each) && applies(each, *context_.kind);
    };
    std::string reason;
    if (std::ranges::none_of(section.rows, is_of_work)) {
      // Of an unknown algorithm, any key may be a parameter.
      if (!choice.is_known && !is_given(map, "schedule") && !is_given(map, "classes") &&
          !is_given(map, "protocol"))
        return;
      reason = reason_of(key->work);
    } else if (context_.kind && std::ranges::none_of(section.rows, is_of_both)) {
      reason = fmt::format("is for {}, not for 'kind: {}'; leave it out", networks_of(key->scope),
                           find_section(root_, "topology.kind")->text);
    }
    if (!reason.empty()) diagnostics_.add(item.key_place, path_of(path, name) + " " + reason);
  }

  /// Why a workload of another kind has no key of `work`.
  [[nodiscard]] std::string reason_of(KeyWork work) const {
    if (work == KeyWork::protocol) return "goes with a protocol (protocol: request-reply); leave it out";
    if (work_ == KeyWork::protocol && work == KeyWork::one_class)
      return "goes with traffic; a protocol has the keys of workload.requests, and sizes of its own";
    if (work_ == KeyWork::schedules) return "goes with traffic, not with a schedule; leave it out";
    if (work == KeyWork::one_class)
      return "belongs to each class for itself; write it in the items of workload.classes";
    return "goes with an algorithm or a schedule, not with traffic; leave it out";
  }

  void refuse_unknown(const std::string& path, const ConfigSection& section, const YamlNode& map,
                      const YamlNode& item, const Choice& choice) {
    auto known = names_in(section.name);
    if (std::ranges::count(known, item.key) > 0) return;
    for (const Parameter& parameter : choice.parameters) known.push_back(parameter.name);
    const bool is_beside = path.starts_with("workload.") && path != "workload.service";
    if (is_beside && !choice.is_known) return;  // a parameter of the pattern, perhaps
    const bool may_be_any = path == "workload" && !choice.is_known && !is_given(map, "schedule") &&
                            !is_given(map, "traffic") && !is_given(map, "classes") &&
                            !is_given(map, "protocol");
    if (!may_be_any) {
      diagnostics_.add(item.key_place, unknown_key(path, item.key, known));
      return;
    }
    for (const Algorithm& each : AlgorithmRegistry::all()) {
      for (const Parameter& parameter : each.parameters) known.push_back(parameter.name);
    }
    if (std::ranges::count(known, item.key) > 0) return;
    const std::string full = path_of(path, item.key);
    const auto other = other_name_of_key(full);
    const std::string near = other ? "; " + *other : did_you_mean(item.key, known);
    diagnostics_.add(item.key_place, "unknown key {}{}", in_quotes(full),
                     near.empty() ? "; no algorithm has such a parameter" : near);
  }

  void require_one_workload(const YamlNode& map) {
    std::vector<std::string> given;
    for (const char* const key : {"algorithm", "schedule", "traffic", "classes", "protocol"}) {
      if (is_given(map, key)) given.emplace_back(key);
    }
    if (given.size() > 1) {
      diagnostics_.add(
          map.find(given[1])->place,
          "workload has both '{}' and '{}'; leave one out (--set workload.{}=null takes a key away)",
          given[0], given[1], given[0]);
    } else if (given.empty()) {
      diagnostics_.add(
          context_.place_of_section("workload"),
          "workload must have 'algorithm: NAME' with its parameters, 'schedule: FILE', 'traffic: PATTERN', "
          "'classes: [..]', a list of such traffic, or 'protocol: request-reply'");
    }
    const YamlNode* const schedule = map.find("schedule");
    if (schedule != nullptr && schedule->kind == Kind::scalar && schedule->text.empty()) {
      diagnostics_.add(schedule->place, "workload.schedule must name a file, not be empty");
    }
    for (const auto& [key, what] : {std::pair{"schedule_digest", "is that of a schedule's file"},
                                    {"data", "scales a schedule's file"}}) {
      if (!is_given(map, key) || is_given(map, "schedule")) continue;
      diagnostics_.add(map.find(key)->place,
                       fmt::format("workload.{} {}, and there is no 'schedule'", key, what));
    }
  }

  void read_classes(const ConfigSection& section) {
    const YamlNode* const list = find_section(root_, std::string(kClasses));
    if (list == nullptr || list->kind == Kind::null || list->kind == Kind::refused) return;
    if (list->kind != Kind::sequence || list->items.empty()) {
      diagnostics_.add(list->place,
                       "workload.classes must be a list with a map for each class, such as [{traffic: "
                       "uniform, load: 0.1}, {traffic: hotspot, load: 0.01}]");
      return;
    }
    classes_ = list->items.size();
    for (std::size_t item = 0; item < classes_; ++item) read_map(class_section_name(item), section);
  }

  // --- The typed configuration -----------------------------------------------------------------------------

  /// Adds what `action` refuses; a refusal without a key is about `path`.
  template <typename Action>
  void report(const std::string& path, Action action) {
    try {
      action();
    } catch (const Inadmissible& reason) {  // of a part of the value, or of several
      diagnostics_.add(context_.place_of(reason.key()), reason.what());
    } catch (const InputError& error) {
      if (path.empty()) throw;
      diagnostics_.add(context_.place_of(path), "{}: {}", path, error.what());
    }
  }

  void fill(ExperimentConfig& config) {
    WorkloadConfig& workload = config.workload;
    (work_ == KeyWork::one_class ? workload.traffic.parameters : workload.parameters) =
        std::move(parameters_["workload"]);
    if (work_ == KeyWork::protocol) {
      workload.protocol.emplace();
      workload.traffic.parameters = std::move(parameters_["workload.requests"]);
    }
    if (values_["workload.background"].has("traffic")) {
      workload.background.emplace().parameters = std::move(parameters_["workload.background"]);
    }
    for (std::size_t item = 0; item < classes_; ++item) {
      workload.classes.emplace_back().parameters = std::move(parameters_[class_section_name(item)]);
    }
    for_each_section(config, [&](const ConfigSection& section) {
      const ReadContext context{config.topology, context_.directory,
                                find_section(root_, section.name) != nullptr};
      const ParameterValues& values = values_[section.name];
      for (const Row<ExperimentConfig>& row : section.rows) {
        const std::string& name = row.name;
        const bool is_here = applies(row, *context_.kind) && applies(row, work_);
        if (!row.put || !is_here || !values.has(name)) continue;
        report(path_of(section.name, name), [&] { row.put(config, values.all().at(name), context); });
      }
    });
  }

  const YamlNode& root_;
  Diagnostics& diagnostics_;
  ReadingContext context_;
  KeyWork work_;
  std::size_t classes_ = 0;
  /// By the paths of maps: values of their keys, and of the parameters of their choices.
  std::map<std::string, ParameterValues> values_;
  std::map<std::string, ParameterValues> parameters_;
};

}  // namespace

ExperimentConfig read_source(const ConfigSource& source, Diagnostics& diagnostics) {
  const std::optional<YamlNode> with_preset = with_router_preset(source.root);
  auto config = ConfigReader(with_preset ? *with_preset : source.root, source.base_directory, diagnostics,
                             source.networks.get())
                    .read();
  diagnostics.throw_if_any();
  config->file = source.file;
  config->given = std::make_shared<YamlNode>(source.root);
  return std::move(*config);
}

}  // namespace flitscope
