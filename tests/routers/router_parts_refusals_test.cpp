// Router parts that exclude each other, and machines without them, are refused (docs/timing.md, "Router
// parts").
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/error.h"
#include "routers/modules/limits.h"

namespace flitscope::router_parts_refusals_test {
namespace {

using Change = void (*)(MachineConfig&);
/// A machine and the error of require_buildable for it in a mesh, "" if there is none, or the error's
/// beginning.
struct Refusal {
  Change change;
  std::string error;
};

/// Machines that are changed by `base` first.
void expect_refusals(Change base, const std::vector<Refusal>& refusals) {
  for (const auto& [change, expected] : refusals) {
    MachineConfig machine;
    base(machine);
    change(machine);
    std::string error;
    try {
      require_buildable(Topology(TopologyKind::mesh, {4, 4}), machine, std::uint64_t{1} << 40);
    } catch (const Inadmissible& refused) {
      error = refused.key() + ": " + refused.what();
    }
    EXPECT_EQ(error.substr(0, expected.empty() ? std::string::npos : expected.size()), expected) << error;
  }
}
void expect_refusals(const std::vector<Refusal>& refusals) {
  expect_refusals([](auto&) {}, refusals);
}

TEST(RouterParts, PartsWithoutMeaningTogether_AreRefused) {
  expect_refusals(
      {{[](auto& machine) { machine.parts.switch_iterations = 2; },
        "router.switch_iterations: a separable-input-first switch allocator has one iteration, not 2; islip "
        "has "
        "several"},
       {[](auto& machine) {
          machine.parts.speculation = Speculation::requests;
          machine.vc_delay = 1;
        },
        "router.vc_delay: a router that speculates allocates VCs and the switch in one cycle: 'vc_delay' "
        "must be "
        "0, not 1, or 'speculation' none"},
       {[](auto& machine) {
          machine.parts.speculation = Speculation::prioritised;
          machine.parts.switch_allocator = SwitchAllocator::islip;
        },
        "router.speculation: prioritised speculation is for a separable-input-first switch allocator; with "
        "islip "
        "it can be 'requests' or 'grants'"},
       {[](auto& machine) { machine.parts.early_credits = true; },
        "router.early_credits: a credit can be seen a cycle early only if 'router.credit_delay' is 1 or "
        "more"},
       {[](auto& machine) { machine.parts.input_speedup = 32; }, ""},
       {[](auto& machine) { machine.parts.input_speedup = 33; },
        "router.input_speedup: 8 input ports with an input speed-up of 33 make 264 inputs of the switch; at "
        "most 256 "
        "are possible"},
       {[](auto& machine) { machine.parts.bypass = true; },
        "router.bypass: a bypass is for a switch-winner VC allocator with prioritised speculation, not for a "
        "circular one with none speculation"}});
}

TEST(RouterParts, SwitchWinnerVcAllocatorsOfOtherRouters_AreRefused) {
  expect_refusals(
      [](auto& machine) {
        machine.parts.vc_allocator = VcAllocator::switch_winner;
        machine.parts.speculation = Speculation::prioritised;
        machine.vc_allocation = VcAllocation::with_slot;
      },
      {{[](auto& machine) { machine.parts.bypass = true; }, ""},
       {[](auto& machine) { machine.parts.speculation = Speculation::grants; },
        "router.speculation: with a switch-winner VC allocator heads ask for the switch if there is a "
        "virtual "
        "channel for them (none) or always (prioritised), not by 'grants'"},
       {[](auto& machine) { machine.vc_allocation = VcAllocation::non_atomic; },
        "router.vc_allocation: a head that wins the switch leaves at once, so a switch-winner VC allocator "
        "needs "
        "'vc_allocation: with-slot' or 'atomic'"},
       {[](auto& machine) {
          machine.parts.bypass = true;
          machine.parts.hold = true;
        },
        "router.hold: a router with a bypass holds no ports"}});
}

TEST(RouterParts, QueuesAndBuffersWithoutMeaning_AreRefused) {
  expect_refusals(
      {{[](auto& machine) { machine.parts.output_speedup = 2; },
        "router.output_speedup: a link takes a flit in a cycle, so an output speed-up of 2 needs an "
        "'output_queue' "
        "of 2 flits or more, not 0"},
       {[](auto& machine) {
          machine.parts.output_speedup = 33;
          machine.parts.output_queue = 33;
        },
        "router.output_speedup: 8 output ports with an output speed-up of 33 make 264 outputs of the switch; "
        "at most "
        "256 are possible"},
       {[](auto& machine) {
          machine.parts.output_queue = 2;
          machine.ejection_interval = 2;
        },
        "router.output_queue: a flit leaves an output queue in every cycle: 'node.ejection_interval' must be "
        "1, "
        "not 2, or 'output_queue' 0"},
       {[](auto& machine) {
          machine.parts.output_queue = 2;
          machine.parts.early_credits = true;
          machine.credit_delay = 1;
        },
        "router.output_queue: a router with early credits has no output queues: 'early_credits' must be "
        "false, or "
        "'output_queue' 0"},
       {[](auto& machine) { machine.parts.buffer_reserve = 2; },
        "router.buffer_reserve: a reserve is a part of a shared buffer: set 'buffers: shared' too"},
       {[](auto& machine) {
          machine.parts.buffers = Buffers::shared;
          machine.parts.buffer_reserve = 9;
        },
        "router.buffer_reserve: a virtual channel has 8 flits of the shared buffer, so its reserve is at "
        "most "
        "that, not 9"},
       {[](auto& machine) { machine.parts.stop_threshold = 2; },
        "router.stop_threshold: credits that count have no threshold: set 'credits: on-off'"}});
}

TEST(RouterParts, OnOffCreditsThatCannotWork_AreRefused) {
  expect_refusals(
      [](auto& machine) { machine.parts.credits = Credits::on_off; },
      {{[](auto&) {}, ""},
       {[](auto& machine) { machine.parts.stop_threshold = 1; },
        "router.stop_threshold: 2 flits can leave before a sender stops (twice the link delay and the credit "
        "delay), so with a threshold of 1 flits would be lost: at least 2"},
       {[](auto& machine) { machine.parts.stop_threshold = 9; },
        "router.stop_threshold: a sender goes on with 9 free slots, which a buffer of 8 flits never has"},
       {[](auto& machine) { machine.link_delay = 5; },
        "router.buffer: a sender goes on with 10 free slots, which a buffer of 8 flits never has"},
       {[](auto& machine) { machine.vc_allocation = VcAllocation::atomic; },
        "router.vc_allocation: a sender with on-off credits does not know when a buffer is empty: VC "
        "allocation "
        "is 'non-atomic' or 'with-slot'"},
       {[](auto& machine) { machine.parts.buffers = Buffers::shared; },
        "router.credits: a sender with on-off credits knows no slots of a shared buffer: 'buffers' must be "
        "of-vcs"}});
}

TEST(RouterParts, SwitchWinnerVcAllocators_RefusalsNameWhatTheOtherPartsLeave) {
  expect_refusals(
      [](auto& machine) { machine.parts.vc_allocator = VcAllocator::switch_winner; },
      {{[](auto& machine) { machine.switching = Switching::virtual_cut_through; },
        "router.vc_allocation: a head that wins the switch leaves at once, so a switch-winner VC allocator "
        "needs 'vc_allocation: atomic'"},
       {[](auto& machine) {
          machine.switching = Switching::virtual_cut_through;
          machine.vc_allocation = VcAllocation::atomic;
        },
        ""},
       {[](auto& machine) {
          machine.switching = Switching::virtual_cut_through;
          machine.vc_allocation = VcAllocation::with_slot;
        },
        "router.vc_allocation: with virtual-cut-through switching a head needs room for its message: "
        "'vc_allocation' is 'atomic'"},
       {[](auto& machine) {
          machine.switching = Switching::virtual_cut_through;
          machine.parts.credits = Credits::on_off;
        },
        "router.switching: routers with on-off credits need 'switching' wormhole"},
       {[](auto& machine) { machine.parts.credits = Credits::on_off; },
        "router.vc_allocation: a head that wins the switch leaves at once, so a switch-winner VC allocator "
        "needs 'vc_allocation: with-slot'"},
       {[](auto& machine) {
          machine.parts.credits = Credits::on_off;
          machine.vc_allocation = VcAllocation::atomic;
        },
        "router.vc_allocation: a sender with on-off credits does not know when a buffer is empty: VC "
        "allocation is 'with-slot'"},
       {[](auto& machine) {
          machine.parts.credits = Credits::on_off;
          machine.vc_allocation = VcAllocation::with_slot;
        },
        ""}});
}

TEST(RouterParts, PartsForWormholeSwitching_AreRefusedWithOthers) {
  expect_refusals(
      [](auto& machine) { machine.switching = Switching::virtual_cut_through; },
      {{[](auto& machine) { machine.parts.arbiter = Arbiter::matrix; }, ""},
       {[](auto& machine) { machine.vc_allocation = VcAllocation::with_slot; },
        "router.vc_allocation: with virtual-cut-through switching a head needs room for its message: "
        "'vc_allocation' is 'non-atomic' or 'atomic'"},
       {[](auto& machine) { machine.parts.buffers = Buffers::shared; },
        "router.switching: routers with shared buffers need 'switching' wormhole, not virtual-cut-through, "
        "or "
        "'buffers' of-vcs"},
       {[](auto& machine) {
          machine.switching = Switching::store_and_forward;
          machine.parts.credits = Credits::on_off;
        },
        "router.switching: routers with on-off credits need 'switching' wormhole, not store-and-forward, or "
        "'credits' counts"},
       {[](auto& machine) {
          machine.credit_delay = 1;
          machine.parts.early_credits = true;
        },
        "router.switching: routers with early credits"},
       {[](auto& machine) {
          machine.vc_allocation = VcAllocation::atomic;
          machine.parts.vc_allocator = VcAllocator::switch_winner;
          machine.parts.speculation = Speculation::prioritised;
          machine.parts.bypass = true;
        },
        "router.switching: routers with a bypass"}});
}

}  // namespace
}  // namespace flitscope::router_parts_refusals_test
