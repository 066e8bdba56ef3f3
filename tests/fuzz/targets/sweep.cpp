// Sweeps, and every run of small ones.
#include <algorithm>
#include <cstdint>

#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_plan.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::sweep {
namespace {

constexpr std::uint64_t kMaxPoints = 200;

std::uint64_t points_of(const SweepPlan& plan) {
  std::uint64_t points = 1;
  for (const Axis& axis : plan.axes) points = std::min(points, kMaxPoints + 1) * axis.choices.size();
  return points;
}

void read(std::string_view bytes) {
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

const TargetRegistry::Entry entry{{.name = "sweep", .summary = "a sweep", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::sweep
