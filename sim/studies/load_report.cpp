// Load curves as text, JSON, CSV and SVG, one or several together, and as the data of a page.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/report/output_file.h"
#include "sim/report/page/page.h"
#include "sim/report/plot.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

using Curves = std::vector<LoadCurve>;

/// In latencies of an empty network: a shorter measurement after a given warm-up can end before a point
/// that the network does not carry shows it.
constexpr double kLeastMeasurement = 50;

/// The classes, if there are several.
std::vector<std::string> classes_of(const ExperimentConfig& config) {
  std::vector<std::string> names = texts_of(config.workload.offered(), &TrafficConfig::name);
  return names.size() > 1 ? names : std::vector<std::string>();
}

std::vector<StudyVariant> variants_of(const Curves& curves) {
  std::vector<StudyVariant> variants;
  for (const LoadCurve& curve : curves) variants.push_back(curve.variant);
  return variants;
}

/// Whether a flit a cycle of one curve is another bandwidth in another.
bool have_unlike_units(const Curves& curves) {
  const ExperimentConfig& first = curves.front().variant.config;
  return std::ranges::any_of(curves, [&first](const LoadCurve& curve) {
    const ExperimentConfig& other = curve.variant.config;
    return other.machine.flit_bytes != first.machine.flit_bytes || other.clock != first.clock;
  });
}

/// Of loads on an axis: "flits/node/cycle; 1 is 16 GB/s".
std::string axis_unit(const Curves& curves) {
  return load_unit(curves.front().variant.config.workload) +
         axis_bandwidth(variants_of(curves), flit_bandwidth);
}

/// The points of all curves, each with the name of its "curve".
std::vector<Json> points_of(const Curves& curves) {
  std::vector<Json> points;
  for (const LoadCurve& curve : curves) {
    for (Json point : curve.points) {
      point["curve"] = printable(curve.variant.name);
      points.push_back(std::move(point));
    }
  }
  return points;
}

bool have_energy(const Curves& curves) {
  const std::vector<Json> points = points_of(curves);
  return !points.empty() && points.front().contains("energy_per_byte_pJ");
}

/// A line for each point, and below it one for each class.
std::string table_text(const Curves& curves) {
  std::vector<StudyColumn> columns{{"load", "/print/load", {}, 8},
                                   {"offered", "/offered", 4, 9},
                                   {"accepted", "/accepted", 4, 10},
                                   in_units({"GB/s", "/accepted_GBps", 3, 9}),
                                   {"latency", "/latency_mean_cycles", 2, 10},
                                   in_units({"ns", "/latency_mean_ns", 2, 10}),
                                   {"+-", "/ci95_cycles", 2, 8},
                                   {"50%", "/latency_p50_cycles", {}, 5},
                                   {"99%", "/latency_p99_cycles", {}, 5},
                                   {"99.9%", "/latency_p999_cycles", {}, 6},
                                   {"network", "/network_latency_mean_cycles", 2, 9},
                                   {"hops", "/hops_mean", 3, 6},
                                   {"status", "/status", {}, 10, false},
                                   {"busiest link", "/print/busiest", {}, 18, false},
                                   {"stalls mostly", "/print/stalls", {}, 0, false}};
  if (have_energy(curves)) {
    columns.insert(std::ranges::find(columns, "hops", &StudyColumn::header),
                   {"pJ/byte", "/energy_per_byte_pJ", 2, 9});
  }
  std::vector<Json> rows;
  for (const Json& point : points_of(curves)) {
    rows.push_back(point);
    for (Json each : point.value("classes", Json::array())) {
      each["status"] = each.at("name");
      rows.push_back(std::move(each));
    }
  }
  return lines_of(columns_of_curves(columns, variants_of(curves)), rows);
}

