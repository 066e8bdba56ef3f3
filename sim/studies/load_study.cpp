// Latency against offered load.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/error.h"
#include "model/text.h"
#include "sim/config/workload_keys.h"
#include "sim/formats/strict_json.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/run/energy.h"
#include "sim/run/experiment.h"
#include "sim/run/traffic_bounds.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

// The first round, in parts of the bound: a point with next to no load, and a sweep.
constexpr double kLeastLoad = 0.02;
/// Up to this part of the bound messages hardly meet.
constexpr double kNextToNoLoad = 0.05;
constexpr int kSweep = 10;
/// From a load that the network carries to the next one beyond the bound.
constexpr double kBeyond = 1.25;
/// How closely saturation is searched, in the same parts.
constexpr double kResolution = 0.01;

Json class_record(const std::string& name, const TrafficClassResult& own, const TrafficResult& traffic) {
  const bool any = traffic.status == TrafficStatus::ok && own.latency.messages > 0;
  return {{"name", name},
          {"offered", own.offered},
          {"accepted", own.accepted},
          {"messages", own.messages},
          {"latency_mean_cycles", any ? Json(own.latency.mean) : Json(nullptr)},
          {"latency_p99_cycles", any ? Json(own.latency.p99) : Json(nullptr)},
          {"network_latency_mean_cycles", any ? Json(own.network_latency.mean) : Json(nullptr)},
          {"ci95_cycles", any ? or_null(own.ci95) : Json(nullptr)}};
}

/// Of messages, or of a protocol's round trips.
const LatencySummary& latency_of(const RunResult& result) {
  const LinkResult& links = *result.links();
  return links.protocol ? links.protocol->round_trip : links.traffic->latency;
}

/// What only the text and the judgement need of a point.
Json print_record(const Decimal& load, const RunResult& result) {
  const TrafficResult& traffic = *result.links()->traffic;
  const LatencySummary& latency = latency_of(result);
  std::string busiest = "-";
  if (traffic.busiest) {
    busiest = fmt::format("{} {:.0f}%", result.config.topology.channel_name(traffic.busiest->channel),
                          100 * result.utilisation(traffic, *traffic.busiest));
  }
  return {{"load", load.text()},
          {"busiest", busiest},
          {"stalls", main_stall_cause(causes_json(traffic.stalls))},
          {"mean", latency.messages > 0 ? Json(latency.mean) : Json(nullptr)},
          {"deadlock", result.status == RunStatus::deadlock},
          {"objection", result.objection()}};
}

/// A point of the curve. A latency that grows without end is none.
Json load_record(const Decimal& load, const RunResult& result) {
  const TrafficResult& traffic = *result.links()->traffic;
  const LatencySummary& latency = latency_of(result);
  const bool any = traffic.status == TrafficStatus::ok && latency.messages > 0;
  const auto or_none = [&](const auto& value) { return any ? Json(value) : Json(nullptr); };
  Json worst = Json::array();
  for (const ChannelRecord& channel : traffic.worst) {
    worst.push_back({{"channel", result.config.topology.channel_name(channel.channel)},
                     {"utilisation", result.utilisation(traffic, channel)},
                     {"stalled_flit_cycles", total_of(channel.stalls)},
                     {"stalls", causes_json(channel.stalls)}});
  }
  Json record{{"load", load.approximate()},
              {"offered", measured(traffic, traffic.offered)},
              {"accepted", measured(traffic, traffic.accepted)},
              {"status", name_of(traffic.status)},
              {"latency_mean_cycles", or_none(latency.mean)},
              {"latency_p50_cycles", or_none(latency.p50)},
              {"latency_p99_cycles", or_none(latency.p99)},
              {"latency_p999_cycles", or_none(latency.p999)},
              {"latency_max_cycles", or_none(latency.max)},
              {"network_latency_mean_cycles", or_none(traffic.network_latency.mean)},
              {"ci95_cycles", any ? or_null(traffic.ci95) : Json(nullptr)},
              {"hops_mean", or_null(traffic.hops_mean)},
              {"messages", latency.messages + traffic.undelivered},
              {"undelivered", traffic.undelivered},
              {"steady", traffic.steady},
              {"begin_cycle", traffic.begin},
              {"end_cycle", traffic.end},
              {"messages_in_flight_mean", measured(traffic, traffic.messages_in_flight_mean)},
              {"verified", result.verified()},
              {"stalls", causes_json(traffic.stalls)},
              {"worst_channels", worst},
              {"latency_distribution", Json::array()}};
  for (const LatencyBin& bin : result.latency_distribution) {
    if (any && !result.links()->protocol)
      record["latency_distribution"].push_back({bin.from, bin.to, bin.messages});
  }
  if (traffic.precise) record["precise"] = *traffic.precise;
  for (std::size_t i = 0; i < traffic.classes.size(); ++i) {
    record["classes"].push_back(
        class_record(result.config.workload.offered()[i].name, traffic.classes[i], traffic));
  }
  if (const auto& protocol = result.links()->protocol) {
    record["round_trips_per_cycle"] = protocol->round_trips_per_cycle;
    record["bytes_per_cycle"] = protocol->bytes_per_cycle;
    record["outstanding_mean"] = protocol->outstanding_mean;
  }
  if (const auto energy = energy_of(result)) {
    record["energy_per_byte_pJ"] = energy->per_byte ? Json(*energy->per_byte * 1e12) : Json(nullptr);
    record["power_W"] = or_null(energy->power);
  }
  add_units(record, result.config);
  record["print"] = print_record(load, result);
  return record;
}

