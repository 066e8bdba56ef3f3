// --map of `flitscope import`.
#include <array>

#include "sim/formats/foreign/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::rank_map_target {
namespace {

void read(std::string_view bytes) {
  ImportOptions options({TopologyKind::torus, {3, 3}});
  options.map = read_rank_map(std::string(bytes));
  const std::array<RankTraffic, 2> traffic{{{0, 4, 64}, {2, 3, 4096}}};
  static_cast<void>(map_ranks(options, "attack", 5, traffic));
}

const TargetRegistry::Entry entry{{.name = "rank_map", .summary = "--map of import", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::rank_map_target
