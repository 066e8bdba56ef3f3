// Schedule files for tori and meshes, checked as `verify` does.
#include <sstream>

#include "sim/analysis/schedule_checker.h"
#include "sim/formats/schedule_file.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::schedule {
namespace {

void read(std::string_view bytes) {
  ScheduleFile file(std::make_unique<std::istringstream>(std::string(bytes)), "attack.jsonl");
  static_cast<void>(check_schedule(file));
}

const TargetRegistry::Entry entry{{.name = "schedule", .summary = "a schedule file for links", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::schedule
