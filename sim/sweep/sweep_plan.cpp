#include "sim/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/config/section_reader.h"
#include "sim/formats/value_reader.h"

namespace flitscope {

namespace {

constexpr std::int64_t kMaxMemory = std::int64_t{1} << 50;
constexpr std::int64_t kMaxTasks = 1'000'000;
constexpr std::uint64_t kPicosecondsPerMillisecond = 1'000'000'000;

/// "90s", "1500ms" or seconds without a unit.
std::uint64_t milliseconds(const std::string& text) {
  const auto time = parse_time(is_whole_number(text) ? text + "s" : text);
  if (time.value && *time.value >= kPicosecondsPerMillisecond) {
    return *time.value / kPicosecondsPerMillisecond;
  }
  throw InputError("must be a time of at least 1ms, such as 90s or 90 (seconds), not {}", in_quotes(text));
}

/// `field` gives a setting of BatchSettings.
template <typename Field>
BatchKey bound(Parameter parameter, Field field) {
  return {{std::move(parameter).or_else("null")},
          [field](BatchSettings& settings, const ParameterValues::Value& value) {
            auto& held = field(settings);
            held = FieldValue<std::remove_reference_t<decltype(held)>>::from(value, {});
          }};
}

template <typename Field>
BatchKey time_key(const char* summary, Field field) {
  return {{Parameter::text("time", summary).or_else("null")},
          [field](BatchSettings& settings, const ParameterValues::Value& value) {
            field(settings) = milliseconds(std::get<std::string>(value));
          }};
}

Parameter memory(const char* summary) {
  return Parameter::bytes("memory", summary, {1 << 20, kMaxMemory});
}

Parameter count(const char* name, const char* summary) {
  return Parameter::integer(name, summary, {1, kMaxTasks});
}

}  // namespace

const std::vector<BatchSection>& batch_sections() {
  static const auto of_run = [](auto RunLimits::*field) {
    return [field](BatchSettings & settings) -> auto& {
      return settings.run.*field;
    };
  };
  static const auto of_slurm = [](auto SlurmSettings::*field) {
    return [field](BatchSettings & settings) -> auto& {
      return settings.slurm.*field;
    };
  };
  using S = SlurmSettings;
  static const std::vector<BatchSection> sections{
      {.name = "run",
       .summary = "limits of one run",
       .keys = {time_key("limit of the real time of a run, such as 90s", of_run(&RunLimits::milliseconds)),
                bound(memory("limit of the memory of a run"), of_run(&RunLimits::memory_bytes))}},
      {.name = "slurm",
       .summary = "resources of a Slurm cluster",
       .keys = {bound(Parameter::text("partition", "partition of the cluster"), of_slurm(&S::partition)),
                bound(count("at_once", "tasks that run at the same time"), of_slurm(&S::at_once)),
                bound(count("runs_per_task", "runs that one task does, one after the other"),
                      of_slurm(&S::runs_per_task)),
                time_key("limit of the real time of a task", of_slurm(&S::task_milliseconds)),
                bound(memory("limit of the memory of a task"), of_slurm(&S::task_memory_bytes)),
                bound(Parameter::text("program", "path of flitscope on the nodes"), of_slurm(&S::program))}}};
  return sections;
}

void read_batch_value(const BatchSection& section, const BatchKey& key, const YamlNode& given,
                      BatchSettings& settings, Diagnostics& diagnostics) {
  const std::string path = fmt::format("sweep.{}.{}", section.name, key.name);
  const auto value = read_value(key, path, given, {}, diagnostics);
  if (!value) return;
  try {
    key.put(settings, *value);
  } catch (const InputError& error) {
    diagnostics.add(given.place, "{} {}", path, error.what());
  }
}

namespace {

using Kind = YamlNode::Kind;

constexpr unsigned kMaxRepeats = 10'000;

class SweepReader {
 public:
  explicit SweepReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  SweepPlan read(const YamlNode& sweep) {
    plan_.place = sweep.key_place;
    if (is_map(sweep, "'sweep' must be a map, such as {workload.message: [64, 4KiB]}")) {
      for (const YamlNode& item : sweep.items) read_item(item);
    }
    return std::move(plan_);
  }

