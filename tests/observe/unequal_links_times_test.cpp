// Where links differ, the terms of a message's time still add up, and the delays are those of the links that
// its head took.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::unequal_links_times_test {
namespace {

using namespace test;

const std::vector<std::string> kParts{"startup_cycles",
                                      "queueing_cycles",
                                      "hops_cycles",
                                      "head_vc_taken_cycles",
                                      "head_no_credit_cycles",
                                      "head_switch_lost_cycles",
                                      "head_ejection_busy_cycles",
                                      "head_sink_full_cycles",
                                      "head_nic_full_cycles",
                                      "hol_blocked_cycles",
                                      "serialization_cycles",
                                      "tail_serialization_cycles"};

Table messages_of(const std::string& machine, const std::string& workload) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "run.yaml", fmt::format("flitscope: 1\ntopology: {{kind: torus, shape: [4, 4]}}\n{}workload: {}\n"
                              "observe: {{messages: true}}\n",
                              machine, workload));
  const Outcome outcome = run_program({"run", config, "--quiet", "--out", directory / "run"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return read_csv(directory / "run/messages.csv");
}

/// One message at a time, from node to node by direct neighbours: no message waits.
TEST(UnequalLinksTimes, EmptyNetwork_HasNoStalls) {
  const Table table = messages_of(
      "link: {delay: [3, 5]}\nlinks: [{at: '[0, 0]+0', delay: 9}]\nnode: {ports: 1, injection_interval: 2}\n",
      "{algorithm: binomial-torus, message: 40}");
  std::int64_t longest = 0;
  for (const test::Row& message : table.rows) {
    EXPECT_EQ(message.number("hol_blocked_cycles"), 0);
    EXPECT_EQ(message.number("serialization_cycles"), 4) << "the ejection channel takes a flit a cycle";
    longest = std::max(longest, message.number("hops_cycles"));
  }
  EXPECT_GE(longest, (1 + 9) + (1 + 3)) << "the slow link is on somebody's way";
}

TEST(UnequalLinksTimes, Load_TermsAddUp) {
  const std::string links =
      "link: {delay: [1, 4], cycles_per_flit: 2}\n"
      "links: [{at: '[0, 0]+0', delay: 9, cycles_per_flit: 5, both: true}, {at: '[2, 1]-1', cycles_per_flit: "
      "3}]\n";
  const std::string machines[] = {
      links, links + "router: {buffer: 2, routing: duato, virtual_channels: 3, allow_deadlock: true}\n",
      links + "node: {ports: 1, injection_interval: 1, ejection_interval: 3}\n",
      links + "router: {switching: store-and-forward, buffer: 32}\nnode: {injection_interval: 4}\n"};
  for (const std::string& machine : machines) {
    const Table table =
        messages_of(machine, "{traffic: uniform, load: 0.08, message: 96, warmup: 0, measure: 400, seed: 3}");
    EXPECT_GT(table.rows.size(), 20U);
    for (const test::Row& message : table.rows) {
      std::int64_t total = 0;
      for (const std::string& part : kParts) {
        EXPECT_GE(message.number(part), 0) << part << "\n" << machine;
        total += message.number(part);
      }
      EXPECT_EQ(total, message.number("latency_cycles")) << machine;
      EXPECT_EQ(message.number("tail_injection_cycles") + message.number("tail_no_credit_cycles") +
                    message.number("tail_switch_lost_cycles"),
                message.number("tail_serialization_cycles"))
          << machine;
    }
  }
}

}  // namespace
}  // namespace flitscope::unequal_links_times_test
