// A line on standard error that says how far a command has come.
#pragma once

#include <chrono>
#include <string>

namespace flitscope::app {

/// On a terminal one line that is written over and over, at most ten times a second, and wiped off in the
/// end. Elsewhere a new line, first after 10 s, then each time after twice as long. A quiet command shows
/// nothing.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet = false);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool is_on_terminal() const { return !quiet_ && terminal_; }
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool terminal_;
  bool has_text_ = false;
  /// Between two lines.
  Clock::duration pause_;
  Clock::time_point next_;
};

}  // namespace flitscope::app
