// flitscope: the command line.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"

namespace flitscope::app {

namespace {

std::string overview() {
  std::string text =
      "flitscope: a laboratory for collective communication on wormhole-routed networks\n\n"
      "Usage: flitscope COMMAND ...        flitscope COMMAND --help\n\n";
  std::vector<Command> commands = CommandRegistry::all();
  std::ranges::stable_sort(commands, {}, &Command::place);
  for (const Command& command : commands) {
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
  if (const Command* const command = CommandRegistry::find(name)) {
    return command->run(Words(words.begin() + 1, words.end()));
  }
  std::vector<std::string> names;
  for (const Command& command : CommandRegistry::all()) names.push_back(command.name);
  throw InputError(fmt::format("flitscope: there is no command '{}'{} (see flitscope --help)", name,
                               did_you_mean(name, names)));
}

int failed(Exit code, const std::exception& error) {
  std::cerr << printable_lines(error.what()) << '\n';
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
