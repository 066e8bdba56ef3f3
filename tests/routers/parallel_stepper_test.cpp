// Any number of threads moves every flit in the same cycle.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include "routers/engine/parallel_stepper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>

#include "sim/observe/deadlock/deadlock.h"
#include "tests/reference/reference_network.h"
#include "tests/routers/engine_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::parallel_stepper_test {
namespace {

using reference::RandomCase;

TEST(ParallelStepper, SecondPhase_BeginsWhenAllHaveEndedTheFirst) {
  constexpr unsigned kThreads = 4;
  constexpr std::uint64_t kCycles = 100;
  std::atomic<std::uint64_t> first = 0;
  std::atomic<std::uint64_t> second = 0;
  std::atomic<bool> in_order = true;
  ParallelStepper stepper(kThreads, [&](unsigned /*thread*/, unsigned phase) {
    if (phase == 0) {
      ++first;
    } else {
      in_order = in_order && first == (second / kThreads + 1) * kThreads;
      ++second;
    }
  });
  for (std::uint64_t cycle = 1; cycle <= kCycles; ++cycle) {
    stepper.step();
    ASSERT_EQ(first, cycle * kThreads);
    ASSERT_EQ(second, cycle * kThreads);
  }
  EXPECT_TRUE(in_order);
}

TEST(ParallelStepper, ExceptionOfAThread_IsThrownInTheCallersAfterTheCycle) {
  std::atomic<unsigned> ended = 0;
  ParallelStepper stepper(3, [&](unsigned thread, unsigned phase) {
    if (thread == 2 && phase == 0) throw std::runtime_error("of thread 2");
    ended += phase;
  });
  EXPECT_THROW(stepper.step(), std::runtime_error);
  EXPECT_EQ(ended, 2U);
}

/// Sends the messages of a case at their times, each when its queue has room, and a reply to every other one
/// at its delivery.
class QueueingDriver final : public Driver {
 public:
  explicit QueueingDriver(const RandomCase& random_case)
      : topology_(random_case.topology), classes_(random_case.machine.message_classes()) {
    for (const reference::TimedMessage& message : random_case.messages) {
      timed_[message.ready].push_back(message.packet);
      packets_[message.packet.id] = message.packet;
    }
    left_ = packets_.size();
  }

  void start(Transport& network) override { at(network, 0); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle /*now*/) override {
    for (const Delivery& delivery : deliveries) {
      deliveries_.push_back(delivery);
      --left_;
      if (delivery.id % 2 != 0 || delivery.id >= kReplies) continue;
      Packet reply = packets_.at(delivery.id);
      reply.id += kReplies;
      reply.message_class = (reply.message_class + 1) % classes_;
      std::swap(reply.source, reply.destination);
      reply.route =
          topology_.is_grid() ? shortest_route(topology_, reply.source, reply.destination) : Route();
      ++left_;
      waiting_[reply.source].push_back(reply);
      send_waiting(network, reply.source);
    }
  }
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) override {
    for (const NodeId node : nodes) {
      relieved_ += fmt::format("{}: {} has room\n", now, node);
      send_waiting(network, node);
    }
  }
  [[nodiscard]] Cycle next_event() const override { return timed_.empty() ? kNever : timed_.begin()->first; }
  void at(Transport& network, Cycle now) override {
    for (; !timed_.empty() && timed_.begin()->first <= now; timed_.erase(timed_.begin())) {
      for (const Packet& packet : timed_.begin()->second) {
        waiting_[packet.source].push_back(packet);
        send_waiting(network, packet.source);
      }
    }
  }
  [[nodiscard]] bool finished() const override { return left_ == 0; }
  [[nodiscard]] std::string text() const { return test::text_of(deliveries_) + relieved_; }

 private:
  static constexpr std::uint64_t kReplies = 1'000'000;  ///< their numbers begin here

  void send_waiting(Transport& network, NodeId node) {
    std::deque<Packet>& queue = waiting_[node];
    for (; !queue.empty() && network.can_send(node, queue.front().message_class); queue.pop_front())
      network.send(queue.front());
  }

  const Topology& topology_;
  std::uint32_t classes_;
  std::map<Cycle, std::vector<Packet>> timed_;
  std::map<std::uint64_t, Packet> packets_;
  std::map<NodeId, std::deque<Packet>> waiting_;
  std::size_t left_ = 0;
  std::vector<Delivery> deliveries_;
  std::string relieved_;
};