/// Notes below the table: the links that flits waited most for, and what is wrong with points.
std::string notes_text(const LoadCurve& curve) {
  std::string text;
  const auto load_of = [&](const Json& point) {
    const std::string load = point.at("print").at("load").get<std::string>();
    return curve.variant.name.empty() ? load : printable(curve.variant.name) + ", " + load;
  };
  const auto saturated = std::ranges::find_if(curve.points, [](const Json& point) {
    return point.at("status") == name_of(TrafficStatus::saturated);
  });
  if (saturated != curve.points.end()) {
    text += fmt::format("\n  at {} {}\n", load_of(*saturated),
                        saturated->at("worst_channels").empty()
                            ? "no flit waited for a link: messages wait in their sources"
                            : "flits waited most for these links (flit-cycles):");
    for (const Json& channel : saturated->at("worst_channels")) {
      text += fmt::format(
          "    {}  {}, {}; busy in {:.1f}% of the cycles\n", channel.at("channel").get<std::string>(),
          channel.at("stalled_flit_cycles").get<std::uint64_t>(), main_stall_cause(channel.at("stalls")),
          100 * channel.at("utilisation").get<double>());
    }
  }
  const TrafficConfig& traffic = curve.variant.config.workload.offered().front();
  const double least = kLeastMeasurement * curve.zero_load_latency.value_or(0);
  if (traffic.warmup && curve.saturation && static_cast<double>(traffic.measure) < least) {
    text += fmt::format(
        "\n  WARNING: {}a measurement of {} cycles may end before saturation shows: measure {:.0f} cycles or "
        "more, or leave the warm-up automatic\n",
        curve.variant.name.empty() ? "" : printable(curve.variant.name) + ": ", traffic.measure,
        std::ceil(least));
  }
  for (const Json& point : curve.points) {
    if (!point.value("precise", true)) {
      text += fmt::format(
          "\n  WARNING: at {} less precise than asked for (precision: {}), though the measurement was "
          "prolonged as often as may be\n",
          load_of(point), curve.variant.config.workload.traffic.precision->text());
    }
    if (!point.at("verified").get<bool>()) {
      text += fmt::format("\n  NOT VERIFIED at {}: {}{}\n", load_of(point),
                          point.at("print").at("deadlock").get<bool>() ? "a deadlock; " : "",
                          printable(point.at("print").at("objection").get<std::string>()));
    }
  }
  if (curve.refusal) {
    text += fmt::format("\n  LEFT OUT: {}: {}\n", printable(curve.variant.name), printable(*curve.refusal));
  }
  return text;
}

// --- A row for each curve ----------------------------------------------------------------------------------

std::vector<Decimal> stated_loads(const LoadPlan& plan) {
  return sorted_loads(plan.stated.empty() ? plan.loads : plan.stated);
}

constexpr std::array kStatedLatencies{"latency_mean", "latency_p99"};

/// "latency_mean_at_0.1_cycles"
std::string stated_key(const char* latency, const Decimal& load) {
  return fmt::format("{}_at_{}_cycles", latency, load.text());
}

/// What a curve comes to: its bounds, its saturation, and latencies at the stated loads, null if it is
/// saturated there.
Json summary_of(const LoadCurve& curve, const LoadPlan& plan) {
  Json summary{{"curve", printable(curve.variant.name)},
               {"zero_load_latency_cycles", or_null(curve.zero_load_latency)},
               {"saturation_flits_per_node_cycle", or_null(curve.saturation)},
               {"ideal_saturation_flits_per_node_cycle", or_null(curve.ideal_saturation)}};
  double most = 0;
  for (const Json& point : curve.points) {
    if (!point.at("accepted").is_null()) most = std::max(most, point.at("accepted").get<double>());
  }
  summary["accepted_max_flits_per_node_cycle"] = most;
  for (const Decimal& load : stated_loads(plan)) {
    const auto point = std::ranges::find_if(curve.points, [&](const Json& each) {
      return each.at("print").at("load").get<std::string>() == load.text();
    });
    for (const char* const latency : kStatedLatencies) {
      summary[stated_key(latency, load)] =
          point == curve.points.end() ? Json() : point->at(fmt::format("{}_cycles", latency));
    }
  }
  add_units(summary, curve.variant.config);
  return summary;
}

std::vector<Json> summaries_of(const Curves& curves, const LoadPlan& plan) {
  std::vector<Json> rows;
  for (const LoadCurve& curve : curves) {
    if (!curve.refusal) rows.push_back(summary_of(curve, plan));
  }
  return rows;
}

