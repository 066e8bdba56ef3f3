// flitscope: the command line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <systemc>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "sim/app/command.h"
#include "sim/host/process_limits.h"

namespace flitscope::app {

namespace {

std::string overview() {
  std::string text =
      "flitscope: a laboratory for collective communication on wormhole-routed networks\n\n"
      "Usage: flitscope COMMAND ...        flitscope COMMAND --help\n\n";
  std::vector<Command> commands = CommandRegistry::all();
  std::ranges::stable_sort(commands, {}, &Command::place);
  std::vector<std::array<std::string, 2>> lines;
  for (const Command& command : commands) {
    lines.push_back({command.name + " " + command.arguments, command.summary});
  }
  lines.push_back({"--version", "Prints the version, and what it was built with."});
  lines.push_back({"--help", "Prints this."});
  std::size_t width = 0;
  for (const auto& [usage, summary] : lines) width = std::max(width, usage.size());
  for (const auto& [usage, summary] : lines) text += fmt::format("  {:<{}}  {}\n", usage, width, summary);
  return text +
         "\nExit codes: 0 done and correct, 1 internal error, 2 bad input, 3 deadlock, 4 goal missed or "
         "schedule\n"
         "illegal, 5 limit reached, 6 output not written. Results go to standard output, all else to "
         "standard error.\n";
}

std::string version() {
  return fmt::format("flitscope {}\nbuilt with {} {}, C++{}, {}\nSystemC {}.{}.{}-{}\n", FLITSCOPE_VERSION,
#ifdef __clang__
                     "clang", __clang_version__,
#else
                     "g++", __VERSION__,
#endif
                     __cplusplus / 100 % 100,
#ifdef __OPTIMIZE__
                     "optimized",
#else
                     "not optimized",
#endif
                     sc_core::sc_version_major, sc_core::sc_version_minor, sc_core::sc_version_patch,
                     sc_core::sc_version_originator);
}

Exit dispatch(const Strings& words) {
  if (words.empty()) throw InputError("flitscope: a command is missing\n\n" + overview());
  const std::string& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print(overview());
    return Exit::done;
  }
  if (name == "--version") {
    print(version());
    return Exit::done;
  }
  if (const Command* const command = CommandRegistry::find(name)) {
    return perform(*command, Strings(words.begin() + 1, words.end()));
  }
  std::vector<std::string> names;
  for (const Command& command : CommandRegistry::all()) names.push_back(command.name);
  throw InputError(fmt::format("flitscope: there is no command {}{} (see flitscope --help)", in_quotes(name),
                               did_you_mean(name, names)));
}

int failed(Exit code, const std::exception& error) {
  std::cerr << printable_lines(error.what()) << '\n';
  return static_cast<int>(code);
}

int guarded(const Strings& words) {
  try {
    return static_cast<int>(dispatch(words));
  } catch (const InputError& error) {
    return failed(Exit::bad_input, error);
  } catch (const Inadmissible& error) {
    return failed(Exit::bad_input, InputError(error.key() + ": " + error.what()));
  } catch (const ScheduleError& error) {
    return failed(Exit::verification_failed, error);
  } catch (const OutputError& error) {
    return failed(Exit::not_written, error);
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(Exit::bad_input, InputError(std::string("flitscope: ") + error.what()));
  } catch (const std::bad_alloc&) {
    return failed(Exit::bad_input,
                  InputError(fmt::format("flitscope: not enough memory: {:.1f} GiB available",
                                         static_cast<double>(memory_limit()) / (1 << 30))));
  } catch (const std::exception& error) {
    return failed(Exit::internal_error,
                  std::runtime_error(std::string("flitscope: internal error: ") + error.what()));
  }
}

}  // namespace

}  // namespace flitscope::app

int main(int argc, char** argv) {
  // A file beyond `ulimit -f` is one that cannot be written, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  return flitscope::app::guarded({argv + 1, argv + argc});
}
