// Messages between modules: times and contents of deliveries.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "sim/adaptors/endpoints.h"
#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"
#include "tests/support/external_modules.h"

namespace flitscope::endpoints_test {
namespace {

using test::Actor;

const Topology kMesh(TopologyKind::mesh, {4, 4});

/// docs/timing.md, with all delays 1, from when it is ready.
Cycle time_of(unsigned links, std::uint32_t flits) {
  return (links + 1) * 2 + flits - 1;
}

TEST(Endpoint, Message_ArrivesInTheCycleOfTheFormula) {
  for (const std::uint32_t flits : {1U, 2U, 9U}) {
    EXPECT_EQ(run_isolated([&] {
                Network network("network", kMesh, MachineConfig{});
                Endpoints endpoints("endpoints", network);
                Endpoint& source = endpoints.at(0);
                std::string text;
                endpoints.at(15).on_delivery([&](const IncomingMessage& message) {
                  text = fmt::format("{} from {}: {} to {}", std::any_cast<std::string>(message.content),
                                     message.source, message.ready, message.arrived);
                });
                const Actor sender("sender", [&] {
                  sc_core::wait(5, sc_core::SC_NS);
                  source.send({.destination = 15, .flits = flits, .content = std::string("hello")});
                });
                sc_core::sc_start();
                return text + fmt::format(", {} in flight", endpoints.in_flight());
              }),
              fmt::format("hello from 0: 6 to {}, 0 in flight", 6 + time_of(6, flits)));
  }
}

TEST(Endpoint, AnyDeltaCycle_SendsInTheNextCycle) {
  for (const unsigned deltas : {0U, 1U, 2U, 5U}) {
    EXPECT_EQ(run_isolated([&] {
                Network network("network", kMesh, MachineConfig{});
                Endpoints endpoints("endpoints", network);
                Endpoint& source = endpoints.at(0);
                std::string ready;
                endpoints.at(1).on_delivery(
                    [&](const IncomingMessage& message) { ready += fmt::format("{} ", message.ready); });
                const Actor sender("sender", [&] {
                  source.send({.destination = 1});  // the network is awake in cycle 1 already
                  sc_core::wait(1, sc_core::SC_NS);
                  for (unsigned delta = 0; delta < deltas; ++delta) sc_core::wait(sc_core::SC_ZERO_TIME);
                  source.send({.destination = 1});
                });
                sc_core::sc_start();
                return ready;
              }),
              "1 2 ");
  }
}

TEST(Endpoint, MessageBeforeTheStart_IsSentInCycleZero) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kMesh, MachineConfig{});
              Endpoints endpoints("endpoints", network);
              Cycle arrived = 0;
              endpoints.at(3).on_delivery([&](const IncomingMessage& message) { arrived = message.arrived; });
              endpoints.at(0).send({.destination = 3, .flits = 4});
              sc_core::sc_start();
              return fmt::format("{}", arrived);
            }),
            fmt::format("{}", time_of(3, 4)));
}

TEST(Endpoint, Handler_AnswersInTheCycleOfTheDelivery) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kMesh, MachineConfig{});
              Endpoints endpoints("endpoints", network);
              Endpoint& server = endpoints.at(3);
              std::string text;
              server.on_delivery(
                  [&](const IncomingMessage& message) { server.send({.destination = message.source}); });
              endpoints.at(0).on_delivery([&](const IncomingMessage& message) {
                text = fmt::format("{} {} {}", message.source, message.ready, message.arrived);
              });
              endpoints.at(0).send({.destination = 3});
              sc_core::sc_start();
              return text;
            }),
            fmt::format("3 {} {}", time_of(3, 1), 2 * time_of(3, 1)));
}

TEST(Endpoint, HandlersThatAHandlerAdds_GetTheNextMessage) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kMesh, MachineConfig{});
              Endpoints endpoints("endpoints", network);
              Endpoint& server = endpoints.at(3);
              std::string text;
              server.on_delivery([&, word = std::string("a word that is too long to lie in its object ")](
                                     const IncomingMessage& message) {
                for (unsigned i = 0; i < 40; ++i) {
                  server.on_delivery(
                      [&](const IncomingMessage& later) { text += fmt::format("{} ", later.flits); });
                }
                text += word + fmt::format("{}: ", message.flits);
              });
              endpoints.at(0).send({.destination = 3, .flits = 2});
              endpoints.at(0).send({.destination = 3, .flits = 5});
              sc_core::sc_start();
              std::size_t fives = 0;
              for (std::size_t at = text.find("5 "); at != text.npos; at = text.find("5 ", at + 1)) ++fives;
              return text.substr(0, text.find("5 ")) + fmt::format("{} more", fives);
            }),
            "a word that is too long to lie in its object 2: "
            "a word that is too long to lie in its object 5: 40 more");
}

