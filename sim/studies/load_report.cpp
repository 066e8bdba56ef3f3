#include "sim/studies/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/text.h"
#include "model/version.h"
#include "sim/report/plot.h"
#include "sim/report/report_parts.h"

namespace flitscope::load_reports {
namespace {

using Json = nlohmann::ordered_json;

/// A latency that grows without end is none.
bool has_latency(const LoadPoint& point) {
  return point.traffic.status == TrafficStatus::ok && point.traffic.latency.messages > 0;
}

double utilisation(const TrafficResult& traffic, const TrafficChannel& channel) {
  return traffic.end == traffic.begin
             ? 0
             : static_cast<double>(channel.flits) / static_cast<double>(traffic.end - traffic.begin);
}

/// One class is told of as if there were no list.
std::size_t classes_of(const ExperimentConfig& config) {
  const std::size_t classes = config.workload.classes.size();
  return classes > 1 ? classes : 0;
}

/// What results call the i-th of several classes.
const std::string& class_name(const ExperimentConfig& config, std::size_t i) {
  return config.workload.classes[i].name;
}

Json class_json(const ExperimentConfig& config, const LoadPoint& point, std::size_t i) {
  const TrafficClassResult& own = point.traffic.classes[i];
  const bool any = has_latency(point) && own.latency.messages > 0;
  return {{"name", class_name(config, i)},
          {"offered", own.offered},
          {"accepted", own.accepted},
          {"messages", own.messages},
          {"latency_mean_cycles", any ? Json(own.latency.mean) : Json(nullptr)},
          {"latency_p99_cycles", any ? Json(own.latency.p99) : Json(nullptr)},
          {"network_latency_mean_cycles", any ? Json(own.network_latency.mean) : Json(nullptr)},
          {"ci95_cycles", any ? or_null(own.ci95) : Json(nullptr)}};
}

std::string class_row(const ExperimentConfig& config, const LoadPoint& point, std::size_t i) {
  const TrafficClassResult& own = point.traffic.classes[i];
  const bool any = has_latency(point) && own.latency.messages > 0;
  return fmt::format("{:>8} {:>9.4f} {:>10.4f} {:>10} {:>8} {:>6} {:>9} {:>6}  {}\n", "", own.offered,
                     own.accepted, any ? fmt::format("{:.2f}", own.latency.mean) : "-",
                     any && own.ci95 ? fmt::format("{:.2f}", *own.ci95) : "-",
                     any ? fmt::format("{}", own.latency.p99) : "-",
                     any ? fmt::format("{:.2f}", own.network_latency.mean) : "-", "", class_name(config, i));
}

Json channel_json(const Topology& topology, const TrafficResult& traffic, const TrafficChannel& channel) {
  return {{"channel", topology.channel_name(channel.channel)},
          {"utilisation", utilisation(traffic, channel)},
          {"stalled_flit_cycles", channel.stalled},
          {"stalls", causes_json(channel.causes)}};
}

Json point_json(const ExperimentConfig& config, const LoadPoint& point) {
  const Topology& topology = config.topology;
  const TrafficResult& traffic = point.traffic;
  const bool any = has_latency(point);
  Json worst = Json::array();
  for (const TrafficChannel& channel : traffic.worst)
    worst.push_back(channel_json(topology, traffic, channel));
  Json json{{"load", point.load.approximate()},
            {"offered", traffic.offered},
            {"accepted", traffic.accepted},
            {"status", name_of(traffic.status)},
            {"latency_mean_cycles", any ? Json(traffic.latency.mean) : Json(nullptr)},
            {"latency_p50_cycles", any ? Json(traffic.latency.p50) : Json(nullptr)},
            {"latency_p99_cycles", any ? Json(traffic.latency.p99) : Json(nullptr)},
            {"latency_max_cycles", any ? Json(traffic.latency.max) : Json(nullptr)},
            {"network_latency_mean_cycles", any ? Json(traffic.network_latency.mean) : Json(nullptr)},
            {"ci95_cycles", any ? or_null(traffic.ci95) : Json(nullptr)},
            {"hops_mean", traffic.hops_mean},
            {"messages", traffic.latency.messages + traffic.undelivered},
            {"undelivered", traffic.undelivered},
            {"steady", traffic.steady},
            {"begin_cycle", traffic.begin},
            {"end_cycle", traffic.end},
            {"messages_in_flight_mean", traffic.messages_in_flight_mean},
            {"verified", point.verified},
            {"stalls", causes_json(traffic.stalls)},
            {"worst_channels", worst}};
  if (traffic.precise) json["precise"] = *traffic.precise;
  for (std::size_t i = 0; i < traffic.classes.size(); ++i) {
    json["classes"].push_back(class_json(config, point, i));
  }
  return json;
}

/// The cause with the most flit-cycles, and its share: "vc_taken 63%".
std::string main_cause(const std::array<std::uint64_t, kStallCauses>& stalls) {
  const std::uint64_t all = std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
  if (all == 0) return "-";
  const auto most = static_cast<unsigned>(std::ranges::max_element(stalls) - stalls.begin());
  return fmt::format("{} {:.0f}%", name_of(static_cast<StallCause>(most)),
                     100 * static_cast<double>(stalls[most]) / static_cast<double>(all));
}

std::string or_dash(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format("{:.4g} {}", *value, unit) : "not found";
}

std::string row(const Topology& topology, const LoadPoint& point) {
  const TrafficResult& traffic = point.traffic;
  const bool any = has_latency(point);
  std::string busiest = "-";
  if (traffic.busiest) {
    busiest = fmt::format("{} {:.0f}%", topology.channel_name(traffic.busiest->channel),
                          100 * utilisation(traffic, *traffic.busiest));
  }
  return fmt::format("{:>8} {:>9.4f} {:>10.4f} {:>10} {:>8} {:>6} {:>9} {:>6.3f}  {:<10} {:<18} {}\n",
                     point.load.text(), traffic.offered, traffic.accepted,
                     any ? fmt::format("{:.2f}", traffic.latency.mean) : "-",
                     any && traffic.ci95 ? fmt::format("{:.2f}", *traffic.ci95) : "-",
                     any ? fmt::format("{}", traffic.latency.p99) : "-",
                     any ? fmt::format("{:.2f}", traffic.network_latency.mean) : "-", traffic.hops_mean,
                     name_of(traffic.status), busiest, main_cause(traffic.stalls));
}

}  // namespace
}  // namespace flitscope::load_reports

