#include "sim/claims/papers/tsay_wang/sets.h"

#include <algorithm>
#include <utility>

#include "algorithms/common/ring_schedule.h"

namespace flitscope::claims::tsay_wang {

namespace {

std::uint32_t mod(std::int64_t value, std::uint64_t n) {
  const auto side = static_cast<std::int64_t>(n);
  return static_cast<std::uint32_t>((value % side + side) % side);
}

}  // namespace

std::set<Node> informed_before(const Torus& torus, unsigned h) {
  const auto [n, d] = torus;
  if (h == 1) return {Node(d, 0)};
  std::set<Node> nodes;
  if (h == 2) {
    for (std::uint32_t k = 0; k < n; ++k) nodes.insert(Node(d, k));
    return nodes;
  }
  for (const Node& x : informed_before(torus, h - 1)) {
    for (std::uint32_t m = 0; m < n; ++m) {
      Node moved = x;
      for (unsigned k = 0; k < d - h + 1; ++k) moved[k] = mod(std::int64_t{x[k]} + m, n);
      moved[d - h + 1] = mod(std::int64_t{x[d - h + 1]} - m, n);
      nodes.insert(std::move(moved));
    }
  }
  return nodes;
}

std::set<Node> aligned(const Torus& torus) {
  std::set<Node> nodes{Node(torus.d, 0)};
  for (unsigned k = 1; k < torus.d; ++k) {
    std::set<Node> more;
    for (const Node& x : nodes) {
      for (std::uint32_t value = 0; value < torus.n; ++value) {
        Node moved = x;
        moved[k] = value;
        moved[0] = mod(std::int64_t{x[0]} + value, torus.n);
        more.insert(std::move(moved));
      }
    }
    nodes = std::move(more);
  }
  return nodes;
}

unsigned dimension_distance(const Node& one, const Node& other) {
  unsigned distance = 0;
  for (std::size_t k = 0; k < one.size(); ++k) distance += one[k] != other[k] ? 1 : 0;
  return distance;
}

std::optional<std::pair<Node, Node>> neighbours_in_line(const std::set<Node>& nodes) {
  for (auto one = nodes.begin(); one != nodes.end(); ++one) {
    for (auto other = std::next(one); other != nodes.end(); ++other) {
      if (dimension_distance(*one, *other) == 1) return std::pair(*one, *other);
    }
  }
  return std::nullopt;
}

LookUps look_ups(const Torus& torus, unsigned h) {
  const auto [n, d] = torus;
  const unsigned r = d - h + 1;
  const std::set<Node> informed = informed_before(torus, h);
  const flitscope::tsay_wang::RingSchedule ring(static_cast<std::uint32_t>(n), d);
  LookUps counted;
  // The node with y_0 in its first R dimensions and x's coordinates elsewhere, but for dimension j.
  const auto look_up = [&](const Node& x, std::int64_t t, unsigned j) {
    Node wanted = x;
    for (unsigned k = 0; k < r; ++k) wanted[k] = mod(std::int64_t{x[0]} - t, n);
    unsigned found = 0;
    for (wanted[j - 1] = 0; wanted[j - 1] < n; ++wanted[j - 1]) found += informed.contains(wanted) ? 1 : 0;
    ++counted.all;
    if (found != 1) ++counted.ambiguous;
  };
  for (unsigned k = 1; k <= ring.steps(); ++k) {
    for (const auto& sender : ring.senders(k)) {
      for (const auto side : {sender.right, sender.left}) {
        for (unsigned j = r + 1; j <= side.size(); ++j) {
          for (const Node& x : informed) look_up(x, side[j - 1], j);
        }
      }
    }
  }
  return counted;
}

std::vector<std::uint64_t> printed_offsets(std::uint64_t gap, unsigned d) {
  const std::uint64_t parts = 2 * std::uint64_t{d} + 1;
  std::vector<std::uint64_t> offsets;
  std::uint64_t at = 0;
  for (std::uint64_t j = 0; j < parts - 1; ++j) {
    at += j < gap % parts ? (gap + parts - 1) / parts : gap / parts;
    offsets.push_back(at);
  }
  return offsets;
}

std::vector<std::uint64_t> printed_growth(std::uint64_t n, unsigned d) {
  std::set<std::uint64_t> informed{0};
  std::vector<std::uint64_t> sizes;
  do {
    sizes.push_back(informed.size());
    const std::vector<std::uint64_t> before(informed.begin(), informed.end());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::uint64_t next = before[(i + 1) % before.size()];
      const std::uint64_t gap = (next + n - before[i] + 1) % n;
      for (const std::uint64_t offset : printed_offsets(gap, d)) informed.insert((before[i] + offset) % n);
    }
  } while (informed.size() > sizes.back());
  return sizes;
}

}  // namespace flitscope::claims::tsay_wang
