#include "algorithms/chen/partition.h"

namespace flitscope::chen {

std::optional<int> Partition::ddn_of(NodeId node) const {
  if (!is_diagonal(node)) return std::nullopt;
  return ddn_of_row(cube_.y(node), cube_.z(node));
}

int Partition::ddn_of_line(NodeId node, unsigned dimension) const {
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

NodeId Partition::ddn_node(int ddn, int a, int b, int c) const {
  const int u = ddn / h_;
  const int v = ddn % h_;
  return cube_.node(a * h_ + (u + v) % h_, b * h_ + v, c * h_ + u);
}

int Partition::dcn_of(NodeId node) const {
  return (cube_.z(node) / h_ * blocks_ + cube_.y(node) / h_) * blocks_ + cube_.x(node) / h_;
}

std::optional<int> Partition::dcn_of_channel(NodeId node, unsigned dimension, int step) const {
  const int coordinates[] = {cube_.x(node), cube_.y(node), cube_.z(node)};
  const int next = coordinates[dimension] + step;
  // A block that is as wide as the torus keeps its wrap-around channels: they join two of its nodes.
  if (blocks_ > 1 && floor_div(next, h_) != coordinates[dimension] / h_) return std::nullopt;
  return dcn_of(node);
}

}  // namespace flitscope::chen