std::string summary_text(const Curves& curves, const LoadPlan& plan) {
  std::vector<StudyColumn> columns{{"zero load", "/zero_load_latency_cycles", 2, 10},
                                   {"saturation", "/saturation_flits_per_node_cycle", 4, 11},
                                   in_units({"GB/s", "/saturation_GBps", 3, 9}),
                                   {"at best", "/ideal_saturation_flits_per_node_cycle", 4, 9},
                                   in_units({"GB/s", "/ideal_saturation_GBps", 3, 9}),
                                   {"accepted", "/accepted_max_flits_per_node_cycle", 4, 9},
                                   in_units({"GB/s", "/accepted_max_GBps", 3, 9})};
  for (const Decimal& load : stated_loads(plan)) {
    const std::string header = "at " + load.text();
    columns.push_back(
        {header, "/" + stated_key("latency_mean", load), 2, std::max(10, static_cast<int>(header.size()))});
  }
  const char* unit = load_unit(curves.front().variant.config.workload);
  return lines_of(columns_of_curves(columns, variants_of(curves)), summaries_of(curves, plan)) +
         fmt::format(
             "\n(zero load, and at a load: mean latency, cycles; saturation, at best: {}; accepted at most: "
             "flits/node/cycle)\n",
             unit) +
         (have_unlike_units(curves)
              ? "(flits or clocks differ: only bandwidths and times compare these curves)\n"
              : "");
}

std::string one_summary_text(const LoadCurve& curve, const LoadPlan& plan) {
  const ExperimentConfig& config = curve.variant.config;
  const auto bound = [](const std::optional<double>& value, const char* unit) {
    return value ? fmt::format("{:.4g} {}", *value, unit) : "not found";
  };
  const auto rate = [&](const std::optional<double>& flits) {
    return bound(flits, load_unit(config.workload)) + (flits ? bandwidth_in_brackets(config, *flits) : "");
  };
  std::string text =
      fmt::format("  zero-load latency  {}{}\n", bound(curve.zero_load_latency, "cycles"),
                  curve.zero_load_latency ? time_in_brackets(config, *curve.zero_load_latency) : "") +
      fmt::format("  saturation         {}\n", rate(curve.saturation)) +
      (curve.ideal_saturation ? fmt::format("  at best            {}\n", rate(curve.ideal_saturation)) : "");
  const Json summary = summary_of(curve, plan);
  for (const Decimal& load : plan.stated) {
    const Json& mean = summary.at(stated_key("latency_mean", load));
    const Json& tail = summary.at(stated_key("latency_p99", load));
    text += fmt::format("  at {:<15} {}\n", load.text(),
                        mean.is_null() ? "saturated"
                                       : fmt::format("mean latency {:.4g}, 99% {} cycles", mean.get<double>(),
                                                     tail.get<Cycle>()));
  }
  return text;
}

// --- The forms of all curves -------------------------------------------------------------------------------

std::string names_of_curves(const Curves& curves) {
  return joined_texts(variants_of(curves), [](const ExperimentConfig& config) { return config.name; });
}

std::string patterns_of(const Curves& curves) {
  return joined_texts(variants_of(curves),
                      [](const ExperimentConfig& config) { return pattern_names(config.workload); });
}

std::string topologies_of(const Curves& curves) {
  return joined_texts(variants_of(curves),
                      [](const ExperimentConfig& config) { return config.topology.name(); });
}

std::string title_of(const Curves& curves, const LoadPlan& plan) {
  return fmt::format("{}: {} on the {}{}", printable(names_of_curves(curves)), patterns_of(curves),
                     topologies_of(curves),
                     plan.varied ? fmt::format("; the load of {} is varied", *plan.varied) : "");
}

std::string load_text(const Curves& curves, const LoadPlan& plan) {
  const bool protocol = curves.front().variant.config.workload.protocol.has_value();
  std::string text =
      title_of(curves, plan) + "\n\n" + table_text(curves) +
      (protocol
           ? "\n(load: flits of requests/node/cycle; offered and accepted: flits/node/cycle, of replies too; "
             "latency: mean cycles\nof round trips, of classes and network: of messages"
           : "\n(load, offered and accepted: flits/node/cycle; latency and network: mean cycles from the "
             "message's creation, and\nfrom the entry of its head") +
      "; +-: half width of the 95% confidence interval)\n\n";
  text += curves.size() > 1 ? summary_text(curves, plan) : one_summary_text(curves.front(), plan);
  for (const LoadCurve& curve : curves) text += notes_text(curve);
  return text;
}

