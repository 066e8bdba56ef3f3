// Seidel's broadcasts message by message: "5>1:0" is node 5 sending atom 0 to node 1, "00>66:12" node (0,0),
// row and column, sending atoms 1 and 2 to node (6,6).
#include <gtest/gtest.h>

#include "tests/support/seidel.h"

namespace flitscope::seidel_examples_test {
namespace {

using test::make;
using test::SeidelCase;
using test::written_out;
using Steps = std::vector<std::string>;

TEST(SeidelExamples, SpanningTree_FromNode5OfEight_SendsTheListedMessages) {
  EXPECT_EQ(written_out(*make({"seidel-st-linear", {8}, {5}})),
            (Steps{"5>1:0", "1>3:0 5>7:0", "1>0:0 3>2:0 5>4:0 7>6:0"}));
}

TEST(SeidelExamples, BidirectionalTree_FromNode5OfEight_SendsTheListedMessages) {
  EXPECT_EQ(written_out(*make({"seidel-bst-linear", {8}, {5}})),
            (Steps{"5>2:1", "2>6:1 5>1:0", "1>3:0 2>0:1 5>7:0 6>4:1",
                   "0>1:1 1>0:0 2>3:1 3>2:0 4>5:1 5>4:0 6>7:1 7>6:0"}));
}

TEST(SeidelExamples, SpanningTrees_TwoInterleavedSubarrays_SendTheListedMessages) {
  EXPECT_EQ(written_out(*make({"seidel-st-linear", {8}, {5}, 1})),
            (Steps{"5>4:0", "4>0:0 5>1:1", "0>2:0 1>3:1 4>6:0 5>7:1",
                   "0>1:0 1>0:1 2>3:0 3>2:1 4>5:0 5>4:1 6>7:0 7>6:1"}));
}

TEST(SeidelExamples, BidirectionalTrees_TwoInterleavedSubarrays_SendTheListedMessages) {
  EXPECT_EQ(written_out(*make({"seidel-bst-linear", {8}, {0}, 1})),
            (Steps{"0>1:23", "0>6:1 1>7:3", "0>4:0 1>5:2 6>2:1 7>3:3",
                   "0>2:0 1>3:2 2>0:1 3>1:3 4>6:0 5>7:2 6>4:1 7>5:3",
                   "0>1:01 1>0:23 2>3:01 3>2:23 4>5:01 5>4:23 6>7:01 7>6:23"}));
}

TEST(SeidelExamples, RecursiveHalving_FourNodes_SendsTheListedMessages) {
  EXPECT_EQ(written_out(*make({"seidel-rh-linear", {4}})),
            (Steps{"0>2:23", "0>1:1 2>3:3", "0>2:0 1>3:1 2>0:2 3>1:3", "0>1:02 1>0:13 2>3:02 3>2:13"}));
}

TEST(SeidelExamples, BetterSpanningTree_4x4_SendsTheListedMessages) {
  const Steps steps = written_out(*make({"seidel-st-mesh", {4, 4}}));
  ASSERT_EQ(steps.size(), 6U);
  EXPECT_EQ(steps[0], "00>10:23");
  EXPECT_EQ(steps[1], "00>01:1 10>11:3");
  EXPECT_EQ(steps[2], "00>20:0 01>03:1 10>12:2 11>31:3");
  EXPECT_EQ(steps[3], "00>02:0 01>21:1 03>23:1 10>30:2 11>13:3 12>32:2 20>22:0 31>33:3");
  EXPECT_EQ(steps[4].substr(0, 41), "00>01:0 01>00:1 02>03:0 03>02:1 10>11:2 1");
  EXPECT_EQ(steps[5].substr(0, 19), "00>10:01 01>11:01 0");
}

TEST(SeidelExamples, BetterBidirectionalTree_8x8_SendsTheListedMessages) {
  const Steps steps = written_out(*make({"seidel-bst-mesh", {8, 8}}));
  ASSERT_EQ(steps.size(), 9U);
  EXPECT_EQ(steps[0], "00>10:4567");
  EXPECT_EQ(steps[1], "00>66:12 10>77:56");
  EXPECT_EQ(steps[2], "00>01:3 10>11:7 66>67:2 77>76:5");
  EXPECT_EQ(steps[3], "00>40:0 01>05:3 10>14:4 11>51:7 66>26:1 67>63:2 76>72:5 77>37:6");
}

TEST(SeidelExamples, BetterBidirectionalTree_8x8InnerSource_SendsTheListedMessages) {
  const Steps steps = written_out(*make({"seidel-bst-mesh", {8, 8}, {2, 5}}));
  EXPECT_EQ(steps[0], "52>42:0123");
  EXPECT_EQ(steps[1], "42>25:12 52>34:56");
  EXPECT_EQ(steps[2], "25>24:1 34>35:6 42>43:3 52>53:7");
}

TEST(SeidelExamples, VirtualNodes_FiveNodes_SendTheListedMessages) {
  SeidelCase of{"seidel-bst-linear", {5}};
  of.resize = "virtual";
  EXPECT_EQ(written_out(*make(of)),
            (Steps{"0>4:1", "0>4:0 4>3:1", "0>2:0 3>1:1", "0>1:0 1>0:1 2>3:0 3>2:1"}));
}

TEST(SeidelExamples, Companions_ElevenNodes_SendTheListedMessages) {
  SeidelCase of{"seidel-st-linear", {11}};
  of.resize = "companions";
  EXPECT_EQ(written_out(*make(of)).back(), "0>1:0 2>3:0 4>5:0");
  of.source = {5};
  EXPECT_EQ(written_out(*make(of)),
            (Steps{"5>9:0", "5>0:0 9>7:0", "0>2:0 5>6:0 7>8:0 9>10:0", "0>1:0 2>3:0 5>4:0"}));
}

TEST(SeidelExamples, Companions_3x3MeshByHalves_SendTheListedMessages) {
  SeidelCase of{"seidel-st-mesh-simple", {3, 3}};
  of.resize = "companions";
  of.tail = "bst";
  const Steps steps = written_out(*make(of));
  ASSERT_EQ(steps.size(), 5U);  // full nodes 00 02 20 22
  EXPECT_EQ(steps[2], "00>11:1 02>12:1 20>21:1");
  EXPECT_EQ(steps[3], "00>10:0 11>01:1");
  EXPECT_EQ(steps[4], "00>01:0 01>00:1 02>12:0 10>11:0 11>10:1 12>02:1 20>21:0 21>20:1");
}

TEST(SeidelExamples, Scatter_FromNode5OfEight_SendsTheListedMessages) {
  EXPECT_EQ(written_out(*make({"distribute", {8}, {5}})),
            (Steps{"5>1:0123", "1>3:23 5>7:67", "1>0:0 3>2:2 5>4:4 7>6:6"}));
}

TEST(SeidelExamples, DimensionalExchange_FourNodes_SendsTheListedMessages) {
  EXPECT_EQ(written_out(*make({"dimensional-exchange", {4}})),
            (Steps{"0>1:0 1>0:1 2>3:2 3>2:3", "0>2:01 1>3:01 2>0:23 3>1:23"}));
}

}  // namespace
}  // namespace flitscope::seidel_examples_test
