// Modules that are not ours take the places of network interfaces and stand in links.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"
#include "tests/routers/engine_record.h"
#include "tests/support/external_modules.h"
#include "tests/support/random_cases.h"

namespace flitscope::external_module_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;
using test::Actor;
using test::Listener;
using test::Repeater;
using test::SlowSink;
using test::Source;

const Topology kPair(TopologyKind::mesh, {2});
const Topology kLine(TopologyKind::mesh, {3});
constexpr unsigned kRight = 0;         // link port in direction +
constexpr unsigned kFirstChannel = 2;  // port of injection and ejection channel 0 in one dimension

MachineConfig one_port(std::uint32_t buffer) {
  MachineConfig machine;
  machine.virtual_channels = 1;
  machine.ports = 1;
  machine.buffer = buffer;
  return machine;
}

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, Route route, std::uint32_t flits) {
  return {{id, source, destination, route, flits, 0}, 0, std::nullopt};
}

std::uint64_t stalls(Network& network, StallCause cause) {
  return network.clock().core().stalls()[static_cast<std::size_t>(cause)];
}

// --- Sinks ---

/// Times of L flits from node 0 to a sink of node 1, flit by flit, with all delays 1 but the link's.
struct SlowSinkFormula {
  SlowSinkFormula(std::uint32_t flits, std::uint32_t buffer, std::uint32_t room, Cycle pace, Cycle link) {
    std::vector<Cycle> put;     // into router 0
    std::vector<Cycle> left_0;  // router 0
    std::vector<Cycle> left_1;  // router 1
    std::vector<Cycle> taken;   // by the sink
    for (std::size_t i = 0; i < flits; ++i) {
      const auto before = [&](const std::vector<Cycle>& times, std::size_t flits_ago, Cycle later) {
        return i < flits_ago ? 0 : times[i - flits_ago] + later;
      };
      put.push_back(std::max(before(put, 1, 1), before(left_0, buffer, 1)));
      const Cycle front_0 = std::max(put[i] + 1, before(left_0, 1, 1));
      left_0.push_back(std::max(front_0, before(left_1, buffer, link)));
      no_credit += left_0[i] - front_0;
      const Cycle front_1 = std::max(left_0[i] + link + 1, before(left_1, 1, 1));
      left_1.push_back(std::max(front_1, before(taken, room, link)));
      ejection_busy += left_1[i] - front_1;
      taken.push_back(std::max(left_1[i] + link, before(taken, 1, pace)));
    }
    arrived = left_1.back() + link;
    taken_at = taken;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("arrived {}, no_credit {}, ejection_busy {}, taken {}", arrived, no_credit,
                       ejection_busy, fmt::join(taken_at, " "));
  }
  Cycle arrived = 0;
  std::uint64_t no_credit = 0;
  std::uint64_t ejection_busy = 0;
  std::vector<Cycle> taken_at;
};

std::string one_message_to_a_sink(std::uint32_t flits, std::uint32_t buffer, std::uint32_t room, Cycle pace,
                                  std::uint32_t link) {
  return run_isolated([&]() -> std::string {
    MachineConfig machine = one_port(buffer);
    machine.link_delay = link;
    Network network("network", kPair, machine);
    SlowSink sink("sink", network, room, pace);
    network.replace_receiver(1, kFirstChannel, sink);
    const std::vector<TimedMessage> messages{message(9, 0, 1, {}, flits)};
    TimedDriver driver(messages);
    if (network.run(driver) != ClockStop::quiet) return "does not end";
    if (network.clock().core().flit_hops() != flits) return "wrong number of flit-hops";
    if (sink.most_in_buffer() > room) return "more flits than there is room for";
    std::vector<Cycle> taken;
    for (const SlowSink::Taken& each : sink.taken()) {
      const LinkFlit& flit = each.flit;
      const bool right = flit.index == taken.size() && flit.head == (flit.index == 0) &&
                         flit.tail == (flit.index + 1 == flits) && flit.id == 9 && flit.source == 0 &&
                         flit.destination == 1;
      if (!right) return fmt::format("a wrong flit, {} of message {}", flit.index, flit.id);
      taken.push_back(each.taken);
    }
    return fmt::format("arrived {}, no_credit {}, ejection_busy {}, taken {}",
                       driver.deliveries().at(0).arrived, stalls(network, StallCause::no_credit),
                       stalls(network, StallCause::ejection_busy), fmt::join(taken, " "));
  });
}

