#include "sim/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ostream>
#include <utility>

namespace flitscope {

ProgressLine::ProgressLine(std::ostream& standard_error, bool quiet)
    : to_(standard_error),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      pause_(terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000)),
      next_(Clock::now() + (terminal_ ? Clock::duration(0) : pause_)) {}

void ProgressLine::show(const std::string& text) {
  const auto now = Clock::now();
  if (quiet_ || now < next_) return;
  if (terminal_) {
    to_ << "\r" << text << "\033[K" << std::flush;
    has_text_ = true;
  } else {
    to_ << text << '\n' << std::flush;
    pause_ *= 2;
  }
  next_ = now + pause_;
}

void ProgressLine::clear() {
  if (has_text_) to_ << "\r\033[K" << std::flush;
  has_text_ = false;
}

Heartbeat::Heartbeat(std::string command, std::ostream& to, std::chrono::milliseconds pause)
    : command_(std::move(command)),
      to_(to),
      thread_([this, pause](const std::stop_token& stop) { print_lines(stop, pause); }) {}

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
