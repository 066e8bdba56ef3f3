// flitscope validate with measured times.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/program.h"

namespace flitscope::validate_measured_test {
namespace {

using test::run_program;

const std::filesystem::path kSource = FLITSCOPE_SOURCE_DIR;
const std::string kLine = R"(flitscope: 1
name: line
clock: 2ns
topology: {kind: mesh, shape: [2]}
node: {flit_bytes: 8}
workload: {algorithm: all-gather-direct, message: 16}
)";

/// Over one link: 2 (1 + 1) cycles and one for each further flit.
TEST(ValidateMeasured, RowsOfASeries_AreComparedWithTheirTimes) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("line.yaml", kLine);
  const auto times = folder.write("times.csv",
                                  "series,topology.kind,workload.message,time_us\n"
                                  "a line,mesh,16,0.008\n"
                                  "a line,mesh,1KiB,0.1\n"
                                  "a ring,torus,16,0.016\n");
  const auto result = run_program({"validate", config, times});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* const line :
       {"| a line | 2 | 0.0% | 34.0% | 34.0% |", "| workload.message=16 | 0.008 | 0.00800 | +0.0% |",
        "| workload.message=1KiB | 0.1 | 0.134 | +34.0% |", "| a ring | 1 | 50.0% | 50.0% | 50.0% |"})
    EXPECT_NE(result.out.find(line), std::string::npos) << line << "\n" << result.out;
  const auto quiet = run_program({"validate", config, times, "--quiet"});
  EXPECT_TRUE(result.out.starts_with(quiet.out + "\n###")) << quiet.out;
}

TEST(ValidateMeasured, BadRows_AreNamed) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("line.yaml", kLine);
  const auto unknown = folder.write("unknown.csv", "workload.mesage,time_us\n16,1\n");
  const auto result = run_program({"validate", config, unknown});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("unknown.csv:2: --set workload.mesage=16: "), std::string::npos) << result.err;
  const auto empty = folder.write("empty.csv", "workload.message,time_us\n");
  EXPECT_NE(run_program({"validate", config, empty}).err.find("no rows"), std::string::npos);
  const auto times = folder.write("times.csv", "workload.message,time_us\n16,1\n");
  std::string without_clock = kLine;
  without_clock.erase(without_clock.find("clock"), 11);
  const auto no_clock = run_program({"validate", folder.write("slow.yaml", without_clock), times});
  EXPECT_EQ(no_clock.exit_code, 2);
  EXPECT_NE(no_clock.err.find("'clock'"), std::string::npos) << no_clock.err;
  const auto as_csv = run_program({"validate", config, times, "--csv"});
  EXPECT_EQ(as_csv.exit_code, 2);
  EXPECT_NE(as_csv.err.find("--csv is for recordings"), std::string::npos) << as_csv.err;
}

TEST(ValidateMeasured, RowWithoutSettings_RunsTheConfigurationAsItIs) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("line.yaml", kLine);
  for (const char* const times :
       {"time_us\n0.008\n", "time_us,series\n0.008,a\n", "workload.message,time_us\n1KiB,0.134\n,0.008\n",
        "series,workload.message,time_us\na,1KiB,0.134\na,,0.008\n"}) {
    const auto result = run_program({"validate", config, folder.write("times.csv", times)});
    EXPECT_EQ(result.exit_code, 0) << times << result.err;
    EXPECT_NE(result.out.find("|  | 0.008 | 0.00800 | +0.0% |"), std::string::npos) << result.out;
  }
}

TEST(ValidateMeasured, SimulatedTime_HasTheDigitsOfTheReference) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("line.yaml", kLine);
  const auto times = folder.write("times.csv",
                                  "workload.message,time_us\n16,0.0080000\n1KiB,0.1\n1MiB,131.076\n"
                                  "1MiB,131\n16MiB,2000\n");
  const auto result = run_program({"validate", config, times});
  for (const char* const cells : {"| 0.0080000 | 0.0080000 |", "| 0.1 | 0.134 |", "| 131.076 | 131.078 |",
                                  "| 131 | 131 |", "| 2000 | 2097 |"})
    EXPECT_NE(result.out.find(cells), std::string::npos) << cells << "\n" << result.out << result.err;
}

TEST(ValidateMeasured, Series_IsTextInMarkdown) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("line.yaml", kLine);
  const auto times = folder.write("times.csv", "series,time_us\na|b,0.008\n,0.008\n");
  const auto result = run_program({"validate", config, times});
  EXPECT_NE(result.out.find("| a\\|b | 1 |"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("### \n"), std::string::npos) << result.out;
}

TEST(ValidateMeasured, BadFile_IsRefusedWithFileAndLine) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("line.yaml", kLine);
  for (const auto& [text, refusal] :
       {std::pair{"", "times.csv: is empty; the first line must name the columns"},
        {"workload.message,time\n64,1\n",
         "times.csv: has neither a column time_us, of measured times, nor topology"},
        {"workload.message,time_us\n64,0\n", "times.csv:2: time_us must be above 0"},
        {"workload.message,workload.message,time_us\n64,6400,1\n",
         "times.csv:1: names the column 'workload.message' twice"},
        {"workload.message,time_us\n16,1\n\nmany,1\n", "times.csv:4: --set workload.message=many: "}}) {
    const auto result = run_program({"validate", config, folder.write("times.csv", text)});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_NE(result.err.find(refusal), std::string::npos) << result.err;
  }
  const auto directory = run_program({"validate", config, folder.path()});
  EXPECT_EQ(directory.exit_code, 2);
  EXPECT_NE(directory.err.find(": is a directory, not a file"), std::string::npos) << directory.err;
}

/// The machines of the tables that are shipped.
TEST(ValidateMeasured, MachinesOfChips_Run) {
  for (const char* const name : {"wormhole", "blackhole"}) {
    const auto folder = kSource / "configs/silicon/tenstorrent";
    const auto machine = folder / (std::string(name) + "-chips.yaml");
    const auto result = run_program({"run", machine, "--quiet"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

}  // namespace
}  // namespace flitscope::validate_measured_test
