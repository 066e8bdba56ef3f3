#include "sim/app/sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

namespace flitscope::app {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenBars{100};
constexpr milliseconds kBetweenLines{3000};
constexpr std::size_t kBarWidth = 24;

/// "45 s", "12 min 5 s", "3 h 20 min".
std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

CheckProgress::CheckProgress(std::string doing, bool quiet)
    : doing_(std::move(doing)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

CheckProgress::~CheckProgress() {
  if (line_is_there_) std::cerr << "\r\033[K" << std::flush;
}

void CheckProgress::show(std::uint64_t done, std::uint64_t total) {
  const auto now = Clock::now();
  if (quiet_ || now - shown_at_ < (terminal_ ? kBetweenBars : kBetweenLines)) return;
  const std::string text = fmt::format("{} before the first run: {} of {} runs", doing_, done, total);
  std::cerr << (terminal_ ? "\r" + text + "\033[K" : text + "\n") << std::flush;
  line_is_there_ = terminal_;
  shown_at_ = now;
}

SweepProgress::SweepProgress(std::size_t total, bool quiet)
    : total_(std::max<std::size_t>(total, 1)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

void SweepProgress::add(bool good) {
  ++done_;
  bad_ += good ? 0 : 1;
  if (!quiet_) show();
}

void SweepProgress::note(const std::string& text) {
  if (quiet_) return;
  clear();
  std::cerr << text << '\n';
}

void SweepProgress::clear() {
  if (bar_is_there_) std::cerr << "\r\033[K" << std::flush;
  bar_is_there_ = false;
}

std::string SweepProgress::text() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  std::string line = fmt::format("{} of {} runs, {:.3g} runs/s", done_, total_, rate);
  if (rate > 0 && done_ < total_)
    line += fmt::format(", {} left", duration(static_cast<double>(total_ - done_) / rate));
  if (bad_ > 0) line += fmt::format(", {} not verified", bad_);
  return line;
}

void SweepProgress::show() {
  const auto now = Clock::now();
  if (!terminal_) {
    const std::size_t tenth = done_ * 10 / total_;
    if (tenth == shown_tenth_) return;
    shown_tenth_ = tenth;
    std::cerr << text() << '\n';
    return;
  }
  if (now - shown_at_ < kBetweenBars && done_ < total_) return;
  shown_at_ = now;
  const std::size_t filled = done_ * kBarWidth / total_;
  std::cerr << fmt::format("\r[{:<{}}] {}\033[K", std::string(filled, '#'), kBarWidth, text()) << std::flush;
  bar_is_there_ = true;
}

}  // namespace flitscope::app
