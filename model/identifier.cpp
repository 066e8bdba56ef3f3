#include "model/identifier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace flitscope {

std::string identifier(std::string_view name) {
  std::string text;
  for (const char each : name) {
    if (each == '>') {
      text += "_to_";
    } else {
      text += std::isalnum(static_cast<unsigned char>(each)) != 0 ? each : '_';
    }
  }
  return text;
}

std::string node_identifier(const Topology& topology, NodeId node) {
  if (!topology.is_grid()) return identifier(topology.node_name(node));
  return fmt::format("{}", fmt::join(topology.coordinates(node), "_"));
}

}  // namespace flitscope
