// Schedules in the format te-ccl.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::te_ccl_target {
namespace {

const TargetRegistry::Entry entry{
    {.name = "te_ccl", .summary = "a schedule of the format te-ccl", .read = [](std::string_view bytes) {
       import_and_check("te-ccl", bytes);
     }}};

}  // namespace
}  // namespace flitscope::fuzz::te_ccl_target
