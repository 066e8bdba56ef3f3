#include "sim/verify/protocol_witness.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/experiment.h"
#include "sim/run/isolated.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// Runs the witness and records the dependency cycle in which it deadlocks. Returns whether it does.
bool shows(ProtocolWitness& witness) {
  std::istringstream lines(run_isolated([&] {
    RunOptions options;
    options.explains_waits = false;
    const RunResult result = run_experiment(witness.config, options);
    std::string text;
    if (!result.links()->deadlock) return text;
    for (const std::string& line : describe(*result.links()->deadlock, witness.config.topology))
      text += line + "\n";
    return text;
  }));
  witness.worms.clear();
  for (std::string line; std::getline(lines, line);) witness.worms.push_back(line);
  return !witness.worms.empty();
}

/// A closed loop, the most that a node may have open; with a batch of so many requests a node.
ProtocolWitness in_batch(ProtocolWitness witness, std::uint64_t batch) {
  ProtocolConfig& protocol = *witness.config.workload.protocol;
  constexpr std::uint32_t kMany = 256;
  protocol.closed_loop = true;
  protocol.outstanding = protocol.outstanding.value_or(kMany);
  protocol.batch = batch;
  offer(protocol, witness.config.workload.traffic, witness.config.machine.flit_bytes);
  return witness;
}

/// The first of some witnesses that deadlocks.
std::optional<ProtocolWitness> first_shown(const ProtocolWitness& original) {
  constexpr std::uint64_t kSeeds = 6;
  constexpr std::uint64_t kBatch = 200;
  const std::uint64_t own = original.config.workload.protocol->batch.value_or(kBatch);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ProtocolWitness witness = original;
    witness.config.workload.traffic.seed += seed;
    if (shows(witness)) return witness;
    witness = in_batch(std::move(witness), own);
    if (shows(witness)) return witness;
  }
  return std::nullopt;
}

void shorten(ProtocolWitness& witness) {
  const std::uint64_t most = witness.config.workload.protocol->batch.value_or(1024);
  for (std::uint64_t batch = 1; batch < most; batch *= 2) {
    ProtocolWitness shorter = in_batch(witness, batch);
    if (!shows(shorter)) continue;
    witness = std::move(shorter);
    return;
  }
}

/// Removes sources that the deadlock does not need: half of them, a quarter, and so on.
void remove_sources(ProtocolWitness& witness) {
  const Topology& topology = witness.config.topology;
  NodeSet& set = witness.config.workload.protocol->sources;
  std::vector<NodeName> sources;
  for (const NodeId node : nodes_of(set, topology, "workload.sources"))
    sources.push_back({topology.node_name(node)});
  unsigned trials_left = 100;
  for (std::size_t part = sources.size() / 2; part > 0; part /= 2) {
    for (std::size_t first = 0; first < sources.size() && trials_left > 0; --trials_left) {
      ProtocolWitness fewer = witness;
      std::vector<NodeName> left = sources;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(first),
                 left.begin() + static_cast<std::ptrdiff_t>(std::min(first + part, left.size())));
      fewer.config.workload.protocol->sources = NodeSet::listed(left);
      if (!left.empty() && shows(fewer)) {
        witness = std::move(fewer);
        sources = std::move(left);
      } else {
        first += part;
      }
    }
  }
}

}  // namespace

std::optional<ProtocolWitness> find_protocol_witness(const ExperimentConfig& config) {
  constexpr std::uint64_t kLimit = 200'000;
  constexpr NodeId kSmall = 256;
  ProtocolWitness original{config, {}};
  original.config.machine.allow_deadlock = true;
  original.config.cycle_limit = std::min(config.cycle_limit, kLimit);
  auto witness = first_shown(original);
  if (!witness || config.topology.nodes() > kSmall) return witness;
  shorten(*witness);
  remove_sources(*witness);
  return witness;
}

}  // namespace flitscope
