// Waveforms and timelines of complete networks agree with the lists of messages and tunings.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/support/observed_run.h"

namespace flitscope::test::circuit_observers_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::int64_t kNodes = 11;

/// A run on a complete network: a workload, ports, startup, reconfiguration.
struct Case {
  std::string workload;
  std::int64_t ports = 1;
  std::int64_t startup = 0;
  std::int64_t reconfiguration = 0;
};

const std::vector<Case> kCases{{"{algorithm: afsahi-b4, source: 3}", 2, 0, 16},
                               {"{algorithm: afsahi-b4, start: cold, message: 20}", 2, 5, 8},
                               {"{algorithm: afsahi-b1}", 3, 1, 0},
                               {"{algorithm: afsahi-scatter}", 2, 3, 7},
                               {"{algorithm: afsahi-gossip-direct, message: 1}", 2, 0, 4},
                               {"{algorithm: combined-total-exchange, i: 1}", 2, 2, 3}};

/// A configuration for a case, and what `schedule` makes of it.
class CircuitRun {
 public:
  explicit CircuitRun(const Case& one)
      : config_(directory_.write(
            "c.yaml", fmt::format("flitscope: 1\ntopology: {{kind: complete, nodes: {}}}\nnode: {{ports: {}, "
                                  "startup: {}}}\ncircuits: {{reconfiguration: {}}}\nworkload: {}\n",
                                  kNodes, one.ports, one.startup, one.reconfiguration, one.workload))) {}

  [[nodiscard]] fs::path observed(const std::string& name, const Arguments& settings,
                                  int exit_code = 0) const {
    return observe(directory_, name, config_, settings, exit_code);
  }
  /// Circuits at the start: "node port": target.
  [[nodiscard]] std::map<std::string, std::int64_t> circuits() const {
    std::istringstream lines(run_program({"schedule", config_}).out);
    std::map<std::string, std::int64_t> circuits;
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line);
      if (!event.contains("circuit") || !event.at("circuit").is_object()) continue;
      const Json& circuit = event.at("circuit");
      circuits[fmt::format("{} {}", circuit.at("node").get<int>(), circuit.at("port").get<int>())] =
          circuit.at("target");
    }
    return circuits;
  }

 private:
  TemporaryDirectory directory_;
  fs::path config_;
};

/// A message's flit in a cycle: "step message kind flit", or "step message 0 0" while it is prepared.
std::string passing(const Row& message, std::int64_t cycle) {
  const std::int64_t flit = cycle - message.number("start_cycle") - message.number("startup_cycles");
  const std::int64_t flits = message.number("flits");
  const int kind = flit < 0 ? 0 : flits == 1 ? 4 : flit == 0 ? 1 : flit + 1 == flits ? 3 : 2;
  return fmt::format("{} {} {} {}", message.text("step"), message.text("message"), kind,
                     std::max<std::int64_t>(flit, 0));
}

std::string drawn(const Vcd& vcd, const std::string& scope, const std::string& kind, std::uint64_t cycle) {
  return fmt::format("{} {} {} {}", vcd.at(scope + "step", cycle), vcd.at(scope + "message", cycle),
                     vcd.at(scope + kind, cycle), vcd.at(scope + "flit", cycle));
}

bool lasts(const Row& row, const char* from, const char* until, std::int64_t cycle) {
  return row.number(from) <= cycle && cycle < row.number(until);
}

/// "circuit target step message kind flit" of a port in a cycle, from the lists.
std::string port_by_lists(const Table& messages, const Table& tunings,
                          const std::map<std::string, std::int64_t>& circuits, std::int64_t node,
                          std::int64_t port, std::int64_t cycle) {
  const auto here = [&](const Row& row, const char* name) {
    return row.number(name) == node && row.number("port") == port;
  };
  const auto circuit = circuits.find(fmt::format("{} {}", node, port));
  int state = circuit == circuits.end() ? 0 : 2;
  std::int64_t target = circuit == circuits.end() ? 0 : circuit->second;
  for (const Row& tuning : tunings.rows) {
    if (!here(tuning, "node") || tuning.number("start_cycle") > cycle) continue;
    state = cycle < tuning.number("ready_cycle") ? 1 : 2;
    target = tuning.number("target");
  }
  std::string flit = "0 0 0 0";
  for (const Row& message : messages.rows) {
    if (!here(message, "source") || !lasts(message, "start_cycle", "arrival_cycle", cycle)) continue;
    state = 3;
    flit = passing(message, cycle);
  }
  return fmt::format("{} {} {}", state, target, flit);
}

