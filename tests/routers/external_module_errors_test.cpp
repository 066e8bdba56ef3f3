// Modules that break the rules of a link are found out: the call throws, and so does the run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "model/error.h"
#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"
#include "tests/support/external_modules.h"

namespace flitscope::external_module_errors_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;
using test::Actor;
using test::Listener;
using test::Source;

const Topology kLine(TopologyKind::mesh, {3});
constexpr unsigned kRight = 0;
constexpr unsigned kFirstChannel = 2;
const Packet kPacket{7, 0, 2, {}, 20, 0};
const std::vector<TimedMessage> kNothing;
const std::vector<TimedMessage> kOneMessage{{kPacket, 0, std::nullopt}};

MachineConfig machine_with(std::uint32_t buffer) {
  MachineConfig machine;
  machine.virtual_channels = 1;
  machine.buffer = buffer;
  return machine;
}

/// "kind: text" of what is thrown.
std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::logic_error& error) {
    return std::string("logic_error: ") + error.what();
  } catch (const ScheduleError& error) {
    return std::string("ScheduleError: ") + error.what();
  } catch (const sc_core::sc_report& report) {
    return std::string("sc_report: ") + report.get_msg();
  }
  return "no error";
}

/// The end of a run, in a network that `prepare` may change before.
std::string error_of_run(const std::vector<TimedMessage>& messages,
                         const std::function<void(Network&)>& prepare) {
  return run_isolated([&] {
    Network network("network", kLine, machine_with(4));
    TimedDriver driver(messages);
    return error_of([&] {
      prepare(network);
      network.run(driver, 1000);
    });
  });
}

// --- Senders ---

struct NoSender final : credit_if {
  void credit(unsigned) override {}
};

/// The end of a run in which a process feeds the first injection channel of node 0 with a message.
std::string error_of_sender(std::uint32_t buffer, std::uint32_t flits,
                            const std::function<void(flit_if&, MessageSlot)>& act) {
  return run_isolated([&] {
    Network network("network", kLine, machine_with(buffer));
    NoSender no_sender;
    flit_if& channel = network.router(0).in(kFirstChannel);
    const Actor actor("actor", [&] {
      channel.attach(no_sender);
      Packet packet = kPacket;
      packet.flits = flits;
      act(channel, network.clock().open_message(packet));
    });
    Listener driver;
    return error_of([&] { network.run(driver, 1000); });
  });
}

LinkFlit flit(MessageSlot message, std::uint32_t index, bool tail) {
  return {.message = message, .index = index, .head = index == 0, .tail = tail};
}

void wait_cycles(double cycles) {
  sc_core::wait(cycles, sc_core::SC_NS);
}

TEST(Sender, FlitWithoutCredit_IsRefused) {
  EXPECT_EQ(error_of_sender(2, 20,
                            [](flit_if& channel, MessageSlot message) {
                              for (std::uint32_t index = 0; index < 20; ++index) {
                                channel.put(0, flit(message, index, index == 19));
                                wait_cycles(1);
                              }
                            }),
            "sc_report: a module put a flit without a credit");
}

TEST(Sender, SlotInTheCycleOfItsDeparture_IsRefused) {
  for (const double cycles : {1.0, 1.5, 2.0}) {
    const std::string error = error_of_sender(1, 2, [&](flit_if& channel, MessageSlot message) {
      channel.put(0, flit(message, 0, false));
      wait_cycles(cycles);
      channel.put(0, flit(message, 1, true));
    });
    EXPECT_EQ(error, cycles < 2 ? "sc_report: a module put a flit without a credit" : "no error");
  }
}

TEST(Sender, TwoFlitsInOneCycle_AreRefused) {
  EXPECT_EQ(error_of_sender(4, 2,
                            [](flit_if& channel, MessageSlot message) {
                              channel.put(0, flit(message, 0, false));
                              channel.put(0, flit(message, 1, true));
                            }),
            "sc_report: a module put two flits in one cycle");
}

TEST(Sender, FlitInAnUnknownVc_IsRefused) {
  EXPECT_EQ(error_of_sender(
                4, 1, [](flit_if& channel, MessageSlot message) { channel.put(1, flit(message, 0, true)); }),
            "sc_report: a module put a flit into a VC that does not exist");
}

