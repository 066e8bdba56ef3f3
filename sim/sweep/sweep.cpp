#include "sim/sweep/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/erase.hpp>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "model/error.h"
#include "model/graph.h"
#include "model/text.h"
#include "sim/config/keys.h"
#include "sim/config/section_reader.h"
#include "sim/config/topology_reader.h"
#include "sim/sweep/table.h"

namespace flitscope {

namespace {

namespace uuids = boost::uuids;

/// The first digits of a name-based UUID, which depend on its SHA-1 alone.
std::string digits_of(const uuids::uuid& uuid) {
  return boost::algorithm::erase_all_copy(to_string(uuid), "-").substr(0, kRunIdDigits);
}

/// Of the contents of files that runs read, by their paths.
using Digests = std::map<std::filesystem::path, std::string>;

/// Throws Inadmissible if the file cannot be read.
const std::string& digest_of(const std::filesystem::path& file, Digests& digests) {
  const auto [at, is_new] = digests.try_emplace(file);
  if (!is_new) return at->second;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw Inadmissible("workload.schedule", "{} cannot be opened: {}", printable(file.string()),
                       std::strerror(errno));
  }
  // Each part's digest is the name space of the next, so that no part need be kept.
  uuids::uuid digest = uuids::ns::oid();
  std::string part(std::size_t{1} << 20, '\0');
  while (stream.read(part.data(), static_cast<std::streamsize>(part.size())), stream.gcount() > 0) {
    digest = uuids::name_generator_sha1(digest)(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  return at->second = to_string(digest);
}

/// Twelve hexadecimal digits of the SHA-1 of the resolved configuration. The experiment's name does not
/// count; of a schedule file, and of the files of traffic, the content counts and not the place.
std::string id_of(const ExperimentConfig& config, Digests& digests) {
  ExperimentConfig what = config;
  what.name.clear();
  what.workload.schedule_digest.reset();  // the content counts
  what.graph_digest.reset();
  if (!what.graph_file.empty()) what.graph_file = config.topology.graph()->digest();
  try {
    if (!what.workload.schedule_file.empty())
      what.workload.schedule_file = digest_of(what.workload.schedule_file, digests);
    for_each_traffic_file(what.workload,
                          [&](ParameterValues& values, const std::string& key, const std::string& /*copy*/) {
                            // A file that cannot be read is an error of the run.
                            const std::filesystem::path file = values.text(key);
                            if (std::filesystem::is_regular_file(file))
                              values.set(key, digest_of(file, digests));
                          });
    return digits_of(uuids::name_generator_sha1(uuids::ns::oid())(resolve(what)));
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

constexpr std::uint64_t kMaxRuns = 1'000'000;

Json cell(const ParameterValues::Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, NodeName>) {
          return held.text;
        } else if constexpr (std::is_same_v<Held, Decimal>) {
          return held.approximate();
        } else if constexpr (std::is_same_v<Held, Ratio>) {
          return held.is_whole() ? Json(held.numerator()) : Json(held.approximate());
        } else if constexpr (std::is_constructible_v<Json, Held>) {
          return held;
        } else {
          return value_text(held);
        }
      },
      value);
}

/// The keys of an axis. A path that names a whole section means the keys that its values have.
std::vector<std::string> keys_of(const Axis& axis) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (std::ranges::count(keys, key) == 0) keys.push_back(key);
  };
  for (const Choice& choice : axis.choices) {
    for (const Setting& setting : choice.settings) {
      if (setting.value.kind != YamlNode::Kind::map || !is_section(setting.path)) {
        add(setting.path);
        continue;
      }
      for (const YamlNode& item : setting.value.items) add(path_of(setting.path, item.key));
    }
  }
  return keys;
}

/// What a choice has for a key that resolved configurations do not have: one that sets others, or whose
/// values are sections.
Json given(const Choice& choice, const std::string& key) {
  for (const Setting& setting : choice.settings) {
    const YamlNode* value = setting.path == key ? &setting.value : nullptr;
    if (setting.value.kind == YamlNode::Kind::map && is_section(setting.path)) {
      const auto item = std::ranges::find(
          setting.value.items, key, [&](const YamlNode& each) { return path_of(setting.path, each.key); });
      if (item != setting.value.items.end()) value = &*item;
    }
    if (value != nullptr && value->kind != YamlNode::Kind::null) return flow_yaml(*value, false);
  }
  return nullptr;
}

