#include "sim/studies/slowdown_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "sim/config/workload_keys.h"
#include "sim/run/experiment.h"
#include "sim/run/traffic_bounds.h"
#include "sim/run/workload.h"
#include "sim/studies/load_runs.h"

namespace flitscope {

namespace slowdown_curves {
namespace {

using Json = nlohmann::json;

constexpr int kParts = 10;
/// A point is given up when the schedule takes so many times its time alone.
constexpr Cycle kMaxSlowdown = 20;

std::string answer_of(const RunResult& result) {
  Json answer{{"status", static_cast<int>(result.status)},
              {"cycles", result.cycles},
              {"begin", 0},
              {"verified", result.verified()},
              {"objection", result.failed_checks.empty() ? "" : result.failed_checks.front()}};
  if (const auto& background = result.links()->background) {
    const LatencySummary& latency = background->latency;
    answer["begin"] = background->schedule_begin;
    answer["background"] = {background->messages, background->flits,        background->offered,
                            background->accepted, latency.messages,         latency.mean,
                            latency.p99,          background->arrived_flits};
  }
  return answer.dump();
}

SlowdownPoint point_from(const Decimal& load, const Json& answer) {
  SlowdownPoint point;
  point.load = load;
  point.status = static_cast<RunStatus>(answer["status"].get<int>());
  point.cycles =
      answer["cycles"].get<Cycle>() - std::min(answer["cycles"].get<Cycle>(), answer["begin"].get<Cycle>());
  point.verified = answer["verified"];
  point.objection = answer["objection"];
  if (!answer.contains("background")) return point;
  const Json& given = answer["background"];
  BackgroundResult& background = point.background.emplace();
  background.messages = given[0];
  background.flits = given[1];
  background.offered = given[2];
  background.accepted = given[3];
  background.latency.messages = given[4];
  background.latency.mean = given[5];
  background.latency.p99 = given[6];
  background.arrived_flits = given[7];
  background.arrived_messages = background.latency.messages;
  return point;
}

/// Nine loads up to 0.9 times what links and nodes can carry.
std::vector<Decimal> chosen_loads(ExperimentConfig config) {
  const bool has_table = config.workload.advance == Advance::table;
  resolve_auto_settings(config, has_table ? make_table(config).facts : make_schedule(config)->facts());
  const TrafficConfig& traffic = *config.workload.background;
  const auto pattern = make_background_pattern(config);
  const double possible = possible_load(traffic, config.machine, config.topology);
  const auto best = ideal_saturation(
      config, traffic_load(Paths(config.topology, config.machine.routing), traffic, *pattern));
  std::vector<Decimal> loads;
  for (int part = 1; part < kParts; ++part) {
    const double load = std::min(best.value_or(possible), possible) * part / kParts;
    loads.push_back(*parse_decimal(fmt::format("{:.4g}", load)).value);
  }
  return loads;
}

ExperimentConfig with_load(ExperimentConfig config, const Decimal& load) {
  if (load == Decimal()) {
    config.workload.background.reset();
  } else {
    config.workload.background->load = load;
  }
  return config;
}

void require_possible_loads(const ExperimentConfig& config, const std::vector<Decimal>& loads) {
  for (const Decimal& load : loads) {
    const ExperimentConfig each = with_load(config, load);
    if (!each.workload.background) continue;
    require_possible(*each.workload.background, each.machine, each.topology, "workload.background");
    static_cast<void>(make_background_pattern(each));
  }
}

/// Adds a point for every load.
void run(const std::vector<Decimal>& loads, const ExperimentConfig& config, const SlowdownPlan& plan,
         std::vector<SlowdownPoint>& points) {
  const auto answer = [&](const Decimal& load) {
    RunOptions options;
    options.explains_waits = false;
    return answer_of(run_experiment(with_load(config, load), options));
  };
  run_loads(loads, plan.workers, answer, [&](const Decimal& load, const std::string& text) {
    points.push_back(point_from(load, Json::parse(text)));
    if (plan.on_point) plan.on_point(points.back(), points.size());
  });
}

}  // namespace
}  // namespace slowdown_curves

std::vector<SlowdownPoint> run_slowdown_curve(const ExperimentConfig& described, const SlowdownPlan& plan) {
  using namespace slowdown_curves;
  ExperimentConfig config = described;
  std::vector<SlowdownPoint> points;
  try {
    require_possible_loads(config, plan.loads);
    // Its own load does not matter: any that is possible will do.
    config.workload.background->load = Decimal(0, 1'000'000'000'000'000);
    std::vector<Decimal> loads = plan.loads.empty() ? chosen_loads(config) : plan.loads;
    loads = sorted_loads(std::move(loads));
    std::erase(loads, Decimal());
    run({Decimal()}, config, plan, points);
    // Behind a queue that grows without end a schedule takes almost as long as one waits.
    config.cycle_limit =
        std::min(config.cycle_limit, config.workload.background->warmup.value_or(0) +
                                         kMaxSlowdown * std::max(Cycle{1}, points.front().cycles));
    run(loads, config, plan, points);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception&) {
    throw_located(described);
  }
  std::ranges::sort(points, {}, &SlowdownPoint::load);
  return points;
}

}  // namespace flitscope
