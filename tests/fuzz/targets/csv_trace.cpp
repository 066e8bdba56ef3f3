// Schedules in the format csv.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::csv_trace_target {
namespace {

const TargetRegistry::Entry entry{{.name = "csv_trace",
                                   .summary = "a schedule of the format csv",
                                   .read = [](std::string_view bytes) { import_and_check("csv", bytes); }}};

}  // namespace
}  // namespace flitscope::fuzz::csv_trace_target
