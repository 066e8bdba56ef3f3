// The result of a run from another machine.
#include "sim/sweep/store.h"
#include "sim/sweep/sweep_directory.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::incoming {
namespace {

void read(std::string_view bytes) {
  const test::TemporaryDirectory place;
  const SweepDirectory directory(place / "sweep");
  std::filesystem::create_directories(directory.incoming());
  place.write("sweep/incoming/0123456789abcdef.json", std::string(bytes));
  Store store(directory.store(), Store::Access::write);
  static_cast<void>(collect(directory, store));
}

const TargetRegistry::Entry entry{{.name = "incoming", .summary = "incoming/ID.json", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::incoming
