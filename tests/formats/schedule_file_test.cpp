// Does a schedule that is written and read again stay the same schedule?
#include "sim/formats/schedule_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "model/error.h"
#include "model/graph.h"
#include "routers/routing/routing.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_schedules.h"

namespace flitscope::schedule_file_test {
namespace {

/// Port and class of virtual channels on every hop of a message.
std::vector<std::pair<unsigned, unsigned>> decisions(const ScheduleFacts& facts, const Message& message) {
  const Topology& topology = facts.topology;
  const auto routing = RoutingRegistry::find(facts.routing)->make(topology);
  routing->build_tables();
  Head head{message.destination, message.route, {}};
  routing->prepare(head, message.source);
  std::vector<std::pair<unsigned, unsigned>> hops;
  for (NodeId at = message.source; at != message.destination;) {
    const Candidate next = routing->first_candidate(at, {}, head);
    hops.emplace_back(next.port, next.channel_class);
    at = topology.neighbour(at, next.port).value();
  }
  return hops;
}

void expect_same_facts(const ScheduleFacts& a, const ScheduleFacts& b) {
  EXPECT_EQ(a.topology, b.topology);
  EXPECT_EQ(a.algorithm, b.algorithm);
  EXPECT_EQ(a.routing, b.routing);
  EXPECT_EQ(a.send_ports, b.send_ports);
  EXPECT_EQ(a.receive_ports, b.receive_ports);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.collective, b.collective);
  EXPECT_EQ(a.claimed_steps, b.claimed_steps);
  EXPECT_EQ(a.lower_bound_steps, b.lower_bound_steps);
  EXPECT_EQ(a.claimed_channel_load, b.claimed_channel_load);
  EXPECT_EQ(a.stages, b.stages);
}

void expect_same_messages(const ScheduleFacts& facts, const Step& a, const Step& b) {
  ASSERT_EQ(a.messages().size(), b.messages().size());
  for (std::size_t i = 0; i < a.messages().size(); ++i) {
    const Message& one = a.messages()[i];
    const Message& other = b.messages()[i];
    ASSERT_EQ(one.source, other.source);
    ASSERT_EQ(one.destination, other.destination);
    ASSERT_EQ(one.control_bytes, other.control_bytes);
    ASSERT_EQ(one.rearranged_bytes, other.rearranged_bytes);
    ASSERT_EQ(one.reduced_count, other.reduced_count);
    ASSERT_TRUE(std::ranges::equal(a.chunks(one), b.chunks(other)));
    ASSERT_EQ(route_name(facts.topology, one.source, one.destination, one.route),
              route_name(facts.topology, other.source, other.destination, other.route));
    ASSERT_EQ(decisions(facts, one), decisions(facts, other));
  }
}

/// Random holdings, chunks rising.
std::vector<Holding> random_holdings(RandomNumbers& random, NodeId nodes, ChunkId chunks) {
  std::vector<Holding> holdings(random.below(4));
  for (Holding& holding : holdings) {
    holding.node = random.below(nodes);
    for (ChunkId chunk = 0; chunk < chunks; ++chunk) {
      if (random.below(2) == 0) holding.chunks.push_back(chunk);
    }
  }
  return holdings;
}

ScheduleFacts random_facts(RandomNumbers& random) {
  std::vector<std::uint32_t> sides(1 + random.below(4));
  for (std::uint32_t& side : sides) side = 2 + random.below(4);
  ScheduleFacts facts({random.below(2) == 0 ? TopologyKind::torus : TopologyKind::mesh, sides});
  facts.algorithm = "random \"quoted\" \u00fc";
  facts.routing = random.below(2) == 0 ? "dimension-order" : "cyclic-dimension-order";
  facts.send_ports = 1 + random.below(8);
  facts.receive_ports = 1 + random.below(8);
  facts.collective.chunk_bytes.resize(random.below(6));
  for (auto& bytes : facts.collective.chunk_bytes)
    bytes = std::uint64_t{random.below(1000)} << random.below(30);
  const auto chunks = static_cast<ChunkId>(facts.collective.chunk_bytes.size());
  facts.collective.initial = random_holdings(random, facts.topology.nodes(), chunks);
  if (random.below(2) == 0) facts.collective.goal = random_holdings(random, facts.topology.nodes(), chunks);
  if (random.below(2) == 0) facts.claimed_steps = random.below(100);
  if (random.below(2) == 0) facts.lower_bound_steps = random.below(100);
  if (random.below(2) == 0) facts.claimed_channel_load = random.below(100);
  if (random.below(2) == 0) facts.stages = {{"first", 1, random.below(100)}, {"second", random.below(9), 9}};
  return facts;
}

/// Any schedule the format can express, illegal ones as well.
MemorySchedule random_schedule(RandomNumbers& random) {
  MemorySchedule schedule(random_facts(random));
  const Topology& topology = schedule.facts().topology;
  const auto known = static_cast<ChunkId>(schedule.facts().collective.chunk_bytes.size());
  const bool cyclic = schedule.facts().routing == "cyclic-dimension-order";
  for (std::uint32_t steps = random.below(6); steps > 0; --steps) {
    schedule.begin_step();
    for (std::uint32_t tries = random.below(20); tries > 0; --tries) {
      const NodeId source = random.below(topology.nodes());
      const NodeId destination = random.below(topology.nodes());
      Route route = cyclic ? Route::cyclic(random.below(topology.dimensions()), Sign{random.below(2) == 0})
                           : Route{0, static_cast<std::uint16_t>(random.below(65536))};
      if (!route_exists(topology, source, destination, route)) continue;
      if (random.below(8) == 0) route.draw = static_cast<std::uint8_t>(random.below(256));
      std::vector<ChunkId> chunks(known == 0 ? 0 : random.below(4));
      for (ChunkId& chunk : chunks) chunk = random.below(known);
      std::ranges::sort(chunks);
      chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
      schedule.add(source, destination, route, chunks, random.below(2) == 0 ? 0 : random.below(1000));
      if (random.below(4) == 0) schedule.rearrange(1 + random.below(1000));
    }
  }
  return schedule;
}

TEST(ScheduleFile, Reductions_AreVersionTwo) {
  ScheduleFacts facts = broadcast({TopologyKind::torus, {3}}, 2);
  facts.collective = {{8, 16}, {{0, {1}}}, std::vector<Holding>{{0, {0}}}, {{1, {0}}, {2, {0}}}, false};
  MemorySchedule schedule(facts);
  schedule.begin_step().reduce(1, 0, kMinus, {0}).reduce(2, 0, kPlus, {0}).add(0, 1, kPlus, {1});
  const std::string text =
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"torus","shape":[3]},)"
      R"("ports":{"send":2,"receive":2},"routing":"dimension-order","algorithm":"by-hand","steps":1,)"
      R"("messages":3,"chunks":[8,16],"initial":[[[0],[1]]],"operands":[[[1],[0]],[[2],[0]]],)"
      R"("goal":[[[0],[0]]]})"
      "\n"
      R"({"step":1,"src":[1],"dst":[0],"path":[[0,-1,1]],"reduce":[0]})"
      "\n"
      R"({"step":1,"src":[2],"dst":[0],"path":[[0,1,1]],"reduce":[0]})"
      "\n"
      R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[1]})"
      "\n";
  std::ostringstream out;
  write_schedule(schedule, out);
  EXPECT_EQ(out.str(), text);
  ScheduleFile file(std::make_unique<std::istringstream>(text), "two.jsonl");
  EXPECT_EQ(file.facts().collective, facts.collective);
  Step step;
  ASSERT_TRUE(file.next(step));
  expect_same_messages(facts, schedule.steps().front(), step);
}

