// Schedules in the format goal, checked as `verify` does.
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/foreign/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::goal_target {
namespace {

void read(std::string_view bytes) {
  std::vector<ImportFile> files{{"attack", std::string(bytes)}};
  const auto schedule =
      FormatRegistry::find("goal")->read(files, ImportOptions({TopologyKind::torus, {3, 3}}));
  static_cast<void>(check_schedule(*schedule));
}

const TargetRegistry::Entry entry{{.name = "goal", .summary = "a schedule of the format goal", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::goal_target
