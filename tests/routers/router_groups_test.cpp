// Routers with options beyond the usual ones (class RouterGroups) do what the reference model does, count it
// at every port, and report it in order.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <tuple>

#include "routers/engine/router_groups.h"
#include "tests/routers/engine_record.h"
#include "tests/routers/flit_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::router_groups_test {
namespace {

using reference::RandomCase;

/// The same network and messages, some with stages and delays of their own, some with links that differ, and
/// some with delays beyond the calendar's wheel and messages longer than the planes count.
RandomCase varied(RandomCase random_case) {
  MachineConfig& machine = random_case.machine;
  const auto seed = static_cast<std::uint32_t>(random_case.seed);
  const unsigned links = random_case.topology.link_ports() * machine.virtual_channels;
  const unsigned channels = node_channels(random_case.topology, machine);
  machine.node_vcs = seed % 3 == 0 ? std::min(3U, (kMaxVirtualChannels - links) / channels) : 1;
  if (machine.node_vcs > 1) machine.ejection_interval = 1;
  machine.vc_delay = seed % 4 == 1 ? 1 + seed % 3 : 0;
  machine.vc_reallocation_delay = seed % 5 == 1 ? 2 + seed % 3 : 1;
  if (random_case.seed % 6 == 2) random_case = reference::with_unequal_links(random_case);
  if (random_case.seed % 6 == 4) random_case = reference::with_fractional_intervals(random_case);
  machine.credit_delay = seed % 3;
  if (seed % 16 == 5) {
    machine.link_delay = 200;
    machine.router_delay = 100;
    machine.startup = 1000;
    machine.injection_interval = seed % 32 == 5 ? 401 : 1;
  }
  if (seed % 32 == 3 && machine.switching == Switching::wormhole) {
    for (reference::TimedMessage& message : random_case.messages) message.packet.flits *= 50;
  }
  return random_case;
}

/// Settles all stalls now and then, which cuts those under way in two.
class Settler final : public ClockWatcher {
 public:
  explicit Settler(ClockDomain& clock) : clock_(clock) {}
  std::optional<Cycle> after_cycle(Cycle now) override {
    clock_.core().settle_stalls(now + 1);
    return now + 1 + now % 37;
  }

 private:
  ClockDomain& clock_;
};

/// Checks the order of reports (FlitObserver, StallObserver).
class OrderOfReports final : public StallObserver, public FlitObserver {
 public:
  void stalled(const FlitStall& stall) override {
    // Those under way at the end are reported at once.
    if (!over_) report(stall.from + stall.cycles, stall.node, 0, stall.input_vc);
  }
  void routed(Cycle now, NodeId node, unsigned input_vc, unsigned /*port*/, std::uint64_t) override {
    report(now, node, 1, input_vc);
  }
  void granted(Cycle now, NodeId node, unsigned input_vc, unsigned /*port*/, unsigned /*vc*/,
               std::uint64_t) override {
    report(now, node, 2, input_vc);
  }
  void moved(Cycle now, NodeId node, unsigned /*port*/, unsigned /*vc*/, std::uint64_t, std::uint32_t,
             bool /*tail*/) override {
    report(now, node, 3, 0);
  }
  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t, std::uint32_t,
                bool /*tail*/) override {
    report(now, node, 4, channel);
  }
  void end() { over_ = true; }

  std::uint64_t reports = 0;
  std::string disorder;

 private:
  using Place = std::tuple<Cycle, NodeId, unsigned, unsigned>;

  void report(Cycle cycle, NodeId node, unsigned kind, unsigned number) {
    const Place place(cycle, node, kind, number);
    if (place < last_ && disorder.empty()) {
      disorder =
          fmt::format("cycle {} router {} kind {} number {} behind {} {} {} {}", cycle, node, kind, number,
                      std::get<0>(last_), std::get<1>(last_), std::get<2>(last_), std::get<3>(last_));
    }
    last_ = place;
    ++reports;
  }

  Place last_{};
  bool over_ = false;
};

void expect_order(const RandomCase& random_case) {
  EXPECT_EQ(run_isolated([&]() -> std::string {
              Network network("network", random_case.topology, random_case.machine);
              OrderOfReports order;
              std::vector<NodeId> nodes;  // all, or a few
              if (random_case.seed % 4 == 3) nodes = {0, random_case.topology.routers() - 1};
              network.clock().observe({.stalls = &order, .flits = &order, .flits_at = nodes});
              reference::TimedDriver driver(random_case.messages);
              network.run(driver, test::kRecordLimit);
              order.end();
              network.clock().core().settle_stalls(test::kRecordLimit);
              return order.reports == 0 ? "no reports" : order.disorder;
            }),
            "")
      << reference::description(random_case);
}

