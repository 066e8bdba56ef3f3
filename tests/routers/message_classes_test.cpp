// Message classes and limited network interfaces: routers stepped together (class RouterGroups) do what the
// reference model does.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "sim/driver/dataflow_driver.h"
#include "sim/driver/packet_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/observe/deadlock/deadlock.h"
#include "tests/routers/engine_record.h"
#include "tests/routers/flit_record.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_schedules.h"

namespace flitscope::message_classes_test {
namespace {

using reference::RandomCase;

/// Hands over the messages of a case at their times, each as soon as its injection queue has room. By the
/// number of a message its node takes it at once, after a while, or when it can send a reply to its source.
class ReplyingDriver final : public Driver {
 public:
  explicit ReplyingDriver(const RandomCase& random_case)
      : topology_(random_case.topology), classes_(random_case.machine.message_classes()) {
    for (const reference::TimedMessage& message : random_case.messages) {
      timed_[message.ready].push_back(message.packet);
      packets_[message.packet.id] = message.packet;
    }
  }

  void start(Transport& network) override { at(network, 0); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    delivered_ += deliveries.size();
    for (const Delivery& delivery : deliveries) {
      const Packet& packet = packets_.at(delivery.id);
      const bool is_reply = packet.step == kReply;
      const std::uint64_t kind = (delivery.id * 0x9E3779B97F4A7C15 >> 40) % (is_reply ? 2 : 4);
      if (kind == 0) {
        network.take(delivery.id);
      } else if (kind == 1) {
        late_[now + 1 + delivery.id % 50].push_back(delivery.id);
      } else {
        asked_[{packet.destination, packet.message_class}].push_back(delivery.id);
        answer(network, packet.destination);
      }
    }
  }
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle /*now*/) override {
    for (const NodeId node : nodes) {
      answer(network, node);
      send_waiting(network, node);
    }
  }
  [[nodiscard]] Cycle next_event() const override {
    const Cycle late = late_.empty() ? kNever : late_.begin()->first;
    return std::min(late, timed_.empty() ? kNever : timed_.begin()->first);
  }
  void at(Transport& network, Cycle now) override {
    while (!late_.empty() && late_.begin()->first <= now) {
      for (const std::uint64_t id : late_.begin()->second) network.take(id);
      late_.erase(late_.begin());
    }
    while (!timed_.empty() && timed_.begin()->first <= now) {
      for (const Packet& packet : timed_.begin()->second) {
        waiting_[packet.source].push_back(packet);
        send_waiting(network, packet.source);
      }
      timed_.erase(timed_.begin());
    }
  }
  [[nodiscard]] bool holds_deliveries() const override { return true; }
  [[nodiscard]] bool finished() const override {
    return timed_.empty() && late_.empty() && delivered_ == packets_.size();
  }

 private:
  static constexpr std::uint32_t kReply = 0xABCDE;

  void send_waiting(Transport& network, NodeId node) {
    std::deque<Packet>& queue = waiting_[node];
    while (!queue.empty() && network.can_send(node, queue.front().message_class)) {
      network.send(queue.front());
      queue.pop_front();
    }
  }
  void answer(Transport& network, NodeId node) {
    for (std::uint32_t of = 0; of < classes_; ++of) {
      std::deque<std::uint64_t>& asked = asked_[{node, of}];
      const std::uint32_t reply = (of + 1) % classes_;
      while (!asked.empty() && network.can_send(node, reply)) {
        const Packet& request = packets_.at(asked.front());
        Packet packet = request;
        packet.id += 1'000'000;
        packet.step = kReply;
        packet.message_class = reply;
        std::swap(packet.source, packet.destination);
        // Of several networks each class has its own.
        const Topology own = topology_.network(topology_.networks() > 1 ? reply : 0);
        packet.route = own.is_grid() ? shortest_route(own, packet.source, packet.destination) : Route();
        packets_[packet.id] = packet;
        network.take(request.id);
        network.send(packet);
        asked.pop_front();
      }
      for (const std::uint64_t request : asked) network.wait_to_send(request, reply);
    }
  }

