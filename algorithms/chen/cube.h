// The n x n x n torus of Chen, Chiang and Chen: nodes (x, y, z), coordinates mod n, and their classes.
#pragma once

#include <cstdint>

#include "model/topology.h"

namespace flitscope::chen {

/// `a` mod `n`, 0 .. n-1 also for a negative `a`.
[[nodiscard]] constexpr int mod(int a, int n) {
  const int rest = a % n;
  return rest < 0 ? rest + n : rest;
}

/// a / b rounded down, also for a negative `a`; b > 0.
[[nodiscard]] constexpr int floor_div(int a, int b) {
  return (a - mod(a, b)) / b;
}

/// The number that is equal to `a` mod `n` and lies in -((n-1) div 2) .. n div 2.
[[nodiscard]] constexpr int in_window(int a, int n) {
  const int rest = mod(a, n);
  return rest > n / 2 ? rest - n : rest;
}

/// Dimensions by their names in the paper.
inline constexpr unsigned kX = 0;
inline constexpr unsigned kY = 1;
inline constexpr unsigned kZ = 2;

/// Arithmetic on the nodes of a torus of three equal sides.
class Cube {
 public:
  explicit Cube(int n) : n_(n) {}

  [[nodiscard]] int n() const { return n_; }
  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(n_ * n_ * n_); }

  /// The node (x, y, z); any whole numbers, taken mod n.
  [[nodiscard]] NodeId node(int x, int y, int z) const {
    return static_cast<NodeId>((mod(z, n_) * n_ + mod(y, n_)) * n_ + mod(x, n_));
  }
  [[nodiscard]] int x(NodeId node) const { return static_cast<int>(node) % n_; }
  [[nodiscard]] int y(NodeId node) const { return static_cast<int>(node) / n_ % n_; }
  [[nodiscard]] int z(NodeId node) const { return static_cast<int>(node) / n_ / n_; }

  [[nodiscard]] int coordinate(NodeId node, unsigned dimension) const {
    return dimension == kX ? x(node) : dimension == kY ? y(node) : z(node);
  }

  /// cls = (x - y - z) mod n: +1 along x adds 1 to it, +1 along y or z takes 1 away.
  [[nodiscard]] int cls(NodeId node) const { return mod(x(node) - y(node) - z(node), n_); }

  /// The node that `hops` links in direction + (or as many in direction -, if negative) lead to.
  [[nodiscard]] NodeId moved(NodeId from, unsigned dimension, int hops) const {
    return node(x(from) + (dimension == kX ? hops : 0), y(from) + (dimension == kY ? hops : 0),
                z(from) + (dimension == kZ ? hops : 0));
  }

 private:
  int n_;
};

}  // namespace flitscope::chen
