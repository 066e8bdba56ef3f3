#include "algorithms/common/require_torus.h"

#include <fmt/format.h>

#include "model/error.h"

namespace flitscope {

void require_torus(const Topology& topology, const std::string& algorithm) {
  if (topology.wraps()) return;
  throw Inadmissible("topology.kind",
                     fmt::format("{} needs a torus, not a {}", algorithm, name_of(topology.kind())));
}

}  // namespace flitscope
