// GOAL: what is read, what messages wait for, what is refused.
#include <gtest/gtest.h>

#include "tests/support/formats.h"

namespace flitscope::test::goal_test {
namespace {

using Lines = std::vector<std::string>;

const Topology kRing(TopologyKind::torus, {4});

Lines read(const std::string& text) {
  return lines_of(*import_text("goal", text, kRing));
}

TEST(Goal, Receive_PrecedesWhatRequiresIt) {
  const std::string text = R"(num_ranks 4
// a binomial tree
rank 0 {
l1: send 8b to 2 tag 7
l2: send 8b to 1 tag 7 cpu 0 nic 1
}
rank 2 {
  a: recv 8b from 0 tag 7   /* from the
                               root */
  b: send 8b to 3
  b requires a
}
rank 1 { l1: recv 8b from 0 tag 7 cpu 1 }
rank 3 { recv 8b from 2 }
)";
  EXPECT_EQ(read(text), (Lines{"1: 0 -> 2, 8 bytes", "1: 0 -> 1, 8 bytes", "1: 2 -> 3, 8 bytes, after 1.1"}));
  EXPECT_EQ(problems_of(*import_text("goal", text, kRing)), "");
}

TEST(Goal, Calculations_AreWaits) {
  // By the longest way: 30 after the receive and 50 + 7 after the beginning.
  const std::string text = R"(num_ranks 2
rank 0 { send 8b to 1  x: recv 8b from 1 }
rank 1 {
a: recv 8b from 0
c1: calc 10
c2: calc 20
c3: calc 50
c4: calc 7
s: send 8b to 0
c1 requires a
c2 requires c1
c4 requires c3
s requires c2
s requires c4
s requires a
})";
  EXPECT_EQ(read(text),
            (Lines{"1: 0 -> 1, 8 bytes", "1: 1 -> 0, 8 bytes, after the start+57, after 1.1+30"}));
}

/// No step ends between them: the end of a long calculation of rank 0 delays nothing of the others.
TEST(Goal, MessagesOfUnrelatedRanks_DoNotWaitForOneAnother) {
  const std::string text = R"(num_ranks 4
rank 0 { c: calc 100000 s: send 8b to 1 s requires c }
rank 1 { recv 8b from 0 }
rank 2 { s: send 8b to 3 r: recv 8b from 3 t: send 8b to 3 t requires r }
rank 3 { r: recv 8b from 2 s: send 8b to 2 recv 8b from 2 s requires r }
)";
  EXPECT_EQ(read(text), (Lines{"1: 0 -> 1, 8 bytes, after the start+100000", "1: 2 -> 3, 8 bytes",
                               "1: 3 -> 2, 8 bytes, after 1.2", "1: 2 -> 3, 8 bytes, after 1.3"}));
}

TEST(Goal, ExportOfOneStep_IsReadAsOneStep) {
  const std::string text =
      "num_ranks 3 rank 0 { send 8b to 1 } rank 1 { r: recv 8b from 0 s: send 8b to 2 s requires r } "
      "rank 2 { recv 8b from 1 }";
  const Lines lines{"1: 0 -> 1, 8 bytes", "1: 1 -> 2, 8 bytes, after 1.1"};
  EXPECT_EQ(read(text), lines);
  const auto exported = FormatRegistry::find("goal")->write(*import_text("goal", text, kRing));
  EXPECT_EQ(read(exported.front().text), lines);
}

TEST(Goal, CalculationsThatNoMessageWaitsFor_AreNoted) {
  const auto notes_of = [](const std::string& second) {
    std::vector<std::string> notes;
    ImportOptions options(kRing);
    options.note = [&](const std::string& text) { notes.push_back(text); };
    static_cast<void>(
        import_text("goal", "num_ranks 2 rank 0 { send 8b to 1 } rank 1 { " + second + " }", options));
    return notes;
  };
  EXPECT_TRUE(notes_of("recv 8b from 0").empty());
  const auto notes = notes_of("r: recv 8b from 0 c: calc 30 d: calc 12 e: calc 7 c requires r d requires c");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("42 cycles"), std::string::npos) << notes[0];
}

