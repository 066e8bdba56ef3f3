// The time of a schedule against the load of the traffic beside it.
#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/text.h"
#include "sim/config/workload_keys.h"
#include "sim/report/plot.h"
#include "sim/run/experiment.h"
#include "sim/run/traffic_bounds.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace slowdown_studies {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kParts = 10;
constexpr Cycle kMaxSlowdown = 20;

/// The record of a point; its slowdown needs the first point and is filled in later.
Json record_of(const Decimal& load, const RunResult& result) {
  const auto& background = result.links()->background;
  const Cycle begin = background ? background->schedule_begin : 0;
  Json record{{"load", load.approximate()},    {"cycles", result.cycles - std::min(result.cycles, begin)},
              {"slowdown", nullptr},           {"status", name_of(result.status)},
              {"verified", result.verified()}, {"background", nullptr}};
  if (background) {
    record["background"] = {{"offered", background->offered},
                            {"accepted", background->accepted},
                            {"messages", background->messages},
                            {"flits", background->flits},
                            {"latency_mean_cycles", background->latency.mean},
                            {"latency_p99_cycles", background->latency.p99}};
  }
  record["print"] = {{"load", load.text()},
                     {"objection", result.failed_checks.empty() ? "" : result.failed_checks.front()}};
  return record;
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

/// Nine loads up to 0.9 times what links and nodes can carry.
std::vector<Decimal> chosen_loads(ExperimentConfig config) {
  const bool has_table = config.workload.advance == Advance::table;
  resolve_auto_settings(config, has_table ? make_table(config).facts : make_schedule(config)->facts());
  const TrafficConfig& traffic = *config.workload.background;
  const auto pattern = make_background_pattern(config);
  const double possible = possible_load(traffic, config.machine, config.topology);
  const auto best =
      ideal_saturation(config, traffic_load(config.topology, config.machine, traffic, *pattern));
  std::vector<Decimal> loads;
  for (int part = 1; part < kParts; ++part) {
    loads.push_back(rounded_load(std::min(best.value_or(possible), possible) * part / kParts));
  }
  return loads;
}

std::vector<Json> run_points(ExperimentConfig config, const LoadPlan& plan, const StudyRuns& how) {
  require_possible_loads(config, plan.loads);
  // Any load that is possible: the points replace it.
  config.workload.background->load = Decimal(0, 1'000'000'000'000'000);
  std::vector<Decimal> loads = sorted_loads(plan.loads.empty() ? chosen_loads(config) : plan.loads);
  std::erase(loads, Decimal());
  const auto run = [&](const Decimal& load) {
    RunOptions options;
    options.explains_waits = false;
    return record_of(load, run_experiment(with_load(config, load), options));
  };
  std::vector<Json> points = run_loads({Decimal()}, how, run);
  const Cycle alone = std::max(Cycle{1}, points.front().at("cycles").get<Cycle>());
  config.cycle_limit =
      std::min(config.cycle_limit, config.workload.background->warmup.value_or(0) + kMaxSlowdown * alone);
  std::ranges::move(run_loads(loads, how, run), std::back_inserter(points));
  for (Json& point : points) {
    // A run that is not completed has no time.
    if (point.at("status") != name_of(RunStatus::completed)) continue;
    point["slowdown"] = point.at("cycles").get<double>() / static_cast<double>(alone);
  }
  return points;
}

bool is_limit(const Json& point) {
  return point.at("status") == name_of(RunStatus::limit);
}

StudyStatus status_of(const std::vector<Json>& points) {
  const auto deadlocks = [](const Json& point) { return point.at("status") == name_of(RunStatus::deadlock); };
  if (std::ranges::any_of(points, deadlocks)) return StudyStatus::deadlock;
  // A schedule that does not complete alone.
  const auto is_limit_alone = [](const Json& point) {
    return point.at("background").is_null() && is_limit(point);
  };
  if (std::ranges::any_of(points, is_limit_alone)) return StudyStatus::limit;
  // A later point at its limit is an answer.
  const auto is_correct = [](const Json& point) {
    return point.at("verified").get<bool>() || is_limit(point);
  };
  return std::ranges::all_of(points, is_correct) ? StudyStatus::correct : StudyStatus::not_verified;
}

std::string text_of(const std::string& title, const std::vector<StudyVariant>& variants,
                    const std::vector<Json>& points) {
  static const std::vector<StudyColumn> columns{{"load", "/print/load", {}, 8},
                                                {"cycles", "/cycles", {}, 12},
                                                {"slowdown", "/slowdown", 3, 9},
                                                {"offered", "/background/offered", 4, 10},
                                                {"accepted", "/background/accepted", 4, 10},
                                                {"latency", "/background/latency_mean_cycles", 2, 10},
                                                {"99%", "/background/latency_p99_cycles", {}, 8},
                                                {"status", "/status", {}, 0, false}};
  std::vector<Json> shown = points;
  for (Json& point : shown) {
    if (!point.at("background").is_null()) continue;
    point["background"] = {{"offered", nullptr},
                           {"accepted", nullptr},
                           {"latency_mean_cycles", nullptr},
                           {"latency_p99_cycles", nullptr}};
  }
  std::string text =
      title + "\n\n" + lines_of(with_curve_names(columns, variants), shown) +
      "\n(load, offered, accepted, latency: of the background, flits/node/cycle and cycles; cycles "
      "and slowdown: of the schedule)\n";
  for (const Json& point : points) {
    if (point.at("verified").get<bool>() || is_limit(point)) continue;
    text += objection_text(point, point.at("print").at("load").get<std::string>());
  }
  return text;
}

std::string svg_of(const std::string& title, const std::vector<StudyVariant>& variants,
                   const std::vector<std::vector<Json>>& points) {
  const Plot axes{.title = title,
                  .x_label = "load beside the schedule (flits/node/cycle)",
                  .y_label = "time of the schedule (times that without)",
                  .series = {},
                  .marks = {},
                  .y_max = {}};
  return curves_svg(axes, variants, points, "slowdown", "load", "slowdown");
}

}  // namespace
}  // namespace slowdown_studies

