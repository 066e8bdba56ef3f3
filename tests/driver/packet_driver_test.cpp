// Packets of messages, handed over cycle by cycle.
#include "sim/driver/packet_driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/reference/timed_driver.h"
#include "tests/support/random_cases.h"

namespace flitscope::packet_driver_test {
namespace {

struct Sent {
  Cycle cycle = 0;
  std::uint64_t id = 0;
  std::uint32_t flits = 0;
  bool operator==(const Sent&) const = default;
};

void PrintTo(const Sent& sent, std::ostream* out) {
  *out << sent.cycle << ": " << message_label(sent.id) << ", " << sent.flits;
}

/// A network in which nothing arrives unless the test says so.
class Recorder final : public Transport {
 public:
  void send(const Packet& packet) override { sent.push_back({now, packet.id, packet.flits}); }
  [[nodiscard]] bool can_send(NodeId, std::uint32_t) const override { return has_room; }
  void take(std::uint64_t id) override { taken.push_back(id); }

  /// The clock, as long as the driver wants it.
  void run(Driver& driver) {
    driver.start(*this);
    while (driver.next_event() != kNever) {
      now = driver.next_event();
      driver.at(*this, now);
    }
  }

  Cycle now = 0;
  bool has_room = true;
  std::vector<Sent> sent;
  std::vector<std::uint64_t> taken;
};

constexpr std::uint64_t kStride = 100;
const Topology kLine(TopologyKind::mesh, {4});

MachineConfig one_port(Cycle startup = 0) {
  MachineConfig machine;
  machine.routing = "dimension-order";
  machine.virtual_channels = 1;
  machine.ports = 1;
  machine.startup = static_cast<std::uint32_t>(startup);
  return machine;
}

/// Message `place` of step 1 from node 1 to node 3.
reference::TimedMessage message(std::uint64_t place, std::uint32_t flits, Cycle ready = 0) {
  return {{.id = message_id(1, place - 1),
           .source = 1,
           .destination = 3,
           .route = shortest_route(kLine, 1, 3),
           .flits = flits,
           .step = 1},
          ready,
          {}};
}

std::vector<Sent> sent_by(const std::vector<reference::TimedMessage>& messages, const PacketFormat& format,
                          const MachineConfig& machine, const Topology& topology = kLine) {
  reference::TimedDriver inner(messages);
  PacketDriver driver(inner, format, topology, machine, kStride);
  Recorder recorder;
  recorder.run(driver);
  EXPECT_TRUE(driver.finished());
  return recorder.sent;
}

std::uint64_t packet(std::uint64_t place, std::uint64_t number) {
  return message_id(1, place - 1) + number * kStride;
}

TEST(PacketDriver, LongMessage_IsPacketsWithHeadsOneBehindTheOther) {
  EXPECT_EQ(sent_by({message(5, 10)}, {4, 1}, one_port()),
            (std::vector<Sent>{{0, packet(5, 0), 5}, {5, packet(5, 1), 5}, {10, packet(5, 2), 3}}));
}

TEST(PacketDriver, ShortMessage_IsOnePacket) {
  EXPECT_EQ(sent_by({message(1, 4)}, {4, 0}, one_port()), (std::vector<Sent>{{0, packet(1, 0), 4}}));
}

TEST(PacketDriver, Startup_IsPaidOnceAMessage) {
  EXPECT_EQ(sent_by({message(1, 8), message(2, 4)}, {4, 0}, one_port(30)),
            (std::vector<Sent>{{30, packet(1, 0), 4}, {34, packet(1, 1), 4}, {38 + 30, packet(2, 0), 4}}));
}

TEST(PacketDriver, Interval_IsThatOfTheInjectionChannel) {
  MachineConfig machine = one_port();
  machine.injection_interval = 3;
  EXPECT_EQ(sent_by({message(1, 8)}, {4, 0}, machine),
            (std::vector<Sent>{{0, packet(1, 0), 4}, {12, packet(1, 1), 4}}));
}

TEST(PacketDriver, InOrder_SendsAMessageToItsEndFirst) {
  EXPECT_EQ(sent_by({message(1, 8), message(2, 8)}, {4, 0}, one_port()),
            (std::vector<Sent>{
                {0, packet(1, 0), 4}, {4, packet(1, 1), 4}, {8, packet(2, 0), 4}, {12, packet(2, 1), 4}}));
}

TEST(PacketDriver, Interleaved_SendsMessagesInTurnAlsoALaterOne) {
  EXPECT_EQ(sent_by({message(1, 12), message(2, 8), message(3, 4, 5)}, {4, 0, true}, one_port()),
            (std::vector<Sent>{{0, packet(1, 0), 4},
                               {4, packet(2, 0), 4},
                               {8, packet(1, 1), 4},
                               {12, packet(2, 1), 4},
                               {16, packet(3, 0), 4},
                               {20, packet(1, 2), 4}}));
}

TEST(PacketDriver, AllPorts_SendOnEveryLinkAtOnce) {
  MachineConfig machine = one_port();
  machine.ports.reset();
  reference::TimedMessage back = message(2, 8);
  back.packet.destination = 0;
  back.packet.route = shortest_route(kLine, 1, 0);
  EXPECT_EQ(sent_by({message(1, 8), back}, {4, 0}, machine),
            (std::vector<Sent>{
                {0, packet(1, 0), 4}, {0, packet(2, 0), 4}, {4, packet(1, 1), 4}, {4, packet(2, 1), 4}}));
}

/// Both routes begin with direction + of dimension 0, but a head takes links in negative directions first.
TEST(PacketDriver, AllPorts_SendOnTheLinkOfTheFirstCandidate) {
  const Topology mesh(TopologyKind::mesh, {2, 2});
  MachineConfig machine = one_port();
  machine.routing = "negative-first";
  machine.ports.reset();
  std::vector<reference::TimedMessage> messages{message(1, 4), message(2, 4)};
  for (reference::TimedMessage& each : messages) {
    each.packet.source = 2;  // [0, 1]
    each.packet.destination = each.packet.id == messages[0].packet.id ? 1 : 3;
    each.packet.route = shortest_route(mesh, 2, each.packet.destination);
  }
  EXPECT_EQ(sent_by(messages, {24, 0}, machine, mesh),
            (std::vector<Sent>{{0, packet(2, 0), 4}, {0, packet(1, 0), 4}}));  // by port
}

TEST(PacketDriver, PacketWithoutRoom_WaitsAtItsSender) {
  const std::vector messages{message(1, 8), message(2, 4)};
  reference::TimedDriver inner(messages);
  MachineConfig machine = one_port();
  machine.injection_queue = 2;
  PacketDriver driver(inner, {4, 0}, kLine, machine, kStride);
  Recorder recorder;
  recorder.has_room = false;
  recorder.run(driver);
  EXPECT_TRUE(recorder.sent.empty());
  EXPECT_FALSE(driver.finished());
  recorder.has_room = true;
  driver.can_send_again(recorder, std::vector<NodeId>{1}, 50);
  while ((recorder.now = driver.next_event()) != kNever) driver.at(recorder, recorder.now);
  EXPECT_EQ(recorder.sent,
            (std::vector<Sent>{{50, packet(1, 0), 4}, {54, packet(1, 1), 4}, {58, packet(2, 0), 4}}));
}

/// Hands over messages of node 1 as long as the network says that it may.
class Pusher final : public Driver {
 public:
  explicit Pusher(std::uint64_t messages) : left_(messages) {}
  void start(Transport& network) override { push(network); }
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) override {
    EXPECT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes.front(), 1U);
    if (push(network)) pushed.push_back(now);
  }
  [[nodiscard]] bool finished() const override { return left_ == 0; }

