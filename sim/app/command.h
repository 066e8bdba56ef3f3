// Sub-commands: one entry of the CommandRegistry each, which declares its arguments and options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "params/registry.h"
#include "sim/report/output_file.h"

namespace flitscope::app {

/// Exit codes, the same for all sub-commands.
enum class Exit : int {
  done = 0,
  internal_error = 1,
  bad_input = 2,  ///< usage, configuration or an input file
  deadlock = 3,
  verification_failed = 4,  ///< the goal was not met, or the schedule is illegal
  limit = 5,
  not_written = 6,  ///< output could not be written
};

using Strings = std::vector<std::string>;

/// An option of a sub-command.
struct Option {
  /// Without dashes; "jobs,j" has a short form.
  std::string name;
  /// Name of its value in --help, such as "FILE"; empty: a switch.
  std::string value = {};
  std::string summary = {};
  /// The option may be given several times.
  bool repeats = false;
  /// The value if the option is given without one; empty: it needs one.
  std::string implied = {};
};

struct Command;

/// The words behind a sub-command's name, parsed. Every sub-command has --help.
class Arguments {
 public:
  /// Throws InputError for words that do not fit, with the nearest option that does. Prints the help if it is
  /// asked for.
  Arguments(const Command& command, const Strings& words);

  [[nodiscard]] bool helped() const { return values_.contains("help"); }
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  /// The value of an option or argument; empty if it is not given.
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] Strings texts(const std::string& name) const;
  /// The value of an option that names a file or directory; empty if it is not given. Throws InputError if it
  /// is given and empty.
  [[nodiscard]] std::string path(const std::string& name) const;
  /// The value of an option that is a whole number. Throws InputError if it is missing or something else.
  [[nodiscard]] std::uint64_t number(const std::string& name) const;
  /// As number(), at least 1; `otherwise` if the option is not given.
  [[nodiscard]] unsigned count(const std::string& name, unsigned otherwise) const;
  /// The value of an argument or option. Throws InputError if it is missing.
  [[nodiscard]] std::string required(const std::string& name) const;
  /// The value of an option that must be one of `words`; the first of them if it is not given. Throws
  /// InputError.
  [[nodiscard]] std::string choice(const std::string& name, const Strings& words) const;
  /// Throws InputError if two options are given that exclude each other.
  void exclude(const std::string& one, const std::string& other) const;

 private:
  std::string command_;
  std::map<std::string, Strings> values_;
};

struct Command {
  std::string name;
  /// The arguments of the usage line, in their order: "CONFIG", "[PAPER [CLAIM]]" if they can be left out,
  /// "FILE..." for all that follow. Options that every call needs may stand behind them.
  std::string arguments;
  std::string summary;
  /// Position in `flitscope --help`: smaller ones first.
  int place = 0;
  std::vector<Option> options = {};
  Exit (*run)(const Arguments& arguments);
};

using CommandRegistry = Registry<Command>;

/// Parses the words, prints the help if it is asked for, and otherwise runs the command.
[[nodiscard]] Exit perform(const Command& command, const Strings& words);

/// "A,B" as its parts.
[[nodiscard]] Strings split(const std::string& text);

/// Writes to standard output. Throws OutputError if that fails (a full disk, a closed pipe).
void print(const std::string& text);

/// --out FILE of a sub-command that writes a file. Goes with kForceOption.
[[nodiscard]] inline Option out_option(const std::string& summary) {
  return {"out", "FILE", summary};
}
inline const Option kForceOption{"force", "", "replace FILE if it is there already"};
/// What --force says.
[[nodiscard]] Existing existing_of(const Arguments& arguments);

inline const Option kQuietOption{"quiet", "", "print nothing but errors"};

/// --set, which every sub-command with a configuration has.
inline const Option kSetOption{
    .name = "set",
    .value = "PATH=VALUE",
    .summary = "change a key of the configuration, such as --set workload.message=4KiB; may be repeated",
    .repeats = true};

// The frame of every program: errors become messages and exit codes.

/// The exit code of `run`, or the one of what it throws, whose message goes to standard error.
[[nodiscard]] int guarded(Exit (*run)(const Strings& words), const Strings& words);

// The command `claims`, as flitscope declares it, which starts flitscope-claims, and as flitscope-claims runs
// it.

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
