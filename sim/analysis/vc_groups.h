// VcGroups: the virtual channels of a link as a routing function tells them apart.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// A lane of a channel is a set of its virtual channels that no message can tell apart: those of one class,
/// or one that several classes share. Whatever can wait for one of them can wait for all.
class VcGroups {
 public:
  VcGroups(const Topology& topology, unsigned classes, unsigned virtual_channels)
      : lanes_(std::min(classes, virtual_channels)), vcs_(lanes_), lane_of_(classes), lowest_class_(lanes_) {
    const std::vector<std::uint64_t> masks = class_masks(classes, virtual_channels);
    for (unsigned c = classes; c-- > 0;) {
      lane_of_[c] = virtual_channels < classes ? static_cast<unsigned>(std::countr_zero(masks[c])) : c;
      vcs_[lane_of_[c]] = masks[c];
      lowest_class_[lane_of_[c]] = c;
    }
    ports_ = topology.link_ports();
  }

  /// VcGroups of a channel.
  [[nodiscard]] unsigned count() const { return lanes_; }
  [[nodiscard]] unsigned ports() const { return ports_; }
  [[nodiscard]] unsigned of_class(unsigned channel_class) const { return lane_of_[channel_class]; }
  /// The lowest class of a lane, which is what a routing function sees.
  [[nodiscard]] unsigned lowest_class(unsigned lane) const { return lowest_class_[lane]; }
  /// Its virtual channels: bit v for VC v.
  [[nodiscard]] std::uint64_t vcs(unsigned lane) const { return vcs_[lane]; }
  [[nodiscard]] unsigned width(unsigned lane) const {
    return static_cast<unsigned>(std::popcount(vcs_[lane]));
  }
  /// Several classes share a lane.
  [[nodiscard]] bool shared() const { return lanes_ < lane_of_.size(); }

  /// VcGroups of a network are numbered channel by channel.
  [[nodiscard]] std::uint64_t number(ChannelId channel, unsigned lane) const {
    return channel * lanes_ + lane;
  }
  [[nodiscard]] ChannelId channel(std::uint64_t number) const { return number / lanes_; }
  [[nodiscard]] unsigned lane(std::uint64_t number) const { return static_cast<unsigned>(number % lanes_); }
  [[nodiscard]] NodeId node(std::uint64_t number) const {
    return static_cast<NodeId>(channel(number) / ports_);
  }
  [[nodiscard]] unsigned port(std::uint64_t number) const {
    return static_cast<unsigned>(channel(number) % ports_);
  }

 private:
  unsigned lanes_;
  unsigned ports_ = 0;
  std::vector<std::uint64_t> vcs_;
  std::vector<unsigned> lane_of_;       ///< by class
  std::vector<unsigned> lowest_class_;  ///< by lane
};

}  // namespace flitscope