bool observes_stalls(const RandomCase& random_case) {
  return random_case.seed % 2 == 1;
}

/// Flits, messages and stalls of every port, as the reference model has them.
std::string ports_by_reference(const RandomCase& random_case, Cycle& until) {
  reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
  reference::TimedDriver driver(random_case.messages);
  slow.run(driver, test::kRecordLimit);
  until = slow.now();
  std::map<std::pair<NodeId, unsigned>, PortCounts> counts;
  std::map<std::uint64_t, std::uint32_t> flits;
  for (const reference::TimedMessage& each : random_case.messages) flits[each.packet.id] = each.packet.flits;
  for (const reference::Traversal& each : slow.traversals()) {
    PortCounts& port = counts[{each.node, each.output_port}];
    ++port.flits;
    if (each.flit + 1 == flits.at(each.message)) ++port.messages;
  }
  test::StallsOfPorts stalls;
  for (const FlitStall& each : slow.stalls()) {
    counts[{each.node, each.port}].stalls[static_cast<unsigned>(each.cause)] += each.cycles;
    stalls.stalled(each);
  }
  std::string text = observes_stalls(random_case) ? stalls.text() : "";
  for (const auto& [place, port] : counts) {
    text += fmt::format("{}.{}: {} {} {}\n", place.first, place.second, port.flits, port.messages,
                        fmt::join(port.stalls, " "));
  }
  return text;
}

/// The same of the engine. Where stalls are observed one by one, they are settled now and then.
std::string ports_by_groups(const RandomCase& random_case, Cycle until) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    ClockDomain& clock = network.clock();
    test::StallsOfPorts stalls;
    Settler settler(clock);
    if (observes_stalls(random_case)) {
      clock.observe({.stalls = &stalls});
      clock.watch(settler, 20);
    }
    reference::TimedDriver driver(random_case.messages);
    network.run(driver, test::kRecordLimit - 1);  // cycles up to this one, as the model
    RouterGroups& groups = clock.core();
    groups.settle_stalls(until);
    std::string text = stalls.text();
    for (NodeId node = 0; node < groups.numbers().nodes(); ++node) {
      for (unsigned number = 0; number < groups.numbers().ports(); ++number) {
        const PortCounts port = groups.counts(node, number);
        if (port == PortCounts{}) continue;
        text += fmt::format("{}.{}: {} {} {}\n", node, number, port.flits, port.messages,
                            fmt::join(port.stalls, " "));
      }
    }
    return text;
  });
}

void expect_equal_ports(const RandomCase& random_case) {
  Cycle until = 0;
  const std::string expected = ports_by_reference(random_case, until);
  EXPECT_EQ(test::first_difference(expected, ports_by_groups(random_case, until)), "")
      << reference::description(random_case);
}

/// Flits are observed in half of the cases.
bool observes_flits(const RandomCase& random_case) {
  return random_case.seed % 2 == 1;
}

/// Deliveries, stalls and, if they are observed, flits of the reference model.
std::string by_reference(const RandomCase& random_case, Cycle& until) {
  reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
  reference::TimedDriver driver(random_case.messages);
  const reference::Outcome end = slow.run(driver, test::kRecordLimit);
  until = slow.now();
  std::string text = test::text_of(driver.deliveries());
  if (observes_flits(random_case)) text += test::FlitRecord(slow).flits();
  return text + fmt::format("stalls {}\n", fmt::join(end.stalls, " "));
}

std::string by_groups(const RandomCase& random_case, Cycle until) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    test::FlitRecord record;
    network.clock().observe({.flits = observes_flits(random_case) ? &record : nullptr});
    reference::TimedDriver driver(random_case.messages);
    network.run(driver, test::kRecordLimit - 1);  // cycles up to this one, as the model
    RouterGroups& groups = network.clock().core();
    groups.settle_stalls(until);
    return test::text_of(driver.deliveries()) + record.flits() +
           fmt::format("stalls {}\n", fmt::join(groups.stalls(), " "));
  });
}

TEST(RouterGroups, RandomCases_DeliverEveryMessageAsTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) && !HasFailure(); ++seed) {
    const RandomCase random_case = varied(reference::random_case(12'000'000 + seed));
    Cycle until = 0;
    const std::string expected = by_reference(random_case, until);
    EXPECT_EQ(test::first_difference(expected, by_groups(random_case, until)), "")
        << reference::description(random_case);
  }
}

