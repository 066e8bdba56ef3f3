// The checker of event schedules: refusals, with their places.
#include "sim/analysis/circuit_checker.h"

#include <gtest/gtest.h>

#include "tests/support/circuit_schedules.h"

namespace flitscope::circuit_checker_test {
namespace {

/// A broadcast on N nodes with k ports and d units of tuning.
CircuitFacts broadcast(std::uint64_t N, unsigned k, std::uint64_t d) {
  CircuitFacts facts({Topology::complete(N), k, d});
  facts.algorithm = "by-hand";
  facts.collective = Collective::broadcast(0, 64);
  return facts;
}

/// Node 0 informs 1, which informs 2: legal.
MemoryCircuits chain(std::uint64_t d = 2) {
  MemoryCircuits events(broadcast(3, 1, d));
  events.at(0).tune({0, 0, 1}).tune({1, 0, 2});
  events.at(d).send({0, 0, 1});
  events.at(d + 1).send({1, 0, 2});
  return events;
}

void expect_violation(MemoryCircuits events, ViolationKind kind, const std::string& words) {
  const CircuitReport report = check_events(events);
  EXPECT_FALSE(report.legal);
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(report.violations[0].kind, kind) << report.violations[0].text;
  EXPECT_NE(report.violations[0].text.find(words), std::string::npos) << report.violations[0].text;
}

TEST(CircuitChecker, Chain_IsAccepted) {
  MemoryCircuits events = chain();
  const CircuitReport report = check_events(events);
  EXPECT_TRUE(report.legal);
  EXPECT_EQ(report.units, 4U);
  EXPECT_EQ(report.steps, 2U);
  EXPECT_EQ(report.tunings, 2U);
  EXPECT_EQ(report.max_arrivals, 1U);
}

TEST(CircuitChecker, CircuitStillTuning_IsRefused) {
  MemoryCircuits events(broadcast(3, 2, 2));
  events.at(0).tune({0, 0, 1});
  events.at(1).send({0, 0, 1});
  expect_violation(events, ViolationKind::no_circuit,
                   "time 1, step 1, message 1: node 0 -> node 1: port 0 is being tuned");
}

TEST(CircuitChecker, CircuitToAnotherNode_IsRefused) {
  MemoryCircuits events(broadcast(3, 2, 0));
  events.at(0).tune({0, 0, 1}).send({0, 0, 2});
  expect_violation(events, ViolationKind::no_circuit, "port 0 leads to node 1; it must be tuned to node 2");
  MemoryCircuits dark(broadcast(3, 2, 0));
  dark.at(0).send({0, 1, 2});
  expect_violation(dark, ViolationKind::no_circuit, "port 1 was never tuned");
}

TEST(CircuitChecker, CircuitPresentAtTheStart_NeedsNoTuning) {
  MemoryCircuits events(broadcast(2, 1, 5));
  events.edit().circuits = {{0, 0, 1}};
  events.at(0).send({0, 0, 1});
  EXPECT_TRUE(check_events(events).legal);
}

TEST(CircuitChecker, PortThatSends_CannotSendAnotherMessage) {
  MemoryCircuits events(broadcast(2, 2, 0));
  events.edit().collective.chunk_bytes = {8, 8};
  events.edit().collective.initial = {{0, {0, 1}}};
  events.at(0).tune({0, 0, 1}).send({0, 0, 1}, {0, 1});
  events.at(1).send({0, 0, 1}, {1});
  expect_violation(events, ViolationKind::port_busy,
                   "time 1, step 2, message 1: node 0 -> node 1: port 0 sends until 2");
}

TEST(CircuitChecker, PortThatSends_CannotBeTuned) {
  MemoryCircuits events(broadcast(3, 1, 1));
  events.edit().collective.chunk_bytes = {8, 8};
  events.edit().collective.initial = {{0, {0, 1}}};
  events.at(0).tune({0, 0, 1});
  events.at(1).send({0, 0, 1}, {0, 1});
  events.at(2).tune({0, 0, 2});
  expect_violation(events, ViolationKind::port_busy,
                   "port 0 of node 0 cannot be tuned to node 2: it sends until 3");
}

TEST(CircuitChecker, SenderWithoutTheChunk_IsRefused) {
  MemoryCircuits events = chain(1);
  events.events()[1].send({1, 0, 2}, std::vector<ChunkId>{0});  // when node 0 only begins
  expect_violation(events, ViolationKind::not_held,
                   "time 1, step 1, message 2: node 1 -> node 2: node 1 does not hold");
}

TEST(CircuitChecker, MoreArrivalsThanPorts_AreRefused) {
  MemoryCircuits events(broadcast(4, 2, 0));
  events.edit().collective.initial = {{0, {0}}, {1, {0}}, {2, {0}}};
  events.at(7);
  for (const NodeId node : {0U, 1U, 2U}) events.tune({node, 0, 3}).send({node, 0, 3});
  const CircuitReport report = check_events(events);
  ASSERT_EQ(report.violation_count, 1U);
  EXPECT_EQ(report.violations[0].kind, ViolationKind::receive_ports);
  for (const char* words : {"time 7", "message 3 that arrives at node 3", "may receive 2",
                            "message 1 from node 0", "message 2 from node 1"}) {
    EXPECT_NE(report.violations[0].text.find(words), std::string::npos) << report.violations[0].text;
  }
}

TEST(CircuitChecker, NodesPortsAndChunksThatDoNotExist_AreRefused) {
  for (const auto& [circuit, kind] :
       std::vector<std::pair<Circuit, ViolationKind>>{{{3, 0, 1}, ViolationKind::no_such_node},
                                                      {{0, 0, 3}, ViolationKind::no_such_node},
                                                      {{0, 1, 1}, ViolationKind::no_such_port},
                                                      {{0, 0, 0}, ViolationKind::self_message}}) {
    MemoryCircuits events(broadcast(3, 1, 0));
    events.at(0).tune(circuit);
    expect_violation(events, kind, "time 0");
  }
  MemoryCircuits events(broadcast(2, 1, 0));
  events.at(0).tune({0, 0, 1}).send({0, 0, 1}, {1});
  expect_violation(events, ViolationKind::no_such_chunk, "carries chunk 1");
  MemoryCircuits twice(broadcast(2, 1, 0));
  twice.at(0).tune({0, 0, 1}).send({0, 0, 1}, {0, 0});
  expect_violation(twice, ViolationKind::repeated_chunk, "carries chunk 0 twice");
  MemoryCircuits empty(broadcast(2, 1, 0));
  empty.at(0).tune({0, 0, 1}).send({0, 0, 1}, {});
  expect_violation(empty, ViolationKind::empty_message, "carries nothing");
}

TEST(CircuitChecker, UnusedPorts_TakeNoMemory) {
  MemoryCircuits ports = chain();
  ports.edit().send_ports = 4'000'000'000;  // of four nodes: 384 GB, if each were kept
  EXPECT_TRUE(check_events(ports).legal);
}

TEST(CircuitChecker, TimesThatDoNotRiseAndWrongTotals_AreRefused) {
  MemoryCircuits back = chain();
  back.at(1).send({0, 0, 1});
  expect_violation(back, ViolationKind::order, "times must rise");
  MemoryCircuits steps = chain();
  steps.edit().steps = 7;
  expect_violation(steps, ViolationKind::steps, "2 steps, but announces 7");
  MemoryCircuits tunings = chain();
  tunings.edit().tunings = 1;
  expect_violation(tunings, ViolationKind::messages, "2 tunings, but announces 1");
}

TEST(CircuitChecker, ChunksOfDifferentSizes_AreRefused) {
  MemoryCircuits events = chain();
  events.edit().collective.chunk_bytes = {64, 65};
  expect_violation(events, ViolationKind::collective, "chunk 1 has 65 bytes");
}

TEST(CircuitChecker, LateSchedule_BreaksItsClaim) {
  MemoryCircuits events = chain();
  events.edit().claimed_units = 3;
  EXPECT_EQ(check_events(events).claim_kept, false);
  events.rewind();
  events.edit().claimed_units = 4;
  EXPECT_EQ(check_events(events).claim_kept, true);
}

/// The broadcast of Figure 2, every event of which is needed.
MemoryCircuits figure_2() {
  return MemoryCircuits(*circuits_by("afsahi-b4", 41, 2, 1));
}

TEST(CircuitChecker, Figure2WithoutAnyEvent_IsRefused) {
  MemoryCircuits whole = figure_2();
  std::size_t left_out = 0;
  for (std::size_t m = 0; m < whole.events().size(); ++m) {
    const CircuitEvent& event = whole.events()[m];
    const std::size_t events = event.tunings().size() + event.messages().size();
    for (std::size_t victim = 0; victim < events; ++victim, ++left_out) {
      CircuitEvent less;
      less.clear(event.time());
      std::size_t index = 0;
      for (const Circuit& circuit : event.tunings()) {
        if (index++ != victim) less.tune(circuit);
      }
      for (const CircuitMessage& message : event.messages()) {
        if (index++ != victim) less.send(message.circuit, event.chunks(message));
      }
      MemoryCircuits events_left = figure_2();
      events_left.events()[m] = less;
      EXPECT_FALSE(check_events(events_left).legal) << "time " << event.time() << ", event " << victim;
    }
  }
  EXPECT_EQ(left_out, 46U);  // 40 messages, 6 tunings
}

TEST(CircuitChecker, Figure2WithAnyEventEarlier_IsRefused) {
  MemoryCircuits whole = figure_2();
  for (std::size_t m = 1; m < whole.events().size(); ++m) {
    MemoryCircuits early = figure_2();
    CircuitEvent merged = early.events()[m - 1];
    for (const Circuit& circuit : early.events()[m].tunings()) merged.tune(circuit);
    for (const CircuitMessage& message : early.events()[m].messages()) {
      merged.send(message.circuit, early.events()[m].chunks(message));
    }
    early.events()[m - 1] = merged;
    early.events().erase(early.events().begin() + static_cast<std::ptrdiff_t>(m));
    EXPECT_FALSE(check_events(early).legal) << m;
  }
}

}  // namespace
}  // namespace flitscope::circuit_checker_test
