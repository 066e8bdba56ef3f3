// Schedules in the format csv, checked as `verify` does.
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/foreign/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::csv_trace_target {
namespace {

void read(std::string_view bytes) {
  std::vector<ImportFile> files{{"attack", std::string(bytes)}};
  const auto schedule =
      FormatRegistry::find("csv")->read(files, ImportOptions({TopologyKind::torus, {3, 3}}));
  static_cast<void>(check_schedule(*schedule));
}

const TargetRegistry::Entry entry{
    {.name = "csv_trace", .summary = "a schedule of the format csv", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::csv_trace_target
