// flitscope: the command line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <systemc>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "sim/app/command.h"

namespace flitscope::app {

namespace {

std::string overview() {
  std::string text =
      "flitscope: an interconnect simulator for architects, flit by flit and cycle by cycle\n\n"
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
  std::vector<std::string> names = texts_of(CommandRegistry::all(), &Command::name);
  throw InputError("flitscope: there is no command {}{} (see flitscope --help)", in_quotes(name),
                   did_you_mean(name, names));
}

}  // namespace

}  // namespace flitscope::app

int main(int argc, char** argv) {
  return flitscope::app::guarded(flitscope::app::dispatch, {argv + 1, argv + argc});
}
