// The SystemC machine of complete networks: exact cycles, what ports do in each, and random schedules on
// which checker and machine must agree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "routers/circuits/circuit_network.h"
#include "routers/circuits/circuit_schedule_driver.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/run/experiment.h"
#include "tests/support/circuit_schedules.h"
#include "tests/support/random_cases.h"

namespace flitscope::circuit_machine_test {
namespace {

using Json = nlohmann::json;

TEST(CircuitPort, States_AccountForEveryCycle) {
  CircuitPort port;
  EXPECT_EQ(port.state(3), CircuitPortState::dark);
  port.tune(5, 4, 10);
  EXPECT_EQ(port.state(4), CircuitPortState::tuning);
  EXPECT_EQ(port.state(9), CircuitPortState::tuning);
  EXPECT_EQ(port.state(10), CircuitPortState::connected);
  port.send(7, 12, 20);
  EXPECT_EQ(port.state(12), CircuitPortState::sending);
  EXPECT_EQ(port.state(20), CircuitPortState::connected);
  using Cycles = std::array<Cycle, kCircuitPortStates>;
  EXPECT_EQ(port.cycles_by_state(12), (Cycles{4, 6, 2, 0}));
  EXPECT_EQ(port.cycles_by_state(15), (Cycles{4, 6, 2, 3}));
  EXPECT_EQ(port.cycles_by_state(25), (Cycles{4, 6, 7, 8}));
  port.tune(6, 25, 25);  // no reconfiguration time
  EXPECT_EQ(port.state(25), CircuitPortState::connected);
  EXPECT_EQ(port.cycles_by_state(30), (Cycles{4, 6, 12, 8}));
}

TEST(CircuitPort, WarmStart_HoldsACircuitInCycleZero) {
  CircuitPort port;
  port.connect(3);
  EXPECT_EQ(port.state(0), CircuitPortState::connected);
  EXPECT_EQ(port.target(), 3U);
  EXPECT_EQ(port.cycles_by_state(9)[static_cast<unsigned>(CircuitPortState::connected)], 9U);
}

/// Plays a schedule with t_m = startup + flits cycles in a process of its own: {"error"} or what was
/// measured.
Json played(MemoryCircuits schedule, const MachineConfig& machine, Cycle unit, Cycle limit = kNever) {
  return Json::parse(run_isolated([&] {
    auto& network = *new CircuitNetwork("network", schedule.facts().topology, machine,
                                        sc_core::sc_time(1, sc_core::SC_NS));
    try {
      CircuitScheduleDriver driver(schedule, machine, unit);
      for (const Circuit& circuit : schedule.facts().circuits) network.connect(circuit);
      const bool ended = network.run(driver, limit);
      std::uint32_t most = 0;
      for (NodeId node = 0; node < schedule.facts().topology.nodes(); ++node) {
        most = std::max(most, network.node(node).max_arrivals());
      }
      Json steps = Json::array();
      for (const StepRecord& step : driver.steps()) steps.push_back({step.begin, step.end});
      return Json{{"ended", ended},
                  {"last_delivery", network.last_delivery()},
                  {"max_arrivals", most},
                  {"held", driver.possession().held()},
                  {"redundant", driver.possession().redundant()},
                  {"tunings", driver.tunings()},
                  {"messages", driver.messages_arrived()},
                  {"steps", steps}}
          .dump();
    } catch (const ScheduleError& error) {
      return Json{{"error", error.what()}}.dump();
    }
  }));
}

MachineConfig machine_with(unsigned ports, std::uint64_t reconfiguration) {
  MachineConfig machine;
  machine.ports = ports;
  machine.reconfiguration = reconfiguration;
  return machine;
}

/// Chunks of one flit of 8 bytes, held by node 0.
CircuitFacts facts_of(std::uint64_t N, unsigned k, std::uint64_t d, std::size_t chunks) {
  CircuitFacts facts({Topology::complete(N), k, d});
  facts.collective.chunk_bytes.assign(chunks, 8);
  Holding all{0, {}};
  for (ChunkId chunk = 0; chunk < chunks; ++chunk) all.chunks.push_back(chunk);
  facts.collective.initial = {all};
  facts.collective.goal.emplace();
  return facts;
}

TEST(CircuitNetwork, Message_TakesStartupAndItsFlits) {
  MemoryCircuits events(facts_of(3, 1, 1, 4));
  events.at(0).tune({0, 0, 2}).tune({2, 0, 1});
  events.at(1).send({0, 0, 2}, {0, 1, 2, 3});
  events.at(5).send({2, 0, 1}, {3});
  MachineConfig machine = machine_with(1, 10);
  machine.startup = 9;  // t_m = 10
  const Json result = played(events, machine, 10);
  // 10 cycles of tuning; 9 + 4 cycles for four chunks; the next message starts at time 5 all the same.
  EXPECT_EQ(result["steps"], (Json{{10, 23}, {50, 60}})) << result;
  EXPECT_EQ(result["last_delivery"], 60);
  EXPECT_EQ(result["tunings"], 2);
}

TEST(CircuitNetwork, ArrivedData_CanBeSentInTheSameCycle) {
  MemoryCircuits events(facts_of(3, 1, 0, 1));
  events.at(0).tune({0, 0, 1}).send({0, 0, 1});
  events.at(1).tune({1, 0, 2}).send({1, 0, 2});
  EXPECT_EQ(played(events, machine_with(1, 0), 1)["last_delivery"], 2);
}

TEST(CircuitNetwork, Errors_NameCycleNodeAndPort) {
  MemoryCircuits early(facts_of(3, 1, 2, 1));
  early.at(0).tune({0, 0, 1});
  early.at(1).send({0, 0, 1});
  EXPECT_EQ(
      played(early, machine_with(1, 2), 1)["error"],
      "cycle 1: step 1, message 1 (node 0 to node 1) cannot be sent: port 0 is being tuned to node 1 until "
      "cycle 2");
  MemoryCircuits elsewhere(facts_of(3, 1, 0, 1));
  elsewhere.at(3).tune({0, 0, 1}).send({0, 0, 2});
  EXPECT_EQ(played(elsewhere, machine_with(1, 0), 1)["error"],
            "cycle 3: step 1, message 1 (node 0 to node 2) cannot be sent: port 0 leads to node 1");
  MemoryCircuits without(facts_of(3, 1, 0, 1));
  without.at(0).tune({1, 0, 2}).send({1, 0, 2});
  EXPECT_EQ(played(without, machine_with(1, 0), 1)["error"],
            "cycle 0: step 1, message 1 (node 1 to node 2) cannot be sent: node 1 does not hold chunk 0");
  MemoryCircuits nowhere(facts_of(3, 1, 0, 1));
  nowhere.at(0).tune({0, 1, 1});
  EXPECT_NE(played(nowhere, machine_with(1, 0), 1)["error"].get<std::string>().find("port 1 of node 0"),
            std::string::npos);
}

TEST(CircuitNetwork, CycleLimit_StopsTheRun) {
  MemoryCircuits events(facts_of(3, 1, 0, 1));
  events.at(7).tune({0, 0, 1}).send({0, 0, 1});
  EXPECT_EQ(played(events, machine_with(1, 0), 10, 70)["ended"], false);
  EXPECT_EQ(played(events, machine_with(1, 0), 10, 71)["ended"], true);
}

/// Two messages: t_m is 10 cycles, and node 2 sends what it got.
MemoryCircuits relayed() {
  MemoryCircuits events(facts_of(3, 1, 1, 4));
  events.at(0).tune({0, 0, 2}).tune({2, 0, 1});
  events.at(1).send({0, 0, 2}, {0, 1, 2, 3});
  events.at(5).send({2, 0, 1}, {3});
  return events;
}

/// The time of quiet() in a simulation with a clock that never ends, as "time: last delivery".
struct QuietWatch final : sc_core::sc_module {
  SC_HAS_PROCESS(QuietWatch);
  QuietWatch(const sc_core::sc_module_name&, const CircuitNetwork& watched) : network(watched) {
    SC_METHOD(note);
    dont_initialize();
    sensitive << network.quiet();
  }
  void note() {
    text += fmt::format("{} ns: {}; ",
                        static_cast<std::uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e9 + 0.5),
                        network.last_delivery());
  }
  const CircuitNetwork& network;
  std::string text;
};

TEST(CircuitNetwork, ClockOfTheModel_IsFollowedAlsoAfterAReset) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              MachineConfig machine = machine_with(1, 10);
              machine.startup = 9;
              // Falling edges at 3 + 3, 3 + 3 + 4, .. ns.
              sc_core::sc_clock clock("clock", 4, sc_core::SC_NS, 0.75, 3, sc_core::SC_NS);
              CircuitNetwork network("network", Topology::complete(3), machine,
                                     ClockTiming(clock, Edge::falling));
              QuietWatch watch("watch", network);
              MemoryCircuits first = relayed();
              CircuitScheduleDriver driver(first, machine, 10);
              network.drive(driver);
              sc_core::sc_start(1000, sc_core::SC_NS);
              // In the middle of a message: it is forgotten.
              network.reset();
              MemoryCircuits second = relayed();
              CircuitScheduleDriver broken_off(second, machine, 10);
              network.drive(broken_off);
              sc_core::sc_start(60, sc_core::SC_NS);
              if (network.in_flight() != 1) return "nothing is on its way";
              network.reset();
              if (network.in_flight() != 0) return "something is on its way";
              MemoryCircuits third = relayed();
              CircuitScheduleDriver again(third, machine, 10);
              network.drive(again);
              sc_core::sc_start(1000, sc_core::SC_NS);
              return watch.text +
                     fmt::format("{} {}", again.messages_arrived(), network.node(1).messages_received());
            }),
            // Cycle 60 of the first run, and of the third, which begins at the first edge from 1060 ns on.
            fmt::format("{} ns: 60; {} ns: 60; 2 1", 6 + 60 * 4, 1062 + 60 * 4));
}

