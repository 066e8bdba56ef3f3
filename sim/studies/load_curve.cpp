#include "sim/studies/load_curve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/text.h"
#include "sim/config/workload_keys.h"
#include "sim/report/report_parts.h"
#include "sim/run/experiment.h"
#include "sim/run/traffic_bounds.h"
#include "sim/run/workload.h"
#include "sim/studies/load_runs.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

// The first round, in parts of what no router can exceed: a point with next to no load, and a sweep.
constexpr double kLeastLoad = 0.02;
constexpr int kSweep = 10;
/// How closely saturation is searched, in the same parts.
constexpr double kResolution = 0.01;

LatencySummary latency_from(const Json& json) {
  return {json["messages"], json["min"], json["mean"], json["p50"], json["p99"], json["max"]};
}

Json class_to(const TrafficClassResult& result) {
  return Json::array({result.offered, result.accepted, result.messages, result.flits,
                      latency_json(result.latency), latency_json(result.network_latency), result.undelivered,
                      or_null(result.ci95), result.messages_in_flight_mean});
}

TrafficClassResult class_from(const Json& json) {
  TrafficClassResult result{json[0], json[1], json[2], json[3], latency_from(json[4]), latency_from(json[5]),
                            json[6], {},      json[8]};
  if (!json[7].is_null()) result.ci95 = json[7].get<double>();
  return result;
}

std::array<std::uint64_t, kStallCauses> causes_from(const Json& json) {
  std::array<std::uint64_t, kStallCauses> causes{};
  for (unsigned cause = 0; cause < kStallCauses; ++cause) causes[cause] = json[cause];
  return causes;
}

Json channel_to(const TrafficChannel& channel) {
  return Json::array({channel.channel, channel.flits, channel.stalled, channel.causes});
}

TrafficChannel channel_from(const Json& json) {
  return {json[0], json[1], json[2], causes_from(json[3])};
}

/// What a worker says of its run.
std::string answer_of(const RunResult& result) {
  const TrafficResult& traffic = *result.links()->traffic;
  Json worst = Json::array();
  for (const TrafficChannel& channel : traffic.worst) worst.push_back(channel_to(channel));
  Json classes = Json::array();
  for (const TrafficClassResult& each : traffic.classes) classes.push_back(class_to(each));
  const Json answer{{"status", static_cast<int>(traffic.status)},
                    {"steady", traffic.steady},
                    {"precise", or_null(traffic.precise)},
                    {"begin", traffic.begin},
                    {"end", traffic.end},
                    {"offered", traffic.offered},
                    {"accepted", traffic.accepted},
                    {"latency", latency_json(traffic.latency)},
                    {"network_latency", latency_json(traffic.network_latency)},
                    {"undelivered", traffic.undelivered},
                    {"ci95", or_null(traffic.ci95)},
                    {"hops_mean", traffic.hops_mean},
                    {"in_flight", traffic.messages_in_flight_mean},
                    {"growth", traffic.waiting_flits_growth},
                    {"stalls", traffic.stalls},
                    {"worst", worst},
                    {"classes", classes},
                    {"busiest", traffic.busiest ? channel_to(*traffic.busiest) : Json(nullptr)},
                    {"verified", result.verified()},
                    {"deadlock", result.status == RunStatus::deadlock},
                    {"objection", result.failed_checks.empty() ? "" : result.failed_checks.front()}};
  return answer.dump();
}

