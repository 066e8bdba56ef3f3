// Latency against offered load.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "sim/config/config_source.h"
#include "sim/config/resolve.h"
#include "sim/config/workload_keys.h"
#include "sim/formats/strict_json.h"
#include "sim/report/output_file.h"
#include "sim/report/page/run_page.h"
#include "sim/report/plot.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/run/energy.h"
#include "sim/run/experiment.h"
#include "sim/run/traffic_bounds.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace load_studies {
namespace {

using Json = nlohmann::ordered_json;

// The first round, in parts of the bound: a point with next to no load, and a sweep.
constexpr double kLeastLoad = 0.02;
constexpr int kSweep = 10;
/// From a load that the network carries to the next one beyond the bound.
constexpr double kBeyond = 1.25;
/// How closely saturation is searched, in the same parts.
constexpr double kResolution = 0.01;
/// In latencies of an empty network: a shorter measurement after a given warm-up can end before a point
/// that the network does not carry shows it.
constexpr double kLeastMeasurement = 50;

/// The cause with the most flit-cycles, and its share: "vc_taken 63%".
std::string main_cause(const Json& stalls) {
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  std::string name;
  for (const auto& [cause, count] : stalls.items()) {
    all += count.get<std::uint64_t>();
    if (count.get<std::uint64_t>() <= most) continue;
    most = count.get<std::uint64_t>();
    name = cause;
  }
  if (all == 0) return "-";
  return fmt::format("{} {:.0f}%", name, 100 * static_cast<double>(most) / static_cast<double>(all));
}

Json class_record(const std::string& name, const TrafficClassResult& own, bool has_latency) {
  const bool any = has_latency && own.latency.messages > 0;
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
          {"stalls", main_cause(causes_json(traffic.stalls))},
          {"mean", latency.messages > 0 ? Json(latency.mean) : Json(nullptr)},
          {"deadlock", result.status == RunStatus::deadlock},
          {"objection", result.failed_checks.empty() ? "" : result.failed_checks.front()}};
}

