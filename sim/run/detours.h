// Detours: the links that messages take beyond a shortest path.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// Counts flits on links beyond the shortest paths of their messages. On graphs it keeps the distances from
/// every source that it has met.
class DetourCounter {
 public:
  explicit DetourCounter(const Topology& topology) : topology_(topology) {}

  /// A message of so many flits took a path of so many links.
  void add(NodeId source, NodeId destination, std::uint32_t links, std::uint32_t flits);
  /// Nothing if the network has too many routers to keep distances.
  [[nodiscard]] std::optional<std::uint64_t> flit_hops() const;

 private:
  [[nodiscard]] bool keeps_distances() const { return topology_.routers() <= kMaxRouters; }
  [[nodiscard]] std::uint32_t distance(NodeId source, NodeId destination);
  [[nodiscard]] std::vector<std::uint16_t> distances_from(NodeId source) const;

  /// Distances between all of them take 128 MiB.
  static constexpr std::uint64_t kMaxRouters = 8192;

  const Topology& topology_;
  std::unordered_map<NodeId, std::vector<std::uint16_t>> distances_;  ///< by source
  std::uint64_t flit_hops_ = 0;
};

}  // namespace flitscope
