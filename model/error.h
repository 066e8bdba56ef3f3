// The errors that end a command; the command line turns each kind into its exit code.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace flitscope {

/// With a message, or with fmt::format(format, first, rest...).
template <typename Error>
class Formatted : public Error {
 public:
  using Error::Error;
  template <typename First, typename... Rest>
  explicit Formatted(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
      : Error(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};
using FormattedError = Formatted<std::runtime_error>;
/// A function is called with what it does not take.
using InvalidCall = Formatted<std::invalid_argument>;

/// A configuration, argument or input file is wrong. `what()` is one line that starts with the location
/// ("file:line:column: ") and says what would be right. Exit code 2.
class InputError : public FormattedError {
 public:
  using FormattedError::FormattedError;
};

/// A value is well formed but not admissible here (unequal sides, a source outside the torus, too few
/// virtual channels, ...). Thrown by code that does not know files; the configuration reader finds the
/// location of `key()` and rethrows an InputError.
class Inadmissible : public FormattedError {
 public:
  /// `key` is the configuration path that holds the value, such as "topology.shape" or "workload.source".
  Inadmissible(std::string key, const std::string& message) : FormattedError(message), key_(std::move(key)) {}
  template <typename First, typename... Rest>
  Inadmissible(std::string key, fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
      : FormattedError(format, std::forward<First>(first), std::forward<Rest>(rest)...),
        key_(std::move(key)) {}

  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  std::string key_;
};

/// Throws Inadmissible if a rule is broken. The values in its text must be there in any case.
template <typename... Values>
void refuse_if(bool is_broken, std::string_view key, fmt::format_string<Values...> text, Values&&... values) {
  if (is_broken) throw Inadmissible(std::string(key), fmt::format(text, std::forward<Values>(values)...));
}

/// A schedule breaks its own rules: a node sends what it does not hold, a path leaves the network, more
/// messages leave a node in a step than it has ports. Exit code 4.
class ScheduleError : public FormattedError {
 public:
  using FormattedError::FormattedError;
};

/// A result could not be written. Exit code 6.
class OutputError : public FormattedError {
 public:
  using FormattedError::FormattedError;
};

}  // namespace flitscope
