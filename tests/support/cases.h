// How long random tests go on.
#pragma once

#include <cstdlib>

namespace flitscope::test {

/// The environment's FLITSCOPE_CASES, or `otherwise`.
inline unsigned cases(unsigned otherwise) {
  const char* const wanted = std::getenv("FLITSCOPE_CASES");
  return wanted == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

}  // namespace flitscope::test
