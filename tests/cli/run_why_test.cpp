// flitscope run --why: what a channel does in every cycle adds up, as text and as JSON.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "sim/report/page/page.h"
#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::run_why_test {
namespace {

using Json = nlohmann::json;

TEST(RunWhy, Channel_AddsUpAndNeedsDirectory) {
  const TemporaryDirectory directory;
  const Arguments words{"run", shipped_config("hot-spot.yaml"), "--quiet", "--why", "[1, 0]+0"};
  EXPECT_EQ(run_program(words).exit_code, 2);
  Arguments kept = words;
  kept.insert(kept.end(), {"--out", (directory / "run").string()});
  const std::string out = run_program(kept).out;
  EXPECT_NE(out.find("channel [1, 0]+0 in the 197 cycles of the run:\n         128   65.0%"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("of these, 56 for [2, 0]+0"), std::string::npos) << out;
  Arguments as_json = kept;
  as_json.back() = (directory / "json").string();
  as_json.emplace_back("--json");
  const Json why = Json::parse(run_program(as_json).out).at("why").at(0);
  EXPECT_EQ(why.at("channel"), "[1, 0]+0");
  EXPECT_EQ(why.at("cycles").at("busy"), 128);
  EXPECT_EQ(why.at("behind"), (Json{{{"channel", "[2, 0]+0"}, {"cycles", 56}}}));
  Arguments wrong = kept;
  wrong[4] = "[9, 0]+0";
  wrong.back() = (directory / "other").string();
  EXPECT_EQ(run_program(wrong).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(directory / "other"));
}

/// Background traffic still moves in the cycle in which the schedule is complete.
/// A trace has the links of its graph as the file writes them.
TEST(RunWhy, GraphWithLinksInUnits_IsThatOfItsTrace) {
  const TemporaryDirectory directory;
  directory.write("net.yaml",
                  "graph: 1\nrouters: [{name: a}, {name: b}]\n"
                  "links: [{between: [a, b], delay: 2ns, bandwidth: 2GB/s}]\n");
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\nclock: 1GHz\ntopology: {kind: graph, file: net.yaml}\nnode: {ports: 1}\n"
                      "workload: {algorithm: tree-broadcast, message: 64}\n");
  const Outcome outcome =
      run_program({"run", config, "--why", "a>b", "--json", "--out", (directory / "run").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json cycles = Json::parse(outcome.out)["why"][0]["cycles"];
  EXPECT_EQ(cycles["busy"], 8);
  EXPECT_GE(cycles["interval"], 21) << "a flit of 8 bytes in 4 cycles";
  const std::string copy = (directory / "run/config.yaml").string();
  EXPECT_EQ(run_program({"run", copy, "--set", "clock=2GHz"}).exit_code, 0);
}

TEST(RunWhy, BackgroundTraffic_HasTheLastCycleToo) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4]}\n"
      "workload: {algorithm: all-to-all-direct, message: 512, background: {traffic: uniform, load: 0.4}}\n");
  const std::string out =
      run_program({"run", config, "--quiet", "--why", "[1]+0", "--out", (directory / "run").string()}).out;
  std::ifstream file(directory / "run/result.json");
  const Json result = Json::parse(file);
  const std::uint64_t cycles_of_run = result.at("cycles").get<std::uint64_t>() + 1;
  const std::string title = fmt::format("channel [1]+0 in the {} cycles of the run:\n", cycles_of_run);
  ASSERT_NE(out.find(title), std::string::npos) << out;
  std::istringstream lines(out.substr(out.find(title) + title.size()));
  std::uint64_t sum = 0;
  for (std::uint64_t cycles = 0; lines >> cycles; lines.ignore(1000, '\n')) sum += cycles;
  EXPECT_EQ(sum, cycles_of_run) << out;
}

/// The 27 flits of the link take 40.5 of 41 cycles.
TEST(RunWhy, SaturatedRun_HasTheLastCycleInAllOutputs) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nlink: {cycles_per_flit: 3/2}\nrouter: {buffer: 32}\n"
      "workload: {traffic: neighbour, load: 1, message: 8, process: periodic, warmup: 0, measure: 40}\n");
  const std::string out =
      run_program({"run", config, "--why", "[0]+0", "--out", (directory / "run").string()}).out;
  EXPECT_NE(out.find("the whole run, 41 cycles"), std::string::npos) << out;
  EXPECT_NE(out.find("channel [0]+0 in the 41 cycles of the run"), std::string::npos) << out;
  const Table channels = read_csv((directory / "run/channels.csv").string());
  EXPECT_EQ(channels.rows.at(0).text("utilisation"), "0.987805");
}

/// Messages come back to nodes where flits of theirs wait.
TEST(RunWhy, DetoursWithoutDeadlock_AreNoDependencyCycle) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("v.yaml",
                      "flitscope: 1\ntopology: {kind: torus, shape: [4]}\nrouter: {routing: valiant, "
                      "virtual_channels: 4, buffer: "
                      "2}\nworkload: {algorithm: all-reduce-ring, message: 512, advance: dataflow}\n");
  const Outcome outcome = run_program({"run", config, "--json", "--out", directory / "out", "--why", "[0]+0",
                                       "--why", "[1]-0", "--why", "[2]+0", "--why", "[3]-0"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("why").size(), 4U);
  for (const Json& why : result.at("why")) EXPECT_EQ(why.at("cycles").at("deadlock"), 0) << why;
}

/// The page has what a whole trace says, or nothing.
TEST(RunWhy, FilteredTrace_GivesThePageNoCauses) {
  const TemporaryDirectory directory;
  const auto data_of = [&](const std::string& name, const std::string& filter) {
    const std::string out = directory / name;
    const std::string observe = "observe={trace: binary" + filter + "}";
    EXPECT_EQ(run_program({"run", shipped_config("hot-spot.yaml"), "--set", observe, "--out", out}).exit_code,
              0);
    return run_page_data(out).at("channel_time");
  };
  EXPECT_FALSE(data_of("whole", "").is_null());
  EXPECT_TRUE(data_of("part", ", filter: {nodes: [[0, 0]]}").is_null());
  EXPECT_TRUE(data_of("time", ", filter: {from: 100, to: 150}").is_null());
}

}  // namespace
}  // namespace flitscope::test::run_why_test
