// flitscope: the command line.
#include <fmt/format.h>

#include <exception>
#include <iostream>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"

namespace flitscope::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> list{
      {"run", "CONFIG", "Runs an experiment on flits and prints what happened.", run_command},
      {"verify", "CONFIG", "Checks an experiment's schedule without simulating it.", verify_command},
      {"schedule", "CONFIG", "Prints an experiment's schedule as JSON Lines, or its routing table.",
       schedule_command},
      {"claims", "[PAPER [CLAIM]]",
       "Measures what a paper claims, or one claim of it, and prints the verdicts.", claims_command},
      {"sweep", "CONFIG", "Runs all experiments that a configuration with a sweep stands for.",
       sweep_command},
      {"results", "DIR", "Prints the results of a sweep, and compares them.", results_command},
      {"work", "JOB", "Does a task of a sweep that was handed to other machines.", work_command},
      {"trace", "FILE", "Prints a binary flit trace as CSV, filtered.", trace_command},
      {"list", "[KIND]", "Lists what a configuration can name, with all parameters.", list_command},
  };
  return list;
}

namespace {

std::string overview() {
  std::string text =
      "flitscope: a laboratory for collective communication on wormhole-routed networks\n\n"
      "Usage: flitscope COMMAND ...        flitscope COMMAND --help\n\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<20} {}\n", command.name + " " + command.arguments, command.summary);
  }
  return text +
         fmt::format("\n  {:<20} Prints the version.\n  {:<20} Prints this.\n", "--version", "--help") +
         "\nExit codes: 0 done and correct, 1 internal error, 2 bad input, 3 deadlock, 4 goal missed or "
         "schedule\n"
         "illegal, 5 limit reached, 6 output not written. Results go to standard output, all else to "
         "standard error.\n";
}

Exit dispatch(const Words& words) {
  if (words.empty()) throw InputError("flitscope: a command is missing\n\n" + overview());
  const std::string& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print(overview());
    return Exit::done;
  }
  if (name == "--version") {
    print("flitscope " FLITSCOPE_VERSION "\n");
    return Exit::done;
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command.run(Words(words.begin() + 1, words.end()));
    names.push_back(command.name);
  }
  throw InputError(fmt::format("flitscope: there is no command '{}'{} (see flitscope --help)", name,
                               did_you_mean(name, names)));
}

int failed(Exit code, const std::exception& error) {
  std::cerr << error.what() << '\n';
  return static_cast<int>(code);
}

int guarded(const Words& words) {
  try {
    return static_cast<int>(dispatch(words));
  } catch (const InputError& error) {
    return failed(Exit::bad_input, error);
  } catch (const Inadmissible& error) {
    return failed(Exit::bad_input, InputError(error.key() + ": " + error.what()));
  } catch (const ScheduleError& error) {
    return failed(Exit::not_correct, error);
  } catch (const OutputError& error) {
    return failed(Exit::not_written, error);
  } catch (const std::bad_alloc&) {
    return failed(Exit::bad_input, InputError("flitscope: the memory of this machine does not suffice"));
  } catch (const std::exception& error) {
    return failed(Exit::internal_error,
                  std::runtime_error(std::string("flitscope: internal error: ") + error.what()));
  }
}

}  // namespace

}  // namespace flitscope::app

int main(int argc, char** argv) {
  return flitscope::app::guarded({argv + 1, argv + argc});
}