Json json_of(const LoadCurve& curve, const LoadPlan& plan) {
  const ExperimentConfig& config = curve.variant.config;
  Json json{{"name", config.name},
            {"topology", config.topology.name()},
            {"pattern", pattern_names(config.workload)},
            {"load_unit", load_unit(config.workload)},
            {"points", without_print(curve.points)},
            {"zero_load_latency_cycles", or_null(curve.zero_load_latency)},
            {"saturation_flits_per_node_cycle", or_null(curve.saturation)},
            {"ideal_saturation_flits_per_node_cycle", or_null(curve.ideal_saturation)},
            {"version", FLITSCOPE_VERSION}};
  if (config.clock) json["load_unit_GBps"] = flit_bandwidth(config);
  if (!plan.stated.empty()) json["summary"] = summary_of(curve, plan);
  if (!config.workload.classes.empty()) json["varied"] = or_null(plan.varied);
  add_units(json, config);
  return json;
}

Json json_of(const Curves& curves, const LoadPlan& plan) {
  Json left_out = left_out_json(plan.left_out);
  if (curves.size() == 1) {
    Json json = json_of(curves.front(), plan);
    if (!curves.front().variant.name.empty()) json["curve"] = curves.front().variant.name;
    if (!left_out.empty()) json["left_out"] = std::move(left_out);
    return json;
  }
  Json list = Json::array();
  for (const LoadCurve& curve : curves) {
    if (curve.refusal) {
      left_out.push_back({{"curve", curve.variant.name}, {"error", *curve.refusal}});
      continue;
    }
    Json json = json_of(curve, plan);
    json.erase("version");
    json["curve"] = curve.variant.name;
    json["summary"] = summary_of(curve, plan);
    list.push_back(std::move(json));
  }
  return {{"name", names_of_curves(curves)}, {"topology", topologies_of(curves)},
          {"pattern", patterns_of(curves)},  {"curves", std::move(list)},
          {"left_out", std::move(left_out)}, {"version", FLITSCOPE_VERSION}};
}

std::string csv_of(const Curves& curves) {
  const ExperimentConfig& first = curves.front().variant.config;
  std::vector<StudyColumn> columns{{"load", "/print/load"},
                                   {"offered"},
                                   {"accepted"},
                                   {"status"},
                                   {"latency_mean_cycles"},
                                   {"latency_p50_cycles"},
                                   {"latency_p99_cycles"},
                                   {"latency_p999_cycles"},
                                   {"latency_max_cycles"},
                                   {"network_latency_mean_cycles"},
                                   {"ci95_cycles"},
                                   {"hops_mean"},
                                   {"messages"},
                                   {"undelivered"},
                                   {"begin_cycle"},
                                   {"end_cycle"},
                                   {"messages_in_flight_mean"}};
  const auto add = [&](const std::vector<StudyColumn>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  if (first.workload.protocol) add({{"round_trips_per_cycle"}, {"bytes_per_cycle"}, {"outstanding_mean"}});
  if (have_energy(curves)) add({{"energy_per_byte_pJ"}, {"power_W"}});
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    const std::string name = name_of(static_cast<StallCause>(cause));
    add({{name + "_flit_cycles", "/stalls/" + name}});
  }
  std::size_t i = 0;
  for (const std::string& name : classes_of(first)) {
    const std::string place = fmt::format("/classes/{}/", i++);
    for (const char* const key :
         {"offered", "accepted", "latency_mean_cycles", "latency_p99_cycles", "ci95_cycles"})
      add({{fmt::format("{}_{}", name, key), place + key}});
  }
  return to_csv(table_of(columns_of_curves(with_units(columns), variants_of(curves)), points_of(curves)));
}

