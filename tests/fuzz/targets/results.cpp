// The database of a sweep, as `flitscope results` reads it.
#include "sim/sweep/store.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::results {
namespace {

void read(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  const auto file = directory.write("results.sqlite", std::string(bytes));
  const Store store(file, Store::Access::read);
  static_cast<void>(store.swept());
  static_cast<void>(store.select(store.columns()));
}

const TargetRegistry::Entry entry{{.name = "results", .summary = "results.sqlite", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::results
