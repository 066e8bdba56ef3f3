// Links with delays and rates of their own: exact cycles of messages alone, and memory of very long delays.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "sim/network/network.h"
#include "sim/run/isolated.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::unequal_links_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;

/// Cycles of one message alone, from node 0 along a line of nodes.
Cycle time_of_one(const Topology& line, const MachineConfig& machine, NodeId destination,
                  std::uint32_t flits) {
  const std::vector<TimedMessage> messages{
      {{0, 0, destination, shortest_route(line, 0, destination), flits, 0}, 0, std::nullopt}};
  return std::stoull(run_isolated([&] {
    Network network("network", line, machine);
    TimedDriver driver(messages);
    network.run(driver);
    return std::to_string(driver.deliveries().at(0).arrived);
  }));
}

const Topology kLine(TopologyKind::mesh, {5});

/// Links 0, 1, 2 and 3 lead from node to node in direction +.
MachineConfig unequal() {
  MachineConfig machine;
  machine.buffer = 64;
  machine.link_delay = 2;
  machine.links.single[kLine.channel(0, 0)] = {7, std::nullopt};
  machine.links.single[kLine.channel(1, 0)] = {1, 3};
  machine.links.single[kLine.channel(2, 0)] = {std::nullopt, 2};
  machine.startup = 11;
  return machine;
}

/// Delays of links 0 .. hops-1, of hops + 1 routers, and of the ejection channel.
Cycle head_time(const MachineConfig& machine, unsigned hops) {
  Cycle time = machine.startup + Cycle{hops + 1} * machine.router_delay + machine.link_delay;
  for (NodeId node = 0; node < hops; ++node) time += machine.link(kLine, kLine.channel(node, 0)).delay;
  return time;
}

TEST(UnequalLinks, AMessageTakesTheDelaysOfItsLinksAndThePaceOfTheSlowest) {
  const MachineConfig machine = unequal();
  const std::uint64_t paces[] = {1, 3, 3, 3};
  for (unsigned hops = 1; hops <= 4; ++hops) {
    for (const std::uint32_t flits : {1U, 2U, 9U, 30U}) {
      EXPECT_EQ(time_of_one(kLine, machine, hops, flits),
                head_time(machine, hops) + (flits - 1) * paces[hops - 1])
          << hops << " links, " << flits << " flits";
    }
  }
}

TEST(UnequalLinks, StoreAndForwardPaysEveryPace) {
  MachineConfig machine = unequal();
  machine.switching = Switching::store_and_forward;
  machine.injection_interval = 2;
  machine.ejection_interval = 4;
  // The links take a flit every 1, 3, 2 and 1 cycles.
  EXPECT_EQ(time_of_one(kLine, machine, 4, 20), head_time(machine, 4) + 19 * (2 + 1 + 3 + 2 + 1 + 4));
}

TEST(UnequalLinks, ARampCanBeTheSlowest) {
  MachineConfig machine = unequal();
  machine.injection_interval = 5;
  EXPECT_EQ(time_of_one(kLine, machine, 3, 10), head_time(machine, 3) + 9 * 5);
  machine.injection_interval.reset();
  machine.ejection_interval = 6;
  EXPECT_EQ(time_of_one(kLine, machine, 3, 10), head_time(machine, 3) + 9 * 6);
}

TEST(UnequalLinks, DelaysBeyondTheCalendarsWheelAreAsExact) {
  MachineConfig machine = unequal();
  machine.buffer = 2;
  machine.links.single[kLine.channel(3, 0)] = {5000, 700};
  EXPECT_EQ(time_of_one(kLine, machine, 4, 1), head_time(machine, 4));
  // Two flits every R+2D cycles.
  EXPECT_EQ(time_of_one(kLine, machine, 4, 3), head_time(machine, 4) + 1 + 2 * 5000);
  machine.buffer = 64;
  EXPECT_EQ(time_of_one(kLine, machine, 4, 11), head_time(machine, 4) + 10 * 700);
  machine.router_delay = 1000;
  EXPECT_EQ(time_of_one(kLine, machine, 4, 11), head_time(machine, 4) + 10 * 700);
}

TEST(LongDelays, TakeMemoryForWhatIsUnderWay) {
  const Topology torus(TopologyKind::torus, {8, 8, 8});
  MachineConfig machine;
  machine.link_delay = 65'535;
  std::vector<TimedMessage> messages;
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    const NodeId opposite = torus.nodes() - 1 - node;
    messages.push_back(
        {{node, node, opposite, shortest_route(torus, node, opposite), 20, 0}, 0, std::nullopt});
  }
  const std::string megabytes = run_isolated([&] {
    Network network("network", torus, machine);
    TimedDriver driver(messages);
    network.run(driver);
    if (driver.deliveries().size() != messages.size()) return std::string("not everything arrived");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::to_string(usage.ru_maxrss / 1024);
  });
  EXPECT_LT(std::stoul(megabytes), 128U);
}

}  // namespace
}  // namespace flitscope::unequal_links_test
