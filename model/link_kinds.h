// Kinds of links, and their lengths on the layout.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// The kind of links of attached nodes.
inline constexpr std::string_view kLinkOfNode = "node";

/// The kinds of links: dimensions of a torus or mesh, what a family or file calls its links, and "node"
/// between a router and a node attached to it. That of a link is a place in names().
class LinkKinds {
 public:
  explicit LinkKinds(const Topology& topology);

  /// In the order of their first links, those of nodes last.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t kind_of(ChannelId channel) const;
  /// On the layout, in links of length 1.
  [[nodiscard]] double length_of(ChannelId channel) const;

 private:
  Topology topology_;
  std::vector<std::string> names_;
};

}  // namespace flitscope
