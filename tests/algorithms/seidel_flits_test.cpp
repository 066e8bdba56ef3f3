// Seidel's broadcasts on flits: what a step costs when links are shared, to the cycle where nothing waits.
#include <gtest/gtest.h>

#include "tests/support/flit_runs.h"

namespace flitscope::seidel_flits_test {
namespace {

using test::experiment;
using test::run_on_flits;
using Cycles = std::vector<Cycle>;

/// A one-port machine, flits of 8 bytes, all delays 1.
nlohmann::json run(const std::string& shape, const std::string& workload, unsigned nu,
                   unsigned virtual_channels, const std::string& more = "node.startup=0") {
  const auto result =
      run_on_flits(experiment("{kind: mesh, shape: " + shape + "}", workload,
                              {"node.ports=1", "node.injection_interval=" + std::to_string(1U << nu),
                               "node.ejection_interval=" + std::to_string(1U << nu),
                               "router.virtual_channels=" + std::to_string(virtual_channels), more}));
  EXPECT_TRUE(result.at("verified").get<bool>()) << workload;
  return result;
}

Cycles step_cycles(const nlohmann::json& result) {
  return result.at("step_cycles").get<Cycles>();
}

TEST(SeidelOnFlits, Tree_StepTakesItsPathAndTheMessageLength) {
  // 2 (H + 1) + L - 1 with H = 8, 4, 2, 1 links and L = 512 flits; then half of it in five steps, of which
  // the first leads across the array.
  EXPECT_EQ(step_cycles(run("[16]", "{algorithm: seidel-st-linear, message: 4096}", 0, 1)),
            (Cycles{529, 521, 517, 515}));
  EXPECT_EQ(step_cycles(run("[16]", "{algorithm: seidel-bst-linear, message: 4096}", 0, 1)),
            (Cycles{287, 273, 265, 261, 259}));
}

TEST(SeidelOnFlits, TwoMessagesOnAFastLink_WithTwoVirtualChannels_CostNothing) {
  const std::string workload = "{algorithm: seidel-st-linear, message: 4096, nu: 1}";
  // Half the message, 256 flits of 2 cycles: 2 (H + 1) + 510 over H = 1, 8, 4, 2, 1 links.
  const Cycles alone{514, 528, 520, 516, 514};
  const Cycles shared = step_cycles(run("[16]", workload, 1, 2));
  ASSERT_EQ(shared.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_GE(shared[i], alone[i]) << "step " << i + 1;
    EXPECT_LE(shared[i], alone[i] + 2) << "step " << i + 1;
  }
  // With one virtual channel the three steps of the trees take as long as if links were no faster than nodes.
  const Cycles one = step_cycles(run("[16]", workload, 1, 1));
  EXPECT_EQ(one[0], alone[0]);
  for (const std::size_t i : {1U, 2U, 3U}) EXPECT_GT(one[i], 2 * alone[i] - 40) << "step " << i + 1;
  EXPECT_EQ(one[4], alone[4]);
}

TEST(SeidelOnFlits, SixteenMessagesOnALink_TakeAlmostSixteenTimesTheirLength) {
  // 64 KiB on 32 nodes: a packet has 256 flits, and 16, 8, 4, 2, 1 messages of 1, 2, 4, 8, 16 packets share a
  // link.
  const Cycles cycles = step_cycles(run("[32]", "{algorithm: seidel-rh-linear, message: 64KiB}", 0, 8));
  ASSERT_EQ(cycles.size(), 10U);
  for (std::size_t i = 5; i < 10; ++i) {
    EXPECT_GE(cycles[i], 16U * 256) << "step " << i + 1;
    EXPECT_LE(cycles[i], 16U * 256 + 2 * 17) << "step " << i + 1;
  }
}

TEST(SeidelOnFlits, RecursiveHalving_PaysForOnePermutationOfTheMessage) {
  for (const char* const algorithm : {"seidel-rh-linear", "seidel-bst-linear"}) {
    const std::string workload = std::string("{algorithm: ") + algorithm + ", message: 1001}";
    const auto free = run("[16]", workload, 0, 4).at("cycles").get<Cycle>();
    const auto dear =
        run("[16]", workload, 0, 4, "node.copy_cycles_per_byte=0.125").at("cycles").get<Cycle>();
    EXPECT_EQ(dear - free, std::string(algorithm) == "seidel-rh-linear" ? 126U : 0U) << algorithm;
  }
}

TEST(SeidelOnFlits, FewerBytesThanPackets_Arrive) {
  for (const char* const algorithm : {"seidel-rh-mesh", "seidel-bst-mesh", "seidel-st-mesh"}) {
    (void)run("[8, 4]", std::string("{algorithm: ") + algorithm + ", message: 3}", 0, 4);
  }
}

}  // namespace
}  // namespace flitscope::seidel_flits_test
