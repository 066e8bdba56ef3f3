// A network as its user sees it: names, how runs end, and that they repeat.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <sstream>
#include <vector>

#include "model/error.h"
#include "model/graph.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/random_case.h"

namespace flitscope::network_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;

const Topology kLine(TopologyKind::mesh, {3});

/// A message of 3 flits over both links of the line; it arrives in cycle 8.
const std::vector<TimedMessage> kOneMessage{{{7, 0, 2, {}, 3, 0}, 0, std::nullopt}};
constexpr Cycle kArrives = 8;

std::string text_of(ClockStop stop) {
  switch (stop) {
    case ClockStop::quiet:
      return "quiet";
    case ClockStop::limit:
      return "limit";
    case ClockStop::halted:
      return "halted";
    case ClockStop::failed:
      return "failed";
  }
  return "?";
}

// --- Names ---

TEST(Network, Modules_AreNamedByCoordinates) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              const Topology torus(TopologyKind::torus, {3, 4, 2});
              Network network("network", torus, MachineConfig{});
              for (NodeId node = 0; node < torus.nodes(); ++node) {
                const std::string place = fmt::format("{}_{}_{}", torus.coordinate(node, 0),
                                                      torus.coordinate(node, 1), torus.coordinate(node, 2));
                const auto object = [&](const char* kind) {
                  return sc_core::sc_find_object(("network." + (kind + place)).c_str());
                };
                if (object("router_") != &network.router(node)) return "no router " + place;
                if (object("nic_") != &network.network_interface(node)) return "no nic " + place;
                if (network.router(node).node() != node) return "the wrong router " + place;
              }
              return sc_core::sc_find_object("network.clock") == &network.clock() ? "" : "no clock";
            }),
            "");
}

TEST(Network, OneDimension_GivesNamesOfOneCoordinate) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLine, MachineConfig{});
              const bool found = sc_core::sc_find_object("network.router_2") == &network.router(2) &&
                                 sc_core::sc_find_object("network.router_3") == nullptr;
              return found ? "" : "not found";
            }),
            "");
}

TEST(Network, ModulesOfAGraph_AreNamedByItsNodes) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              GraphPlan plan{.name = "three"};
              for (const char* const name : {"core.1", "core_1", "hub"}) plan.add_router({.name = name});
              plan.join(0, 2);
              plan.join(1, 2);
              const Topology graph = Topology::of(std::make_shared<const Graph>(plan));
              MachineConfig machine;
              machine.routing = "shortest";
              Network network("network", graph, machine);
              const auto object = [](const char* name) { return sc_core::sc_find_object(name); };
              if (object("network.router_core_1") != &network.router(0)) return "no first router";
              if (object("network.router_core_1_1") != &network.router(1)) return "no second router";
              return object("network.nic_hub") == &network.network_interface(2) ? "" : "no nic";
            }),
            "");
}

// --- Modules on demand ---

/// One node more than get modules of their own accord.
const Topology kLargeRing(TopologyKind::torus, {kMaxModuleNodes + 1});

TEST(LargeNetwork, RequestedModules_HaveTheNamesOfASmallNetwork) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLargeRing, MachineConfig{});
              if (sc_core::sc_find_object("network.router_7") != nullptr) return "a router too early";
              const Router& router = network.router(7);
              if (router.node() != 7) return "the wrong router";
              if (sc_core::sc_find_object("network.router_7") != &router) return "no router";
              if (&network.router(7) != &router) return "two routers";
              if (sc_core::sc_find_object("network.nic_7") != &network.network_interface(7)) return "no nic";
              return sc_core::sc_find_object("network.router_6") == nullptr ? "" : "a router too many";
            }),
            "");
}

TEST(LargeNetwork, ModulesAll_MakesAllModules) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLargeRing, MachineConfig{}, sc_core::sc_time(1, sc_core::SC_NS),
                              Modules::all);
              return sc_core::sc_find_object("network.router_65536") == nullptr ? "no router" : "";
            }),
            "");
}

TEST(LargeNetwork, RequestAfterElaboration_IsRefused) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLargeRing, MachineConfig{});
              static_cast<void>(network.router(7));
              sc_core::sc_start(sc_core::SC_ZERO_TIME);
              static_cast<void>(network.router(7));
              try {
                static_cast<void>(network.router(8));
              } catch (const sc_core::sc_report& report) {
                return std::string(report.get_msg_type()) + ": " + report.get_msg();
              }
              return "no error";
            }),
            "/flitscope/binding: router [8] of a network this large is a module only if it is asked for "
            "before elaboration");
}

