// router.preset: what it sets, and what is given beside it.
#include <gtest/gtest.h>

#include "model/error.h"
#include "tests/support/config_texts.h"

namespace flitscope::router_presets_test {
namespace {

using namespace test;

MachineConfig machine_of(const std::string& router, const std::vector<std::string>& settings = {}) {
  return parse(kLeast + "router: {" + router + "}\n", settings).machine;
}

TEST(RouterPresets, StanfordRouter_HasTheDefaultsOfItsRtl) {
  const MachineConfig machine = machine_of("preset: stanford-vc");
  EXPECT_EQ(machine.router_delay, 2U);
  EXPECT_EQ(machine.vc_delay, 0U);
  EXPECT_EQ(machine.credit_delay, 3U);
  EXPECT_EQ(machine.vc_allocation, VcAllocation::with_slot);
  EXPECT_EQ(machine.parts, (RouterParts{.vc_allocator = VcAllocator::separable_input_first,
                                        .arbiter = Arbiter::round_robin_binary,
                                        .speculation = Speculation::prioritised,
                                        .early_credits = true}));
}

TEST(RouterPresets, KeysBeside_Win) {
  const MachineConfig machine = machine_of("arbiter: matrix, preset: stanford-vc, credit_delay: 2");
  EXPECT_EQ(machine.parts.arbiter, Arbiter::matrix);
  EXPECT_EQ(machine.credit_delay, 2U);
  EXPECT_EQ(machine.parts.vc_allocator, VcAllocator::separable_input_first);
  EXPECT_EQ(machine_of("preset: stanford-vc", {"router.arbiter=fixed"}).parts.arbiter, Arbiter::fixed);
}

TEST(RouterPresets, WithoutSpeculation_VcAllocationIsAStage) {
  EXPECT_EQ(machine_of("preset: stanford-vc, speculation: none").vc_delay, 1U);
  EXPECT_EQ(machine_of("preset: stanford-vc, speculation: none, vc_delay: 3").vc_delay, 3U);
  EXPECT_EQ(machine_of("preset: booksim2-iq").vc_delay, 1U);
}

TEST(RouterPresets, WinnersOfTheSwitchWithAVc_NeedNoStageOfVcAllocation) {
  for (const char* const preset : {"garnet", "garnet-4-stage", "merlin"}) {
    const MachineConfig machine = machine_of(std::string("preset: ") + preset);
    EXPECT_EQ(machine.vc_delay, 0U) << preset;
    EXPECT_EQ(machine.parts.vc_allocator, VcAllocator::switch_winner) << preset;
  }
  EXPECT_EQ(machine_of("preset: garnet").router_delay, 1U);
  EXPECT_EQ(machine_of("preset: garnet-4-stage").router_delay, 4U);
  EXPECT_TRUE(machine_of("preset: merlin").parts.hold);
}

TEST(RouterPresets, ResolvedConfiguration_HasTheSettingsInPlaceOfThePreset) {
  const auto config = parse(kLeast + "router: {preset: stanford-vc}\n");
  const std::string text = resolve(config);
  EXPECT_EQ(text.find("preset"), std::string::npos);
  EXPECT_NE(text.find("arbiter: round-robin-binary"), std::string::npos);
  EXPECT_EQ(resolve(parse(text)), text);
}

TEST(RouterPresets, UnknownPreset_IsRefusedWithThoseThatExist) {
  try {
    static_cast<void>(machine_of("preset: stanford"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("router.preset must be one of 'stanford-vc', 'booksim2-iq'"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace flitscope::router_presets_test
