// flitscope validate: our results beside those of BookSim2.
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/host/process_limits.h"
#include "sim/studies/agreement.h"

namespace flitscope::app::validate_command {

namespace {

Exit run(const Arguments& arguments) {
  const std::string file = arguments.required("REFERENCE");
  std::ifstream in(file);
  if (!in) throw InputError(printable(file) + ": cannot be opened");
  const auto reference = read_reference(in, file);
  const Agreement agreement;
  const bool shown = !arguments.has("quiet") && isatty(STDERR_FILENO) != 0;
  const auto points = compare(arguments.required("CONFIG"), arguments.texts("set"), reference, agreement,
                              arguments.count("jobs", processor_limit()), [&](const std::string& machine) {
                                if (shown) std::cerr << "done: " << machine << "\n";
                              });
  print(agreement_markdown(points, agreement));
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "validate",
    .arguments = "CONFIG REFERENCE",
    .summary = "Runs the points of a file of BookSim2's results and compares them, as Markdown.",
    .place = 45,
    .options = {kSetOption,
                {"jobs,j", "N", "runs at the same time (default: all cores)"},
                {"quiet", "", "show no progress"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::validate_command
