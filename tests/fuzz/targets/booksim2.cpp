// Configurations of BookSim2.
#include <filesystem>

#include "sim/booksim2/booksim_machine.h"
#include "sim/config/config_source.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::booksim2_target {
namespace {

void read(std::string_view bytes) {
  const auto here = std::filesystem::current_path();
  const BookSimMachine machine = read_booksim_machine(bytes, "attack.icnt", here, false);
  static_cast<void>(parse_config(machine.machine + machine.workload, "attack.yaml", here));
}

const TargetRegistry::Entry entry{
    {.name = "booksim2", .summary = "a configuration of BookSim2", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::booksim2_target
