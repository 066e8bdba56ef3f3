// Flit traces: the events are those of the reference model, CSV and binary say the same, filters let through
// what they say, and broken files are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "model/error.h"
#include "model/random.h"
#include "sim/network/network.h"
#include "sim/observe/flits/flit_trace.h"
#include "sim/run/experiment.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/support/observed_run.h"
#include "tests/support/random_cases.h"

namespace flitscope::test::flit_trace_test {
namespace {

using reference::RandomCase;
using Json = nlohmann::json;

/// Sums and lists that the reference model can be asked for, too.
class Record final : public FlitEvents {
 public:
  explicit Record(const Topology& on) : FlitEvents({}, on) {}

  std::multiset<std::string> moves;
  std::map<std::uint64_t, std::array<Cycle, kStallCauses>> head_stalls;
  StallCounts stalls{};
  std::map<std::pair<std::uint64_t, NodeId>, std::vector<FlitEvent>> routes;
  std::string diagnostics;

 private:
  void take(const FlitEvent& event) override {
    const bool head = event.flit == 0;
    switch (event.kind) {
      case FlitEventKind::stall:
        stalls[static_cast<unsigned>(event.cause)] += event.stall_cycles;
        if (head) head_stalls[event.message][static_cast<unsigned>(event.cause)] += event.stall_cycles;
        if (event.cause == StallCause::vc_taken && (!event.culprit || event.culprit == event.message)) {
          diagnostics += "a VC taken by nobody else; ";
        }
        if (event.cause == StallCause::switch_lost && !event.culprit) diagnostics += "lost to no message; ";
        return;
      case FlitEventKind::route:
      case FlitEventKind::vc:
        routes[{event.message, event.node}].push_back(event);
        return;
      case FlitEventKind::inject:
        moves.insert(fmt::format("{} put {} {} {} {}", event.cycle, event.node,
                                 event.port - topology().link_ports(), event.message, event.flit));
        return;
      case FlitEventKind::hop:
      case FlitEventKind::eject:
        moves.insert(fmt::format("{} left {} {} {} {} {}", event.cycle, event.node, event.port, *event.vc,
                                 event.message, event.flit));
        if (!head) return;
        const auto& before = routes[{event.message, event.node}];
        // Twice two, if its way leads through the node twice.
        const std::size_t size = before.size();
        const bool right = size >= 2 && size % 2 == 0 && before[size - 2].kind == FlitEventKind::route &&
                           before[size - 1].kind == FlitEventKind::vc &&
                           before[size - 2].cycle <= before[size - 1].cycle &&
                           before[size - 1].cycle <= event.cycle && before[size - 1].port == event.port &&
                           before[size - 1].vc == event.vc;
        if (!right) diagnostics += "a head left without route and VC; ";
    }
  }
};

std::string record_text(const std::multiset<std::string>& moves, const StallCounts& stalls) {
  std::string text;
  for (const std::string& move : moves) text += move + "\n";
  for (const std::uint64_t cycles : stalls) text += fmt::format("{} ", cycles);
  return text;
}

TEST(FlitEvents, RandomCases_AgreeWithTheReferenceModel) {
  constexpr Cycle kLimit = 100'000;
  for (std::uint64_t seed = 5000; seed < 5000 + cases(400) / 4 && !HasFailure(); ++seed) {
    const RandomCase random_case = reference::random_case(seed);
    reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
    reference::TimedDriver slow_driver(random_case.messages);
    const reference::Outcome outcome = slow.run(slow_driver, kLimit);
    std::multiset<std::string> moves;
    for (const auto& t : slow.traversals()) {
      moves.insert(
          fmt::format("{} left {} {} {} {} {}", t.cycle, t.node, t.output_port, t.vc, t.message, t.flit));
    }
    for (const auto& i : slow.injections()) {
      moves.insert(fmt::format("{} put {} {} {} {}", i.cycle, i.node, i.channel, i.message, i.flit));
    }
    const std::string actual = run_isolated([&] {
      Network network("network", random_case.topology, random_case.machine);
      Record record(random_case.topology);
      network.clock().observe({.stalls = &record, .flits = &record});
      reference::TimedDriver driver(random_case.messages);
      network.run(driver, kLimit);
      network.clock().core().settle_stalls(slow.now());
      for (const Delivery& delivery : driver.deliveries()) {
        if (record.head_stalls[delivery.id] != delivery.head_stalls) record.diagnostics += "head's stalls; ";
      }
      return record_text(record.moves, record.stalls) + record.diagnostics;
    });
    EXPECT_EQ(actual, record_text(moves, outcome.stalls)) << reference::description(random_case);
  }
}

namespace fs = std::filesystem;

const std::vector<SmallMachine> kMachines{kTorus43, kMesh332, kCutThrough, kStoreAndForward};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(FlitTrace, AllEvents_AgreeWithResultAndMessages) {
  const TemporaryDirectory directory;
  std::uint32_t seed = 1;
  for (const SmallMachine& machine : kMachines) {
    const auto run =
        observe(directory, fmt::format("run{}", seed), write_random_run(directory, machine, seed),
                {"observe.trace=csv", "observe.messages=true"});
    ++seed;
    const Table trace = read_csv(run / "trace.csv");
    const Json result = Json::parse(text_of(run / "result.json"));
    std::map<std::string, std::int64_t> events;
    std::map<std::string, std::int64_t> stalls;
    std::map<std::string, std::int64_t> head_stalls;
    std::map<std::string, std::int64_t> last_eject;
    for (const Row& row : trace.rows) {
      ++events[row.text("event")];
      const std::string message = row.text("step") + "." + row.text("message");
      if (row.text("event") == "eject") last_eject[message] = row.number("cycle");
      if (row.text("event") != "stall") {
        EXPECT_EQ(row.number("stall_cycles"), 0);
        EXPECT_EQ(row.text("cause") + row.text("culprit"), "");
        continue;
      }
      EXPECT_GT(row.number("stall_cycles"), 0);
      stalls[row.text("cause")] += row.number("stall_cycles");
      if (row.number("flit") == 0) head_stalls[message + row.text("cause")] += row.number("stall_cycles");
    }
    EXPECT_EQ(events["hop"], result.at("flit_hops"));
    EXPECT_EQ(events["inject"], result.at("flits"));
    EXPECT_EQ(events["eject"], result.at("flits"));
    EXPECT_EQ(events["route"], events["vc"]);
    std::int64_t all_stalls = 0;
    for (const auto& [cause, cycles] : result.at("stalls").items()) {
      EXPECT_EQ(stalls[cause], cycles) << cause;
      all_stalls += stalls[cause];
    }
    EXPECT_GT(all_stalls, 0);
    const std::int64_t link_delay = machine.link == "{delay: 3}" ? 3 : 1;
    for (const Row& row : read_csv(run / "messages.csv").rows) {
      const std::string message = row.text("step") + "." + row.text("message");
      EXPECT_EQ(last_eject.at(message) + link_delay, row.number("arrival_cycle"));
      for (const char* cause : {"vc_taken", "no_credit", "switch_lost", "ejection_busy"}) {
        EXPECT_EQ(head_stalls[message + cause], row.number(fmt::format("head_{}_cycles", cause)));
      }
    }
  }
}

TEST(FlitTrace, Binary_EqualsCsvInLessSpace) {
  const TemporaryDirectory directory;
  std::uint32_t seed = 20;
  for (const SmallMachine& machine : kMachines) {
    const auto config = write_random_run(directory, machine, seed++);
    const auto csv =
        observe(directory, fmt::format("csv{}", seed), config, {"observe.trace=csv"}) / "trace.csv";
    const auto binary =
        observe(directory, fmt::format("bin{}", seed), config, {"observe.trace=binary"}) / "trace.bin";
    const Outcome read = run_program({"trace", binary});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_EQ(read.out, text_of(csv));
    EXPECT_LT(fs::file_size(binary) * 3, fs::file_size(csv));
  }
}

TEST(FlitTrace, StallsAtFiniteEnds_KeepTheirCausesInBinary) {
  const TemporaryDirectory directory;
  const auto config = directory.write(
      "ends.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\n"
      "node: {ports: 1, injection_queue: 1, ejection_buffer: 16}\nrouter: {allow_deadlock: true}\n"
      "workload: {protocol: request-reply, outstanding: 8, request: 64, reply: 64, "
      "service: {rate: 0.05, queue: 1}, warmup: 0, measure: 400, seed: 3}\n");
  const auto csv = observe(directory, "csv", config, {"observe.trace=csv"}) / "trace.csv";
  const auto binary = observe(directory, "binary", config, {"observe.trace=binary"}) / "trace.bin";
  for (const char* const cause : {",sink_full,", ",nic_full,"})
    EXPECT_NE(text_of(csv).find(cause), std::string::npos) << cause;
  EXPECT_EQ(run_program({"trace", binary}).out, text_of(csv));
}

TEST(FlitTrace, Filter_PassesTheEventsItNames) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kTorus43, 30);
  const auto all = observe(directory, "all", config, {"observe.trace=csv"}) / "trace.csv";
  const auto binary = observe(directory, "binary", config, {"observe.trace=binary"}) / "trace.bin";
  const std::string header = lines_of(text_of(all)).front();

