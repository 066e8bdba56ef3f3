#include "sim/verify/deadlock_check.h"

#include <bit>
#include <chrono>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "model/bits.h"
#include "model/error.h"
#include "model/route.h"
#include "model/schedule.h"
#include "sim/analysis/channel_load.h"
#include "sim/driver/collective_driver.h"
#include "sim/formats/strict_json.h"
#include "sim/run/packets.h"
#include "sim/run/protocol_ends.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// Classes with the same VCs of the same network: their messages wait for one another.
bool are_together(const MachineConfig& machine, std::uint32_t one, std::uint32_t other) {
  if (one == other) return true;
  const MessageClass& first = machine.classes[one];
  const MessageClass& second = machine.classes[other];
  return first.network == second.network && first.vcs == second.vcs;
}

/// Calls visit(flow) for the messages of a step that wait for those of a class, until it returns false;
/// returns whether it never did.
template <typename Visit>
bool for_each_message(const ExperimentConfig& config, std::uint32_t message_class, const ScheduleFacts& facts,
                      const Step& step, std::uint64_t number, const Visit& visit) {
  std::uint64_t index = 0;
  const auto format = packet_format(config);
  const std::vector<std::uint32_t> classes = class_numbers(facts, config.machine);
  for (const Message& message : step.messages()) {
    const std::uint64_t flits =
        flits_of(message_bytes(facts.collective, step, message), config.machine.flit_bytes);
    const std::uint64_t id = message_id(number, index++);
    if (!are_together(config.machine, classes[step.message_class(message)], message_class)) continue;
    if (message.source == message.destination) continue;  // crosses no link
    for (const std::uint64_t length : lengths_of(format, flits)) {
      if (!visit(Flow{message.source, message.destination, message.route, id, length})) return false;
      // Lengths make a difference to bubbles only.
      if (config.machine.flow != FlowControl::bubble) break;
    }
  }
  return true;
}

Flows traffic_flows(const ExperimentConfig& config, std::uint32_t message_class) {
  return [&config, message_class](const std::function<bool(const Flow&)>& visit) {
    const OfferedPatterns patterns = make_traffic_patterns(config);
    const std::vector<TrafficConfig> offered = offered_in_classes(config);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const TrafficConfig traffic = in_packets(config, offered[i]);
      if (!are_together(config.machine, class_of(traffic, config.machine), message_class)) continue;
      if (!for_each_pair(config.topology, config.machine, traffic, *patterns[i], visit)) return;
    }
  };
}

/// Flows of the traffic beside a schedule, if there is any that messages of a class wait for.
void for_each_of_background(const ExperimentConfig& config, std::uint32_t message_class,
                            const std::function<bool(const Flow&)>& visit) {
  const auto& background = config.workload.background;
  if (!background || !are_together(config.machine, class_of(*background, config.machine), message_class))
    return;
  static_cast<void>(for_each_pair(config.topology, config.machine, in_packets(config, *background),
                                  *make_background_pattern(config), visit));
}

/// All messages of the schedule, which is made anew each time, or of one step; and the traffic beside it.
Flows schedule_flows(const ExperimentConfig& config, std::uint32_t message_class,
                     std::optional<std::uint64_t> only) {
  return [&config, message_class, only](const std::function<bool(const Flow&)>& visit) {
    const auto schedule = make_schedule(config);
    Step step;
    for (std::uint64_t number = 1; schedule->next(step); ++number) {
      if (only.value_or(number) != number) continue;
      if (!for_each_message(config, message_class, schedule->facts(), step, number, visit)) return;
    }
    for_each_of_background(config, message_class, visit);
  };
}

/// Messages between all nodes, of the lengths that those of the workload have. Lengths make a difference to
/// bubbles only.
Flows pairs_of_lengths(const ExperimentConfig& config, std::uint32_t message_class, const Flows& pairs) {
  if (config.machine.flow != FlowControl::bubble) return pairs;
  const Flows own = config.workload.has_traffic() ? traffic_flows(config, message_class)
                                                  : schedule_flows(config, message_class, std::nullopt);
  std::set<std::uint64_t> lengths;
  own([&](const Flow& flow) {
    lengths.insert(flow.flits);
    return lengths.size() < 2;  // no more are needed
  });
  if (lengths.empty()) return pairs;
  return [lengths, pairs](const std::function<bool(const Flow&)>& visit) {
    pairs([&](Flow flow) {
      return std::ranges::all_of(lengths, [&](std::uint64_t flits) {
        flow.flits = flits;
        return visit(flow);
      });
    });
  };
}

