// Recordings in the format npe.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::npe_target {
namespace {

const TargetRegistry::Entry entry{{.name = "npe",
                                   .summary = "a recording of the format npe",
                                   .read = [](std::string_view bytes) { import_and_check("npe", bytes); }}};

}  // namespace
}  // namespace flitscope::fuzz::npe_target
