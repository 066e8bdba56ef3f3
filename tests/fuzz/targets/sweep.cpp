// The section `sweep` of a configuration.
#include "model/error.h"
#include "sim/batch/sweep_reader.h"
#include "sim/config/config_source.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::sweep {
namespace {

void read(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  Mistakes mistakes;
  const ConfigSource source = load_source(directory.write("sweep.yaml", std::string(bytes)), {}, mistakes);
  if (const YamlNode* const section = source.root.find("sweep")) {
    static_cast<void>(read_sweep(*section, mistakes));
  }
}

const TargetRegistry::Entry entry{{.name = "sweep", .summary = "a sweep", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::sweep
