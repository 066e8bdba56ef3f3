#include "sim/verify/deadlock_check.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "model/error.h"
#include "model/route.h"
#include "model/schedule.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

/// Dimensions in which both ways are equally long, as bits.
std::uint32_t ties_between(const Topology& topology, NodeId source, NodeId destination) {
  std::uint32_t ties = 0;
  for (unsigned dimension = 0; topology.wraps() && dimension < topology.dimensions(); ++dimension) {
    const std::uint32_t from = topology.coordinate(source, dimension);
    const std::uint32_t to = topology.coordinate(destination, dimension);
    if (2 * (from < to ? to - from : from - to) == topology.side(dimension)) ties |= 1U << dimension;
  }
  return ties;
}

Flow journey_of(const Message& message, std::uint64_t id, std::uint64_t flits) {
  return {message.source, message.destination, message.route, id, flits};
}

/// Calls visit(flow) for the messages of a step until it returns false; returns whether it never did.
template <typename Visit>
bool for_each_message(const ExperimentConfig& config, const Collective& collective, const Step& step,
                      std::uint64_t number, Visit visit) {
  std::uint64_t index = 0;
  for (const Message& message : step.messages()) {
    const std::uint64_t flits = flits_of(message_bytes(collective, step, message), config.machine.flit_bytes);
    if (!visit(journey_of(message, message_id(number, index++), flits))) return false;
  }
  return true;
}

/// Calls visit(flow) until it returns false, for every node and all to which traffic has it send, by the
/// shortest ways; returns whether it never did.
bool for_each_pair(const ExperimentConfig& config, const TrafficConfig& traffic,
                   const TrafficPattern& pattern, const std::function<bool(const Flow&)>& visit) {
  const Topology& topology = config.topology;
  bool wanted = true;
  const auto take = [&](NodeId source, NodeId destination, Route route) {
    for (const auto& size : traffic.message.sizes) {
      const std::uint64_t flits = flits_of(size.bytes, config.machine.flit_bytes);
      wanted = wanted && visit({source, destination, route, 0, flits});
      // Lengths make a difference to bubbles only.
      if (config.machine.flow != FlowControl::bubble) break;
    }
  };
  for (NodeId source = 0; source < topology.nodes() && wanted; ++source) {
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      if (share <= 0 || destination == source || !wanted) return;
      const auto ties = traffic.ties == Ties::random ? ties_between(topology, source, destination) : 0U;
      // Every set of the dimensions in which both ways are equally long.
      for (std::uint32_t minus = ties;; minus = (minus - 1) & ties) {
        Route route = shortest_route(topology, source, destination);
        route.negative = static_cast<std::uint16_t>(route.negative | minus);
        take(source, destination, route);
        if (minus == 0) break;
      }
    });
  }
  return wanted;
}

Flows traffic_journeys(const ExperimentConfig& config) {
  return [&config](const std::function<bool(const Flow&)>& visit) {
    const OfferedPatterns patterns = make_traffic_patterns(config);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!for_each_pair(config, config.workload.offered()[i], *patterns[i], visit)) return;
    }
  };
}

/// Those of the traffic beside a schedule, if there is any.
void for_each_of_background(const ExperimentConfig& config, const std::function<bool(const Flow&)>& visit) {
  const auto& background = config.workload.background;
  if (background)
    static_cast<void>(for_each_pair(config, *background, *make_background_pattern(config), visit));
}

/// All messages of the schedule, which is made anew each time, or of one step; and what travels beside it.
Flows schedule_journeys(const ExperimentConfig& config, std::optional<std::uint64_t> only) {
  return [&config, only](const std::function<bool(const Flow&)>& visit) {
    const auto schedule = make_schedule(config);
    Step step;
    for (std::uint64_t number = 1; schedule->next(step); ++number) {
      if (only.value_or(number) != number) continue;
      if (!for_each_message(config, schedule->facts().collective, step, number, visit)) return;
    }
    for_each_of_background(config, visit);
  };
}

/// Messages of one step wait for one another, and for what travels beside them, only.
void check_steps(const ExperimentConfig& config, DeadlockJudge& judge, DeadlockCheck& check) {
  const auto schedule = make_schedule(config);
  Step step;
  for (std::uint64_t number = 1; schedule->next(step); ++number) {
    DeadlockVerdict verdict = judge.judge([&](const std::function<bool(const Flow&)>& visit) {
      if (!for_each_message(config, schedule->facts().collective, step, number, visit)) return;
      for_each_of_background(config, visit);
    });
    if (verdict.verdict != Verdict::free) {
      check.verdict.verdict = verdict.verdict;
      check.verdict.argument = verdict.argument;
      check.verdict.dependency_cycle = std::move(verdict.dependency_cycle);
      check.step = number;
      check.steps.clear();
      return;
    }
    if (verdict.arcs > 0) check.steps.emplace_back(number, std::move(verdict));
  }
  check.verdict.verdict = Verdict::free;
  check.verdict.argument = check.steps.empty() ? Argument::acyclic : check.steps.front().second.argument;
  check.verdict.dependency_cycle.clear();
}

}  // namespace

