// Lines on standard error that say how far a command has come, or for how long it has been at work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace flitscope {

/// On a terminal one line that is written over and over, at most ten times a second, and wiped off in the
/// end. Elsewhere a new line, first after 10 s, then each time after twice as long. A quiet command shows
/// nothing.
class ProgressLine {
 public:
  /// `standard_error`: where the line goes.
  ProgressLine(std::ostream& standard_error, bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool is_on_terminal() const { return !quiet_ && terminal_; }
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::ostream& to_;
  bool quiet_;
  bool terminal_;
  bool has_text_ = false;
  /// Between two lines.
  Clock::duration pause_;
  Clock::time_point next_;
};

// Progress lines of a long command.

/// While it lives, a line says for how long `command` has been at work: first after `pause`, then each time
/// after twice as long. Shorter work prints nothing.
class Heartbeat {
 public:
  /// No other thread writes to `to` while it lives.
  Heartbeat(std::string command, std::ostream& to,
            std::chrono::milliseconds pause = std::chrono::seconds(10));

 private:
  void print_lines(const std::stop_token& stop, std::chrono::milliseconds pause);

  std::string command_;
  std::ostream& to_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  ///< ends first, before what it uses
};

}  // namespace flitscope
