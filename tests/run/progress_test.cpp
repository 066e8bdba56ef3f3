// Progress reports of a run: arrived messages, of those that the schedule announces.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "sim/config/config_source.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"

namespace flitscope::test::progress_test {
namespace {

struct Seen {
  std::uint64_t messages = 0;  ///< of the result
  Cycle cycles = 0;
  std::vector<Progress> reports;
};

/// Runs an experiment that says how far it is as often as it can.
Seen reports_of(const std::string& sections) {
  const std::string text = run_isolated([&] {
    std::string lines;
    RunOptions options;
    options.progress_pause = std::chrono::milliseconds(0);
    options.on_progress = [&](const Progress& now) {
      lines += fmt::format("{} {} {}\n", now.arrived, now.messages, now.cycle);
    };
    const RunResult result =
        run_experiment(parse_config("flitscope: 1\n" + sections, "c.yaml", "/"), options);
    return fmt::format("{} {}\n", result.messages, result.cycles) + lines;
  });
  std::istringstream numbers(text);
  Seen seen;
  numbers >> seen.messages >> seen.cycles;
  for (Progress report; numbers >> report.arrived >> report.messages >> report.cycle;) {
    seen.reports.push_back(report);
  }
  return seen;
}

void expect_steady(const Seen& seen) {
  ASSERT_GE(seen.reports.size(), 5U);
  Progress last;
  for (const Progress& report : seen.reports) {
    EXPECT_EQ(report.messages, seen.messages);
    EXPECT_GE(report.arrived, last.arrived);
    EXPECT_GT(report.cycle, last.cycle);
    // Steps are read long before their messages arrive; arrivals are no earlier than the run's time.
    const double share = static_cast<double>(report.arrived) / static_cast<double>(seen.messages);
    const double time = static_cast<double>(report.cycle) / static_cast<double>(seen.cycles);
    EXPECT_NEAR(share, time, 0.25) << "in cycle " << report.cycle;
    last = report;
  }
}

TEST(Progress, Dataflow_ReportsArrivedMessages) {
  expect_steady(
      reports_of("topology: {kind: torus, shape: [12, 12]}\n"
                 "workload: {algorithm: hamiltonian-cycles, message: 1KiB, advance: dataflow}\n"));
}

TEST(Progress, Barriers_ReportArrivedMessages) {
  expect_steady(
      reports_of("topology: {kind: torus, shape: [12, 12]}\n"
                 "workload: {algorithm: hamiltonian-cycles, message: 1KiB}\n"));
}

TEST(Progress, Circuits_ReportArrivedMessages) {
  const Seen seen = reports_of(
      "topology: {kind: complete, nodes: 40}\nnode: {ports: 1}\ncircuits: {reconfiguration: 4}\n"
      "workload: {algorithm: afsahi-gossip-direct}\n");
  ASSERT_GE(seen.reports.size(), 5U);
  EXPECT_EQ(seen.reports.front().messages, seen.messages);
  EXPECT_LT(seen.reports.front().arrived, seen.messages / 2);
  EXPECT_GT(seen.reports.back().arrived, seen.messages / 2);
}

TEST(Progress, Report_IsOneLine) {
  EXPECT_EQ(progress_text({930, 1024, 12800, 18.44e6}),
            "cycle 12800, 930 of 1024 messages arrived, 18.4 M flit-hops/s");
}

}  // namespace
}  // namespace flitscope::test::progress_test
