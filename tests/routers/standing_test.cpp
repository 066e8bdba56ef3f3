// Standing VCs are counted exactly as if they had been run.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "model/route.h"
#include "tests/reference/reference_network.h"
#include "tests/routers/engine_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::standing_test {
namespace {

using reference::RandomCase;
using test::Counted;
using test::isolated;

/// Worms between random nodes that start at random times, so that the network as a whole never repeats
/// itself, on a machine where input VCs can stand.
RandomCase worms_of_their_own(std::uint64_t seed, std::uint64_t messages, Cycle until) {
  std::mt19937_64 random(seed);
  const auto side = [&](unsigned least) { return least + static_cast<unsigned>(random() % 5); };
  const auto kind = random() % 2 == 0 ? TopologyKind::torus : TopologyKind::mesh;
  RandomCase result{seed, Topology(kind, {side(4), side(3)}), {}, {}};
  MachineConfig& machine = result.machine;
  machine.virtual_channels = static_cast<unsigned>(2 + random() % 3);
  machine.buffer = static_cast<std::uint32_t>(4 + random() % 13);
  machine.router_delay = static_cast<std::uint32_t>(1 + random() % 3);
  machine.link_delay = static_cast<std::uint32_t>(1 + random() % 3);
  machine.startup = static_cast<std::uint32_t>(random() % 3);
  if (random() % 2 == 0) machine.ports = static_cast<unsigned>(1 + random() % 3);
  if (seed % 3 == 2) machine.credit_delay = static_cast<std::uint32_t>(1 + seed % 2);
  const std::uint64_t nodes = result.topology.nodes();
  for (std::uint64_t id = 0; id < messages; ++id) {
    auto& message = result.messages.emplace_back();
    message.packet.id = id;
    message.packet.source = static_cast<NodeId>(random() % nodes);
    message.packet.destination =
        static_cast<NodeId>((message.packet.source + 1 + random() % (nodes - 1)) % nodes);
    message.packet.route = shortest_route(result.topology, message.packet.source, message.packet.destination);
    message.packet.flits =
        static_cast<std::uint32_t>(random() % 4 == 0 ? 1 + random() % 20 : 40 + random() % 300);
    message.ready = random() % until;
  }
  return result;
}

/// Compares a case with the reference model; and, looked at in random cycles, with every cycle run: in a
/// random order of routers without stalls, and in the usual one with them.
void expect_the_same(std::uint64_t seed, Counted* counted = nullptr) {
  const RandomCase worms = worms_of_their_own(seed, 40, 500 + seed % 5 * 1000);
  reference::ReferenceNetwork slow(worms.topology, worms.machine);
  reference::TimedDriver driver(worms.messages);
  const reference::Outcome outcome = slow.run(driver, test::kRecordLimit);
  const std::string expected =
      test::text_of(driver.deliveries()) + test::totals(outcome.cycles, outcome.stalls);
  const std::string actual = isolated(
      worms, {.until = slow.now(), .mode = FastForwardMode::automatic, .fetches_heads = true}, counted);
  EXPECT_EQ(test::first_difference(expected, actual), "") << "seed " << seed << ": " << description(worms);
  for (const std::uint64_t sampling_seed : {3 + 4 * seed, 2 + 4 * seed}) {
    const std::string each = isolated(worms, {.mode = FastForwardMode::off, .sampling_seed = sampling_seed});
    EXPECT_EQ(test::first_difference(
                  each, isolated(worms, {.mode = FastForwardMode::on, .sampling_seed = sampling_seed})),
              "")
        << "seed " << seed << ": " << description(worms);
  }
}

TEST(Standing, AnyOrderOfRouters_AgreesWithTheReferenceModel) {
  Counted counted;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 10 && !HasFailure(); ++seed) {
    expect_the_same(seed, &counted);
  }
  if (test::cases(400) < 400) return;
  EXPECT_GT(counted.flits, 100'000U);
}

/// Its sender counts on the slots that it gives back, and that it loses the switch in this very cycle is
/// known only afterwards.
TEST(Standing, ResumeInTheFirstCycleOfTheSender_IsNotified) {
  expect_the_same(136);
}

TEST(Standing, WormsWithoutConflicts_AreMostlyCounted) {
  RandomCase worms{0, Topology(TopologyKind::torus, {8, 8}), {}, {}};
  worms.machine.virtual_channels = 2;
  for (std::uint64_t id = 0; id < 60; ++id) {
    auto& message = worms.messages.emplace_back();
    message.packet.id = id;
    message.packet.source = static_cast<NodeId>(id * 23 % 64);
    message.packet.destination = static_cast<NodeId>((id * 29 + 7) % 64);
    message.packet.route = shortest_route(worms.topology, message.packet.source, message.packet.destination);
    message.packet.flits = 100;
    message.ready = 100 * id;
  }
  Counted counted;
  const std::string expected = isolated(worms, {.mode = FastForwardMode::off});
  EXPECT_EQ(expected, isolated(worms, {.mode = FastForwardMode::automatic}, &counted));
  std::uint64_t flits_through_routers = 0;
  for (const auto& message : worms.messages) {
    const Packet& packet = message.packet;
    const auto hops = route_length(worms.topology, packet.source, packet.destination, packet.route);
    flits_through_routers += 100 * (hops + 1);
  }
  EXPECT_GT(counted.flits, flits_through_routers / 2);
}

// Who stood is woken for its tail, though it waits: that is no cycle of the run.
TEST(Standing, Deadlock_EndsTheRun) {
  for (std::uint32_t flits = 17; flits < 80; flits += 3) {
    const auto last_cycle = [&](FastForwardMode mode) {
      return run_isolated([&] {
        const Topology ring(TopologyKind::torus, {4});
        MachineConfig machine;
        machine.virtual_channels = 1;
        machine.allow_deadlock = true;
        machine.router_delay = 1 + flits % 3;
        machine.buffer = 4 + flits % 7;
        Network network("network", ring, machine);
        network.clock().set_fast_forward(mode);
        std::vector<reference::TimedMessage> messages;
        for (NodeId node = 0; node < 4; ++node) {
          messages.push_back({{node, node, (node + 2) % 4, {}, flits, 0}, node * flits % 5, std::nullopt});
        }
        reference::TimedDriver driver(messages);
        const ClockStop stop = network.run(driver, test::kRecordLimit);
        const ClockDomain& clock = network.clock();
        return fmt::format("{} {} {}", stop == ClockStop::quiet, clock.last_cycle(),
                           clock.routers().flit_hops());
      });
    };
    EXPECT_EQ(last_cycle(FastForwardMode::automatic), last_cycle(FastForwardMode::off)) << flits << " flits";
  }
}

/// Looks at the network after one cycle, which ends all standing.
class OneLook final : public ClockWatcher {
 public:
  explicit OneLook(const ClockDomain& clock) : clock_(clock) {}
  std::optional<Cycle> after_cycle(Cycle /*now*/) override {
    static_cast<void>(clock_.routers());
    return kNever;
  }

