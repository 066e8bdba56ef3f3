#include "algorithms/chen/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

namespace {

constexpr unsigned kDimensions = 3;

std::string name_of(const Cube& cube, NodeId node) {
  return fmt::format("[{}, {}, {}]", cube.x(node), cube.y(node), cube.z(node));
}

/// The nodes of a DDN, from its definition.
std::vector<NodeId> nodes_of_ddn(const Partition& partition, int ddn) {
  std::vector<NodeId> nodes;
  for (int c = 0; c < partition.blocks(); ++c) {
    for (int b = 0; b < partition.blocks(); ++b) {
      for (int a = 0; a < partition.blocks(); ++a) nodes.push_back(partition.ddn_node(ddn, a, b, c));
    }
  }
  return nodes;
}

/// Property 1: no node and no channel in two DDNs. Every node of a DDN, and every channel of the lines
/// through it, is given to that DDN, and to one only.
std::string ddns_independent(const Partition& partition) {
  const Cube& cube = partition.cube();
  for (int ddn = 0; ddn < partition.ddn_count(); ++ddn) {
    for (const NodeId start : nodes_of_ddn(partition, ddn)) {
      if (const auto owner = partition.ddn_of(start); owner != ddn) {
        return fmt::format("node {} is given to DDN {}, not to DDN {}", name_of(cube, start),
                           owner.value_or(-1), ddn);
      }
      for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
        for (int hops = 0; hops < cube.n(); ++hops) {
          const NodeId at = cube.moved(start, dimension, hops);
          const int owner = partition.ddn_of_line(at, dimension);
          if (owner == ddn) continue;
          return fmt::format("the channels from {} along dimension {} are given to DDN {}, not to DDN {}",
                             name_of(cube, at), dimension, owner, ddn);
        }
      }
    }
  }
  return {};
}

/// Calls visit(node, dimension, step) for every channel, `step` +1 or -1, until it returns a text.
template <typename Visit>
std::string for_each_channel(const Cube& cube, Visit visit) {
  for (NodeId node = 0; node < cube.nodes(); ++node) {
    for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
      for (const int step : {1, -1}) {
        if (std::string text = visit(node, dimension, step); !text.empty()) return text;
      }
    }
  }
  return {};
}

/// Property 2: every node in one DCN, and the channels within a DCN join nodes of it only.
std::string dcns_independent(const Partition& partition) {
  const Cube& cube = partition.cube();
  std::vector<int> sizes(partition.dcn_count());
  for (NodeId node = 0; node < cube.nodes(); ++node) ++sizes[partition.dcn_of(node)];
  const int volume = partition.h() * partition.h() * partition.h();
  const auto wrong = std::ranges::find_if(sizes, [&](int size) { return size != volume; });
  if (wrong != sizes.end()) {
    return fmt::format("DCN {} has {} nodes, not {}", wrong - sizes.begin(), *wrong, volume);
  }
  return for_each_channel(cube, [&](NodeId node, unsigned dimension, int step) -> std::string {
    const auto dcn = partition.dcn_of_channel(node, dimension, step);
    const NodeId next = cube.moved(node, dimension, step);
    const bool inside = partition.dcn_of(node) == partition.dcn_of(next);
    if (dcn ? inside && *dcn == partition.dcn_of(node) : !inside || partition.blocks() > 1) return {};
    return fmt::format("the channel from {} to {} is given to the wrong DCN", name_of(cube, node),
                       name_of(cube, next));
  });
}

/// Property 3, and more than it says: exactly one node in common.
std::string ddns_meet_dcns(const Partition& partition) {
  for (int ddn = 0; ddn < partition.ddn_count(); ++ddn) {
    std::vector<int> common(partition.dcn_count());
    for (const NodeId node : nodes_of_ddn(partition, ddn)) ++common[partition.dcn_of(node)];
    const auto wrong = std::ranges::find_if(common, [](int nodes) { return nodes != 1; });
    if (wrong == common.end()) continue;
    return fmt::format("DDN {} and DCN {} have {} nodes in common, not 1", ddn, wrong - common.begin(),
                       *wrong);
  }
  return {};
}

/// Property 4: a step of h links from any node of a DDN leads to its neighbour in it, as in an R x R x R
/// torus, and no node of the DDN lies between.
std::string ddns_isomorphic(const Partition& partition) {
  const Cube& cube = partition.cube();
  const int blocks = partition.blocks();
  for (int ddn = 0; ddn < partition.ddn_count(); ++ddn) {
    for (int index = 0; index < blocks * blocks * blocks; ++index) {
      const std::array<int, kDimensions> block{index % blocks, index / blocks % blocks,
                                               index / blocks / blocks};
      const NodeId node = partition.ddn_node(ddn, block[0], block[1], block[2]);
      for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
        std::array<int, kDimensions> next = block;
        next[dimension] = (next[dimension] + 1) % blocks;
        if (cube.moved(node, dimension, partition.h()) ==
            partition.ddn_node(ddn, next[0], next[1], next[2])) {
          continue;
        }
        return fmt::format("{} of DDN {} has no neighbour at distance {} along dimension {}",
                           name_of(cube, node), ddn, partition.h(), dimension);
      }
    }
  }
  return {};
}

/// Property 5: moving a block by its corner makes it block 0, channel by channel.
std::string dcns_isomorphic(const Partition& partition) {
  const Cube& cube = partition.cube();
  const int h = partition.h();
  return for_each_channel(cube, [&](NodeId node, unsigned dimension, int step) -> std::string {
    const NodeId image = cube.node(cube.x(node) % h, cube.y(node) % h, cube.z(node) % h);
    if (partition.dcn_of_channel(node, dimension, step).has_value() ==
        partition.dcn_of_channel(image, dimension, step).has_value()) {
      return {};
    }
    return fmt::format("{} in DCN {} and {} in DCN 0 have different channels", name_of(cube, node),
                       partition.dcn_of(node), name_of(cube, image));
  });
}

}  // namespace

std::vector<PartitionProperty> check_properties(const Partition& partition) {
  return {{1, ddns_independent(partition)},
          {2, dcns_independent(partition)},
          {3, ddns_meet_dcns(partition)},
          {4, ddns_isomorphic(partition)},
          {5, dcns_isomorphic(partition)}};
}

}  // namespace flitscope::chen
