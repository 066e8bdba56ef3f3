// "id", "after" and "wait" of schedule files: written, read, refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/error.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_schedules.h"

namespace flitscope::waiting_file_test {
namespace {

constexpr std::uint64_t k11 = message_id(1, 0);
constexpr std::uint64_t k21 = message_id(2, 0);

std::vector<std::string> message_lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  lines.erase(lines.begin());
  return lines;
}

std::vector<Dependency> dependencies_of(const Step& step, std::size_t index) {
  const auto list = step.dependencies(step.messages()[index]);
  return {list.begin(), list.end()};
}

TEST(WaitingFile, CommonWait_IsWrittenOnce) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {8}}, 1));
  schedule.begin_step().add(0, 1, kPlus).announce();
  schedule.begin_step().add(0, 2, kPlus).wait({{k11, 0}}).announce();
  schedule.begin_step().add(0, 3, kPlus).wait({{k11, 7}, {k21, 7}});
  schedule.begin_step().add(0, 4, kPlus).wait({{k11, 7}, {k21, 9}});
  schedule.begin_step().add(0, 5, kPlus).wait({{0, 5}}).add(0, 6, kPlus).wait({{0, 5}, {k11, 6}});
  schedule.add(0, 7, kMinus).wait({{k11, 2}, {k21, 2, true}});
  const std::string text = written(schedule);
  EXPECT_NE(text.find("\"version\":2"), std::string::npos);
  EXPECT_EQ(
      message_lines_of(text),
      (std::vector<std::string>{
          R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0],"id":1})",
          R"({"step":2,"src":[0],"dst":[2],"path":[[0,1,2]],"chunks":[0],"after":[1],"id":2})",
          R"({"step":3,"src":[0],"dst":[3],"path":[[0,1,3]],"chunks":[0],"after":[1,2],"wait":7})",
          R"({"step":4,"src":[0],"dst":[4],"path":[[0,1,4]],"chunks":[0],"after":[1,[2,2]],"wait":7})",
          R"({"step":5,"src":[0],"dst":[5],"path":[[0,1,5]],"chunks":[0],"wait":5})",
          R"({"step":5,"src":[0],"dst":[6],"path":[[0,1,6]],"chunks":[0],"after":[0,[1,1]],"wait":5})",
          R"({"step":5,"src":[0],"dst":[7],"path":[[0,-1,1]],"chunks":[0],"after":[1],"behind":[2],"wait":2})"}));
  ScheduleFile file = read_text(text);
  const std::vector<Step> steps = all_steps(file);
  EXPECT_EQ(dependencies_of(steps[3], 0), (std::vector<Dependency>{{k11, 7}, {k21, 9}}));
  EXPECT_EQ(dependencies_of(steps[4], 0), (std::vector<Dependency>{{0, 5}}));
  EXPECT_EQ(dependencies_of(steps[4], 1), (std::vector<Dependency>{{0, 5}, {k11, 6}}));
}

TEST(WaitingFile, Dependencies_ReadBackUnchanged) {
  RandomNumbers random(7);
  for (unsigned round = 0; round < 50; ++round) {
    MemorySchedule schedule(broadcast({TopologyKind::torus, {8}}, 1));
    std::vector<std::uint64_t> earlier{0};
    for (std::uint64_t step = 1; step <= 6; ++step) {
      schedule.begin_step();
      for (std::uint64_t index = 0, count = random.below(4); index < count; ++index) {
        schedule.add(random.below(4), 4 + random.below(4), kPlus);
        std::vector<Dependency> dependencies(random.below(4));
        for (Dependency& each : dependencies) {
          each = {earlier[random.below(static_cast<std::uint32_t>(earlier.size()))], random.below(3)};
          each.sent = each.message != 0 && random.below(3) == 0;
        }
        std::ranges::stable_partition(dependencies, [](const Dependency& each) { return !each.sent; });
        // To wait for nothing until the beginning is not to wait.
        if (dependencies != std::vector<Dependency>{{0, 0}}) schedule.wait(dependencies);
        if (random.below(2) == 0) {
          schedule.announce();
          earlier.push_back(message_id(step, index));
        }
      }
    }
    schedule.edit().waits = true;
    const std::string text = written(schedule);
    ScheduleFile file = read_text(text);
    const std::vector<Step> steps = all_steps(file);
    ASSERT_EQ(steps.size(), schedule.steps().size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ASSERT_TRUE(std::ranges::equal(steps[i].awaited(), schedule.steps()[i].awaited()));
      for (std::size_t k = 0; k < steps[i].messages().size(); ++k) {
        EXPECT_EQ(dependencies_of(steps[i], k), dependencies_of(schedule.steps()[i], k));
      }
    }
    ScheduleFile again = read_text(text);
    EXPECT_EQ(written(again), text);
  }
}

