// Tables of routes, for a torus of nine nodes.
#include "sim/formats/routes_file.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::routes_target {
namespace {

void read(std::string_view bytes) {
  Diagnostics diagnostics;
  static_cast<void>(read_routes(bytes, "attack.csv", Topology(TopologyKind::torus, {3, 3}), diagnostics));
}

const TargetRegistry::Entry entry{{.name = "routes", .summary = "a table of routes", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::routes_target
