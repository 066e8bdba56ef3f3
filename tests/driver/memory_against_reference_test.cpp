// Memories and the engine against the slow model of both, on random networks and messages.
#include <gtest/gtest.h>

#include "sim/driver/memories.h"
#include "sim/network/clock_domain.h"
#include "sim/run/workload.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/slow_memories.h"
#include "tests/reference/timed_driver.h"
#include "tests/routers/engine_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::memory_against_reference_test {
namespace {

constexpr Cycle kLimit = 100'000;

struct MemoryCase {
  Topology topology;
  MachineConfig machine;
  MemoryMap memories;
  std::vector<reference::TimedMessage> messages;
};

Topology random_topology(RandomNumbers& random) {
  const auto side = [&] { return 2 + random.below(3); };
  switch (random.below(5)) {
    case 0:
      return {TopologyKind::mesh, {side(), side()}};
    case 1:
      return {TopologyKind::torus, {side(), side()}};
    case 2:
      return {TopologyKind::torus, {side(), side()}, LinkDirections::plus};
    case 3:
      return {TopologyKind::torus, {3 + random.below(4)}, LinkDirections::minus};
    default:
      return Topology(TopologyKind::torus, {side(), side()})
          .in_networks({{.directions = LinkDirections::plus},
                        {.directions = LinkDirections::minus, .first_dimension = 1}});
  }
}

MemoryPort random_port(RandomNumbers& random) {
  const std::uint32_t whole = 1 + random.below(9);
  return {.latency = random.below(3) == 0 ? 0 : random.below(40),
          .cycles_per_flit = Ratio(whole + random.below(2 * whole), whole)};
}

/// Requests, replies, others; of two networks again requests and replies.
MemoryCase random_memory_case(std::uint64_t seed) {
  RandomNumbers random(static_cast<std::uint32_t>(seed));
  MemoryCase made{random_topology(random), {}, {}, {}};
  MachineConfig& machine = made.machine;
  machine.routing = "dimension-order";
  machine.ports = 1;
  machine.buffer = 2 + random.below(6);
  machine.classes = {
      {.name = "request", .vcs = 0b11}, {.name = "reply", .vcs = 0b1100}, {.name = "other", .vcs = 0b1100}};
  if (made.topology.networks() == 2) {
    machine.classes.push_back({.name = "request-1", .vcs = 0b11, .network = 1});
    machine.classes.push_back({.name = "reply-1", .vcs = 0b1100, .network = 1});
  }
  machine.virtual_channels = 4;
  reference::draw_allocators(seed, made.topology, machine);
  if (random.below(2) == 0) machine.requests = 1 + random.below(3);
  for (NodeId node = 0; node < 4; ++node) {
    if (random.below(3) == 0) machine.requests_at[node] = 1 + random.below(4);
  }
  machine.node_vcs = 1 + random.below(2);
  if (made.topology.networks() > 1 && random.below(2) == 0) {
    machine.banks = 1U << random.below(4);
    machine.bank_hold = 1 + random.below(12);
  }
  MemoryMap& memories = made.memories;
  memories.own_millionths = random.below(2) == 0 ? 0 : 300'000 + random.below(2'000'000);
  memories.shared_millionths = random.below(2) == 0 ? 0 : 300'000 + random.below(2'000'000);
  memories.self_millionths = random.below(2) == 0 ? 0 : 1'000'000 + random.below(1'000'000);
  memories.self_latency = random.below(2) == 0 ? 0 : random.below(20);
  memories.flit_by_flit = random.below(2) == 0;
  for (NodeId node = 0; node < made.topology.nodes(); ++node) {
    if (random.below(4) == 0) memories.shared_by[node] = random.below(2);
  }
  // Both networks have one kind of ports.
  const MemoryPort request = random_port(random);
  const MemoryPort reply = random_port(random);
  const MemoryPort shared = random_port(random);
  for (const MessageClass& each : machine.classes) {
    const bool is_reply = each.name.starts_with("reply");
    std::optional<MemoryClass>& how = memories.classes.emplace_back();
    if (each.name == "other") continue;
    how = MemoryClass{is_reply ? reply : request, is_reply ? shared : request, is_reply, each.network};
  }
  set_read_intervals(machine, memories);
  const auto count = 10 + random.below(60);
  for (std::uint32_t i = 0; i < count; ++i) {
    reference::TimedMessage& message = made.messages.emplace_back();
    Packet& packet = message.packet;
    packet.id = 1 + i;
    packet.message_class = random.below(static_cast<std::uint32_t>(machine.classes.size()));
    packet.source = random.below(made.topology.nodes());
    packet.destination = random.below(made.topology.nodes());
    packet.flits = 1 + random.below(12);
    const Topology network = made.topology.network(machine.classes[packet.message_class].network);
    packet.route = shortest_route(network, packet.source, packet.destination);
    message.ready = random.below(2) == 0 ? 0 : random.below(200);
    if (i > 0 && random.below(3) == 0) message.released_by = random.below(i);
  }
  // Half of the requests are answered.
  for (std::uint32_t i = 0; i < count; ++i) {
    Packet& asked = made.messages[i].packet;
    if (!machine.classes[asked.message_class].name.starts_with("request") || random.below(2) == 0) continue;
    asked.is_answered = true;
    Packet answer = asked;
    answer.id = 1 + made.messages.size();
    answer.message_class = asked.message_class + 1;
    std::swap(answer.source, answer.destination);
    answer.flits = 1 + random.below(12);
    answer.is_answered = false;
    answer.answers = asked.id;
    const Topology network = made.topology.network(machine.classes[answer.message_class].network);
    answer.route = shortest_route(network, answer.source, answer.destination);
    made.messages.push_back({.packet = answer, .ready = 0, .released_by = i});
  }
  return made;
}

std::string by_engine(const MemoryCase& memory_case) {
  reference::TimedDriver messages(memory_case.messages);
  MemoryDriver driver(messages, memory_case.memories);
  ClockDomain clock(sc_core::sc_gen_unique_name("memories"), memory_case.topology, memory_case.machine,
                    sc_core::sc_time(1, sc_core::SC_NS), ClockTrigger::caller);
  clock.drive(driver);
  clock.tick_at(0);
  clock.run_to(kLimit);
  return test::text_of(messages.deliveries());
}

std::string by_reference(const MemoryCase& memory_case) {
  reference::TimedDriver messages(memory_case.messages);
  reference::SlowMemories driver(messages, memory_case.memories);
  reference::ReferenceNetwork network(memory_case.topology, memory_case.machine);
  static_cast<void>(network.run(driver, kLimit));
  return test::text_of(messages.deliveries());
}

TEST(MemoriesAgainstReference, RandomCases_DeliverEveryMessageInItsCycle) {
  for (std::uint64_t seed = 1; seed <= test::cases(100); ++seed) {
    const MemoryCase memory_case = random_memory_case(seed);
    const std::string expected = by_reference(memory_case);
    ASSERT_EQ(std::ranges::count(expected, '\n'), static_cast<std::ptrdiff_t>(memory_case.messages.size()))
        << "seed " << seed;
    ASSERT_EQ(test::first_difference(expected, by_engine(memory_case)), "")
        << "seed " << seed << ", " << memory_case.topology.name();
  }
}

}  // namespace
}  // namespace flitscope::memory_against_reference_test
