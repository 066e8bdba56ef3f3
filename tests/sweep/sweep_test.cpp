// The runs of a sweep: values, ranges, groups, replicas, exclusions, repeats, and their names.
#include "sim/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/error.h"
#include "tests/support/small_schedules.h"
#include "tests/support/sweeps.h"

namespace flitscope::test::sweep_test {
namespace {

using Json = nlohmann::ordered_json;

Sweep sweep_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const TemporaryDirectory directory;
  return Sweep(directory.write("sweep.yaml", text), overrides);
}

/// One column of all runs.
Json column(const Sweep& sweep, const std::string& key) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < sweep.runs().size(); ++i) cells.push_back(sweep.labels(i).at(key));
  return cells;
}

std::vector<std::string> ids(const Sweep& sweep) {
  std::vector<std::string> all;
  for (const SweepRun& run : sweep.runs()) all.push_back(run.id);
  return all;
}

Json values_of(const std::string& key, const std::string& values) {
  return column(sweep_of(sweep_text("  " + key + ": " + values + "\n")), key);
}

TEST(Sweep, Axes_AreCrossedWithLastFastest) {
  const Sweep sweep =
      sweep_of(sweep_text("  topology.shape: [[5, 5], [3, 4]]\n  workload.message: [64, 1KiB, 8]\n"));
  EXPECT_EQ(column(sweep, "topology.shape").dump(), "[[5,5],[5,5],[5,5],[3,4],[3,4],[3,4]]");
  EXPECT_EQ(column(sweep, "workload.message").dump(), "[64,1024,8,64,1024,8]");
  EXPECT_EQ(column(sweep, "number").dump(), "[1,2,3,4,5,6]");
  for (std::size_t i = 0; i < 6; ++i) {
    const ExperimentConfig config = sweep.config(sweep.runs()[i]);
    EXPECT_EQ(config.topology.nodes(), i < 3 ? 25U : 12U);
    EXPECT_EQ(Json(config.workload.parameters.bytes("message")), sweep.labels(i).at("workload.message"));
    EXPECT_EQ(config.workload.algorithm->name, "two-port-torus");
  }
}

TEST(Sweep, NetworkOfManyRuns_IsMadeOnce) {
  const Sweep sweep = sweep_of(
      "flitscope: 1\n"
      "topology: {kind: k-ary-n-tree, k: 2, n: 2}\n"
      "workload: {traffic: uniform, load: 0.1, message: 64}\n"
      "sweep: {topology.n: [2, 3], workload.load: [0.1, 0.2]}\n");
  const auto graph = [&](std::size_t run) { return sweep.config(sweep.runs()[run]).topology.graph(); };
  EXPECT_EQ(graph(0), graph(1));
  EXPECT_EQ(graph(2), graph(3));
  EXPECT_NE(graph(0), graph(2));
}

