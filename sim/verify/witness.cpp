#include "sim/verify/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <utility>

#include "algorithms/common/schedule.h"
#include "model/error.h"
#include "model/random.h"
#include "model/route.h"
#include "model/text.h"
#include "routers/engine/message_table.h"
#include "sim/driver/schedule_driver.h"
#include "sim/network/network.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/experiment.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// Runs of witnesses for one verdict on one machine.
class Trials {
 public:
  Trials(const ExperimentConfig& config, const DeadlockCheck& check) : config_(config), check_(check) {
    config_.machine.allow_deadlock = true;
  }

  /// Runs the messages and records the dependency cycle in which they deadlock. Returns whether they do; if
  /// the deadlock of the analysis is proven, in its dependency cycle.
  bool shows(Witness& witness) {
    std::istringstream words(run_isolated([&] { return cycle_of_run(witness); }));
    std::uint64_t flit_hops = 0;
    words >> flit_hops;
    work_ += flit_hops + kWorkOfNode * config_.topology.nodes();
    witness.dependency_cycle.clear();
    for (WitnessChannel held; words >> held.channel >> held.vc >> held.message;)
      witness.dependency_cycle.push_back(held);
    return !witness.dependency_cycle.empty() &&
           (check_.analysis.verdict != DeadlockVerdict::can_deadlock || is_in_cycle(witness));
  }

  /// A search goes on no longer.
  [[nodiscard]] bool is_spent() const { return work_ >= kMaxWork; }

 private:
  /// The run's dependency cycle holds the channels of the analysis, and no others.
  [[nodiscard]] bool is_in_cycle(const Witness& witness) const {
    std::set<ChannelId> found;
    std::set<ChannelId> wanted;
    for (const WitnessChannel& held : witness.dependency_cycle) found.insert(held.channel);
    for (const CycleMember& member : check_.analysis.dependency_cycle) wanted.insert(member.channel);
    return found == wanted;
  }

  /// Flits by links, then the members of the cycle.
  [[nodiscard]] std::string cycle_of_run(const Witness& witness) const {
    Network network("network", config_.topology, machine_of_network(config_));
    const auto schedule = witness_schedule(witness, check_, config_);
    const MachineConfig machine = machine_of_messages(config_);
    BarrierDriver messages(*schedule, machine);
    std::optional<PacketDriver> packets;
    if (const auto format = packet_format(config_)) {
      packets.emplace(messages, *format, config_.topology, config_.machine,
                      packet_stride(config_, witness.flows.size()));
    }
    Driver& driver = packets ? static_cast<Driver&>(*packets) : messages;
    // Routers may request for blocked messages in every cycle, so that the run has no end.
    DeadlockWatch watch(network.clock());
    network.clock().watch(watch, DeadlockWatch::kFirstLook);
    static_cast<void>(network.run(driver, kLimit));
    const auto deadlock = watch.deadlock() ? watch.deadlock() : find_deadlock(network.clock());
    std::string text = fmt::format("{} ", network.clock().flit_hops());
    if (!deadlock) return text;
    for (const DeadlockedWorm& worm : deadlock->dependency_cycle) {
      const HeldChannel& held = worm.holds.front();
      text += fmt::format("{} {} {} ", config_.topology.channel(held.node, held.port), held.vc, worm.message);
    }
    return text;
  }

  static constexpr Cycle kLimit = 10'000'000;
  static constexpr std::uint64_t kMaxWork = 100'000'000;  // in flits by links
  static constexpr std::uint64_t kWorkOfNode = 200;       // of a run before its first cycle
  ExperimentConfig config_;
  const DeadlockCheck& check_;
  std::uint64_t work_ = 0;
};

/// The longest messages to try, in flits, if ejection buffers have room for them.
std::uint64_t longest_on_links(const MachineConfig& machine) {
  const std::uint64_t buffer = machine.link_buffer();
  if (machine.flow == FlowControl::bubble) return buffer / 2;
  return machine.switching != Switching::wormhole ? buffer : 8 * buffer + 32;
}