bool has_names(const Axis& axis) {
  return !axis.choices.front().name.empty();
}

}  // namespace

std::vector<std::string> parts_between_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;  // at the beginning of the part, and not at its end
  bool escaped = false;
  for (const char letter : text) {
    const bool begins = parts.back().find_first_not_of(' ') == std::string::npos;
    if (letter == ',' && depth == 0 && quote == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += letter;
    if (quote != 0) {
      if (letter == quote && !escaped) quote = 0;
      escaped = quote == '"' && letter == '\\' && !escaped;
    } else if (begins && (letter == '"' || letter == '\'')) {
      quote = letter;
    } else if (letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
  }
  return parts;
}

SweptSchedule swept_schedule(const ExperimentConfig& config) {
  const Topology& topology = config.topology;
  SweptSchedule swept{config.workload.schedule_file, config.workload.schedule_digest, topology.kind(),
                      topology.graph() == nullptr ? std::string() : topology.graph()->digest()};
  if (!topology.physical_networks().empty()) {
    swept.sides.assign(topology.sides().begin(), topology.sides().end());
    swept.networks.assign(topology.physical_networks().begin(), topology.physical_networks().end());
    swept.classes = config.machine.classes;
  }
  return swept;
}

Sweep::Sweep(const std::filesystem::path& file, std::span<const std::string> overrides,
             std::span<const BatchOption> options, const Reading& on_progress) {
  Diagnostics diagnostics;
  base_ = load_source(file, overrides, diagnostics);
  base_.networks = std::make_shared<KnownNetworks>();
  YamlNode* const section = base_.root.find("sweep");
  if (section == nullptr) {
    diagnostics.add(
        base_.root.place,
        "section 'sweep' is missing; it lists what to vary, such as sweep: {workload.message: [64, 4KiB]}");
  } else {
    plan_ = read_sweep(*section, diagnostics);
    std::erase_if(base_.root.items, [](const YamlNode& item) { return item.key == "sweep"; });
    refuse_swept(overrides, diagnostics);
  }
  for (const BatchOption& option : options) {
    const SourceLocation place{
        fmt::format("--{} {}", BatchOption::name_of(option.section, option.key), option.value)};
    const auto value = parse_yaml(option.value, place, diagnostics);
    if (value) read_batch_value(option.section, option.key, *value, plan_.settings, diagnostics);
  }
  if (points() > kMaxRuns / plan_.repeat) {
    diagnostics.add(plan_.place, "more than {} runs; split the sweep", kMaxRuns);
  }
  diagnostics.throw_if_any();
  find_runs(diagnostics, on_progress);
  diagnostics.throw_if_any();
}

/// Overrides of keys to which every run gives a value of its own.
void Sweep::refuse_swept(std::span<const std::string> overrides, Diagnostics& diagnostics) const {
  for (const std::string& override : overrides) {
    const std::string path = override.substr(0, override.find('='));
    for (const Axis& axis : plan_.axes) {
      const auto sets = [&](const Choice& choice) {
        return std::ranges::count(choice.settings, path, &Setting::path) > 0;
      };
      if (!std::ranges::all_of(axis.choices, sets)) continue;
      diagnostics.add({"--set " + override},
                      "the sweep varies {}; take it out of 'sweep' to give it one value", path);
    }
  }
}

void Sweep::find_runs(Diagnostics& diagnostics, const Reading& on_progress) {
  Digests digests;
  std::vector<std::uint64_t> hits(plan_.exclusions.size());
  bool readable = true;
  const std::uint64_t all = points();
  for (std::uint64_t point = 0; point < all; ++point) {
    if (on_progress) on_progress(point, all);
    Diagnostics own;
    try {
      const ExperimentConfig config = read_source(source_of(point, own), own);
      bool is_excluded = false;
      for (std::size_t i = 0; i < hits.size(); ++i) {
        const bool hit = applies(plan_.exclusions[i], config, diagnostics);
        hits[i] += hit ? 1 : 0;
        is_excluded = is_excluded || hit;
      }
      excluded_ += is_excluded ? 1 : 0;
      if (is_excluded || !readable) continue;
      const std::string id = id_of(config, digests);
      if (!config.workload.schedule_file.empty()) {
        const SweptSchedule swept = swept_schedule(config);
        const bool says_all = swept.graph_digest.empty() && swept.networks.empty();
        schedule_files_.try_emplace(swept, says_all ? std::nullopt : std::optional(config.topology));
      }
      for (unsigned repeat = 1; repeat <= plan_.repeat; ++repeat) {
        runs_.push_back({point, repeat, repeat == 1 ? id : fmt::format("{}-{}", id, repeat)});
      }
    } catch (const InputError&) {
      if (own.none()) throw;  // the mistake is not in the configuration
      readable = false;
      diagnostics.add_all(own);
    }
  }
  if (!diagnostics.none()) return;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i] == 0) idle_exclusions_.push_back(plan_.exclusions[i].place);
  }
  if (runs_.empty()) diagnostics.add(plan_.place, "'exclude' leaves no run");
  reject_duplicates(diagnostics);
}