TEST(Sink, SlowSink_SetsTheThroughputOfThePath) {
  for (const std::uint32_t flits : {1U, 2U, 7U, 30U}) {
    for (const std::uint32_t buffer : {1U, 3U, 8U}) {
      for (const std::uint32_t room : {1U, 2U, 5U, 100U}) {
        for (const Cycle pace : {1U, 2U, 7U}) {
          for (const std::uint32_t link : {1U, 3U}) {
            const auto used = std::min(room, buffer);  // no more than a FIFO of our own would have
            EXPECT_EQ(one_message_to_a_sink(flits, buffer, room, pace, link),
                      SlowSinkFormula(flits, buffer, used, pace, link).text())
                << fmt::format("{} flits, buffer {}, room {}, pace {}, link {}", flits, buffer, room, pace,
                               link);
          }
        }
      }
    }
  }
}

TEST(Sink, BufferOfOneFlit_TakesTheTimeOfTheFormula) {
  // The tail leaves the router after 3 + 2D + (L-2)k cycles; no flit but the first finds room at once.
  constexpr std::uint32_t kFlits = 8;
  constexpr Cycle kPace = 10;
  const std::string text = one_message_to_a_sink(kFlits, kFlits, 1, kPace, 1);
  EXPECT_TRUE(text.starts_with(fmt::format("arrived {}, no_credit 0, ejection_busy {},",
                                           3 + 2 + (kFlits - 2) * kPace + 1,
                                           2 + (kFlits - 2) * kPace - (kFlits - 1))))
      << text;
}

TEST(Sink, ManyMessages_ArriveFlitByFlitInOrder) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              const Topology torus(TopologyKind::torus, {3, 3});
              MachineConfig machine;  // all-port: one sink for every link
              Network network("network", torus, machine);
              std::deque<SlowSink> sinks;
              for (unsigned channel = 0; channel < 4; ++channel) {
                SlowSink& sink = sinks.emplace_back(("sink" + std::to_string(channel)).c_str(), network,
                                                    1 + channel, 2 + channel);
                network.replace_receiver(4, torus.link_ports() + channel, sink);
              }
              std::vector<TimedMessage> messages;
              for (std::uint32_t id = 0; id < 64; ++id) {
                const NodeId source = (5 + id % 8) % 9;
                messages.push_back(message(id, source, 4, shortest_route(torus, source, 4), 1 + id % 13));
              }
              TimedDriver driver(messages);
              if (network.run(driver) != ClockStop::quiet) return "does not end";
              std::map<std::uint64_t, std::uint32_t> next;
              for (const SlowSink& sink : sinks) {
                if (sink.most_in_buffer() > 1 + static_cast<std::size_t>(&sink - &sinks[0])) return "no room";
                for (const auto& [flit, put, taken] : sink.taken()) {
                  if (next[flit.id]++ != flit.index) return "out of order";
                }
              }
              for (const TimedMessage& each : messages) {
                if (next[each.packet.id] != each.packet.flits) return "flits are missing";
              }
              if (network.clock().messages().open_messages() != 0) return "messages are left";
              return fmt::format("{} delivered", driver.deliveries().size());
            }),
            "64 delivered");
}

/// Takes every flit at once.
struct QuickSink final : flit_if {
  std::uint32_t attach(credit_if& sender) override {
    credits = &sender;
    return 1000;
  }
  void put(unsigned vc, const LinkFlit& flit) override {
    ++flits[flit.id];
    credits->credit(vc);
  }
  credit_if* credits = nullptr;
  std::map<std::uint64_t, std::uint32_t> flits;  ///< by message
};

