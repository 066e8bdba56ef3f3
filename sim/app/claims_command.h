// The command `claims`, as flitscope declares it, which starts flitscope-claims, and as flitscope-claims runs
// it.
#pragma once

#include "sim/app/command.h"

namespace flitscope::app {

[[nodiscard]] inline Command claims_command(Exit (*run)(const Arguments& arguments)) {
  return {.name = "claims",
          .arguments = "[PAPER [CLAIM]]",
          .summary = "Measures what a paper claims, or one claim of it, and prints the verdicts.",
          .place = 40,
          .options = {{"full", "",
                       "go through the whole ranges of sizes, not a selection (hours for some papers)"},
                      {"json", "", "print the result as JSON"},
                      {"markdown", "", "print the tables of the paper's page in the documentation"}},
          .run = run};
}

}  // namespace flitscope::app
