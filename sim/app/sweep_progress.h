// What a sweep shows while it runs, on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace flitscope::app {

/// How many runs have been read or checked before the first one begins, on one line of a terminal that is
/// wiped off in the end; elsewhere a line every few seconds.
class CheckProgress {
 public:
  /// `doing` is such as "checking".
  CheckProgress(std::string doing, bool quiet);
  ~CheckProgress();
  CheckProgress(const CheckProgress&) = delete;
  CheckProgress& operator=(const CheckProgress&) = delete;

  void show(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string doing_;
  bool quiet_;
  bool terminal_;
  bool line_is_there_ = false;
  Clock::time_point shown_at_ = Clock::now();
};

/// A bar with rate and time left that is written over and over on a terminal; elsewhere a plain line now and
/// then, at the latest for every tenth of the runs.
class SweepProgress {
 public:
  /// `total` runs are to be done. `quiet`: nothing is shown.
  SweepProgress(std::size_t total, bool quiet);
  ~SweepProgress() { clear(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  /// One more run is done; `good` if it is verified.
  void add(bool good);
  /// A line of its own.
  void note(const std::string& text);
  /// Wipes the bar off.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string text() const;
  void show();

  std::size_t total_;
  bool quiet_;
  bool terminal_;
  std::size_t done_ = 0;
  std::size_t bad_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_at_ = start_;
  std::size_t shown_tenth_ = 0;
  bool bar_is_there_ = false;
};

}  // namespace flitscope::app
