// Sub-commands: one file each, which declares itself by an entry of the CommandRegistry.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "params/registry.h"
#include "sim/formats/foreign/format.h"
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

/// The words after the name of the sub-command.
using Strings = std::vector<std::string>;

struct Command {
  std::string name;
  std::string arguments;  ///< of the usage line, such as "CONFIG"
  std::string summary;
  /// Its place in `flitscope --help`: smaller ones come first.
  int place = 0;
  Exit (*run)(const Strings& words);
};

using CommandRegistry = Registry<Command>;

/// Options of a sub-command, as parsed. Every sub-command has --help.
class Arguments {
 public:
  /// `own` are the sub-command's options; `positional` names the arguments without a dash in their order,
  /// with blanks between them ("PAPER CLAIM"; empty: there are none). One that ends in "..." takes all words
  /// that are left (see texts). Throws InputError for words that do not fit, with the nearest option that
  /// does.
  Arguments(const std::string& command, const boost::program_options::options_description& own,
            const std::string& positional, const Strings& words);

  /// The user asked for --help, and has it.
  [[nodiscard]] bool helped() const { return helped_; }
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  [[nodiscard]] std::string text(const std::string& name) const {
    return has(name) ? values_[name].as<std::string>() : std::string();
  }
  [[nodiscard]] Strings texts(const std::string& name) const {
    return has(name) ? values_[name].as<Strings>() : Strings();
  }
  /// The value of an option that names a file or directory; empty if it is not given. Throws InputError if it
  /// is given and names nothing.
  [[nodiscard]] std::string path(const std::string& name) const;
  /// The value of an option that is a whole number. Throws InputError if it is missing or something else.
  [[nodiscard]] std::uint64_t number(const std::string& name) const;
  /// As number(), at least 1; `otherwise` if the option is not given.
  [[nodiscard]] unsigned count(const std::string& name, unsigned otherwise) const;
  /// The value of the positional argument. Throws InputError if it is missing.
  [[nodiscard]] std::string required(const std::string& name) const;

 private:
  std::string command_;
  bool helped_ = false;
  boost::program_options::variables_map values_;
};

/// "A,B" as its parts.
[[nodiscard]] Strings split(const std::string& text);

/// Writes to standard output. Throws OutputError if that fails (a full disk, a closed pipe).
void print(const std::string& text);

/// --out FILE and --force, which every sub-command has that writes a file; `what` goes into it.
void add_out_options(boost::program_options::options_description& own, const std::string& what);
/// What --force says.
[[nodiscard]] Existing existing_of(const Arguments& arguments);

/// What --format of import and export names. Throws InputError if there is no such format.
[[nodiscard]] const Format& format_of(const Arguments& arguments, const std::string& command);

/// --set, which every sub-command with a configuration has.
void add_set_option(boost::program_options::options_description& own);

}  // namespace flitscope::app