TEST(Endpoint, ImpossibleMessage_IsRefused) {
  const auto refusal = [](OutgoingMessage message) {
    return run_isolated([&]() -> std::string {
      Network network("network", kMesh, MachineConfig{});
      Endpoints endpoints("endpoints", network);
      try {
        endpoints.at(0).send(message);
      } catch (const sc_core::sc_report& report) {
        return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
      }
      return "none";
    });
  };
  EXPECT_EQ(refusal({.destination = 16}), "/flitscope/use: there is no node 16 to send to");
  EXPECT_EQ(refusal({.destination = 1, .flits = 0}),
            "/flitscope/use: a message has 1 to 536870911 flits, not 0");
  EXPECT_EQ(refusal({.destination = 1, .message_class = 1}),
            "/flitscope/use: there is no message class 1: the machine has 1");
}

TEST(Endpoint, MessageLongerThanABuffer_IsRefused) {
  const auto refusal = [](const MachineConfig& machine) {
    return run_isolated([&]() -> std::string {
      Network network("network", kMesh, machine);
      Endpoints endpoints("endpoints", network);
      try {
        endpoints.at(0).send({.destination = 1, .flits = 9});
      } catch (const sc_core::sc_report& report) {
        return report.get_msg();
      }
      return "none";
    });
  };
  MachineConfig machine;
  EXPECT_EQ(refusal(machine), "none") << "a worm is longer than a buffer";
  machine.switching = Switching::virtual_cut_through;
  EXPECT_EQ(refusal(machine), "a message of 9 flits does not fit into an input buffer of 8");
  machine = {};
  machine.ejection_buffer = 4;
  EXPECT_EQ(refusal(machine), "a message of 9 flits does not fit into an ejection buffer of 4");
}

TEST(Messages, LongerThanHalfABufferWithBubbleFlowControl_AreRefused) {
  MachineConfig machine;
  machine.flow = FlowControl::bubble;
  EXPECT_EQ(packet_of(kMesh, machine, 0, 0, {.destination = 1, .flits = 4}).flits, 4U);
  EXPECT_THROW(static_cast<void>(packet_of(kMesh, machine, 0, 0, {.destination = 1, .flits = 5})),
               std::invalid_argument);
}

/// The channel takes a message in cycles 0, 4, 8 and 12. There is room for one more in the cycle after it
/// has.
TEST(Endpoint, FullInjectionQueue_KeepsMessagesUntilThereIsRoom) {
  EXPECT_EQ(run_isolated([] {
              MachineConfig machine;
              machine.ports = 1;
              machine.injection_queue = 1;
              Network network("network", kMesh, machine);
              Endpoints endpoints("endpoints", network);
              std::string text;
              endpoints.at(1).on_delivery(
                  [&](const IncomingMessage& message) { text += fmt::format("{} ", message.ready); });
              for (int i = 0; i < 4; ++i) endpoints.at(0).send({.destination = 1, .flits = 4});
              sc_core::sc_start();
              return text;
            }),
            "0 1 5 9 ");
}

TEST(Endpoint, MessageOfAClass_ArrivesWithItsClass) {
  EXPECT_EQ(run_isolated([] {
              MachineConfig machine;
              machine.classes = {{"request", 0b01, 0}, {"reply", 0b10, 0}};
              Network network("network", kMesh, machine);
              Endpoints endpoints("endpoints", network);
              std::string text;
              endpoints.at(15).on_delivery([&](const IncomingMessage& message) {
                text += fmt::format("{} flits of class {}", message.flits, message.message_class);
              });
              endpoints.at(0).send({.destination = 15, .flits = 3, .message_class = 1});
              sc_core::sc_start();
              return text;
            }),
            "3 flits of class 1");
}

TEST(Endpoints, UnknownNode_IsRefused) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kMesh, MachineConfig{});
              Endpoints endpoints("endpoints", network);
              EXPECT_EQ(endpoints.at(15).node(), 15U);
              try {
                static_cast<void>(endpoints.at(16));
              } catch (const sc_core::sc_report& report) {
                return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
              }
              return "none";
            }),
            "/flitscope/use: there is no node 16");
}

