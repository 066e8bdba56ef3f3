// Files of synthetic traffic: bytes are read as a matrix and as a permutation.
#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/run/workload.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::traffic_target {
namespace {

void read(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  directory.write("numbers", std::string(bytes));
  for (const char* const pattern : {"matrix, rates: numbers", "permutation, destinations: numbers"}) {
    const auto config = parse_config(
        "flitscope: 1\n"
        "topology: {kind: torus, shape: [2, 2]}\n"
        "workload: {traffic: " +
            std::string(pattern) + ", load: 0.1, message: 64}\n",
        "attack.yaml", directory.path());
    try {
      static_cast<void>(make_traffic_patterns(config));
    } catch (const InputError&) {
    } catch (const Inadmissible&) {
    }
  }
}

const TargetRegistry::Entry entry{
    {.name = "traffic", .summary = "a file of the traffic matrix or permutation", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::traffic_target