  struct Case {
    std::string settings;
    Arguments options;
    std::function<bool(const Row&)> passes;
  };
  const auto end = [](const Row& row) {
    return row.number("cycle") + std::max<std::int64_t>(1, row.number("stall_cycles"));
  };
  const std::vector<Case> cases{
      {"{nodes: [[1, 2], [3, 0]]}",
       {"--node", "[1, 2]", "--node", "[3,0]"},
       [](const Row& row) { return row.text("node") == "[1, 2]" || row.text("node") == "[3, 0]"; }},
      {"{channels: ['[2, 1]+0']}",
       {"--channel", "[2, 1]+0"},
       [](const Row& row) { return row.text("channel") == "[2, 1]+0"; }},
      {"{messages: ['2.7', '1.1']}",
       {"--message", "2.7", "--message", "1.1"},
       [](const Row& row) {
         return (row.text("step") == "2" && row.text("message") == "7") ||
                (row.text("step") == "1" && row.text("message") == "1");
       }},
      {"{steps: [3]}", {"--step", "3"}, [](const Row& row) { return row.text("step") == "3"; }},
      {"{from: 40, to: 60, nodes: [[0, 0]]}",
       {"--from", "40", "--to", "60", "--node", "[0, 0]"},
       [&](const Row& row) {
         return row.number("cycle") <= 60 && end(row) > 40 && row.text("node") == "[0, 0]";
       }},
  };
  int number = 0;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.settings);
    std::string expected = header + "\n";
    const auto lines = lines_of(text_of(all));
    const Table table = read_csv(all);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (one.passes(table.rows[row])) expected += lines[row + 1] + "\n";
    }
    EXPECT_GT(expected.size(), header.size() + 1) << "nothing passes";
    EXPECT_LT(expected.size(), text_of(all).size());
    const auto filtered = observe(directory, fmt::format("filtered{}", number++), config,
                                  {"observe.trace=csv", "observe.filter=" + one.settings});
    EXPECT_EQ(text_of(filtered / "trace.csv"), expected);
    Arguments words{"trace", binary};
    words.insert(words.end(), one.options.begin(), one.options.end());
    EXPECT_EQ(run_program(words).out, expected);
  }
}

