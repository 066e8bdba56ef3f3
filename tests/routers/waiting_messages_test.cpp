// Messages that wait at their source: first in, first out, and only the next ones have records.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "routers/engine/message_table.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"

namespace flitscope::waiting_messages_test {
namespace {

TEST(WaitingMessages, Lines_AreFirstInFirstOut) {
  constexpr std::size_t kLines = 5;
  WaitingMessages waiting;
  std::vector<WaitingMessages::Line> lines(kLines);
  std::vector<std::uint64_t> sent(kLines), taken(kLines);
  std::mt19937_64 random(1);
  for (unsigned turn = 0; turn < 10'000; ++turn) {
    const std::size_t line = random() % kLines;
    if (random() % 2 == 0) {
      waiting.append(lines[line], {.id = sent[line]++});
    } else if (lines[line].length != 0) {
      ASSERT_EQ(waiting.take_first(lines[line]).id, taken[line]++);
    }
    ASSERT_EQ(lines[line].length, sent[line] - taken[line]);
  }
}

/// Sends many messages at once, and writes down the order of deliveries and how many records there were.
class Backlog final : public Driver {
 public:
  Backlog(const Network& network, std::uint64_t messages) : network_(network), left_(messages) {}

  void start(Transport& transport) override {
    for (std::uint64_t id = 0; id < left_; ++id) {
      const auto flits = static_cast<std::uint32_t>(1 + id % 2);
      transport.send({.id = id, .source = 0, .destination = 1, .route = {}, .flits = flits});
    }
    records = network_.clock().messages().open_messages();
  }
  void delivered(Transport& /*transport*/, std::span<const Delivery> deliveries, Cycle /*now*/) override {
    for (const Delivery& delivery : deliveries) {
      in_order = in_order && (!last_ || delivery.id > *last_);
      last_ = delivery.id;
      --left_;
    }
    records = std::max(records, network_.clock().messages().open_messages());
  }
  [[nodiscard]] bool finished() const override { return left_ == 0; }

  std::size_t records = 0;
  bool in_order = true;

 private:
  const Network& network_;
  std::uint64_t left_;
  std::optional<std::uint64_t> last_;
};

/// Of 200 messages from one node to its neighbour.
std::string backlog(std::optional<unsigned> ports, unsigned threads) {
  return run_isolated([&]() -> std::string {
    MachineConfig machine;
    machine.virtual_channels = 1;
    machine.ports = ports;
    machine.injection_interval = machine.ejection_interval = 2;
    Network network("network", Topology(TopologyKind::mesh, {300}), machine);
    network.clock().set_threads(threads);
    network.clock().divide_from(0);
    Backlog driver(network, 200);
    network.run(driver);
    return fmt::format("{}{}, at most {} records", driver.finished() ? "all" : "not all",
                       driver.in_order ? " in order" : "", driver.records);
  });
}

TEST(WaitingMessages, QueuedMessages_HaveNoRecords) {
  for (const unsigned threads : {1U, 2U}) {
    // In the channel, and behind it or in flight.
    EXPECT_EQ(backlog(std::nullopt, threads), "all in order, at most 2 records") << threads;
    EXPECT_EQ(backlog(1, threads), "all in order, at most 2 records") << threads;
  }
}

}  // namespace
}  // namespace flitscope::waiting_messages_test