  const Topology& topology_;
  std::uint32_t classes_;
  std::map<Cycle, std::vector<Packet>> timed_;
  std::map<std::uint64_t, Packet> packets_;
  std::map<NodeId, std::deque<Packet>> waiting_;
  std::map<Cycle, std::vector<std::uint64_t>> late_;
  std::map<std::pair<NodeId, std::uint32_t>, std::deque<std::uint64_t>> asked_;
  std::size_t delivered_ = 0;
};

/// The driver of a case.
using MakeDriver = std::unique_ptr<Driver> (*)(const RandomCase&);

std::unique_ptr<Driver> replying(const RandomCase& random_case) {
  return std::make_unique<ReplyingDriver>(random_case);
}

/// A driver that owns what it relays.
template <typename Inner>
class Owner final : public RelayDriver {
 public:
  explicit Owner(std::unique_ptr<Inner> inner) : RelayDriver(inner->driver()), inner_(std::move(inner)) {}

 private:
  std::unique_ptr<Inner> inner_;
};

/// Messages of a case and the replies to them, as packets.
struct PacketedReplies {
  explicit PacketedReplies(const RandomCase& random_case)
      : messages(random_case),
        packets(messages, format_of(random_case), random_case.topology, random_case.machine, 10'000'000) {}
  /// Packets that fit into an ejection buffer.
  static PacketFormat format_of(const RandomCase& random_case) {
    const auto seed = static_cast<std::uint32_t>(random_case.seed);
    const std::uint32_t most = std::min(random_case.machine.ejection_buffer.value_or(8), 8U);
    const std::uint32_t head = most > 1 ? seed / 7 % 2 : 0;
    return {1 + seed % (most - head), head, seed % 3 == 0};
  }
  [[nodiscard]] Driver& driver() { return packets; }
  ReplyingDriver messages;
  PacketDriver packets;
};

std::unique_ptr<Driver> in_packets(const RandomCase& random_case) {
  return std::make_unique<Owner<PacketedReplies>>(std::make_unique<PacketedReplies>(random_case));
}

/// A program: messages, some of them to their own nodes, some with replies, of several classes; some are
/// counted, and some wait for counts.
MemorySchedule random_program(const RandomCase& random_case) {
  RandomNumbers random(static_cast<std::uint32_t>(random_case.seed));
  const Topology& topology = random_case.topology;
  const MachineConfig& machine = random_case.machine;
  ScheduleFacts facts(topology);
  for (const MessageClass& each : machine.classes) facts.classes.push_back(each.name);
  const auto classes = static_cast<std::uint32_t>(facts.classes.size());
  const auto bytes = [&] {
    return (1 + random.below(machine.ejection_buffer.value_or(20))) * machine.flit_bytes;
  };
  MemorySchedule schedule(std::move(facts));
  std::map<std::pair<NodeId, std::uint32_t>, std::uint64_t> counts;
  const auto draw_class = [&] { return classes > 0 ? random.below(classes + 1) : 0; };
  const auto route_of = [&](NodeId source, NodeId destination, std::uint32_t number) {
    const Topology own = topology.network(machine.network_of(number == 0 ? 0 : number - 1));
    return own.is_grid() ? shortest_route(own, source, destination) : Route();
  };
  const auto decorate = [&](NodeId receiver, std::uint32_t number) {
    if (number > 0) schedule.of_class(number);
    if (random.below(2) == 0) return;
    const std::uint32_t kind = 1 + random.below(2);
    schedule.kind(kind);
    ++counts[{receiver, kind}];
  };
  for (unsigned step = 0; step < 2; ++step) {
    schedule.begin_step();
    for (unsigned message = 0; message < 3 * topology.nodes(); ++message) {
      const NodeId source = random.below(topology.nodes());
      const NodeId destination = random.below(4) == 0 ? source : random.below(topology.nodes());
      if (topology.is_missing(source) || topology.is_missing(destination)) continue;
      const std::uint32_t of_request = draw_class();
      schedule.add(source, destination, route_of(source, destination, of_request), {}, bytes());
      const std::uint32_t kind = 1 + random.below(2);
      if (const std::uint64_t known = counts[{source, kind}]; known > 0 && random.below(2) == 0) {
        schedule.wait({{kind, random.below(30), false, 1 + random.below(static_cast<std::uint32_t>(known))}});
      }
      decorate(destination, of_request);
      if (random.below(2) == 0) continue;
      const std::uint32_t of_reply = draw_class();
      schedule.reply(bytes(), random.below(3) == 0 ? random.below(60) : 0,
                     route_of(destination, source, of_reply));
      decorate(source, of_reply);
    }
  }
  return schedule;
}

struct Program {
  explicit Program(const RandomCase& random_case) : schedule(random_program(random_case)) {
    if (random_case.seed % 3 != 0) {
      player = std::make_unique<BarrierDriver>(schedule, random_case.machine);
    } else {
      player = std::make_unique<DataflowDriver>(schedule, random_case.machine, 1000,
                                                [](const Message&, unsigned) { return 0U; });
    }
  }
  [[nodiscard]] Driver& driver() { return *player; }
  MemorySchedule schedule;
  std::unique_ptr<Driver> player;
};

std::unique_ptr<Driver> program(const RandomCase& random_case) {
  return std::make_unique<Owner<Program>>(std::make_unique<Program>(random_case));
}

std::string text_of(const std::vector<reference::InputVcName>& deadlocked) {
  std::string text = "deadlocked:";
  for (const auto& [node, vc] : deadlocked) text += fmt::format(" {}.{}", node, vc);
  return text + "\n";
}

/// Those that wait for one another in the last cycle, by the definition.
std::vector<reference::InputVcName> deadlocked_of(const std::vector<reference::Waiting>& waiting) {
  std::set<reference::InputVcName> stuck;
  for (const reference::Waiting& each : waiting) stuck.insert(each.input_vc);
  for (bool changed = true; changed;) {
    changed = false;
    for (const reference::Waiting& each : waiting) {
      const auto is_free = [&](const reference::InputVcName& name) { return !stuck.contains(name); };
      const bool moves = each.alternatives.empty() ||
                         std::ranges::any_of(each.alternatives, [&](const reference::Alternative& one) {
                           return std::ranges::all_of(one, is_free);
                         });
      if (moves) changed |= stuck.erase(each.input_vc) > 0;
    }
  }
  return {stuck.begin(), stuck.end()};
}

struct Expected {
  std::string text;
  Cycle until = 0;
  std::size_t deadlocked = 0;
  StallCounts stalls{};
};

Expected by_reference(const RandomCase& random_case, MakeDriver make_driver) {
  reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
  const auto made = make_driver(random_case);
  test::DeliveryRecorder driver(*made);
  // Most cases end in fewer cycles; those with a deadlock or starvation have it by then.
  const reference::Outcome end = slow.run(driver, 6'000);
  const auto deadlocked = deadlocked_of(slow.waiting());
  return {test::text_of(driver.deliveries()) + test::FlitRecord(slow).text() + text_of(deadlocked) +
              fmt::format("stalls {}\n", fmt::join(end.stalls, " ")),
          slow.now(), deadlocked.size(), end.stalls};
}

std::string by_engine(const RandomCase& random_case, MakeDriver make_driver, Cycle until) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    test::FlitRecord record;
    network.clock().observe({.stalls = &record, .flits = &record});
    const auto made = make_driver(random_case);
    test::DeliveryRecorder driver(*made);
    network.run(driver, until - 1);  // heads that speculate never rest
    std::vector<reference::InputVcName> deadlocked;
    for (const VcPlace& place : WaitForGraph(network.clock()).deadlocked()) deadlocked.push_back(place);
    RouterGroups& core = network.clock().core();
    core.settle_stalls(until);
    return test::text_of(driver.deliveries()) + record.text() + text_of(deadlocked) +
           fmt::format("stalls {}\n", fmt::join(core.stalls(), " "));
  });
}