TEST(CircuitNetwork, ErrorInAnEmbeddingSimulation_IsReported) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              const MachineConfig machine = machine_with(1, 2);
              CircuitNetwork network("network", Topology::complete(3), machine,
                                     sc_core::sc_time(1, sc_core::SC_NS));
              MemoryCircuits early(facts_of(3, 1, 2, 1));
              early.at(0).tune({0, 0, 1});
              early.at(1).send({0, 0, 1});
              CircuitScheduleDriver driver(early, machine, 1);
              network.drive(driver);
              try {
                sc_core::sc_start();
              } catch (const sc_core::sc_report& report) {
                return fmt::format("{}: {}", report.get_msg_type(),
                                   std::string(report.get_msg()).substr(0, 26));
              }
              return "no report";
            }),
            "/flitscope/driver: cycle 1: step 1, message 1");
}

/// run() ends although the clock of the model does not.
TEST(CircuitNetwork, ClockBesideTheNetwork_DoesNotPreventTheEnd) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              const MachineConfig machine = machine_with(1, 0);
              sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
              CircuitNetwork network("network", Topology::complete(3), machine, clock);
              MemoryCircuits events(facts_of(3, 1, 0, 1));
              events.at(7).tune({0, 0, 1}).send({0, 0, 1});
              CircuitScheduleDriver driver(events, machine, 10);
              const bool ended = network.run(driver, kNever);
              return fmt::format("{} {}", ended, network.last_delivery());
            }),
            "true 71");
}

