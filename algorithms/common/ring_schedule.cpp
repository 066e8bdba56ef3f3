#include "algorithms/common/ring_schedule.h"

#include <algorithm>
#include <utility>

namespace flitscope::common {

namespace {

/// The classes from one informed class to the next: L classes on, of which L - 1 are still to be informed.
struct Gap {
  std::int64_t length = 0;
  std::int64_t parts = 0;  ///< P = 2d + 1

  /// F, the classes of the gap that are informed in this step.
  [[nodiscard]] std::int64_t count() const { return std::min(parts, length) - 1; }
  /// Distance of the j-th of them, j = 1 .. F, from the left end: running sums of q+1, r times, then of q,
  /// where L = q P + r. If L < P these are 1, 2, .., L-1.
  [[nodiscard]] std::int64_t offset(std::int64_t j) const {
    return j * (length / parts) + std::min(j, length % parts);
  }
};

/// The messages of the step that a set of informed classes takes, which becomes those informed afterwards.
std::vector<RingSender> step_of(std::vector<std::uint32_t>& informed, std::int64_t side, std::int64_t d,
                                Reading reading) {
  const std::vector<std::uint32_t> before = std::exchange(informed, {});
  std::vector<Gap> gaps;
  std::vector<std::int64_t> places;  // of the classes of `before` in `informed`
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::int64_t next = i + 1 < before.size() ? before[i + 1] : side;
    const Gap& gap = gaps.emplace_back(Gap{next - before[i], 2 * d + 1});
    places.push_back(std::ssize(informed));
    informed.push_back(before[i]);
    for (std::int64_t j = 1; j <= gap.count(); ++j) {
      informed.push_back(static_cast<std::uint32_t>(before[i] + gap.offset(j)));
    }
  }
  // The d next (direction 1) or previous (-1) classes of those informed after the step; 0 for the class
  // itself, should it come round to that.
  const auto neighbours = [&](std::size_t i, std::int64_t direction) {
    const std::int64_t classes = std::ssize(informed);
    std::vector<std::int64_t> targets;
    for (std::int64_t j = 1; j <= d; ++j) {
      const std::int64_t place = places[i] + direction * j;
      const std::int64_t rounds = (place - ((place % classes + classes) % classes)) / classes;
      const std::int64_t target = informed[static_cast<std::size_t>(place - rounds * classes)];
      const std::int64_t displacement = target + rounds * side - before[i];
      targets.push_back(displacement % side == 0 ? 0 : displacement);
    }
    return targets;
  };
  std::vector<RingSender> senders;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (reading == Reading::literal) {
      senders.push_back({before[i], neighbours(i, 1), neighbours(i, -1)});
      continue;
    }
    // The first ceil(F/2) classes of a gap are informed from its left end, the others from the right end; in
    // the bounded reading up to d from either.
    RingSender& sender = senders.emplace_back(RingSender{before[i], {}, {}});
    const Gap& ahead = gaps[i];
    const Gap& behind = gaps[i > 0 ? i - 1 : gaps.size() - 1];
    const bool shares = reading == Reading::working;
    const std::int64_t right = shares ? (ahead.count() + 1) / 2 : std::min(d, ahead.count());
    const std::int64_t left = shares ? behind.count() / 2 : std::min(d, behind.count());
    for (std::int64_t j = 1; j <= right; ++j) sender.right.push_back(ahead.offset(j));
    for (std::int64_t j = 0; j < left; ++j)
      sender.left.push_back(behind.offset(behind.count() - j) - behind.length);
  }
  return senders;
}

}  // namespace

RingSchedule::RingSchedule(std::uint32_t side, unsigned dimensions, Reading reading) {
  std::vector<std::uint32_t> informed{0};
  while (informed.size() < side) senders_.push_back(step_of(informed, side, dimensions, reading));
}

std::uint64_t RingSchedule::displacements() const {
  std::int64_t sum = 0;
  for (const auto& step : senders_) {
    for (const auto& [ring_class, right, left] : step) {
      sum +=
          std::ssize(right) + std::ssize(left) - std::ranges::count(right, 0) - std::ranges::count(left, 0);
    }
  }
  return static_cast<std::uint64_t>(sum);
}

}  // namespace flitscope::common