namespace flitscope {

using namespace load_reports;

std::string load_text(const ExperimentConfig& config, const LoadCurve& curve) {
  std::string text = fmt::format(
      "{}: {} on the {}{}\n\n", printable(config.name), pattern_names(config.workload),
      config.topology.name(), curve.varied ? fmt::format("; the load of {} is varied", *curve.varied) : "");
  text += fmt::format("{:>8} {:>9} {:>10} {:>10} {:>8} {:>6} {:>9} {:>6}  {:<10} {:<18} {}\n", "load",
                      "offered", "accepted", "latency", "+-", "99%", "network", "hops", "status",
                      "busiest link", "stalls mostly");
  for (const LoadPoint& point : curve.points) {
    text += row(config.topology, point);
    for (std::size_t i = 0; i < point.traffic.classes.size(); ++i) text += class_row(config, point, i);
  }
  text +=
      "\n(load, offered and accepted: flits/node/cycle; latency and network: mean cycles from the message's "
      "creation, and\nfrom the entry of its head; +-: half width of the 95% confidence interval)\n\n";
  text += fmt::format("  zero-load latency  {}\n", or_dash(curve.zero_load_latency, "cycles"));
  text += fmt::format("  saturation         {}\n", or_dash(curve.saturation, "flits/node/cycle"));
  text += fmt::format("  at best            {}\n", or_dash(curve.ideal_saturation, "flits/node/cycle"));
  const auto saturated = std::ranges::find(curve.points, TrafficStatus::saturated,
                                           [](const LoadPoint& point) { return point.traffic.status; });
  if (saturated != curve.points.end()) {
    text +=
        fmt::format("\n  at {} flits waited most for these links (flit-cycles):\n", saturated->load.text());
    for (const TrafficChannel& channel : saturated->traffic.worst) {
      text += fmt::format("    {}  {}, {}; busy in {:.1f}% of the cycles\n",
                          config.topology.channel_name(channel.channel), channel.stalled,
                          main_cause(channel.causes), 100 * utilisation(saturated->traffic, channel));
    }
  }
  for (const LoadPoint& point : curve.points) {
    if (point.traffic.precise == false) {
      text += fmt::format(
          "\n  WARNING: at {} less precise than asked for (precision: {}), though the measurement was "
          "prolonged as "
          "often as may be\n",
          point.load.text(), config.workload.traffic.precision->text());
    }
    if (!point.verified)
      text += fmt::format("\n  NOT VERIFIED at {}: {}\n", point.load.text(), printable(point.objection));
  }
  return text;
}

nlohmann::ordered_json load_json(const ExperimentConfig& config, const LoadCurve& curve) {
  Json points = Json::array();
  for (const LoadPoint& point : curve.points) points.push_back(point_json(config, point));
  Json json{{"name", config.name},
            {"topology", config.topology.name()},
            {"pattern", pattern_names(config.workload)},
            {"points", points},
            {"zero_load_latency_cycles", or_null(curve.zero_load_latency)},
            {"saturation_flits_per_node_cycle", or_null(curve.saturation)},
            {"ideal_saturation_flits_per_node_cycle", or_null(curve.ideal_saturation)},
            {"version", FLITSCOPE_VERSION}};
  if (!config.workload.classes.empty()) json["varied"] = or_null(curve.varied);
  return json;
}

std::string load_csv(const ExperimentConfig& config, const LoadCurve& curve) {
  std::string text =
      "load,offered,accepted,status,latency_mean_cycles,latency_p50_cycles,latency_p99_cycles,latency_max_"
      "cycles,"
      "network_latency_mean_cycles,ci95_cycles,hops_mean,messages,undelivered";
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    text += fmt::format(",{}_flit_cycles", name_of(static_cast<StallCause>(cause)));
  }
  for (std::size_t i = 0; i < classes_of(config); ++i) {
    text += fmt::format(
        ",{0}_offered,{0}_accepted,{0}_latency_mean_cycles,{0}_latency_p99_cycles,{0}_ci95_cycles",
        class_name(config, i));
  }
  text += "\n";
  for (const LoadPoint& point : curve.points) {
    const TrafficResult& traffic = point.traffic;
    text += fmt::format("{},{:.6f},{:.6f},{},", point.load.text(), traffic.offered, traffic.accepted,
                        name_of(traffic.status));
    if (has_latency(point)) {
      text += fmt::format("{:.4f},{},{},{},{:.4f},{},", traffic.latency.mean, traffic.latency.p50,
                          traffic.latency.p99, traffic.latency.max, traffic.network_latency.mean,
                          traffic.ci95 ? fmt::format("{:.4f}", *traffic.ci95) : "");
    } else {
      text += ",,,,,,";
    }
    text += fmt::format("{:.5f},{},{}", traffic.hops_mean, traffic.latency.messages + traffic.undelivered,
                        traffic.undelivered);
    for (const std::uint64_t stalls : traffic.stalls) text += fmt::format(",{}", stalls);
    for (const TrafficClassResult& own : traffic.classes) {
      text += fmt::format(",{:.6f},{:.6f}", own.offered, own.accepted);
      const bool any = has_latency(point) && own.latency.messages > 0;
      text += any ? fmt::format(",{:.4f},{},{}", own.latency.mean, own.latency.p99,
                                own.ci95 ? fmt::format("{:.4f}", *own.ci95) : "")
                  : ",,,";
    }
    text += "\n";
  }
  return text;
}

