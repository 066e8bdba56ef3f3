// BookSim2's configurations, to import.
#include <fmt/format.h>

#include "model/text.h"
#include "sim/booksim2/booksim_machine.h"
#include "sim/formats/foreign/format.h"

namespace flitscope::booksim2_format {
namespace {

ImportedMachine machine_of(const ImportFile& file, const MachineFiles& files) {
  const BookSimMachine machine = read_booksim_machine(file.text, file.name, files.directory, false);
  std::string text = fmt::format("# A machine of BookSim2: {}.\n", printable(file.name));
  for (const std::string& note : machine.notes) text += fmt::format("# {}\n", note);
  return {text + machine.machine + machine.workload};
}

const FormatRegistry::Entry entry{{
    .name = "booksim2",
    .summary = "configuration of BookSim2: network, routers, traffic; becomes a configuration",
    .source =
        "BookSim2 (Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, 2013)",
    .machine = machine_of,
}};

}  // namespace
}  // namespace flitscope::booksim2_format