TEST(Goal, Sends_FollowOneAnother) {
  const std::string text = R"(num_ranks 3
rank 0 {
a: send 8b to 1
b: send 8b to 2
c: send 8b to 2
d: calc 9
e: send 8b to 2
b requires a
c requires b
d requires c
e requires d
}
rank 1 { recv 8b from 0 }
rank 2 { recv 8b from 0 recv 8b from 0 recv 8b from 0 })";
  EXPECT_EQ(read(text), (Lines{"1: 0 -> 1, 8 bytes", "1: 0 -> 2, 8 bytes, behind 1.1",
                               "1: 0 -> 2, 8 bytes, behind 1.2", "1: 0 -> 2, 8 bytes, behind 1.3+9"}));
}

TEST(Goal, SendBehindALaterOneOfTheFile_ComesNextAfterIt) {
  const std::string text = R"(num_ranks 4
rank 0 {
a: send 8b to 1
b: send 8b to 2
c: send 8b to 3
d: send 16b to 1
b requires c
}
rank 1 { recv 8b from 0 recv 16b from 0 }
rank 2 { recv 8b from 0 }
rank 3 { recv 8b from 0 })";
  EXPECT_EQ(read(text), (Lines{"1: 0 -> 1, 8 bytes", "1: 0 -> 3, 8 bytes", "1: 0 -> 2, 8 bytes, behind 1.2",
                               "1: 0 -> 1, 16 bytes"}));
}

TEST(Goal, Irequires_WaitsForTheStart) {
  const std::string text = R"(num_ranks 3
rank 0 { send 8b to 1 }
rank 1 {
r: recv 8b from 0
c: calc 100
s: send 8b to 2
t: send 8b to 0
c requires r
s irequires c
t irequires r
}
rank 2 { recv 8b from 1 }
)";
  const std::string whole = text.substr(0, text.find("send 8b to 1")) + "send 8b to 1 recv 8b from 1" +
                            text.substr(text.find("send 8b to 1") + 12);
  EXPECT_EQ(read(whole),
            (Lines{"1: 0 -> 1, 8 bytes", "1: 1 -> 0, 8 bytes", "1: 1 -> 2, 8 bytes, after 1.1"}));
}

TEST(Goal, OtherClock_ChangesTheWaits) {
  ImportOptions options(kRing);
  options.clock = ClockPeriod(2000);
  const auto schedule = import_text(
      "goal", "num_ranks 2 rank 0 { c: calc 5 s: send 0b to 1 s requires c } rank 1 { recv 0b from 0 }",
      options);
  EXPECT_EQ(lines_of(*schedule), Lines{"1: 0 -> 1, 0 bytes, after the start+3"});
}

TEST(Goal, SendBehindASendOfItsStep_IsExported) {
  const std::string text =
      "num_ranks 3 rank 0 { l1: send 8b to 1 l2: send 8b to 2 l2 requires l1 } rank 1 { recv 8b from 0 } "
      "rank 2 { recv 8b from 0 }";
  const Lines lines{"1: 0 -> 1, 8 bytes", "1: 0 -> 2, 8 bytes, behind 1.1"};
  EXPECT_EQ(read(text), lines);
  const auto exported = FormatRegistry::find("goal")->write(*import_text("goal", text, kRing));
  EXPECT_EQ(read(exported.front().text), lines);
}