 private:
  void read_item(const YamlNode& item) {
    if (item.key == "zip") {
      read_groups(item);
    } else if (item.key == "replicas") {
      read_replicas(item);
    } else if (item.key == "exclude") {
      read_exclude(item);
    } else if (item.key == "repeat") {
      read_repeat(item);
    } else if (const BatchSection* const section = settings_of(item.key); section != nullptr) {
      item.key == section->name ? read_settings(*section, item) : read_setting(*section, item);
    } else if (is_path(item)) {
      Axis axis{{item.key}, {}};
      for (YamlNode& value : values_of(item)) axis.choices.push_back({"", {setting(item, std::move(value))}});
      add(std::move(axis), item);
    }
  }

  /// A path has a dot, or names a key or section of the top level.
  bool is_path(const YamlNode& item) {
    if (item.key.find('.') != std::string::npos) return true;
    auto known = names_in("");
    if (std::ranges::count(known, item.key) > 0) return true;
    for (const char* const word : {"zip", "replicas", "exclude", "repeat", "run", "slurm"})
      known.emplace_back(word);
    diagnostics_.add(item.key_place, unknown_key("sweep", item.key, known));
    return false;
  }

  static Setting setting(const YamlNode& item, YamlNode value) {
    return {item.key, item.key_place, std::move(value)};
  }

  /// The values of a list or a range; none, and a mistake, if it is neither.
  std::vector<YamlNode> values_of(const YamlNode& item) {
    if (item.kind == Kind::refused) return {};
    if (item.kind == Kind::map) return values_of_range(item, diagnostics_);
    if (item.kind == Kind::sequence && !item.items.empty()) return item.items;
    diagnostics_.add(item.place,
                     "{} must have a list of values, such as [64, 512], or a range, such as {{from: 64, to: "
                     "4KiB, times: 2}}{}",
                     in_quotes(item.key), item.kind == Kind::scalar ? ", not " + in_quotes(item.text) : "");
    return {};
  }

  bool is_map(const YamlNode& node, const std::string& otherwise) {
    if (node.kind == Kind::refused) return false;
    if (node.kind == Kind::map) return true;
    diagnostics_.add(node.place, otherwise);
    return false;
  }

  void read_groups(const YamlNode& item) {
    if (item.kind != Kind::sequence) return read_group(item);
    for (const YamlNode& group : item.items) read_group(group);
  }

  void read_group(const YamlNode& group) {
    if (!is_map(group, "'zip' must be a map of lists of equal length, or a list of such maps")) return;
    Axis axis;
    const YamlNode* first = nullptr;
    for (const YamlNode& item : group.items) {
      std::vector<YamlNode> values = values_of(item);
      if (values.empty()) continue;
      if (first == nullptr) {
        first = &item;
        axis.choices.resize(values.size());
      }
      if (values.size() != axis.choices.size()) {
        diagnostics_.add(item.place, "{} has {}, and {} has {}; what is zipped must have equally many",
                         in_quotes(item.key), counted(values.size(), "value"), in_quotes(first->key),
                         axis.choices.size());
        continue;
      }
      axis.paths.push_back(item.key);
      for (std::size_t i = 0; i < values.size(); ++i) {
        axis.choices[i].settings.push_back(setting(item, std::move(values[i])));
      }
    }
    add(std::move(axis), group);
  }

  void read_replicas(const YamlNode& item) {
    if (!is_map(item, "'replicas' must be a map of names, such as {north: {workload.source: [0, 0]}}"))
      return;
    Axis axis;
    for (const YamlNode& replica : item.items) {
      if (!is_map(replica, "a replica must be a map of values, such as {workload.source: [0, 0]}")) continue;
      if (replica.key.empty()) diagnostics_.add(replica.key_place, "a replica must have a name");
      Choice choice{replica.key, {}};
      for (const YamlNode& value : replica.items) {
        if (std::ranges::count(axis.paths, value.key) == 0) axis.paths.push_back(value.key);
        choice.settings.push_back(setting(value, value));
      }
      axis.choices.push_back(std::move(choice));
    }
    add(std::move(axis), item);
  }