LoadPoint point_from(Decimal load, const Json& answer) {
  LoadPoint point;
  point.load = load;
  TrafficResult& traffic = point.traffic;
  traffic.status = static_cast<TrafficStatus>(answer["status"].get<int>());
  traffic.steady = answer["steady"];
  if (!answer["precise"].is_null()) traffic.precise = answer["precise"].get<bool>();
  traffic.begin = answer["begin"];
  traffic.end = answer["end"];
  traffic.offered = answer["offered"];
  traffic.accepted = answer["accepted"];
  traffic.latency = latency_from(answer["latency"]);
  traffic.network_latency = latency_from(answer["network_latency"]);
  traffic.undelivered = answer["undelivered"];
  if (!answer["ci95"].is_null()) traffic.ci95 = answer["ci95"].get<double>();
  traffic.hops_mean = answer["hops_mean"];
  traffic.messages_in_flight_mean = answer["in_flight"];
  traffic.waiting_flits_growth = answer["growth"];
  traffic.stalls = causes_from(answer["stalls"]);
  for (const Json& each : answer["classes"]) traffic.classes.push_back(class_from(each));
  for (const Json& channel : answer["worst"]) traffic.worst.push_back(channel_from(channel));
  if (!answer["busiest"].is_null()) traffic.busiest = channel_from(answer["busiest"]);
  point.verified = answer["verified"];
  point.deadlock = answer["deadlock"];
  point.objection = answer["objection"];
  return point;
}

/// A load with four digits, as people write it.
Decimal rounded(double load) {
  return *parse_decimal(fmt::format("{:.4g}", load)).value;
}

/// Whose load is varied.
class Varied {
 public:
  /// Throws InputError if no class has the name that is asked for.
  Varied(const WorkloadConfig& workload, const std::optional<std::string>& name)
      : together_(offered_load(workload)) {
    for (const TrafficConfig& traffic : workload.offered()) loads_.push_back(traffic.load.approximate());
    if (!name) return;
    const auto& classes = workload.classes;
    const auto at = std::ranges::find(classes, *name, &TrafficConfig::name);
    if (at != classes.end()) {
      item_ = static_cast<std::size_t>(at - classes.begin());
      return;
    }
    std::vector<std::string> names;
    for (const TrafficConfig& traffic : classes) names.push_back(traffic.name);
    throw InputError(fmt::format("no class is called {}; {}", in_quotes(*name),
                                 names.empty() ? "this workload has no classes"
                                               : fmt::format("there are {}", fmt::join(names, ", "))));
  }

  /// Sets a load.
  void put(WorkloadConfig& workload, const Decimal& load) const {
    if (item_) {
      workload.classes[*item_].load = load;
    } else if (workload.classes.empty()) {
      workload.traffic.load = load;
    } else {
      for (std::size_t i = 0; i < loads_.size(); ++i) {
        const double own = load.approximate() * loads_[i] / together_;
        workload.classes[i].load = *parse_decimal(fmt::format("{:.12g}", own)).value;
      }
    }
  }

  /// The highest load that the machine's nodes can offer.
  [[nodiscard]] double highest(const ExperimentConfig& config, const OfferedPatterns& patterns) const {
    const auto offered = config.workload.offered();
    double highest = injection_channel_rate(config.machine, config.topology);
    if (item_) highest = std::max(0.0, highest - (together_ - loads_[*item_]));
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (item_.value_or(i) != i) continue;
      double rate = 1;
      for (NodeId node = 0; node < config.topology.nodes(); ++node)
        rate = std::max(rate, patterns[i]->rate(node));
      const double part = item_ || offered.size() == 1 ? 1 : loads_[i] / together_;
      highest = std::min(highest, possible_load(offered[i], config.machine, config.topology) / rate / part);
    }
    return highest;
  }

  [[nodiscard]] std::optional<double> ideal_saturation(const ExperimentConfig& config,
                                                       const TrafficBounds& bounds) const {
    return item_ ? bounds.ideal_saturation(config, *item_) : bounds.ideal_saturation(config);
  }

 private:
  std::vector<double> loads_;
  double together_;
  std::optional<std::size_t> item_;
};

class Curve {
 public:
  Curve(const ExperimentConfig& config, const LoadPlan& plan, const Varied& varied)
      : config_(config), plan_(plan), varied_(varied) {}

