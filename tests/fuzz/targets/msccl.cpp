// Schedules in the format msccl-xml, checked as `verify` does.
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/foreign/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::msccl_target {
namespace {

void read(std::string_view bytes) {
  std::vector<ImportFile> files{{"attack", std::string(bytes)}};
  const auto schedule =
      FormatRegistry::find("msccl-xml")->read(files, ImportOptions({TopologyKind::torus, {3, 3}}));
  static_cast<void>(check_schedule(*schedule));
}

const TargetRegistry::Entry entry{
    {.name = "msccl", .summary = "a schedule of the format msccl-xml", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::msccl_target
