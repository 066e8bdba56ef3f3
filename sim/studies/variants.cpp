// The configurations of a study: several files, or one with several values of its keys.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "model/error.h"
#include "model/text.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/studies/studies.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/table.h"

namespace flitscope {

namespace {

/// "duato", "virtual_channels 4": words speak for themselves.
std::string value_name(const std::string& path, const std::string& value) {
  const bool is_word = !value.empty() && std::isalpha(static_cast<unsigned char>(value.front())) != 0;
  return is_word && value != "true" && value != "false"
             ? value
             : fmt::format("{} {}", path.substr(path.rfind('.') + 1), value);
}

/// A key, and the values that it takes one after the other.
struct VariedKey {
  std::string path;
  std::vector<std::string> values;
};

/// "PATH=A,B,.." as parts_between_commas() has it.
VariedKey varied_key(const std::string& text) {
  const auto refuse = [&](const char* why) {
    throw InputError("--vary must be KEY=A,B,.., such as router.routing=dimension-order,odd-even; {} {}",
                     in_quotes(text), why);
  };
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) refuse("names no key");
  VariedKey key{text.substr(0, equals), parts_between_commas(text.substr(equals + 1))};
  for (std::string& value : key.values) boost::algorithm::trim_left_if(value, boost::is_any_of(" "));
  if (std::ranges::any_of(key.values, &std::string::empty)) refuse("has an empty value");
  return key;
}

std::string joined(const std::string& one, const std::string& other) {
  return one + (one.empty() || other.empty() ? "" : ", ") + other;
}

/// The key whose values are the points of a curve, of one traffic class if it has a name.
std::string key_of_points(const WorkloadConfig& workload, const std::string& traffic_class) {
  const auto& classes = workload.classes;
  const auto named = std::ranges::find(classes, traffic_class, &TrafficConfig::name);
  if (!traffic_class.empty() && named != classes.end())
    return fmt::format("workload.classes[{}].load", named - classes.begin());
  if (workload.background) return "workload.background.load";
  if (workload.protocol)
    return workload.protocol->closed_loop ? "workload.outstanding" : "workload.requests.load";
  return "workload.load";
}

/// Refuses to vary the key whose values are the points of every curve.
void refuse_points(const std::string& place, const std::string& key, const ExperimentConfig& config,
                   const std::string& traffic_class) {
  if (key != key_of_points(config.workload, traffic_class)) return;
  throw InputError("{}: every curve has all values of {}, which --rates can name; vary another key", place,
                   key);
}

/// The runs of a configuration with a section `sweep`; nothing of one without.
std::optional<std::vector<StudyVariant>> runs_of_sweep(const std::string& file,
                                                       const std::vector<std::string>& settings,
                                                       const std::string& traffic_class) {
  Diagnostics diagnostics;
  const ConfigSource source = load_source(file, settings, diagnostics);
  if (source.root.find("sweep") == nullptr) return std::nullopt;
  const Sweep sweep(file, settings);
  std::vector<StudyVariant> runs;
  for (std::size_t i = 0; i < sweep.runs().size(); ++i) {
    StudyVariant& run = runs.emplace_back(StudyVariant{"", sweep.config(sweep.runs()[i])});
    const Json labels = sweep.labels(i);
    for (const auto& [key, value] : labels.items()) {
      if (key == "id" || key == "number" || key == "name" || key == "repeat") continue;
      refuse_points(printable(file) + ": sweep", key, run.config, traffic_class);
      run.name = joined(run.name, value_name(key, cell_text(value)));
    }
  }
  return runs;
}

/// A file with one combination of values.
struct Combination {
  std::string name;
  std::vector<std::string> settings;  ///< those of the command, then the values
};

/// All combinations of the values "KEY=A,B,..".
std::vector<Combination> combinations_of(const std::vector<std::string>& vary,
                                         const std::vector<std::string>& settings) {
  std::vector<Combination> combinations{{"", settings}};
  for (const std::string& text : vary) {
    const VariedKey key = varied_key(text);
    std::vector<Combination> longer;
    for (const Combination& each : combinations) {
      for (const std::string& value : key.values) {
        longer.push_back({joined(each.name, value_name(key.path, value)), each.settings});
        longer.back().settings.push_back(fmt::format("{}={}", key.path, value));
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

/// Values that "--set TEXT" gave are given by "--vary TEXT".
void give_by_vary(YamlNode& node, const std::string& text) {
  for (SourceLocation* const place : {&node.place, &node.key_place}) {
    if (place->source == "--set " + text) place->source = "--vary " + text;
  }
  for (YamlNode& item : node.items) give_by_vary(item, text);
}

/// The runs of a file with one combination; throws what load_config throws, with the place of the values.
std::vector<StudyVariant> runs_of(const std::string& file, const Combination& combination, std::size_t varied,
                                  const std::string& traffic_class) {
  const auto& settings = combination.settings;
  const auto of_vary = std::span(settings).last(varied);
  std::vector<StudyVariant> runs;
  try {
    auto of_sweep = runs_of_sweep(file, settings, traffic_class);
    runs = of_sweep ? std::move(*of_sweep) : std::vector<StudyVariant>{{"", load_config(file, settings)}};
  } catch (const InputError& error) {
    std::string text = error.what();
    for (const std::string& each : of_vary)
      boost::algorithm::replace_all(text, "--set " + each, "--vary " + each);
    throw InputError(text);
  }
  for (StudyVariant& run : runs) {
    YamlNode given = *run.config.given;
    for (const std::string& each : of_vary) give_by_vary(given, each);
    run.config.given = std::make_shared<const YamlNode>(std::move(given));
  }
  return runs;
}

}  // namespace

std::vector<StudyVariant> study_variants(const std::vector<std::string>& files,
                                         const std::vector<std::string>& settings,
                                         const std::vector<std::string>& vary,
                                         std::vector<LeftOutVariant>& left_out,
                                         const std::string& traffic_class) {
  const std::vector<Combination> combinations = combinations_of(vary, settings);
  std::vector<StudyVariant> variants;
  for (const std::string& file : files) {
    const std::string stem = printable(std::filesystem::path(file).stem().string());
    std::size_t refused = 0;
    for (const Combination& each : combinations) {
      std::vector<StudyVariant> runs;
      try {
        runs = runs_of(file, each, vary.size(), traffic_class);
      } catch (const InputError& error) {
        if (++refused == combinations.size()) throw;
        left_out.push_back({joined(files.size() > 1 ? stem : "", each.name), error.what()});
      }
      for (StudyVariant& run : runs) {
        if (files.size() > 1 && run.config.name == ExperimentConfig::kUnnamed) run.config.name = stem;
        for (const std::string& text : vary)
          refuse_points("--vary " + text, text.substr(0, text.find('=')), run.config, traffic_class);
        const std::string own = files.size() > 1 ? run.config.name : "";
        variants.push_back({joined(joined(own, each.name), run.name), std::move(run.config)});
      }
    }
  }
  // Experiments of the same name.
  std::map<std::string, int> seen;
  for (StudyVariant& variant : variants) {
    if (const int number = ++seen[variant.name]; number > 1) variant.name += fmt::format(" ({})", number);
  }
  return variants;
}

}  // namespace flitscope
