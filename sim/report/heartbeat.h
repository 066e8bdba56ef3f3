// A sign now and then that a long command is at work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace flitscope {

/// While it lives, and until end(), a line says for how long `who` has been at work: first after `pause`,
/// then each time after twice as long. What takes less says nothing.
class Heartbeat {
 public:
  /// Nothing else writes to `to` meanwhile from another thread.
  Heartbeat(std::string who, std::ostream& to, std::chrono::milliseconds pause = std::chrono::seconds(10));
  ~Heartbeat() { end(); }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// No sign comes after it.
  void end();

 private:
  void tell(const std::stop_token& stop, std::chrono::milliseconds pause);

  std::string who_;
  std::ostream& to_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread telling_;
};

}  // namespace flitscope