TEST(Endpoints, Reset_BeginsAgain) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kMesh, MachineConfig{});
              Endpoints endpoints("endpoints", network);
              std::string text;
              endpoints.at(3).on_delivery(
                  [&](const IncomingMessage& message) { text += fmt::format("{} ", message.arrived); });
              endpoints.at(0).send({.destination = 3, .flits = 50});
              sc_core::sc_start(20, sc_core::SC_NS);
              endpoints.reset();
              endpoints.at(0).send({.destination = 3, .flits = 2});
              sc_core::sc_start(200, sc_core::SC_NS);
              return text + fmt::format("{}", endpoints.in_flight());
            }),
            fmt::format("{} 0", 1 + time_of(3, 2)));
}

/// Waits for `half_ns` in one wait, or in one for each half nanosecond.
void wait_half_ns(unsigned half_ns, bool at_once) {
  const sc_core::sc_time half(500, sc_core::SC_PS);
  for (unsigned step = 0; step < (at_once ? 1 : half_ns); ++step)
    sc_core::wait(at_once ? half * half_ns : half);
}

TEST(Endpoints, ResetAtAClockEdge_BeginsCycleZeroThere) {
  for (const bool at_once : {false, true}) {
    for (const unsigned half_ns : {40U, 41U}) {
      const unsigned ready = half_ns % 2 == 0 ? 1 : 0;
      EXPECT_EQ(run_isolated([&] {
                  Network network("network", kMesh, MachineConfig{});
                  Endpoints endpoints("endpoints", network);
                  Endpoint& source = endpoints.at(0);
                  std::string text;
                  endpoints.at(3).on_delivery([&](const IncomingMessage& message) {
                    text += fmt::format("{} to {}, ", message.ready, message.arrived);
                  });
                  const Actor actor("actor", [&] {
                    source.send({.destination = 3, .flits = 50});
                    wait_half_ns(half_ns, at_once);
                    endpoints.reset();
                    source.send({.destination = 3, .flits = 2});
                  });
                  sc_core::sc_start(200, sc_core::SC_NS);
                  return text + fmt::format("{} in flight", endpoints.in_flight());
                }),
                fmt::format("{} to {}, 0 in flight", ready, ready + time_of(3, 2)))
          << half_ns;
    }
  }
}

/// A method process, which can run before that of the network in a delta cycle: acts after some periods.
class Later final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Later);
  Later(const sc_core::sc_module_name&, const sc_core::sc_time& period, unsigned periods,
        std::function<void()> act)
      : period_(period), periods_(periods), act_(std::move(act)) {
    SC_METHOD(run);
  }

 private:
  void run() {
    if (periods_ == 0) return act_();
    --periods_;
    next_trigger(period_);
  }
  sc_core::sc_time period_;
  unsigned periods_;
  std::function<void()> act_;
};

TEST(Network, ResetAtAClockEdge_RunsCycleZeroOnce) {
  for (const bool at_once : {false, true}) {
    for (const unsigned half_ns : {40U, 41U}) {
      EXPECT_EQ(run_isolated([&] {
                  Network network("network", kMesh, MachineConfig{});
                  const auto messages = [](std::uint32_t flits) {
                    return std::vector<reference::TimedMessage>{
                        {{7, 0, 3, shortest_route(kMesh, 0, 3), flits, 0}, 0, std::nullopt}};
                  };
                  const std::vector<reference::TimedMessage> before = messages(50);
                  const std::vector<reference::TimedMessage> after = messages(9);
                  reference::TimedDriver first(before);
                  reference::TimedDriver second(after);
                  network.clock().drive(first);
                  const sc_core::sc_time half(500, sc_core::SC_PS);
                  const Later later("later", at_once ? half * half_ns : half, at_once ? 1 : half_ns, [&] {
                    network.reset();
                    network.clock().drive(second);
                  });
                  sc_core::sc_start(200, sc_core::SC_NS);
                  std::string text;
                  for (const Delivery& each : second.deliveries())
                    text += fmt::format("{} to {}", each.head_entered, each.arrived);
                  return text;
                }),
                fmt::format("0 to {}", time_of(3, 9)))
          << half_ns;
    }
  }
}

}  // namespace
}  // namespace flitscope::endpoints_test
