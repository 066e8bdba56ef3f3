// Which candidate a head asks for: docs/timing.md, "Candidates".
#include <gtest/gtest.h>

#include <vector>

#include "routers/engine/selector.h"

namespace flitscope::selector_test {
namespace {

constexpr std::size_t kRow = 1;

Offer closed(unsigned port) {
  return {.candidate = {port, 0}};
}
Offer open(unsigned port, std::uint32_t credits = 0) {
  return {.candidate = {port, 0}, .open = true, .credits = credits};
}
Offer escape(unsigned port, std::uint32_t credits = 0) {
  return {.candidate = {port, 0}, .escape = true, .open = true, .credits = credits};
}

TEST(Selector, NoOpenOffer_SelectsNothing) {
  for (const Selection rule : {Selection::first_free, Selection::most_credits, Selection::round_robin}) {
    EXPECT_FALSE(Selector(rule, 2).select(kRow, std::vector{closed(0), closed(2)}));
  }
}

TEST(Selector, FirstFree_SelectsTheFirstOpenOffer) {
  const Selector selector(Selection::first_free, 2);
  EXPECT_EQ(selector.select(kRow, std::vector{closed(0), open(4, 1), open(2, 7)}), 1U);
}

TEST(Selector, MostCreditsWithEqualOffers_SelectsTheFirst) {
  const Selector selector(Selection::most_credits, 2);
  EXPECT_EQ(selector.select(kRow, std::vector{open(0, 3), open(2, 5), open(4, 5), closed(6)}), 1U);
}

TEST(Selector, RoundRobin_ContinuesBehindTheGrantedPort) {
  Selector selector(Selection::round_robin, 2);
  const std::vector offers{open(4), open(0), open(2)};
  EXPECT_EQ(selector.select(kRow, offers), 1U);
  selector.note_grant(kRow, 0);
  EXPECT_EQ(selector.select(kRow, offers), 2U);
  selector.note_grant(kRow, 2);
  EXPECT_EQ(selector.select(kRow, offers), 0U);
  EXPECT_EQ(selector.select(0, offers), 1U);  // another input VC
  selector.note_grant(kRow, 4);
  EXPECT_EQ(selector.select(kRow, offers), 1U);
}

TEST(Selector, EscapeClass_IsSelectedOnlyAlone) {
  for (const Selection rule : {Selection::first_free, Selection::most_credits, Selection::round_robin}) {
    const Selector selector(rule, 2);
    EXPECT_EQ(selector.select(kRow, std::vector{escape(0, 9), closed(2), open(4, 1)}), 2U);
    EXPECT_EQ(selector.select(kRow, std::vector{closed(2), escape(0)}), 1U);
  }
}

}  // namespace
}  // namespace flitscope::selector_test
