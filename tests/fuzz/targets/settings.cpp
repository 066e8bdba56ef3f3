// --set: every line is an override of one configuration.
#include <sstream>
#include <vector>

#include "sim/config/config_source.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::settings {
namespace {

constexpr std::string_view kConfig =
    "flitscope: 1\n"
    "topology: {kind: torus, shape: [5, 5]}\n"
    "workload: {algorithm: two-port-torus}\n";

void read(std::string_view bytes) {
  std::istringstream lines{std::string(bytes)};
  std::vector<std::string> overrides;
  for (std::string line; std::getline(lines, line);) overrides.push_back(line);
  static_cast<void>(parse_config(kConfig, "attack.yaml", "/", overrides));
}

const TargetRegistry::Entry entry{{.name = "settings", .summary = "a --set a line", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::settings