std::string BatchOption::name_of(const BatchSection& section, const Key& key) {
  std::string name = section.name + "-" + key.name;
  std::ranges::replace(name, '_', '-');
  return name;
}

void Sweep::reject_duplicates(Diagnostics& diagnostics) const {
  const auto in_brackets = [](const std::string& text) { return text.empty() ? "" : " (" + text + ")"; };
  std::map<std::string, std::size_t> first_with;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const auto [first, is_new] = first_with.try_emplace(runs_[i].id, i);
    if (is_new) continue;
    diagnostics.add(plan_.place,
                    "runs {}{} and {}{} are the same experiment; leave one out ('repeat: 2' runs each twice)",
                    first->second + 1, in_brackets(text_of(first->second)), i + 1, in_brackets(text_of(i)));
    return;  // further pairs are likely of the same kind
  }
}

std::uint64_t Sweep::points() const {
  std::uint64_t points = 1;
  for (const Axis& axis : plan_.axes) points = std::min(points, kMaxRuns + 1) * axis.choices.size();
  return points;
}

std::vector<const Choice*> Sweep::choices_of(std::uint64_t point) const {
  std::vector<const Choice*> choices(plan_.axes.size());
  for (std::size_t i = plan_.axes.size(); i-- > 0;) {
    const auto& all = plan_.axes[i].choices;
    choices[i] = &all[point % all.size()];
    point /= all.size();
  }
  return choices;
}

ConfigSource Sweep::source_of(std::uint64_t point, Diagnostics& diagnostics) const {
  ConfigSource source = base_;
  for (const Choice* const choice : choices_of(point)) {
    for (const Setting& setting : choice->settings) {
      set_key(source.root, setting.path, setting.path_place, setting.value, diagnostics);
      // What is missing of the configuration may be what is taken away here.
      if (setting.value.kind == YamlNode::Kind::null) source.root.place = setting.value.place;
    }
  }
  return source;
}

ExperimentConfig Sweep::config(const SweepRun& run) const {
  Diagnostics diagnostics;
  return read_source(source_of(run.point, diagnostics), diagnostics);
}

Json Sweep::labels(std::size_t index) const {
  const SweepRun& run = runs_[index];
  const ExperimentConfig config = this->config(run);
  const auto values = resolved_values(config);
  const auto choices = choices_of(run.point);
  Json labels{{"id", run.id}, {"number", index + 1}, {"name", config.name}};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (has_names(plan_.axes[i])) labels["replica"] = choices[i]->name;
    for (const std::string& key : keys_of(plan_.axes[i])) {
      const auto value = values.find(key);
      labels[key] = value == values.end() ? given(*choices[i], key) : cell(value->second);
      if (key != "workload.schedule" || labels[key].is_null()) continue;
      // As seen from the sweep's directory, so that the table does not depend on its place.
      const auto here = std::filesystem::absolute(base_.file).lexically_normal().parent_path();
      labels[key] = config.workload.schedule_file.lexically_relative(here).string();
    }
  }
  if (plan_.repeat > 1) labels["repeat"] = run.repeat;
  return labels;
}

std::string Sweep::text_of(std::size_t index) const {
  std::vector<std::string> parts;
  const Json labels = this->labels(index);
  for (const auto& [name, value] : labels.items()) {
    if (name == "id" || name == "number" || name == "name") continue;
    parts.push_back(fmt::format("{} = {}", name, cell_text(value)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

SweptAxes Sweep::swept() const {
  SweptAxes axes;
  for (const Axis& axis : plan_.axes) {
    axes.push_back(keys_of(axis));
    if (has_names(axis)) axes.back().insert(axes.back().begin(), "replica");
  }
  if (plan_.repeat > 1) axes.push_back({"repeat"});
  return axes;
}

}  // namespace flitscope
