// The multi-node broadcast by aggregation and distribution as a schedule; its two settings share it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/chen/multinode.h"

namespace flitscope::chen {

/// Parameters of every multi-node broadcast: `sources`, and `message`, the bytes that each of them has.
[[nodiscard]] std::vector<Parameter> multinode_parameters();

/// Facts that the sources settle: a chunk for each, in their order, which every node must have at the end,
/// and what all six ports allow. Throws Inadmissible("topology...") unless the network is a torus of three
/// equal sides n >= 3, and Inadmissible("workload.sources").
[[nodiscard]] ScheduleFacts multinode_facts(const Topology& topology, const ParameterValues& values,
                                            const std::string& algorithm);

/// The parameters of Chen's algorithm, with the defaults that distinguish its two settings.
[[nodiscard]] std::vector<Parameter> aggregation_parameters(const std::string& plane_base,
                                                            const std::string& collection);

/// Makes the schedule. `claimed_steps` says what the setting claims. Throws as multinode_facts, and
/// Inadmissible("workload.h") if h does not divide n, naming those that do.
[[nodiscard]] std::unique_ptr<Schedule> aggregation_schedule(
    const Topology& topology, const ParameterValues& values, const std::string& algorithm,
    std::uint64_t (*claimed_steps)(int n, int h, const Options& options));

}  // namespace flitscope::chen