/// Writes down flits and stalls in the order of their reports.
class Reports final : public StallObserver, public FlitObserver {
 public:
  void stalled(const FlitStall& stall) override {
    text += fmt::format("stall from {} for {} at {}.{}: message {} flit {} cause {} culprit {}\n", stall.from,
                        stall.cycles, stall.node, stall.input_vc, stall.message, stall.index,
                        name_of(stall.cause), stall.culprit ? fmt::format("{}", *stall.culprit) : "-");
  }
  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool tail) override {
    text += fmt::format("{}: {} channel {} puts {}.{} {}\n", now, node, channel, message, index, tail);
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool tail) override {
    text += fmt::format("{}: {} {}.{} sends {}.{} {}\n", now, node, port, vc, message, index, tail);
  }
  void routed(Cycle now, NodeId node, unsigned input_vc, unsigned port, std::uint64_t message) override {
    text += fmt::format("{}: {} VC {} routes {} to {}\n", now, node, input_vc, message, port);
  }
  void granted(Cycle now, NodeId node, unsigned input_vc, unsigned port, unsigned vc,
               std::uint64_t message) override {
    text += fmt::format("{}: {} VC {} grants {} {}.{}\n", now, node, input_vc, message, port, vc);
  }

  std::string text;
};

struct Threads {
  unsigned count = 1;
  std::uint64_t divide_from = 0;  ///< flit-hops
};

/// Everything that can be seen of a run. Some read counters of stalls, some observe stalls, some of these
/// flits, too.
std::string record(const RandomCase& random_case, Threads threads) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    ClockDomain& clock = network.clock();
    clock.set_threads(threads.count);
    clock.divide_from(threads.divide_from);
    Reports reports;
    RouterObservers observers;
    const std::uint64_t kind = random_case.seed / 2 % 4;
    std::string counted;
    if (kind == 0) {
      clock.on_stalls_counted(
          97, [&](Cycle until) { counted += test::totals(until, std::as_const(clock).core().stalls()); });
    }
    if (kind >= 2) observers.stalls = &reports;
    if (kind == 3) observers.flits = &reports;
    clock.observe(observers);
    test::Sampler sampler(clock, random_case.seed);
    if (random_case.seed % 3 == 0) clock.watch(sampler, random_case.seed % 1000);
    QueueingDriver driver(random_case);
    network.run(driver, test::kRecordLimit);
    std::string text = sampler.text + driver.text();
    text += fmt::format("last cycle {}, {} skipped\n", clock.last_cycle(), clock.cycles_skipped());
    if (const auto deadlock = find_deadlock(clock)) {
      text += fmt::format("deadlock of {} buffers since {}\n{}\n", deadlock->blocked_buffers,
                          deadlock->standstill, fmt::join(describe(*deadlock, random_case.topology), "\n"));
    }
    clock.core().settle_stalls(test::kRecordLimit);
    return text + test::counters_of(clock.core()) + counted + reports.text;
  });
}

/// The case with links that differ, some beyond the calendar's wheel, stages of its own, or message classes
/// and limited injection queues; with messages of other lengths in some.
RandomCase varied(RandomCase random_case) {
  const std::uint64_t seed = random_case.seed;
  const bool wormhole = random_case.machine.switching == Switching::wormhole;
  for (reference::TimedMessage& message : random_case.messages) {
    if (!wormhole) break;
    if (seed % 5 == 1) message.packet.flits = static_cast<std::uint32_t>(1 + message.packet.id * 37 % 64);
    if (seed % 25 == 2) message.packet.flits *= 50;
  }
  if (seed % 24 == 23) {
    random_case.machine.link_delay = 200;
    random_case.machine.router_delay = 100;
  }
  switch (seed % 6) {
    case 1:
      return reference::with_router_stages(std::move(random_case));
    case 2:
      return reference::with_unequal_links(std::move(random_case));
    case 3:
      return reference::with_fractional_intervals(std::move(random_case));
    case 4:
      if (auto classes = reference::with_message_classes(random_case)) {
        if (seed % 4 != 0) classes->machine.ejection_buffer.reset();
        return std::move(*classes);
      }
      return random_case;
    default:
      return random_case;
  }
}

