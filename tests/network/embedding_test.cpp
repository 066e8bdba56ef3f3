// The network in a simulation of the user: clocks, several networks, reset, reports.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/error.h"
#include "sim/adaptors/port_trace.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/random_case.h"
#include "tests/support/external_modules.h"

namespace flitscope::embedding_test {
namespace {

using reference::RandomCase;
using reference::TimedDriver;
using reference::TimedMessage;

const Topology kLine(TopologyKind::mesh, {3});

/// A message of 3 flits over both links of the line, ready in `cycle`; it arrives 8 cycles later.
std::vector<TimedMessage> one_message(Cycle cycle) {
  return {{{7, 0, 2, {}, 3, 0}, cycle, std::nullopt}};
}

// --- Clocks ---

/// Remembers when the first edges come.
struct Edges final : sc_core::sc_module {
  SC_HAS_PROCESS(Edges);
  Edges(const sc_core::sc_module_name&, sc_core::sc_clock& clock) {
    SC_METHOD(rise);
    dont_initialize();
    sensitive << clock.posedge_event();
    SC_METHOD(fall);
    dont_initialize();
    sensitive << clock.negedge_event();
  }
  void rise() { rising.push_back(sc_core::sc_time_stamp()); }
  void fall() { falling.push_back(sc_core::sc_time_stamp()); }
  std::vector<sc_core::sc_time> rising;
  std::vector<sc_core::sc_time> falling;
};

TEST(BoundClock, EdgesOfTheClock_BeginCycles) {
  for (const bool rises_first : {true, false}) {
    for (const Edge edge : {Edge::rising, Edge::falling}) {
      EXPECT_EQ(run_isolated([&]() -> std::string {
                  sc_core::sc_clock clock("clock", sc_core::sc_time(10, sc_core::SC_NS), 0.3,
                                          sc_core::sc_time(7, sc_core::SC_NS), rises_first);
                  Edges edges("edges", clock);
                  Network network("network", kLine, MachineConfig{}, ClockTiming(clock, edge));
                  const auto messages = one_message(5);
                  TimedDriver driver(messages);
                  network.clock().drive(driver);
                  sc_core::sc_start(300, sc_core::SC_NS);
                  const auto& seen = edge == Edge::rising ? edges.rising : edges.falling;
                  for (const Cycle cycle : {0U, 1U, 13U}) {
                    if (network.clock().time_of(cycle) != seen.at(cycle)) return "another time";
                  }
                  return fmt::format("{}", driver.deliveries().at(0).arrived);
                }),
                "13");
    }
  }
}

struct CountsCycles final : ClockWatcher {
  std::optional<Cycle> after_cycle(Cycle now) override {
    ++count;
    return now + 1;
  }
  unsigned count = 0;
};

TEST(BoundClock, IdleNetwork_RunsNoCycle) {
  EXPECT_EQ(run_isolated([] {
              sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
              Network network("network", kLine, MachineConfig{}, clock);
              const auto messages = one_message(10'000);
              TimedDriver driver(messages);
              network.clock().drive(driver);
              CountsCycles counter;
              network.clock().watch(counter, 0);
              sc_core::sc_start(20, sc_core::SC_US);
              return fmt::format("{} delivered, {} cycles", driver.deliveries().size(), counter.count);
            }),
            "1 delivered, 10 cycles");  // cycle 0, and 10,000 to 10,008
}

TEST(BoundClock, EndOfWork_NotifiesQuiet) {
  EXPECT_EQ(run_isolated([] {
              sc_core::sc_clock clock("clock", 1, sc_core::SC_NS);
              Network network("network", kLine, MachineConfig{}, clock);
              const auto messages = one_message(20);
              TimedDriver driver(messages);
              network.clock().drive(driver);
              const test::Actor owner("owner", [&] {
                sc_core::wait(network.clock().quiet());
                sc_core::sc_stop();
              });
              sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                                      sc_core::SC_DO_NOTHING);
              sc_core::sc_start();
              return sc_core::sc_time_stamp().to_string();
            }),
            "28 ns");
}

// --- Several networks ---

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

std::string alone(const RandomCase& some) {
  return run_isolated([&] {
    Network network("network", some.topology, some.machine);
    Record record;
    network.clock().observe({.flits = &record});
    TimedDriver driver(some.messages);
    network.run(driver, 100'000);
    return record.text.str();
  });
}

TEST(SeveralNetworks, OneSimulation_EqualsSeparateOnes) {
  const RandomCase one = reference::random_case(700'001);
  const RandomCase other = reference::random_case(700'002);
  EXPECT_NE(alone(one), alone(other));
  EXPECT_TRUE(run_isolated([&] {
                Network first("first", one.topology, one.machine);
                Network second("second", other.topology, other.machine, sc_core::sc_time(3, sc_core::SC_NS));
                Record of_first;
                Record of_second;
                first.clock().observe({.flits = &of_first});
                second.clock().observe({.flits = &of_second});
                TimedDriver drives_first(one.messages);
                TimedDriver drives_second(other.messages);
                first.clock().drive(drives_first, 100'000);
                second.clock().drive(drives_second, 100'000);
                sc_core::sc_start();
                return of_first.text.str() + of_second.text.str();
              }) == alone(one) + alone(other));
}

// --- Reset ---

TEST(Reset, Network_BeginsAgain) {
  for (const std::uint64_t seed : {700'003U, 700'004U, 700'005U}) {
    const RandomCase some = reference::random_case(seed);
    const std::string expected = alone(some);
    EXPECT_TRUE(run_isolated([&]() -> std::string {
                  Network network("network", some.topology, some.machine);
                  TimedDriver first(some.messages);
                  network.run(first, 15);  // flits are everywhere
                  network.reset();
                  Record record;
                  network.clock().observe({.flits = &record});
                  TimedDriver second(some.messages);
                  network.run(second, 100'000);
                  return record.text.str();
                }) == expected)
        << seed;
  }
}

/// Counts flits and has room again at once.
struct CountingSink final : flit_if {
  explicit CountingSink(std::uint32_t flits_of_room = 2) : room(flits_of_room) {}
  std::uint32_t attach(credit_if& sender) override {
    credits = &sender;
    return room;
  }
  void put(unsigned vc, const LinkFlit&) override {
    ++flits;
    credits->credit(vc);
  }
  std::uint32_t room;
  credit_if* credits = nullptr;
  unsigned flits = 0;
};

TEST(Reset, ExternalModules_AreKept) {
  EXPECT_EQ(run_isolated([] {
              MachineConfig machine;
              machine.ports = 1;
              Network network("network", kLine, machine);
              CountingSink sink;
              network.replace_receiver(2, 2, sink);
              std::string text;
              for (int run = 0; run < 2; ++run) {
                const auto messages = one_message(0);
                TimedDriver driver(messages);
                network.run(driver);
                text += fmt::format("{} arrived {}; ", sink.flits, driver.deliveries().at(0).arrived);
                network.reset();
              }
              return text;
            }),
            "3 arrived 8; 6 arrived 8; ");
}

// --- Cost of modules ---

/// The work of a 32x32 mesh, with a sink behind every ejection channel or without: "flits put into sinks,
/// delta cycles, link and ejection traversals".
std::string work_of(bool modules) {
  return run_isolated([&] {
    const Topology mesh(TopologyKind::mesh, {32, 32});
    Network network("network", mesh, MachineConfig{});
    std::deque<CountingSink> sinks;
    for (NodeId node = 0; modules && node < mesh.nodes(); ++node) {
      for (unsigned port = 0; port < mesh.link_ports(); ++port)
        network.replace_receiver(node, mesh.link_ports() + port, sinks.emplace_back(8));
    }
    std::vector<TimedMessage> messages;
    for (NodeId node = 0; node < mesh.nodes(); ++node) {
      const NodeId destination = (node + 37) % mesh.nodes();
      messages.push_back(
          {{node, node, destination, shortest_route(mesh, node, destination), 4, 0}, node / 8, std::nullopt});
    }
    TimedDriver driver(messages);
    network.clock().drive(driver);
    network.clock().set_fast_forward(false);
    sc_core::sc_start(2, sc_core::SC_US);
    std::uint64_t flits = 0;
    for (const CountingSink& sink : sinks) flits += sink.flits;
    return fmt::format("{}, {}, {}", flits, sc_core::sc_delta_count(),
                       std::as_const(network.clock()).core().flit_hops());
  });
}

/// Nothing is woken, and no flit is handled, for them but the flits that they take; docs/embedding.md counts
/// instructions.
TEST(Modules, ModulesOrNot_TakeTheSameCycles) {
  const std::string without = work_of(false);
  ASSERT_TRUE(without.starts_with("0, ")) << without;
  EXPECT_EQ(work_of(true), "4096" + without.substr(1));
}

TEST(Modules, TwoForOnePortOrRouter_AreRefused) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", Topology(TopologyKind::mesh, {2, 2}), MachineConfig{});
              CountingSink sink(8);
              network.replace_receiver(1, 4, sink);
              try {
                network.replace_receiver(1, 4, sink);
              } catch (const sc_core::sc_report& report) {
                return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
              }
              return "accepted";
            }),
            "/flitscope/binding: output port 4 at node 1 has two receivers");
}

// --- Reports ---

struct Thrower final : Driver {
  void start(Transport&) override { throw ScheduleError("no schedule"); }
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return false; }
};

TEST(Report, ExceptionOfADriver_HasItsReportType) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLine, MachineConfig{});
              Thrower driver;
              network.clock().drive(driver);
              try {
                sc_core::sc_start();
              } catch (const sc_core::sc_report& report) {
                return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
              }
              return "no report";
            }),
            "/flitscope/driver: no schedule");
}