/// Machines with one message class each, of a machine with several: one for all classes with the same VCs of
/// the same network, since these are a network of their own. `vcs` has those of the class.
struct ClassView {
  MachineConfig machine;
  std::uint64_t vcs = 0;
  std::uint32_t message_class = 0;  ///< the first of them
  unsigned network = 0;
};
std::vector<ClassView> class_views(const MachineConfig& machine) {
  std::vector<ClassView> views;
  for (const MessageClass& each : machine.classes) {
    const auto number = static_cast<std::uint32_t>(&each - machine.classes.data());
    const auto is_known = [&](const ClassView& view) {
      return are_together(machine, view.message_class, number);
    };
    if (std::ranges::any_of(views, is_known)) continue;
    ClassView& view = views.emplace_back(machine, each.vcs, number, each.network);
    view.machine.classes.clear();
    view.machine.virtual_channels = static_cast<unsigned>(std::popcount(each.vcs));
  }
  if (views.empty()) views.push_back({machine, ~std::uint64_t{0}});
  return views;
}

/// Analyses each step by itself: its messages wait only for one another and for the traffic beside them.
void check_steps(const ExperimentConfig& config, DeadlockAnalyzer& analyzer, DeadlockCheck& check) {
  const auto schedule = make_schedule(config);
  Step step;
  for (std::uint64_t number = 1; schedule->next(step); ++number) {
    DeadlockAnalysis analysis = analyzer.analyze([&](const std::function<bool(const Flow&)>& visit) {
      if (!for_each_message(config, check.message_class, schedule->facts(), step, number, visit)) return;
      for_each_of_background(config, check.message_class, visit);
    });
    if (analysis.verdict != DeadlockVerdict::free) {
      check.analysis.verdict = analysis.verdict;
      check.analysis.argument = analysis.argument;
      check.analysis.dependency_cycle = std::move(analysis.dependency_cycle);
      check.step = number;
      check.steps.clear();
      return;
    }
    if (analysis.arcs > 0) check.steps.emplace_back(number, std::move(analysis));
  }
  check.analysis.verdict = DeadlockVerdict::free;
  check.analysis.argument = check.steps.empty() ? Argument::acyclic : check.steps.front().second.argument;
  check.analysis.dependency_cycle.clear();
}

/// Of all traffic; messages of a schedule are looked at as if they had no draw of their own.
std::uint32_t most_drawn_paths(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  std::uint32_t most = workload.background ? workload.background->drawn_paths : 1;
  for (const TrafficConfig& traffic : workload.offered()) most = std::max(most, traffic.drawn_paths);
  return drawn_paths_of(config.machine.routing, most);
}

}  // namespace

Flows flows_of(const DeadlockCheck& check, const ExperimentConfig& config) {
  const std::uint32_t message_class = check.message_class;
  if (check.scope == Scope::schedule) return schedule_flows(config, message_class, check.step);
  if (check.scope == Scope::traffic) return traffic_flows(config, message_class);
  const Topology topology = config.topology.network(config.machine.network_of(message_class));
  return pairs_of_lengths(config, message_class,
                          every_pair(topology, *RoutingRegistry::find(config.machine.routing)->make(topology),
                                     most_drawn_paths(config)));
}

bool needs_deadlock_check(const ExperimentConfig& config) {
  if (config.workload.has_traffic()) return false;
  if (!config.topology.has_links() || config.workload.advance == Advance::table) return false;
  const std::filesystem::path& file = config.workload.schedule_file;
  if (!file.empty() && !std::filesystem::is_regular_file(file)) return false;
  const MachineConfig& machine = config.machine;
  return std::ranges::any_of(class_views(machine), [&](const ClassView& view) {
    const auto function = RoutingRegistry::find(machine.routing)->make(config.topology.network(view.network));
    return view.machine.virtual_channels < function->classes() || function->escape_classes() == 0 ||
           !function->deterministic();
  });
}

namespace {

bool is_protocol(Scope scope, const ExperimentConfig& config) {
  return scope == Scope::traffic && config.workload.protocol.has_value();
}

}  // namespace

DeadlockCheck check_deadlock(const ExperimentConfig& config, Scope scope) {
  const auto begin = std::chrono::steady_clock::now();
  DeadlockCheck check;
  if (is_protocol(scope, config)) {
    ConfiguredProtocol protocol(config);
    check.scope = scope;
    check.analysis = protocol.graph().analyze();
    if (!check.is_through_ends()) check.message_class = protocol.graph().message_class();
    check.ends = protocol.graph().ends();
    check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return check;
  }
  std::vector<DeadlockCheck> others;
  const std::vector<ClassView> views = class_views(config.machine);
  for (const ClassView& view : views) {
    // Messages between any nodes are the same in all classes, but for their lengths.
    const auto is_alike = [&](const ClassView& earlier) {
      return earlier.network == view.network &&
             earlier.machine.virtual_channels == view.machine.virtual_channels;
    };
    const bool counts_lengths = config.machine.flow == FlowControl::bubble;
    if (scope == Scope::all_pairs && !counts_lengths && &*std::ranges::find_if(views, is_alike) != &view)
      continue;
    if (view.message_class != 0) others.push_back(std::move(check));
    DeadlockAnalyzer analyzer(config.topology.network(view.network), view.machine);
    check = {};
    check.scope = scope;
    check.message_class = view.message_class;
    check.analysis = analyzer.analyze(flows_of(check, config));
    const bool separate = scope == Scope::schedule && config.workload.advance == Advance::barrier;
    if (check.analysis.verdict != DeadlockVerdict::free && separate) check_steps(config, analyzer, check);
    if (check.analysis.verdict == DeadlockVerdict::free) continue;
    for (CycleMember& member : check.analysis.dependency_cycle) {
      member.vc = vc_of(view.vcs, member.vc);
      member.channel = config.topology.channel_of(view.network, member.channel);
    }
    others.clear();
    break;
  }
  for (const DeadlockCheck& other : others) {
    check.analysis.channels += other.analysis.channels;
    check.analysis.vcs += other.analysis.vcs;
    check.analysis.arcs += other.analysis.arcs;
  }
  check.others = std::move(others);
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return check;
}

