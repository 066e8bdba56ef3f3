// tsay-wang: steps, legality, the worked examples, and how the rules as printed fail.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/error.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/schedule_legality.h"

namespace flitscope::tsay_wang_phases_test {
namespace {

using test::check_broadcast;
using test::equal_torus;
using test::least_exponent;
using test::make_broadcast;
using test::power;
using test::small_tori;

constexpr auto kName = "tsay-wang";
using Strings = std::vector<std::string>;
using Coordinates = std::vector<std::uint32_t>;
using Choices = std::map<std::string, std::string>;

/// Section 7: what the paper promises, of which the "+1" is for an alignment that d <= 2 does not need.
std::uint64_t claimed_steps(std::uint64_t n, unsigned d) {
  const unsigned p = 2 * d + 1;
  return n % 2 == 1 ? d * least_exponent(p, n) + 1 : d * least_exponent(p, n - 1) + (d + 1) / 2 + 1;
}

/// Messages that inform a node again: those of the alignment, on the torus of side N that the phases run on.
std::uint64_t redundant_messages(std::uint64_t side, unsigned d) {
  return d < 3 ? 0 : power(side, d - 1) - power(side, d - 2);
}

void expect_legal(const Topology& torus, const Coordinates& source) {
  const std::uint64_t n = torus.side(0);
  const unsigned d = torus.dimensions();
  const auto schedule = make_broadcast(kName, torus, source);
  ASSERT_EQ(schedule->facts().claimed_steps, claimed_steps(n, d)) << torus.name();
  ASSERT_EQ(schedule->facts().claimed_channel_load, 1U);
  ASSERT_EQ(schedule->facts().stages.back().last_step, schedule->facts().steps);
  const auto legality = check_broadcast(*schedule, d < 3 ? test::Repeats::forbidden : test::Repeats::allowed);
  ASSERT_FALSE(legality.violation) << torus.name() << ": " << *legality.violation;
  EXPECT_EQ(legality.steps, claimed_steps(n, d) - (d <= 2 ? 1 : 0)) << torus.name();
  EXPECT_EQ(legality.messages, torus.nodes() - 1 + redundant_messages(n % 2 == 1 ? n : n - 1, d))
      << torus.name();
}

/// What the checker says, with the links that carry several messages, by step.
struct Conflicts {
  CheckReport report;
  std::map<std::uint64_t, std::uint64_t> shared_links;
};

Conflicts conflicts(std::uint32_t n, unsigned d, const Choices& choices) {
  Conflicts found;
  CheckOptions options;
  options.on_step = [&](const StepSummary& step) {
    if (step.load.shared_links > 0) found.shared_links[step.step] = step.load.shared_links;
  };
  const auto schedule = make_broadcast(kName, equal_torus(n, d), {}, choices);
  found.report = check_schedule(*schedule, options);
  return found;
}

/// What the node with these coordinates, written together, sends in each step.
std::vector<Strings> sent_by(const std::string& node, const Topology& torus, Schedule& schedule,
                             std::vector<std::size_t>& messages) {
  std::vector<Strings> steps;
  Step step;
  while (schedule.next(step)) {
    messages.push_back(step.messages().size());
    Strings& sent = steps.emplace_back();
    for (const std::string& line : test::described(torus, step)) {
      if (line.starts_with(node + " ")) sent.push_back(line);
    }
  }
  return steps;
}

TEST(TsayWang, ThreeDimensionsSideSeven_IsTheWorkedExample) {
  const Topology torus = equal_torus(7, 3);
  const auto schedule = make_broadcast(kName, torus);
  std::vector<std::size_t> messages;
  const std::vector<Strings> sent = sent_by("000", torus, *schedule, messages);
  EXPECT_EQ(messages, (std::vector<std::size_t>{6, 42, 42, 294}));
  EXPECT_EQ(sent, (std::vector<Strings>{
                      {"000 -> 111 by +1@0 +1@1 +1@2", "000 -> 222 by +2@1 +2@2 +2@0",
                       "000 -> 333 by +3@2 +3@0 +3@1", "000 -> 666 by -1@0 -1@1 -1@2",
                       "000 -> 555 by -2@1 -2@2 -2@0", "000 -> 444 by -3@2 -3@0 -3@1"},
                      {"000 -> 160 by +1@0 +6@1", "000 -> 250 by +5@1 +2@0", "000 -> 014 by +4@2 +1@1",
                       "000 -> 610 by -1@0 -6@1", "000 -> 520 by -5@1 -2@0", "000 -> 063 by -4@2 -1@1"},
                      {},
                      {"000 -> 100 by +1@0", "000 -> 050 by -2@1", "000 -> 004 by -3@2", "000 -> 600 by -1@0",
                       "000 -> 020 by +2@1", "000 -> 003 by +3@2"},
                  }));
  const std::vector<Stage> stages{
      {"phase 1", 1, 1}, {"phase 2", 2, 2}, {"alignment", 3, 3}, {"phase 3", 4, 4}};
  EXPECT_EQ(schedule->facts().stages, stages);
}

TEST(TsayWang, Alignment_ThreeDimensionsSideSeven_Informs211From111) {
  const Topology torus = equal_torus(7, 3);
  std::vector<std::size_t> messages;
  const auto sent = sent_by("111", torus, *make_broadcast(kName, torus), messages);
  EXPECT_EQ(sent[2], Strings{"111 -> 211 by +1@0"});
}

TEST(TsayWang, ExtraPhase_IsTheWorkedExample) {
  const Topology torus = equal_torus(4, 3);
  std::vector<std::size_t> messages;
  const auto sent = sent_by("210", torus, *make_broadcast(kName, torus), messages);
  const Strings& first_extra_step = sent[sent.size() - 2];
  EXPECT_NE(std::ranges::find(first_extra_step, "210 -> 313 by -1@2 -3@0"), first_extra_step.end());
}

TEST(TsayWang, FromOrigin_LegalWithLoadOneInTheClaimedSteps) {
  for (const Topology& torus : small_tori()) expect_legal(torus, torus.coordinates(0));
}

TEST(TsayWang, FromShiftedSource_LegalWithLoadOneInTheClaimedSteps) {
  for (const Topology& torus : small_tori()) expect_legal(torus, test::shifted_source(torus));
}

TEST(TsayWang, SevenToNineDimensions_IsLegal) {
  for (const auto& [n, d] : std::vector<std::pair<std::uint32_t, unsigned>>{{3, 7}, {4, 7}, {3, 8}, {3, 9}}) {
    expect_legal(equal_torus(n, d), {});
  }
}

TEST(TsayWang, SmallTorus_AnySource_IsLegal) {
  for (const auto& torus : {equal_torus(6, 2), equal_torus(5, 3), equal_torus(4, 4)}) {
    for (NodeId source = 0; source < torus.nodes(); ++source) expect_legal(torus, torus.coordinates(source));
  }
}

TEST(TsayWang, UpToEightDimensions_FactsFollowTheFormulas) {
  for (unsigned d = 1; d <= 8; ++d) {
    for (std::uint32_t n = 3; n <= 1000 && power(n, d) <= power(2, 31); ++n) {
      if (n % 2 == 0 && d / 2 > n - 1) continue;
      const auto schedule = make_broadcast(kName, equal_torus(n, d));
      const ScheduleFacts& facts = schedule->facts();
      ASSERT_EQ(facts.claimed_steps, claimed_steps(n, d)) << "n " << n << " d " << d;
      ASSERT_EQ(facts.steps, claimed_steps(n, d) - (d <= 2 ? 1 : 0)) << "n " << n << " d " << d;
      ASSERT_EQ(facts.messages, power(n, d) - 1 + redundant_messages(n % 2 == 1 ? n : n - 1, d));
    }
  }
}

TEST(TsayWang, EvenSideWithoutExtraPhase_UpToThreeDimensions_IsLegal) {
  for (unsigned d = 1; d <= 3; ++d) {
    for (std::uint32_t n = 4; n <= (d == 3 ? 26U : 40U); n += 2) {
      for (const bool shifted : {false, true}) {
        const Topology torus = equal_torus(n, d);
        const auto schedule = make_broadcast(
            kName, torus, shifted ? test::shifted_source(torus) : Coordinates{}, {{"even", "phases-only"}});
        const auto legality = check_broadcast(*schedule, test::Repeats::allowed);
        ASSERT_FALSE(legality.violation) << torus.name() << ": " << *legality.violation;
        EXPECT_EQ(legality.steps, d * least_exponent(2 * d + 1, n) + (d == 3 ? 1 : 0)) << torus.name();
        EXPECT_EQ(legality.messages, torus.nodes() - 1 + redundant_messages(n, d)) << torus.name();
      }
    }
  }
}

TEST(TsayWang, SideIsPowerOfP_AllReadingsAreTheSame) {
  for (const auto& [n, d] :
       std::vector<std::pair<std::uint32_t, unsigned>>{{9, 1}, {25, 2}, {7, 3}, {9, 4}}) {
    const Topology torus = equal_torus(n, d);
    for (const std::string reading : {"bounded", "literal"}) {
      const auto working = make_broadcast(kName, torus);
      const auto other = make_broadcast(kName, torus, {}, {{"reading", reading}});
      ASSERT_EQ(working->facts().messages, other->facts().messages);
      Step one;
      Step same;
      while (working->next(one)) {
        ASSERT_TRUE(other->next(same));
        ASSERT_EQ(test::described(torus, one), test::described(torus, same)) << torus.name();
      }
    }
  }
}

TEST(TsayWang, BoundedReading_IsLegalAndSendsRedundantMessages) {
  std::uint64_t wasteful = 0;
  for (const Topology& torus : small_tori()) {
    if (torus.nodes() > 3000) continue;
    const auto schedule = make_broadcast(kName, torus, {}, {{"reading", "bounded"}});
    const auto legality = check_broadcast(*schedule, test::Repeats::allowed);
    ASSERT_FALSE(legality.violation) << torus.name() << ": " << *legality.violation;
    const std::uint64_t needed = make_broadcast(kName, torus)->facts().messages;
    ASSERT_GE(legality.messages, needed) << torus.name();
    wasteful += legality.messages > needed ? 1 : 0;
  }
  EXPECT_GT(wasteful, 100U);
}

TEST(TsayWang, LiteralReading_OverloadsLinks) {
  using Overloads = std::map<std::uint64_t, std::uint64_t>;
  struct Case {
    std::uint32_t n;
    unsigned d;
    Overloads by_step;
  };
  const std::vector<Case> cases{{7, 2, {{4, 42}}}, {9, 2, {{4, 18}}}, {3, 4, {{2, 6}, {3, 18}}}};
  for (const auto& [n, d, by_step] : cases) {
    const Conflicts found = conflicts(n, d, {{"reading", "literal"}});
    EXPECT_EQ(found.shared_links, by_step) << "n " << n << " d " << d;
    EXPECT_TRUE(found.report.legal);  // all nodes are covered all the same
    EXPECT_EQ(found.report.claim_kept, false);
  }
  const Conflicts large = conflicts(9, 3, {{"reading", "literal"}});
  EXPECT_EQ(large.report.shared_links, 2916U);
  ASSERT_EQ(large.shared_links.size(), 2U);
  EXPECT_TRUE(large.shared_links.contains(4) && large.shared_links.contains(7));
}

TEST(TsayWang, LiteralReading_SendsTwoMessagesOverTheFirstLinkOfTheOrigin) {
  // d = 2, n = 7, step 4: [0, 0]-1 carries 00 -> 05 and 01 -> 06.
  const Topology torus = equal_torus(7, 2);
  const auto schedule = make_broadcast(kName, torus, {}, {{"reading", "literal"}});
  Step step;
  for (int number = 1; number <= 4; ++number) ASSERT_TRUE(schedule->next(step));
  const ChannelId link = torus.channel(0, port_of(1, Sign::minus));
  Strings carried;
  for (const Message& message : step.messages()) {
    for_each_channel(torus, message.source, message.destination, message.route, [&](ChannelId channel) {
      if (channel == link) {
        carried.push_back(torus.node_name(message.source) + torus.node_name(message.destination));
      }
    });
  }
  std::ranges::sort(carried);
  EXPECT_EQ(carried, (Strings{"[0, 0][0, 5]", "[0, 1][0, 6]"}));
}

TEST(TsayWang, PrintedExtraPhase_OverloadsLinks) {
  EXPECT_EQ(conflicts(4, 3, {{"extra", "literal"}}).report.shared_links, 1U);
  EXPECT_EQ(conflicts(4, 3, {{"extra", "ordered"}}).report.shared_links, 0U);
  EXPECT_EQ(conflicts(4, 4, {{"extra", "ordered"}}).report.shared_links, 6U);
  EXPECT_EQ(conflicts(6, 4, {{"extra", "ordered"}}).report.shared_links, 10U);
  EXPECT_EQ(conflicts(4, 4, {{"extra", "spread"}}).report.shared_links, 0U);
}

std::pair<std::string, std::string> refusal(const std::string& algorithm, const Topology& topology,
                                            const Choices& choices = {}) {
  try {
    (void)make_broadcast(algorithm, topology, {}, choices);
  } catch (const Inadmissible& error) {
    return {error.key(), error.what()};
  }
  return {"nothing", ""};
}

TEST(TsayWangRefuses, EvenSideWithoutExtraPhase_FourDimensions_IsRefused) {
  EXPECT_EQ(refusal(kName, equal_torus(4, 4), {{"even", "phases-only"}}),
            std::pair(std::string("workload.even"),
                      std::string("tsay-wang on an even side n = 4 without an extra phase needs d <= 3 "
                                  "dimensions, not 4: Lemma 6 fails (choose even: extra-phase)")));
}

TEST(TsayWangRefuses, MoreDimensionsThanTheExtraPhaseAdmits_AreRefused) {
  for (const std::string algorithm : {"tsay-wang", "tsay-wang-subtorus"}) {
    EXPECT_EQ(refusal(algorithm, equal_torus(4, 8)),
              std::pair(std::string("topology.shape"),
                        algorithm + " on an even side n = 4 needs floor(d/2) <= n-1, so at most 7 "
                                    "dimensions, not 8; nearest admissible: sides of 5"));
  }
  EXPECT_EQ(refusal(kName, equal_torus(4, 7)).first, "nothing");
}

TEST(TsayWangRefuses, Subtorus_OddSide_IsRefused) {
  EXPECT_EQ(refusal("tsay-wang-subtorus", equal_torus(5, 2)).second,
            "tsay-wang-subtorus needs an even side, not 5; nearest admissible: 6 (odd sides: "
            "tsay-wang-direct)");
}

TEST(TsayWangRefuses, UnequalSidesSideTwoOrMesh_IsRefused) {
  for (const std::string algorithm : {"tsay-wang", "tsay-wang-dilated", "tsay-wang-subtorus"}) {
    EXPECT_EQ(refusal(algorithm, {TopologyKind::torus, {6, 8}}).first, "topology.shape");
    EXPECT_EQ(refusal(algorithm, equal_torus(2, 3)).first, "topology.shape");
    EXPECT_EQ(refusal(algorithm, {TopologyKind::mesh, {6, 6}}).first, "topology.kind");
  }
}

}  // namespace
}  // namespace flitscope::tsay_wang_phases_test
