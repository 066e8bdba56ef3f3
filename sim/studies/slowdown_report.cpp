#include "sim/studies/slowdown_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/text.h"
#include "sim/config/resolve.h"
#include "sim/report/output_file.h"
#include "sim/report/plot.h"

namespace flitscope {

namespace slowdown_reports {
namespace {

using Json = nlohmann::ordered_json;

double slowdown(const SlowdownPoint& point, const std::vector<SlowdownPoint>& points) {
  return static_cast<double>(point.cycles) / static_cast<double>(std::max(Cycle{1}, points.front().cycles));
}

/// Otherwise it is not known how long it would have taken.
bool is_done(const SlowdownPoint& point) {
  return point.status == RunStatus::completed;
}

std::string title(const ExperimentConfig& config) {
  return fmt::format("{}: {} beside it, on the {}", printable(config.name),
                     config.workload.background->pattern->name, config.topology.name());
}

}  // namespace
}  // namespace slowdown_reports

std::string slowdown_text(const ExperimentConfig& config, const std::vector<SlowdownPoint>& points) {
  using namespace slowdown_reports;
  std::string text = title(config) + "\n\n";
  text += fmt::format("{:>8} {:>12} {:>9} {:>10} {:>10} {:>10} {:>8}  {}\n", "load", "cycles", "slowdown",
                      "offered", "accepted", "latency", "99%", "status");
  for (const SlowdownPoint& point : points) {
    text += fmt::format("{:>8} {:>12} {:>9}", point.load.text(), point.cycles,
                        is_done(point) ? fmt::format("{:.3f}", slowdown(point, points)) : "-");
    if (point.background) {
      const BackgroundResult& background = *point.background;
      text += fmt::format(" {:>10.4f} {:>10.4f} {:>10.2f} {:>8}", background.offered, background.accepted,
                          background.latency.mean, background.latency.p99);
    } else {
      text += fmt::format(" {:>10} {:>10} {:>10} {:>8}", "-", "-", "-", "-");
    }
    text += fmt::format("  {}\n", name_of(point.status));
  }
  text +=
      "\n(load, offered, accepted, latency: of the background, flits/node/cycle and cycles; cycles and "
      "slowdown: of the schedule)\n";
  for (const SlowdownPoint& point : points) {
    if (point.verified || point.status == RunStatus::limit) continue;
    text += fmt::format("\n  NOT VERIFIED at {}: {}\n", point.load.text(), printable(point.objection));
  }
  return text;
}

std::string slowdown_json(const ExperimentConfig& config, const std::vector<SlowdownPoint>& points) {
  using namespace slowdown_reports;
  Json list = Json::array();
  for (const SlowdownPoint& point : points) {
    Json entry{{"load", point.load.approximate()},
               {"cycles", point.cycles},
               {"slowdown", is_done(point) ? Json(slowdown(point, points)) : Json(nullptr)},
               {"status", name_of(point.status)},
               {"verified", point.verified},
               {"background", nullptr}};
    if (point.background) {
      const BackgroundResult& background = *point.background;
      entry["background"] = {{"offered", background.offered},
                             {"accepted", background.accepted},
                             {"messages", background.messages},
                             {"flits", background.flits},
                             {"latency_mean_cycles", background.latency.mean},
                             {"latency_p99_cycles", background.latency.p99}};
    }
    list.push_back(std::move(entry));
  }
  return Json{{"name", config.name},
              {"topology", config.topology.name()},
              {"pattern", config.workload.background->pattern->name},
              {"points", list},
              {"version", FLITSCOPE_VERSION}}
             .dump(2) +
         "\n";
}

std::string slowdown_csv(const std::vector<SlowdownPoint>& points) {
  using namespace slowdown_reports;
  std::string text =
      "load,cycles,slowdown,status,background_offered,background_accepted,background_latency_mean_cycles,"
      "background_latency_p99_cycles\n";
  for (const SlowdownPoint& point : points) {
    text += fmt::format("{},{},{},{},", point.load.text(), point.cycles,
                        is_done(point) ? fmt::format("{:.6f}", slowdown(point, points)) : "",
                        name_of(point.status));
    if (point.background) {
      const BackgroundResult& background = *point.background;
      text += fmt::format("{:.6f},{:.6f},{:.4f},{}", background.offered, background.accepted,
                          background.latency.mean, background.latency.p99);
    } else {
      text += ",,,";
    }
    text += "\n";
  }
  return text;
}

std::string slowdown_svg(const ExperimentConfig& config, const std::vector<SlowdownPoint>& points) {
  using namespace slowdown_reports;
  Plot plot{.title = title(config),
            .x_label = "load beside the schedule (flits/node/cycle)",
            .y_label = "time of the schedule (times that without)",
            .series = {{"slowdown", {}}},
            .marks = {},
            .y_max = {}};
  for (const SlowdownPoint& point : points) {
    if (!is_done(point)) continue;
    plot.series.front().points.push_back({point.load.approximate(), slowdown(point, points)});
  }
  return plot_svg(plot);
}

void write_slowdown_files(const RunDirectory& directory, const ExperimentConfig& config,
                          const std::vector<SlowdownPoint>& points) {
  const auto put = [&](const char* name, const std::string& text) {
    write_file(directory.file(name), text, Existing::replace);
  };
  put("config.yaml", resolve(config));
  put("slowdown.json", slowdown_json(config, points));
  put("slowdown.csv", slowdown_csv(points));
  put("slowdown.svg", slowdown_svg(config, points));
}

}  // namespace flitscope