TEST(RouterGroups, QueuesOfOtherRouters_AreKnownAsToTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 16 && !HasFailure(); ++seed) {
    for (const char* const routing : {"ugal-g", "piggyback"}) {
      RandomCase random_case = reference::dragonfly_case(15'500'000 + seed, {routing});
      random_case = seed % 2 == 0 ? reference::with_unequal_links(random_case)
                                  : reference::with_router_stages(random_case);
      Cycle until = 0;
      const std::string expected = by_reference(random_case, until);
      EXPECT_EQ(test::first_difference(expected, by_groups(random_case, until)), "")
          << reference::description(random_case);
    }
  }
}

TEST(RouterGroups, LargeNetworks_CountAtEveryPortAsTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 100 && !HasFailure(); ++seed) {
    expect_equal_ports(varied(reference::large_case(13'000'000 + seed)));
  }
}

TEST(RouterGroups, SmallNetworks_CountAtEveryPortAsTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    expect_equal_ports(varied(reference::deadlock_case(14'000'000 + seed)));
  }
}

/// Few long messages, on a machine in which a cycle of a group can be like the one before.
RandomCase sparse(RandomCase random_case) {
  MachineConfig& machine = random_case.machine;
  machine.startup = 0;
  machine.injection_interval = 1;
  machine.ejection_interval = 1;
  machine.node_vcs = 1;
  std::vector<reference::TimedMessage>& messages = random_case.messages;
  messages.resize(std::min<std::size_t>(messages.size(), 3 + random_case.seed % 30));
  for (reference::TimedMessage& message : messages) {
    if (message.released_by && *message.released_by >= messages.size()) message.released_by.reset();
    if (machine.switching == Switching::wormhole)
      message.packet.flits *= 1 + static_cast<std::uint32_t>(random_case.seed % 40);
  }
  return random_case;
}

TEST(RouterGroups, FewLongMessages_AreCountedAtEveryPortAsInTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    const std::uint64_t number = 17'000'000 + seed;
    expect_equal_ports(
        sparse(seed % 10 == 0 ? reference::large_case(number) : reference::random_case(number)));
  }
}

/// Messages longer than the planes count, which begin together, and shorter ones that cross them later.
RandomCase crossing(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  const std::array shapes{std::vector{128U}, std::vector{8U, 10U}, std::vector{5U, 5U, 4U}};
  RandomCase result{seed, Topology(TopologyKind::torus, shapes[seed % shapes.size()]), {}, {}};
  result.machine.virtual_channels = 2;
  if (seed % 4 != 0) result.machine.ports = 1;
  const NodeId nodes = result.topology.nodes();
  const std::uint32_t together = 1 + below(4);
  for (std::uint32_t i = 0; i < together + 12; ++i) {
    reference::TimedMessage& message = result.messages.emplace_back();
    const NodeId source = below(nodes);
    const NodeId destination = (source + 1 + below(6)) % nodes;
    message.ready = i < together ? 0 : below(1500);
    message.packet = {.id = i,
                      .source = source,
                      .destination = destination,
                      .route = shortest_route(result.topology, source, destination),
                      .flits = i < together ? 300 + below(1200) : 1 + below(20)};
  }
  return result;
}

TEST(RouterGroups, LongMessagesThatOthersCross_AreCountedAtEveryPortAsInTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed)
    expect_equal_ports(crossing(18'000'000 + seed));
}

/// Many short and long messages between all nodes.
RandomCase crowded(const Topology& topology, MachineConfig machine) {
  RandomCase crowd{1, topology, std::move(machine), {}};
  for (NodeId i = 0; i < 600; ++i) {
    const NodeId source = i * 7 % topology.nodes();
    const NodeId destination = (source + 1 + i % (topology.nodes() - 1)) % topology.nodes();
    reference::TimedMessage& message = crowd.messages.emplace_back();
    message.ready = i / 8;
    message.packet = {.id = i,
                      .source = source,
                      .destination = destination,
                      .route = shortest_route(topology, source, destination),
                      .flits = 1 + i % 11};
  }
  return crowd;
}

