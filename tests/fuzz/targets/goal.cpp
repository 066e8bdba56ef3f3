// Schedules in the format goal.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::goal_target {
namespace {

const TargetRegistry::Entry entry{{.name = "goal",
                                   .summary = "a schedule of the format goal",
                                   .read = [](std::string_view bytes) { import_and_check("goal", bytes); }}};

}  // namespace
}  // namespace flitscope::fuzz::goal_target