  std::vector<Cycle> pushed;  ///< when there was room again

 private:
  bool push(Transport& network) {
    bool any = false;
    for (; left_ > 0 && network.can_send(1, 0); any = true) network.send(message(left_--, 8).packet);
    return any;
  }
  std::uint64_t left_;
};

TEST(PacketDriver, InjectionQueue_HoldsMessagesThatNoSenderHasTaken) {
  Pusher inner(5);
  MachineConfig machine = one_port();
  machine.injection_queue = 2;
  PacketDriver driver(inner, {4, 0}, kLine, machine, kStride);
  Recorder recorder;
  recorder.run(driver);
  // Two at first; a sender takes one of these in cycles 0, 8 and 16.
  EXPECT_EQ(inner.pushed, (std::vector<Cycle>{1, 9, 17}));
  EXPECT_EQ(recorder.sent.size(), 10U);
  EXPECT_EQ(recorder.sent.back().cycle, 36U);
}

/// Takes what is delivered.
class Receiver final : public Driver {
 public:
  explicit Receiver(Packet message, bool holds = false) : message_(message), holds_(holds) {}
  void start(Transport& network) override { network.send(message_); }
  void delivered(Transport&, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) got.push_back({now, delivery.id, 0});
    last = deliveries.back();
    if (holds_) take_at_ = now + 10;
  }
  [[nodiscard]] bool holds_deliveries() const override { return holds_; }
  [[nodiscard]] Cycle next_event() const override { return take_at_; }
  void at(Transport& network, Cycle /*now*/) override {
    network.take(message_.id);
    take_at_ = kNever;
  }
  [[nodiscard]] bool finished() const override { return true; }

  std::vector<Sent> got;
  Delivery last;

 private:
  Packet message_;
  bool holds_;
  Cycle take_at_ = kNever;
};

