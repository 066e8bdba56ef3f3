#include "algorithms/tsay_wang/ring_schedule.h"

#include <algorithm>

namespace flitscope::tsay_wang {

namespace {

/// The way from one informed class to the next: L classes on, of which L - 1 are still to be informed.
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

}  // namespace

RingSchedule::RingSchedule(std::uint32_t side, unsigned dimensions) : side_(side), dimensions_(dimensions) {
  // Each class but 0 is informed once: the displacements never move, so that spans of them stay valid.
  displacements_.reserve(side - 1);
  std::vector<std::uint32_t> informed{0};
  while (informed.size() < side) add_step(informed);
}

void RingSchedule::add_step(std::vector<std::uint32_t>& informed) {
  const std::size_t members = informed.size();
  const auto gap_after = [&](std::size_t i) {
    const std::int64_t next = i + 1 < members ? informed[i + 1] : side_;
    return Gap(next - informed[i], dimensions_);
  };

  std::vector<RingSender> senders;
  senders.reserve(members);
  std::vector<std::uint32_t> informed_after;
  Gap before = gap_after(members - 1);
  for (std::size_t i = 0; i < members; ++i) {
    const Gap after = gap_after(i);
    const std::size_t first = displacements_.size();
    for (std::int64_t j = 1; j <= after.from_left(); ++j) displacements_.push_back(after.offset(j));
    const std::size_t middle = displacements_.size();
    for (std::int64_t j = before.count(); j > before.from_left(); --j) {
      displacements_.push_back(before.offset_from_right(j));
    }
    const std::span<const std::int64_t> all(displacements_);
    senders.push_back({informed[i], all.subspan(first, middle - first), all.subspan(middle)});

    informed_after.push_back(informed[i]);
    for (std::int64_t j = 1; j <= after.count(); ++j) {
      informed_after.push_back(static_cast<std::uint32_t>(informed[i] + after.offset(j)));
    }
    before = after;
  }
  senders_.push_back(std::move(senders));
  informed = std::move(informed_after);
}

}  // namespace flitscope::tsay_wang
