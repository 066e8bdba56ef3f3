#include "algorithms/chen/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace flitscope::chen {

namespace {

constexpr unsigned kDimensions = 3;

/// The first node or channel at which a property does not hold; empty if there is none. `holds` is asked for
/// the channels of every node, `step` +1 or -1.
template <typename Holds>
std::string fault_of_channels(const Cube& cube, Holds holds) {
  for (NodeId node = 0; node < cube.nodes(); ++node) {
    for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
      for (const int step : {1, -1}) {
        if (holds(node, dimension, step)) continue;
        return fmt::format("the channel from [{}, {}, {}] by {:+} along dimension {}", cube.x(node),
                           cube.y(node), cube.z(node), step, dimension);
      }
    }
  }
  return {};
}

using Block = std::array<int, kDimensions>;

/// The same of the nodes of all DDNs, each by the block in which it lies.
template <typename Holds>
std::string fault_of_ddns(const Partition& partition, Holds holds) {
  const int blocks = partition.blocks();
  for (int ddn = 0; ddn < partition.ddn_count(); ++ddn) {
    for (int index = 0; index < partition.dcn_count(); ++index) {
      const Block block{index % blocks, index / blocks % blocks, index / blocks / blocks};
      if (holds(ddn, block)) continue;
      return fmt::format("the node of DDN {} in block [{}, {}, {}]", ddn, block[0], block[1], block[2]);
    }
  }
  return {};
}

NodeId node_in(const Partition& partition, int ddn, const Block& block) {
  return partition.ddn_node(ddn, block[0], block[1], block[2]);
}

/// Property 1: no node and no channel in two DDNs. Every node of a DDN, and every channel of the lines
/// through it, is given to that DDN, and to one only.
std::string ddns_independent(const Partition& partition) {
  const Cube& cube = partition.cube();
  return fault_of_ddns(partition, [&](int ddn, const Block& block) {
    const NodeId node = node_in(partition, ddn, block);
    bool holds = partition.ddn_of(node) == ddn;
    for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
      for (int hops = 0; hops < cube.n(); ++hops)
        holds = holds && partition.ddn_of_line(cube.moved(node, dimension, hops), dimension) == ddn;
    }
    return holds;
  });
}

/// Property 2: every node in one DCN, and the channels within a DCN join nodes of it only.
std::string dcns_independent(const Partition& partition) {
  const Cube& cube = partition.cube();
  std::vector<int> sizes(partition.dcn_count());
  for (NodeId node = 0; node < cube.nodes(); ++node) ++sizes[partition.dcn_of(node)];
  const int volume = partition.h() * partition.h() * partition.h();
  if (std::ranges::count(sizes, volume) != std::ssize(sizes)) return "the sizes of the DCNs";
  return fault_of_channels(cube, [&](NodeId node, unsigned dimension, int step) {
    const auto dcn = partition.dcn_of_channel(node, dimension, step);
    const bool inside = partition.dcn_of(node) == partition.dcn_of(cube.moved(node, dimension, step));
    return dcn ? inside && *dcn == partition.dcn_of(node) : !inside || partition.blocks() > 1;
  });
}

/// Property 3, and more than it says: exactly one node in common, that of the block.
std::string ddns_meet_dcns(const Partition& partition) {
  const int blocks = partition.blocks();
  return fault_of_ddns(partition, [&](int ddn, const Block& block) {
    return partition.dcn_of(node_in(partition, ddn, block)) ==
           (block[2] * blocks + block[1]) * blocks + block[0];
  });
}

/// Property 4: a step of h links from any node of a DDN leads to its neighbour in it, as in an R x R x R
/// torus, and no node of the DDN lies between.
std::string ddns_isomorphic(const Partition& partition) {
  return fault_of_ddns(partition, [&](int ddn, const Block& block) {
    const NodeId node = node_in(partition, ddn, block);
    bool holds = true;
    for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
      Block next = block;
      next[dimension] = (next[dimension] + 1) % partition.blocks();
      holds =
          holds && partition.cube().moved(node, dimension, partition.h()) == node_in(partition, ddn, next);
    }
    return holds;
  });
}

/// Property 5: moving a block by its corner makes it block 0, channel by channel.
std::string dcns_isomorphic(const Partition& partition) {
  const Cube& cube = partition.cube();
  const int h = partition.h();
  return fault_of_channels(cube, [&](NodeId node, unsigned dimension, int step) {
    const NodeId image = cube.node(cube.x(node) % h, cube.y(node) % h, cube.z(node) % h);
    return partition.dcn_of_channel(node, dimension, step).has_value() ==
           partition.dcn_of_channel(image, dimension, step).has_value();
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