TEST(FlitTrace, FilterOfStepZero_PassesBackgroundTraffic) {
  const TemporaryDirectory directory;
  const auto config = directory.write("c.yaml",
                                      "flitscope: 1\n"
                                      "topology: {kind: torus, shape: [4, 4]}\n"
                                      "workload: {algorithm: all-reduce-bucket, message: 256, "
                                      "background: {traffic: uniform, load: 0.1}}\n");
  const auto binary = observe(directory, "binary", config, {"observe.trace=binary"}) / "trace.bin";
  const auto csv = directory.write("all.csv", run_program({"trace", binary}).out);
  const auto lines = lines_of(text_of(csv));
  const Table table = read_csv(csv);
  std::string step = lines.front() + "\n";
  std::string message = step;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.rows[row].text("step") != "0") continue;
    step += lines[row + 1] + "\n";
    if (table.rows[row].text("message") == "3") message += lines[row + 1] + "\n";
  }
  EXPECT_GT(message.size(), lines.front().size() + 1) << "nothing passes";
  EXPECT_LT(message.size(), step.size());
  EXPECT_LT(step.size(), text_of(csv).size());
  for (const auto& [option, value, setting, expected] : std::vector<std::array<std::string, 4>>{
           {"--step", "0", "{steps: [0]}", step}, {"--message", "0.3", "{messages: ['0.3']}", message}}) {
    EXPECT_EQ(run_program({"trace", binary, option, value}).out, expected);
    const auto filtered =
        observe(directory, "filtered" + value, config, {"observe.trace=csv", "observe.filter=" + setting});
    EXPECT_EQ(text_of(filtered / "trace.csv"), expected);
  }
}

