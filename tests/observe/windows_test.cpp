// windows.csv: its windows add up to the run.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::windows_test {
namespace {

using Json = nlohmann::json;

constexpr double kWidth = 250;

/// The flits that are handed over and that arrive, and the stalls by all causes, summed over the windows.
struct Sums {
  double generated = 0;
  double arrived = 0;
  double messages = 0;
  double stalls = 0;
  double waiting = 0;  ///< at the end
};

Sums run(const std::string& config, double nodes, Json& result) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("run.yaml", "flitscope: 1\n" + config);
  const Outcome outcome =
      run_program({"run", file, "--set", "observe.windows=250", "--out", directory / "run", "--json"});
  result = Json::parse(outcome.out);
  Sums sums;
  for (const Row& row : read_csv((directory / "run/windows.csv").string()).rows) {
    const auto number = [&](const char* column) { return std::stod(row.text(column)); };
    const double node_cycles = nodes * (number("end_cycle") - number("begin_cycle"));
    EXPECT_LE(number("end_cycle") - number("begin_cycle"), kWidth);
    sums.generated += number("offered") * node_cycles;
    sums.arrived += number("accepted") * node_cycles;
    sums.messages += number("messages");
    sums.waiting = number("waiting_flits");
    for (const char* const cause : {"vc_taken", "no_credit", "switch_lost", "ejection_busy"})
      sums.stalls += number((std::string(cause) + "_flit_cycles").c_str());
  }
  return sums;
}

double stalls_in(const Json& result) {
  double sum = 0;
  for (const auto& [cause, count] : result["stalls"].items()) sum += count.get<double>();
  return sum;
}

TEST(Windows, Traffic_AddsUpToTheRun) {
  for (const char* const config :
       {"topology: {kind: mesh, shape: [4, 4]}\nworkload: {traffic: uniform, load: 0.3, process: on-off, "
        "burst: "
        "50, pause: 100, warmup: 500, measure: 2000}\n",
        "topology: {kind: torus, shape: [4, 4]}\nworkload: {traffic: transpose, load: 0.2, message: 64, "
        "warmup: 500, measure: 2000}\n"}) {
    Json result;
    const Sums sums = run(config, 16, result);
    EXPECT_NEAR(sums.generated, result["flits"].get<double>(), 1) << config;
    EXPECT_NEAR(sums.arrived, result["flits"].get<double>(), 1) << config;
    EXPECT_EQ(sums.messages, result["messages"].get<double>()) << config;
    EXPECT_EQ(sums.waiting, 0) << config;
    EXPECT_EQ(sums.stalls, stalls_in(result)) << config;
  }
}

TEST(Windows, Schedule_AddsUpToTheRun) {
  Json result;
  const Sums sums =
      run("topology: {kind: torus, shape: [4, 4]}\nworkload: {algorithm: all-reduce-bucket, message: "
          "4KiB, advance: dataflow}\n",
          16, result);
  EXPECT_NEAR(sums.generated, result["flits"].get<double>(), 1);
  EXPECT_NEAR(sums.arrived, result["flits"].get<double>(), 1);
  EXPECT_EQ(sums.messages, result["messages"].get<double>());
  EXPECT_EQ(sums.stalls, stalls_in(result));
}

TEST(Windows, StallsUpToAWindow_AreThoseOfARunThatEndsThere) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("run.yaml",
                      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nrouter: {buffer: 2}\n"
                      "workload: {traffic: uniform, load: 0.5, message: 64, warmup: 100, measure: 500}\n");
  ASSERT_EQ(run_program({"run", file, "--set", "observe.windows=50", "--out", directory / "whole"}).exit_code,
            0);
  std::map<std::string, std::uint64_t> stalls;
  for (const Row& row : read_csv((directory / "whole/windows.csv").string()).rows) {
    const std::uint64_t end = std::stoull(row.text("end_cycle"));
    if (end > 600) break;
    const Json part = Json::parse(
        run_program({"run", file, "--set", "limits.cycles=" + std::to_string(end - 1), "--json"}).out);
    for (const auto& [cause, count] : part["stalls"].items()) {
      stalls[cause] += std::stoull(row.text(cause + "_flit_cycles"));
      EXPECT_EQ(stalls[cause], count) << cause << " up to cycle " << end;
    }
  }
  EXPECT_GT(stalls["switch_lost"], 0U);
}

/// The second flit loses the switch in cycle 7. Nothing happens in cycle 10, with which a window begins.
TEST(Windows, BeginsInACycleThatIsSkipped_HasNoStallsOfTheOneBefore) {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "run.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nrouter: {buffer: 2, delay: 4, vc_delay: 2}\n"
      "link: {cycles_per_flit: 7/3}\nworkload: {algorithm: broadcast-binomial, message: 32}\n"
      "observe: {windows: 5}\n");
  ASSERT_EQ(run_program({"run", file, "--out", directory / "run"}).exit_code, 0);
  const Table windows = read_csv((directory / "run/windows.csv").string());
  EXPECT_EQ(windows.rows.at(1).text("switch_lost_flit_cycles"), "1");
  EXPECT_EQ(windows.rows.at(2).text("switch_lost_flit_cycles"), "0");
}

}  // namespace
}  // namespace flitscope::test::windows_test