/// Asks for the impossible in the first cycle.
struct Resetter final : Driver {
  explicit Resetter(Network& of) : network(of) {}
  void start(Transport&) override { network.reset(); }
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return false; }
  Network& network;
};

TEST(Report, ResetWithinACycle_HasItsReportType) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              Network network("network", kLine, MachineConfig{});
              Resetter driver(network);
              network.clock().drive(driver);
              try {
                sc_core::sc_start();
              } catch (const sc_core::sc_report& report) {
                return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
              }
              return "no report";
            }),
            "/flitscope/use: a network cannot be reset while it runs a cycle");
}

// --- Ports and traces ---

TEST(Export, InExport_LeadsToTheInputPort) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              MachineConfig machine;
              machine.ports = 1;
              Network network("network", kLine, machine);
              test::Source source("source", network, {7, 0, 2, {}, 3, 0}, 4);
              source.out.bind(network.router(0).in_export(2));
              if (sc_core::sc_find_object("network.router_0.in_2") == nullptr) return "no name";
              test::Listener listener;
              network.run(listener);
              return listener.text;
            }),
            "7: ready 4, entered 4, head 10, arrived 12 = 12");
}

TEST(Trace, Waveform_ShowsFlitsOfAPort) {
  const std::string text = run_isolated([] {
    const auto path = std::filesystem::temp_directory_path() / fmt::format("flitscope_trace_{}", getpid());
    {
      Network network("network", kLine, MachineConfig{});
      sc_core::sc_trace_file* const file = sc_core::sc_create_vcd_trace_file(path.c_str());
      file->set_time_unit(1, sc_core::SC_NS);
      PortTrace trace("trace", network, file, {0});
      const auto messages = one_message(0);
      TimedDriver driver(messages);
      network.run(driver);
      sc_core::sc_close_vcd_trace_file(file);
    }
    std::ifstream stream(path.string() + ".vcd");
    std::ostringstream all;
    all << stream.rdbuf();
    std::filesystem::remove(path.string() + ".vcd");
    return all.str();
  });
  // Three flits leave by port 0 in cycles 1, 2 and 3; its `valid` is the first signal.
  EXPECT_NE(text.find("out_0"), std::string::npos) << text;
  const auto begin = text.find("#1\n");
  ASSERT_NE(begin, std::string::npos) << text;
  EXPECT_NE(text.find("1aaaaa", begin), std::string::npos) << text;
  const auto end = text.find("#4\n");
  ASSERT_NE(end, std::string::npos) << text;
  EXPECT_EQ(text.find("0aaaaa", begin), text.find("0aaaaa", end)) << text;
}

}  // namespace
}  // namespace flitscope::embedding_test
