#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <boost/program_options.hpp>

#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>
#include <system_error>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/host/processes.h"

namespace flitscope::app {

namespace options = boost::program_options;

namespace {

int failed(Exit code, const std::string& message) {
  std::cerr << printable_lines(message) << '\n';
  return static_cast<int>(code);
}

/// Opens a standard stream that is closed, so that no file or pipe becomes one; its use still fails.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

options::options_description description_of(const Command& command) {
  options::options_description visible("Options");
  for (const Option& option : command.options) {
    if (option.value.empty()) {
      visible.add_options()(option.name.c_str(), option.summary.c_str());
    } else if (option.repeats) {
      visible.add_options()(option.name.c_str(), options::value<Strings>()->value_name(option.value),
                            option.summary.c_str());
    } else {
      const bool has_implied = !option.implied.empty();
      auto* const value = options::value<std::string>()->value_name(
          has_implied ? fmt::format("[={}]", option.value) : option.value);
      // Without a text of its own, the library prints the name of the value as it is.
      if (has_implied) value->implicit_value(option.implied, "");
      visible.add_options()(option.name.c_str(), value, option.summary.c_str());
    }
  }
  visible.add_options()("help,h", "print this and stop");
  return visible;
}

/// The arguments without a dash: "[PAPER [CLAIM]]" are PAPER and CLAIM, "FILE... --on CONFIG" is FILE....
Strings positional_names(const std::string& usage) {
  std::string plain = usage.substr(0, usage.find(" --"));
  std::erase_if(plain, [](char letter) { return letter == '[' || letter == ']'; });
  std::istringstream words(plain);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string help_text(const Command& command, const options::options_description& visible) {
  std::ostringstream text;
  text << "Usage: flitscope " << command.name << (command.arguments.empty() ? "" : " ") << command.arguments
       << " [options]\n\n"
       << command.summary << "\n\n"
       << visible;
  // "--table [=FORMAT]", as the library has it, is "--table[=FORMAT]".
  return std::regex_replace(text.str(), std::regex(R"( (\[=\S+\]))"), "$1 ");
}

std::string unknown_option(const Command& command, const options::unknown_option& error,
                           const options::options_description& visible) {
  if (command.name == "schedule" && error.get_option_name() == "--svg") {
    return "there is no option '--svg' any more: the report of a run (flitscope report DIR) draws the cycles";
  }
  const auto names = texts_of(visible.options(), &options::option_description::format_name);
  return fmt::format("there is no option {}{}", in_quotes(error.get_option_name()),
                     did_you_mean(error.get_option_name(), names));
}

}  // namespace

Arguments::Arguments(const Command& command, const Strings& words) : command_(command.name) {
  const auto refuse = [&](const std::string& what) {
    throw InputError("flitscope {0}: {1} (see flitscope {0} --help)", command_, what);
  };
  const options::options_description visible = description_of(command);
  options::options_description all;
  all.add(visible);
  options::positional_options_description places;
  const Strings names = positional_names(command.arguments);
  constexpr auto kExcess = "words beyond the arguments";
  for (std::string name : names) {
    const bool takes_all = name.ends_with("...");
    if (takes_all) name.resize(name.size() - 3);
    all.add_options()(name.c_str(), options::value<Strings>());
    places.add(name.c_str(), takes_all ? -1 : 1);
  }
  if (names.empty() || !names.back().ends_with("...")) {
    all.add_options()(kExcess, options::value<Strings>());
    places.add(kExcess, -1);
  }
  options::variables_map parsed;
  try {
    // Abbreviated options are not guessed: a mistyped name is a mistake.
    const int style =
        options::command_line_style::default_style & ~options::command_line_style::allow_guessing;
    options::store(options::command_line_parser(words).options(all).positional(places).style(style).run(),
                   parsed);
  } catch (const options::unknown_option& error) {
    refuse(unknown_option(command, error, visible));
  } catch (const options::error& error) {
    refuse(error.what());
  }
  for (const auto& [name, value] : parsed) {
    const auto* const one = boost::any_cast<std::string>(&value.value());
    const auto* const many = boost::any_cast<Strings>(&value.value());
    values_[name] = one != nullptr ? Strings{*one} : many != nullptr ? *many : Strings{};
  }
  if (has(kExcess)) {
    refuse(fmt::format(
        "{} is one word too many{}", in_quotes(text(kExcess)),
        names.empty() ? "" : fmt::format(" after {} {}", fmt::join(names, " "), in_quotes(text(names[0])))));
  }
  if (helped()) print(help_text(command, visible));
}

std::string Arguments::text(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? std::string() : found->second.front();
}

Strings Arguments::texts(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? Strings() : found->second;
}

std::string Arguments::path(const std::string& name) const {
  if (!has(name) || !text(name).empty()) return text(name);
  throw InputError("flitscope {}: --{} must name a place, not be empty (see flitscope {} --help)", command_,
                   name, command_);
}

std::string Arguments::choice(const std::string& name, const Strings& words) const {
  if (!has(name)) return words.front();
  if (std::ranges::count(words, text(name)) > 0) return text(name);
  throw InputError("flitscope {}: --{} must be {} or {}, not {}{}", command_, name,
                   fmt::join(words.begin(), words.end() - 1, ", "), words.back(), in_quotes(text(name)),
                   did_you_mean(text(name), words));
}

std::uint64_t Arguments::number(const std::string& name) const {
  const std::string text = required(name);
  if (const auto value = number_in<std::uint64_t>(text)) return *value;
  throw InputError("flitscope {}: --{} must be a whole number, not {}", command_, name, in_quotes(text));
}

unsigned Arguments::count(const std::string& name, unsigned otherwise) const {
  if (!has(name)) return std::max(otherwise, 1U);
  constexpr std::uint64_t kMax = 4096;
  const std::uint64_t value = number(name);
  if (value >= 1 && value <= kMax) return static_cast<unsigned>(value);
  throw InputError("flitscope {}: --{} must be from 1 to {}, not {}", command_, name, kMax, value);
}

std::string Arguments::required(const std::string& name) const {
  if (has(name)) return text(name);
  throw InputError("flitscope {}: {} is missing (see flitscope {} --help)", command_, name, command_);
}

void Arguments::exclude(const std::string& one, const std::string& other) const {
  if (!has(one) || !has(other)) return;
  throw InputError("flitscope {}: --{} and --{} exclude each other; leave one out", command_, one, other);
}

Strings split(const std::string& text) {
  Strings parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

void print(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) throw OutputError("standard output: could not be written");
}

Existing existing_of(const Arguments& arguments) {
  return arguments.has("force") ? Existing::replace : Existing::keep;
}

Exit perform(const Command& command, const Strings& words) {
  const Arguments arguments(command, words);
  return arguments.helped() ? Exit::done : command.run(arguments);
}

int guarded(Exit (*run)(const Strings& words), const Strings& words) {
  // A file beyond `ulimit -f` is one that cannot be written, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  occupy_standard_streams();
  try {
    return static_cast<int>(run(words));
  } catch (const InputError& error) {
    return failed(Exit::bad_input, error.what());
  } catch (const Inadmissible& error) {
    return failed(Exit::bad_input, error.key() + ": " + error.what());
  } catch (const ScheduleError& error) {
    return failed(Exit::verification_failed, error.what());
  } catch (const OutputError& error) {
    return failed(Exit::not_written, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(Exit::bad_input, std::string("flitscope: ") + error.what());
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) {
      return failed(Exit::internal_error, std::string("flitscope: internal error: ") + error.what());
    }
    return failed(
        Exit::bad_input,
        std::string("flitscope: the system limits threads, processes, files or memory: ") + error.what());
  } catch (const std::bad_alloc&) {
    return failed(Exit::bad_input, fmt::format("flitscope: not enough memory: {:.1f} GiB available",
                                               static_cast<double>(memory_limit()) / (1 << 30)));
  } catch (const std::exception& error) {
    return failed(Exit::internal_error, std::string("flitscope: internal error: ") + error.what());
  }
}

}  // namespace flitscope::app
