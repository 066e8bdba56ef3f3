// flitscope results: rows, columns, formats and baselines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/error.h"
#include "sim/sweep/results.h"
#include "tests/support/csv.h"
#include "tests/support/sweeps.h"

namespace flitscope::test::results_test {
namespace {

using Json = nlohmann::json;

/// One sweep for all tests: two algorithms with their ports, three messages, two replicas, run once.
class ResultsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    const std::string file = directory_->write(
        "sweep.yaml", sweep_text("  zip: {workload.algorithm: [two-port-torus, binomial-torus], "
                                 "node.ports: [2, 1]}\n"
                                 "  workload.message: [8, 1KiB, 4KiB]\n"
                                 "  replicas: {near: {}, far: {link.delay: 10}}\n"));
    ASSERT_EQ(run_program({"sweep", file, "--out", out()}).exit_code, 0);
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }
  static std::string out() { return *directory_ / "out"; }
  static Outcome results(const Arguments& options) {
    Arguments arguments{"results", out()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_program(arguments);
  }
  static Json json(Arguments options) {
    options.insert(options.end(), {"--format", "json"});
    const Outcome outcome = results(options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out.empty() ? "[]" : outcome.out);
  }
  /// The numbers of the rows that are left.
  static std::string numbers(const Arguments& conditions) {
    Arguments options{"--columns", "number"};
    for (const std::string& condition : conditions) options.insert(options.end(), {"--where", condition});
    std::string text;
    for (const Json& row : json(options)) text += row.at("number").dump() + " ";
    return text;
  }

  inline static TemporaryDirectory* directory_ = nullptr;
};

TEST_F(ResultsTest, Where_ComparesNumbersTextAndSizes) {
  EXPECT_EQ(numbers({}), "1 2 3 4 5 6 7 8 9 10 11 12 ");
  EXPECT_EQ(numbers({"workload.message=1024"}), "3 4 9 10 ");
  EXPECT_EQ(numbers({"message=1KiB"}), "3 4 9 10 ");
  EXPECT_EQ(numbers({"message > 8", "replica=far"}), "4 6 10 12 ");
  EXPECT_EQ(numbers({"message>=1KiB", "message<4096"}), "3 4 9 10 ");
  EXPECT_EQ(numbers({"message!=8", "message<=1024", "workload.algorithm=binomial-torus"}), "9 10 ");
  EXPECT_EQ(numbers({"verified=true", "number<3"}), "1 2 ");
  EXPECT_EQ(numbers({"verified=false"}), "");
  EXPECT_EQ(numbers({"step_cycles!=[]", "number=1"}), "1 ");
  EXPECT_EQ(numbers({"replica<near", "number<5"}), "2 4 ");
  EXPECT_EQ(numbers({"error=null", "number<3"}), "1 2 ");
  EXPECT_EQ(numbers({"error!=null"}), "");
}

TEST(Results, RelationOfOrderToANumber_IsThatOfNumbers) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", sweep_text("  node.ports: [all, 2, 4]\n"));
  const std::string out = directory / "out";
  ASSERT_EQ(run_program({"sweep", file, "--out", out}).exit_code, 0);
  const auto numbers = [&](const std::string& condition) {
    const Outcome outcome =
        run_program({"results", out, "--columns", "number", "--where", condition, "--format", "csv"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const Outcome name = run_program({"results", out, "--baseline", "foo"});
  EXPECT_NE(
      name.err.find("--baseline: 'foo' is the name of a replica, and the sweep has none; write KEY=VALUE; "
                    "swept are node.ports"),
      std::string::npos)
      << name.err;
  EXPECT_EQ(numbers("ports>2"), "number\n3\n");
  EXPECT_EQ(numbers("ports<=2"), "number\n2\n");
  EXPECT_EQ(numbers("ports!=2"), "number\n1\n3\n");
}

TEST(Results, Fraction_IsComparedAsANumber) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", sweep_text("  link.cycles_per_flit: [2, 5/3, 1]\n"));
  const std::string out = directory / "out";
  ASSERT_EQ(run_program({"sweep", file, "--out", out}).exit_code, 0);
  const auto numbers = [&](const Arguments& options) {
    Arguments words{"results", out, "--columns", "number,cycles_per_flit", "--format", "csv"};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(words).out;
  };
  const std::string header = "number,link.cycles_per_flit\n";
  const std::string fraction = "2,1.6666666666666667\n";
  EXPECT_EQ(numbers({"--where", "cycles_per_flit=5/3"}), header + fraction);
  EXPECT_EQ(numbers({"--where", "cycles_per_flit>1", "--sort", "cycles_per_flit"}),
            header + fraction + "1,2\n");
  EXPECT_EQ(numbers({"--where", "cycles_per_flit<7/6"}), header + "3,1\n");
  EXPECT_EQ(numbers({"--where", "cycles_per_flit<1/2"}), header);
  EXPECT_EQ(numbers({"--where", "cycles_per_flit>2000/1500", "--where", "cycles_per_flit<2"}),
            header + fraction);
}

TEST_F(ResultsTest, Columns_KeepTheirOrder) {
  const Outcome csv = results({"--columns", "cycles,message,latency.mean,replica", "--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("cycles,workload.message,latency.mean,replica\n")) << csv.out;
  const Json all = json({"--columns", "all"});
  ASSERT_EQ(all.size(), 12U);
  for (const char* key :
       {"id", "number", "workload.algorithm", "node.ports", "link.delay", "status", "cycles",
        "stalls.no_credit", "latency.p99", "failed_checks", "stages", "host.seconds", "version"}) {
    EXPECT_TRUE(all[0].contains(key)) << key;
  }
  EXPECT_FALSE(all[0].contains("config"));
  EXPECT_TRUE(all[0].at("stages").is_array());
}

TEST_F(ResultsTest, Table_IsAligned) {
  const Outcome text = results({"--columns", "number,workload.algorithm,cycles", "--where", "number<=2"});
  std::istringstream lines(text.out);
  std::string header, first;
  std::getline(lines, header);
  std::getline(lines, first);
  EXPECT_EQ(header, "number  workload.algorithm  cycles");
  EXPECT_EQ(first.find("two-port-torus"), header.find("workload"));
  EXPECT_EQ(first.size(), header.size()) << "numbers end where their heading ends";
}

TEST_F(ResultsTest, Baseline_RatiosAreToTheRunWithEqualOtherKeys) {
  // The ports go with the algorithm, so they need not agree.
  const Json rows = json({"--columns", "algorithm,message,replica,cycles,status", "--baseline",
                          "workload.algorithm=binomial-torus"});
  ASSERT_EQ(rows.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    const double base = rows[6 + i % 6].at("cycles");
    EXPECT_DOUBLE_EQ(rows[i].at("cycles/baseline"), rows[i].at("cycles").get<double>() / base);
    EXPECT_FALSE(rows[i].contains("status/baseline"));
    EXPECT_FALSE(rows[i].contains("workload.message/baseline"));
  }
  EXPECT_LT(rows[0].at("cycles/baseline"), 1);
}

TEST_F(ResultsTest, BaselineOfReplica_IsFoundByName) {
  const Json rows = json({"--columns", "cycles", "--baseline", "near", "--where", "replica=far"});
  const Json near = json({"--columns", "cycles", "--where", "replica=near"});
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(rows[i].at("cycles/baseline"),
                     rows[i].at("cycles").get<double>() / near[i].at("cycles").get<double>());
    EXPECT_GT(rows[i].at("cycles/baseline"), 1);
  }
}

TEST(Results, ReplicaNamedLikeAnotherValue_IsFound) {
  const TemporaryDirectory directory;
  const std::vector<std::string> names{"5", "4KiB", "true", "[2, 3]", "a, b"};
  std::string replicas = "  replicas:\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    replicas += fmt::format("    '{}': {{link.delay: {}}}\n", names[i], i + 1);
  const std::string file = directory.write("sweep.yaml", sweep_text(replicas));
  const std::string out = directory / "out";
  ASSERT_EQ(run_program({"sweep", file, "--out", out}).exit_code, 0);
  for (const std::string& name : names) {
    const Json rows = rows_of(out, {"--baseline", name, "--where", "replica=" + name});
    ASSERT_EQ(rows.size(), 1U) << name;
    EXPECT_EQ(rows[0].at("replica"), name);
    EXPECT_EQ(rows[0].at("cycles/baseline"), 1) << name;
    EXPECT_EQ(rows_of(out, {"--where", "replica!=" + name}).size(), names.size() - 1) << name;
  }
}

TEST_F(ResultsTest, BaselineOfAllKeys_IsOnePoint) {
  const Json rows =
      json({"--columns", "cycles", "--baseline", "algorithm=two-port-torus,message=8,replica=near"});
  ASSERT_EQ(rows.size(), 12U);
  for (const Json& row : rows) {
    EXPECT_DOUBLE_EQ(row.at("cycles/baseline"),
                     row.at("cycles").get<double>() / rows[0].at("cycles").get<double>());
  }
}

TEST_F(ResultsTest, BaselineWithoutValue_HasNoRatio) {
  const Json rows =
      json({"--columns", "stalls.vc_taken,cycles", "--baseline", "near", "--where", "number=2"});
  EXPECT_EQ(rows[0].at("stalls.vc_taken/baseline"), nullptr);
  EXPECT_TRUE(rows[0].at("cycles/baseline").is_number());
}

TEST_F(ResultsTest, Mistake_IsRefusedWithNearestName) {
  struct Case {
    Arguments options;
    std::string part;
  };
  const std::vector<Case> cases{
      {{"--columns", "cylces"}, "did you mean 'cycles'"},
      {{"--where", "cycles"}, "is no condition"},
      {{"--where", "cycels<3"}, "did you mean 'cycles'"},
      {{"--where", "cycles!3"}, "!="},
      {{"--format", "jsno"}, "did you mean 'json'"},
      {{"--baseline", "middle"}, "no run with 'middle'"},
      {{"--baseline", "router.buffer=3"}, "swept are"},
      {{"--baseline", "cycles=3"}, "swept are"},
      {{"--where", "cycles<1O"}, "'cycles<1O': character 8: '1O' is no number, and cycles has numbers"},
      {{"--where", "cycles<"}, "'cycles<': character 8: a value is missing"},
      {{"--where", "cycles < "}, "character 10: a value is missing"},
      {{"--where", "cycles<nan"}, "'cycles<nan': character 8: 'nan' is no number"},
      {{"--where", "cycles=1O"}, "character 8: '1O' is no number"},
      {{"--where", "cycles<true"}, "'true' is neither a number nor a text"},
      {{"--where", "replica<3"}, "character 9: 3 is a number, and replica has none"},
      {{"--baseline", "message=8,replica<3"}, "3 is a number, and replica has none"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(testing::PrintToString(each.options));
    const Outcome outcome = results(each.options);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.complaints().size(), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(each.part), std::string::npos) << outcome.err;
  }
}

/// Of traffic, every number is a column of its own, and `load` is the one that was swept.
TEST(Results, SweepOfTraffic_HasNoJsonOfNumbersAndPlainLoad) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("load.yaml",
                      "flitscope: 1\nname: load\ntopology: {kind: mesh, shape: [4, 4]}\n"
                      "workload: {traffic: uniform, message: 32, warmup: 100, measure: 500}\n"
                      "sweep:\n  workload.load: [0.05, 0.1]\n");
  const std::string out = directory / "out";
  ASSERT_EQ(run_program({"sweep", file, "--out", out}).exit_code, 0);
  const Outcome csv = run_program(
      {"results", out, "--where", "load<0.07", "--columns", "load,traffic.latency.mean", "--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("workload.load,traffic.latency.mean\n0.05,")) << csv.out << csv.err;
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 2);
  EXPECT_EQ(text_of(std::filesystem::path(out) / "results.csv").find("\"{"), std::string::npos);
}

TEST(Results, DirectoryWithoutStore_IsRefused) {
  const TemporaryDirectory directory;
  for (const auto& [name, reason] : {std::pair(directory.path().string(), "holds no results"),
                                     std::pair(std::string(directory / "none"), "no such directory")}) {
    const Outcome outcome = run_program({"results", name});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  }
  static_cast<void>(
      directory.write("results.sqlite", "These are not the bytes of a database, but they are long enough."));
  EXPECT_EQ(run_program({"results", directory.path()}).exit_code, 2);
}

TEST_F(ResultsTest, Pivot_HasRowAndColumnOfEachValue) {
  const Json rows = json({"--pivot", "message,workload.algorithm,cycles", "--where", "replica=near"});
  ASSERT_EQ(rows.size(), 3U);
  for (const Json& row : rows) {
    const std::string message = row.at("workload.message \\ workload.algorithm").dump();
    for (const char* const algorithm : {"two-port-torus", "binomial-torus"}) {
      const Json run =
          json({"--columns", "cycles", "--where", "replica=near", "--where", "message=" + message, "--where",
                std::string("workload.algorithm=") + algorithm});
      EXPECT_EQ(row.at(algorithm), run.at(0).at("cycles")) << message << algorithm;
    }
  }
}

TEST_F(ResultsTest, PivotCellOfSeveralExperiments_IsRefused) {
  const Outcome outcome = results({"--pivot", "message,workload.algorithm,cycles"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("2 runs have workload.message = 8 and workload.algorithm = two-port-torus: they "
                             "differ in replica, link.delay; choose with --where"),
            std::string::npos)
      << outcome.err;
  const Outcome diagonal = results({"--pivot", "replica,replica,cycles"});
  EXPECT_EQ(diagonal.exit_code, 2);
  EXPECT_NE(diagonal.err.find("--pivot: replica is both ROW and COLUMN; name two keys"), std::string::npos)
      << diagonal.err;
  EXPECT_EQ(results({"--pivot", "message,cycles"}).exit_code, 2);
  EXPECT_EQ(results({"--pivot", "message,workload.algorithm,nothing"}).exit_code, 2);
}

TEST_F(ResultsTest, TooManyConditions_AreRefused) {
  Arguments options;
  for (int i = 0; i < 2000; ++i) options.insert(options.end(), {"--where", "cycles>0"});
  const Outcome outcome = results(options);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("2000 conditions are more than 500"), std::string::npos) << outcome.err;
}

TEST_F(ResultsTest, Best_NamesFirstAndSecond) {
  const Json rows = json({"--best", "cycles", "--by", "replica,message"});
  ASSERT_EQ(rows.size(), 6U);
  for (const Json& row : rows) {
    const Json runs = json({"--columns", "cycles,workload.algorithm", "--where",
                            "replica=" + row.at("replica").get<std::string>(), "--where",
                            "message=" + row.at("workload.message").dump()});
    ASSERT_EQ(runs.size(), 2U);
    const std::size_t winner = runs[0].at("cycles") <= runs[1].at("cycles") ? 0 : 1;
    EXPECT_EQ(row.at("cycles"), runs[winner].at("cycles"));
    EXPECT_EQ(row.at("workload.algorithm"), runs[winner].at("workload.algorithm"));
    EXPECT_EQ(row.at("next"), runs[1 - winner].at("cycles"));
    EXPECT_EQ(row.at("next workload.algorithm"), runs[1 - winner].at("workload.algorithm"));
  }
  EXPECT_EQ(results({"--best", "cycles"}).exit_code, 2);
  EXPECT_EQ(results({"--best", "workload.algorithm", "--by", "message"}).exit_code, 2);
}

TEST_F(ResultsTest, BestOfMax_IsTheGreatest) {
  const Json least = json({"--best", "cycles", "--by", "replica,message"});
  const Json greatest = json({"--best", "cycles:max", "--by", "replica,message"});
  ASSERT_EQ(greatest.size(), 6U);
  for (std::size_t i = 0; i < greatest.size(); ++i) {
    const bool differs = !least[i].at("next").is_null();
    EXPECT_EQ(greatest[i].at("cycles"), differs ? least[i].at("next") : least[i].at("cycles"));
    EXPECT_EQ(greatest[i].at("next"), differs ? least[i].at("cycles") : Json());
    EXPECT_EQ(greatest[i].at("equal"), least[i].at("equal"));
    if (differs) {
      EXPECT_EQ(greatest[i].at("next workload.algorithm"), least[i].at("workload.algorithm"));
      EXPECT_LT(greatest[i].at("next/best"), 1);
    }
  }
}

TEST_F(ResultsTest, RankingWithoutDesigns_SaysWhy) {
  const auto note = [](const Arguments& options) {
    const Outcome outcome = results(options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.err;
  };
  const std::string none = "flitscope results: the table is empty: ";
  EXPECT_EQ(note({"--pareto", "cycles,network.wire_mm:max"}),
            none + "no run has a value of network.wire_mm\n");
  EXPECT_EQ(note({"--best", "network.wire_mm", "--by", "message"}),
            none + "no run has a value of network.wire_mm\n");
  EXPECT_EQ(note({"--pareto", "cycles,links", "--where", "number>1000"}), none + "there is no such run\n");
  EXPECT_EQ(note({"--pareto", "cycles,links"}), "");
}

/// Buffers that cover the round trip of their slots change nothing: for each delay of links three runs are
/// equal.
TEST(Results, Best_NamesEqualRuns) {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "sweep.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [8]}\nworkload: {algorithm: binomial-torus}\nsweep:\n"
      "  link.delay: [1, 3]\n  router.buffer: [16, 32, 64]\n");
  ASSERT_EQ(run_program({"sweep", file, "--out", directory / "out"}).exit_code, 0);
  const auto best = [&](const std::string& by) {
    const Outcome outcome =
        run_program({"results", directory / "out", "--best", "cycles", "--by", by, "--format", "json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json of_delays = best("link.delay");
  ASSERT_EQ(of_delays.size(), 2U);
  for (const Json& row : of_delays) {
    EXPECT_EQ(row.at("router.buffer"), 16);
    EXPECT_EQ(row.at("equal"), 2);
    EXPECT_EQ(row.at("as does router.buffer"), 32);
    EXPECT_TRUE(row.at("next").is_null()) << row;
  }
  const Json of_buffers = best("router.buffer");
  ASSERT_EQ(of_buffers.size(), 3U);
  for (const Json& row : of_buffers) {
    EXPECT_EQ(row.at("link.delay"), 1);
    EXPECT_EQ(row.at("equal"), 0);
    EXPECT_TRUE(row.at("as does link.delay").is_null()) << row;
    EXPECT_EQ(row.at("next link.delay"), 3);
  }
  const Outcome text = run_program({"results", directory / "out", "--best", "cycles", "--by", "link.delay"});
  EXPECT_NE(text.out.find("equal  as does router.buffer"), std::string::npos) << text.out;
}

/// Buffers, virtual channels and seeds of traffic.
class SeedsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    const std::string file = directory_->write(
        "sweep.yaml",
        "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
        "workload: {traffic: uniform, load: 0.4, message: 32, warmup: 100, measure: 300}\nsweep:\n"
        "  router.buffer: [4, 16]\n  router.virtual_channels: [1, 2]\n  workload.seed: [1, 2, 3]\n");
    ASSERT_EQ(run_program({"sweep", file, "--out", out()}).exit_code, 0);
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }
  static std::string out() { return *directory_ / "out"; }
  static Json json(Arguments options) {
    options.insert(options.begin(), {"results", out(), "--format", "json"});
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  /// The mean of the runs of a design.
  static double mean(const Json& design) {
    const Json cells = json({"--pivot", "buffer,virtual_channels,latency.mean", "--where",
                             "buffer=" + design.at("router.buffer").dump()});
    return cells.at(0).at(design.at("router.virtual_channels").dump());
  }

  inline static TemporaryDirectory* directory_ = nullptr;
};

TEST_F(SeedsTest, Best_AveragesRunsThatDifferInASeed) {
  const Json rows = json({"--best", "latency.mean", "--by", "buffer"});
  ASSERT_EQ(rows.size(), 2U);
  for (const Json& row : rows) {
    EXPECT_EQ(row.at("runs"), 3);
    EXPECT_EQ(row.at("latency.mean"), mean(row));
    const Json next{{"router.buffer", row.at("router.buffer")},
                    {"router.virtual_channels", row.at("next router.virtual_channels")}};
    EXPECT_EQ(row.at("next"), mean(next));
    EXPECT_NE(row.at("router.virtual_channels"), row.at("next router.virtual_channels"));
    EXPECT_FALSE(row.contains("next workload.seed"));
  }
}

TEST_F(SeedsTest, BestBySeed_HasTheRunsOfEach) {
  const Json rows = json({"--best", "latency.mean", "--by", "seed"});
  ASSERT_EQ(rows.size(), 3U);
  for (const Json& row : rows) EXPECT_EQ(row.at("runs"), 1);
}

TEST_F(SeedsTest, Pareto_AveragesRunsThatDifferInASeed) {
  const Json rows = json({"--pareto", "latency.mean,router.buffer"});
  ASSERT_GE(rows.size(), 1U);
  EXPECT_LE(rows.size(), 2U);
  for (const Json& row : rows) {
    EXPECT_EQ(row.at("runs"), 3);
    EXPECT_EQ(row.at("latency.mean"), mean(row));
  }
}

TEST_F(SeedsTest, Plot_HasUnitsAtItsAxes) {
  const std::string file = *directory_ / "plot.svg";
  const auto draw = [&](const std::string& keys) {
    json({"--pivot", keys, "--plot", file, "--force"});
    return text_of(file);
  };
  const std::string latency = draw("buffer,virtual_channels,latency.mean");
  EXPECT_NE(latency.find(">router.buffer (flits)<"), std::string::npos) << latency;
  EXPECT_NE(latency.find(">latency.mean (cycles)<"), std::string::npos) << latency;
  EXPECT_NE(draw("seed,number,traffic.accepted").find(">traffic.accepted (flits/node/cycle)<"),
            std::string::npos);
  EXPECT_NE(draw("buffer,virtual_channels,cycles").find(">cycles<"), std::string::npos);
}

/// Two runs that reach their limit in cycle 20, and four that complete later.
class FailedRunsTest : public testing::Test {
 protected:
  FailedRunsTest() {
    const std::string file =
        directory_.write("sweep.yaml",
                         "flitscope: 1\ntopology: {kind: torus, shape: [8]}\n"
                         "workload: {algorithm: all-gather-ring, message: 512}\nsweep:\n"
                         "  replicas: {short: {limits.cycles: 20}, complete: {}, slow: {link.delay: 3}}\n"
                         "  node.ports: [1, 2]\n");
    EXPECT_EQ(run_program({"sweep", file, "--out", out_}).exit_code, 5);
  }
  Json json(Arguments options) const {
    options.insert(options.begin(), {"results", out_, "--format", "json"});
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out.empty() ? "[]" : outcome.out);
  }

  TemporaryDirectory directory_;
  std::string out_ = directory_ / "out";
};

TEST_F(FailedRunsTest, Best_LeavesThemOut) {
  const Json rows = json({"--best", "cycles", "--by", "node.ports"});
  ASSERT_EQ(rows.size(), 2U);
  for (const Json& row : rows) {
    EXPECT_EQ(row.at("replica"), "complete") << row;
    EXPECT_EQ(row.at("next replica"), "slow") << row;
  }
}

TEST_F(FailedRunsTest, Pivot_NamesTheirStatus) {
  const Json rows = json({"--pivot", "replica,node.ports,cycles"});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("1"), "limit") << rows;
  EXPECT_GT(rows[1].at("1"), 20) << rows;
  EXPECT_EQ(json({"--pivot", "replica,node.ports,topology"})[0].at("1"), "ring of 8 nodes");
}

TEST_F(FailedRunsTest, Plot_HasNoPointOfThem) {
  const std::string file = directory_ / "plot.svg";
  json({"--pivot", "replica,node.ports,cycles", "--plot", file});
  const std::string svg = text_of(file);
  std::size_t points = 0;
  for (std::size_t at = svg.find("r=\"3\""); at != std::string::npos; at = svg.find("r=\"3\"", at + 1)) {
    ++points;
  }
  EXPECT_EQ(points, 4U);
}

TEST_F(FailedRunsTest, Baseline_GivesThemNoRatio) {
  const Json rows = json({"--columns", "cycles", "--baseline", "complete"});
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_TRUE(rows[0].at("cycles/baseline").is_null()) << rows;
  EXPECT_GT(rows[4].at("cycles/baseline"), 1) << rows;
  for (const Json& row : json({"--columns", "cycles", "--baseline", "short"})) {
    EXPECT_TRUE(row.at("cycles/baseline").is_null()) << row;
  }
}

/// One column of the rows.
Json column(const Json& rows, const std::string& name) {
  Json list = Json::array();
  for (const Json& row : rows) list.push_back(row.at(name));
  return list;
}

TEST_F(ResultsTest, Sort_OrdersNumbersBeforeTexts) {
  // As texts 1024 would come before 8.
  EXPECT_EQ(column(json({"--sort", "message,number:desc"}), "number"),
            Json({8, 7, 2, 1, 10, 9, 4, 3, 12, 11, 6, 5}));
  EXPECT_EQ(column(json({"--sort", "workload.message:desc,number"}), "number"),
            column(json({"--sort", "message:desc,number:asc"}), "number"));
  EXPECT_EQ(column(json({"--sort", "replica,workload.algorithm:desc,message:desc"}), "number"),
            Json({6, 4, 2, 12, 10, 8, 5, 3, 1, 11, 9, 7}));
  EXPECT_EQ(column(json({"--sort", "replica:asc", "--where", "message=8"}), "number"), Json({2, 8, 1, 7}))
      << "what is equal stays in its order";
  Json cycles =
      column(json({"--best", "cycles", "--by", "replica,message", "--sort", "cycles:desc"}), "cycles");
  EXPECT_TRUE(std::ranges::is_sorted(cycles, std::greater{})) << cycles;
  EXPECT_EQ(column(json({"--pivot", "message,workload.algorithm,cycles", "--where", "replica=near", "--sort",
                         "binomial-torus:desc"}),
                   "workload.message \\ workload.algorithm"),
            Json({4096, 1024, 8}));
}

TEST_F(ResultsTest, RepeatedSort_TakesColumnsWithCommas) {
  EXPECT_EQ(column(json({"--sort", "message", "--sort", "number:desc"}), "number"),
            Json({8, 7, 2, 1, 10, 9, 4, 3, 12, 11, 6, 5}));
  // Columns named by lists of cycles, most of which one run has.
  Arguments pivot{"--pivot", "number,step_cycles,cycles"};
  std::string last;
  const Json table = json(pivot);
  for (const auto& [name, value] : table[0].items()) {
    if (name.find(',') != std::string::npos && value.is_null()) last = name;
  }
  ASSERT_FALSE(last.empty()) << table[0];
  pivot.insert(pivot.end(), {"--sort", last + ":desc", "--sort", "number \\ step_cycles:desc"});
  const Json rows = json(pivot);
  EXPECT_TRUE(rows[0].at(last).is_number()) << rows;
  EXPECT_TRUE(rows.back().at(last).is_null()) << rows;
}

TEST_F(ResultsTest, SortByUnknownColumnOrOrder_IsRefused) {
  const Outcome unknown = results({"--columns", "number,cycles", "--sort", "cycle"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--sort: there is no column 'cycle'; did you mean 'cycles'?; rows are ordered "
                             "by columns that are printed"),
            std::string::npos)
      << unknown.err;
  const Outcome hidden = results({"--columns", "number,cycles", "--sort", "message"});
  EXPECT_EQ(hidden.exit_code, 2);
  const Outcome order = results({"--sort", "cycles:descending"});
  EXPECT_EQ(order.exit_code, 2);
  EXPECT_NE(order.err.find("--sort: the order of 'cycles' must be asc or desc, not 'descending'"),
            std::string::npos)
      << order.err;
}

TEST(SortRows, RowsWithoutValue_AreLast) {
  flitscope::Table table{{"a", "b"}, {{nullptr, 1}, {2.5, 2}, {"x", 3}, {10, 4}, {nullptr, 5}, {10, 6}}};
  const auto order = [&] {
    std::string text;
    for (const auto& row : table.rows) text += row[1].dump();
    return text;
  };
  sort_rows(table, {"a"});
  EXPECT_EQ(order(), "246315");
  sort_rows(table, {"a:desc", "b:desc"});
  EXPECT_EQ(order(), "364251");
}

TEST_F(ResultsTest, Markdown_HasSeparatorLine) {
  const Outcome outcome =
      results({"--columns", "number,replica", "--where", "number<3", "--format", "markdown"});
  EXPECT_EQ(outcome.out, "| number | replica |\n| --- | --- |\n| 1 | near |\n| 2 | far |\n");
}

TEST_F(ResultsTest, Pareto_ShowsRunsThatNoOtherIsBetterThan) {
  const Json front = json({"--pareto", "cycles,messages:max"});
  ASSERT_GE(front.size(), 1U);
  const Json all = json({"--columns", "cycles,messages"});
  for (const Json& one : front) {
    for (const Json& other : all) {
      const bool is_better = other["cycles"] <= one["cycles"] && other["messages"] >= one["messages"] &&
                             (other["cycles"] != one["cycles"] || other["messages"] != one["messages"]);
      EXPECT_FALSE(is_better) << one << " " << other;
    }
  }
  // What is not in the front is beaten by something in it.
  for (const Json& other : all) {
    const bool is_covered = std::ranges::any_of(front, [&](const Json& one) {
      return one["cycles"] <= other["cycles"] && one["messages"] >= other["messages"];
    });
    EXPECT_TRUE(is_covered) << other;
  }
  EXPECT_TRUE(std::ranges::is_sorted(front, {}, [](const Json& row) { return row["cycles"].get<int>(); }));
  EXPECT_TRUE(front[0].contains("workload.algorithm"));
}

TEST_F(ResultsTest, Pareto_TakesTheNetworksCost) {
  const Json front = json({"--pareto", "latency.mean,links"});
  ASSERT_GE(front.size(), 1U);
  for (const Json& row : front) EXPECT_EQ(row["network.links"], front[0]["network.links"]);
}

TEST(ColumnOf, NameWithoutDotsAndUnit_IsFound) {
  const std::vector<std::string> columns{"energy.per_byte_pJ", "energy.per_bit_hop_pJ", "latency.mean",
                                         "latency.mean_ns"};
  EXPECT_EQ(column_of("energy_per_byte", columns), "energy.per_byte_pJ");
  EXPECT_EQ(column_of("per_byte_pJ", columns), "energy.per_byte_pJ");
  EXPECT_EQ(column_of("latency_mean", columns), "latency.mean");
  EXPECT_THROW(column_of("energy", columns), InputError);
}

TEST_F(ResultsTest, ParetoOfOneObjective_IsRefused) {
  const Outcome outcome = results({"--pareto", "cycles"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--pareto needs two objectives"), std::string::npos) << outcome.err;
  const std::string text = results({"--pareto", "cycles,status"}).err;
  EXPECT_NE(text.find("is no number in run 1"), std::string::npos) << text;
}

}  // namespace
}  // namespace flitscope::test::results_test