TEST(CircuitWaves, EveryCycle_AgreesWithMessagesAndTunings) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.workload);
    const CircuitRun experiment(one);
    const auto run =
        experiment.observed("run", {"observe={messages: true, waves: {format: vcd, nodes: [10, 3, 0, 3]}}"});
    const Vcd vcd(text_of(run / "waves.vcd"));
    const Table messages = read_csv(run / "messages.csv");
    const Table tunings = read_csv(run / "tunings.csv");
    const auto circuits = experiment.circuits();
    const auto end = static_cast<std::int64_t>(vcd.end());
    EXPECT_GT(end, Json::parse(text_of(run / "result.json")).at("cycles").get<std::int64_t>());
    EXPECT_EQ(vcd.signals().size(), static_cast<std::size_t>(3 * one.ports * (6 + 5)));
    for (const std::int64_t node : {0, 3, 10}) {
      for (std::int64_t cycle = 0; cycle < end; ++cycle) {
        std::multiset<std::string> arriving;
        for (std::int64_t port = 0; port < one.ports; ++port) {
          const std::string out = fmt::format("flitscope.node_{}.port_{}.", node, port);
          EXPECT_EQ(fmt::format("{} {} {}", vcd.at(out + "circuit", cycle), vcd.at(out + "target", cycle),
                                drawn(vcd, out, "sent", cycle)),
                    port_by_lists(messages, tunings, circuits, node, port, cycle))
              << out << " in cycle " << cycle;
          const std::string in = fmt::format("flitscope.node_{}.arriving_{}.", node, port);
          const std::string flit = drawn(vcd, in, "received", cycle);
          if (flit != "0 0 0 0") {
            arriving.insert(fmt::format("{} from {}", flit, vcd.at(in + "source", cycle)));
          }
        }
        std::multiset<std::string> expected;
        for (const Row& message : messages.rows) {
          if (message.number("destination") != node) continue;
          if (!lasts(message, "start_cycle", "arrival_cycle", cycle)) continue;
          expected.insert(passing(message, cycle) + " from " + message.text("source"));
        }
        EXPECT_EQ(arriving, expected) << "node " << node << " in cycle " << cycle;
      }
    }
  }
}

TEST(CircuitWaves, AllNodes_AddUpToTheCountersOfPorts) {
  const CircuitRun experiment(kCases[1]);
  const auto run = experiment.observed(
      "run", {"clock=2ns", "observe.waves={format: vcd, nodes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}"});
  const Vcd vcd(text_of(run / "waves.vcd"));
  EXPECT_EQ(vcd.timescale(), "1ps");
  for (const Row& port : read_csv(run / "ports.csv").rows) {
    std::map<std::uint64_t, std::int64_t> cycles;
    std::int64_t total = 0;
    for (const char* const state : {"dark_cycles", "tuning_cycles", "connected_cycles", "sending_cycles"}) {
      total += port.number(state);
    }
    const std::string circuit =
        fmt::format("flitscope.node_{}.port_{}.circuit", port.text("node"), port.text("port"));
    for (std::int64_t cycle = 0; cycle < total; ++cycle) {
      ++cycles[vcd.at(circuit, static_cast<std::uint64_t>(2000 * cycle))];
    }
    EXPECT_EQ(cycles[0], port.number("dark_cycles")) << circuit;
    EXPECT_EQ(cycles[1], port.number("tuning_cycles")) << circuit;
    EXPECT_EQ(cycles[2], port.number("connected_cycles")) << circuit;
    EXPECT_EQ(cycles[3], port.number("sending_cycles")) << circuit;
  }
}

TEST(CircuitWaves, Window_EqualsTheWholeRunInIt) {
  const CircuitRun experiment(kCases[5]);
  const auto whole = experiment.observed("whole", {"observe.waves={format: vcd, nodes: [4, 7]}"});
  const auto part =
      experiment.observed("part", {"observe.waves={format: vcd, nodes: [4, 7], from: 13, to: 40}"});
  const Vcd all(text_of(whole / "waves.vcd"));
  const Vcd window(text_of(part / "waves.vcd"));
  EXPECT_EQ(window.end(), 41U);
  ASSERT_EQ(window.signals().size(), all.signals().size());
  for (const auto& [name, changes] : window.signals()) {
    for (const auto& [time, value] : changes) EXPECT_TRUE(time == 0 || (time >= 13 && time <= 40)) << name;
    for (std::uint64_t cycle = 13; cycle <= 40; ++cycle) {
      EXPECT_EQ(window.at(name, cycle), all.at(name, cycle)) << name << " in cycle " << cycle;
    }
  }
}

