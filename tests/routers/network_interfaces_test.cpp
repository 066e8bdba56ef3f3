// Network interfaces with finite ends and message classes, in exact cycles.
#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <map>

#include "sim/observe/deadlock/deadlock.h"
#include "tests/routers/engine_record.h"

namespace flitscope::network_interfaces_test {
namespace {

/// Sends requests of class 0; a node takes one only when it can send a reply of class 1, or 0 if there is no
/// other, which is taken at once.
class RequestReplyDriver final : public Driver {
 public:
  RequestReplyDriver(std::vector<Packet> requests, std::uint32_t reply_class, std::uint32_t reply_flits)
      : requests_(std::move(requests)), reply_class_(reply_class), reply_flits_(reply_flits) {}

  void start(Transport& network) override {
    for (const Packet& request : requests_) waiting_[request.source].push_back(request);
    for (auto& [node, waiting] : waiting_) send_some(network, node);
  }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) {
      arrivals += fmt::format("{} in {}; ", delivery.id, now);
      if (delivery.id >= kReplies) {
        ++replies;
        network.take(delivery.id);
        continue;
      }
      const Packet& request = *std::ranges::find(requests_, delivery.id, &Packet::id);
      asked_[request.destination].push_back(request);
      send_some(network, request.destination);
    }
  }
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle /*now*/) override {
    for (const NodeId node : nodes) send_some(network, node);
  }
  [[nodiscard]] bool holds_deliveries() const override { return true; }
  [[nodiscard]] bool finished() const override { return replies == requests_.size(); }

  std::size_t replies = 0;
  std::string arrivals;

 private:
  static constexpr std::uint64_t kReplies = 1000;

  void send_some(Transport& network, NodeId node) {
    std::deque<Packet>& asked = asked_[node];
    while (!asked.empty() && network.can_send(node, reply_class_)) {
      const Packet& request = asked.front();
      network.take(request.id);
      network.send(
          {.id = request.id + kReplies,
           .source = request.destination,
           .destination = request.source,
           .route = Route::cyclic(0, request.source > request.destination ? Sign::plus : Sign::minus),
           .flits = reply_flits_,
           .message_class = reply_class_});
      asked.pop_front();
    }
    for (const Packet& request : asked) network.wait_to_send(request.id, reply_class_);
    std::deque<Packet>& waiting = waiting_[node];
    while (!waiting.empty() && network.can_send(node, 0)) {
      network.send(waiting.front());
      waiting.pop_front();
    }
  }

  std::vector<Packet> requests_;
  std::uint32_t reply_class_;
  std::uint32_t reply_flits_;
  std::map<NodeId, std::deque<Packet>> asked_;
  std::map<NodeId, std::deque<Packet>> waiting_;
};

/// Two nodes that send each other eight requests of four flits, which are answered.
struct Exchange {
  std::size_t replies = 0;
  std::string arrivals;
  std::string deadlock;  ///< empty: there is none
};