TEST(ScheduleFile, OperandsEverywhere_AreRecognised) {
  ScheduleFacts facts = broadcast({TopologyKind::torus, {3}}, 2);
  facts.collective = {{8, 16}, {}, std::nullopt, {}, true};
  MemorySchedule schedule(facts);
  std::ostringstream out;
  write_schedule(schedule, out);
  ScheduleFile file(std::make_unique<std::istringstream>(out.str()), "all.jsonl");
  EXPECT_EQ(file.facts().collective, facts.collective);
}

TEST(ScheduleFile, MissingNodes_ListTheOtherOperands) {
  const Topology rest = Topology(TopologyKind::torus, {4}).without({{}, {1}});
  ScheduleFacts facts = broadcast(rest, 2);
  facts.collective = {{8}, {}, std::nullopt, {}, true};
  MemorySchedule schedule(facts);
  std::ostringstream out;
  write_schedule(schedule, out);
  EXPECT_NE(
      out.str().find(R"("operands":[[[0],[0]],[[2],[0]],[[3],[0]]],"goal":[[[0],[0]],[[2],[0]],[[3],[0]]])"),
      std::string::npos)
      << out.str();
  ScheduleFile file(std::make_unique<std::istringstream>(out.str()), "rest.jsonl", rest);
  EXPECT_EQ(file.facts().topology, rest);
  EXPECT_TRUE(file.facts().collective.operands_everywhere);
  // On the whole torus the other node has no part in it.
  ScheduleFile whole(std::make_unique<std::istringstream>(out.str()), "rest.jsonl");
  EXPECT_FALSE(whole.facts().collective.operands_everywhere);
  EXPECT_EQ(whole.facts().collective.operands.size(), 3U);
}