TEST(WaitingFile, Ids_NeedNoOrder) {
  const std::string header =
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"mesh","shape":[4]},"ports":{"send":1,"receive":1},)"
      R"("routing":"dimension-order","algorithm":"a","steps":2,"messages":2,"chunks":[8],)"
      R"("initial":[[[0],[0]]],"goal":[]})";
  ScheduleFile file = read_text(
      header + "\n" + R"({"id":900,"step":2,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0]})" + "\n" +
      R"({"after":[900],"id":3,"step":2,"src":[0],"dst":[2],"path":[[0,1,2]],"chunks":[0]})" + "\n");
  const std::vector<Step> steps = all_steps(file);
  EXPECT_EQ(dependencies_of(steps[1], 1), (std::vector<Dependency>{{message_id(2, 0), 0}}));
}

TEST(WaitingFile, KindsClassesAndReplies_ReadBackUnchanged) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
  schedule.edit().classes = {"request", "reply"};
  schedule.begin_step().add(0, 2, kPlus, {}, 8).of_class(1).reply(64, 100).of_class(2).kind(3).announce();
  schedule.add(0, 0, kPlus, {}, 8).reply(64).kind(3);
  schedule.add(0, 1, kPlus).wait({{k11 + 1, 4}, {3, 9, false, 2}});
  const std::string text = written(schedule);
  EXPECT_NE(text.find(R"("classes":["request","reply"])"), std::string::npos);
  EXPECT_EQ(
      message_lines_of(text),
      (std::vector<std::string>{
          R"({"step":1,"src":[0],"dst":[2],"path":[[0,1,2]],"control":8,"class":"request","id":1,"replies":{"path":[[0,-1,2]],"control":64,"class":"reply","kind":3,"wait":100,"id":2}})",
          R"({"step":1,"src":[0],"dst":[0],"path":[],"control":8,"id":3,"replies":{"path":[],"control":64,"kind":3}})",
          R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0],"after":[2],"arrived":[[3,2,5]],"wait":4})"}));
  ScheduleFile file = read_text(text);
  EXPECT_EQ(written(file), text);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    try {
      ScheduleFile wrong = read_text(changed);
      static_cast<void>(all_steps(wrong));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_NE(refused(R"("class":"request")", R"("class":"other")").find("none of the header's"),
            std::string::npos);
  EXPECT_NE(refused(R"([[3,2,5]])", R"([[3]])").find("[kind, number]"), std::string::npos);
  EXPECT_NE(refused(R"("request","reply")", R"("reply","reply")").find("is there twice"), std::string::npos);
  EXPECT_NE(refused(R"("version":2)", R"("version":1)").find("version 2"), std::string::npos);
}