Exchange exchange(MachineConfig machine, unsigned requests = 8) {
  const std::string text = run_isolated([&] {
    const Topology topology(TopologyKind::mesh, {2});
    machine.ports = 1;
    Network network("network", topology, machine);
    std::vector<Packet> packets;
    for (unsigned i = 0; i < 2 * requests; ++i) {
      packets.push_back({.id = i, .source = i % 2, .destination = 1 - i % 2, .route = {}, .flits = 4});
    }
    for (Packet& each : packets) each.route = shortest_route(topology, each.source, each.destination);
    RequestReplyDriver driver(packets, machine.message_classes() - 1, 4);
    network.run(driver, 10'000);
    std::string deadlock;
    if (const auto found = find_deadlock(network.clock())) {
      deadlock = fmt::format("{}", fmt::join(describe(*found, topology), "\n"));
    }
    return fmt::format("{}\t{}\t{}", driver.replies, driver.arrivals, deadlock);
  });
  const auto first = text.find('\t');
  const auto second = text.find('\t', first + 1);
  return {std::stoul(text.substr(0, first)), text.substr(first + 1, second - first - 1),
          text.substr(second + 1)};
}

MachineConfig finite_ends() {
  MachineConfig machine;
  machine.virtual_channels = 1;
  machine.buffer = 4;
  machine.ejection_buffer = 4;
  machine.injection_queue = 1;
  return machine;
}

/// A message that waits for room at its destination keeps its injection channel.
MachineConfig short_buffers() {
  MachineConfig machine = finite_ends();
  machine.buffer = 1;
  return machine;
}

MachineConfig with_two_classes(MachineConfig machine, std::uint64_t of_requests, std::uint64_t of_replies) {
  machine.classes = {{"request", of_requests, 0}, {"reply", of_replies, 0}};
  machine.virtual_channels = static_cast<unsigned>(std::popcount(of_requests | of_replies));
  return machine;
}

TEST(NetworkInterfaces, RequestsAndRepliesOfOneClass_DeadlockOnFiniteEnds) {
  const Exchange found = exchange(short_buffers());
  EXPECT_LT(found.replies, 16U);
  EXPECT_NE(found.deadlock.find("whose node waits to send behind worm"), std::string::npos) << found.deadlock;
  EXPECT_NE(found.deadlock.find("room behind channel ejection 0 of"), std::string::npos) << found.deadlock;
  EXPECT_NE(found.deadlock.find("holds channels injection 0 of"), std::string::npos) << found.deadlock;
}

/// Heads get VCs of the ejection channel only when they leave.
MachineConfig with_late_vcs(MachineConfig machine) {
  machine.parts.vc_allocator = VcAllocator::switch_winner;
  machine.vc_allocation = VcAllocation::with_slot;
  return machine;
}

TEST(NetworkInterfaces, HeadsWithoutEjectionVc_DeadlockOnFiniteEndsAsWell) {
  const Exchange found = exchange(with_late_vcs(short_buffers()));
  EXPECT_LT(found.replies, 16U);
  EXPECT_NE(found.deadlock.find("for room behind channel ejection 0 of"), std::string::npos)
      << found.deadlock;
  EXPECT_NE(found.deadlock.find("whose node waits to send behind worm"), std::string::npos) << found.deadlock;
  EXPECT_EQ(exchange(with_late_vcs(with_two_classes(finite_ends(), 0b01, 0b10))).deadlock, "");
}

TEST(NetworkInterfaces, ClassesWithVcsOfTheirOwn_DoNotDeadlock) {
  const Exchange found = exchange(with_two_classes(finite_ends(), 0b01, 0b10));
  EXPECT_EQ(found.replies, 16U);
  EXPECT_EQ(found.deadlock, "");
}

TEST(NetworkInterfaces, ClassesThatShareBuffers_KeepTheirReservesAndDoNotDeadlock) {
  for (const std::uint32_t buffer : {1U, 2U, 4U}) {
    MachineConfig machine = with_two_classes(finite_ends(), 0b01, 0b10);
    machine.buffer = buffer;
    machine.parts.buffers = Buffers::shared;
    const Exchange found = exchange(machine);
    EXPECT_EQ(found.replies, 16U) << buffer;
    EXPECT_EQ(found.deadlock, "") << buffer;
  }
}

TEST(NetworkInterfaces, ClassesWithOneQueue_DeadlockInIt) {
  MachineConfig machine = with_two_classes(short_buffers(), 0b01, 0b10);
  machine.node_queues = NodeQueues::shared;
  EXPECT_NE(exchange(machine).deadlock, "");
}

TEST(NetworkInterfaces, QueueForAllReplies_DoesNotDeadlock) {
  MachineConfig machine = finite_ends();
  machine.injection_queue = 16;
  const Exchange found = exchange(machine);
  EXPECT_EQ(found.replies, 16U);
  EXPECT_EQ(found.deadlock, "");
}

/// A message from one of two nodes to the other.
struct Sent {
  NodeId source = 0;
  std::uint32_t flits = 0;
  std::uint32_t message_class = 0;
};

/// All are ready in cycle 0: their arrivals, and the stalls behind full ejection buffers.
std::string arrivals_of(MachineConfig machine, const std::vector<Sent>& sent) {
  return run_isolated([&] {
    const Topology topology(TopologyKind::mesh, {2});
    machine.ports = 1;
    Network network("network", topology, machine);
    std::vector<reference::TimedMessage> messages;
    for (const auto& [source, flits, message_class] : sent) {
      const std::uint64_t id = messages.size();
      messages.emplace_back().packet = {.id = id,
                                        .source = source,
                                        .destination = 1 - source,
                                        .route = shortest_route(topology, source, 1 - source),
                                        .flits = flits,
                                        .message_class = message_class};
    }
    reference::TimedDriver driver(messages);
    network.run(driver, 1000);
    network.clock().core().settle_stalls(1000);
    std::string text;
    for (const Delivery& each : driver.deliveries()) text += fmt::format("{} in {}; ", each.id, each.arrived);
    const auto full = static_cast<unsigned>(StallCause::sink_full);
    return text + fmt::format("sink_full {}", network.clock().core().stalls()[full]);
  });
}

/// Of two messages of eight flits from one node, of class 0 and of class 1.
std::string two_messages(std::uint32_t priority_of_second) {
  MachineConfig machine = with_two_classes(MachineConfig(), 0b01, 0b10);
  machine.classes[1].priority = priority_of_second;
  return arrivals_of(machine, {{0, 8, 0}, {0, 8, 1}});
}

/// A message takes (H+1)(R+D) + L-1 = 4 + 7 cycles; two share the channel's flit a cycle.
TEST(NetworkInterfaces, HigherPriority_IsInjectedFirst) {
  EXPECT_EQ(two_messages(1), "1 in 11; 0 in 19; sink_full 0");
  EXPECT_EQ(two_messages(0), "0 in 18; 1 in 19; sink_full 0");
}

/// One message of eight flits over a link takes 4 cycles and the time in which its node reads seven flits.
TEST(NetworkInterfaces, ReadInterval_FlitsFollowAtIt) {
  MachineConfig machine = with_two_classes(MachineConfig(), 0b01, 0b10);
  machine.read_intervals = {Ratio(3, 2), 1};
  machine.read_intervals_at[1] = {2, 1};
  EXPECT_EQ(arrivals_of(machine, {{0, 8}, {1, 8}}), "0 in 14; 1 in 18; sink_full 0");
}

/// A request over one link is delivered after (H+1)(R+D) + L-1 = 4 + 3 cycles, its reply as long after that.
TEST(NetworkInterfaces, OneRequest_IsAnsweredInTwiceTheZeroLoadLatency) {
  EXPECT_EQ(exchange(with_two_classes(finite_ends(), 0b01, 0b10), 1).arrivals,
            "0 in 7; 1 in 7; 1000 in 14; 1001 in 14; ");
}

/// Messages of four flits into a buffer of four: the node reads the first flit of each in the cycle of its
/// delivery, and its slot can be used D = 1 cycle later. The first flit leaves the router in cycle t, the
/// tail in t+3 and is delivered in t+4; the next first flit leaves in t+5.
TEST(NetworkInterfaces, EjectionBufferOfOneMessage_TakesAMessageInFiveCycles) {
  MachineConfig machine;
  machine.ejection_buffer = 4;
  EXPECT_EQ(arrivals_of(machine, {{0, 4}, {0, 4}, {0, 4}, {0, 4}}),
            "0 in 7; 1 in 12; 2 in 17; 3 in 22; sink_full 3");
  // A head without the VC waits for the slot in the same cycle.
  EXPECT_EQ(arrivals_of(with_late_vcs(machine), {{0, 4}, {0, 4}, {0, 4}, {0, 4}}),
            "0 in 7; 1 in 12; 2 in 17; 3 in 22; sink_full 3");
}

}  // namespace
}  // namespace flitscope::network_interfaces_test
