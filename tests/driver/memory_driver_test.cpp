// Messages that come from memories: the cycles in which they are handed to the network.
#include "sim/driver/memories.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/reference/timed_driver.h"

namespace flitscope::memory_driver_test {
namespace {

/// Cycle and id of a message.
using Sent = std::pair<Cycle, std::uint64_t>;

class Recorder final : public Transport {
 public:
  void send(const Packet& packet) override { sent.emplace_back(now, packet.id); }
  void run(Driver& driver) {
    driver.start(*this);
    while (driver.next_event() != kNever) {
      now = driver.next_event();
      driver.at(*this, now);
    }
  }
  Cycle now = 0;
  std::vector<Sent> sent;
};

reference::TimedMessage message(std::uint64_t id, NodeId source, std::uint32_t flits, Cycle ready,
                                std::uint32_t message_class = 0) {
  reference::TimedMessage timed;
  timed.packet.id = id;
  timed.packet.source = source;
  timed.packet.flits = flits;
  timed.packet.message_class = message_class;
  timed.ready = ready;
  return timed;
}

/// Replies.
MemoryMap memories_of(const std::vector<MemoryPort>& own) {
  MemoryMap memories;
  for (const MemoryPort& each : own) memories.classes.push_back(MemoryClass{each, {}, true});
  return memories;
}

const Topology kMesh(TopologyKind::mesh, {3, 3});

std::vector<Sent> sent_by(const std::vector<reference::TimedMessage>& messages, const MemoryMap& memories,
                          const Topology& topology = kMesh) {
  reference::TimedDriver inner(messages);
  MemoryDriver driver(inner, memories, topology);
  Recorder recorder;
  recorder.run(driver);
  EXPECT_TRUE(driver.finished());
  return recorder.sent;
}

TEST(MemoryDriver, RequestToTheNodeItself_HasItsLatencyBesides) {
  MemoryMap memories = memories_of({{.latency = 5, .cycles_per_flit = 1}});
  memories.classes[0]->is_reply = false;
  memories.self_latency = 4;
  std::vector messages{message(1, 0, 1, 0), message(2, 0, 1, 0)};
  messages[1].packet.destination = 1;
  EXPECT_EQ(sent_by(messages, memories), (std::vector<Sent>{{6, 2}, {9, 1}}));
}

TEST(MemoryDriver, LatencyAlone_DelaysEveryMessage) {
  const MemoryMap memories = memories_of({{.latency = 30}});
  EXPECT_EQ(sent_by({message(1, 0, 4, 0), message(2, 0, 4, 2), message(3, 1, 4, 2)}, memories),
            (std::vector<Sent>{{30, 1}, {32, 3}, {34, 2}}));
}

TEST(MemoryDriver, TwoFlitsInThreeCycles_MessagesFollowOneAnotherExactly) {
  // Of 3 flits each: 4.5 cycles, and the last flit is read floor(2 * 1.5) = 3 cycles after the first, one
  // more than the network interface takes.
  const MemoryMap memories = memories_of({{.latency = 0, .cycles_per_flit = Ratio(3, 2)}});
  EXPECT_EQ(sent_by({message(1, 0, 3, 10), message(2, 0, 3, 10), message(3, 0, 3, 10), message(4, 0, 3, 30)},
                    memories),
            (std::vector<Sent>{{11, 1}, {15, 2}, {20, 3}, {31, 4}}));
}

TEST(MemoryDriver, FlitByFlit_MessagesComeWithTheirFirstFlit) {
  MemoryMap memories = memories_of({{.latency = 0, .cycles_per_flit = Ratio(3, 2)}});
  memories.flit_by_flit = true;
  EXPECT_EQ(sent_by({message(1, 0, 3, 10), message(2, 0, 3, 10), message(3, 0, 3, 10), message(4, 0, 3, 30)},
                    memories),
            (std::vector<Sent>{{10, 1}, {14, 2}, {19, 3}, {30, 4}}));
}

TEST(MemoryDriver, SharedMemory_ServesItsNodesInTurn) {
  MemoryMap memories = memories_of({{}});
  memories.classes.front()->shared = {.latency = 5, .cycles_per_flit = 2};
  memories.shared_millionths = 2'000'000;
  memories.shared_by = {{0, 0}, {1, 0}, {2, 1}};
  // Of 2 flits: 4 cycles of the port and of the memory, sent 5 + 1 after the begin.
  EXPECT_EQ(
      sent_by({message(1, 0, 2, 0), message(2, 1, 2, 0), message(3, 2, 2, 0), message(4, 3, 2, 0)}, memories),
      (std::vector<Sent>{{0, 4}, {6, 1}, {6, 3}, {10, 2}}));
}

TEST(MemoryDriver, RequestsOfNodesThatShareAMemory_HaveMemoriesOfTheirOwn) {
  MemoryMap memories = memories_of({{.latency = 1}});
  memories.classes[0]->is_reply = false;
  memories.self_millionths = 2'000'000;
  memories.shared_by = {{1, 0}, {2, 0}};
  std::vector messages{message(1, 2, 5, 0), message(2, 1, 1, 0)};
  messages[0].packet.destination = 2;
  EXPECT_EQ(sent_by(messages, memories), (std::vector<Sent>{{1, 1}, {1, 2}}));
}

TEST(MemoryDriver, RoundRobin_DimensionsOfRequestsTakeTurns) {
  // Replies of node 4, the middle: for itself (turn 0), its row (1) and columns (2). Of two flits each.
  MemoryMap memories = memories_of({{}});
  memories.order = MemoryOrder::round_robin;
  const auto reply = [](std::uint64_t id, NodeId reader) {
    reference::TimedMessage timed = message(id, 4, 2, 0);
    timed.packet.destination = reader;
    return timed;
  };
  const std::vector<reference::TimedMessage> messages{reply(1, 0), reply(2, 1), reply(3, 7),
                                                      reply(4, 3), reply(5, 5), reply(6, 4)};
  EXPECT_EQ(sent_by(messages, memories),
            (std::vector<Sent>{{0, 1}, {2, 6}, {4, 4}, {6, 2}, {8, 5}, {10, 3}}));
  memories.order = MemoryOrder::first_come;
  EXPECT_EQ(sent_by(messages, memories),
            (std::vector<Sent>{{0, 1}, {2, 2}, {4, 3}, {6, 4}, {8, 5}, {10, 6}}));
}

TEST(MemoryDriver, RequestsRepliesAndOthers_DoNotWaitForEachOther) {
  MemoryMap memories = memories_of({{.latency = 1, .cycles_per_flit = 4}, {.latency = 2}});
  memories.classes[1]->is_reply = false;
  EXPECT_EQ(sent_by({message(1, 0, 1, 0, 0), message(2, 0, 1, 0, 1), message(3, 0, 1, 0, 0),
                     message(4, 0, 1, 0, 2)},
                    memories),
            (std::vector<Sent>{{0, 4}, {1, 1}, {2, 2}, {5, 3}}));
}

TEST(MemoryDriver, TwoNetworks_HavePortsOfTheirOwnAndOneLimit) {
  // Of 2 flits, 3 cycles of a port; of the memory 1 cycle a flit.
  MemoryMap memories = memories_of({{.cycles_per_flit = Ratio(3, 2)}, {.cycles_per_flit = Ratio(3, 2)}});
  memories.classes[1]->network = 1;
  const std::vector<reference::TimedMessage> messages{message(1, 0, 2, 0, 0), message(2, 0, 2, 0, 0),
                                                      message(3, 0, 2, 0, 1)};
  EXPECT_EQ(sent_by(messages, memories), (std::vector<Sent>{{0, 1}, {0, 3}, {3, 2}}));
  memories.own_millionths = 1'000'000;
  EXPECT_EQ(sent_by(messages, memories), (std::vector<Sent>{{0, 1}, {2, 3}, {4, 2}}));
}

TEST(MemoryDriver, RoundRobin_FollowsTheOrderOfTheNetworksDimensions) {
  const Topology both = Topology(TopologyKind::torus, {3, 3})
                            .in_networks({{.directions = LinkDirections::plus},
                                          {.directions = LinkDirections::minus, .first_dimension = 1}});
  MemoryMap memories = memories_of({{}, {}});
  memories.order = MemoryOrder::round_robin;
  memories.classes[1]->network = 1;
  // Of node 4; readers 3 are in its row, 1 in its column.
  const auto order_of = [&](std::uint32_t network) {
    std::vector<reference::TimedMessage> messages;
    for (const NodeId reader : {0, 3, 1, 3}) {
      messages.push_back(message(messages.size() + 1, 4, 2, 0, network));
      messages.back().packet.destination = reader;
    }
    return sent_by(messages, memories, both);
  };
  EXPECT_EQ(order_of(0), (std::vector<Sent>{{0, 1}, {2, 2}, {4, 3}, {6, 4}}));
  EXPECT_EQ(order_of(1), (std::vector<Sent>{{0, 1}, {2, 3}, {4, 2}, {6, 4}}));
}

TEST(MemoryDriver, VcRoundRobin_ClassesOfRequestsTakeTurnsFirst) {
  // A one-way ring of 6: requests for node 2 from 5 and 0 leave place 0 on their way, those from 1 do not.
  MemoryMap memories = memories_of({{}});
  memories.order = MemoryOrder::vc_round_robin;
  const auto order_at = [&](std::uint32_t dateline, LinkDirections directions) {
    memories.dateline = dateline;
    std::vector<reference::TimedMessage> messages;
    for (const NodeId reader : {1, 1, 1, 5, 0, 2}) {
      messages.push_back(message(messages.size() + 1, 2, 2, 0));
      messages.back().packet.destination = reader;
    }
    std::vector<std::uint64_t> order;
    for (const auto& [cycle, id] :
         sent_by(messages, memories, Topology(TopologyKind::torus, {6}, directions)))
      order.push_back(id);
    return order;
  };
  using Order = std::vector<std::uint64_t>;
  EXPECT_EQ(order_at(0, LinkDirections::plus), (Order{1, 4, 6, 5, 2, 3}));
  // All but those of the node itself leave place 1.
  EXPECT_EQ(order_at(1, LinkDirections::plus), (Order{1, 6, 2, 3, 4, 5}));
  // In direction minus place 0 is node 5, which requests of 1, 5 and 0 leave.
  EXPECT_EQ(order_at(0, LinkDirections::minus), (Order{1, 6, 2, 3, 4, 5}));
  // Place 4 is node 1, which those of 5 do not leave.
  EXPECT_EQ(order_at(4, LinkDirections::minus), (Order{1, 4, 2, 6, 3, 5}));
}

TEST(MemoryDriver, Delivery_IsReadyWhenItsMemoryGotIt) {
  struct Ready final : public Driver {
    void start(Transport& network) override {
      Packet packet;
      packet.id = 7;
      network.send(packet);
    }
    void delivered(Transport& /*network*/, std::span<const Delivery> deliveries, Cycle /*now*/) override {
      ready = deliveries.front().ready;
    }
    [[nodiscard]] bool finished() const override { return true; }
    Cycle ready = kNever;
  } inner;
  const MemoryMap memories = memories_of({{.latency = 9}});
  MemoryDriver driver(inner, memories, kMesh);
  Recorder recorder;
  recorder.run(driver);
  EXPECT_EQ(recorder.sent, (std::vector<Sent>{{9, 7}}));
  Delivery delivery;
  delivery.id = 7;
  delivery.ready = 9;
  driver.delivered(recorder, std::span(&delivery, 1), 20);
  EXPECT_EQ(inner.ready, 0U);
}

}  // namespace
}  // namespace flitscope::memory_driver_test
