// Schedules of our own as a format: one on other nodes, several side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "model/error.h"
#include "sim/formats/schedule_file.h"
#include "tests/support/formats.h"

namespace flitscope::test::own_schedules_test {
namespace {

const Topology kMesh(TopologyKind::mesh, {4});
const Topology kRing(TopologyKind::torus, {6});

/// A line of a file; single quotes stand for double ones.
std::string line(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text + "\n";
}

std::string header(const std::string& rest, int version = 1) {
  return line("{'flitscope':'schedule','version':" + std::to_string(version) +
              ",'topology':{'kind':'mesh','shape':[2]},'ports':{'send':2,'receive':3},'routing':"
              "'dimension-order'," +
              rest + "}");
}

/// Chunk 0 from node 0 to node 1, which sends it back with what it adds.
const std::string kThereAndBack =
    header(
        "'algorithm':'back','steps':2,'messages':2,'chunks':[64,8],'initial':[[[0],[0]],[[1],[1]]],"
        "'goal':'everyone-has-everything'") +
    line("{'step':1,'src':[0],'dst':[1],'path':[[0,1,1]],'chunks':[0]}") +
    line("{'step':2,'src':[1],'dst':[0],'path':[[0,-1,1]],'chunks':[1],'control':3,'rearranged':5}");

/// A message with a kind, and a request behind it whose reply is counted; then one that waits for all.
const std::string kWaiting =
    header("'algorithm':'waits','steps':1,'messages':4,'chunks':[],'initial':[],'goal':[],'classes':['fast']",
           2) +
    line("{'step':1,'src':[1],'dst':[0],'path':[[0,-1,1]],'draw':5,'control':8,'kind':7,'id':1}") +
    line(
        "{'step':1,'src':[0],'dst':[1],'path':[[0,1,1]],'control':8,'wait':4,'id':2,"
        "'replies':{'path':[[0,-1,1]],'control':16,'class':'fast','kind':7,'id':3}}") +
    line(
        "{'step':1,'src':[0],'dst':[0],'path':[],'control':8,"
        "'after':[1,[3,30]],'arrived':[[7,2]],'wait':9}");

/// An all-reduce of two nodes.
const std::string kSum =
    header(
        "'algorithm':'sum','steps':2,'messages':2,'chunks':[32],'initial':[],'operands':[[[0],[0]],[[1],[0]"
        "]],'goal':'everyone-has-everything'",
        2) +
    line("{'step':1,'src':[1],'dst':[0],'path':[[0,-1,1]],'reduce':[0]}") +
    line("{'step':2,'src':[0],'dst':[1],'path':[[0,1,1]],'chunks':[0]}");

std::unique_ptr<Schedule> placed(const std::vector<std::string>& texts, const Topology& topology,
                                 const std::string& map = "identity") {
  std::vector<ImportFile> files;
  for (const std::string& text : texts) files.push_back({"file" + std::to_string(files.size()), text});
  ImportOptions options(topology);
  options.map = read_rank_map(map);
  return FormatRegistry::find("schedule")->read(files, options);
}

std::string as_file(Schedule& schedule) {
  std::ostringstream out;
  write_schedule(schedule, out);
  return out.str();
}

std::string refusal(const std::vector<std::string>& texts, const Topology& topology,
                    const std::string& map = "identity") {
  try {
    static_cast<void>(as_file(*placed(texts, topology, map)));
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "was read";
  return {};
}

TEST(OwnSchedules, OnTheirOwnNetwork_AreWrittenAsTheyWere) {
  const Topology own(TopologyKind::mesh, {2});
  EXPECT_EQ(as_file(*placed({kWaiting}, own)), kWaiting);
  // What every node has is listed: of several schedules it is not everything.
  const std::string listed = kThereAndBack;
  const std::size_t goal = listed.find("\"everyone-has-everything\"");
  EXPECT_EQ(as_file(*placed({kThereAndBack}, own)),
            std::string(listed).replace(goal, 25, "[[[0],[0,1]],[[1],[0,1]]]"));
}

TEST(OwnSchedules, OneOnOtherNodes_TakesShortestRoutesThere) {
  const auto schedule = placed({kThereAndBack}, kRing, "4,0");
  EXPECT_EQ(schedule->facts().algorithm, "back");
  EXPECT_EQ(problems_of(*schedule), "");
  const std::string text = as_file(*placed({kThereAndBack}, kRing, "4,0"));
  EXPECT_NE(text.find(R"({"step":1,"src":[4],"dst":[0],"path":[[0,1,2]],"chunks":[0]})"), std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          R"({"step":2,"src":[0],"dst":[4],"path":[[0,-1,2]],"chunks":[1],"control":3,"rearranged":5})"),
      std::string::npos)
      << text;
}

TEST(OwnSchedules, TwoSideBySide_HaveTheirOwnDataAndSteps) {
  const auto schedule = placed({kThereAndBack, kSum}, kMesh, "0,1,3,2");
  const ScheduleFacts& facts = schedule->facts();
  EXPECT_EQ(facts.algorithm, "back + sum");
  EXPECT_EQ(facts.steps, 2U);
  EXPECT_EQ(facts.messages, 4U);
  EXPECT_EQ(facts.collective.chunk_bytes, (std::vector<std::uint64_t>{64, 8, 32}));
  EXPECT_EQ(facts.collective.operands, (std::vector<Holding>{{2, {2}}, {3, {2}}}));
  EXPECT_EQ(facts.collective.goal, (std::vector<Holding>{{0, {0, 1}}, {1, {0, 1}}, {2, {2}}, {3, {2}}}));
  EXPECT_EQ(problems_of(*schedule), "");
  EXPECT_EQ(lines_of(*placed({kThereAndBack, kSum}, kMesh, "0,1,3,2")),
            (std::vector<std::string>{"1: 0 -> 1, 64 bytes", "1: 2 -> 3, 32 bytes", "2: 1 -> 0, 11 bytes",
                                      "2: 3 -> 2, 32 bytes"}));
}

TEST(OwnSchedules, WaitsOfTheSecond_AreForItsOwnMessages) {
  const auto schedule = placed({kThereAndBack, kWaiting}, kMesh);
  EXPECT_EQ(problems_of(*schedule), "");
  const auto again = placed({kThereAndBack, kWaiting}, kMesh);
  EXPECT_EQ(again->facts().classes, std::vector<std::string>{"fast"});
  Step step;
  ASSERT_TRUE(again->next(step));
  const auto messages = step.messages();
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_TRUE(step.reply_follows(messages[2]));
  EXPECT_EQ(step.message_class(messages[3]), 1U);
  EXPECT_EQ(step.kind(messages[3]), 7U);
  const auto waits = step.dependencies(messages[4]);
  EXPECT_EQ(std::vector(waits.begin(), waits.end()),
            (std::vector<Dependency>{{.message = message_id(1, 1), .wait = 9},
                                     {.message = message_id(1, 3), .wait = 39},
                                     {.message = 7, .wait = 9, .count = 2}}));
}

TEST(OwnSchedules, Search_PutsBothOnNeighbours) {
  const auto schedule = placed({kThereAndBack, kSum}, {TopologyKind::mesh, {2, 2}}, "search");
  for (Step step; schedule->next(step);) {
    for (const Message& message : step.messages()) {
      EXPECT_EQ(route_length(schedule->facts().topology, message.source, message.destination, message.route),
                1U);
    }
  }
}

TEST(OwnSchedules, MoreNodesThanTheNetworkHas_AreRefused) {
  EXPECT_EQ(refusal({kThereAndBack, kSum, kSum}, kMesh),
            "file0 with 2 more: has 6 ranks, but the linear array of 4 nodes has 4 nodes");
  EXPECT_EQ(refusal({kThereAndBack, kSum}, kMesh, "0,1,2"),
            "--map names 3 nodes, but file0 with 1 more has 4 ranks");
}

TEST(OwnSchedules, BrokenLine_IsRefusedWithItsFile) {
  const std::string broken = kSum + line("{'step':2,'src':[0],'dst':[9],'path':[],'chunks':[0]}");
  EXPECT_EQ(refusal({kThereAndBack, broken}, kMesh).substr(0, 8), "file1:4:");
}

TEST(OwnSchedules, ScheduleOfAGraphThatTheMachineIsNot_IsRefused) {
  const std::string graph = line(
      "{'flitscope':'schedule','version':1,'topology':{'kind':'graph','nodes':2,'digest':'00'},'ports':"
      "{'send':1,'receive':1},'routing':'up-down','algorithm':'a','steps':0,'messages':0,'chunks':[],"
      "'initial':[],'goal':[]}");
  EXPECT_NE(refusal({graph}, kMesh).find("can only be read with a configuration"), std::string::npos);
}

}  // namespace
}  // namespace flitscope::test::own_schedules_test
