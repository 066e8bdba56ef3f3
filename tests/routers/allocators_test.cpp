// Switch allocators, arbiters and slot trackers of one router (routers/parts), without a network.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>
#include <set>

#include "routers/parts/arbiters.h"
#include "routers/parts/slot_tracker.h"
#include "routers/parts/switch_allocators.h"

namespace flitscope::allocators_test {
namespace {

using Vcs = VcSetOf<1>;

constexpr RouterShape kFivePorts{
    .link_ports = 4, .virtual_channels = 3, .channels = 1, .node_vcs = 3, .classes = 1};

/// Flits that leave in each of so many cycles with the same requests: output ports by input VC.
std::vector<std::uint64_t> granted(const RouterParts& parts, RouterShape shape, std::uint64_t flits,
                                   const std::vector<std::uint8_t>& ports, unsigned cycles = 1,
                                   const std::vector<std::uint8_t>& ranks = {}) {
  shape.input_speedup = parts.input_speedup;
  const auto matcher = SwitchMatcher<Vcs>::make(parts, shape);
  std::vector<std::uint8_t> state(matcher->bytes());
  std::vector<std::uint64_t> result;
  for (unsigned i = 0; i < cycles; ++i)
    result.push_back(
        matcher->allocate(state.data(), {.flits = Vcs(flits), .ports = ports, .ranks = ranks}).moved.word(0));
  return result;
}

/// The most pairs of input and output ports that `flits` admit.
unsigned largest_match(std::uint64_t flits, const std::vector<std::uint8_t>& ports, unsigned port,
                       unsigned taken) {
  if (port == kFivePorts.ports()) return 0;
  unsigned most = largest_match(flits, ports, port + 1, taken);
  for (unsigned i = 0; i < kFivePorts.vcs_of(port); ++i) {
    const unsigned vc = kFivePorts.first_vc(port) + i;
    if ((flits >> vc & 1) == 0 || (taken >> ports[vc] & 1) != 0) continue;
    most = std::max(most, 1 + largest_match(flits, ports, port + 1, taken | 1U << ports[vc]));
  }
  return most;
}

TEST(SwitchAllocators, RandomRequests_MaxSizeMovesAsManyFlitsAsPossibleAndOthersNoMore) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 300; ++i) {
    const std::uint64_t flits = random() & ((std::uint64_t{1} << kFivePorts.vcs()) - 1);
    std::vector<std::uint8_t> ports(kFivePorts.vcs());
    for (std::uint8_t& port : ports) port = static_cast<std::uint8_t>(random() % kFivePorts.ports());
    const unsigned most = largest_match(flits, ports, 0, 0);
    for (const SwitchAllocator allocator : kEnumerators<SwitchAllocator>) {
      for (const std::uint64_t moved :
           granted({.switch_allocator = allocator}, kFivePorts, flits, ports, 3)) {
        const auto count = static_cast<unsigned>(std::popcount(moved));
        EXPECT_EQ(moved & ~flits, 0U);
        EXPECT_LE(count, most) << name_of(allocator);
        if (allocator == SwitchAllocator::max_size) {
          EXPECT_EQ(count, most);
        }
      }
    }
  }
}

TEST(SwitchAllocators, OneFlitOfTheHighestPriority_AlwaysMoves) {
  std::mt19937 random(8);
  std::vector<std::uint8_t> ranks(kFivePorts.vcs());
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const SwitchAllocator allocator : kEnumerators<SwitchAllocator>) {
    for (const Arbiter arbiter : kEnumerators<Arbiter>) {
      const auto matcher =
          SwitchMatcher<Vcs>::make({.switch_allocator = allocator, .arbiter = arbiter}, kFivePorts);
      std::vector<std::uint8_t> state(matcher->bytes());
      for (unsigned i = 0; i < 200; ++i) {
        std::vector<std::uint8_t> ports(kFivePorts.vcs());
        for (std::uint8_t& port : ports) port = static_cast<std::uint8_t>(random() % kFivePorts.ports());
        const auto first = static_cast<unsigned>(random() % kFivePorts.vcs());
        const std::uint64_t flits = (random() & ((std::uint64_t{1} << kFivePorts.vcs()) - 1)) | bit(first);
        const std::array priorities{VcSet::of(first), ~VcSet::of(first)};
        const std::uint64_t moved =
            matcher
                ->allocate(state.data(),
                           {.flits = Vcs(flits), .ports = ports, .ranks = ranks, .priorities = priorities})
                .moved.word(0);
        ASSERT_TRUE((moved & bit(first)) != 0) << name_of(allocator) << ", " << name_of(arbiter);
        ASSERT_EQ(moved & ~flits, 0U);
      }
    }
  }
}

