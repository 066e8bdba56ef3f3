// Schedules of our own that are imported on another network.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::own_schedules_target {
namespace {

const TargetRegistry::Entry entry{
    {.name = "own_schedules",
     .summary = "a schedule that is imported on another network",
     .read = [](std::string_view bytes) { import_and_check("schedule", bytes); }}};

}  // namespace
}  // namespace flitscope::fuzz::own_schedules_target