/// Deliveries and all counters of a case, with such a sink behind every ejection channel or without.
std::string with_sinks(const reference::RandomCase& one, bool sinks) {
  return run_isolated([&]() -> std::string {
    Network network("network", one.topology, one.machine);
    const RouterNumbers& numbers = network.clock().numbers();
    std::deque<QuickSink> made;
    for (NodeId node = 0; sinks && node < numbers.nodes(); ++node) {
      for (unsigned port = numbers.link_ports(); port < numbers.ports(); ++port)
        network.replace_receiver(node, port, made.emplace_back());
    }
    TimedDriver driver(one.messages);
    network.run(driver, test::kRecordLimit);
    std::map<std::uint64_t, std::uint32_t> flits;
    for (const QuickSink& sink : made) {
      for (const auto& [message, count] : sink.flits) flits[message] += count;
    }
    for (const Delivery& each : driver.deliveries()) {
      if (sinks && flits[each.id] != one.messages[each.id].packet.flits) return "flits are missing";
    }
    network.clock().core().settle_stalls(test::kRecordLimit);
    return test::text_of(driver.deliveries()) + test::counters_of(network.clock().core());
  });
}

TEST(Sink, QuickSinks_ChangeNothing) {
  const auto expect_no_change = [](reference::RandomCase one) {
    one.machine.node_vcs = 1;
    one.machine.credit_delay = 0;
    one.machine.ejection_interval = 1;
    one.machine.buffer = std::max(one.machine.buffer, one.machine.link_delay);
    for (std::uint64_t id = 0; id < one.messages.size(); ++id) one.messages[id].packet.id = id;
    EXPECT_EQ(test::first_difference(with_sinks(one, false), with_sinks(one, true)), "")
        << reference::description(one);
  };
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    expect_no_change(reference::random_case(18'000'000 + seed));
    if (seed % 2 == 0)
      expect_no_change(reference::with_unequal_links(reference::random_case(18'100'000 + seed)));
    if (seed % 10 == 0) expect_no_change(reference::large_case(18'200'000 + seed));
  }
}

// --- Sources ---

/// The driver's view of a message that a module feeds into node 0 of three, for node 2.
std::string from_source(std::uint32_t flits, std::uint32_t buffer, Cycle pace, Cycle start,
                        sc_core::sc_time phase = sc_core::SC_ZERO_TIME, unsigned port = kFirstChannel) {
  return run_isolated([&]() -> std::string {
    Network network("network", kLine, one_port(buffer));
    Source source("source", network, message(77, 0, 2, {}, flits).packet, start, pace, phase);
    source.out.bind(network.router(0).in(port));
    Listener driver;
    if (network.run(driver) != ClockStop::quiet) return "does not end";
    if (network.clock().core().flit_hops() != 2 * flits) return "wrong number of flit-hops";
    return driver.text;
  });
}

std::string arrival(Cycle start, Cycle arrived, Cycle head = 6) {
  return fmt::format("77: ready {0}, entered {0}, head {1}, arrived {2} = {2}", start, start + head, arrived);
}

TEST(Source, ExternalSource_EqualsANetworkInterface) {
  EXPECT_EQ(from_source(5, 8, 1, 0), arrival(0, 6 + 4));
  EXPECT_EQ(from_source(20, 8, 1, 0), arrival(0, 6 + 19));
  EXPECT_EQ(from_source(1, 8, 1, 0), arrival(0, 6));
}

TEST(Source, FlitToAnIdleNetwork_WakesIt) {
  EXPECT_EQ(from_source(5, 8, 1, 123456), arrival(123456, 123456 + 6 + 4));
}

TEST(Source, SlowSource_KeepsItsInterval) {
  EXPECT_EQ(from_source(5, 8, 30, 4), arrival(4, 4 + 6 + 4 * 30));
}

TEST(Source, Source_WaitsForCredits) {
  // Two slots: a pair of flits every R+2D = 3 cycles, as from a network interface.
  EXPECT_EQ(from_source(9, 2, 1, 0), arrival(0, 6 + 4 * 3));
  EXPECT_EQ(from_source(9, 1, 1, 0), arrival(0, 6 + 8 * 3));
}

