// Configurations. One that is read and printed must be read again as the same.
#include <stdexcept>

#include "sim/config/config_source.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::yaml {
namespace {

void read(std::string_view bytes) {
  const std::string printed = resolve(parse_config(bytes, "attack.yaml", "/"));
  if (resolve(parse_config(printed, "printed.yaml", "/")) != printed) {
    throw std::logic_error("the printed configuration is another: " + printed);
  }
}

const TargetRegistry::Entry entry{{.name = "yaml", .summary = "a configuration", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::yaml
