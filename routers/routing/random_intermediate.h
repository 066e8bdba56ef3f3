// Nodes drawn for pairs of nodes, the same in every run.
#pragma once

#include <cstdint>

#include "model/topology.h"

namespace flitscope {

/// Any node, whatever the pair; by the finalizer of splitmix64, in which every bit depends on every bit.
[[nodiscard]] inline NodeId random_intermediate(const Topology& topology, NodeId source, NodeId destination) {
  std::uint64_t number = std::uint64_t{source} * topology.nodes() + destination;
  number += 0x9E3779B97F4A7C15;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
  number = (number ^ number >> 27) * 0x94D049BB133111EB;
  return static_cast<NodeId>((number ^ number >> 31) % topology.nodes());
}

}  // namespace flitscope
