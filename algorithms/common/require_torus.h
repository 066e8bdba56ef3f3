// The refusal that all algorithms for tori share.
#pragma once

#include <string>

#include "model/topology.h"

namespace flitscope {

/// Throws Inadmissible("topology.kind") unless the topology is a torus.
void require_torus(const Topology& topology, const std::string& algorithm);

}  // namespace flitscope
