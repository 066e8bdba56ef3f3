// flitscope validate with points of BookSim2.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/program.h"

namespace flitscope::test::validate_reference_test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(Validate, Reference_IsComparedPointByPoint) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "machine.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nrouter: {delay: 3}\nnode: {ports: 1}\n"
      "workload: {traffic: uniform, self: true, warmup: 500, measure: 4000}\n");
  const std::string header =
      "topology,k,n,vcs,buffer_flits,message_flits,traffic,offered_flits_per_node_cycle,"
      "packet_latency_mean_cycles,accepted_flits_per_node_cycle\n";
  // Two hops on average: 6 + 4 * 2 cycles.
  const std::string reference =
      directory.write("reference.csv", header +
                                           "torus,4,2,4,8,1,uniform,0.02,14.05,0.02\n"
                                           "torus,4,2,4,8,1,uniform,0.03,20,0.02\n"
                                           "torus,4,2,4,8,1,uniform,0.2,15,0.2\n"
                                           "torus,4,2,4,8,1,uniform,0.9,,\n");
  const Outcome outcome = run_program({"validate", config, reference});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "### 4x4 torus, 4 VCs of 8 flits, 1-flit messages, uniform"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "2 points agree, 1 are outside, 1 cannot be judged")) << outcome.out;
  EXPECT_TRUE(outcome.out.starts_with(run_program({"validate", config, reference, "--quiet"}).out + "\n###"));

  // A single point is not taken for the highest load.
  const std::string one = directory.write("one.csv", header + "torus,4,2,4,8,1,uniform,0.2,30,0.2\n");
  EXPECT_TRUE(contains(run_program({"validate", config, one}).out, "0 points agree, 1 are outside"));

  // Cells in quotes are those without.
  const std::string quoted =
      directory.write("quoted.csv", header + "\"torus\",4,2,4,8,1,\"uniform\",0.2,30,0.2\r\n");
  EXPECT_TRUE(contains(run_program({"validate", config, quoted}).out, "0 points agree, 1 are outside"));

  const std::string broken = directory.write("broken.csv", header + "torus,4,2,4,8,1,uniform,x,14,0.02\n");
  const Outcome refused = run_program({"validate", config, broken});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "broken.csv:2: offered_flits_per_node_cycle must be a number, not 'x'"))
      << refused.err;
}

TEST(Validate, BadReference_IsRefusedWithFileAndLine) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("machine.yaml",
                      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nnode: {ports: 1}\n"
                      "workload: {traffic: uniform, self: true, warmup: 100, measure: 100}\n");
  const std::string header =
      "topology,k,n,vcs,buffer_flits,message_flits,traffic,offered_flits_per_node_cycle,status,"
      "packet_latency_mean_cycles,accepted_flits_per_node_cycle\n";
  const std::string good = "torus,4,2,4,8,1,uniform,0.02,ok,14.05,0.02\n";
  for (const auto& [row, refusal] : {
           std::pair{"torus,4294967300,2,4,8,1,uniform,0.02,ok,14,0.02",
                     "k must be a whole number up to 4294967295, not '4294967300'"},
           {"torus,4,4294967298,4,8,1,uniform,0.02,ok,14,0.02", "n must be a whole number up to 16,"},
           {"torus,4,300000000,4,8,1,uniform,0.02,ok,14,0.02", "n must be a whole number up to 16,"},
           {"torus,4,2,4294967300,8,1,uniform,0.02,ok,14,0.02", "vcs must be a whole number up to 42"},
           {"torus,4,2,4,4294967304,1,uniform,0.02,ok,14,0.02", "buffer_flits must be a whole number up to "},
           {"torus,4,2,4,8,4294967297,uniform,0.02,ok,14,0.02", "message_flits must be a whole number up "},
           {"torus,4,2,4,8,1,uniform,0.02,frob,14,0.02", "status must be 'ok', not 'frob'"},
           {"torus,4,2,4,8,1,uniform,0.02,ok,,", "status must be 'unstable', not 'ok'"},
           {"torus,4,2,4,8,1,uniform,0.02,ok,14,", "a row has both or none of "},
           {"torus,4,2,4,8,1,frob,0.02,ok,14,0.02", "--set workload.traffic=frob: "},
           {"torus,3,2,4,8,1,shuffle,0.02,ok,14,0.02", "--set topology.shape=[3, 3]: shuffle deals "},
           {"torus,4,2,4,8,1,uniform,5,ok,14,0.02", "--set workload.load=5: workload.load must be at most 1"},
       }) {
    const Outcome outcome =
        run_program({"validate", config, directory.write("bad.csv", header + good + row + "\n")});
    EXPECT_EQ(outcome.exit_code, 2) << row;
    EXPECT_TRUE(contains(outcome.err, std::string("bad.csv:3: ") + refusal)) << outcome.err;
  }
}

}  // namespace
}  // namespace flitscope::test::validate_reference_test
