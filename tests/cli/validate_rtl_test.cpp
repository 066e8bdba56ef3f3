// flitscope validate with packets of router RTL: tests/cli/rtl has some of every configuration of
// docs/rtl.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::validate_rtl_test {
namespace {

using test::run_program;

const std::filesystem::path kSource = FLITSCOPE_SOURCE_DIR;

class ValidateRtl : public testing::TestWithParam<std::string> {};

TEST_P(ValidateRtl, PacketsOfTheRtl_AreExact) {
  const auto result = run_program({"validate", kSource / "configs/rtl" / (GetParam() + ".yaml"),
                                   kSource / "tests/cli/rtl" / (GetParam() + ".csv")});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("packets are exact, 100.00%"), std::string::npos) << result.out;
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "configs/rtl"))
    result.push_back(entry.path().stem());
  std::ranges::sort(result);
  return result;
}

INSTANTIATE_TEST_SUITE_P(AllConfigurations, ValidateRtl, testing::ValuesIn(names()));

TEST(ValidateRtlTest, OtherRouter_EndsWithTheFirstDivergence) {
  const auto result =
      run_program({"validate", kSource / "configs/rtl/A2.yaml", kSource / "tests/cli/rtl/A2mx.csv"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.out.find("First divergence: mesh4x4-load0.45-flits5-seed1, packet "), std::string::npos)
      << result.out;
  const auto quiet = run_program(
      {"validate", kSource / "configs/rtl/A2.yaml", kSource / "tests/cli/rtl/A2mx.csv", "--quiet"});
  EXPECT_EQ(quiet.exit_code, 4);
  EXPECT_EQ(quiet.out, result.out.substr(0, result.out.find('\n') + 1));
}

TEST(ValidateRtlTest, MissingTable_IsNamed) {
  const test::TemporaryDirectory folder;
  const auto times =
      folder.write("times.csv", "table,packet,wait,put_span,head,tail_span\nsome,0,0,0,13,0\n");
  const auto result = run_program({"validate", kSource / "configs/rtl/A2.yaml", times});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("the traffic table some.csv is needed"), std::string::npos) << result.err;
}

TEST(ValidateRtlTest, NumbersOutOfRange_AreRefusedWithFileAndLine) {
  const test::TemporaryDirectory folder;
  const auto refusal = [&](const std::string& packet, const std::string& times) {
    const auto table = folder.write("some.csv", "cycle,src,dst,bytes\n" + packet + "\n");
    const auto reference =
        folder.write("times.csv", "table,packet,wait,put_span,head,tail_span\nsome,0," + times + "\n");
    const auto result = run_program({"validate", kSource / "configs/rtl/A2.yaml", reference, table});
    EXPECT_EQ(result.exit_code, 2) << result.out;
    return result.err;
  };
  for (const auto& [packet, times, text] :
       {std::tuple{"0,0,1,34359738376", "0,0,4,0", "some.csv:2: bytes must be a whole number up to "},
        {"18446744073709551615,0,1,8", "0,0,4,0", "some.csv:2: cycle must be a whole number up to 10000"},
        {"0,0,64,8", "0,0,4,0", "some.csv:2: node 64 is not one of a "},
        {"0,0,1,8", "18446744073709551615,0,4,0", "times.csv:2: wait must be a whole number up to 10000"}})
    EXPECT_NE(refusal(packet, times).find(text), std::string::npos) << refusal(packet, times);
}

}  // namespace
}  // namespace flitscope::validate_rtl_test