TEST(Goal, InvalidText_IsRefused) {
  const ImportOptions options(kRing);
  const auto refusal = [&](const std::string& text) { return import_refusal("goal", text, options); };
  EXPECT_EQ(refusal("ranks 3"), "given:1:1: a GOAL file begins with num_ranks N, not 'ranks'");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { send b to 1 }"),
            "given:2:15: expected a whole number from 0 to 1099511627776, not 'b'");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { : }"), "given:2:10: expected an operation or a label, not ':'");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { a: b: }"), "given:2:13: expected send, recv or calc, not 'b'");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 {\n  sent 3b to 1\n}"),
            "given:3:8: ':', requires or irequires must follow 'sent', not '3'");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { send 3b to 2 }"),
            "given:2:10: there is no rank 2; there are 2, from 0");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { send 3b to 0 }"), "given:2:10: rank 0 sends to itself");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { send 3b to 1 tag 4 }"),
            "given:2:10: rank 0 sends to rank 1 with tag 4, but rank 1 does not receive it");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { recv 3b from 1 }"),
            "given:2:10: rank 0 receives from rank 1 with tag 0, but rank 1 does not send it");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { send 3b to 1 }\nrank 1 { recv 4b from 0 }"),
            "given:3:10: rank 1 receives 4 from rank 0 with tag 0, but 3 are sent");
  EXPECT_EQ(
      refusal("num_ranks 2\nrank 0 { recv 3b from -1 }"),
      "given:2:23: a receive from any rank is not understood: the message it receives depends on times");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { a: calc 1 a requires b }"),
            "given:2:31: rank 0 has no operation with label 'b'");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { calc 1"), "given:2:16: the block of rank 0 does not end");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { } rank 0 { }"), "given:2:17: rank 0 has a second block");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 { /* }"), "given:2:10: this comment does not end");
  EXPECT_EQ(refusal("num_ranks 9"), "given:1:11: has 9 ranks, but the ring of 4 nodes has 4 nodes");
  EXPECT_EQ(
      refusal("num_ranks 2\nrank 0 { a: recv 1b from 1 b: send 1b to 1 b requires a }\n"
              "rank 1 { a: recv 1b from 0 b: send 1b to 0 b requires a }"),
      "given:2:13: operations wait for one another in a dependency cycle: this receive of rank 0 from rank 1 "
      "waits for a "
      "send of rank 1 to rank 0");
}

TEST(Goal, StepBeyondTheMaximum_IsRefused) {
  EXPECT_EQ(import_refusal("goal",
                           "num_ranks 2\n// flitscope step 2147483647\nrank 0 { send 8b to 1 }\n"
                           "rank 1 { recv 8b from 0 }",
                           ImportOptions(kRing)),
            "given:3:10: has step 2147483647; at most 16777216 are possible");
}

TEST(Goal, WaitInCycles_DoesNotDependOnTheClock) {
  const std::string text = R"(num_ranks 2
rank 0 {
// flitscope cycles 10
c: calc 10
s: send 8b to 1
t: send 8b to 1
d: calc 10
s requires c
d requires s
t requires d
}
rank 1 { recv 8b from 0 recv 8b from 0 })";
  ImportOptions options(kRing);
  options.clock = *ClockPeriod::parse("2GHz").value;
  EXPECT_EQ(lines_of(*import_text("goal", text, options)),
            (Lines{"1: 0 -> 1, 8 bytes, after the start+10", "1: 0 -> 1, 8 bytes, behind 1.1+20"}));
  EXPECT_EQ(import_refusal("goal", "num_ranks 1\n// flitscope cycles x\nrank 0 { calc 1 }", options),
            "given:2:1: cycles are a whole number from 0 to 1000000000000000, not 'x'");
}

TEST(Goal, StepThatIsNoNumberFromOne_IsRefused) {
  for (const std::string step : {"0", "4294967296", "one", "2 3"}) {
    EXPECT_EQ(import_refusal("goal",
                             "num_ranks 2\n// flitscope step " + step +
                                 "\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }",
                             ImportOptions(kRing)),
              "given:2:1: a step is a whole number from 1, not '" + step + "'");
  }
}

}  // namespace
}  // namespace flitscope::test::goal_test
