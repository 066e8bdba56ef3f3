// The same targets for libFuzzer, which looks for inputs that reach new code. FLITSCOPE_FUZZ_TARGET names the
// target.
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto* const target =
      flitscope::fuzz::TargetRegistry::find(std::getenv("FLITSCOPE_FUZZ_TARGET"));
  if (target == nullptr) std::abort();
  flitscope::fuzz::attack(*target, {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