/// Of one curve its mean and tail, and the mean of each class; of several the mean of each.
std::string svg_of(const Curves& curves, const LoadPlan& plan) {
  constexpr double kShownLatencies = 6;  // times that of an empty network
  Plot plot{.title = title_of(curves, plan),
            .x_label = fmt::format("offered load ({})", axis_unit(curves)),
            .y_label = curves.size() > 1 ? "mean latency (cycles)" : "latency (cycles)"};
  const auto add = [&](const LoadCurve& curve, const std::string& name, const std::string& place) {
    PlotSeries& series = plot.series.emplace_back(PlotSeries{name, {}});
    const Json::json_pointer latency(place);
    for (const Json& point : curve.points) {
      if (!point.contains(latency) || point.at(latency).is_null()) continue;
      series.points.push_back({point.at("load").get<double>(), point.at(latency).get<double>()});
    }
  };
  for (const LoadCurve& curve : curves) {
    if (curve.zero_load_latency) {
      plot.y_max = std::max(plot.y_max.value_or(0), kShownLatencies * *curve.zero_load_latency);
    }
    if (curves.size() == 1) {
      if (curve.saturation) plot.marks.push_back({"saturation", *curve.saturation});
      add(curve, "mean", "/latency_mean_cycles");
      add(curve, "99%", "/latency_p99_cycles");
      std::size_t i = 0;
      for (const std::string& name : classes_of(curve.variant.config)) {
        add(curve, name, fmt::format("/classes/{}/latency_mean_cycles", i++));
      }
    } else if (!curve.refusal) {
      if (curve.saturation) plot.marks.push_back({"", *curve.saturation, plot.series.size()});
      add(curve,
          curve.saturation ? fmt::format("{}, saturates at {:.4g}", curve.variant.name, *curve.saturation)
                           : curve.variant.name,
          "/latency_mean_cycles");
    }
  }
  return plot_svg(plot);
}

/// "config.yaml"; of several variants "config-1.yaml", ...
std::string config_file(std::size_t index, std::size_t count) {
  return count == 1 ? "config.yaml" : fmt::format("config-{}.yaml", index + 1);
}

}  // namespace

StudyReport load_report(const std::vector<LoadCurve>& curves, const LoadPlan& plan) {
  std::vector<std::string> left_out;
  for (const LoadCurve& curve : curves) {
    if (curve.refusal) left_out.push_back(fmt::format("{}: {}", curve.variant.name, *curve.refusal));
  }
  return {.status = status_of_points(points_of(curves)),
          .text = load_text(curves, plan),
          .json = json_of(curves, plan).dump(2) + "\n",
          .csv = csv_of(curves),
          .svg = svg_of(curves, plan),
          .summary = to_csv(table_of(summaries_of(curves, plan))),
          .left_out = std::move(left_out)};
}

void write_study(RunDirectory& directory, const std::vector<StudyVariant>& variants, const std::string& name,
                 const StudyReport& report) {
  const auto put = [&](const std::string& file, const std::string& text) {
    if (!text.empty()) write_file(directory.file(file), text, Existing::replace);
  };
  directory.with_names([&] {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      put(config_file(i, variants.size()), resolve(variants[i].config));
    }
    put("config.yaml", report.config);
    put(name + ".json", report.json);
    put(name + ".csv", report.csv);
    put(name + ".svg", report.svg);
    put(name + ".md", report.markdown);
    put(name + "-summary.csv", report.summary);
  });
  directory.commit();
}

std::optional<Json> curve_page_data(const std::filesystem::path& directory) {
  static constexpr auto kKinds = {"load", "outstanding", "slowdown"};
  const auto file = [&](const std::string& kind) { return directory / (kind + ".json"); };
  const auto* const kind =
      std::ranges::find_if(kKinds, [&](const char* each) { return std::filesystem::exists(file(each)); });
  if (kind == kKinds.end()) return std::nullopt;
  Json curve = page_json(file(*kind));
  const std::size_t most = curve.contains("curves")
                               ? curve.at("curves").size() + curve.value("left_out", Json::array()).size()
                               : 1;
  std::string texts;
  Json machine = Json::array();
  for (std::size_t i = 0; i < most; ++i) {
    const std::filesystem::path config = directory / config_file(i, most);
    // Values that their key cannot have are left out without a configuration.
    if (i > 0 && !std::filesystem::exists(config)) break;
    texts += (i == 0 ? "" : "---\n") + file_text(config);
    for (const auto& each : machine_json(load_config(config))) {
      if (std::ranges::count(machine, each) == 0) machine.push_back(each);
    }
  }
  return Json{{"kind", *kind}, {"config", texts}, {"machine", machine}, {"curve", std::move(curve)}};
}

}  // namespace flitscope