/// Lengths to try, in flits: the shortest first.
std::vector<std::uint64_t> lengths(const MachineConfig& machine) {
  const std::uint64_t buffer = machine.link_buffer();
  const std::uint64_t longest =
      std::min<std::uint64_t>(longest_on_links(machine), machine.ejection_buffer.value_or(kMaxFlits));
  std::set<std::uint64_t> result{longest, std::min(buffer, longest)};
  for (std::uint64_t flits = 1; flits < longest; flits *= 2) {
    result.insert(flits);
    if (flits * 2 > buffer) result.insert(std::min(buffer + flits, longest));
  }
  return {result.begin(), result.end()};
}

/// Tries one message for every virtual channel of the dependency cycle, then more of each.
std::optional<Witness> witness_of_cycle(const std::vector<CycleMember>& dependency_cycle, Trials& trials,
                                        const MachineConfig& machine) {
  constexpr unsigned kMoreOfEach = 4;
  for (unsigned more = 1; more <= kMoreOfEach; ++more) {
    Witness witness;
    for (const CycleMember& member : dependency_cycle) {
      for (unsigned copy = 0; copy < more * member.vcs; ++copy) witness.flows.push_back(member.flow);
    }
    for (const std::uint64_t flits : lengths(machine)) {
      for (Flow& flow : witness.flows) flow.flits = flits;
      if (trials.shows(witness)) return witness;
    }
  }
  return std::nullopt;
}

/// Removes items that the deadlock does not need: parts of so many, of half as many, and so on. take(rest)
/// tries what is left, and keeps it if it deadlocks.
template <typename Item, typename Take>
void remove_parts(std::vector<Item> items, std::size_t part, unsigned trials_left, Take take) {
  for (; part > 0; part /= 2) {
    for (std::size_t first = 0; first < items.size() && trials_left > 0; --trials_left) {
      std::vector<Item> rest = items;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first),
                 rest.begin() + static_cast<std::ptrdiff_t>(std::min(first + part, rest.size())));
      if (!rest.empty() && take(rest)) {
        items = std::move(rest);
      } else {
        first += part;
      }
    }
  }
}

void remove_messages(Witness& witness, Trials& trials) {
  remove_parts(witness.flows, (witness.flows.size() + 1) / 2, 500, [&](const std::vector<Flow>& rest) {
    Witness fewer{rest, {}};
    if (trials.is_spent() || !trials.shows(fewer)) return false;
    witness = std::move(fewer);
    return true;
  });
}

/// Some of the flows, by reservoir sampling.
std::vector<Flow> sample(const Flows& all, std::size_t wanted, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Flow> chosen;
  std::uint64_t seen = 0;
  all([&](const Flow& flow) {
    ++seen;
    if (chosen.size() < wanted) {
      chosen.push_back(flow);
    } else if (const std::uint64_t place = random_below(random, seen); place < wanted) {
      chosen[place] = flow;
    }
    return true;
  });
  shuffle(chosen, random);
  return chosen;
}

/// Messages of the dependency cycle, more or fewer of each and of any lengths; or any of the messages that
/// were analysed: few and long ones, or many and short ones.
Witness draw_witness(const DeadlockCheck& check, const ExperimentConfig& config, const Flows& all,
                     std::uint64_t seed) {
  constexpr std::uint64_t kMaxCopies = 6;
  constexpr std::uint64_t kFlitsOfNode = 600;  // in all its messages
  constexpr std::uint64_t kMinMessages = 4;    // of a node
  constexpr std::uint64_t kMaxMessages = 150;
  std::mt19937_64 random(seed);
  const auto allowed = lengths(machine_of_messages(config));
  // Messages that just fit into a buffer fill it best.
  const std::uint64_t fitting = std::min<std::uint64_t>(config.machine.link_buffer(), allowed.back());
  const auto draw_length = [&] {
    return random_below(random, 2) == 0 ? fitting : allowed[random_below(random, allowed.size())];
  };
  Witness witness;
  const bool of_cycle = seed % 2 == 0;
  if (of_cycle) {
    for (const CycleMember& member : check.analysis.dependency_cycle) {
      const std::uint64_t copies = member.vcs * (1 + random_below(random, kMaxCopies));
      witness.flows.insert(witness.flows.end(), copies, member.flow);
    }
    for (Flow& flow : witness.flows) flow.flits = draw_length();
  } else {
    const std::uint64_t flits = draw_length();
    const std::uint64_t of_node = std::clamp(kFlitsOfNode / flits, kMinMessages, kMaxMessages);
    const std::uint64_t wanted = of_node * config.topology.nodes();
    witness.flows = sample(all, wanted, seed);
    while (witness.flows.size() < wanted) {
      witness.flows.push_back(witness.flows[random_below(random, witness.flows.size())]);
    }
    for (Flow& flow : witness.flows) flow.flits = flits;
  }
  shuffle(witness.flows, random);
  return witness;
}