TEST(Sweep, RunLimits_AreReadFromMapPathOrOption) {
  const auto settings = [](const std::string& sweep, const std::vector<std::string>& overrides = {}) {
    return sweep_of(sweep_text("  repeat: 1\n" + sweep), overrides).settings();
  };
  EXPECT_EQ(settings("  run: {time: 90s}\n").run.milliseconds, 90'000U);
  EXPECT_EQ(settings("  run.time: 90s\n  slurm.at_once: 7\n").run.milliseconds, 90'000U);
  EXPECT_EQ(settings("  run.time: 90s\n  slurm.at_once: 7\n").slurm.at_once, 7U);
  for (const std::string file : {"", "  run: {time: 2s}\n", "  run.time: 2s\n"}) {
    EXPECT_EQ(settings(file, {"sweep.run.time=90s"}).run.milliseconds, 90'000U) << file;
  }
  EXPECT_EQ(settings("  run.time: 2s\n", {"sweep.run.time=null"}).run.milliseconds, 0U);
}

TEST(Sweep, Axes_CanBeSetByOverride) {
  const auto values = [](const std::string& sweep) {
    return column(sweep_of(sweep_text(sweep), {"sweep.workload.message=[8, 16]"}), "workload.message").dump();
  };
  EXPECT_EQ(values("  workload.message: [64]\n"), "[8,16]");
  EXPECT_EQ(values("  repeat: 1\n"), "[8,16]");
}

TEST(Sweep, NoAxes_AreOneRun) {
  EXPECT_EQ(sweep_of(sweep_text("  repeat: 1\n")).runs().size(), 1U);
}

TEST(Sweep, Ranges_HaveStepsFactorsAndUnits) {
  EXPECT_EQ(values_of("router.buffer", "{from: 2, to: 8, step: 3}").dump(), "[2,5,8]");
  EXPECT_EQ(values_of("router.buffer", "{from: 2, to: 7, step: 3}").dump(), "[2,5]");
  EXPECT_EQ(values_of("workload.message", "{from: 64, to: 1KiB, times: 4}").dump(), "[64,256,1024]");
  EXPECT_EQ(values_of("workload.message", "{from: 1KiB, to: 2KiB, step: 512}").dump(), "[1024,1536,2048]");
  EXPECT_EQ(values_of("workload.message", "{from: 100, to: 230, times: 1.5}").dump(), "[100,150,225]");
  EXPECT_EQ(values_of("workload.message", "{from: '64B', to: '1KiB', times: 4}").dump(), "[64,256,1024]");
  EXPECT_EQ(values_of("router.buffer", "{from: 1, to: 4, times: 1.2}").dump(), "[1,2,3,4]")
      << "whole numbers that coincide count once";
  const Sweep timed =
      sweep_of("clock: 1ns\n" + sweep_text("  node.startup: {from: 1us, to: 2us, step: 500ns}\n"));
  EXPECT_EQ(column(timed, "node.startup").dump(), "[1000,1500,2000]");
}

TEST(Sweep, ZippedKeys_MoveTogether) {
  const Sweep sweep =
      sweep_of(sweep_text("  zip:\n"
                          "    - {node.ports: [all, 1], node.startup: [5, 7]}\n"
                          "    - {router.buffer: [2, 3], link.delay: [1, 4]}\n"));
  EXPECT_EQ(column(sweep, "node.ports").dump(), R"(["all","all",1,1])");
  EXPECT_EQ(column(sweep, "node.startup").dump(), "[5,5,7,7]");
  EXPECT_EQ(column(sweep, "router.buffer").dump(), "[2,3,2,3]");
  EXPECT_EQ(column(sweep, "link.delay").dump(), "[1,4,1,4]");
  EXPECT_EQ(sweep.swept(), (SweptAxes{{"node.ports", "node.startup"}, {"router.buffer", "link.delay"}}));
}

TEST(Sweep, ValueThatIsAMap_IsOneColumn) {
  const Sweep sweep = sweep_of(
      "flitscope: 1\n"
      "topology: {kind: torus, shape: [4, 4, 4]}\n"
      "workload: {algorithm: chen-multinode, h: 2}\n"
      "sweep: {workload.sources: [{count: 3, seed: 1}, {fraction: 0.5, seed: 2}, all]}\n");
  EXPECT_EQ(sweep.swept(), SweptAxes{{"workload.sources"}});
  EXPECT_EQ(column(sweep, "workload.sources").dump(),
            R"(["{count: 3, seed: 1}","{fraction: 0.5, seed: 2}","all"])");
}

TEST(Sweep, Replicas_HaveNamesAndKeepOtherValues) {
  const Sweep sweep =
      sweep_of(sweep_text("  replicas: {plain: {}, far: {workload.source: [4, 4], link.delay: 9}}\n"));
  EXPECT_EQ(column(sweep, "replica").dump(), R"(["plain","far"])");
  EXPECT_EQ(column(sweep, "workload.source").dump(), R"(["origin","[4, 4]"])");
  EXPECT_EQ(column(sweep, "link.delay").dump(), "[1,9]");
}

TEST(Sweep, KeyThatSetsOthers_HasItsValueInTheRuns) {
  const Sweep sweep = sweep_of(sweep_text("  router.preset: [garnet, merlin, null]\n"));
  EXPECT_EQ(column(sweep, "router.preset").dump(), R"(["garnet","merlin",null])");
}

TEST(Sweep, ListOfMaps_IsALabel) {
  const std::string head = "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\n";
  const Sweep list =
      sweep_of(head +
               "workload: {warmup: 20}\n"
               "sweep: {workload.classes: [[{traffic: uniform}], [{traffic: tornado, load: 0.1}]]}\n");
  EXPECT_EQ(column(list, "workload.classes").dump(),
            R"(["[{traffic: uniform}]","[{traffic: tornado, load: 0.1}]"])");
  const Sweep section = sweep_of(
      head + "sweep: {workload: [{classes: [{traffic: uniform}]}, {classes: [{traffic: tornado}]}]}\n");
  EXPECT_EQ(column(section, "workload.classes").dump(), R"(["[{traffic: uniform}]","[{traffic: tornado}]"])");
}

TEST(Sweep, WholeSection_IsAValue) {
  const Sweep sweep = sweep_of(
      sweep_text("  workload: [{algorithm: two-port-torus, message: 8}, {algorithm: binomial-torus}]\n"));
  EXPECT_EQ(column(sweep, "workload.algorithm").dump(), R"(["two-port-torus","binomial-torus"])");
  EXPECT_EQ(column(sweep, "workload.message").dump(), "[8,64]");
}

TEST(Sweep, Exclude_TakesValueRelationAndSeveralConditions) {
  const std::string axes = "  router.buffer: [1, 2, 4, 8]\n  node.ports: [all, 1]\n";
  const auto left = [&](const std::string& exclude) {
    const Sweep sweep = sweep_of(sweep_text(axes + "  exclude: " + exclude + "\n"));
    EXPECT_EQ(sweep.runs().size() + sweep.excluded(), 8U);
    std::string text;
    for (std::size_t i = 0; i < sweep.runs().size(); ++i) {
      const Json labels = sweep.labels(i);
      text += labels.at("router.buffer").dump() + (labels.at("node.ports") == 1 ? "p " : " ");
    }
    return text;
  };
  EXPECT_EQ(left("[{node.ports: 1}]"), "1 2 4 8 ");
  EXPECT_EQ(left("[{node.ports: 1, router.buffer: 2}]"), "1 1p 2 4 4p 8 8p ");
  EXPECT_EQ(left("[{router.buffer: {above: 2}}]"), "1 1p 2 2p ");
  EXPECT_EQ(left("[{router.buffer: {at_least: 2}}]"), "1 1p ");
  EXPECT_EQ(left("[{router.buffer: {below: 4}}]"), "4 4p 8 8p ");
  EXPECT_EQ(left("[{router.buffer: {at_most: 4}}]"), "8 8p ");
  EXPECT_EQ(left("[{router.buffer: {not: 4}}]"), "4 4p ");
  EXPECT_EQ(left("[{router.buffer: {one_of: [1, 8]}}, {node.ports: all}]"), "2p 4p ");
  EXPECT_EQ(left("[{node.ports: {at_least: 1}}]"), "1 2 4 8 ") << "'all' is not at least 1";
}

TEST(Sweep, ExcludedSection_IsComparedByItsKeys) {
  const auto left = [](const std::string& exclude) {
    const Sweep sweep = sweep_of(
        sweep_text("  topology: [{kind: torus, shape: [4, 4]}, {kind: mesh, shape: [4, 4]}, {kind: mesh, "
                   "shape: [8, 8]}, {kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}]\n"
                   "  workload: [{algorithm: broadcast-binomial, message: 8}]\n"
                   "  exclude: " +
                   exclude + "\n"));
    std::string text;
    for (const auto& run : sweep.runs()) text += sweep.config(run).topology.name() + "; ";
    return text;
  };
  const std::string torus = "4x4 torus; ";
  const std::string dragonfly = "dragonfly of 3 groups and 6 nodes; ";
  EXPECT_EQ(left("[{topology: {not: {kind: mesh, shape: [4, 4]}}}]"), "4x4 mesh; ");
  EXPECT_EQ(left("[{topology: {not: {kind: mesh}}}]"), "4x4 mesh; 8x8 mesh; ");
  EXPECT_EQ(left("[{topology: {one_of: [{kind: mesh, shape: [8, 8]}, {kind: dragonfly, p: 1}]}}]"),
            torus + "4x4 mesh; ");
  EXPECT_EQ(left("[{topology: {one_of: [{p: 2}, {shape: [4, 4]}]}}]"), "8x8 mesh; " + dragonfly);
  EXPECT_EQ(left("[{topology.p: {at_most: 1}}]"), torus + "4x4 mesh; 8x8 mesh; ");
}

TEST(Sweep, ExcludedValues_AreReadWithUnits) {
  const Sweep sweep =
      sweep_of(sweep_text("  workload.message: [1024, 2048]\n"
                          "  workload.source: [origin, [1, 1]]\n"
                          "  exclude: [{workload.message: 1KiB, workload.source: [0, 0]}]\n"));
  EXPECT_EQ(sweep.runs().size(), 3U);
  EXPECT_EQ(sweep.excluded(), 1U);
}

TEST(Sweep, ExcludedParameterOfAnotherAlgorithm_ExcludesNothing) {
  const Sweep sweep = sweep_of(sweep_text("  repeat: 2\n  exclude: [{link.delay: 2}]\n"));
  EXPECT_EQ(sweep.runs().size(), 2U);
  EXPECT_EQ(sweep.idle_exclusions().size(), 1U);
}

TEST(Sweep, MessageSizeOfTraffic_IsANumber) {
  const std::string text =
      "flitscope: 1\n"
      "topology: {kind: mesh, shape: [3]}\n"
      "workload: {traffic: uniform}\n"
      "sweep:\n"
      "  workload.message: [64, 1KiB, {8: 1}, {8: 0.5, 16: 0.5}]\n";
  EXPECT_EQ(column(sweep_of(text), "workload.message").dump(), R"([64,1024,8,"{8: 0.5, 16: 0.5}"])");
  const auto left = [&](const std::string& condition) {
    return column(sweep_of(text + "  exclude: [{workload.message: " + condition + "}]\n"), "workload.message")
        .dump();
  };
  EXPECT_EQ(left("{above: 64}"), R"([64,8,"{8: 0.5, 16: 0.5}"])");
  EXPECT_EQ(left("{one_of: [8, 1KiB]}"), R"([64,"{8: 0.5, 16: 0.5}"])");
  EXPECT_EQ(left("{not: {8: 0.5, 16: 0.5}}"), R"(["{8: 0.5, 16: 0.5}"])");
}

TEST(Sweep, Fraction_IsANumber) {
  const std::string text = sweep_text("  link.cycles_per_flit: [1, 3/2, 2, 5/2]\n");
  EXPECT_EQ(column(sweep_of(text), "link.cycles_per_flit").dump(), "[1,1.5,2,2.5]");
  const Sweep slow = sweep_of(text + "  exclude: [{link.cycles_per_flit: {below: 3/2}}]\n");
  EXPECT_EQ(column(slow, "link.cycles_per_flit").dump(), "[1.5,2,2.5]");
}

TEST(Sweep, Repeats_AreAdjacent) {
  const Sweep sweep = sweep_of(sweep_text("  workload.message: [8, 16]\n  repeat: 3\n"));
  EXPECT_EQ(column(sweep, "repeat").dump(), "[1,2,3,1,2,3]");
  EXPECT_EQ(column(sweep, "workload.message").dump(), "[8,8,8,16,16,16]");
  EXPECT_EQ(sweep.runs()[1].id, sweep.runs()[0].id + "-2");
  const auto all = ids(sweep);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 6U);
}

TEST(RunId, SameExperiment_HasTheSameId) {
  const Sweep plain = sweep_of(sweep_text("  workload.message: [64, 512]\n  node.ports: [all, 1]\n"));
  // Another order of axes and values, comments, units, defaults written out, another name, more runs.
  const Sweep edited = sweep_of(
      "# a comment\n"
      "flitscope: 1\n"
      "name: renamed\n"
      "router: {buffer: 8}\n"
      "workload: {algorithm: two-port-torus, source: origin}\n"
      "topology: {shape: [5, 5], kind: torus}\n"
      "sweep:\n"
      "  node.ports: [1, all, 2]\n"
      "  workload.message: [512B, 64]\n"
      "  repeat: 2\n");
  const auto before = ids(plain);
  const auto after = ids(edited);
  for (const std::string& id : before) EXPECT_EQ(std::ranges::count(after, id), 1) << id;
}

TEST(RunId, ChangedKey_ChangesId) {
  std::set<std::string> seen;
  for (const char* const change : {"router.buffer=9", "router.delay=2", "link.delay=2", "node.startup=1",
                                   "node.flit_bytes=4", "workload.message=65", "workload.source=[1,0]",
                                   "topology.shape=[5,6]", "topology={kind: torus, shape: [25]}",
                                   "workload.algorithm=binomial-torus", "limits.cycles=5", "clock=1ns"}) {
    EXPECT_TRUE(seen.insert(ids(sweep_of(sweep_text("  repeat: 1\n"), {change})).front()).second) << change;
  }
  EXPECT_TRUE(seen.insert(ids(sweep_of(sweep_text("  repeat: 1\n"))).front()).second);
}

TEST(RunId, MovedScheduleFile_KeepsId) {
  const auto id_with = [](const std::string& schedule) {
    const TemporaryDirectory directory;
    static_cast<void>(directory.write("s.jsonl", schedule));
    const auto file = directory.write("sweep.yaml",
                                      "flitscope: 1\ntopology: {kind: torus, shape: [8]}\n"
                                      "workload: {schedule: s.jsonl}\nsweep: {repeat: 1}\n");
    return Sweep(file).runs().front().id;
  };
  const std::string text = text_of(shipped_config("deadlock-ring.jsonl"));
  EXPECT_EQ(id_with(text), id_with(text));
  EXPECT_NE(id_with(text), id_with(text + "\n"));
}

TEST(Sweep, FileNamedWithoutItsDirectory_HasSchedulesBesideIt) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write("s.jsonl", text_of(shipped_config("deadlock-ring.jsonl"))));
  static_cast<void>(directory.write("sweep.yaml",
                                    "flitscope: 1\ntopology: {kind: torus, shape: [8]}\n"
                                    "sweep: {workload.schedule: [s.jsonl]}\n"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const Json names = column(Sweep("sweep.yaml"), "workload.schedule");
  std::filesystem::current_path(before);
  EXPECT_EQ(names.dump(), R"(["s.jsonl"])");
}

TEST(PartsBetweenCommas, CommasWithinBracketsAndQuotes_BelongToAPart) {
  const auto parts = [](const char* text) { return parts_between_commas(text); };
  using Parts = std::vector<std::string>;
  EXPECT_EQ(parts("4,[4,4], {a: 1, b: 2}"), (Parts{"4", "[4,4]", " {a: 1, b: 2}"}));
  EXPECT_EQ(parts(R"("a,b",'c,"', "d\",e",f)"), (Parts{R"("a,b")", R"('c,"')", R"( "d\",e")", "f"}));
  EXPECT_EQ(parts("it's,no quote"), (Parts{"it's", "no quote"}));
  EXPECT_EQ(parts(R"("[,",g)"), (Parts{R"("[,")", "g"}));
}

}  // namespace
}  // namespace flitscope::test::sweep_test
