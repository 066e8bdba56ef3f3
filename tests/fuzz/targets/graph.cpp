// Networks from files of our own format.
#include <memory>

#include "model/topology.h"
#include "sim/formats/graph_file.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::graph_target {
namespace {

void read(std::string_view bytes) {
  Diagnostics diagnostics;
  if (auto plan = read_graph_yaml(bytes, "attack.yaml", diagnostics)) {
    static_cast<void>(Topology::of(std::make_shared<const Graph>(std::move(*plan))));
  }
}

const TargetRegistry::Entry entry{{.name = "graph", .summary = "a network in YAML", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::graph_target
