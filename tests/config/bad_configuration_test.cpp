// Configurations that cannot be meant: each is refused by every command, and leaves nothing behind.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/hand_written_runs.h"

namespace flitscope::test::bad_configuration_test {
namespace {

constexpr int kBadInput = 2;
const std::vector<std::string> kRunsOnly{"run"};
const std::vector<std::string> kChecks{"run", "verify"};

class BadConfiguration : public testing::Test {
 protected:
  void refused(const std::string& text, const std::vector<std::string>& parts) {
    const std::string file = directory_.write("given.yaml", text);
    expect_refused(directory_, file, {}, kBadInput, parts);
  }
  /// The quickstart, changed.
  void refused_with(const Arguments& overrides, const std::vector<std::string>& parts,
                    const std::vector<std::string>& commands = {"run", "verify", "schedule"}) {
    expect_refused(directory_, shipped_config("quickstart.yaml"), overrides, kBadInput, parts, commands);
  }

  TemporaryDirectory directory_;
  const std::string start_ = "flitscope: 1\ntopology: {kind: torus, shape: [7, 7, 7]}\n";
  const std::string work_ = "workload: {algorithm: tsay-wang-direct}\n";
};

TEST_F(BadConfiguration, UnknownKey_NamesTheNearestOne) {
  refused(start_ + work_ + "router: {bufer: 4}\n",
          {"given.yaml:4:10:", "router.bufer", "did you mean 'buffer'"});
  refused(start_ + work_ + "ruoter: {buffer: 4}\n", {"given.yaml:4:1:", "did you mean 'router'"});
  refused(start_ + "workload: {algorithm: tsay-wang-direct, mesage: 4}\n", {"given.yaml:3:", "message"});
  refused_with({"router.bufer=4"}, {"--set router.bufer=4:", "buffer"});
}

TEST_F(BadConfiguration, ValueOfAnotherType_IsRefused) {
  refused(start_ + work_ + "router: {buffer: many}\n", {"given.yaml:4:18:", "whole number", "'many'"});
  refused(start_ + work_ + "router: [4]\n", {"given.yaml:4:9:", "must be a map"});
  refused("flitscope: 1\ntopology: {kind: torus, shape: 7}\n" + work_, {"given.yaml:2:32:", "a list"});
  refused_with({"workload.message=big"}, {"workload.message", "a size"});
  refused_with({"router.allow_deadlock=1"}, {"true or false"});
}

TEST_F(BadConfiguration, FilterOfMissingSteps_IsRefused) {
  refused_with({"observe.filter.steps=[999, 1000]"},
               {"--set observe.filter.steps=[999, 1000]: no event can pass observe.filter: the schedule has"},
               kChecks);
  refused_with({"observe.filter.messages=['999.1']"}, {"observe.filter.messages", "the schedule has"},
               kChecks);
  refused_with({"observe.filter.messages=['0.1']"}, {"observe.filter.messages", "no background traffic"},
               kChecks);
  EXPECT_EQ(
      run_program({"verify", shipped_config("quickstart.yaml"), "--set", "observe.filter.steps=[1, 999]"})
          .exit_code,
      0);
}

TEST_F(BadConfiguration, DuplicateKey_IsRefused) {
  refused(start_ + work_ + "router: {buffer: 4, buffer: 5}\n",
          {"given.yaml:4:21:", "duplicate key 'buffer'"});
  refused(start_ + work_ + work_, {"given.yaml:4:1:", "duplicate key 'workload'"});
}

TEST_F(BadConfiguration, ShapeThatTheAlgorithmCannotServe_IsRefused) {
  refused_with({"topology.shape=[1, 7, 7]"}, {"topology.shape[0]", "from 2 to", "'1'"});
  refused_with({"topology.shape=[2, 2, 2]", "workload.source=origin"}, {"at least 3, not 2", "[3, 3, 3]"});
  refused_with({"topology.shape=[7, 7, 8]"}, {"7x7x8"});
  refused_with({"topology.kind=mesh"}, {"torus"});
  refused_with({"topology.shape=[]"}, {"topology.shape", "empty list"});
}

TEST_F(BadConfiguration, SourceOutsideTheNetwork_IsRefused) {
  refused_with({"workload.source=[7, 0, 0]"}, {"[7, 0, 0]", "outside", "0 to 6"});
  refused_with({"workload.source=[0, 0]"}, {"--set workload.source=[0, 0]:", "3"});
  refused_with({"workload.source=[-1, 0, 0]"}, {"workload.source[0]", "'-1'"});
}

TEST_F(BadConfiguration, TooFewVirtualChannels_SaysHowManyAreNeeded) {
  refused_with({"router.virtual_channels=3"}, {"at least 4 virtual channels", "not 3"}, kChecks);
  refused_with({"router.virtual_channels=0"}, {"from 1 to"});
  refused_with({"router.virtual_channels=60"}, {"at most"}, kChecks);
}

TEST_F(BadConfiguration, SizeBelowItsMinimum_IsRefused) {
  refused_with({"router.buffer=0"}, {"router.buffer", "from 1 to", "'0'"});
  refused_with({"router.buffer=-8"}, {"router.buffer", "'-8'"});
  refused_with({"workload.message=-1"}, {"workload.message", "'-1'"});
  refused_with({"node.flit_bytes=0"}, {"node.flit_bytes", "'0'"});
  refused_with({"node.ports=0"}, {"node.ports", "'0'"});
  refused_with({"node.injection_interval=0"}, {"node.injection_interval", "'0'"});
  refused_with({"limits.cycles=0"}, {"limits.cycles", "'0'"});
  refused_with({"topology.shape=[-7, 7, 7]"}, {"topology.shape[0]", "'-7'"});
}

TEST_F(BadConfiguration, HugeSizes_AreRefusedAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  const std::string origin = "workload.source=origin";
  refused_with({"topology.shape=[1000000, 1000000]"}, {"1000000x1000000", "2147483648 nodes"});
  refused_with({"topology.shape=[15000, 15000]", origin}, {"15000x15000", "GiB"}, kRunsOnly);
  refused_with({"topology.shape=[999, 999]", origin, "router.buffer=16777216"}, {"16777216 flits", "GiB"},
               kRunsOnly);
  refused_with({"router.buffer=99999999999999999999"}, {"router.buffer"});
  refused_with({"workload.message=9999999TiB"}, {"workload.message"});
  refused_with({"workload.message=1TiB"}, {"137438953472 flits", "larger flits"}, kRunsOnly);
  refused_with({"topology.shape=[3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3]"}, {"16"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST_F(BadConfiguration, TimesBeyondTheRange_AreRefused) {
  refused_with({"clock=1s"}, {"--set clock=1s:", "18446744 cycles", "limits.cycles"}, kRunsOnly);
  refused_with({"clock=1s", "limits.cycles=1000000", "node.startup=100000000"}, {"18446744 cycles"},
               kRunsOnly);
  EXPECT_EQ(run_program({"run", shipped_config("quickstart.yaml"), "--set", "clock=1s", "--set",
                         "limits.cycles=10000000", "--set", "node.startup=1000000"})
                .exit_code,
            0);
}

TEST_F(BadConfiguration, RoutingWithoutTheSchedulesPaths_IsRefused) {
  refused_with({"router.routing=dimension-order"}, {"router.routing", "cyclic-dimension-order"}, kRunsOnly);
  refused_with({"router.routing=cyclic"}, {"router.routing", "'cyclic'"});
}

TEST_F(BadConfiguration, BufferShorterThanAMessage_IsRefusedWhereItMustFit) {
  for (const std::string switching : {"virtual-cut-through", "store-and-forward"}) {
    refused_with({"router.switching=" + switching}, {switching, "64 flits", "at least 64, not 8"}, kRunsOnly);
  }
  EXPECT_EQ(run_program({"run", shipped_config("quickstart.yaml"), "--set",
                         "router.switching=store-and-forward", "--set", "router.buffer=64"})
                .exit_code,
            0);
}

TEST_F(BadConfiguration, MissingFile_IsRefused) {
  expect_refused(directory_, directory_ / "nowhere.yaml", {}, kBadInput, {"nowhere.yaml", "No such file"});
  expect_refused(directory_, directory_.path(), {}, kBadInput, {"is a directory"});
  expect_refused(directory_, "/dev/zero", {}, kBadInput, {"/dev/zero"});
}

TEST_F(BadConfiguration, OtherText_IsRefused) {
  refused("", {"given.yaml:1:1:", "empty"});
  refused("just words\n", {"given.yaml:1:1:", "must be a map"});
  refused("flitscope: 2\n", {"given.yaml:1:12:", "version 1"});
  refused(start_ + "workload: {algorithm: [tsay-wang\n", {"given.yaml:"});
  refused(start_ + work_ + "\trouter: {}\n", {"given.yaml:4:"});
  refused(start_ + "workload: \"open\n", {"given.yaml:"});
  refused(std::string(2000, '[') + "\n", {"given.yaml:"});
  refused(std::string("\x7f"
                      "ELF\x02\x01\x01\0\0\xff\xfe\x80\n\0\x03",
                      15),
          {"given.yaml:1:"});
  refused(start_ + work_ + "name: \xff\xfe\n", {"given.yaml:4:"});
}

TEST_F(BadConfiguration, SeveralErrors_HaveALineEach) {
  const std::string file = directory_.write(
      "given.yaml",
      "flitscope: 1\ntopology: {kind: tours, shape: [1, 7]}\nrouter: {bufer: 4, buffer: 0}\n" + work_);
  const Outcome outcome =
      run_program({"run", file, "--set", "node.ejection_interval=fast", "--out", directory_ / "run"});
  EXPECT_EQ(outcome.exit_code, kBadInput);
  expect_complaints(outcome, {"topology.kind", "topology.shape[0]", "router.bufer", "router.buffer must",
                              "node.ejection_interval"});
  EXPECT_EQ(directory_.entries(), std::vector<std::string>{"given.yaml"});
}

}  // namespace
}  // namespace flitscope::test::bad_configuration_test