namespace {

ClassView view_of(const DeadlockCheck& check, const ExperimentConfig& config) {
  const auto views = class_views(config.machine);
  return *std::ranges::find_if(views, [&](const ClassView& view) {
    return are_together(config.machine, view.message_class, check.message_class);
  });
}

using Place = ProtocolGraph::Place;

/// The link and the VCs of a group in the network of a message class.
Place place_of(std::uint64_t group, const VcGroups& groups, const ClassView& view, const Topology& topology) {
  return {topology.channel_name(topology.channel_of(view.network, groups.channel(group))),
          vcs_in(bits_at(view.vcs, groups.vcs(group)))};
}

void write_ranks(const Ranks& ranks, const std::function<Place(std::uint64_t)>& place,
                 std::optional<std::uint64_t> step, std::ostream& out) {
  for (const auto& [vertex, rank] : ranks) {
    const auto [channel, vcs] = place(vertex);
    for (const unsigned vc : vcs) {
      Json line{{"channel", channel}, {"vc", vc}, {"rank", rank}};
      if (step) line["step"] = *step;
      out << line.dump() << '\n';
    }
  }
}

}  // namespace

void write_order(const DeadlockCheck& check, const ExperimentConfig& config, std::ostream& out) {
  if (is_protocol(check.scope, config)) {
    const ConfiguredProtocol protocol(config);
    const auto place = [&](std::uint64_t vertex) { return protocol.graph().place(vertex); };
    return write_ranks(check.analysis.ranks, place, std::nullopt, out);
  }
  for (const DeadlockCheck& other : check.others) write_order(other, config, out);
  const ClassView view = view_of(check, config);
  const Topology network = config.topology.network(view.network);
  const VcGroups groups(network, RoutingRegistry::find(config.machine.routing)->make(network)->classes(),
                        view.machine.virtual_channels);
  const auto place = [&](std::uint64_t group) { return place_of(group, groups, view, config.topology); };
  if (check.steps.empty()) return write_ranks(check.analysis.ranks, place, std::nullopt, out);
  for (const auto& [step, analysis] : check.steps) write_ranks(analysis.ranks, place, step, out);
}

void write_routes(const DeadlockCheck& check, const ExperimentConfig& config, std::ostream& out) {
  const Topology& topology = config.topology;
  for (const DeadlockCheck& other : check.others) write_routes(other, config, out);
  const ClassView view = view_of(check, config);
  const PathEnumerator paths(topology.network(view.network), *RoutingRegistry::find(config.machine.routing),
                             view.machine.virtual_channels);
  refuse_if(!paths.routing().deterministic(), "router.routing",
            "messages of {} have more than one path; routes are written of deterministic routing functions",
            config.machine.routing);
  std::set<std::tuple<std::uint64_t, NodeId, NodeId, std::vector<std::uint64_t>>> written;
  const auto write = [&](const Flow& flow, const std::vector<std::uint64_t>& path, std::uint64_t step,
                         const auto& place) {
    if (!written.emplace(step, flow.source, flow.destination, path).second) return;
    Json line{{"src", node_json(topology, flow.source)},
              {"dst", node_json(topology, flow.destination)},
              {"hops", Json::array()}};
    for (const std::uint64_t vertex : path) {
      const auto [channel, vcs] = place(vertex);
      line["hops"].push_back({channel, vcs});
    }
    if (step != 0) line["step"] = step;
    out << line.dump() << '\n';
  };
  if (is_protocol(check.scope, config)) {
    const ConfiguredProtocol protocol(config);
    const auto place = [&](std::uint64_t vertex) { return protocol.graph().place(vertex); };
    return protocol.graph().for_each_path(
        [&](const Flow& flow, const std::vector<std::uint64_t>& path) { write(flow, path, 0, place); });
  }
  flows_of(check, config)([&](const Flow& flow) {
    const std::uint64_t step = check.steps.empty() ? 0 : message_name(flow.message).step;
    write(flow, paths.path(flow), step,
          [&](std::uint64_t group) { return place_of(group, paths.groups(), view, topology); });
    return true;
  });
}

}  // namespace flitscope
