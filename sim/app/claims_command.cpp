// flitscope claims: starts flitscope-claims, which measures what papers say.
#include "sim/app/command.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "model/error.h"

namespace flitscope::app {

namespace {

/// flitscope-claims, beside this program or in the libexec directory of its installation. Throws InputError
/// if it is missing.
std::filesystem::path claims_program() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const auto& candidate : {folder, folder.parent_path() / "libexec/flitscope"}) {
    if (std::filesystem::exists(candidate / "flitscope-claims")) return candidate / "flitscope-claims";
  }
  throw InputError(
      "flitscope claims: the program flitscope-claims is missing in {}; build it with cmake --build "
      "build/release --target flitscope-claims",
      folder.string());
}

Exit start(const Arguments& arguments) {
  const Command command = claims_command(start);
  Strings words{claims_program().string()};
  for (const char* const name : {"PAPER", "CLAIM"}) {
    if (arguments.has(name)) words.push_back(arguments.text(name));
  }
  for (const Option& option : command.options) {
    if (arguments.has(option.name)) words.push_back("--" + option.name);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw InputError("flitscope claims: {} cannot be started: {}", words.front(), std::strerror(errno));
}

const CommandRegistry::Entry entry{claims_command(start)};

}  // namespace
}  // namespace flitscope::app