TEST(Sender, FlitOutsideOfItsMessage_IsRefused) {
  using Act = std::function<void(flit_if&, MessageSlot)>;
  const Act without_tail = [](flit_if& channel, MessageSlot message) {
    channel.put(0, flit(message, 0, false));
  };
  const Act early_tail = [](flit_if& channel, MessageSlot message) {
    channel.put(0, flit(message, 0, false));
    wait_cycles(1);
    channel.put(0, flit(message, 1, true));
  };
  const Act without_head = [](flit_if& channel, MessageSlot message) {
    channel.put(0, {.message = message, .index = 0, .tail = true});
  };
  const Act without_message = [](flit_if& channel, MessageSlot) {
    channel.put(0, flit(kNoMessage, 0, true));
  };
  const std::string error = "sc_report: a module put a flit that its message does not have";
  EXPECT_EQ(error_of_sender(4, 1, without_tail), error);
  EXPECT_EQ(error_of_sender(4, 3, early_tail), error);
  EXPECT_EQ(error_of_sender(4, 1, without_head), error);
  EXPECT_EQ(error_of_sender(4, 1, without_message), error);
}

TEST(Sender, Sender_CatchesItsError) {
  EXPECT_EQ(run_isolated([] {
              std::string caught;
              Network network("network", kLine, machine_with(4));
              const Actor actor("actor", [&] {
                caught = error_of([&] { network.router(0).in(kFirstChannel).put(7, {}); });
              });
              Listener driver;
              return error_of([&] { network.run(driver); }) + ", " + caught;
            }),
            "no error, sc_report: a module put a flit into a VC that does not exist");
}

// --- Receivers ---

struct Receiver final : flit_if {
  std::uint32_t attach(credit_if& sender) override {
    router = &sender;
    return room;
  }
  void put(unsigned, const LinkFlit&) override {
    if (on_put) on_put(*router);
  }
  std::uint32_t room = 1;
  std::function<void(credit_if&)> on_put;
  credit_if* router = nullptr;
};

std::string error_of_receiver(Receiver& receiver) {
  return error_of_run(kOneMessage, [&](Network& network) { network.replace_receiver(0, kRight, receiver); });
}

TEST(Receiver, SecondCreditForAFlit_IsRefused) {
  Receiver receiver;
  receiver.on_put = [](credit_if& router) {
    router.credit(0);
    router.credit(0);
  };
  EXPECT_EQ(error_of_receiver(receiver), "sc_report: a credit for a flit that was never put");
}

TEST(Receiver, CreditOfAnUnknownVc_IsRefused) {
  Receiver receiver;
  receiver.on_put = [](credit_if& router) { router.credit(1); };
  EXPECT_EQ(error_of_receiver(receiver), "sc_report: a credit for a flit that was never put");
}

TEST(Receiver, CreditBeforeTheFirstFlit_IsRefused) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, machine_with(4));
              Receiver receiver;
              network.replace_receiver(0, kRight, receiver);
              const Actor actor("actor", [&] { receiver.router->credit(0); });
              TimedDriver driver(kOneMessage);
              return error_of([&] { network.run(driver); });
            }),
            "sc_report: a credit for a flit that was never put");
}

/// The embedding simulation receives the rule that was broken, not an internal error.
TEST(Receiver, ViolationInAnEmbeddingSimulation_HasItsReportType) {
  for (const bool in_a_cycle : {true, false}) {
    EXPECT_EQ(run_isolated([&]() -> std::string {
                Network network("network", kLine, machine_with(4));
                Receiver receiver;
                if (in_a_cycle) receiver.on_put = [](credit_if& router) { router.credit(1); };
                network.replace_receiver(0, kRight, receiver);
                std::optional<Actor> actor;
                if (!in_a_cycle) actor.emplace("actor", [&] { receiver.router->credit(0); });
                TimedDriver driver(kOneMessage);
                network.clock().drive(driver);
                try {
                  sc_core::sc_start();
                } catch (const sc_core::sc_report& report) {
                  return report.get_msg_type();
                }
                return "no report";
              }),
              "/flitscope/protocol");
  }
}

TEST(Receiver, Exception_IsRethrown) {
  Receiver receiver;
  receiver.on_put = [](credit_if&) { throw ScheduleError("not for me"); };
  EXPECT_EQ(error_of_receiver(receiver), "ScheduleError: not for me");
}

/// A receiver that ends the message of each tail, and then does `again` with its slot.
struct EndOfLink final : flit_if {
  explicit EndOfLink(std::function<void(ClockDomain&, MessageSlot)> act) : again(std::move(act)) {}
  std::uint32_t attach(credit_if&) override { return 4; }
  void put(unsigned, const LinkFlit& flit) override {
    if (!flit.tail) return;
    clock->close_message(flit.message, clock->now() + 1);
    again(*clock, flit.message);
  }
  std::function<void(ClockDomain&, MessageSlot)> again;
  ClockDomain* clock = nullptr;
};

