// Parts of the texts of reports.
#include "sim/report/report_parts.h"

#include <gtest/gtest.h>

#include "sim/studies/studies.h"
#include "tests/support/program.h"

namespace flitscope::test::report_parts_test {
namespace {

TEST(PercentText, ChangeThatRoundsToZero_HasNoMinus) {
  EXPECT_EQ(percent_text(0.125), "+12.5%");
  EXPECT_EQ(percent_text(-0.125), "-12.5%");
  EXPECT_EQ(percent_text(-0.0006), "-0.1%");
  EXPECT_EQ(percent_text(-0.0004), "+0.0%");
  EXPECT_EQ(percent_text(-0.0004, 2), "-0.04%");
  EXPECT_EQ(percent_text(-0.00004, 2), "+0.00%");
  EXPECT_EQ(change_text(9999, 10000, "-"), "+0.0%");
}

TEST(RunText, IntervalOfOneCycle_IsEveryCycle) {
  const TemporaryDirectory directory;
  const auto text = [&](const char* node) {
    return run_program(
               {"run",
                directory.write("c.yaml", std::string("flitscope: 1\ntopology: {kind: mesh, shape: [2]}\n"
                                                      "workload: {algorithm: tree-broadcast, message: 64}\n"
                                                      "node: ") +
                                              node + "\n")})
        .out;
  };
  const auto has = [](const std::string& all, const char* part) {
    return all.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(text("{injection_interval: 1, ejection_interval: 3}"),
                  "a flit in every cycle, out every 3 cycles,"));
  EXPECT_TRUE(has(text("{injection_interval: 2, ejection_interval: 1}"),
                  "a flit in every 2 cycles, out every cycle,"));
  EXPECT_TRUE(has(text("{injection_interval: 2, ejection_interval: 2}"), "a flit every 2 cycles,"));
  EXPECT_TRUE(has(text("{injection_interval: 1, ejection_interval: 1}"), "a flit a cycle,"));
}

}  // namespace
}  // namespace flitscope::test::report_parts_test
