// Results of BookSim2, as `flitscope validate` reads them.
#include <sstream>

#include "sim/studies/studies.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::reference_target {
namespace {

void read(std::string_view bytes) {
  std::istringstream in{std::string(bytes)};
  for (const ReferencePoint& point : read_reference(in, "attack.csv")) static_cast<void>(point.machine());
}

const TargetRegistry::Entry entry{{.name = "reference", .summary = "a CSV file of validate", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::reference_target
