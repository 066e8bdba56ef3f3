// Progress lines of a long command.
#pragma once

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace flitscope {

/// While it lives, and until end(), a line says for how long `command` has been at work: first after `pause`,
/// then each time after twice as long. Shorter work prints nothing.
class Heartbeat {
 public:
  /// No other thread writes to `to` until end().
  Heartbeat(std::string command, std::ostream& to,
            std::chrono::milliseconds pause = std::chrono::seconds(10));
  ~Heartbeat() { end(); }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// No line is written after it.
  void end();

 private:
  void print_lines(const std::stop_token& stop, std::chrono::milliseconds pause);

  std::string command_;
  std::ostream& to_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

}  // namespace flitscope
