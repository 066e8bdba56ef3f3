#include "sim/app/progress_line.h"

#include <unistd.h>

#include <iostream>

namespace flitscope::app {

ProgressLine::ProgressLine(bool quiet) : is_shown_(!quiet && isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& text) {
  if (!is_shown_) return;
  std::cerr << "\r" << text << "\033[K" << std::flush;
  has_text_ = true;
}

void ProgressLine::clear() {
  if (has_text_) std::cerr << "\r\033[K" << std::flush;
  has_text_ = false;
}

}  // namespace flitscope::app