std::string load_svg(const ExperimentConfig& config, const LoadCurve& curve) {
  constexpr double kShownLatencies = 6;  // times that of an empty network
  Plot plot{.title = fmt::format("{}: {} on the {}", config.name, pattern_names(config.workload),
                                 config.topology.name()),
            .x_label = "offered load (flits/node/cycle)",
            .y_label = "latency (cycles)",
            .series = {{"mean", {}}, {"99%", {}}},
            .marks = {},
            .y_max = {}};
  for (const LoadPoint& point : curve.points) {
    if (!has_latency(point)) continue;
    plot.series[0].points.push_back({point.traffic.offered, point.traffic.latency.mean});
    plot.series[1].points.push_back({point.traffic.offered, static_cast<double>(point.traffic.latency.p99)});
  }
  for (std::size_t i = 0; i < classes_of(config); ++i) {
    PlotSeries& series = plot.series.emplace_back(PlotSeries{class_name(config, i), {}});
    for (const LoadPoint& point : curve.points) {
      if (!has_latency(point) || point.traffic.classes[i].latency.messages == 0) continue;
      series.points.push_back({point.traffic.offered, point.traffic.classes[i].latency.mean});
    }
  }
  if (curve.zero_load_latency) plot.y_max = kShownLatencies * *curve.zero_load_latency;
  if (curve.saturation) plot.marks.push_back({"saturation", *curve.saturation});
  return plot_svg(plot);
}

}  // namespace flitscope