TEST(CircuitWaves, NoNodesNamed_ShowTheBusiestNodeWithASaveFile) {
  const CircuitRun experiment({"{algorithm: afsahi-scatter-direct, source: 6}", 2, 0, 3});
  const auto run = experiment.observed("run", {"observe.waves.format=vcd"});
  const Vcd vcd(text_of(run / "waves.vcd"));
  EXPECT_EQ(vcd.signals().size(), 2U * (6 + 5));
  EXPECT_TRUE(vcd.has("flitscope.node_6.port_1.circuit")) << "the source of a scatter sends everything";
  std::istringstream lines(text_of(run / "waves.gtkw"));
  std::size_t signals = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(!line.starts_with("^1 ") || fs::exists(run / line.substr(3))) << line;
    if (!line.starts_with("flitscope.")) continue;
    ++signals;
    EXPECT_TRUE(vcd.has(line.substr(0, line.find('[')))) << line;
  }
  EXPECT_EQ(signals, vcd.signals().size());
  EXPECT_EQ(text_of(run / "waves-circuit.txt"), "0 dark\n1 tuning\n2 connected\n3 sending\n");
  EXPECT_EQ(text_of(run / "waves-kind.txt"), "0 -\n1 head\n2 body\n3 tail\n4 single\n");
}

TEST(CircuitWaves, LimitOfCycles_EndsTheDump) {
  const CircuitRun experiment(kCases[0]);
  const auto run = experiment.observed(
      "run", {"limits.cycles=20", "observe.waves={format: vcd, nodes: [3]}", "observe.timeline=true"}, 5);
  EXPECT_LE(Vcd(text_of(run / "waves.vcd")).end(), 21U);
  Timeline timeline(text_of(run / "trace.json"));
  expect_well_formed(timeline);
}

TEST(CircuitTimeline, AllMessages_AgreesWithMessagesAndTunings) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.workload);
    const CircuitRun experiment(one);
    const auto run = experiment.observed("run", {"observe={messages: true, timeline: true}"});
    Timeline timeline(text_of(run / "trace.json"));
    expect_well_formed(timeline);
    const Table messages = read_csv(run / "messages.csv");
    std::multiset<std::string> expected;
    std::multiset<std::pair<std::int64_t, std::int64_t>> times;
    for (const Row& row : messages.rows) {
      const std::string text = fmt::format("message {}.{} {} {}", row.text("step"), row.text("message"),
                                           row.text("start_cycle"), row.text("arrival_cycle"));
      expected.insert(fmt::format("node {}/port {}: {}", row.text("source"), row.text("port"), text));
      expected.insert(fmt::format("node {}/arriving: {}", row.text("destination"), text));
      times.emplace(row.number("start_cycle"), row.number("arrival_cycle"));
    }
    for (const Row& row : read_csv(run / "tunings.csv").rows) {
      if (one.reconfiguration == 0) continue;
      expected.insert(fmt::format("node {}/port {}: tuning to {} {} {}", row.text("node"), row.text("port"),
                                  row.text("target"), row.text("start_cycle"), row.text("ready_cycle")));
    }
    std::multiset<std::string> actual;
    for (const auto& [track, spans] : timeline.tracks) {
      const bool arriving = track.second.starts_with("arriving");
      for (const Span& span : spans) {
        actual.insert(fmt::format("{}/{}: {} {} {}", track.first, arriving ? "arriving" : track.second,
                                  span.name, span.from, span.end));
      }
    }
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(timeline.arrows.size(), messages.rows.size());
    std::multiset<std::pair<std::int64_t, std::int64_t>> shown;
    for (const auto& [id, phases] : timeline.messages) {
      shown.emplace(phases.at("b").front(), phases.at("e").front());
      EXPECT_EQ(phases.at("b").size(), one.startup > 0 ? 3U : 2U);
    }
    EXPECT_EQ(shown, times);
  }
}

TEST(CircuitTimeline, Filter_HidesAllOtherSpans) {
  const CircuitRun experiment(kCases[5]);
  const auto run = experiment.observed(
      "run", {"observe.timeline=true", "observe.filter={nodes: [2, 5], steps: [2], from: 20}"});
  Timeline timeline(text_of(run / "trace.json"));
  expect_well_formed(timeline);
  ASSERT_FALSE(timeline.tracks.empty());
  for (const auto& [track, spans] : timeline.tracks) {
    EXPECT_TRUE(track.first == "node 2" || track.first == "node 5") << track.first;
    for (const Span& span : spans) {
      EXPECT_GT(span.end, 20);
      EXPECT_TRUE(span.name.starts_with("message 2.")) << span.name;
    }
  }
}

TEST(CircuitObservation, AllObservers_DoNotChangeTheRun) {
  const CircuitRun experiment(kCases[3]);
  const auto comparable = [](const fs::path& run) {
    Json result = Json::parse(text_of(run / "result.json"));
    result.erase("host");
    return result.dump() + text_of(run / "ports.csv") + text_of(run / "receptions.csv");
  };
  EXPECT_EQ(comparable(experiment.observed("plain", {})),
            comparable(experiment.observed(
                "watched", {"observe={messages: true, timeline: true, waves: {format: fst}}"})));
}

}  // namespace
}  // namespace flitscope::test::circuit_observers_test