/// A point of the curve. A latency that grows without end is none.
Json record_of(const Decimal& load, const RunResult& result) {
  const TrafficResult& traffic = *result.links()->traffic;
  const LatencySummary& latency = latency_of(result);
  const bool any = traffic.status == TrafficStatus::ok && latency.messages > 0;
  const auto or_none = [&](const auto& value) { return any ? Json(value) : Json(nullptr); };
  Json worst = Json::array();
  for (const TrafficChannel& channel : traffic.worst) {
    worst.push_back({{"channel", result.config.topology.channel_name(channel.channel)},
                     {"utilisation", result.utilisation(traffic, channel)},
                     {"stalled_flit_cycles", channel.stalled},
                     {"stalls", causes_json(channel.causes)}});
  }
  Json record{{"load", load.approximate()},
              {"offered", traffic.offered},
              {"accepted", traffic.accepted},
              {"status", name_of(traffic.status)},
              {"latency_mean_cycles", or_none(latency.mean)},
              {"latency_p50_cycles", or_none(latency.p50)},
              {"latency_p99_cycles", or_none(latency.p99)},
              {"latency_max_cycles", or_none(latency.max)},
              {"network_latency_mean_cycles", or_none(traffic.network_latency.mean)},
              {"ci95_cycles", any ? or_null(traffic.ci95) : Json(nullptr)},
              {"hops_mean", traffic.hops_mean},
              {"messages", latency.messages + traffic.undelivered},
              {"undelivered", traffic.undelivered},
              {"steady", traffic.steady},
              {"begin_cycle", traffic.begin},
              {"end_cycle", traffic.end},
              {"messages_in_flight_mean", traffic.messages_in_flight_mean},
              {"verified", result.verified()},
              {"stalls", causes_json(traffic.stalls)},
              {"worst_channels", worst}};
  if (traffic.precise) record["precise"] = *traffic.precise;
  for (std::size_t i = 0; i < traffic.classes.size(); ++i) {
    record["classes"].push_back(
        class_record(result.config.workload.offered()[i].name, traffic.classes[i], any));
  }
  if (const auto& protocol = result.links()->protocol) {
    record["latency_p999_cycles"] = or_none(latency.p999);
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
      : together_(offered_load(workload)) {
    for (const TrafficConfig& traffic : workload.offered()) loads_.push_back(traffic.load.approximate());
    if (workload.protocol) requests_ = loads_.front() / together_;
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

  /// The highest load that the machine's nodes can offer.
  [[nodiscard]] double highest(const ExperimentConfig& config, const OfferedPatterns& patterns) const {
    const auto offered = config.workload.offered();
    double highest = injection_channel_rate(config.machine, config.topology);
    if (item_) highest = std::max(0.0, highest - (together_ - loads_[*item_]));
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (item_.value_or(i) != i || (requests_ && i > 0)) continue;
      double rate = 1;
      for (NodeId node = 0; node < config.topology.nodes(); ++node)
        rate = std::max(rate, patterns[i]->rate(node));
      const double part = item_ || requests_ || offered.size() == 1 ? 1 : loads_[i] / together_;
      highest = std::min(highest, possible_load(offered[i], config.machine, config.topology) / rate / part);
    }
    return highest;
  }

  [[nodiscard]] std::optional<double> ideal_saturation(const ExperimentConfig& config,
                                                       const TrafficBounds& bounds) const {
    auto saturation = item_ ? bounds.ideal_saturation(config, *item_) : bounds.ideal_saturation(config);
    if (saturation && requests_) *saturation *= *requests_;
    return saturation;
  }

 private:
  std::vector<double> loads_;
  double together_;
  std::optional<std::size_t> item_;
  std::optional<double> requests_;  ///< of a protocol: their part of all flits, and their load is varied
};

class Points {
 public:
  Points(const ExperimentConfig& config, const VariedLoad& varied, const StudyRuns& how)
      : config_(config), varied_(varied), how_(how) {}

  /// Runs the points that are not there yet.
  void run(const std::vector<Decimal>& wanted) {
    std::vector<Decimal> loads = sorted_loads(wanted);
    std::erase_if(loads, [&](Decimal load) { return std::ranges::count(loads_, load) > 0; });
    std::ranges::copy(loads, std::back_inserter(loads_));
    std::ranges::move(run_loads(loads, how_,
                                [&](const Decimal& load) {
                                  ExperimentConfig config = config_;
                                  varied_.put(config, load);
                                  RunOptions options;
                                  options.explains_waits = false;
                                  return record_of(load, run_experiment(std::move(config), options));
                                }),
                      std::back_inserter(records_));
    std::ranges::stable_sort(records_, {}, [](const Json& point) { return point.at("load").get<double>(); });
  }

  /// The highest load below the first one that is not ok, and that one.
  struct Knee {
    std::optional<double> ok;
    std::optional<double> not_ok;
  };
  [[nodiscard]] Knee knee() const {
    Knee knee;
    for (const Json& point : records_) {
      if (point.at("status") != name_of(TrafficStatus::ok)) {
        knee.not_ok = point.at("load").get<double>();
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
      const auto [ok, not_ok] = knee();
      if (!ok || !not_ok || *not_ok - *ok <= kResolution * most) return;
      loads.clear();
      for (double section = 1; section < sections; ++section) {
        loads.push_back(rounded_load(*ok + (*not_ok - *ok) * section / sections));
      }
      run(loads);
    }
  }

  [[nodiscard]] std::vector<Json> take() { return std::move(records_); }

 private:
  const ExperimentConfig& config_;
  const VariedLoad& varied_;
  const StudyRuns& how_;
  std::vector<Decimal> loads_;
  std::vector<Json> records_;
};

LoadCurve run_curve(ExperimentConfig& config, const LoadPlan& plan, const StudyRuns& how) {
  const VariedLoad varied(config.workload, plan.varied);
  for (const Decimal& load : plan.loads) {
    varied.put(config, load);
    require_possible(config.workload, config.machine, config.topology);
    static_cast<void>(make_traffic_patterns(config));
  }
  if (plan.loads.empty()) varied.put(config, Decimal(0, 1'000'000'000'000'000));
  const OfferedPatterns patterns = make_traffic_patterns(config);
  resolve_auto_settings(config, traffic_facts(config));
  const TrafficBounds bounds = traffic_bounds(config, patterns);
  LoadCurve curve{.ideal_saturation = varied.ideal_saturation(config, bounds), .varied = plan.varied};
  // Beside classes that keep their loads no message is alone.
  if (!plan.varied && !config.workload.protocol) curve.zero_load_latency = bounds.all.zero_load_latency;
  Points points(config, varied, how);
  if (plan.loads.empty()) {
    const double highest = varied.highest(config, patterns);
    points.search(std::min(curve.ideal_saturation.value_or(highest), highest), highest);
  } else {
    points.run(plan.loads);
  }
  const auto knee = points.knee();
  if (knee.not_ok) curve.saturation = knee.ok;
  curve.points = points.take();
  const Json& lowest = curve.points.front().at("print").at("mean");
  if (!curve.zero_load_latency && !lowest.is_null()) curve.zero_load_latency = lowest.get<double>();
  return curve;
}

/// The classes, if there are several.
std::vector<std::string> classes_of(const ExperimentConfig& config) {
  std::vector<std::string> names;
  for (const TrafficConfig& each : config.workload.offered()) names.push_back(each.name);
  return names.size() > 1 ? names : std::vector<std::string>();
}

/// A line for each point, and below it one for each class.
std::string table_text(const ExperimentConfig& config, const LoadCurve& curve) {
  std::vector<StudyColumn> columns{{"load", "/print/load", {}, 8},
                                   {"offered", "/offered", 4, 9},
                                   {"accepted", "/accepted", 4, 10},
                                   {"latency", "/latency_mean_cycles", 2, 10},
                                   {"+-", "/ci95_cycles", 2, 8},
                                   {"99%", "/latency_p99_cycles", {}, 6},
                                   {"network", "/network_latency_mean_cycles", 2, 9},
                                   {"hops", "/hops_mean", 3, 6},
                                   {"status", "/status", {}, 10, false},
                                   {"busiest link", "/print/busiest", {}, 18, false},
                                   {"stalls mostly", "/print/stalls", {}, 0, false}};
  if (config.clock) {
    const auto latency = std::ranges::find(columns, "latency", &StudyColumn::header);
    columns.insert(latency + 1, {"ns", "/latency_mean_ns", 2, 10});
    columns.insert(std::ranges::find(columns, "latency", &StudyColumn::header),
                   {"GB/s", "/accepted_GBps", 3, 9});
  }
  std::vector<Json> rows;
  for (const Json& point : curve.points) {
    rows.push_back(point);
    for (Json each : point.value("classes", Json::array())) {
      each["status"] = each.at("name");
      rows.push_back(std::move(each));
    }
  }
  return lines_of(columns, rows);
}

/// Notes below the table: the links that flits waited most for, and what is wrong with points.
std::string notes_text(const ExperimentConfig& config, const LoadCurve& curve) {
  std::string text;
  const auto load_of = [](const Json& point) { return point.at("print").at("load").get<std::string>(); };
  const auto saturated = std::ranges::find_if(curve.points, [](const Json& point) {
    return point.at("status") == name_of(TrafficStatus::saturated);
  });
  if (saturated != curve.points.end()) {
    text += fmt::format("\n  at {} flits waited most for these links (flit-cycles):\n", load_of(*saturated));
    for (const Json& channel : saturated->at("worst_channels")) {
      text += fmt::format("    {}  {}, {}; busy in {:.1f}% of the cycles\n",
                          channel.at("channel").get<std::string>(),
                          channel.at("stalled_flit_cycles").get<std::uint64_t>(),
                          main_cause(channel.at("stalls")), 100 * channel.at("utilisation").get<double>());
    }
  }
  const TrafficConfig& traffic = config.workload.offered().front();
  const double least = kLeastMeasurement * curve.zero_load_latency.value_or(0);
  if (traffic.warmup && curve.saturation && static_cast<double>(traffic.measure) < least) {
    text += fmt::format(
        "\n  WARNING: a measurement of {} cycles may end before saturation shows: measure {:.0f} cycles or "
        "more, or leave the warm-up automatic\n",
        traffic.measure, std::ceil(least));
  }
  for (const Json& point : curve.points) {
    if (!point.value("precise", true)) {
      text += fmt::format(
          "\n  WARNING: at {} less precise than asked for (precision: {}), though the measurement was "
          "prolonged as often as may be\n",
          load_of(point), config.workload.traffic.precision->text());
    }
    if (!point.at("verified").get<bool>()) {
      text += fmt::format("\n  NOT VERIFIED at {}: {}\n", load_of(point),
                          printable(point.at("print").at("objection").get<std::string>()));
    }
  }
  return text;
}

std::string text_of(const ExperimentConfig& config, const LoadCurve& curve) {
  const auto bound = [](const std::optional<double>& value, const char* unit) {
    return value ? fmt::format("{:.4g} {}", *value, unit) : "not found";
  };
  const auto rate = [&](const std::optional<double>& flits) {
    return bound(flits, "flits/node/cycle") + (flits ? bandwidth_in_brackets(config, *flits) : "");
  };
  return fmt::format("{}: {} on the {}{}\n\n", printable(config.name), pattern_names(config.workload),
                     config.topology.name(),
                     curve.varied ? fmt::format("; the load of {} is varied", *curve.varied) : "") +
         table_text(config, curve) +
         "\n(load, offered and accepted: flits/node/cycle; latency and network: mean cycles from the "
         "message's "
         "creation, and\nfrom the entry of its head; +-: half width of the 95% confidence interval)\n\n" +
         fmt::format("  zero-load latency  {}{}\n", bound(curve.zero_load_latency, "cycles"),
                     curve.zero_load_latency ? time_in_brackets(config, *curve.zero_load_latency) : "") +
         fmt::format("  saturation         {}\n", rate(curve.saturation)) +
         fmt::format("  at best            {}\n", rate(curve.ideal_saturation)) + notes_text(config, curve);
}

Json json_of(const ExperimentConfig& config, const LoadCurve& curve) {
  Json json{{"name", config.name},
            {"topology", config.topology.name()},
            {"pattern", pattern_names(config.workload)},
            {"points", without_print(curve.points)},
            {"zero_load_latency_cycles", or_null(curve.zero_load_latency)},
            {"saturation_flits_per_node_cycle", or_null(curve.saturation)},
            {"ideal_saturation_flits_per_node_cycle", or_null(curve.ideal_saturation)},
            {"version", FLITSCOPE_VERSION}};
  if (!config.workload.classes.empty()) json["varied"] = or_null(curve.varied);
  add_units(json, config);
  return json;
}

std::string csv_of(const ExperimentConfig& config, const LoadCurve& curve) {
  std::vector<StudyColumn> columns{{"load", "/print/load"},
                                   {"offered", "/offered", 6},
                                   {"accepted", "/accepted", 6},
                                   {"status", "/status"},
                                   {"latency_mean_cycles", "/latency_mean_cycles", 4},
                                   {"latency_p50_cycles", "/latency_p50_cycles"},
                                   {"latency_p99_cycles", "/latency_p99_cycles"},
                                   {"latency_max_cycles", "/latency_max_cycles"},
                                   {"network_latency_mean_cycles", "/network_latency_mean_cycles", 4},
                                   {"ci95_cycles", "/ci95_cycles", 4},
                                   {"hops_mean", "/hops_mean", 5},
                                   {"messages", "/messages"},
                                   {"undelivered", "/undelivered"}};
  if (!curve.points.empty() && curve.points.front().contains("energy_per_byte_pJ")) {
    for (const char* const key : {"energy_per_byte_pJ", "power_W"})
      columns.push_back({key, std::string("/") + key});
  }
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    const std::string name = name_of(static_cast<StallCause>(cause));
    columns.push_back({name + "_flit_cycles", "/stalls/" + name});
  }
  std::size_t i = 0;
  for (const std::string& name : classes_of(config)) {
    const std::string place = fmt::format("/classes/{}/", i++);
    for (const auto& [key, decimals] : {std::pair{"offered", 6},
                                        {"accepted", 6},
                                        {"latency_mean_cycles", 4},
                                        {"latency_p99_cycles", 0},
                                        {"ci95_cycles", 4}}) {
      columns.push_back({fmt::format("{}_{}", name, key), place + key, decimals});
    }
  }
  return to_csv(table_of(config.clock ? with_units(columns) : columns, curve.points));
}

std::string svg_of(const ExperimentConfig& config, const LoadCurve& curve) {
  constexpr double kShownLatencies = 6;  // times that of an empty network
  Plot plot{.title = fmt::format("{}: {} on the {}", config.name, pattern_names(config.workload),
                                 config.topology.name()),
            .x_label = "offered load (flits/node/cycle)",
            .y_label = "latency (cycles)",
            .series = {},
            .marks = {},
            .y_max = {}};
  const auto add = [&](const std::string& name, const std::string& place) {
    PlotSeries& series = plot.series.emplace_back(PlotSeries{name, {}});
    const Json::json_pointer latency(place);
    for (const Json& point : curve.points) {
      if (!point.contains(latency) || point.at(latency).is_null()) continue;
      series.points.push_back({point.at("offered").get<double>(), point.at(latency).get<double>()});
    }
  };
  add("mean", "/latency_mean_cycles");
  add("99%", "/latency_p99_cycles");
  std::size_t i = 0;
  for (const std::string& name : classes_of(config)) {
    add(name, fmt::format("/classes/{}/latency_mean_cycles", i++));
  }
  if (curve.zero_load_latency) plot.y_max = kShownLatencies * *curve.zero_load_latency;
  if (curve.saturation) plot.marks.push_back({"saturation", *curve.saturation});
  return plot_svg(plot);
}

StudyStatus status_of(const LoadCurve& curve) {
  const auto any = [&](const auto& is) { return std::ranges::any_of(curve.points, is); };
  if (any([](const Json& point) { return point.at("print").at("deadlock").get<bool>(); })) {
    return StudyStatus::deadlock;
  }
  if (any([](const Json& point) { return point.at("status") == name_of(TrafficStatus::unfinished); })) {
    return StudyStatus::limit;
  }
  return any([](const Json& point) { return !point.at("verified").get<bool>(); }) ? StudyStatus::not_verified
                                                                                  : StudyStatus::correct;
}

}  // namespace
}  // namespace load_studies

LoadCurve run_load_curve(const ExperimentConfig& described, const LoadPlan& plan, const StudyRuns& how) {
  ExperimentConfig config = described;
  try {
    return load_studies::run_curve(config, plan, how);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception&) {
    throw_located(config);
  }
}

StudyReport load_report(const ExperimentConfig& config, const LoadCurve& curve) {
  using namespace load_studies;
  return {.status = status_of(curve),
          .text = text_of(config, curve),
          .json = json_of(config, curve).dump(2) + "\n",
          .csv = csv_of(config, curve),
          .svg = svg_of(config, curve)};
}

void write_study(const RunDirectory& directory, const ExperimentConfig& config, const char* name,
                 const StudyReport& report) {
  const auto put = [&](const std::string& file, const std::string& text) {
    write_file(directory.file(file.c_str()), text, Existing::replace);
  };
  put("config.yaml", resolve(config));
  put(std::string(name) + ".json", report.json);
  put(std::string(name) + ".csv", report.csv);
  put(std::string(name) + ".svg", report.svg);
}

bool is_load_directory(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "load.json");
}

bool is_outstanding_directory(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "outstanding.json");
}

namespace {

nlohmann::ordered_json curve_page_data(const std::filesystem::path& directory, const std::string& kind) {
  const std::filesystem::path config = directory / "config.yaml";
  return {{"kind", kind},
          {"config", file_text(config)},
          {"machine", machine_json(load_config(config))},
          {"curve", page_json(directory / (kind + ".json"))}};
}

}  // namespace

nlohmann::ordered_json load_page_data(const std::filesystem::path& directory) {
  return curve_page_data(directory, "load");
}

nlohmann::ordered_json outstanding_page_data(const std::filesystem::path& directory) {
  return curve_page_data(directory, "outstanding");
}

}  // namespace flitscope
