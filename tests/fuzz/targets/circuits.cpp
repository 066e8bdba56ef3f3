// Schedule files for complete networks, checked as `verify` does.
#include <sstream>

#include "sim/analysis/circuit_checker.h"
#include "sim/formats/circuit_schedule_file.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::circuits {
namespace {

void read(std::string_view bytes) {
  CircuitScheduleFile file(std::make_unique<std::istringstream>(std::string(bytes)), "attack.jsonl");
  static_cast<void>(check_events(file));
}

const TargetRegistry::Entry entry{
    {.name = "circuits", .summary = "a schedule file for circuits", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::circuits
