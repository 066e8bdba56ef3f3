// Links that send by their tables send the same packets, over the same links and in the same order, as the
// schedule that the table unrolls to; on flits, with and without barriers.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "model/link_programs.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/driver/table_driver.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/support/gossip.h"
#include "tests/support/program.h"

namespace flitscope::test::table_driver_test {
namespace {

struct Machine {
  const char* name;
  std::uint32_t buffer = 8;
  std::optional<unsigned> ports = std::nullopt;  ///< all
  std::uint64_t startup = 0;
};

MachineConfig machine_of(const Machine& like) {
  MachineConfig machine;
  machine.routing = "dimension-order";
  machine.virtual_channels = 2;
  machine.buffer = like.buffer;
  machine.ports = like.ports;
  machine.startup = like.startup;
  return machine;
}

/// Arrivals over each link in the order of sends, a line for each link, and whether the driver has finished.
std::string arrivals(CollectiveDriver& driver, const Topology& topology, const MachineConfig& machine) {
  return run_isolated([&] {
    Network network("network", topology, machine);
    std::map<ChannelId, std::vector<std::pair<std::uint64_t, ChunkId>>> by_link;
    driver.on_arrival([&](const ArrivedMessage& arrived) {
      const Message& message = arrived.message;
      const unsigned port = first_port(topology, message.source, message.destination, message.route);
      by_link[topology.channel(message.source, port)].push_back({arrived.delivery.id, arrived.chunks[0]});
    });
    const ClockStop stop = network.run(driver);
    std::string text;
    for (auto& [link, packets] : by_link) {
      std::ranges::sort(packets);
      std::vector<ChunkId> chunks;
      for (const auto& [id, chunk] : packets) chunks.push_back(chunk);
      text += fmt::format("{}: {}\n", topology.channel_name(link), fmt::join(chunks, " "));
    }
    const std::uint64_t all = std::uint64_t{topology.nodes()} * driver.possession().chunks();
    const bool done = stop == ClockStop::quiet && driver.finished() && driver.possession().held() == all;
    return text + (done ? "done" : "not done: " + driver.hindrance());
  });
}

struct Gossip {
  const char* algorithm;
  Shape shape;
  const char* supply;
};

std::string name_of(const Gossip& gossip) {
  std::string name = fmt::format("{}_{}_{}", gossip.algorithm, fmt::join(gossip.shape, "x"), gossip.supply);
  std::ranges::replace(name, '-', '_');
  return name;
}
void PrintTo(const Gossip& gossip, std::ostream* out) {
  *out << name_of(gossip);
}

class TableDriven : public testing::TestWithParam<Gossip> {};

TEST_P(TableDriven, Links_SendTheSamePacketsAsTheSchedule) {
  const auto& [algorithm, shape, supply] = GetParam();
  const LinkPrograms table = gossip_table(algorithm, shape, supply);
  const Topology topology = torus(shape);
  for (const Machine& like :
       {Machine{"plain"}, Machine{"start-up", 8, std::nullopt, 50}, Machine{"one port", 2, 1, 3}}) {
    const MachineConfig machine = machine_of(like);
    TableDriver by_table(table, machine);
    const std::string packets = arrivals(by_table, topology, machine);
    EXPECT_TRUE(packets.ends_with("done")) << packets.substr(packets.rfind('\n'));
    const auto barrier_schedule = unroll(table);
    BarrierDriver barrier(*barrier_schedule, machine);
    EXPECT_EQ(packets, arrivals(barrier, topology, machine)) << like.name;
    const auto dataflow_schedule = unroll(table);
    DataflowDriver dataflow(*dataflow_schedule, machine, 1'000'000);
    EXPECT_EQ(packets, arrivals(dataflow, topology, machine)) << like.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Gossips, TableDriven,
                         testing::Values(Gossip{"meyer-sibeyn-two-packet", {4, 6}, ""},
                                         Gossip{"meyer-sibeyn-two-packet", {6, 5}, ""},
                                         Gossip{"meyer-sibeyn-two-packet", {5, 4}, "fixed"},
                                         Gossip{"meyer-sibeyn-two-packet", {4, 5}, "printed"},
                                         Gossip{"hamiltonian-cycles", {5, 5}, ""},
                                         Gossip{"hamiltonian-cycles", {3, 4, 3}, ""},
                                         Gossip{"meyer-sibeyn-one-packet", {6, 5}, ""},
                                         Gossip{"meyer-sibeyn-one-packet", {5, 5}, "fixed"},
                                         Gossip{"meyer-sibeyn-one-packet", {5, 7}, "lists"},
                                         Gossip{"meyer-sibeyn-one-packet", {3, 3, 4}, ""},
                                         Gossip{"meyer-sibeyn-one-packet", {3, 3, 4}, "lists"},
                                         Gossip{"meyer-sibeyn-one-packet", {4, 4, 4, 4}, "fixed"}),
                         [](const auto& instance) { return name_of(instance.param); });

TEST(TableDriver, BlockedLink_IsNamed) {
  LinkPrograms table = gossip_table("hamiltonian-cycles", {3, 3});
  table.links[0].packets += 1;  // one more than ever comes: the run cannot end
  const MachineConfig machine = machine_of({"plain"});
  table.facts.messages += 1;
  table.links[0].rules.back().count = table.links[0].packets;
  for (LinkProgram& link : table.links) {
    if (&link != &table.links[0]) link.packets = 1;
  }
  TableDriver driver(table, machine);
  EXPECT_NE(arrivals(driver, torus({3, 3}), machine).find("not done: link [0, 0]+0 waits for packet"),
            std::string::npos);
}

TEST(TableDriver, StepsWithAnInjectionQueue_BeginWhenTheirFirstMessageIsHandedOver) {
  const LinkPrograms table = gossip_table("hamiltonian-cycles", {3, 3});
  MachineConfig machine = machine_of({"queue", 8, 1, 40});
  machine.injection_queue = 1;
  EXPECT_EQ(run_isolated([&] {
              TableDriver driver(table, machine);
              Network network("network", torus({3, 3}), machine);
              std::map<std::uint64_t, Cycle> begins;
              driver.on_arrival([&](const ArrivedMessage& arrived) {
                const auto [begin, is_new] =
                    begins.try_emplace(message_name(arrived.delivery.id).step, arrived.delivery.ready);
                if (!is_new) begin->second = std::min(begin->second, arrived.delivery.ready);
              });
              static_cast<void>(network.run(driver));
              std::string text;
              for (const auto& [step, begin] : begins) {
                const Cycle noted = driver.steps()[step - 1].begin;
                if (noted != begin) text += fmt::format("step {}: {}, noted {}\n", step, begin, noted);
              }
              return text +
                     fmt::format("{} steps", begins.size() == driver.steps().size() ? "all" : "not all");
            }),
            "all steps");
}

TEST(AdvanceTable, Configuration_RunsTheTable) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("gossip.yaml",
                      "flitscope: 1\n"
                      "topology: {kind: torus, shape: [4, 5]}\n"
                      "workload: {algorithm: meyer-sibeyn-two-packet, advance: table}\n");
  const Outcome run = run_program({"run", config});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("advance     table"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("verified:"), std::string::npos) << run.out;
  EXPECT_EQ(run_program({"verify", config}).exit_code, 0);

  const Outcome refused = run_program({"run", config, "--set", "workload.algorithm=translated-tree"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("gossip.yaml:3:"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("translated-tree has no time-independent routing table; there are tables of "
                             "hamiltonian-cycles, meyer-sibeyn-one-packet, meyer-sibeyn-two-packet"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace flitscope::test::table_driver_test