/// The load that is varied.
class VariedLoad {
 public:
  /// Throws InputError if no class has the name that is asked for.
  VariedLoad(const WorkloadConfig& workload, const std::optional<std::string>& name)
      : together_(offered_load(workload)), requests_(workload.protocol.has_value()) {
    for (const TrafficConfig& traffic : workload.offered()) loads_.push_back(traffic.load.approximate());
    if (!name) return;
    const auto& classes = workload.classes;
    const auto at = std::ranges::find(classes, *name, &TrafficConfig::name);
    if (at != classes.end()) {
      item_ = static_cast<std::size_t>(at - classes.begin());
      return;
    }
    std::vector<std::string> names = texts_of(classes, &TrafficConfig::name);
    throw InputError(
        "no class is called {}; {}", in_quotes(*name),
        names.empty() ? "this workload has no classes" : fmt::format("there are {}", fmt::join(names, ", ")));
  }

  void put(ExperimentConfig& config, const Decimal& load) const {
    WorkloadConfig& workload = config.workload;
    if (workload.protocol) {
      workload.traffic.load = load;
      offer(*workload.protocol, workload.traffic, config.machine.flit_bytes);
    } else if (item_) {
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

  struct Range {
    double least = 0;
    double highest = 0;
  };
  /// The loads that the machine's nodes can offer.
  [[nodiscard]] Range range(const ExperimentConfig& config, const OfferedPatterns& patterns) const {
    const auto offered = config.workload.offered();
    double least = 0;
    double highest = injection_channel_rate(config.machine, config.topology);
    if (item_) highest = std::max(0.0, highest - (together_ - loads_[*item_]));
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (item_.value_or(i) != i || (requests_ && i > 0)) continue;
      double rate = 1;
      for (NodeId node = 0; node < config.topology.nodes(); ++node)
        rate = std::max(rate, patterns[i]->rate(node));
      const double part = item_ || requests_ || offered.size() == 1 ? 1 : loads_[i] / together_;
      least = std::max(least, least_load(offered[i], config.machine) / part);
      highest = std::min(highest, possible_load(offered[i], config.machine, config.topology) / rate / part);
    }
    return {least, highest};
  }

  /// Refuses to search saturation below a bound that leaves no loads to run.
  [[noreturn]] void refuse_search(const ExperimentConfig& config, double bound) const {
    throw Inadmissible(offered_section(config.workload, item_.value_or(0)) + ".load",
                       "saturation is not searched: this load is at best {:.3g} flits/node/cycle, less than "
                       "nodes offer{}; name the loads to run with --rates",
                       bound, item_ ? " beside the other classes; lower theirs" : "");
  }

  /// Of the load that is varied.
  [[nodiscard]] TrafficBounds bounds(const ExperimentConfig& config, const OfferedPatterns& patterns) const {
    TrafficBounds bounds = traffic_bounds(config, patterns);
    bounds.rounded_class = item_;
    return bounds;
  }
  [[nodiscard]] std::optional<double> ideal_saturation(const ExperimentConfig& config,
                                                       const TrafficBounds& bounds) const {
    return item_ ? bounds.ideal_saturation(config, *item_) : bounds.ideal_saturation(config);
  }

 private:
  std::vector<double> loads_;
  double together_;
  bool requests_;  ///< of a protocol: their load alone is varied
  std::optional<std::size_t> item_;
};

class Points {
 public:
  /// `bounds`: of the configuration's traffic.
  Points(const ExperimentConfig& config, const VariedLoad& varied, const TrafficBounds& bounds,
         const StudyRuns& how)
      : config_(config), varied_(varied), bounds_(bounds), how_(how) {}

  /// Runs the points that are not there yet.
  void run(const std::vector<Decimal>& wanted) {
    std::vector<Decimal> loads = sorted_loads(wanted);
    std::erase_if(loads, [&](Decimal load) { return std::ranges::count(loads_, load) > 0; });
    std::ranges::copy(loads, std::back_inserter(loads_));
    std::ranges::move(run_loads(loads, how_, [&](const Decimal& load) { return point_at(load); }),
                      std::back_inserter(records_));
    std::ranges::stable_sort(records_, {}, [](const Json& point) { return point.at("load").get<double>(); });
  }