/// What reading this header and message says, without the name of the file.
std::string refusal_of(const std::string& version, const std::string& operands, const std::string& message) {
  const std::string text =
      R"({"flitscope":"schedule","version":)" + version +
      R"(,"topology":{"kind":"torus","shape":[3]},"ports":{"send":2,"receive":2},"routing":"dimension-order",)"
      R"("algorithm":"by-hand","steps":1,"messages":1,"chunks":[8,16],"initial":[],"goal":[])" +
      operands + "}\n" + R"({"step":1,"src":[1],"dst":[0],"path":[[0,-1,1]],)" + message + "}\n";
  try {
    ScheduleFile file(std::make_unique<std::istringstream>(text), "f");
    for (Step step; file.next(step);) continue;
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ScheduleFile, InvalidReductions_AreRefused) {
  const std::string operands = R"(,"operands":[[[1],[0]]])";
  EXPECT_EQ(refusal_of("2", operands, R"("reduce":[0])"), "nothing");
  EXPECT_EQ(refusal_of("1", operands, R"("reduce":[0])"),
            "f:1: \"operands\" belongs to version 2, but the header says 1");
  EXPECT_EQ(refusal_of("2", "", R"("reduce":[0])"),
            "f:2: \"reduce\" combines chunks, but the header has no \"operands\"");
  EXPECT_EQ(refusal_of("2", operands, R"("chunks":[1,0],"reduce":[0])"),
            "f:2: \"reduce[0]\" is chunk 0 once more; a message carries a chunk once");
  EXPECT_EQ(refusal_of("2", R"(,"operands":[[[1],[0]],[[1],[1]]])", R"("reduce":[0])"),
            "f:1: \"operands[1]\" lists [1] once more; a node is listed once");
}

TEST(ScheduleFile, WrittenFile_HasTheDocumentedForm) {
  MemorySchedule schedule = ring();
  ScheduleFacts& facts = schedule.edit();
  facts.claimed_steps = 1;
  facts.lower_bound_steps = 1;
  facts.claimed_channel_load = 1;
  facts.stages = {{"all", 1, 2}};
  schedule.begin_step().add(1, 0, {0, 1}, {}, 12).add(2, 0, {0, 0}, {0}, 4).rearrange(64);
  EXPECT_EQ(written(schedule),
            R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[3]},)"
            R"("ports":{"send":2,"receive":2},"routing":"dimension-order","algorithm":"by-hand","steps":2,)"
            R"("messages":4,"chunks":[64],"initial":[[[0],[0]]],"goal":"everyone-has-everything",)"
            R"("claimed_steps":1,"lower_bound_steps":1,"claimed_channel_load":1,)"
            R"("stages":[{"name":"all","first_step":1,"last_step":2}]})"
            "\n"
            R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0]})"
            "\n"
            R"({"step":1,"src":[0],"dst":[2],"path":[[0,-1,1]],"chunks":[0]})"
            "\n"
            R"({"step":2,"src":[1],"dst":[0],"path":[[0,-1,1]],"control":12})"
            "\n"
            R"({"step":2,"src":[2],"dst":[0],"path":[[0,1,1]],"chunks":[0],"control":4,"rearranged":64})"
            "\n");
}

