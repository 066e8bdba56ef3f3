// The ring schedule: in which order the classes of a ring are informed (Tsay and Wang, Lemma 2, repaired).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flitscope::common {

/// Messages of one informed class in one step. A displacement t leads from class m to class (m + t) mod n. In
/// the literal reading it can be 0: the class itself has that rank among its neighbours and gets no message.
struct RingSender {
  std::uint32_t ring_class = 0;
  /// t > 0, nearest first, at most d of them.
  std::vector<std::int64_t> right;
  /// t < 0, nearest first, at most d of them.
  std::vector<std::int64_t> left;
};

/// Reading of the printed rules for a side n that is no power of P = 2d+1 (Section 7 with Lemma 2).
enum class Reading : std::uint8_t {
  /// Each class of a gap that is to be informed is informed once, from the nearer half of the two ends.
  working,
  /// In each gap the left end informs the first d and the right end the last d: those that both reach are
  /// informed twice.
  bounded,
  /// Each informed class informs the d next and the d previous classes of those that are informed after the
  /// step, also beyond the next informed one.
  literal,
};

/// Informs the n classes of a ring from class 0 in ceil(log_P n) steps, P = 2d + 1, where each informed class
/// informs up to d others on either side per step and, but for the literal reading, never looks beyond the
/// next informed class. Which classes are informed after a step does not depend on the reading.
///
/// Every phase of the torus broadcasts runs this schedule once; it depends on n and d only. The printed
/// Lemma 2 is repaired in two places: a class that is alone has itself as next neighbour at distance n, and a
/// gap with fewer than 2d free classes is filled, not divided. After k steps the distances between cyclically
/// neighbouring informed classes differ by at most 1 and are at most ceil(n / P^k).
class RingSchedule {
 public:
  /// `side` is n >= 2, `dimensions` is d >= 1.
  RingSchedule(std::uint32_t side, unsigned dimensions, Reading reading = Reading::working);

  /// K(n) = ceil(log_P n).
  [[nodiscard]] unsigned steps() const { return static_cast<unsigned>(senders_.size()); }

  /// Displacements of all steps together: how often a class is informed.
  [[nodiscard]] std::uint64_t displacements() const;

  /// M_{k-1}, the classes informed before step k = 1 .. steps(), ascending, with what each does in step k
  /// (nothing, if its gaps are full).
  [[nodiscard]] std::span<const RingSender> senders(unsigned k) const { return senders_[k - 1]; }

 private:
  std::vector<std::vector<RingSender>> senders_;
};

}  // namespace flitscope::common
