// Ctrl-C, SIGTERM and SIGHUP while a command does many runs: it keeps those that are done.
#pragma once

#include <string>

namespace flitscope::app {

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
