// flitscope import of machines: two files or none.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/program.h"

namespace flitscope::test::import_machine_test {
namespace {

constexpr const char* kSwitch = "topology: [Switch]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n";

TEST(ImportMachine, NetworkOfAstraSim_RunsAsConfiguration) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("switch.yml", kSwitch);
  const Outcome made = run_program({"import", file, "--format", "astra-sim", "--out", directory / "m.yaml"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  ASSERT_TRUE(std::filesystem::exists(directory / "m.network.yaml"));
  const Outcome ran = run_program({"run", directory / "m.yaml"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out.find("WARNING"), std::string::npos) << ran.out;
}

/// The user has no file of the configuration, so a place in it would say nothing.
TEST(ImportMachine, ValueThatTheConfigurationRefuses_IsNamedWithoutAPlace) {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "m.icnt",
      "topology = mesh; k = 3; n = 2; routing_function = dor;\nnum_vcs = 2; vc_buf_size = 4;\n"
      "traffic = uniform; packet_size = 2; injection_rate = 1.4;\n");
  const Outcome outcome = run_program({"import", file, "--format", "booksim2"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("m.icnt (as a configuration): workload.load must be at most 1"),
            std::string::npos)
      << outcome.err;
}

TEST(ImportMachine, SecondFileWithoutPlace_IsRefused) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("switch.yml", kSwitch);
  const Outcome outcome = run_program({"import", file, "--format", "astra-sim"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--out must name the configuration"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(ImportMachine, ExistingNetworkFile_KeepsBothFilesAway) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("switch.yml", kSwitch);
  directory.write("m.network.yaml", "mine");
  const Outcome outcome =
      run_program({"import", file, "--format", "astra-sim", "--out", directory / "m.yaml"});
  EXPECT_EQ(outcome.exit_code, 6) << outcome.err;
  EXPECT_EQ(text_of(directory / "m.network.yaml"), "mine");
  EXPECT_FALSE(std::filesystem::exists(directory / "m.yaml"));
}

}  // namespace
}  // namespace flitscope::test::import_machine_test