 private:
  const ClockDomain& clock_;
};

// A message begins to stand at its source while flits of the one before are still counted.
TEST(Standing, ConsecutiveMessages_MayEndStandingInAnyCycle) {
  RandomCase line{0, Topology(TopologyKind::mesh, {3}), {}, {}};
  line.machine.router_delay = 2;
  line.machine.link_delay = 3;
  line.machine.buffer = 14;
  for (std::uint64_t id = 0; id < 3; ++id) {
    auto& message = line.messages.emplace_back();
    message.packet.id = id;
    message.packet.destination = 2;
    message.packet.flits = 17;  // one less would not stand
  }
  const auto looked_at = [&](Cycle cycle, FastForwardMode mode) {
    return run_isolated([&] {
      Network network("network", line.topology, line.machine);
      network.clock().set_fast_forward(mode);
      reference::TimedDriver driver(line.messages);
      OneLook look(network.clock());
      network.clock().watch(look, cycle);
      network.run(driver, test::kRecordLimit);
      return test::text_of(driver.deliveries());
    });
  };
  const std::string expected = looked_at(0, FastForwardMode::off);
  for (Cycle cycle = 0; cycle < 70; ++cycle) {
    EXPECT_EQ(looked_at(cycle, FastForwardMode::automatic), expected) << "looked at after cycle " << cycle;
  }
}

}  // namespace
}  // namespace flitscope::standing_test
