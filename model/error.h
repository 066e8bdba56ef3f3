// The errors that end a command; the command line turns each kind into its exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace flitscope {

/// A configuration, argument or input file is wrong. `what()` is one line that starts with the location
/// ("file:line:column: ") and says what would be right. Exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value is well formed but not admissible here (unequal sides, a source outside the torus, too few
/// virtual channels, ...). Thrown by code that does not know files; the configuration reader finds the
/// location of `key()` and rethrows an InputError.
class Inadmissible : public std::runtime_error {
 public:
  /// `key` is the configuration path that holds the value, such as "topology.shape" or "workload.source".
  Inadmissible(std::string key, const std::string& message)
      : std::runtime_error(message), key_(std::move(key)) {}

  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  std::string key_;
};

/// A schedule breaks its own rules: a node sends what it does not hold, a path leaves the network, more
/// messages leave a node in a step than it has ports. Exit code 4.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result could not be written. Exit code 6.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace flitscope
