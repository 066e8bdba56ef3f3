// flitscope what-if: what one change of the machine would gain.
#include <unistd.h>

#include <fmt/format.h>

#include <iostream>

#include "model/error.h"
#include "sim/app/command.h"
#include "sim/host/process_limits.h"
#include "sim/studies/what_if.h"

namespace flitscope::app::what_if_command {

namespace {

Exit run(const Arguments& arguments) {
  if (arguments.has("json") && arguments.has("csv")) {
    throw InputError("flitscope what-if: --json and --csv cannot be printed both; leave one out");
  }
  const unsigned workers = arguments.count("jobs", processor_limit());
  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  const WhatIf answer =
      what_if(arguments.required("CONFIG"), arguments.texts("set"), workers, [&](const std::string& setting) {
        if (on_terminal) std::cerr << "\r\x1b[K" << setting << std::flush;
      });
  if (on_terminal) std::cerr << "\r\x1b[K";
  print(arguments.has("json")  ? to_json_text(to_table(answer))
        : arguments.has("csv") ? to_csv(to_table(answer))
                               : what_if_text(answer));
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "what-if",
    .arguments = "CONFIG",
    .summary = "Runs an experiment with one change of the machine at a time, and ranks the gains.",
    .place = 37,
    .options = {kSetOption,
                {"json", "", "print a list of objects, with all numbers"},
                {"csv", "", "print a table for spreadsheets, likewise"},
                {"jobs,j", "N", "runs at the same time (default: all cores)"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::what_if_command