Expected expect_equal(const RandomCase& random_case, MakeDriver make_driver) {
  const Expected expected = by_reference(random_case, make_driver);
  EXPECT_EQ(test::first_difference(expected.text, by_engine(random_case, make_driver, expected.until)), "")
      << reference::description(random_case);
  return expected;
}

/// Compares cases from a seed on, and adds up what happened in them.
void expect_equal(std::uint64_t first, RandomCase (*make)(std::uint64_t), MakeDriver make_driver = replying) {
  std::uint64_t compared = 0;
  std::uint64_t deadlocks = 0;
  std::map<std::string, unsigned> cases_with;
  StallCounts stalls{};
  for (std::uint64_t seed = 0; seed < test::cases(400) && !testing::Test::HasFailure(); ++seed) {
    const auto random_case = reference::with_message_classes(make(first + seed));
    if (!random_case) continue;
    ++compared;
    const Expected expected = expect_equal(*random_case, make_driver);
    deadlocks += expected.deadlocked > 0 ? 1 : 0;
    for (unsigned cause = 0; cause < kStallCauses; ++cause) stalls[cause] += expected.stalls[cause];
    const MachineConfig& machine = random_case->machine;
    const bool adapts = !RoutingRegistry::find(machine.routing)->make(random_case->topology)->deterministic();
    for (const auto& [is_there, kind] : {std::pair(adapts, "adaptive routing"),
                                         std::pair(machine.switching != Switching::wormhole, "cut-through"),
                                         std::pair(machine.parts.speculates(), "speculation"),
                                         std::pair(machine.parts.early_credits, "early credits"),
                                         std::pair(machine.parts.output_queue != 0, "output queues")}) {
      cases_with[kind] += is_there ? 1 : 0;
    }
  }
  EXPECT_GT(compared, test::cases(400) / 4);
  if (test::cases(400) >= 200) {
    EXPECT_GT(deadlocks, 0U);  // in one case of a hundred or fewer
    for (const auto& [kind, cases] : cases_with) EXPECT_GT(cases, 0U) << kind;
  }
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    EXPECT_GT(stalls[cause], 0U) << kStallCauseTable[cause].name;
  }
}

