// Networks in the format infragraph.
#include "sim/formats/foreign/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::infragraph_target {
namespace {

const TargetRegistry::Entry entry{
    {.name = "infragraph",
     .summary = "a network in the format infragraph",
     .read = [](std::string_view bytes) {
       static_cast<void>(FormatRegistry::find("infragraph")
                             ->machine({"attack", std::string(bytes)}, {".", "attack.network.yaml"}));
     }}};

}  // namespace
}  // namespace flitscope::fuzz::infragraph_target
