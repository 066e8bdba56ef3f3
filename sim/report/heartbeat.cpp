#include "sim/report/heartbeat.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

namespace flitscope {

Heartbeat::Heartbeat(std::string who, std::ostream& to, std::chrono::milliseconds pause)
    : who_(std::move(who)),
      to_(to),
      telling_([this, pause](const std::stop_token& stop) { tell(stop, pause); }) {}

void Heartbeat::end() {
  telling_.request_stop();
  if (telling_.joinable()) telling_.join();
}

void Heartbeat::tell(const std::stop_token& stop, std::chrono::milliseconds pause) {
  std::chrono::milliseconds passed{0};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, pause - passed, [] { return false; });
    if (stop.stop_requested()) return;
    to_ << fmt::format("{}: at work for {:g} s\n", who_, static_cast<double>(pause.count()) / 1000)
        << std::flush;
    passed = pause;
    pause *= 2;
  }
}

}  // namespace flitscope