std::uint32_t between(RandomNumbers& random, std::uint32_t first, std::uint32_t last) {
  return first + random.below(last - first + 1);
}

/// Events at random, most of them possible. Often everybody has everything beforehand.
MemoryCircuits random_events(RandomNumbers& random) {
  const auto N = static_cast<NodeId>(between(random, 2, 6));
  const auto k = static_cast<unsigned>(between(random, 1, 3));
  const std::uint64_t d = between(random, 0, 2);
  const std::size_t chunks = between(random, 1, 3);
  MemoryCircuits events(facts_of(N, k, d, chunks));
  if (between(random, 0, 2) > 0) {
    const std::vector<ChunkId> all = events.facts().collective.initial[0].chunks;
    for (NodeId node = 1; node < N; ++node) events.edit().collective.initial.push_back({node, all});
  }
  std::vector<NodeId> targets(std::size_t{N} * k, kNoNode);
  std::uint64_t time = 0;
  for (std::uint64_t left = between(random, 1, 8); left > 0; --left) {
    events.at(time);
    std::vector<std::pair<Circuit, std::vector<ChunkId>>> sends;
    for (std::uint64_t count = between(random, 0, 5); count > 0; --count) {
      const auto node = static_cast<NodeId>(between(random, 0, N - 1));
      const auto port = static_cast<std::uint32_t>(between(random, 0, k - 1));
      NodeId& target = targets[std::size_t{node} * k + port];
      if (target != kNoNode && between(random, 0, 2) > 0) {
        std::vector<ChunkId> carried;
        for (ChunkId chunk = 0; chunk < chunks; ++chunk) {
          if (carried.empty() || between(random, 0, 1) == 1) carried.push_back(chunk);
        }
        sends.push_back({{node, port, target}, carried});
      } else {
        target = static_cast<NodeId>((node + between(random, 1, N - 1)) % N);
        events.tune({node, port, target});
      }
    }
    for (const auto& [circuit, carried] : sends) events.send(circuit, carried);
    time += between(random, 1, 3);
  }
  return events;
}