TEST(WaitingFile, Reply_IsAMessageBackThatWaitsForItsRequest) {
  const std::string header =
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"mesh","shape":[4]},"ports":{"send":1,"receive":1},)"
      R"("routing":"dimension-order","algorithm":"a","steps":1,"messages":MESSAGES,"chunks":[8],)"
      R"("initial":[[[0],[0]]],"goal":[]})";
  const auto with = [&](const std::string& messages, const std::string& lines) {
    std::string text = header + "\n" + lines;
    return text.replace(text.find("MESSAGES"), 8, messages);
  };
  const std::string request = R"({"step":1,"src":[0],"dst":[2],"path":[[0,1,2]],"chunks":[0],"replies":)";
  ScheduleFile file = read_text(with(
      "4",
      request + R"({"path":[[0,-1,2]],"control":64,"wait":100,"id":5}})" + "\n" +
          R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0],"after":[5],"replies":{"path":[[0,-1,1]],)"
          R"("chunks":[0]}})" +
          "\n"));
  const std::vector<Step> steps = all_steps(file);
  ASSERT_EQ(steps[0].messages().size(), 4U);
  const Message& reply = steps[0].messages()[1];
  EXPECT_EQ(reply.source, 2U);
  EXPECT_EQ(reply.destination, 0U);
  EXPECT_EQ(reply.control_bytes, 64U);
  EXPECT_EQ(reply.chunk_count, 0U);
  EXPECT_EQ(dependencies_of(steps[0], 1), (std::vector<Dependency>{{message_id(1, 0), 100}}));
  EXPECT_EQ(dependencies_of(steps[0], 2), (std::vector<Dependency>{{message_id(1, 1), 0}}));
  EXPECT_EQ(dependencies_of(steps[0], 3), (std::vector<Dependency>{{message_id(1, 2), 0}}));
  EXPECT_TRUE(std::ranges::equal(steps[0].awaited(), std::vector<std::uint32_t>{0, 1, 2}));
  const auto refused = [&](const std::string& messages, const std::string& reply_text) {
    try {
      ScheduleFile wrong = read_text(with(messages, request + reply_text + "}\n"));
      static_cast<void>(all_steps(wrong));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_NE(
      refused("1", R"({"path":[[0,-1,2]],"control":64})").find("is message 2, but the header announces 1"),
      std::string::npos);
  EXPECT_NE(refused("2", R"({"path":[[0,1,1]],"control":64})").find("path"), std::string::npos);
  EXPECT_NE(refused("2", R"({"path":[[0,-1,2]],"control":64,"after":[1]})").find("after"), std::string::npos);
  EXPECT_NE(refused("2", R"(3)").find("given.jsonl:2"), std::string::npos);
}

std::string refusal(const std::string& version, const std::string& first, const std::string& second) {
  const std::string header =
      R"({"flitscope":"schedule","version":)" + version +
      R"(,"topology":{"kind":"mesh","shape":[4]},"ports":{"send":1,"receive":1},)"
      R"("routing":"dimension-order","algorithm":"a","steps":2,"messages":2,"chunks":[8],)"
      R"("initial":[[[0],[0]]],"goal":[]})";
  const std::string message = R"("step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0]})";
  try {
    ScheduleFile file =
        read_text(header + "\n{" + first + "," + message + "\n{" + second + "," + message + "\n");
    static_cast<void>(all_steps(file));
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "was read: " << first << " " << second;
  return {};
}

TEST(WaitingFile, InvalidDependencies_AreRefused) {
  const std::string dependency_cycle =
      ", which no earlier line has; a message can only wait for messages that precede it, so that none "
      "waits in a dependency cycle";
  EXPECT_EQ(refusal("2", R"("id":1)", R"("after":[2])"),
            "given.jsonl:3: \"after[0]\" waits for id 2" + dependency_cycle);
  EXPECT_EQ(refusal("2", R"("id":1,"after":[1])", R"("id":2)"),
            "given.jsonl:2: \"after[0]\" waits for id 1" + dependency_cycle);
  EXPECT_EQ(refusal("2", R"("id":1)", R"("id":1)"), "given.jsonl:3: \"id\" is 1, as of an earlier message");
  EXPECT_EQ(refusal("2", R"("id":0)", R"("id":1)"),
            "given.jsonl:2: \"id\" must be a whole number from 1 to 4611686018427387904, not 0");
  EXPECT_EQ(refusal("2", R"("id":1)", R"("after":[[1]])"),
            "given.jsonl:3: \"after[0]\" must be an id, or an id and cycles, [id, cycles], not [1]");
  EXPECT_EQ(refusal("2", R"("id":1)", R"("after":1)"),
            "given.jsonl:3: \"after\" must be a list, [...], not 1");
  EXPECT_EQ(refusal("2", R"("id":1)", R"("after":[1],"wait":-1)"),
            "given.jsonl:3: \"wait\" must be a whole number from 0 to 1000000000000000, not -1");
  EXPECT_EQ(refusal("2", R"("id":1)", R"("after":[[1,1]],"wait":1000000000000000)"),
            "given.jsonl:3: \"after[0][1]\" and \"wait\" are 1000000000000001 cycles together; at most "
            "1000000000000000 are possible");
  for (const std::string key : {"id", "wait"}) {
    EXPECT_EQ(refusal("1", "\"" + key + "\":1", "\"id\":2"),
              "given.jsonl:2: \"" + key + "\" belongs to version 2, but the header says 1");
  }
}

}  // namespace
}  // namespace flitscope::waiting_file_test
