// The reference check of broadcasts (tests/support/schedule_legality.h) on spoiled schedules.
#include "tests/support/schedule_legality.h"

#include <gtest/gtest.h>

namespace flitscope::schedule_legality_test {
namespace {

using test::check_broadcast;

test::RecordedSchedule recorded() {
  const auto schedule = test::make_broadcast("tsay-wang-direct", test::equal_torus(5, 2));
  return test::RecordedSchedule(*schedule);
}

/// The step without the message at `index`.
Step without(const Step& step, std::size_t index) {
  Step result;
  for (std::size_t i = 0; i < step.messages().size(); ++i) {
    const Message& message = step.messages()[i];
    if (i != index) result.add(message.source, message.destination, message.route);
  }
  return result;
}

TEST(LegalityCheck, CorrectRecording_IsAccepted) {
  auto schedule = recorded();
  EXPECT_FALSE(check_broadcast(schedule).violation);
}

TEST(LegalityCheck, LostMessageOfTheLastStep_IsReported) {
  auto schedule = recorded();
  const Message lost = schedule.steps().back().messages().back();
  schedule.steps().back() = without(schedule.steps().back(), schedule.steps().back().messages().size() - 1);
  EXPECT_EQ(check_broadcast(schedule).violation,
            "node " + schedule.facts().topology.node_name(lost.destination) + " is never informed");
}

TEST(LegalityCheck, DoubledMessage_IsReported) {
  auto schedule = recorded();
  const Message first = schedule.steps().front().messages().front();
  schedule.steps().front().add(first.source, first.destination, first.route);
  EXPECT_EQ(check_broadcast(schedule).violation, "step 1, [0, 0] -> [1, 1]: more sends than ports");
}

TEST(LegalityCheck, MessageSentAgainLater_IsReported) {
  auto schedule = recorded();
  const Message first = schedule.steps().front().messages().front();
  Step& last = schedule.steps().back();
  Step spoiled = without(last, 0);
  ASSERT_EQ(last.messages()[0].source, first.source);
  spoiled.add(first.source, first.destination, first.route);
  last = spoiled;
  EXPECT_EQ(check_broadcast(schedule).violation,
            "step 2, [0, 0] -> [1, 1]: the destination is informed since step 1");
}

TEST(LegalityCheck, StepMovedToTheFront_IsReported) {
  auto schedule = recorded();
  std::swap(schedule.steps()[0], schedule.steps()[1]);
  const auto violation = check_broadcast(schedule).violation;
  ASSERT_TRUE(violation);
  EXPECT_NE(violation->find("the sender does not hold the data"), std::string::npos) << *violation;
}

TEST(LegalityCheck, LinkWithTwoMessages_IsReported) {
  auto schedule = recorded();
  Step& first = schedule.steps().front();
  const Message message = first.messages()[1];  // to [2, 2], by + of dimension 1
  first = without(first, 1);
  first.add(message.source, message.destination, Route::cyclic(0, Sign::plus));
  EXPECT_EQ(check_broadcast(schedule).violation, "step 1, [0, 0] -> [2, 2]: 2 messages on link [0, 0]+0");
}

TEST(LegalityCheck, PathOfTwoSigns_IsReported) {
  auto schedule = recorded();
  Step& first = schedule.steps().front();
  Message message = first.messages()[0];
  first = without(first, 0);
  message.route.set_sign(1, Sign::minus);
  first.add(message.source, message.destination, message.route);
  EXPECT_EQ(check_broadcast(schedule).violation, "step 1, [0, 0] -> [1, 1]: the path has two signs");
}

TEST(LegalityCheck, ExtraEmptyStep_IsReported) {
  auto schedule = recorded();
  schedule.steps().emplace_back();
  EXPECT_EQ(check_broadcast(schedule).violation, "3 steps, not 2 as stated");
}

}  // namespace
}  // namespace flitscope::schedule_legality_test