TEST(ScheduleFile, RandomSchedules_ReadBackUnchanged) {
  RandomNumbers random(3);
  for (int round = 0; round < 400; ++round) {
    MemorySchedule schedule = random_schedule(random);
    const std::string text = written(schedule);
    ScheduleFile file = read_text(text);
    expect_same_facts(file.facts(), schedule.facts());
    const std::vector<Step> steps = all_steps(file);
    ASSERT_EQ(steps.size(), schedule.steps().size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      expect_same_messages(schedule.facts(), schedule.steps()[i], steps[i]);
    }
    ScheduleFile again = read_text(text);
    ASSERT_EQ(written(again), text);
    if (HasFailure()) FAIL() << text;
  }
}

TEST(ScheduleFile, PathInAnotherFirstDimension_KeepsItsVirtualChannels) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {3, 3}}, 1));
  schedule.edit().routing = "cyclic-dimension-order";
  schedule.begin_step().add(0, 1, Route::cyclic(1, Sign::plus));  // nothing to travel in dimension 1
  const std::string text = written(schedule);
  EXPECT_NE(text.find(R"("path":[[0,1,1]],"first_dimension":1,)"), text.npos) << text;
  ScheduleFile file = read_text(text);
  EXPECT_EQ(all_steps(file).at(0).messages()[0].route.first_dimension, 1);
}

/// Three networks of a torus, each with a class, that begin in dimension 0, 1 and 1.
const std::vector<MessageClass> kClassesOfNetworks{{"a", 1, 0, 0}, {"b", 2, 0, 1}, {"c", 4, 0, 2}};
Topology torus_in_networks() {
  return Topology(TopologyKind::torus, {3, 3, 3})
      .in_networks({{LinkDirections::both, 0}, {LinkDirections::both, 1}, {LinkDirections::both, 1}});
}

ScheduleFile read_for_networks(const std::string& text) {
  return {std::make_unique<std::istringstream>(text), "given.jsonl", torus_in_networks(), kClassesOfNetworks};
}

std::string file_for_networks(const std::string& routing, const std::string& messages) {
  return R"({"flitscope":"schedule","version":2,"topology":{"kind":"torus","shape":[3,3,3]},)"
         R"("ports":{"send":9,"receive":9},"routing":")" +
         routing + R"(","algorithm":"by-hand","steps":1,"messages":)" +
         std::to_string(std::ranges::count(messages, '\n')) +
         R"(,"chunks":[],"initial":[],"goal":[],"classes":["c","a"]})" + "\n" + messages;
}

const std::string kFromTwoToZero =
    R"({"step":1,"src":[0,0,0],"dst":[1,0,1],"path":[[2,1,1],[0,1,1]],"control":4)";
const std::string kFromOneToTwo =
    R"({"step":1,"src":[0,0,0],"dst":[0,1,1],"path":[[1,1,1],[2,1,1]],"control":4)";

TEST(ScheduleFileOfSeveralNetworks, Path_BeginsInFirstDimensionOfItsClassesNetwork) {
  ScheduleFile file = read_for_networks(
      file_for_networks("dimension-order", kFromOneToTwo + "}\n" + kFromOneToTwo + R"(,"class":"a"})" + "\n" +
                                               kFromTwoToZero + R"(,"class":"c"})" + "\n"));
  const Step step = all_steps(file).at(0);
  EXPECT_EQ(step.messages()[0].route.first_dimension, 0) << "of the machine's first class";
  EXPECT_EQ(step.messages()[1].route.first_dimension, 0);
  EXPECT_EQ(step.messages()[2].route.first_dimension, 1);

  ScheduleFile any = read_for_networks(file_for_networks(
      "cyclic-dimension-order", kFromOneToTwo + "}\n" + kFromTwoToZero + R"(,"class":"c"})" + "\n"));
  const Step of_any = all_steps(any).at(0);
  EXPECT_EQ(of_any.messages()[0].route.first_dimension, 1);
  EXPECT_EQ(of_any.messages()[1].route.first_dimension, 2);
}

TEST(ScheduleFileOfSeveralNetworks, PathInOrderOfAnotherNetwork_IsRefusedWithItsOwn) {
  ScheduleFile file = read_for_networks(file_for_networks("dimension-order", kFromTwoToZero + "}\n"));
  try {
    all_steps(file);
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "given.jsonl:2: \"path[1]\" travels dimension 0 after dimension 2; each dimension is travelled at "
        "most once, in cyclic order from dimension 0, the first of network 0");
  }
}

