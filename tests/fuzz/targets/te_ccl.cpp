// Schedules in the format te-ccl, checked as `verify` does.
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/foreign/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::te_ccl_target {
namespace {

void read(std::string_view bytes) {
  std::vector<ImportFile> files{{"attack", std::string(bytes)}};
  const auto schedule =
      FormatRegistry::find("te-ccl")->read(files, ImportOptions({TopologyKind::torus, {3, 3}}));
  static_cast<void>(check_schedule(*schedule));
}

const TargetRegistry::Entry entry{
    {.name = "te_ccl", .summary = "a schedule of the format te-ccl", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::te_ccl_target
