// Schedules in the format msccl-xml.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::msccl_target {
namespace {

const TargetRegistry::Entry entry{
    {.name = "msccl", .summary = "a schedule of the format msccl-xml", .read = [](std::string_view bytes) {
       import_and_check("msccl-xml", bytes);
     }}};

}  // namespace
}  // namespace flitscope::fuzz::msccl_target