TEST(Source, ShiftedClock_SendsInItsCycle) {
  for (const unsigned picoseconds : {1U, 500U, 999U}) {
    EXPECT_EQ(from_source(20, 8, 1, 3, {static_cast<double>(picoseconds), sc_core::SC_PS}),
              arrival(3, 3 + 6 + 19));
    EXPECT_EQ(from_source(9, 2, 1, 3, {static_cast<double>(picoseconds), sc_core::SC_PS}),
              arrival(3, 3 + 6 + 4 * 3));
  }
}

TEST(Source, SourceAtTheBorderOfAMesh_Sends) {
  EXPECT_EQ(from_source(20, 8, 1, 5, sc_core::SC_ZERO_TIME, kRight), arrival(5, 5 + 7 + 19, 7));
}

TEST(Source, EndlessClock_EndsAtTheLimit) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, one_port(8));
              const Actor clock("clock", [] {
                while (true) sc_core::wait(10, sc_core::SC_NS);
              });
              const std::vector<TimedMessage> messages{message(3, 0, 2, {}, 9)};
              TimedDriver driver(messages);
              const ClockStop stop = network.run(driver, 1000);
              return fmt::format("{}, {} delivered, {}", stop == ClockStop::limit ? "limit" : "?",
                                 driver.deliveries().size(), sc_core::sc_time_stamp().to_string());
            }),
            "limit, 1 delivered, 1 us");
}

// --- In a link ---

TEST(Link, Repeater_TakesLongerAndDeliversOnce) {
  for (const Cycle delay : {0U, 1U, 10U}) {
    const std::string text = run_isolated([&] {
      Network network("network", kLine, one_port(40));
      Repeater repeater("repeater", network, delay);
      network.replace_receiver(0, kRight, repeater);
      repeater.out.bind(network.router(1).in(kRight));
      const std::vector<TimedMessage> messages{message(3, 0, 2, {}, 20), message(4, 0, 1, {}, 5)};
      TimedDriver driver(messages);
      network.run(driver);
      return fmt::format("{} {} {}, {} delivered, {} open, {} flit-hops",
                         driver.deliveries().at(0).head_arrived, driver.deliveries().at(0).arrived,
                         driver.deliveries().at(1).arrived, driver.deliveries().size(),
                         network.clock().messages().open_messages(), network.clock().core().flit_hops());
    });
    // One more link's delay, and the module's own.
    const Cycle longer = 1 + delay;
    EXPECT_EQ(text, fmt::format("{} {} {}, 2 delivered, 0 open, 45 flit-hops", 6 + longer, 6 + longer + 19,
                                20 + 4 + longer + 4));
  }
}

TEST(Link, Repeater_KeepsCredits) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, one_port(2));
              Repeater repeater("repeater", network, 4);
              network.replace_receiver(0, kRight, repeater);
              repeater.out.bind(network.router(1).in(kRight));
              const std::vector<TimedMessage> messages{message(3, 0, 2, {}, 9)};
              TimedDriver driver(messages);
              network.run(driver);
              return fmt::format("{}", driver.deliveries().at(0).arrived);
            }),
            // Two flits every round trip of R+2D and the repeater's 1+4.
            fmt::format("{}", 6 + 5 + 4 * (3 + 5)));
}

TEST(Link, Sink_EndsALink) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, one_port(8));
              SlowSink sink("sink", network, 3, 4);
              sink.close_messages();
              network.replace_receiver(0, kRight, sink);
              const std::vector<TimedMessage> messages{message(3, 0, 2, {}, 9), message(4, 0, 1, {}, 1)};
              TimedDriver driver(messages);
              network.run(driver);
              return fmt::format("{} taken, last at {}; {} arrives {}, {} no_credit, {} open",
                                 sink.taken().size(), sink.taken().back().taken, driver.deliveries().at(0).id,
                                 driver.deliveries().at(0).arrived, stalls(network, StallCause::no_credit),
                                 network.clock().messages().open_messages());
            }),
            // The sink takes flits in cycles 2, 6, 10, ... Flits leave the router in cycles 1, 2, 3, and then
            // D after a flit is taken: 3 (but 4 is the next cycle), 7, 11, ... 27.
            "10 taken, last at 38; 3 arrives 24, 17 no_credit, 0 open");
}

}  // namespace
}  // namespace flitscope::external_module_test
