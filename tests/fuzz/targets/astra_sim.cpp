// Networks in the format astra-sim.
#include "sim/formats/foreign/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::astra_sim_target {
namespace {

const TargetRegistry::Entry entry{
    {.name = "astra_sim", .summary = "a network in the format astra-sim", .read = [](std::string_view bytes) {
       static_cast<void>(FormatRegistry::find("astra-sim")
                             ->machine({"attack", std::string(bytes)}, {".", "attack.network.yaml"}));
     }}};

}  // namespace
}  // namespace flitscope::fuzz::astra_sim_target