TEST(SwitchAllocators, FlitsOfLowerPriorities_MoveWhereNoHigherOneTakesTheirPorts) {
  // Input port 0 has one of the high priority for 1 and a low one for 2; a low one of port 1 is for 1, of 2
  // for 3.
  const std::vector<std::uint8_t> ports{1, 2, 0, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::array priorities{VcSet::of(0), ~VcSet::of(0)};
  for (const SwitchAllocator allocator : kEnumerators<SwitchAllocator>) {
    const auto matcher = SwitchMatcher<Vcs>::make({.switch_allocator = allocator}, kFivePorts);
    std::vector<std::uint8_t> state(matcher->bytes());
    for (unsigned cycle = 0; cycle < 8; ++cycle) {
      EXPECT_EQ(
          matcher
              ->allocate(state.data(),
                         {.flits = Vcs(0b100'1011), .ports = ports, .ranks = {}, .priorities = priorities})
              .moved.word(0),
          0b100'0001U)
          << name_of(allocator);
    }
  }
}

TEST(SwitchAllocators, InputSpeedup_FlitsOfDifferentVcsLeaveAnInputPortTogether) {
  const std::vector<std::uint8_t> ports{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const SwitchAllocator allocator : kEnumerators<SwitchAllocator>) {
    const auto leave = [&](std::uint32_t speedup) {
      return std::popcount(
          granted({.switch_allocator = allocator, .input_speedup = speedup}, kFivePorts, 0b111, ports)
              .front());
    };
    EXPECT_EQ(leave(1), 1) << name_of(allocator);
    EXPECT_EQ(leave(2), 2) << name_of(allocator);
    EXPECT_EQ(leave(3), 3) << name_of(allocator);
  }
}

TEST(SwitchAllocators, OutputSpeedup_FlitsOfDifferentInputPortsComeToAnOutputPortTogether) {
  // Outputs 6, 7 and 8 of the switch are those of output port 3 with a speed-up of 2: of ports 0, 2, and
  // of 1.
  RouterShape shape = kFivePorts;
  shape.output_speedup = 2;
  std::vector<std::uint8_t> outputs(15);
  for (unsigned vc = 0; vc < outputs.size(); ++vc)
    outputs[vc] = static_cast<std::uint8_t>(shape.output_of(3, vc));
  const std::uint64_t flits = 0b001'001'001;  // VC 0 of ports 0, 1 and 2
  for (const SwitchAllocator allocator : kEnumerators<SwitchAllocator>) {
    for (const std::uint64_t moved :
         granted({.switch_allocator = allocator, .output_speedup = 2}, shape, flits, outputs, 4)) {
      EXPECT_EQ(std::popcount(moved), 2) << name_of(allocator);
      EXPECT_NE(moved & 0b001'000, 0U) << name_of(allocator);
    }
  }
}

TEST(SwitchAllocators, Age_TheFlitOfTheOldestMessageLeavesInEveryCycle) {
  // VC 0 of port 0, VC 4 of port 1, and both VC 6 and VC 7 of port 2 request output port 3.
  const std::vector<std::uint8_t> ports(15, 3);
  const std::vector<std::uint8_t> ranks{3, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const SwitchAllocator allocator : kEnumerators<SwitchAllocator>) {
    if (allocator == SwitchAllocator::wavefront || allocator == SwitchAllocator::max_size) continue;
    for (const std::uint64_t moved : granted({.switch_allocator = allocator, .arbiter = Arbiter::age},
                                             kFivePorts, 0b11010001, ports, 3, ranks))
      EXPECT_EQ(moved, std::uint64_t{1} << 7) << name_of(allocator);
  }
}

/// Winners of so many arbitrations among inputs that always ask.
std::vector<unsigned> winners(Arbiter kind, unsigned inputs, unsigned times) {
  const Arbiters arbiters(kind);
  std::vector<std::uint8_t> state(arbiters.bytes(inputs));
  std::vector<unsigned> result;
  for (unsigned i = 0; i < times; ++i) {
    result.push_back(arbiters.pick(state.data(), inputs, Vcs::range(0, inputs)));
    arbiters.update(state.data(), inputs, result.back());
  }
  return result;
}

TEST(Arbiters, RoundRobinAndMatrix_ServeInputsThatAlwaysAskInTurn) {
  for (const Arbiter kind : {Arbiter::round_robin, Arbiter::matrix}) {
    EXPECT_EQ(winners(kind, 3, 7), (std::vector<unsigned>{0, 1, 2, 0, 1, 2, 0}));
  }
}

TEST(Arbiters, RoundRobinBinary_OfFourInputsServesTwoOnly) {
  const std::vector<unsigned> served = winners(Arbiter::round_robin_binary, 4, 8);
  EXPECT_EQ(std::set(served.begin(), served.end()), (std::set<unsigned>{1, 3}));
}

TEST(Arbiters, RoundRobinBinary_OfTwoInputsServesTheLastWinner) {
  EXPECT_EQ(winners(Arbiter::round_robin_binary, 2, 4), (std::vector<unsigned>{1, 1, 1, 1}));
}

TEST(Arbiters, Matrix_ServesTheOneThatWonLeastRecently) {
  const Arbiters arbiters(Arbiter::matrix);
  std::vector<std::uint8_t> state(arbiters.bytes(4));
  for (const unsigned winner : {2U, 0U, 3U}) arbiters.update(state.data(), 4, winner);
  EXPECT_EQ(arbiters.pick(state.data(), 4, Vcs(0b1111)), 1U);
  EXPECT_EQ(arbiters.pick(state.data(), 4, Vcs(0b1101)), 2U);
  EXPECT_EQ(arbiters.pick(state.data(), 4, Vcs(0b1001)), 0U);
}

TEST(Arbiters, Fixed_ServesTheLowestNumber) {
  EXPECT_EQ(winners(Arbiter::fixed, 4, 3), (std::vector<unsigned>{0, 0, 0}));
}

TEST(SlotTracker, LastSlotLeft_IsSeenAtOnce) {
  SlotTracker tracker;
  EXPECT_FALSE(tracker.step(true, false));
  EXPECT_FALSE(tracker.step(false, false));
  EXPECT_TRUE(tracker.step(false, true));
}

TEST(SlotTracker, FlitPutAsTheOtherSlotIsLeft_LosesTheFlagAndShowsTheEmptyVcACycleLater) {
  SlotTracker tracker;
  EXPECT_FALSE(tracker.step(true, false));
  EXPECT_FALSE(tracker.step(true, true));
  EXPECT_FALSE(tracker.step(false, true));
  EXPECT_TRUE(tracker.step(false, false));
}

}  // namespace
}  // namespace flitscope::allocators_test
