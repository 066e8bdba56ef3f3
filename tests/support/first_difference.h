// Where two long texts begin to differ.
#pragma once

#include <sstream>
#include <string>

namespace flitscope::test {

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
