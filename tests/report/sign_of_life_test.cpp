// A long command shows that it is at work, a short one says nothing.
#include "sim/report/sign_of_life.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

namespace flitscope::sign_of_life_test {
namespace {

using std::chrono::milliseconds;

TEST(SignOfLife, ComesAfterAWhileAndThenLessOften) {
  std::ostringstream shown;
  {
    const SignOfLife sign("flitscope verify", shown, milliseconds(20));
    std::this_thread::sleep_for(milliseconds(300));
  }
  const std::string text = shown.str();
  EXPECT_EQ(text.find("flitscope verify: at work for 0.02 s\nflitscope verify: at work for 0.04 s\n"), 0U);
  // 20, 40, 80 and 160 ms have passed, and perhaps more on a busy machine.
  EXPECT_NE(text.find("for 0.16 s"), std::string::npos);
}

TEST(SignOfLife, EndsAtOnce) {
  std::ostringstream shown;
  const auto begin = std::chrono::steady_clock::now();
  { SignOfLife("flitscope verify", shown).end(); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(shown.str(), "");
}

}  // namespace
}  // namespace flitscope::sign_of_life_test
