// Recordings of a chip's network: what becomes of calls and barriers.
#include <gtest/gtest.h>

#include <array>

#include "model/route.h"
#include "sim/formats/recording.h"
#include "tests/support/formats.h"

namespace flitscope::test::npe_test {
namespace {

using Lines = std::vector<std::string>;

const Topology kTorus(TopologyKind::torus, {4, 3}, LinkDirections::plus);

std::string event(const std::string& type, const std::string& more, std::uint64_t cycle,
                  const std::string& network = "NOC_0", const std::string& tile = R"("sx":1,"sy":2)") {
  return R"({"proc":"BRISC","noc":")" + network + R"(","vc":-1,)" + tile + R"(,"type":")" + type + R"(",)" +
         more + R"("timestamp":)" + std::to_string(cycle) + "}";
}

std::string list(const std::vector<std::string>& events) {
  std::string text;
  for (const std::string& each : events) text += (text.empty() ? "[" : ",\n") + each;
  return text + "]";
}

const std::string kOther = R"("dx":3,"dy":0,"num_bytes":100,)";

Lines lines(const std::string& text) {
  const auto schedule = import_text("npe", text, ImportOptions(kTorus));
  return lines_of(*schedule);
}

TEST(Npe, Read_IsARequestOfAFlitAndAReplyWithItsData) {
  // Node x + 4 y; the head is 32 bytes.
  EXPECT_EQ(lines(list({event("READ", kOther, 1000), event("READ", kOther, 1040)})),
            (Lines{"1: 9 -> 3, 32 bytes", "1: 3 -> 9, 132 bytes, after 1.1",
                   "1: 9 -> 3, 32 bytes, after the start+40", "1: 3 -> 9, 132 bytes, after 1.3"}));
}

TEST(Npe, Write_CarriesItsDataAndIsAcknowledged) {
  EXPECT_EQ(lines(list({event("WRITE_", kOther, 5)})),
            (Lines{"1: 9 -> 3, 132 bytes", "1: 3 -> 9, 32 bytes, after 1.1"}));
}

TEST(Npe, LongTransfer_IsSplitAt8192Bytes) {
  EXPECT_EQ(lines(list({event("READ", R"("dx":1,"dy":2,"num_bytes":8193,)", 5)})),
            (Lines{"1: 9 -> 9, 32 bytes", "1: 9 -> 9, 8224 bytes, after 1.1", "1: 9 -> 9, 32 bytes",
                   "1: 9 -> 9, 33 bytes, after 1.3"}));
}

TEST(Npe, SecondNetwork_IsOneScheduleWithTheFirst) {
  const Topology both = Topology(TopologyKind::torus, {4, 3})
                            .in_networks({{.directions = LinkDirections::plus},
                                          {.directions = LinkDirections::minus, .first_dimension = 1}});
  const auto schedule = import_text(
      "npe", list({event("READ", kOther, 7), event("READ", kOther, 9, "NOC_1")}), ImportOptions(both));
  EXPECT_EQ(schedule->facts().classes, (Lines{"request", "reply", "request-1", "reply-1"}));
  Step step;
  ASSERT_TRUE(schedule->next(step));
  ASSERT_EQ(step.messages().size(), 4U);
  // From [1, 2] to [3, 0] and back.
  const std::array paths{"+2@0 +1@1", "+2@0 +2@1", "-2@1 -2@0", "-1@1 -2@0"};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Message& message = step.messages()[i];
    EXPECT_EQ(message.source, i % 2 == 0 ? 9U : 3U);
    EXPECT_EQ(step.message_class(message), i + 1);
    EXPECT_EQ(route_name(both, message.source, message.destination, message.route), paths[i]);
  }
}

TEST(Npe, RelativeCalls_FollowTheCallOrTheBarrierBefore) {
  const std::string text =
      list({event("READ", kOther, 100), event("READ", kOther, 130), event("READ_BARRIER_START", "", 140),
            event("READ_BARRIER_END", "", 400), event("READ", kOther, 425)});
  ImportOptions options(kTorus);
  options.replay.is_relative = true;
  const auto schedule = import_text("npe", text, options);
  Step step;
  ASSERT_TRUE(schedule->next(step));
  const auto waits = [&](std::size_t message) {
    const auto own = step.dependencies(step.messages()[message]);
    return std::vector(own.begin(), own.end());
  };
  EXPECT_EQ(waits(0), std::vector<Dependency>());
  EXPECT_EQ(waits(2), (std::vector<Dependency>{{message_id(1, 0), 30, true, 0}}));
  // Two replies of kind 2: those of reads. The processor computes 10 cycles before the barrier and 25 after
  // it.
  EXPECT_EQ(waits(4), (std::vector<Dependency>{{message_id(1, 2), 35, true, 0}, {2, 25, false, 2}}));
  EXPECT_EQ(step.kind(step.messages()[1]), 2U);
  EXPECT_EQ(step.kind(step.messages()[0]), 0U);
  EXPECT_EQ(step.message_class(step.messages()[0]), 1U);
  EXPECT_EQ(step.message_class(step.messages()[1]), 2U);
}

TEST(Npe, RelativeCalls_WaitForAllBarriersSinceTheLastCallOnBothNetworks) {
  const Topology both = Topology(TopologyKind::torus, {4, 3})
                            .in_networks({{.directions = LinkDirections::plus},
                                          {.directions = LinkDirections::minus, .first_dimension = 1}});
  const std::string text = list(
      {event("READ", kOther, 100), event("READ_BARRIER_START", "", 110), event("READ_BARRIER_END", "", 300),
       event("READ_BARRIER_START", "", 320), event("READ_BARRIER_END", "", 400),
       event("WRITE_", kOther, 405, "NOC_1"), event("WRITE_BARRIER_START", "", 410, "NOC_1"),
       event("WRITE_BARRIER_END", "", 450, "NOC_1"), event("READ_BARRIER_START", "", 455),
       event("READ_BARRIER_END", "", 500), event("READ", kOther, 510)});
  ImportOptions options(both);
  options.replay = {.is_relative = true, .empty_barrier = 50};
  const auto schedule = import_text("npe", text, options);
  Step step;
  ASSERT_TRUE(schedule->next(step));
  const auto waits = [&](std::size_t message) {
    const auto own = step.dependencies(step.messages()[message]);
    return std::vector(own.begin(), own.end());
  };
  // Computing 10, a barrier of at least 50, computing 20, an empty barrier of 80, computing 5.
  EXPECT_EQ(waits(2), (std::vector<Dependency>{{message_id(1, 0), 10 + 50 + 20 + 80 + 5, true, 0},
                                               {2, 20 + 80 + 5, false, 1}}));
  // Computing 5, a barrier of at least 50, computing 5, an empty barrier of 45, computing 10.
  EXPECT_EQ(waits(4), (std::vector<Dependency>{{message_id(1, 2), 5 + 50 + 5 + 45 + 10, true, 0},
                                               {3, 5 + 45 + 10, false, 1}}));
}

/// What the second call of a processor waits for in a closed loop, of calls in cycles 100 and 400 and a
/// barrier between.
std::vector<Dependency> waits_of_second_call(std::uint64_t start, std::uint64_t end,
                                             const std::vector<std::string>& before = {}) {
  std::vector<std::string> events = before;
  events.insert(events.end(), {event("READ", kOther, 100), event("READ_BARRIER_START", "", start),
                               event("READ_BARRIER_END", "", end), event("READ", kOther, 400)});
  ImportOptions options(kTorus);
  options.replay.is_relative = true;
  const auto schedule = import_text("npe", list(events), options);
  Step step;
  EXPECT_TRUE(schedule->next(step));
  const auto waits = step.dependencies(step.messages()[2]);
  return {waits.begin(), waits.end()};
}

TEST(Npe, RelativeCallInTheCycleInWhichABarrierEnds_WaitsForIt) {
  const std::vector<Dependency> waits{{message_id(1, 0), 40, true, 0}, {2, 0, false, 1}};
  EXPECT_EQ(waits_of_second_call(140, 400), waits);
  const std::string tile = R"("sx":0,"sy":0)";
  EXPECT_EQ(waits_of_second_call(140, 400,
                                 {event("READ_BARRIER_START", "", 400, "NOC_0", tile),
                                  event("READ_BARRIER_END", "", 400, "NOC_0", tile)}),
            waits);
}

TEST(Npe, RelativeCallInTheCycleInWhichABarrierBegins_IsBeforeIt) {
  EXPECT_EQ(waits_of_second_call(400, 400), (std::vector<Dependency>{{message_id(1, 0), 300, true, 0}}));
}

TEST(Npe, CallWithState_HasTheStatesPlaceAndBytes) {
  EXPECT_EQ(lines(list({event("WRITE_SET_STATE", kOther, 1),
                        event("WRITE_WITH_STATE", R"("dx":-1,"dy":-1,"num_bytes":0,)", 3)})),
            (Lines{"1: 9 -> 3, 132 bytes, after the start+2", "1: 3 -> 9, 32 bytes, after 1.1"}));
}

TEST(Npe, Barrier_BelongsToTheCallsSinceTheLastOneOfItsKind) {
  const Recording recording = read_recording(
      list({event("READ", kOther, 1), event("WRITE_", kOther, 2), event("READ_BARRIER_START", "", 3),
            event("READ_BARRIER_END", "", 9), event("READ", kOther, 10), event("WRITE_BARRIER_START", "", 11),
            event("WRITE_BARRIER_END", "", 20)}),
      "given");
  using Places = std::vector<std::optional<std::size_t>>;
  EXPECT_EQ(barriers_of_calls(recording), (Places{0, 1, std::nullopt}));
  EXPECT_EQ(recording.barriers[1].end, 19U);
}

TEST(Npe, WhatCannotBeReplayed_IsRefusedWithItsEvent) {
  const auto refusal = [](const std::vector<std::string>& events) {
    return import_refusal("npe", list(events), ImportOptions(kTorus));
  };
  const std::string read = event("READ", kOther, 1);
  EXPECT_EQ(refusal({read, event("WRITE_MULTICAST", "", 3)}),
            "given: event 2 is a multicast, which is not modelled");
  EXPECT_EQ(refusal({read, event("FABRIC_UNICAST_WRITE", kOther, 3)}),
            "given: event 2 goes to another chip: FABRIC_UNICAST_WRITE");
  EXPECT_EQ(refusal({event("READ", R"("dx":1,"dy":1,)", 3)}),
            "given: event 1 has no \"num_bytes\", or none above 0");
  EXPECT_EQ(refusal({event("READ", R"("num_bytes":8,)", 3)}),
            "given: event 1 has no \"dx\" and \"dy\", whole numbers from 0 to 65535: the other end of the "
            "transfer");
  EXPECT_EQ(refusal({event("READ", kOther, 3, "NOC_2")}),
            "given: event 1 has a \"noc\" that is neither NOC_0 nor NOC_1");
  EXPECT_EQ(refusal({event("READ", R"("dx":4,"dy":0,"num_bytes":1,)", 3)}),
            "given: event 1: x 4, y 0 is not on the 4x3 one-way torus, which has x below 4 and y below 3");
  EXPECT_EQ(refusal({event("READ", kOther, 3, "NOC_1")}),
            "given: event 1: it is on network 1; expected topology.networks, such as [{directions: plus}, "
            "{directions: minus, first_dimension: 1}]");
  EXPECT_EQ(refusal({read, event("READ_BARRIER_END", "", 3)}),
            "given: event 2 is the end of a barrier that has no start");
  EXPECT_EQ(refusal({read, event("READ_BARRIER_START", "", 3)}),
            "given: event 2 is the last, and a barrier of BRISC at x 1, y 2 has no end");
  EXPECT_EQ(refusal({read, event("READ_BARRIER_START", "", 3), event("READ_BARRIER_START", "", 4)}),
            "given: event 3 is the start of a barrier before the end of the last one");
  EXPECT_EQ(refusal({read, event("READ_BARRIER_START", "", 3), event("READ_BARRIER_END", "", 9),
                     event("READ_BARRIER_START", "", 8)}),
            "given: event 4 is the start of a barrier before the end of the last one");
  EXPECT_EQ(refusal({read, event("REDA", kOther, 3)}),
            "given: event 2 has the unknown \"type\" 'REDA'; types begin with READ, WRITE, SEMAPHORE or "
            "FABRIC, or are ATOMIC_BARRIER or FULL_BARRIER");
  EXPECT_EQ(refusal({event("SEMAPHORE_WAIT", "", 3)}), "given: has no reads and no writes");
  EXPECT_EQ(
      import_refusal("npe", "{}", ImportOptions(kTorus)),
      "given: expected a list of events, such as [{\"proc\":\"BRISC\",\"noc\":\"NOC_0\",\"type\":\"READ\", "
      "..}]");
  EXPECT_EQ(import_refusal("npe", "[{}]", ImportOptions(kTorus)),
            "given: event 1 has no \"timestamp\"; a list is read as a recording (npe)");
}

TEST(Npe, WaitLongerThanOfASchedule_IsRefused) {
  const auto later = [](std::uint64_t cycles) {
    return list({event("READ", kOther, 1), event("READ", kOther, 1 + cycles)});
  };
  EXPECT_EQ(lines(later(kMaxWait))[2], "1: 9 -> 3, 32 bytes, after the start+1000000000000000");
  EXPECT_EQ(import_refusal("npe", later(kMaxWait + 1), ImportOptions(kTorus)),
            "given: event 2 waits for 1000000000000001 cycles; at most 1000000000000000 are possible");
}

}  // namespace
}  // namespace flitscope::test::npe_test
