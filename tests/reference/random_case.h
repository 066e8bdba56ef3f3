// Random networks and traffic, the same for the same seed on every platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::reference {

/// A network, a machine and messages for it.
struct RandomCase {
  std::uint64_t seed = 0;
  Topology topology;
  MachineConfig machine;
  std::vector<TimedMessage> messages;
};

/// The case of that seed: a torus or mesh of at most 80 nodes, of which something may be missing, a graph, or
/// a small network of a family; any admissible machine with one of the registered routing functions
/// (`routings` only, if any are named, on tori and meshes), 20 to 400 messages. Cases with `allow_deadlock`
/// may deadlock. Lengths fit into the buffer where the switching needs it.
[[nodiscard]] RandomCase random_case(std::uint64_t seed, const std::vector<std::string>& routings = {});

/// The case of that seed: a torus or mesh of 129 to 1,000 nodes, of which something may be missing, and 100
/// to 2,000 messages; the machine as for random_case(), with routing functions of grids.
[[nodiscard]] RandomCase large_case(std::uint64_t seed);

/// The case of that seed: a dragonfly of at most 48 nodes, and 50 to 400 messages, with one of the
/// routing functions.
[[nodiscard]] RandomCase dragonfly_case(std::uint64_t seed, const std::vector<std::string>& routings);

/// The case of that seed: a ring, a small torus or mesh of two dimensions, graph or network of a family,
/// mostly with too few virtual channels for its routing, and 24 to 96 messages. Many of these cases deadlock,
/// and most have so few input VCs that all sets of them can be tried.
[[nodiscard]] RandomCase deadlock_case(std::uint64_t seed);

/// The same case where links differ: delays by dimension, single links with their own delays and rates, some
/// of them very long, and ramps with rates of their own.
[[nodiscard]] RandomCase with_unequal_links(RandomCase random_case);
/// The same with intervals that are fractions, such as 7/3 cycles.
[[nodiscard]] RandomCase with_fractional_intervals(RandomCase random_case);

/// The same case on a one-way torus, if it is on a whole torus with a routing function that serves one.
[[nodiscard]] RandomCase on_one_way_torus(RandomCase random_case);

/// The same case where VC allocation is a stage of its own, credits take longer, and the channels of nodes
/// have several VCs; any of these.
[[nodiscard]] RandomCase with_router_stages(RandomCase random_case);

/// The same case with routers of random parts.
[[nodiscard]] RandomCase with_router_parts(RandomCase random_case);

/// The same case with message classes, priorities, and limited ends of the network interfaces, and router
/// parts; some of these. Nothing if the router has too many VCs.
[[nodiscard]] std::optional<RandomCase> with_message_classes(RandomCase random_case);

/// The same case with VCs for which one word of a set is too short: a router has 65 to 256 input VCs. Nothing
/// if it cannot have them.
[[nodiscard]] std::optional<RandomCase> with_many_vcs(RandomCase random_case);

/// Other allocators and arbiters in half of the machines whose message classes have one priority.
void draw_allocators(std::uint64_t seed, const Topology& topology, MachineConfig& machine);

/// The network and the machine in one line, to name a case that failed.
[[nodiscard]] std::string description(const RandomCase& random_case);

}  // namespace flitscope::reference
