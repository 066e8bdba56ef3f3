// The ring schedule: in which order the classes of a ring are informed (Tsay and Wang, Lemma 2, repaired).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flitscope::tsay_wang {

/// What one informed class does in one step. A displacement t leads from class m to class (m + t) mod n.
struct RingSender {
  std::uint32_t ring_class = 0;
  /// t > 0, nearest first, at most d of them.
  std::span<const std::int64_t> right;
  /// t < 0, nearest first, at most d of them.
  std::span<const std::int64_t> left;
};

/// Informs the n classes of a ring from class 0 in ceil(log_P n) steps, P = 2d + 1, where each informed class
/// informs up to d others on either side per step and never looks beyond the next informed class.
///
/// Every phase of the torus broadcasts runs this schedule once; it depends on n and d only. The printed
/// Lemma 2 is repaired in two places: a class that is alone has itself as next neighbour at distance n, and a
/// gap with fewer than 2d free classes is filled, not divided. After k steps the distances between cyclically
/// neighbouring informed classes differ by at most 1 and are at most ceil(n / P^k).
class RingSchedule {
 public:
  /// `side` is n >= 2, `dimensions` is d >= 1.
  RingSchedule(std::uint32_t side, unsigned dimensions);

  RingSchedule(const RingSchedule&) = delete;  // the senders point into displacements_
  RingSchedule& operator=(const RingSchedule&) = delete;
  RingSchedule(RingSchedule&&) = default;
  RingSchedule& operator=(RingSchedule&&) = default;
  ~RingSchedule() = default;

  /// K(n) = ceil(log_P n).
  [[nodiscard]] unsigned steps() const { return static_cast<unsigned>(senders_.size()); }

  /// M_{k-1}, the classes informed before step k = 1 .. steps(), ascending, with what each does in step k
  /// (nothing, if its gaps are full).
  [[nodiscard]] std::span<const RingSender> senders(unsigned k) const { return senders_[k - 1]; }

 private:
  /// Makes the next step from M, and replaces M by what is informed after it.
  void add_step(std::vector<std::uint32_t>& informed);

  std::uint32_t side_;
  unsigned dimensions_;
  std::vector<std::vector<RingSender>> senders_;
  std::vector<std::int64_t> displacements_;
};

}  // namespace flitscope::tsay_wang
