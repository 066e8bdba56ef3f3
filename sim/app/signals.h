// Ctrl-C, SIGTERM and SIGHUP while a command writes files or does many runs.
#pragma once

#include <array>
#include <string>
#include <thread>

namespace flitscope::app {

/// Cleans up at SIGINT and SIGTERM: partial output is removed (see abandon_unfinished), standard error
/// reports it, and the program ends by the signal, which a shell shows as exit code 130 or 143. At most one
/// at a time.
class SignalCleanup {
 public:
  explicit SignalCleanup(std::string command);
  ~SignalCleanup();
  SignalCleanup(const SignalCleanup&) = delete;
  SignalCleanup& operator=(const SignalCleanup&) = delete;

 private:
  void wait_for_signal() const;

  std::string command_;
  /// A signal handler may only do what is async-signal-safe: it writes its number into a pipe that a thread
  /// reads.
  std::array<int, 2> pipe_{};
  std::thread waiting_;
};

// Ctrl-C, SIGTERM and SIGHUP while a command does many runs: it keeps those that are done.

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted and do not end the program, unless they were ignored
/// before. At most one at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  [[nodiscard]] static bool is_interrupted();
  /// Ends the program by the signal that was noted, after a line on standard error.
  [[noreturn]] static void end(const std::string& line);
};

}  // namespace flitscope::app
