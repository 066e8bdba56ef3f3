#include "sim/app/interrupt_watch.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>

namespace flitscope::app {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

InterruptWatch::InterruptWatch() {
  for (const int signal : kSignals) {
    const auto before = std::signal(signal, [](int number) { interrupted = number; });
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
  }
}

InterruptWatch::~InterruptWatch() {
  for (const int signal : kSignals) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool InterruptWatch::is_interrupted() {
  return interrupted != 0;
}

void InterruptWatch::end(const std::string& line) {
  std::cout << std::flush;
  std::cerr << line << std::endl;
  std::signal(interrupted, SIG_DFL);
  std::raise(interrupted);
  std::abort();
}

}  // namespace flitscope::app