TEST(CircuitNetwork, EveryAlgorithm_TakesItsClaimedTime) {
  constexpr Cycle kUnit = 8;  // chunks of 64 bytes
  for (const char* const algorithm :
       {"afsahi-b1", "afsahi-b2", "afsahi-b3", "afsahi-b4", "afsahi-scatter-direct", "afsahi-scatter",
        "afsahi-scatter-unequal", "afsahi-gossip-direct", "afsahi-gossip", "combined-total-exchange"}) {
    for (const std::uint64_t N : {2, 3, 16, 41, 130}) {
      for (unsigned k = 1; k <= 4; ++k) {
        if (k > 1 && std::string(algorithm) == "afsahi-scatter-unequal") continue;
        for (const std::uint64_t d : {0, 3}) {
          const auto schedule = circuits_by(algorithm, N, k, d);
          const std::uint64_t claimed = schedule->facts().claimed_units.value();
          const std::uint64_t messages = schedule->facts().messages;
          const Json result = played(MemoryCircuits(*schedule), machine_with(k, kUnit * d), kUnit);
          EXPECT_EQ(result["last_delivery"], kUnit * claimed)
              << algorithm << ' ' << N << ' ' << k << ' ' << d;
          EXPECT_EQ(result["messages"], messages) << algorithm << ' ' << N << ' ' << k << ' ' << d;
        }
      }
    }
  }
}

TEST(CircuitNetwork, RandomSchedules_AgreeWithTheChecker) {
  RandomNumbers random(17);
  unsigned legal = 0;
  unsigned illegal = 0;
  const unsigned rounds = test::cases(400);
  for (unsigned round = 0; round < rounds; ++round) {
    MemoryCircuits events = random_events(random);
    const CircuitReport report = check_events(events);
    events.rewind();
    const CircuitFacts& facts = events.facts();
    const Json result = played(events, machine_with(facts.send_ports, facts.reconfiguration), 1);
    ASSERT_EQ(report.legal, !result.contains("error"))
        << round << ": " << (report.legal ? result.dump() : report.violations.front().text);
    ++(report.legal ? legal : illegal);
    if (!report.legal) continue;
    EXPECT_EQ(result["last_delivery"], report.units) << round;
    EXPECT_EQ(result["max_arrivals"], report.max_arrivals) << round;
    EXPECT_EQ(result["redundant"], report.redundant_deliveries) << round;
    EXPECT_EQ(result["messages"], report.messages) << round;
    EXPECT_EQ(result["tunings"], report.tunings) << round;
  }
  EXPECT_GT(legal, rounds / 20);
  EXPECT_GT(illegal, rounds / 20);
}

}  // namespace
}  // namespace flitscope::circuit_machine_test