/// Takes what leaves the network, and remembers when.
struct Sink final : flit_if {
  std::uint32_t attach(credit_if& sender) override {
    credits = &sender;
    return 4;
  }
  void put(unsigned vc, const LinkFlit& flit) override {
    text += fmt::format("{}.{} at {}; ", flit.id, flit.index, sc_core::sc_time_stamp().value() / 1000);
    credits->credit(vc);
  }
  credit_if* credits = nullptr;
  std::string text;
};

/// Through routers that are modules and others, over the link where the ring closes, into a receiver of our
/// own.
TEST(LargeNetwork, ModulesAndOtherRouters_CarryFlitsAlike) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLargeRing, MachineConfig{});
              static_cast<void>(network.router(0));
              Sink sink;
              network.replace_receiver(2, 2, sink);  // where node 2 ejects what came in by link port 0
              // Three links, from a node that is no module: a head leaves the k-th router on its way in cycle
              // 2k - 1.
              const std::vector<TimedMessage> messages{{{7, kMaxModuleNodes, 2, {}, 2, 0}, 0, std::nullopt},
                                                       {{8, 1, 3, {}, 1, 0}, 20, std::nullopt}};
              TimedDriver driver(messages);
              network.run(driver);
              return sink.text + fmt::format("{}", network.clock().last_delivery());
            }),
            "7.0 at 7; 7.1 at 8; 26");
}

// --- How runs end ---

std::string ending(const std::vector<TimedMessage>& messages, Cycle limit) {
  return run_isolated([&] {
    Network network("network", kLine, MachineConfig{});
    TimedDriver driver(messages);
    const ClockStop stop = network.run(driver, limit);
    return fmt::format("{}, {} delivered, last cycle {}", text_of(stop), driver.deliveries().size(),
                       network.clock().last_cycle());
  });
}

TEST(Run, LastDelivery_MakesTheRunQuiet) {
  EXPECT_EQ(ending(kOneMessage, kNever), "quiet, 1 delivered, last cycle 8");
  EXPECT_EQ(ending({}, kNever), "quiet, 0 delivered, last cycle 0");
}

TEST(Run, CycleLimit_EndsTheRun) {
  EXPECT_EQ(ending(kOneMessage, kArrives), "quiet, 1 delivered, last cycle 8");
  EXPECT_EQ(ending(kOneMessage, kArrives - 1), "limit, 0 delivered, last cycle 7");
  EXPECT_EQ(ending(kOneMessage, 0), "limit, 0 delivered, last cycle 0");
}

TEST(Run, CycleLimitInAnIdlePhase_EndsTheRun) {
  std::vector<TimedMessage> later = kOneMessage;
  later[0].ready = 1'000'000;
  EXPECT_EQ(ending(later, 999'999), "limit, 0 delivered, last cycle 0");
  EXPECT_EQ(ending(later, 1'000'000), "limit, 0 delivered, last cycle 1000000");
  EXPECT_EQ(ending(later, kNever), "quiet, 1 delivered, last cycle 1000008");
}

TEST(Run, CycleLimitInThePast_IsRefused) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLine, MachineConfig{});
              TimedDriver first(kOneMessage);
              network.run(first);
              TimedDriver second(kOneMessage);
              try {
                network.run(second, 3);
              } catch (const sc_core::sc_report& report) {
                return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
              }
              return "none";
            }),
            "/flitscope/use: a run up to cycle 3 begins in cycle 8");
}

/// Throws in the function of that name.
struct Thrower final : Driver {
  explicit Thrower(std::string where) : where_(std::move(where)) {}
  void start(Transport& network) override {
    network.send(kOneMessage[0].packet);
    fail("start");
  }
  void delivered(Transport&, std::span<const Delivery>, Cycle) override { fail("delivered"); }
  [[nodiscard]] Cycle next_event() const override { return event_; }
  void at(Transport&, Cycle) override {
    event_ = kNever;
    fail("at");
  }
  [[nodiscard]] bool finished() const override { return false; }

 private:
  void fail(const std::string& here) const {
    if (here == where_) throw ScheduleError("from " + here);
  }
  std::string where_;
  Cycle event_ = 5;
};

TEST(Run, ExceptionOfTheDriver_IsRethrown) {
  for (const std::string where : {"start", "at", "delivered"}) {
    EXPECT_EQ(run_isolated([&]() -> std::string {
                Network network("network", kLine, MachineConfig{});
                Thrower driver(where);
                try {
                  network.run(driver, 100);
                } catch (const ScheduleError& error) {
                  return error.what();
                }
                return "no error";
              }),
              "from " + where);
  }
}

/// Sends one packet.
struct OnePacket final : Driver {
  explicit OnePacket(const Packet& packet) : packet_(packet) {}
  void start(Transport& network) override { network.send(packet_); }
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return false; }

 private:
  Packet packet_;
};

