// Stalls in the flit trace and the results, of three messages or fewer: one line as long as cause,
// channel and culprit stay; culprits that do not depend on the numbers of nodes; lines in the order that
// docs/seeing.md gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/observed_run.h"

namespace flitscope::test::stall_lines_test {
namespace {

/// A schedule of one step on a line of nodes. `facts` are its chunks, start and goal, `messages` its lines.
std::filesystem::path write_run(const TemporaryDirectory& directory, unsigned nodes, const std::string& facts,
                                const std::vector<std::string>& messages, const std::string& machine) {
  std::string schedule =
      fmt::format(R"({{"flitscope":"schedule","version":1,"topology":{{"kind":"mesh","shape":[{}]}},)"
                  R"("ports":{{"send":2,"receive":3}},"routing":"dimension-order","algorithm":"by-hand",)"
                  R"("steps":1,"messages":{},{}}})",
                  nodes, messages.size(), facts) +
      "\n";
  for (const std::string& message : messages) schedule += R"({"step":1,)" + message + "}\n";
  static_cast<void>(directory.write("s.jsonl", schedule));
  return directory.write("c.yaml", fmt::format("flitscope: 1\ntopology: {{kind: mesh, shape: [{}]}}\n"
                                               "workload: {{schedule: s.jsonl}}\n{}\n",
                                               nodes, machine));
}

/// Two messages of three flits that pass each other, the one from the end of the line first.
std::filesystem::path write_mirror_images(const TemporaryDirectory& directory, const std::string& machine) {
  return write_run(directory, 3,
                   R"("chunks":[24,24],"initial":[[[0],[0]],[[2],[1]]],"goal":[[[0],[1]],[[2],[0]]])",
                   {R"("src":[2],"dst":[0],"path":[[0,-1,2]],"chunks":[1])",
                    R"("src":[0],"dst":[2],"path":[[0,1,2]],"chunks":[0])"},
                   machine);
}

/// The lines of trace.csv that have `event` in that column, without the column.
std::vector<std::string> traced(const std::filesystem::path& run, const std::string& event) {
  std::vector<std::string> lines;
  for (const Row& row : read_csv(run / "trace.csv").rows) {
    if (row.text("event") != event) continue;
    lines.push_back(fmt::format("{}: {}.{} flit {} at {} {}, {} {} {}", row.text("cycle"), row.text("step"),
                                row.text("message"), row.text("flit"), row.text("node"), row.text("channel"),
                                row.text("stall_cycles"), row.text("cause"), row.text("culprit")));
  }
  return lines;
}

TEST(StallLines, WaitForOneCause_IsOneLine) {
  const TemporaryDirectory directory;
  // The head of 1.3 stands at [2] until there is room for its twelve flits behind [2]-0, where the four
  // of 1.2 are. While they leave, one by one, it is asked again and again.
  const auto config = write_run(
      directory, 4, R"("chunks":[96,32,96],"initial":[[[0],[0]],[[2],[1]],[[3],[2]]],"goal":[[[1],[0,1,2]]])",
      {R"("src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0])",
       R"("src":[2],"dst":[1],"path":[[0,-1,1]],"chunks":[1])",
       R"("src":[3],"dst":[1],"path":[[0,-1,2]],"chunks":[2])"},
      "router: {switching: virtual-cut-through, virtual_channels: 1, buffer: 12}\n"
      "node: {ports: 1, injection_interval: 4, ejection_interval: 4}\n");
  const auto run = observe(directory, "run", config, {"observe.trace=csv", "observe.messages=true"});
  std::vector<std::string> of_the_head;
  for (const std::string& line : traced(run, "stall")) {
    if (line.find(" 1.3 flit 0 at [2]") != std::string::npos) of_the_head.push_back(line);
  }
  EXPECT_EQ(of_the_head, (std::vector<std::string>{"3: 1.3 flit 0 at [2] [2]-0, 11 vc_taken 1.2",
                                                   "14: 1.3 flit 0 at [2] [2]-0, 50 no_credit 1.2"}));
  for (const Row& row : read_csv(run / "messages.csv").rows) {
    if (row.text("message") != "3") continue;
    EXPECT_EQ(row.number("longest_wait_cycles"), 50);
    EXPECT_EQ(row.number("longest_wait_from_cycle"), 14);
  }
  for (const Row& row : read_csv(run / "channels.csv").rows) {
    if (row.text("channel") == "[2]-0") {
      EXPECT_EQ(row.number("longest_wait_cycles"), 50);
    }
  }
}

TEST(StallLines, MirroredMessages_AreMirrored) {
  const TemporaryDirectory directory;
  const auto run =
      observe(directory, "run", write_mirror_images(directory, "router: {buffer: 1}"), {"observe.trace=csv"});
  const auto reflected = [](std::string line) {
    for (std::size_t at = line.find(" 1."); at != std::string::npos; at = line.find(" 1.", at + 3)) {
      line[at + 3] = line[at + 3] == '1' ? '2' : '1';
    }
    for (std::size_t at = line.find('['); at != std::string::npos; at = line.find('[', at + 1)) {
      line[at + 1] = static_cast<char>('0' + '2' - line[at + 1]);
    }
    for (const auto& [from, to] : {std::pair("]+", "]*"), std::pair("]-", "]+"), std::pair("]*", "]-")}) {
      const std::size_t at = line.find(from);
      if (at != std::string::npos) line.replace(at, 2, to);
    }
    return line;
  };
  std::multiset<std::string> lines;
  std::multiset<std::string> reflections;
  for (const std::string& line : traced(run, "stall")) {
    lines.insert(line);
    reflections.insert(reflected(line));
  }
  EXPECT_FALSE(lines.empty());
  EXPECT_EQ(lines, reflections);
}

TEST(StallLines, OneCycle_IsInOrderOfNodesAndStages) {
  const TemporaryDirectory directory;
  const std::vector<std::string> stages{"stall", "route", "vc", "hop", "eject", "inject"};
  const auto place = [&](const std::string& event) {
    return event == "eject" ? 3 : std::ranges::find(stages, event) - stages.begin();
  };
  std::vector<std::filesystem::path> runs{observe(
      directory, "mirror", write_mirror_images(directory, "router: {buffer: 8}"), {"observe.trace=csv"})};
  runs.push_back(
      observe(directory, "random", write_random_run(directory, kTorus43, 60), {"observe.trace=csv"}));
  for (const auto& run : runs) {
    std::tuple<std::int64_t, std::string, std::ptrdiff_t> before;
    for (const Row& row : read_csv(run / "trace.csv").rows) {
      // A stall is told in the first cycle in which it does not go on.
      const std::int64_t cycle = row.number("cycle") + row.number("stall_cycles");
      std::string node = row.text("node");
      std::ranges::reverse(node);  // the coordinate of dimension 0, which runs fastest, is the first
      const std::tuple now(cycle, node, static_cast<std::ptrdiff_t>(place(row.text("event"))));
      EXPECT_LE(before, now) << row.text("event") << " of " << row.text("node") << " in cycle " << cycle;
      before = now;
    }
  }
}

}  // namespace
}  // namespace flitscope::test::stall_lines_test
