#include "sim/app/progress_line.h"

#include <unistd.h>

#include <iostream>

namespace flitscope::app {

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      pause_(terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000)),
      next_(Clock::now() + (terminal_ ? Clock::duration(0) : pause_)) {}

void ProgressLine::show(const std::string& text) {
  const auto now = Clock::now();
  if (quiet_ || now < next_) return;
  if (terminal_) {
    std::cerr << "\r" << text << "\033[K" << std::flush;
    has_text_ = true;
  } else {
    std::cerr << text << std::endl;
    pause_ *= 2;
  }
  next_ = now + pause_;
}

void ProgressLine::clear() {
  if (has_text_) std::cerr << "\r\033[K" << std::flush;
  has_text_ = false;
}

}  // namespace flitscope::app
