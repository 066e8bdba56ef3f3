// Ctrl-C and SIGTERM while a command writes files.
#pragma once

#include <array>
#include <string>
#include <thread>

namespace flitscope::app {

/// While it lives, SIGINT and SIGTERM end the program in good order: what is unfinished is removed (see
/// abandon_unfinished), standard error says so, and the program ends by the signal, which a shell shows as
/// exit code 130 or 143. At most one at a time.
class SignalCleanup {
 public:
  explicit SignalCleanup(std::string command);
  ~SignalCleanup();
  SignalCleanup(const SignalCleanup&) = delete;
  SignalCleanup& operator=(const SignalCleanup&) = delete;

 private:
  void wait_for_signal() const;

  std::string command_;
  /// A signal handler may do next to nothing: it writes its number into a pipe, at whose end a thread waits.
  std::array<int, 2> pipe_{};
  std::thread waiting_;
};

}  // namespace flitscope::app