  /// Runs points that are not there yet.
  void run(const std::vector<Decimal>& wanted) {
    std::vector<Decimal> loads = sorted_loads(wanted);
    std::erase_if(loads,
                  [&](Decimal load) { return std::ranges::count(points_, load, &LoadPoint::load) > 0; });
    const auto answer = [&](const Decimal& load) {
      ExperimentConfig config = config_;
      varied_.put(config.workload, load);
      RunOptions options;
      options.explains_waits = false;
      return answer_of(run_experiment(std::move(config), options));
    };
    run_loads(loads, plan_.workers, answer, [&](const Decimal& load, const std::string& text) {
      points_.push_back(point_from(load, Json::parse(text)));
      if (plan_.on_point) plan_.on_point(points_.back(), points_.size());
    });
    std::ranges::sort(points_, {}, &LoadPoint::load);
  }

  /// The highest load below the first one that is not ok, and that one.
  struct Knee {
    std::optional<double> ok;
    std::optional<double> not_ok;
  };
  [[nodiscard]] Knee knee() const {
    Knee knee;
    for (const LoadPoint& point : points_) {
      if (point.traffic.status != TrafficStatus::ok) {
        knee.not_ok = point.load.approximate();
        break;
      }
      knee.ok = point.load.approximate();
    }
    return knee;
  }

  [[nodiscard]] std::vector<LoadPoint> take() { return std::move(points_); }

 private:
  const ExperimentConfig& config_;
  const LoadPlan& plan_;
  const Varied& varied_;
  std::vector<LoadPoint> points_;
};

/// A sweep up to `most`, then ever finer between the last point that is ok and the first that is not.
void search(Curve& curve, double most, unsigned workers) {
  std::vector<Decimal> loads{rounded(kLeastLoad * most)};
  for (int part = 1; part <= kSweep; ++part) loads.push_back(rounded(most * part / kSweep));
  curve.run(loads);
  const double sections = std::max(2U, workers) + 1;
  while (true) {
    const auto [ok, not_ok] = curve.knee();
    if (!ok || !not_ok || *not_ok - *ok <= kResolution * most) return;
    loads.clear();
    for (double section = 1; section < sections; ++section) {
      loads.push_back(rounded(*ok + (*not_ok - *ok) * section / sections));
    }
    curve.run(loads);
  }
}

}  // namespace

LoadCurve run_load_curve(const ExperimentConfig& described, const LoadPlan& plan) {
  ExperimentConfig config = described;
  const Varied varied(config.workload, plan.varied);
  try {
    for (const Decimal& load : plan.loads) {
      varied.put(config.workload, load);
      require_possible(config.workload, config.machine, config.topology);
      static_cast<void>(make_traffic_patterns(config));
    }
    if (plan.loads.empty()) varied.put(config.workload, Decimal(0, 1'000'000'000'000'000));
    const OfferedPatterns patterns = make_traffic_patterns(config);
    resolve_auto_settings(config, traffic_facts(config));
    const TrafficBounds bounds = traffic_bounds(config, patterns);
    LoadCurve result;
    result.varied = plan.varied;
    result.ideal_saturation = varied.ideal_saturation(config, bounds);
    // Beside classes that keep their loads no message is alone.
    if (!plan.varied) result.zero_load_latency = bounds.all.zero_load_latency;
    Curve curve(config, plan, varied);
    if (plan.loads.empty()) {
      const double highest = varied.highest(config, patterns);
      search(curve, std::min(result.ideal_saturation.value_or(highest), highest), plan.workers);
    } else {
      curve.run(plan.loads);
    }
    const auto knee = curve.knee();
    if (knee.not_ok) result.saturation = knee.ok;
    result.points = curve.take();
    const LatencySummary& lowest = result.points.front().traffic.latency;
    if (!result.zero_load_latency && lowest.messages > 0) result.zero_load_latency = lowest.mean;
    return result;
  } catch (const InputError&) {
    throw;
  } catch (const std::exception&) {
    throw_located(config);
  }
}

}  // namespace flitscope