/// Compares some threads with one.
void expect_same_record(const RandomCase& random_case, Threads threads) {
  EXPECT_EQ(test::first_difference(record(random_case, {}), record(random_case, threads)), "")
      << threads.count << " threads, " << reference::description(random_case);
}

TEST(ParallelStepper, RandomCases_AreThoseOfOneThread) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 16 && !HasFailure(); ++seed) {
    const auto threads = static_cast<unsigned>(2 + seed % 3);
    // In most cases only some cycles are divided.
    expect_same_record(varied(reference::large_case(6'000'000 + seed)),
                       {threads, seed % 4 == 0 ? 0 : 10 + seed % 60});
  }
}

TEST(ParallelStepper, RandomCases_AgreeWithTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 40 && !HasFailure(); ++seed) {
    const RandomCase one = reference::large_case(7'000'000 + seed);
    reference::ReferenceNetwork slow(one.topology, one.machine);
    reference::TimedDriver driver(one.messages);
    const reference::Outcome outcome = slow.run(driver, test::kRecordLimit);
    const std::string actual = run_isolated([&] {
      Network network("network", one.topology, one.machine);
      ClockDomain& clock = network.clock();
      clock.set_threads(static_cast<unsigned>(2 + seed % 3));
      clock.divide_from(0);
      reference::TimedDriver again(one.messages);
      network.run(again, test::kRecordLimit);
      clock.core().settle_stalls(slow.now());
      return test::text_of(again.deliveries()) + test::totals(clock.last_delivery(), clock.core().stalls());
    });
    EXPECT_EQ(test::first_difference(
                  test::text_of(driver.deliveries()) + test::totals(outcome.cycles, outcome.stalls), actual),
              "")
        << reference::description(one);
  }
}

/// Worms that reach across the groups of all threads, of which most cycles repeat others.
TEST(ParallelStepper, RepeatedCycles_AreSkippedAsByOneThread) {
  RandomCase worms{0, Topology(TopologyKind::torus, {8, 40}), {}, {}};
  worms.machine.virtual_channels = 2;
  for (NodeId node = 0; node < 320; node += 7) {
    const NodeId destination = (node + 157) % 320;
    worms.messages.emplace_back().packet = {.id = 2 * node + 1,
                                            .source = node,
                                            .destination = destination,
                                            .route = shortest_route(worms.topology, node, destination),
                                            .flits = 3000 + node % 5 * 700};
  }
  expect_same_record(worms, {.count = 4});
  EXPECT_EQ(record(worms, {}).find(", 0 skipped"), std::string::npos);
}

std::string used_threads(std::uint32_t side, const MachineConfig& machine) {
  return run_isolated([&] {
    Network network("network", Topology(TopologyKind::mesh, {side, side}), machine);
    network.clock().set_threads(8);
    static_cast<void>(network.clock().core());  // makes the routers
    return fmt::format("{}", network.clock().threads());
  });
}

/// Takes every flit.
struct Sink final : flit_if {
  std::uint32_t attach(credit_if& /*sender*/) override { return 8; }
  void put(unsigned /*vc*/, const LinkFlit& /*flit*/) override {}
};

TEST(ParallelStepper, Threads_HaveAGroupEach) {
  EXPECT_EQ(used_threads(8, {}), "1");
  EXPECT_EQ(used_threads(16, {}), "4");
  EXPECT_EQ(used_threads(23, {}), "8");
}

TEST(ParallelStepper, MachinesWhoseStagesShareMemory_HaveOneThread) {
  MachineConfig machine;
  machine.ejection_buffer = 4;
  EXPECT_EQ(used_threads(32, machine), "1");
  machine = {};
  machine.parts.output_queue = 4;
  EXPECT_EQ(used_threads(32, machine), "1");
}

/// Modules are called in one order.
TEST(ParallelStepper, NetworkWithAModule_HasOneThread) {
  const std::string threads = run_isolated([] {
    const Topology mesh(TopologyKind::mesh, {32, 32});
    Network network("network", mesh, MachineConfig{});
    network.clock().set_threads(8);
    Sink sink;
    network.replace_receiver(0, mesh.link_ports(), sink);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    static_cast<void>(network.clock().core());  // makes the routers
    return fmt::format("{}", network.clock().threads());
  });
  EXPECT_EQ(threads, "1");
}

}  // namespace
}  // namespace flitscope::parallel_stepper_test
