// Configurations, overrides and sweeps.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/config/resolve.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_reader.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz {
namespace {

/// Configurations. One that is read and printed must be read again as the same.
void try_yaml(std::string_view bytes) {
  const std::string printed = resolve(parse_config(bytes, "attack.yaml", "/"));
  if (resolve(parse_config(printed, "printed.yaml", "/")) != printed) {
    throw std::logic_error("the printed configuration is another: " + printed);
  }
}

const TargetRegistry::Entry yaml_entry{{.name = "yaml", .summary = "a configuration", .read = try_yaml}};

constexpr std::string_view kConfig =
    "flitscope: 1\n"
    "topology: {kind: torus, shape: [5, 5]}\n"
    "workload: {algorithm: two-port-torus}\n";

/// --set: every line is an override of one configuration.
void try_settings(std::string_view bytes) {
  std::istringstream lines{std::string(bytes)};
  std::vector<std::string> overrides;
  for (std::string line; std::getline(lines, line);) overrides.push_back(line);
  static_cast<void>(parse_config(kConfig, "attack.yaml", "/", overrides));
}

const TargetRegistry::Entry settings_entry{
    {.name = "settings", .summary = "a --set a line", .read = try_settings}};

constexpr std::uint64_t kMaxPoints = 200;

std::uint64_t points_of(const SweepPlan& plan) {
  std::uint64_t points = 1;
  for (const Axis& axis : plan.axes) points = std::min(points, kMaxPoints + 1) * axis.choices.size();
  return points;
}

/// Sweeps, and every run of small ones.
void try_sweep(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  const auto file = directory.write("sweep.yaml", std::string(bytes));
  Diagnostics diagnostics;
  const ConfigSource source = load_source(file, {}, diagnostics);
  const YamlNode* const section = source.root.find("sweep");
  const SweepPlan plan = section == nullptr ? SweepPlan() : read_sweep(*section, diagnostics);
  if (points_of(plan) > kMaxPoints || plan.repeat > kMaxPoints) return;
  const Sweep sweep(file);
  static_cast<void>(sweep.swept());
  for (std::size_t run = 0; run < sweep.runs().size(); ++run) static_cast<void>(sweep.labels(run));
}

const TargetRegistry::Entry sweep_entry{{.name = "sweep", .summary = "a sweep", .read = try_sweep}};

}  // namespace
}  // namespace flitscope::fuzz