TEST(Run, ImpossibleMessage_IsRefused) {
  const auto refused = [](void (*change)(Packet&)) {
    return run_isolated([&]() -> std::string {
      Packet packet = kOneMessage[0].packet;
      change(packet);
      Network network("network", kLine, MachineConfig{});
      OnePacket driver(packet);
      try {
        network.run(driver, 100);
      } catch (const std::logic_error& error) {
        return error.what();
      }
      return "accepted";
    });
  };
  EXPECT_EQ(refused([](Packet&) {}), "accepted");
  for (auto* const change :
       {+[](Packet& packet) { packet.source = 99; }, +[](Packet& packet) { packet.destination = 99; },
        +[](Packet& packet) { packet.flits = 0; }, +[](Packet& packet) { packet.flits = 1U << 31; },
        +[](Packet& packet) { packet.message_class = 1; }}) {
    const std::string text = refused(change);
    EXPECT_NE(text.find("is impossible: a node or the class does not exist"), std::string::npos) << text;
  }
}

/// Never says when it wants to be called next.
struct Overdue final : Driver {
  void start(Transport&) override {}
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] Cycle next_event() const override { return calls.size() < 5 ? 0 : kNever; }
  void at(Transport&, Cycle now) override { calls.push_back(now); }
  [[nodiscard]] bool finished() const override { return false; }
  std::vector<Cycle> calls;
};

TEST(Run, OverdueEvent_CallsTheDriverInEveryCycle) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, MachineConfig{});
              Overdue driver;
              network.run(driver, 100);
              return fmt::format("{}", fmt::join(driver.calls, " "));
            }),
            "0 1 2 3 4");
}

/// Remembers when it was asked, and does something else in one cycle.
struct Watcher final : ClockWatcher {
  std::optional<Cycle> after_cycle(Cycle now) override {
    asked.push_back(now);
    if (now == halt_at) return std::nullopt;
    if (now == throw_at) throw ScheduleError("from the watcher");
    return now + 1;
  }
  Cycle halt_at = kNever;
  Cycle throw_at = kNever;
  std::vector<Cycle> asked;
};

TEST(Run, EveryCycle_IsRunOnce) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, MachineConfig{});
              Watcher watcher;
              network.clock().watch(watcher, 0);
              TimedDriver driver(kOneMessage);
              network.run(driver);
              return fmt::format("{}", fmt::join(watcher.asked, " "));
            }),
            "0 1 2 3 4 5 6 7 8");
}

TEST(Run, Watcher_HaltsTheRun) {
  EXPECT_EQ(run_isolated([] {
              Network network("network", kLine, MachineConfig{});
              Watcher watcher;
              watcher.halt_at = 5;
              network.clock().watch(watcher, 2);
              TimedDriver driver(kOneMessage);
              const ClockStop stop = network.run(driver);
              return fmt::format("{}: {}", text_of(stop), fmt::join(watcher.asked, " "));
            }),
            "halted: 2 3 4 5");
}

TEST(Run, ExceptionOfTheWatcher_IsRethrown) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLine, MachineConfig{});
              Watcher watcher;
              watcher.throw_at = 3;
              network.clock().watch(watcher, 0);
              TimedDriver driver(kOneMessage);
              try {
                network.run(driver);
              } catch (const ScheduleError& error) {
                return error.what();
              }
              return "no error";
            }),
            "from the watcher");
}

// --- Repetition ---

/// One line for every movement of a flit, in the order of the calls.
struct Record final : FlitObserver {
  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool /*tail*/) override {
    text << now << ' ' << node << " in " << channel << ' ' << message << ' ' << index << '\n';
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool /*tail*/) override {
    text << now << ' ' << node << " out " << port << ' ' << vc << ' ' << message << ' ' << index << '\n';
  }
  std::ostringstream text;
};

std::string record(const reference::RandomCase& random_case, sc_core::sc_time period) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine, period);
    Record record;
    network.clock().observe({.flits = &record});
    TimedDriver driver(random_case.messages);
    network.run(driver, 100'000);
    return record.text.str();
  });
}

TEST(Run, Repetition_MovesEveryFlitInTheSameCycle) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const reference::RandomCase random_case = reference::random_case(500'000 + seed);
    const std::string first = record(random_case, {1, sc_core::SC_NS});
    EXPECT_FALSE(first.empty());
    EXPECT_TRUE(first == record(random_case, {1, sc_core::SC_NS})) << "seed " << seed;
  }
}

TEST(Run, ClockPeriod_DoesNotMatter) {
  const reference::RandomCase random_case = reference::random_case(600'000);
  EXPECT_TRUE(record(random_case, {1, sc_core::SC_NS}) == record(random_case, {333, sc_core::SC_PS}));
}

}  // namespace
}  // namespace flitscope::network_test