std::optional<Witness> random_witness(const DeadlockCheck& check, const ExperimentConfig& config,
                                      Trials& trials) {
  constexpr NodeId kLargest = 1024;
  const NodeId nodes = config.topology.nodes();
  if (nodes > kLargest) return std::nullopt;
  const std::uint64_t tries = std::clamp<std::uint64_t>(20'000 / nodes, 8, 200);
  const Flows all = flows_of(check, config);
  for (std::uint64_t seed = 0; seed < tries && !trials.is_spent(); ++seed) {
    Witness witness = draw_witness(check, config, all, seed);
    if (!trials.shows(witness)) continue;
    remove_messages(witness, trials);
    return witness;
  }
  return std::nullopt;
}

/// Messages that the machine carries.
std::optional<Witness> carried_witness(const DeadlockCheck& check, const ExperimentConfig& config) {
  Trials trials(config, check);
  if (check.analysis.verdict == DeadlockVerdict::can_deadlock) {
    if (auto witness = witness_of_cycle(check.analysis.dependency_cycle, trials, machine_of_messages(config)))
      return witness;
  }
  return random_witness(check, config, trials);
}

/// Throws Inadmissible if messages that are too long for the ejection buffers deadlock.
void refuse_ejection_buffer(const DeadlockCheck& check, const ExperimentConfig& config) {
  const std::uint32_t room = *config.machine.ejection_buffer;
  ExperimentConfig more = config;
  more.machine.ejection_buffer = static_cast<std::uint32_t>(longest_on_links(config.machine));
  const auto witness = carried_witness(check, more);
  if (!witness) return;
  const std::uint64_t flits = std::ranges::max(witness->flows, {}, &Flow::flits).flits;
  throw Inadmissible("node.ejection_buffer",
                     "no messages were found that deadlock and fit into an ejection buffer of {}; messages "
                     "of {} deadlock: 'node.ejection_buffer' must be at least {}, not {}",
                     counted(room, "flit"), counted(flits, "flit"), flits, room);
}

/// Runs of configurations of a protocol.
class ProtocolTrials {
 public:
  /// Runs the witness and records the dependency cycle in which it deadlocks. Returns whether it does.
  bool shows(ProtocolWitness& witness) {
    ExperimentConfig config = witness.config;
    const Cycle left = cycles_left_ / config.topology.nodes();
    if (left == 0) return false;
    config.cycle_limit = std::min(config.cycle_limit, left);
    std::istringstream lines(run_isolated([&] {
      const RunResult result = run_experiment(config, {.explains_waits = false});
      std::string text = fmt::format("{}\n", result.cycles);
      if (!result.links()->deadlock) return text;
      for (const std::string& line : describe(*result.links()->deadlock, config.topology))
        text += line + "\n";
      return text;
    }));
    Cycle cycles = 0;
    lines >> cycles;
    lines.ignore();
    cycles_left_ -= std::min(cycles_left_, cycles * config.topology.nodes());
    witness.worms.clear();
    for (std::string line; std::getline(lines, line);) witness.worms.push_back(line);
    return !witness.worms.empty();
  }

 private:
  std::uint64_t cycles_left_ = 100'000'000;  ///< of all nodes: those of a search
};

/// A closed loop, the most that a node may have open; with a batch of so many requests a node.
ProtocolWitness in_batch(ProtocolWitness witness, std::uint64_t batch) {
  ProtocolConfig& protocol = *witness.config.workload.protocol;
  constexpr std::uint32_t kMany = 256;
  protocol.closed_loop = true;
  protocol.outstanding = protocol.outstanding.value_or(kMany);
  protocol.batch = batch;
  TrafficConfig& traffic = witness.config.workload.traffic;
  const TrafficConfig unmeasured;
  traffic.warmup = unmeasured.warmup;
  traffic.window = unmeasured.window;
  traffic.measure = unmeasured.measure;
  traffic.precision = unmeasured.precision;
  offer(protocol, witness.config.workload.traffic, witness.config.machine.flit_bytes);
  return witness;
}

/// The first of some witnesses that deadlocks.
std::optional<ProtocolWitness> first_shown(const ProtocolWitness& original, ProtocolTrials& trials) {
  constexpr std::uint64_t kSeeds = 6;
  constexpr std::uint64_t kBatch = 200;
  const std::uint64_t own = original.config.workload.protocol->batch.value_or(kBatch);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ProtocolWitness witness = original;
    witness.config.workload.traffic.seed += seed;
    if (trials.shows(witness)) return witness;
    witness = in_batch(std::move(witness), own);
    if (trials.shows(witness)) return witness;
  }
  return std::nullopt;
}