TEST(PacketDriver, LastPacket_StaysInTheEjectionBufferUntilTheMessageIsTaken) {
  Receiver receiver(message(5, 12).packet, true);
  const MachineConfig machine = one_port();
  PacketDriver driver(receiver, {4, 0}, kLine, machine, kStride);
  EXPECT_TRUE(driver.holds_deliveries());
  Recorder recorder;
  recorder.run(driver);
  for (const std::uint64_t number : {0U, 2U, 1U}) {
    driver.delivered(recorder, std::vector{Delivery{.id = packet(5, number)}}, 30 + number);
  }
  EXPECT_EQ(recorder.taken, (std::vector<std::uint64_t>{packet(5, 0), packet(5, 2)}));
  EXPECT_EQ(receiver.got.size(), 1U);
  driver.at(recorder, driver.next_event());
  EXPECT_EQ(recorder.taken.back(), packet(5, 1));
}

TEST(PacketDriver, Message_IsDeliveredWithTheLastOfItsPacketsInWhateverOrder) {
  Receiver receiver(message(5, 10).packet);
  const MachineConfig machine = one_port();
  PacketDriver driver(receiver, {4, 1}, kLine, machine, kStride);
  std::vector<std::uint32_t> flits;
  driver.on_packet([&](const ArrivedMessage& arrived) {
    flits.push_back(arrived.flits);
    EXPECT_EQ(arrived.delivery.ready, 0U);
  });
  Recorder recorder;
  recorder.run(driver);
  const auto arrive = [&](std::uint64_t number, Cycle entered, Cycle now) {
    const Delivery delivery{
        .id = packet(5, number), .ready = entered, .head_entered = entered, .arrived = now};
    driver.delivered(recorder, std::vector{delivery}, now);
  };
  arrive(2, 20, 30);
  arrive(0, 3, 40);
  EXPECT_TRUE(receiver.got.empty());
  arrive(1, 10, 55);
  EXPECT_EQ(receiver.got, (std::vector<Sent>{{55, message_id(1, 4), 0}}));
  EXPECT_EQ(receiver.last.ready, 0U);
  EXPECT_EQ(receiver.last.head_entered, 3U);
  EXPECT_EQ(flits, (std::vector<std::uint32_t>{3, 5, 5}));
  EXPECT_EQ(driver.arrived().data_flits, 10U);
  EXPECT_EQ(driver.arrived().flits, 13U);
}

TEST(PacketDriver, MorePacketsThanNames_AreRefused) {
  Receiver receiver(message(1, 1000).packet);
  const MachineConfig machine = one_port();
  PacketDriver driver(receiver, {1, 0}, kLine, machine, kMessageNumbers / 10);
  Recorder recorder;
  EXPECT_THROW(driver.start(recorder), Inadmissible);
}

/// docs/timing.md, "Packets", in every cycle.
std::vector<Sent> sent_by_definition(const std::vector<reference::TimedMessage>& messages,
                                     const PacketFormat& format, const MachineConfig& machine) {
  struct Waiting {
    std::uint64_t id = 0;
    std::uint32_t left = 0;
    std::uint32_t sent = 0;
  };
  struct Sender {
    Cycle busy_until = 0;
    std::optional<Waiting> starting;
  };
  std::deque<Waiting> waiting;
  std::vector<Sender> senders(*machine.ports);
  std::vector<Sent> sent;
  for (Cycle now = 0; now < 100'000; ++now) {
    for (const auto& each : messages) {
      if (each.ready == now) waiting.push_back({each.packet.id, each.packet.flits, 0});
    }
    for (Sender& sender : senders) {
      if (sender.busy_until > now) continue;
      if (!sender.starting) {
        if (waiting.empty()) continue;
        sender.starting = waiting.front();
        waiting.pop_front();
        if (sender.starting->sent == 0 && machine.startup > 0) {
          sender.busy_until = now + machine.startup;
          continue;
        }
      }
      Waiting own = *std::exchange(sender.starting, std::nullopt);
      const std::uint32_t data = std::min(own.left, format.payload_flits);
      sent.push_back({now, own.id + own.sent * kStride, data + format.head_flits});
      sender.busy_until = now + Cycle{data + format.head_flits} * machine.injection_interval;
      own.left -= data;
      ++own.sent;
      if (own.left == 0) continue;
      if (format.interleaved) {
        waiting.push_back(own);
      } else {
        waiting.push_front(own);
      }
    }
  }
  return sent;
}

TEST(PacketDriver, RandomMessages_AreSentAsTheDefinitionSays) {
  for (std::uint32_t seed = 0; seed < test::cases(200); ++seed) {
    RandomNumbers random(seed);
    MachineConfig machine = one_port(random.below(3) == 0 ? random.below(40) : 0);
    machine.ports = 1 + random.below(2);
    machine.injection_interval = 1 + random.below(3);
    const PacketFormat format{1 + random.below(9), random.below(3), random.below(2) == 1};
    std::vector<reference::TimedMessage> messages;
    for (std::uint64_t place = 1; place <= 12; ++place) {
      messages.push_back(message(place, 1 + random.below(40), random.below(300)));
    }
    std::ranges::stable_sort(messages, {}, &reference::TimedMessage::ready);
    ASSERT_EQ(sent_by(messages, format, machine), sent_by_definition(messages, format, machine)) << seed;
  }
}

}  // namespace
}  // namespace flitscope::packet_driver_test
