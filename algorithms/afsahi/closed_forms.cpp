#include "algorithms/afsahi/closed_forms.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include "algorithms/algorithm.h"

namespace flitscope::afsahi {

namespace {

/// a * b + c, or kHuge.
std::uint64_t capped(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if (a != 0 && b > kHuge / a) return kHuge;
  return std::min(kHuge, a * b + c);
}

/// Nodes that B4 has informed by time, one unit on.
void advance_b4(std::vector<std::uint64_t>& nodes, std::uint64_t k, std::uint64_t d) {
  const std::uint64_t t = nodes.size();
  nodes.push_back(capped(k, nodes[t - 1], t <= d + 1 ? 1 : nodes[t - d - 1]));
}

}  // namespace

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0 && result < kHuge; --exponent) result = capped(base, result, 0);
  return result;
}

bool is_power(std::uint64_t n, std::uint64_t base) {
  return power(base, ceil_log(base, n)) == n;
}

std::uint64_t tree_depth(std::uint64_t n, std::uint64_t k) {
  if (k == 1) return n - 1;
  std::uint64_t depth = 0;
  for (std::uint64_t level = 1, nodes = 1; nodes < n; ++depth)
    nodes = capped(1, nodes, level = capped(k, level, 0));
  return depth;
}

std::uint64_t informed(std::uint64_t k, std::uint64_t d, std::uint64_t time) {
  std::vector<std::uint64_t> nodes{1};
  while (nodes.size() <= time && nodes.back() < kHuge) advance_b4(nodes, k, d);
  return nodes.back();
}

std::uint64_t b4_time(std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  std::vector<std::uint64_t> nodes{1};
  while (nodes.back() < n) advance_b4(nodes, k, d);
  return nodes.size() - 1;
}

std::uint64_t digit_exchange_time(std::uint64_t n, std::uint64_t k, std::uint64_t d, unsigned i) {
  const std::uint64_t x = power(k + 1, i);
  return i * (d + n / (k + 1)) + (n / x - 1) / k * (d + x);
}

std::uint64_t offset_exchange_time(std::uint64_t n, std::uint64_t k, std::uint64_t d, unsigned i) {
  std::uint64_t time = 0;
  std::uint64_t w = 1;
  for (unsigned t = 0; t < i && w < n; ++t, w *= k + 1) {
    // As many offsets have the digit 1, the most frequent one.
    const std::uint64_t full = n / (w * (k + 1));
    const std::uint64_t rest = n % (w * (k + 1));
    time += d + full * w + std::min(w, rest > w ? rest - w : 0);
  }
  if (w >= n) return time;
  const std::uint64_t groups = ceil_div(n, w);
  const std::uint64_t steps = ceil_div(groups - 1, k);
  time += steps * (d + w);
  if (groups - 1 - (steps - 1) * k == 1) time -= w - (n - (groups - 1) * w);
  return time;
}

UnequalSplit::UnequalSplit(std::uint64_t last, std::uint64_t d) : time_(last + 1), given_(last + 1) {
  for (std::uint64_t n = 2; n <= last; ++n) {
    // T rises by 1 or more from n to n+1 (give the child one more), so what the child takes rises with m and
    // what is left to the holder does not: the best m is where they meet.
    const auto child = [&](std::uint64_t m) { return m + time_[m]; };
    const auto holder = [&](std::uint64_t m) { return m == n - 1 ? m : m + d + time_[n - m]; };
    // Each holds for m = n - 1 and, if for some m, for all above.
    const auto first_with = [&](auto holds) {
      return *std::ranges::partition_point(std::views::iota(std::uint64_t{1}, n), std::not_fn(holds));
    };
    const std::uint64_t meeting = first_with([&](std::uint64_t m) { return child(m) >= holder(m); });
    std::uint64_t best = std::max(child(meeting), holder(meeting));
    if (meeting > 1) best = std::min(best, holder(meeting - 1));
    time_[n] = best;
    given_[n] = first_with([&](std::uint64_t m) { return holder(m) <= best; });
  }
}

}  // namespace flitscope::afsahi
