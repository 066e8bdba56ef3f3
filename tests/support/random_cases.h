// Random tests: their number of cases, their numbers, and the first difference from a reference.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>

namespace flitscope::test {

/// The environment's FLITSCOPE_CASES, or `otherwise`.
inline unsigned cases(unsigned otherwise) {
  const char* const wanted = std::getenv("FLITSCOPE_CASES");
  return wanted == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

/// The first line of the reference that the engine does not have, and what it has instead; empty if they
/// agree.
inline std::string first_difference(const std::string& reference, const std::string& engine) {
  if (reference == engine) return "";
  std::istringstream expected_lines(reference);
  std::istringstream actual_lines(engine);
  std::string expected;
  std::string actual;
  do {
    expected.clear();
    actual.clear();
    std::getline(expected_lines, expected);
    std::getline(actual_lines, actual);
  } while (expected == actual);
  return "\nreference: " + expected + "\nengine:    " + actual;
}

}  // namespace flitscope::test

namespace flitscope {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint32_t seed) : engine_(seed) {}
  /// From 0 to end - 1.
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }

 private:
  std::mt19937 engine_;
};

}  // namespace flitscope
