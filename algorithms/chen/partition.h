// The n x n x n torus of Chen, Chiang and Chen, and its partition into data-distribution and data-collecting
// networks (Section 2.2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/topology.h"

namespace flitscope::chen {

// The n x n x n torus of Chen, Chiang and Chen: nodes (x, y, z), coordinates mod n, and their classes.

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

/// h^2 data-distribution networks (DDN) and R^3 data-collecting networks (DCN) of the n x n x n torus, h a
/// divisor of n, R = n / h.
///
/// DDN_{u,v}, u, v = 0 .. h-1, has the nodes with z = u, y = v, x = u + v (mod h), one in every block of side
/// h, and both directions of every full line through one of them. (The paper lists the lines by single
/// coordinates, which would put every channel into h DDNs.) DCN_{a,b,c} is the block of the nodes
/// (ah + i, bh + j, ch + k), i, j, k = 0 .. h-1, with the channels that join them.
class Partition {
 public:
  /// Requires 1 <= h <= n, and that h divides n.
  Partition(int n, int h) : cube_(n), h_(h), blocks_(n / h) {}

  [[nodiscard]] const Cube& cube() const { return cube_; }
  [[nodiscard]] int n() const { return cube_.n(); }
  [[nodiscard]] int h() const { return h_; }
  /// R = n / h, blocks along a side of the torus, and nodes along a side of a DDN.
  [[nodiscard]] int blocks() const { return blocks_; }

  [[nodiscard]] int ddn_count() const { return h_ * h_; }
  [[nodiscard]] int dcn_count() const { return blocks_ * blocks_ * blocks_; }

  /// Nodes of any DDN lie in these classes: cls = 0 mod h.
  [[nodiscard]] bool is_diagonal(NodeId node) const { return cube_.cls(node) % h_ == 0; }

  /// u * h + v of the DDN that a line along x through (y, z) serves.
  [[nodiscard]] int ddn_of_row(int y, int z) const { return mod(z, h_) * h_ + mod(y, h_); }
  /// The number u * h + v of a diagonal node's DDN; nothing for other nodes.
  [[nodiscard]] std::optional<int> ddn_of(NodeId node) const {
    if (!is_diagonal(node)) return std::nullopt;
    return ddn_of_row(cube_.y(node), cube_.z(node));
  }
  /// The number of the one DDN that has the channels along `dimension` through a node.
  [[nodiscard]] int ddn_of_line(NodeId node, unsigned dimension) const {
    const int x = cube_.x(node);
    const int y = cube_.y(node);
    const int z = cube_.z(node);
    switch (dimension) {
      case kX:  // (y, z) = (v, u)
        return ddn_of_row(y, z);
      case kY:  // (x, z) = (u + v, u)
        return ddn_of_row(x - z, z);
      default:  // (x, y) = (u + v, v)
        return ddn_of_row(y, x - y);
    }
  }
  /// The node of DDN u * h + v in the block (a, b, c).
  [[nodiscard]] NodeId ddn_node(int ddn, int a, int b, int c) const {
    const int u = ddn / h_;
    const int v = ddn % h_;
    return cube_.node(a * h_ + (u + v) % h_, b * h_ + v, c * h_ + u);
  }

  /// The number (c * R + b) * R + a of a node's block.
  [[nodiscard]] int dcn_of(NodeId node) const {
    return (cube_.z(node) / h_ * blocks_ + cube_.y(node) / h_) * blocks_ + cube_.x(node) / h_;
  }
  /// The DCN that has the channel from a node along `dimension` in direction `step` (+1 or -1); nothing if it
  /// leads from one block to another.
  [[nodiscard]] std::optional<int> dcn_of_channel(NodeId node, unsigned dimension, int step) const {
    const int at = cube_.coordinate(node, dimension);
    // A block that is as wide as the torus keeps its wrap-around channels: they join two of its nodes.
    if (blocks_ > 1 && floor_div(at + step, h_) != at / h_) return std::nullopt;
    return dcn_of(node);
  }

 private:
  Cube cube_;
  int h_;
  int blocks_;
};

/// A property of Section 2.2, looked at node by node and channel by channel.
struct PartitionProperty {
  int number = 0;
  /// The first thing that contradicts it; empty if it holds.
  std::string counterexample;

  [[nodiscard]] bool holds() const { return counterexample.empty(); }
};

/// Properties 1 to 5 of a partition: DDNs independent, DCNs independent and covering all nodes, every DDN
/// meets every DCN (in exactly one node), DDNs isomorphic, DCNs isomorphic.
[[nodiscard]] std::vector<PartitionProperty> check_properties(const Partition& partition);

}  // namespace flitscope::chen
