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

  /// The clock, as long as the driver wants it.
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
                          const MachineConfig& machine) {
  reference::TimedDriver inner(messages);
  PacketDriver driver(inner, format, kLine, machine, kStride);
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

/// Takes what is delivered.
class Receiver final : public Driver {
 public:
  explicit Receiver(Packet message) : message_(message) {}
  void start(Transport& network) override { network.send(message_); }
  void delivered(Transport&, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) got.push_back({now, delivery.id, 0});
    last = deliveries.back();
  }
  [[nodiscard]] bool finished() const override { return true; }

  std::vector<Sent> got;
  Delivery last;

 private:
  Packet message_;
};

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
