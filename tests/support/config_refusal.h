// The lines with which a configuration is refused, and what they should say.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "model/error.h"
#include "tests/support/config_texts.h"

namespace flitscope::test {

/// The lines of the refusal, or nothing if it was accepted.
inline std::vector<std::string> refusal(const std::string& text,
                                        const std::vector<std::string>& overrides = {}) {
  try {
    static_cast<void>(parse(text, overrides));
  } catch (const InputError& error) {
    std::istringstream stream(error.what());
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  return {};
}

/// A mistake: where it is reported, and words that the report must have.
struct Expected {
  std::string place;
  std::vector<std::string> words;
};

inline void expect_refusal(const std::vector<std::string>& lines, const std::vector<Expected>& expected,
                           const std::string& what) {
  ASSERT_EQ(lines.size(), expected.size()) << what << "\n" << testing::PrintToString(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with(expected[i].place + ": "))
        << what << "\n"
        << lines[i] << "\nis not at " << expected[i].place;
    for (const auto& word : expected[i].words) {
      EXPECT_NE(lines[i].find(word), std::string::npos) << what << "\n" << lines[i] << "\nlacks " << word;
    }
  }
}

}  // namespace flitscope::test