TEST(ScheduleFileOfSeveralNetworks, WrittenFile_IsReadAlikeWithAndWithoutThem) {
  MemorySchedule schedule(broadcast(torus_in_networks(), 9));
  schedule.edit().routing = "dimension-order";
  schedule.edit().classes = {"c", "a"};
  schedule.edit().waits = true;
  schedule.begin_step();
  for (const NodeId destination : {1U, 3U, 9U, 12U}) {
    schedule.add(0, destination, Route::cyclic(0, Sign::plus)).of_class(2);
    schedule.add(0, destination, Route::cyclic(1, Sign::plus)).of_class(1);
  }
  const std::string text = written(schedule);
  ScheduleFile of_networks = read_for_networks(text);
  ScheduleFile of_one = read_text(text);
  for (ScheduleFile* const file : {&of_networks, &of_one}) {
    const Step step = all_steps(*file).at(0);
    ASSERT_EQ(step.messages().size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(step.messages()[i].route.first_dimension, i % 2) << i << ": " << text;
    }
  }
}

TEST(ScheduleFile, StepsWithoutMessages_AreRead) {
  MemorySchedule schedule = ring();
  schedule.begin_step().begin_step().add(1, 0, {0, 1}).begin_step();
  ScheduleFile file = read_text(written(schedule));
  const std::vector<Step> steps = all_steps(file);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[1].messages().size(), 0U);
  EXPECT_EQ(steps[2].messages().size(), 1U);
  EXPECT_EQ(steps[3].messages().size(), 0U);
  Step step;
  EXPECT_FALSE(file.next(step));
}

TEST(ScheduleFile, CarriageReturnsAndBlankLines_AreAccepted) {
  MemorySchedule schedule = ring();
  std::string text = written(schedule);
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 3) text.replace(at, 1, "\r\n\n");
  text.resize(text.size() - 3);
  ScheduleFile file = read_text(text);
  EXPECT_EQ(all_steps(file).at(0).messages().size(), 2U);
}

TEST(ScheduleFile, RefusedRoute_IsReadAndFoundByTheChecker) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {3, 3}}, 1));
  schedule.edit().routing = "dimension-order";
  schedule.edit().collective.goal = std::vector<Holding>{};
  schedule.begin_step().add(0, 4, Route::cyclic(1, Sign::plus));
  ScheduleFile file = read_text(written(schedule));
  const CheckReport report = check_schedule(file);
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].kind, ViolationKind::routing);
}

TEST(ScheduleFile, ChunkThatTheSenderLacks_IsReadAndFoundByTheChecker) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {3}}, 1));
  schedule.begin_step().add(0, 1, kPlus).add(1, 2, kPlus);
  ScheduleFile file = read_text(written(schedule));
  EXPECT_EQ(check_schedule(file).violations.at(0).kind, ViolationKind::not_held);
}

TEST(ScheduleFile, File_IsReadFromDisk) {
  const std::string path = testing::TempDir() + "flitscope_schedule_file_test.jsonl";
  {
    std::ofstream out(path);
    MemorySchedule schedule = line();
    write_schedule(schedule, out);
  }
  ScheduleFile file(open_file(path), path);
  EXPECT_TRUE(check_schedule(file).legal);
  std::filesystem::remove(path);
}

TEST(ScheduleFile, InexpressibleSchedule_IsNotWritten) {
  MemorySchedule nowhere = ring();
  nowhere.begin_step().add(0, 7, kPlus);
  EXPECT_THROW(written(nowhere), ScheduleError);
  MemorySchedule across = line();
  across.begin_step().add(0, 1, kMinus);
  EXPECT_THROW(written(across), ScheduleError);
  MemorySchedule miscounted = line();
  miscounted.edit().messages = 2;
  EXPECT_THROW(written(miscounted), ScheduleError);
}

TEST(ScheduleFile, FailingStream_IsAnOutputError) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  MemorySchedule schedule = ring();
  EXPECT_THROW(write_schedule(schedule, out), OutputError);
}

}  // namespace
}  // namespace flitscope::schedule_file_test