// No file that was cut anywhere passes, and none in which one bit is another.
TEST(FlitTrace, CutOrChangedFile_IsRefused) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kTorus43, 32);
  const auto binary = observe(directory, "binary", config, {"observe.trace=binary"}) / "trace.bin";
  const std::string whole = text_of(binary);
  const auto read = [](const std::string& text) {
    std::istringstream in(text);
    FlitTraceReader reader(in, "trace");
    while (reader.next()) continue;
  };
  EXPECT_NO_THROW(read(whole));
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 500) {
    EXPECT_THROW(read(whole.substr(0, length)), InputError) << length;
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string changed = whole;
    changed[random_below(random, changed.size())] ^= static_cast<char>(1U << random_below(random, 8));
    EXPECT_THROW(read(changed), InputError);
  }
}

TEST(FlitTrace, BrokenFilesAndFilters_AreRefused) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kTorus43, 31);
  const auto binary = observe(directory, "binary", config, {"observe.trace=binary"}) / "trace.bin";
  const std::string whole = text_of(binary);
  const auto refusal = [&](const std::string& text) {
    const Outcome outcome = run_program({"trace", directory.write("broken.bin", text)});
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_NE(refusal("").find("no binary flit trace"), std::string::npos);
  EXPECT_NE(refusal("{\"flitscope\":\"trace\",\"version\":1}\n").find("version 4"), std::string::npos);
  std::string deep;
  for (int depth = 0; depth < 65'000; ++depth) deep += "{\"a\":";
  deep += "1" + std::string(65'000, '}');
  EXPECT_NE(refusal("{\"flitscope\":\"trace\",\"version\":" + deep + "}\n").find("version 4"),
            std::string::npos);
  EXPECT_NE(refusal(whole.substr(0, whole.size() - 1)).find("ends in the middle"), std::string::npos);
  EXPECT_NE(refusal(whole + "\x07").find("goes on behind its end mark"), std::string::npos);
  constexpr std::size_t kChecksum = 4;
  const std::string without_checksum = whole.substr(0, whole.size() - kChecksum);
  EXPECT_NE(refusal(without_checksum).find("ends in the middle of its checksum"), std::string::npos);
  for (const auto& [option, value, says] :
       std::vector<std::array<std::string, 3>>{{"--node", "[9, 9]", "coordinate 0 must be 0 to 3"},
                                               {"--channel", "[0, 0]+7", "'[0, 0]+0'"},
                                               {"--message", "3", "'3.5'"},
                                               {"--event", "jump", "inject"},
                                               {"--message", "1.0", "both count from 1"},
                                               {"--step", "x", "steps count from 1"},
                                               {"--from", "now", "whole number"}}) {
    const Outcome outcome = run_program({"trace", binary, option, value});
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
  const Outcome nothing = run_program({"trace", binary, "--from", "9", "--to", "8"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.err.find("no event can pass the filter: it begins in cycle 9 and ends in cycle 8"),
            std::string::npos)
      << nothing.err;
  const Outcome outcome = run_program({"run", config, "--set", "observe.filter.channels=['[0, 0]']"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("observe.filter.channels"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace flitscope::test::flit_trace_test
