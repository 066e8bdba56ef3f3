// A short attack on everything that reads files; scripts/fuzz.sh makes long ones.
#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>

#include "model/error.h"
#include "tests/fuzz/fuzzer.h"
#include "tests/support/random_cases.h"

namespace flitscope::fuzz {
namespace {

class Attack : public testing::TestWithParam<std::string> {};

TEST_P(Attack, IsSurvived) {
  const Target& target = *TargetRegistry::find(GetParam());
  ASSERT_FALSE(corpus_of(target).empty());
  const std::uint64_t cases = 10 * test::cases(40);
  for (const Finding& finding : attack_with_many(target, 2026, 0, cases)) {
    ADD_FAILURE() << finding.what << " with\n" << finding.input.substr(0, 2000);
  }
}

// The attack itself: what a target does not survive is found, and what it refuses is not.
TEST(Fuzzer, FindsWhatATargetDoesNotSurvive) {
  const auto read = [](std::string_view bytes) {
    if (bytes == "crash") raise(SIGKILL);  // what no sanitizer takes for itself
    if (bytes == "error") throw std::logic_error("out of range");
    if (bytes == "hang") {
      while (true) pause();
    }
    if (bytes == "refused") throw InputError("no");
  };
  const Target target{"weak", "", read};
  const Limits brief{.seconds = 1};
  const auto what = [&](const std::string& input) {
    const auto findings = attack_with(target, input, brief);
    return findings.empty() ? "" : findings.front().what;
  };
  EXPECT_EQ(what("fine"), "");
  EXPECT_EQ(what("refused"), "");
  EXPECT_EQ(what("crash"), "signal 9");
  EXPECT_EQ(what("error"), "out of range");
  EXPECT_EQ(what("hang"), "more than 1 s");
}

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const Target& target : TargetRegistry::all()) names.push_back(target.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Targets, Attack, testing::ValuesIn(targets()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace flitscope::fuzz