  /// The highest load below the first one that is not ok, and that one, which saturates or does not come to
  /// its end.
  struct Knee {
    std::optional<double> ok;
    std::optional<double> not_ok;
    bool saturates = false;
  };
  [[nodiscard]] Knee knee() const {
    Knee knee;
    for (const Json& point : records_) {
      if (point.at("status") != name_of(TrafficStatus::ok)) {
        knee.not_ok = point.at("load").get<double>();
        knee.saturates = point.at("status") == name_of(TrafficStatus::saturated);
        break;
      }
      knee.ok = point.at("load").get<double>();
    }
    return knee;
  }

  /// A sweep up to `most`, and on up to `highest` while all points are ok, then ever finer between the last
  /// point that is ok and the first that is not.
  void search(double most, double highest) {
    std::vector<Decimal> loads{rounded_load(kLeastLoad * most)};
    for (int part = 1; part <= kSweep; ++part) loads.push_back(rounded_load(most * part / kSweep));
    run(loads);
    for (double beyond = most; !knee().not_ok && beyond < highest;) {
      beyond = std::min(beyond * kBeyond, highest);
      run({rounded_load(beyond)});
    }
    const double sections = std::max(2U, how_.workers) + 1;
    while (true) {
      const auto [ok, not_ok, saturates] = knee();
      // Loads have four digits, so a load above the bound is not searched as finely as the bound.
      if (!ok || !not_ok || *not_ok - *ok <= kResolution * std::max(most, *ok)) return;
      loads.clear();
      for (double section = 1; section < sections; ++section) {
        loads.push_back(rounded_load(*ok + (*not_ok - *ok) * section / sections));
      }
      run(loads);
    }
  }

  [[nodiscard]] std::vector<Json> take() { return std::move(records_); }

 private:
  [[nodiscard]] Json point_at(const Decimal& load) const {
    ExperimentConfig config = config_;
    varied_.put(config, load);
    return load_record(
        load, run_experiment(std::move(config), {.explains_waits = false, .known_bounds = &bounds_}));
  }

  const ExperimentConfig& config_;
  const VariedLoad& varied_;
  const TrafficBounds& bounds_;
  const StudyRuns& how_;
  std::vector<Decimal> loads_;
  std::vector<Json> records_;
};

void run_curve(LoadCurve& curve, const LoadPlan& plan, const StudyRuns& how) {
  ExperimentConfig& config = curve.variant.config;
  const VariedLoad varied(config.workload, plan.varied);
  for (const std::vector<Decimal>* const loads : {&plan.loads, &plan.stated}) {
    for (const Decimal& load : *loads) {
      varied.put(config, load);
      check_load(plan, load, [&] {
        require_possible(config.workload, config.machine, config.topology);
        static_cast<void>(make_traffic_patterns(config));
      });
    }
  }
  if (plan.loads.empty()) varied.put(config, Decimal(0, 1'000'000'000'000'000));
  const OfferedPatterns patterns = make_traffic_patterns(config);
  resolve_auto_settings(config, traffic_facts(config));
  const TrafficBounds bounds = varied.bounds(config, patterns);
  curve.ideal_saturation = varied.ideal_saturation(config, bounds);
  // Beside classes that keep their loads no message is alone.
  if (!plan.varied && !config.workload.protocol) curve.zero_load_latency = bounds.all.zero_load_latency;
  const auto [least, highest] = varied.range(config, patterns);
  const double most = std::min(curve.ideal_saturation.value_or(highest), highest);
  Points points(config, varied, bounds, how);
  points.run(plan.stated);
  if (plan.loads.empty()) {
    if (kLeastLoad * most < least) varied.refuse_search(config, most);
    points.search(most, highest);
  } else {
    points.run(plan.loads);
  }
  const auto knee = points.knee();
  if (knee.saturates) curve.saturation = knee.ok;
  curve.points = points.take();
  const Json& lowest = curve.points.front();
  const Json& latency = lowest.at("latency_mean_cycles");
  if (!plan.varied && !curve.zero_load_latency && lowest.at("load").get<double>() <= kNextToNoLoad * most &&
      !latency.is_null())
    curve.zero_load_latency = latency.get<double>();
}

}  // namespace

std::vector<LoadCurve> run_load_curves(const std::vector<StudyVariant>& variants, const LoadPlan& plan,
                                       const StudyRuns& how) {
  std::vector<LoadCurve> curves;
  for (const StudyVariant& variant : variants) {
    StudyRuns own = how;
    if (!variant.name.empty() && how.on_progress) {
      own.on_progress = [&](const std::string& line) {
        how.on_progress(fmt::format("{} ({} of {}): {}", variant.name, curves.size(), variants.size(), line));
      };
    }
    LoadCurve& curve = curves.emplace_back(LoadCurve{.variant = variant});
    try {
      with_places(curve.variant.config, [&] { run_curve(curve, plan, own); });
    } catch (const InputError& error) {
      if (variants.size() == 1) throw;
      curve.refusal = error.what();
    }
  }
  if (std::ranges::all_of(curves, [](const LoadCurve& curve) { return curve.refusal.has_value(); })) {
    throw InputError(*curves.front().refusal);
  }
  return curves;
}

}  // namespace flitscope