void shorten(ProtocolWitness& witness, ProtocolTrials& trials) {
  const std::uint64_t most = witness.config.workload.protocol->batch.value_or(1024);
  for (std::uint64_t batch = 1; batch < most; batch *= 2) {
    ProtocolWitness shorter = in_batch(witness, batch);
    if (!trials.shows(shorter)) continue;
    witness = std::move(shorter);
    return;
  }
}

void remove_sources(ProtocolWitness& witness, ProtocolTrials& trials) {
  std::vector<NodeName> sources;
  const Topology& topology = witness.config.topology;
  for (const NodeId node : nodes_of(witness.config.workload.protocol->sources, topology, "workload.sources"))
    sources.push_back({topology.node_name(node)});
  remove_parts(sources, sources.size() / 2, 100, [&](const std::vector<NodeName>& rest) {
    ProtocolWitness fewer = witness;
    fewer.config.workload.protocol->sources = NodeSet::listed(rest);
    if (!trials.shows(fewer)) return false;
    witness = std::move(fewer);
    return true;
  });
}

}  // namespace

std::unique_ptr<Schedule> witness_schedule(const Witness& witness, const DeadlockCheck& check,
                                           const ExperimentConfig& config) {
  ScheduleFacts facts(config.topology);
  facts.routing = config.machine.routing;
  facts.algorithm = "deadlock-witness";
  if (check.message_class != 0) {
    facts.classes = {config.machine.classes[check.message_class].name};
    facts.waits = true;
  }
  // Pairs have no routes where the routing function follows none.
  const Topology network = config.topology.network(config.machine.network_of(check.message_class));
  const bool lacks_routes = check.scope == Scope::all_pairs && network.is_grid() &&
                            !RoutingRegistry::find(config.machine.routing)->make(network)->follows_routes();
  std::vector<Step> steps(1);
  std::map<NodeId, std::vector<ChunkId>> sent;
  std::map<NodeId, std::vector<ChunkId>> received;
  for (ChunkId chunk = 0; chunk < witness.flows.size(); ++chunk) {
    const Flow& flow = witness.flows[chunk];
    facts.collective.chunk_bytes.push_back(flow.flits * config.machine.flit_bytes);
    Route route = lacks_routes ? shortest_route(network, flow.source, flow.destination) : flow.route;
    route.draw = flow.route.draw;
    steps.front().add(flow.source, flow.destination, route, std::span(&chunk, 1));
    if (check.message_class != 0) steps.front().set_class(chunk, 1);
    sent[flow.source].push_back(chunk);
    received[flow.destination].push_back(chunk);
  }
  facts.collective.initial = holdings_of(std::move(sent));
  facts.collective.goal = holdings_of(std::move(received));
  return common::recorded(std::move(facts), std::move(steps));
}

std::optional<Witness> find_witness(const DeadlockCheck& check, const ExperimentConfig& config) {
  auto witness = carried_witness(check, config);
  const auto& room = config.machine.ejection_buffer;
  const bool limits_messages = room && !has_packets(config);
  if (!witness && limits_messages && *room < longest_on_links(config.machine))
    refuse_ejection_buffer(check, config);
  return witness;
}

std::optional<ProtocolWitness> find_protocol_witness(const ExperimentConfig& config) {
  constexpr std::uint64_t kLimit = 200'000;
  constexpr NodeId kSmall = 256;
  ProtocolWitness original{config, {}};
  original.config.machine.allow_deadlock = true;
  original.config.cycle_limit = std::min(config.cycle_limit, kLimit);
  ProtocolTrials trials;
  auto witness = first_shown(original, trials);
  if (!witness || config.topology.nodes() > kSmall) return witness;
  shorten(*witness, trials);
  remove_sources(*witness, trials);
  return witness;
}

}  // namespace flitscope
