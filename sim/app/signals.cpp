#include "sim/app/signals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <latch>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "sim/report/output_file.h"

namespace flitscope::app {

namespace {

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t signal_pipe = -1;

void pass_on(int number) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(number);
  static_cast<void>(!write(signal_pipe, &byte, 1));
  errno = before;
}

void handle_ending_signals(void (*handler)(int)) {
  for (const int number : kEndingSignals) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // nohup
  }
}

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

SignalCleanup::SignalCleanup(std::string command) : command_(std::move(command)) {
  if (pipe2(pipe_.data(), O_CLOEXEC) != 0)
    throw InputError("flitscope: the system gives no more pipes; see ulimit -n");
  signal_pipe = pipe_[1];
  // A run may fork: by then the thread must not be in the allocator, whose locks the address sanitizer keeps.
  std::latch started(1);
  waiting_ = std::thread([this, &started] {
    started.count_down();
    wait_for_signal();
  });
  started.wait();
  handle_ending_signals(pass_on);
}

SignalCleanup::~SignalCleanup() {
  handle_ending_signals(SIG_DFL);
  close(pipe_[1]);
  waiting_.join();
  close(pipe_[0]);
}

void SignalCleanup::wait_for_signal() const {
  unsigned char number = 0;
  ssize_t bytes = 0;
  while ((bytes = read(pipe_[0], &number, 1)) < 0 && errno == EINTR) continue;
  if (bytes != 1) return;
  const auto names = abandon_unfinished();
  std::string text = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";
  text += fmt::format("flitscope {}: interrupted", command_);
  for (const auto& name : names) {
    text += fmt::format("; {} was not finished and is removed", printable(name.string()));
  }
  std::cerr << text << '\n';
  handle_ending_signals(SIG_DFL);
  std::raise(number);
}

InterruptWatch::InterruptWatch() {
  handle_ending_signals([](int number) { interrupted = number; });
}

InterruptWatch::~InterruptWatch() {
  handle_ending_signals(SIG_DFL);
}

bool InterruptWatch::is_interrupted() {
  return interrupted != 0;
}

void InterruptWatch::end(const std::string& line) {
  std::cout << std::flush;
  std::cerr << line << '\n';
  std::signal(interrupted, SIG_DFL);
  std::raise(interrupted);
  std::abort();
}

}  // namespace flitscope::app