  void add(Axis axis, const YamlNode& item) {
    if (axis.choices.empty()) return;  // has been reported, or is an empty map
    for (const std::string& path : axis.paths) {
      const auto [first, is_new] = swept_.try_emplace(path, item.place);
      if (is_new) continue;
      diagnostics_.add(item.place, "{} is swept twice, first at {}", in_quotes(path), first->second.text());
    }
    plan_.axes.push_back(std::move(axis));
  }

  void read_exclude(const YamlNode& item) {
    if (item.kind == Kind::refused) return;
    if (item.kind != Kind::sequence) {
      diagnostics_.add(item.place,
                       "'exclude' must be a list of maps, such as [{node.ports: 1, router.buffer: 2}]");
      return;
    }
    for (const YamlNode& entry : item.items) plan_.exclusions.push_back(read_exclusion(entry, diagnostics_));
  }

  void read_repeat(const YamlNode& item) {
    if (item.kind == Kind::refused) return;
    const auto repeat = whole_number(item.text, 1U, kMaxRepeats);
    if (repeat && item.kind == Kind::scalar && !item.quoted) {
      plan_.repeat = *repeat;
      return;
    }
    diagnostics_.add(item.place, "'repeat' must be a whole number from 1 to {}{}", kMaxRepeats,
                     item.kind == Kind::scalar ? ", not " + in_quotes(item.text) : "");
  }

  /// The section of settings that a key is, or that it is in: `run` and `run.time`.
  static const BatchSection* settings_of(const std::string& key) {
    const auto& sections = batch_sections();
    const auto at = std::ranges::find(sections, key.substr(0, key.find('.')), &BatchSection::name);
    return at == sections.end() ? nullptr : &*at;
  }

  /// A map: run: {time: 90s}.
  void read_settings(const BatchSection& section, const YamlNode& item) {
    const auto names = names_of(section.keys);
    if (!is_map(item, fmt::format("'{}' must be a map with keys such as {}", item.key, names.front())))
      return;
    refuse_unknown_keys("sweep." + item.key, item, names, diagnostics_);
    for (const BatchKey& key : section.keys) {
      if (const YamlNode* const value = item.find(key.name)) read_value(section, key, *value);
    }
  }

  /// One of its keys: run.time: 90s.
  void read_setting(const BatchSection& section, const YamlNode& item) {
    const std::string name = item.key.substr(section.name.size() + 1);
    const auto key = std::ranges::find(section.keys, name, &BatchKey::name);
    if (key != section.keys.end()) return read_value(section, *key, item);
    diagnostics_.add(item.key_place, unknown_key("sweep." + section.name, name, names_of(section.keys)));
  }

  void read_value(const BatchSection& section, const BatchKey& key, const YamlNode& value) {
    if (value.kind == Kind::null) return;
    const std::string path = path_of(section.name, key.name);
    const auto [first, is_new] = settings_.try_emplace(path, value.place);
    if (!is_new) {
      diagnostics_.add(value.place, "{} is given twice, first at {}", in_quotes(path), first->second.text());
    }
    read_batch_value(section, key, value, plan_.settings, diagnostics_);
  }

  Diagnostics& diagnostics_;
  SweepPlan plan_;
  /// Paths so far, and where.
  std::map<std::string, SourceLocation> swept_;
  /// Settings so far, and where.
  std::map<std::string, SourceLocation> settings_;
};

}  // namespace

SweepPlan read_sweep(const YamlNode& sweep, Diagnostics& diagnostics) {
  return SweepReader(diagnostics).read(sweep);
}

}  // namespace flitscope