Flows journeys_of(const DeadlockCheck& check, const ExperimentConfig& config) {
  if (check.scope == Scope::schedule) return schedule_journeys(config, check.step);
  if (check.scope == Scope::traffic) return traffic_journeys(config);
  const auto routing = RoutingRegistry::find(config.machine.routing)->make(config.topology);
  return every_pair(config.topology, *routing);
}

bool deserves_deadlock_check(const ExperimentConfig& config) {
  if (config.workload.has_traffic()) return false;
  if (!config.topology.has_links() || config.workload.advance == Advance::table) return false;
  const std::filesystem::path& file = config.workload.schedule_file;
  if (!file.empty() && !std::filesystem::is_regular_file(file)) return false;
  const MachineConfig& machine = config.machine;
  const auto function = RoutingRegistry::find(machine.routing)->make(config.topology);
  const bool enough = machine.virtual_channels >= function->classes();
  return !enough || function->escape_classes() == 0 || !function->deterministic();
}

DeadlockCheck check_deadlock(const ExperimentConfig& config, Scope scope) {
  const auto begin = std::chrono::steady_clock::now();
  DeadlockJudge judge(config.topology, config.machine);
  DeadlockCheck check;
  check.scope = scope;
  check.verdict = judge.judge(journeys_of(check, config));
  const bool separate = scope == Scope::schedule && config.workload.advance == Advance::barrier;
  if (check.verdict.verdict != Verdict::free && separate) check_steps(config, judge, check);
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return check;
}

void write_order(const DeadlockCheck& check, const ExperimentConfig& config, std::ostream& out) {
  const auto function = RoutingRegistry::find(config.machine.routing)->make(config.topology);
  const VcGroups lanes(config.topology, function->classes(), config.machine.virtual_channels);
  const auto write = [&](const DeadlockVerdict& verdict, std::optional<std::uint64_t> step) {
    for (const auto& [lane, rank] : verdict.ranks) {
      for (std::uint64_t left = lanes.vcs(lanes.lane(lane)); left != 0; left &= left - 1) {
        Json line{{"channel", config.topology.channel_name(lanes.channel(lane))},
                  {"vc", std::countr_zero(left)},
                  {"rank", rank}};
        if (step) line["step"] = *step;
        out << line.dump() << '\n';
      }
    }
  };
  if (check.steps.empty()) return write(check.verdict, std::nullopt);
  for (const auto& [step, verdict] : check.steps) write(verdict, step);
}

void write_routes(const DeadlockCheck& check, const ExperimentConfig& config, std::ostream& out) {
  const Topology& topology = config.topology;
  const PathEnumerator ways(topology, *RoutingRegistry::find(config.machine.routing),
                            config.machine.virtual_channels);
  if (!ways.routing().deterministic()) {
    throw Inadmissible("router.routing",
                       fmt::format("messages of {} have more than one way; routes are written "
                                   "of deterministic routing functions",
                                   config.machine.routing));
  }
  const VcGroups& lanes = ways.lanes();
  std::set<std::tuple<std::uint64_t, NodeId, NodeId, std::vector<std::uint64_t>>> written;
  journeys_of(check, config)([&](const Flow& flow) {
    const Head head = ways.head(flow.source, flow.destination, flow.route);
    const auto way = ways.way(flow.source, head);
    const std::uint64_t step = check.steps.empty() ? 0 : message_name(flow.message).step;
    if (!written.emplace(step, flow.source, flow.destination, way).second) return true;
    Json line{{"src", topology.coordinates(flow.source)},
              {"dst", topology.coordinates(flow.destination)},
              {"hops", Json::array()}};
    for (const std::uint64_t lane : way) {
      Json vcs = Json::array();
      for (std::uint64_t left = lanes.vcs(lanes.lane(lane)); left != 0; left &= left - 1) {
        vcs.push_back(std::countr_zero(left));
      }
      line["hops"].push_back({topology.channel_name(lanes.channel(lane)), std::move(vcs)});
    }
    if (step != 0) line["step"] = step;
    out << line.dump() << '\n';
    return true;
  });
}

}  // namespace flitscope
