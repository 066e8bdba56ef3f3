// The channel dependency graph at the level of virtual channels: who can come to wait for whom.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/analysis/vc_groups.h"

namespace flitscope {

/// An arc from lane to lane: some message can hold a VC of the one while it asks for a VC of the other, where
/// the first leads. (Dally and Seitz, 1987; channels there are lanes here.)
class DependencyGraph {
 public:
  DependencyGraph(const Topology& topology, const VcGroups& lanes)
      : lanes_(lanes), next_(topology.channel_ids() * lanes.count(), 0) {}

  [[nodiscard]] bool has(std::uint64_t from, std::uint64_t to) const {
    return (next_[from] & bit_of(to)) != 0;
  }
  /// `to` must leave the node that `from` leads to.
  void add(std::uint64_t from, std::uint64_t to) {
    if (next_[from] == 0) sources_.push_back(from);
    next_[from] |= bit_of(to);
  }
  /// Takes as long as there are arcs.
  void clear() {
    for (const std::uint64_t from : sources_) next_[from] = 0;
    sources_.clear();
  }

  [[nodiscard]] const VcGroups& lanes() const { return lanes_; }
  /// VcGroups that arcs leave, in any order.
  [[nodiscard]] const std::vector<std::uint64_t>& sources() const { return sources_; }
  /// Calls visit(to) for every arc that leaves `from`, which leads to `node`.
  template <typename Visit>
  void for_each_arc(std::uint64_t from, NodeId node, Visit visit) const {
    for (std::uint64_t left = next_[from]; left != 0; left &= left - 1) {
      const auto place = static_cast<unsigned>(std::countr_zero(left));
      const ChannelId channel = ChannelId{node} * lanes_.ports() + place / lanes_.count();
      visit(lanes_.number(channel, place % lanes_.count()));
    }
  }

 private:
  [[nodiscard]] std::uint64_t bit_of(std::uint64_t to) const {
    return std::uint64_t{1} << (lanes_.port(to) * lanes_.count() + lanes_.lane(to));
  }

  VcGroups lanes_;
  std::vector<std::uint64_t> next_;  ///< by lane: bit port * lanes + lane of the next channel
  std::vector<std::uint64_t> sources_;
};

}  // namespace flitscope