TEST(MessageClassesAgainstReference, RandomCases_MoveEveryFlitInItsCycle) {
  expect_equal(21'000'000, [](std::uint64_t seed) { return reference::random_case(seed); });
}

TEST(MessageClassesAgainstReference, SmallNetworks_DeadlockInTheSameInputVcs) {
  expect_equal(22'000'000, [](std::uint64_t seed) { return reference::deadlock_case(seed); });
}

TEST(MessageClassesAgainstReference, Packets_MoveEveryFlitInItsCycle) {
  expect_equal(
      23'000'000,
      [](std::uint64_t seed) {
        RandomCase random_case = reference::random_case(seed);
        random_case.machine.startup = 0;  // the packets' driver pays it
        // Room for the longest packet, and for a bubble.
        if (random_case.machine.switching != Switching::wormhole) random_case.machine.buffer = 16;
        return random_case;
      },
      in_packets);
}

TEST(MessageClassesAgainstReference, RoutersThatReadQueuesOfOthers_MoveEveryFlitInItsCycle) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 16 && !testing::Test::HasFailure(); ++seed) {
    const char* const routing = seed % 2 == 0 ? "ugal-g" : "piggyback";
    const auto random_case =
        reference::with_message_classes(reference::dragonfly_case(25'000'000 + seed, {routing}));
    if (random_case) expect_equal(*random_case, replying);
  }
}

TEST(MessageClassesAgainstReference, ProgramsWithRepliesAndCounts_MoveEveryFlitInItsCycle) {
  expect_equal(
      24'000'000,
      [](std::uint64_t seed) {
        RandomCase random_case = reference::random_case(seed);
        // Room for the longest message of a program, and for a bubble.
        if (random_case.machine.switching != Switching::wormhole) random_case.machine.buffer = 160;
        return random_case;
      },
      program);
}

}  // namespace
}  // namespace flitscope::message_classes_test