StudyReport slowdown_study(const std::vector<StudyVariant>& variants, const LoadPlan& plan,
                           const StudyRuns& how) {
  using namespace slowdown_studies;
  std::vector<std::vector<Json>> curves;
  for (const StudyVariant& variant : variants) {
    try {
      curves.push_back(run_points(variant.config, plan, how));
    } catch (const InputError&) {
      throw;
    } catch (const std::exception&) {
      throw_located(variant.config);
    }
  }
  const std::vector<Json> points = named_records(variants, curves);
  static const std::vector<StudyColumn> columns{
      {"load", "/print/load"},
      {"cycles", "/cycles"},
      {"slowdown", "/slowdown", 6},
      {"status", "/status"},
      {"background_offered", "/background/offered", 6},
      {"background_accepted", "/background/accepted", 6},
      {"background_latency_mean_cycles", "/background/latency_mean_cycles", 4},
      {"background_latency_p99_cycles", "/background/latency_p99_cycles"}};
  const auto pattern_of = [](const ExperimentConfig& config) {
    return config.workload.background->pattern->name;
  };
  const std::string title = joined_texts(variants, [&](const ExperimentConfig& config) {
    return fmt::format("{}: {} beside it, on the {}", printable(config.name), pattern_of(config),
                       config.topology.name());
  });
  const Json json = curves_json(variants, [&](std::size_t i) {
    const ExperimentConfig& config = variants[i].config;
    return Json{{"name", config.name},
                {"topology", config.topology.name()},
                {"pattern", pattern_of(config)},
                {"points", without_print(curves[i])}};
  });
  return {.status = status_of(points),
          .text = text_of(title, variants, points),
          .json = json.dump(2) + "\n",
          .csv = to_csv(table_of(with_curve_names(columns, variants), points)),
          .svg = svg_of(title, variants, curves)};
}

}  // namespace flitscope
