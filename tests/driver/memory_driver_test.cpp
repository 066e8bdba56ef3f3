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

std::vector<Sent> sent_by(const std::vector<reference::TimedMessage>& messages, const MemoryMap& memories) {
  reference::TimedDriver inner(messages);
  MemoryDriver driver(inner, memories);
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
  MemoryDriver driver(inner, memories);
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
