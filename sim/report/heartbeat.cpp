#include "sim/report/heartbeat.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

namespace flitscope {

Heartbeat::Heartbeat(std::string command, std::ostream& to, std::chrono::milliseconds pause)
    : command_(std::move(command)),
      to_(to),
      thread_([this, pause](const std::stop_token& stop) { print_lines(stop, pause); }) {}

void Heartbeat::end() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Heartbeat::print_lines(const std::stop_token& stop, std::chrono::milliseconds pause) {
  std::chrono::milliseconds passed{0};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, pause - passed, [] { return false; });
    if (stop.stop_requested()) return;
    to_ << fmt::format("{}: at work for {:g} s\n", command_, static_cast<double>(pause.count()) / 1000)
        << std::flush;
    passed = pause;
    pause *= 2;
  }
}

}  // namespace flitscope
