#include "algorithms/common/ring_schedule.h"

#include <algorithm>

namespace flitscope::common {

namespace {

/// The classes from one informed class to the next: L classes on, of which L - 1 are still to be informed.
class Gap {
 public:
  Gap(std::int64_t length, unsigned dimensions)
      : length_(length),
        count_(std::min(2 * std::int64_t{dimensions}, length - 1)),
        quotient_(length / (2 * dimensions + 1)),
        remainder_(length % (2 * dimensions + 1)) {}

  /// F, the classes of the gap that are informed in this step.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// The first ceil(F/2) of them are informed from the left end, the others from the right end.
  [[nodiscard]] std::int64_t from_left() const { return (count_ + 1) / 2; }

  /// Distance of the j-th of them, j = 1 .. F, from the left end: running sums of q+1, r times, then of q,
  /// where L = q P + r. If L < P these are 1, 2, .., L-1.
  [[nodiscard]] std::int64_t offset(std::int64_t j) const { return j * quotient_ + std::min(j, remainder_); }
  /// Distance of the j-th from the right end, negative.
  [[nodiscard]] std::int64_t offset_from_right(std::int64_t j) const { return offset(j) - length_; }

 private:
  std::int64_t length_;
  std::int64_t count_;
  std::int64_t quotient_;
  std::int64_t remainder_;
};

using Displacements = std::vector<std::int64_t>;
using Classes = std::vector<std::uint32_t>;

/// The step that a set of informed classes takes: their gaps, and the classes informed afterwards.
class RingStep {
 public:
  RingStep(const Classes& informed, std::uint32_t side, unsigned dimensions)
      : before_(informed), side_(side), dimensions_(dimensions) {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      position_.push_back(after_.size());
      after_.push_back(before_[i]);
      const Gap gap = gap_after(i);
      for (std::int64_t j = 1; j <= gap.count(); ++j) {
        after_.push_back(static_cast<std::uint32_t>(before_[i] + gap.offset(j)));
      }
    }
  }

  [[nodiscard]] const Classes& informed_after() const { return after_; }

  /// Targets of the i-th informed class to its right, nearest first.
  [[nodiscard]] Displacements right(std::size_t i, Reading reading) const {
    if (reading == Reading::literal) return neighbours(i, 1);
    const Gap gap = gap_after(i);
    const std::int64_t last = reading == Reading::working ? gap.from_left() : reach(gap);
    Displacements targets;
    for (std::int64_t j = 1; j <= last; ++j) targets.push_back(gap.offset(j));
    return targets;
  }

  /// The same to its left.
  [[nodiscard]] Displacements left(std::size_t i, Reading reading) const {
    if (reading == Reading::literal) return neighbours(i, -1);
    const Gap gap = gap_after(i > 0 ? i - 1 : before_.size() - 1);
    const std::int64_t first = reading == Reading::working ? gap.from_left() : gap.count() - reach(gap);
    Displacements targets;
    for (std::int64_t j = gap.count(); j > first; --j) targets.push_back(gap.offset_from_right(j));
    return targets;
  }

 private:
  [[nodiscard]] Gap gap_after(std::size_t i) const {
    const std::int64_t next = i + 1 < before_.size() ? before_[i + 1] : side_;
    return {next - before_[i], dimensions_};
  }

  /// Most targets of a gap for one end.
  [[nodiscard]] std::int64_t reach(const Gap& gap) const {
    return std::min(std::int64_t{dimensions_}, gap.count());
  }

  /// The d next (direction 1) or previous (-1) classes of those informed after the step; 0 for the class
  /// itself, should it come round to that.
  [[nodiscard]] Displacements neighbours(std::size_t i, std::int64_t direction) const {
    const auto classes = static_cast<std::int64_t>(after_.size());
    Displacements targets;
    for (std::int64_t j = 1; j <= dimensions_; ++j) {
      const std::int64_t place = static_cast<std::int64_t>(position_[i]) + direction * j;
      const std::int64_t rounds = (place - ((place % classes + classes) % classes)) / classes;
      const std::int64_t target = after_[static_cast<std::size_t>(place - rounds * classes)];
      const std::int64_t displacement = target + rounds * side_ - before_[i];
      targets.push_back(displacement % side_ == 0 ? 0 : displacement);
    }
    return targets;
  }

  const Classes& before_;
  std::int64_t side_;
  unsigned dimensions_;
  Classes after_;
  /// Position of the i-th informed class in after_.
  std::vector<std::size_t> position_;
};

}  // namespace

RingSchedule::RingSchedule(std::uint32_t side, unsigned dimensions, Reading reading) {
  Classes informed{0};
  while (informed.size() < side) {
    const RingStep step(informed, side, dimensions);
    std::vector<RingSender>& senders = senders_.emplace_back();
    for (std::size_t i = 0; i < informed.size(); ++i) {
      senders.push_back({informed[i], step.right(i, reading), step.left(i, reading)});
    }
    informed = step.informed_after();
  }
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