std::string error_of_end(std::function<void(ClockDomain&, MessageSlot)> again) {
  Packet packet = kPacket;
  packet.flits = 2;
  const std::vector<TimedMessage> messages{{packet, 0, std::nullopt}};
  EndOfLink end(std::move(again));
  return error_of_run(messages, [&](Network& network) {
    end.clock = &network.clock();
    network.replace_receiver(0, kRight, end);
  });
}

TEST(Receiver, MessageEndedTwice_IsRefused) {
  EXPECT_EQ(error_of_end([](ClockDomain&, MessageSlot) {}), "no error");
  EXPECT_EQ(error_of_end([](ClockDomain& clock, MessageSlot message) {
              clock.close_message(message, clock.now() + 1);
            }),
            "logic_error: message 7 of slot 0 is ended twice");
}

TEST(Receiver, EndOfASlotWithoutMessage_IsRefused) {
  for (const MessageSlot slot : {1U, kNoMessage}) {
    EXPECT_EQ(
        error_of_end([&](ClockDomain& clock, MessageSlot) { clock.close_message(slot, clock.now() + 1); }),
        fmt::format("logic_error: message slot {} has no message to end: it has ended already, or was "
                    "never opened",
                    slot));
  }
}

TEST(Receiver, EndOfAMessageThatHasArrived_IsRefused) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLine, machine_with(4));
              std::optional<MessageSlot> ended;
              EndOfLink end([&](ClockDomain&, MessageSlot message) { ended = message; });
              end.clock = &network.clock();
              network.replace_receiver(0, kRight, end);
              const std::vector<TimedMessage> messages{{{7, 0, 2, {}, 2, 0}, 0, std::nullopt}};
              TimedDriver driver(messages);
              network.run(driver);
              if (!ended || driver.deliveries().size() != 1) return "no delivery";
              return error_of([&] { network.clock().close_message(*ended, network.clock().now() + 1); });
            }),
            "logic_error: message slot 0 has no message to end: it has ended already, or was never opened");
}

TEST(Receiver, ReceiverWithoutSlots_IsRefused) {
  Receiver receiver;
  receiver.room = 0;
  EXPECT_EQ(error_of_receiver(receiver), "sc_report: a receiver must have room for at least one flit");
}

// --- Wiring ---

TEST(Wiring, SecondSenderOfAnInputPort_IsRefused) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, machine_with(4));
              Source source("source", network, kPacket, 0);
              source.out.bind(network.router(1).in(kRight));  // fed by router 0
              TimedDriver driver(kNothing);
              return error_of([&] { network.run(driver); });
            }),
            "sc_report: input port 0 of node 1 has two senders");
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, machine_with(4));
              Source one("one", network, kPacket, 0);
              Source two("two", network, kPacket, 0);
              one.out.bind(network.router(1).in(kFirstChannel));
              two.out.bind(network.router(1).in(kFirstChannel));
              TimedDriver driver(kNothing);
              return error_of([&] { network.run(driver); });
            }),
            "sc_report: input port 2 of node 1 has two senders");
}

TEST(Wiring, ReplacedNetworkInterface_DoesNotSend) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, machine_with(4));
              Source source("source", network, kPacket, 0);
              source.out.bind(network.router(0).in(kFirstChannel));
              TimedDriver driver(kOneMessage);
              return error_of([&] { network.run(driver); });
            }),
            "sc_report: node [0] cannot send: another module feeds its injection channels");
}

TEST(Wiring, OtherSenderOfANetworkInterface_IsRefused) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, machine_with(4));
              Source source("source", network, kPacket, 0);
              source.out.bind(network.network_interface(0).in(0));
              TimedDriver driver(kNothing);
              return error_of([&] { network.run(driver); });
            }),
            "sc_report: only a router of the same network can feed a network interface");
}

TEST(Wiring, UnknownPort_CannotBeReplaced) {
  Receiver receiver;
  const auto replaced = [&](NodeId node, unsigned port) {
    return error_of_run(
        kNothing, [&, node, port](Network& network) { network.replace_receiver(node, port, receiver); });
  };
  EXPECT_EQ(replaced(0, 4), "sc_report: there is no output port 4 at node 0");
  EXPECT_EQ(replaced(3, 0), "sc_report: there is no output port 0 at node 3");
  EXPECT_EQ(replaced(2, 3), "no error");
}

}  // namespace
}  // namespace flitscope::external_module_errors_test
