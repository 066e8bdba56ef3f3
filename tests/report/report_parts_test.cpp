// Parts of the texts of reports.
#include "sim/report/report_parts.h"

#include <gtest/gtest.h>

#include "sim/studies/studies.h"

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

}  // namespace
}  // namespace flitscope::test::report_parts_test
