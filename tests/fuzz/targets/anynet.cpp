// Networks from files of BookSim's format anynet.
#include <memory>

#include "model/topology.h"
#include "sim/formats/graph_file.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::anynet_target {
namespace {

void read(std::string_view bytes) {
  Diagnostics diagnostics;
  if (auto plan = read_anynet(bytes, "attack.anynet", diagnostics)) {
    static_cast<void>(Topology::of(std::make_shared<const Graph>(std::move(*plan))));
  }
}

const TargetRegistry::Entry entry{{.name = "anynet", .summary = "a network as anynet text", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::anynet_target