TEST(RouterGroups, ManyVirtualChannels_AreAsInTheReferenceModel) {
  for (const auto& [of_links, of_node] : {std::pair(29U, 3U), {30U, 3U}, {64U, 1U}, {64U, 64U}}) {
    MachineConfig machine;
    machine.virtual_channels = of_links;
    machine.node_vcs = of_node;
    machine.buffer = 2;
    const RandomCase crowd = crowded(Topology(TopologyKind::torus, {9}), machine);
    Cycle until = 0;
    const std::string expected = by_reference(crowd, until);
    EXPECT_EQ(test::first_difference(expected, by_groups(crowd, until)), "");
    expect_equal_ports(crowd);
  }
}

/// Those whose cycle is compiled in one version, with and without observers.
TEST(RouterGroups, CompiledShapes_AreAsInTheReferenceModel) {
  const auto expect_equal = [](const Topology& topology, const MachineConfig& machine) {
    for (const std::uint64_t seed : {1, 2}) {
      RandomCase crowd = crowded(topology, machine);
      crowd.seed = seed;
      Cycle until = 0;
      const std::string expected = by_reference(crowd, until);
      EXPECT_EQ(test::first_difference(expected, by_groups(crowd, until)), "") << topology.name();
    }
  };
  const Topology space(TopologyKind::torus, {5, 4, 4});
  const Topology plane(TopologyKind::mesh, {9, 8});
  expect_equal(space, {.virtual_channels = 2, .ports = 1});
  expect_equal(space, {.virtual_channels = 4});
  expect_equal(plane, {.virtual_channels = 4, .ports = 1, .node_vcs = 4});
}

TEST(RouterGroups, ManyPorts_AreAsInTheReferenceModel) {
  for (const unsigned virtual_channels : {2, 5, 16}) {
    MachineConfig machine;
    machine.virtual_channels = virtual_channels;
    machine.buffer = 2;
    const RandomCase crowd = crowded(Topology(TopologyKind::mesh, {2, 2, 2, 2, 2, 2, 2}), machine);
    Cycle until = 0;
    const std::string expected = by_reference(crowd, until);
    EXPECT_EQ(test::first_difference(expected, by_groups(crowd, until)), "");
    expect_equal_ports(crowd);
  }
}

/// A switch with as many links as a router can have.
TEST(RouterGroups, SwitchOf255Links_IsAsInTheReferenceModel) {
  GraphPlan plan;
  plan.routers.resize(Graph::kMaxPorts + 1);
  for (std::uint32_t node = 0; node < plan.routers.size(); ++node) {
    plan.routers[node].name = fmt::format("r{}", node);
    if (node == 0) continue;
    plan.links.push_back({node, 0});
    plan.links.push_back({0, node});
  }
  MachineConfig machine;
  machine.virtual_channels = 1;
  machine.ports = 1;
  machine.routing = "shortest";
  RandomCase crowd = crowded(Topology::of(std::make_shared<const Graph>(std::move(plan))), machine);
  crowd.messages.resize(300);  // the model looks at each port in every cycle
  Cycle until = 0;
  const std::string expected = by_reference(crowd, until);
  EXPECT_EQ(test::first_difference(expected, by_groups(crowd, until)), "");
  expect_equal_ports(crowd);
}

TEST(RouterGroups, FlitsBeyondSixteenBits_AreCountedAtEveryPort) {
  const std::string counts = run_isolated([] {
    MachineConfig machine;
    machine.virtual_channels = 2;
    Network network("network", Topology(TopologyKind::torus, {8}), machine);
    std::vector<reference::TimedMessage> messages;
    for (const std::uint32_t flits : {40'000, 25'535, 1, 40'000, 100'000, 3}) {
      messages.emplace_back().packet = {
          .id = messages.size(), .source = 0, .destination = 2, .route = {}, .flits = flits};
    }
    reference::TimedDriver driver(messages);
    network.run(driver);
    std::string text;
    for (NodeId node = 0; node < 3; ++node) {
      for (unsigned port = 0; port < network.clock().core().numbers().ports(); ++port) {
        const PortCounts each = network.clock().core().counts(node, port);
        if (each != PortCounts{}) text += fmt::format("{} in {}; ", each.flits, each.messages);
      }
    }
    return text;
  });
  EXPECT_EQ(counts, "205539 in 6; 205539 in 6; 205539 in 6; ");
}

TEST(RouterGroups, StallsAndFlits_AreReportedInOrder) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    expect_order(varied(reference::random_case(15'000'000 + seed)));
    expect_order(varied(reference::deadlock_case(17'000'000 + seed)));
    if (seed % 4 == 0) expect_order(varied(reference::large_case(16'000'000 + seed)));
  }
}

}  // namespace
}  // namespace flitscope::router_groups_test
