#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"

namespace flitscope::app {

namespace options = boost::program_options;

namespace {

std::string help_text(const Command& command, const options::options_description& visible) {
  std::ostringstream text;
  text << "Usage: flitscope " << command.name << (command.arguments.empty() ? "" : " ") << command.arguments
       << " [options]\n\n"
       << command.summary << "\n\n"
       << visible;
  return text.str();
}

std::string unknown_option(const options::unknown_option& error,
                           const options::options_description& visible) {
  std::vector<std::string> names;
  for (const auto& option : visible.options()) names.push_back(option->format_name());
  return fmt::format("there is no option {}{}", in_quotes(error.get_option_name()),
                     did_you_mean(error.get_option_name(), names));
}

}  // namespace

Arguments::Arguments(const std::string& command, const options::options_description& own,
                     const std::string& positional, const Strings& words)
    : command_(command) {
  options::options_description visible("Options");
  visible.add(own);
  visible.add_options()("help,h", "print this and stop");
  options::options_description all;
  all.add(visible);
  options::positional_options_description place;
  std::istringstream names(positional);
  bool takes_all = false;
  for (std::string name; names >> name;) {
    if (name.ends_with("...")) {
      takes_all = true;
      name.resize(name.size() - 3);
      all.add_options()(name.c_str(), options::value<Strings>());
      place.add(name.c_str(), -1);
      continue;
    }
    all.add_options()(name.c_str(), options::value<std::string>());
    place.add(name.c_str(), 1);
  }
  constexpr auto kExcess = "words that nothing asks for";
  all.add_options()(kExcess, options::value<Strings>());
  if (!takes_all) place.add(kExcess, -1);
  try {
    // No guessing of abbreviated options: a mistyped name is a mistake.
    const int style =
        options::command_line_style::default_style & ~options::command_line_style::allow_guessing;
    options::store(options::command_line_parser(words).options(all).positional(place).style(style).run(),
                   values_);
  } catch (const options::unknown_option& error) {
    throw InputError(fmt::format("flitscope {}: {} (see flitscope {} --help)", command,
                                 unknown_option(error, visible), command));
  } catch (const options::error& error) {
    throw InputError(
        fmt::format("flitscope {}: {} (see flitscope {} --help)", command, error.what(), command));
  }
  if (const Strings excess = texts(kExcess); !excess.empty()) {
    throw InputError(fmt::format(
        "flitscope {}: {} is one word too many{} (see flitscope {} --help)", command,
        in_quotes(excess.front()),
        positional.empty() ? "" : fmt::format(" after {} {}", positional, in_quotes(text(positional))),
        command));
  }
  if (values_.contains("help")) {
    helped_ = true;
    print(help_text(*CommandRegistry::find(command), visible));
  }
}

std::string Arguments::path(const std::string& name) const {
  if (!has(name) || !text(name).empty()) return text(name);
  throw InputError(fmt::format("flitscope {}: --{} must name a place, not be empty (see flitscope {} --help)",
                               command_, name, command_));
}

std::uint64_t Arguments::number(const std::string& name) const {
  const std::string text = required(name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  throw InputError(
      fmt::format("flitscope {}: --{} must be a whole number, not {}", command_, name, in_quotes(text)));
}

unsigned Arguments::count(const std::string& name, unsigned otherwise) const {
  if (!has(name)) return std::max(otherwise, 1U);
  constexpr std::uint64_t kMax = 4096;
  const std::uint64_t value = number(name);
  if (value >= 1 && value <= kMax) return static_cast<unsigned>(value);
  throw InputError(
      fmt::format("flitscope {}: --{} must be from 1 to {}, not {}", command_, name, kMax, value));
}

std::string Arguments::required(const std::string& name) const {
  if (has(name)) return text(name);
  throw InputError(
      fmt::format("flitscope {}: {} is missing (see flitscope {} --help)", command_, name, command_));
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

void add_out_options(options::options_description& own, const std::string& what) {
  own.add_options()("out", options::value<std::string>()->value_name("FILE"), what.c_str())(
      "force", "replace FILE if it is there already");
}

Existing existing_of(const Arguments& arguments) {
  return arguments.has("force") ? Existing::replace : Existing::keep;
}

void add_set_option(options::options_description& own) {
  own.add_options()(
      "set", options::value<Strings>()->value_name("PATH=VALUE"),
      "change a key of the configuration, such as --set workload.message=4KiB; may be repeated");
}

}  // namespace flitscope::app
