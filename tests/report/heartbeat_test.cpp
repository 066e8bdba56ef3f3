// A long command prints lines now and then, a short one none.
#include "sim/report/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

namespace flitscope::heartbeat_test {
namespace {

using std::chrono::milliseconds;

TEST(Heartbeat, LongWork_PrintsLinesAtDoublingIntervals) {
  std::ostringstream shown;
  {
    const Heartbeat sign("flitscope verify", shown, milliseconds(1));
    std::this_thread::sleep_for(milliseconds(500));
  }
  const std::string text = shown.str();
  EXPECT_EQ(text.find("flitscope verify: at work for 0.001 s\nflitscope verify: at work for 0.002 s\n"), 0U);
  // Many more would be due; a busy machine may be late.
  EXPECT_NE(text.find("for 0.008 s"), std::string::npos);
  EXPECT_EQ(text.find("for 0.003 s"), std::string::npos);
}

TEST(Heartbeat, EarlyEnd_IsImmediateAndPrintsNothing) {
  std::ostringstream shown;
  const auto begin = std::chrono::steady_clock::now();
  { const Heartbeat sign("flitscope verify", shown); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(shown.str(), "");
}

}  // namespace
}  // namespace flitscope::heartbeat_test
