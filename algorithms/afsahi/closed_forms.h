// Times of the collectives in closed form, in units of t_m, and how many nodes a broadcast reaches. N nodes,
// k ports, d units of tuning. Numbers beyond kHuge are given as kHuge.
#pragma once

#include <cstdint>
#include <vector>

namespace flitscope::afsahi {

inline constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;

/// ceil(a / b).
[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}
/// base^exponent.
[[nodiscard]] std::uint64_t power(std::uint64_t base, std::uint64_t exponent);
/// Whether n is a power of base, 1 included.
[[nodiscard]] bool is_power(std::uint64_t n, std::uint64_t base);

/// Depth of the k-ary tree on N nodes, filled level by level: least s with 1 + k + .. + k^s >= N. For k >= 2
/// the paper writes ceil(log_k(N(k-1) + 1)) - 1 (Section 3.1); for k = 1 it is N - 1.
[[nodiscard]] std::uint64_t tree_depth(std::uint64_t n, std::uint64_t k);

/// Nodes that B4 has informed at time S, by the recurrence of Section 3.1.1.
[[nodiscard]] std::uint64_t informed(std::uint64_t k, std::uint64_t d, std::uint64_t time);
/// Time of B4 from a warm start: least S with informed(k, d, S) >= N.
[[nodiscard]] std::uint64_t b4_time(std::uint64_t n, std::uint64_t k, std::uint64_t d);

/// Standard exchange for i steps, then direct exchange (Section 6), for N = (k+1)^s and i <= s.
[[nodiscard]] std::uint64_t digit_exchange_time(std::uint64_t n, std::uint64_t k, std::uint64_t d,
                                                unsigned i);
/// The same in the form by offsets, any N; for N = (k+1)^s the same time.
[[nodiscard]] std::uint64_t offset_exchange_time(std::uint64_t n, std::uint64_t k, std::uint64_t d,
                                                 unsigned i);

/// The best scatter of n items, for n = 1 .. N: of n items the holder gives m(n) to its child over a
/// circuit that is there, and tunes while the child forwards its part:
///
///   T(1) = 0, T(n) = min over m of m + max(T(m), d + T(n-m)), without the second term for n-m = 1.
class UnequalSplit {
 public:
  UnequalSplit(std::uint64_t last, std::uint64_t d);
  /// T(n), in units of t_m.
  [[nodiscard]] std::uint64_t time(std::uint64_t n) const { return time_[n]; }
  /// m(n), n >= 2: the smallest of the best.
  [[nodiscard]] std::uint64_t given(std::uint64_t n) const { return given_[n]; }

 private:
  std::vector<std::uint64_t> time_;
  std::vector<std::uint64_t> given_;
};

}  // namespace flitscope::afsahi
