// The time of a schedule against the load of the traffic beside it.

#include <algorithm>

#include "model/error.h"
#include "model/text.h"
#include "sim/analysis/channel_load.h"
#include "sim/config/workload_keys.h"
#include "sim/formats/strict_json.h"
#include "sim/report/rates.h"
#include "sim/run/experiment.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

constexpr int kParts = 10;
constexpr Cycle kMaxSlowdown = 20;

/// The record of a point; its slowdown needs the first point and is filled in later.
Json slowdown_record(const Decimal& load, const RunResult& result) {
  const auto& background = result.links()->background;
  Json record{{"load", load.approximate()},    {"cycles", result.schedule_cycles()},
              {"slowdown", nullptr},           {"status", name_of(result.status)},
              {"verified", result.verified()}, {"background", nullptr}};
  if (background) {
    record["background"] = {{"offered", background->offered},   {"accepted", background->accepted},
                            {"messages", background->messages}, {"flits", background->flits},
                            {"latency_mean_cycles", nullptr},   {"latency_p99_cycles", nullptr}};
    if (const LatencySummary& latency = background->latency; latency.messages > 0) {
      record["background"]["latency_mean_cycles"] = latency.mean;
      record["background"]["latency_p99_cycles"] = latency.p99;
    }
  }
  static constexpr auto kShown = {"offered", "accepted", "latency_mean_cycles", "latency_p99_cycles"};
  Json shown;
  for (const char* const name : kShown) shown[name] = background ? record["background"][name] : Json();
  record["print"] = {{"load", load.text()}, {"background", shown}, {"objection", result.objection()}};
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

void require_possible_loads(const ExperimentConfig& config, const LoadPlan& plan) {
  for (const Decimal& load : plan.loads) {
    const ExperimentConfig each = with_load(config, load);
    if (!each.workload.background) continue;
    check_load(plan, load, [&] {
      require_possible(*each.workload.background, each.machine, each.topology, "workload.background");
      static_cast<void>(make_background_pattern(each));
    });
  }
}

/// Nine loads up to 0.9 times what links and nodes can carry.
std::vector<Decimal> chosen_loads(ExperimentConfig config) {
  const bool has_table = config.workload.advance == Advance::table;
  resolve_auto_settings(config, has_table ? make_table(config).facts : make_schedule(config)->facts());
  const TrafficConfig& traffic = *config.workload.background;
  const auto pattern = make_background_pattern(config);
  const double possible = possible_load(traffic, config.machine, config.topology);
  const double sent = mean_sent_flits(config, traffic);
  const auto load = traffic_load(config.topology, config.machine, traffic, *pattern, sent);
  const double most =
      load ? std::min(load->limit.load * mean_flits(traffic, config.machine) / sent, possible) : possible;
  std::vector<Decimal> loads;
  for (int part = 1; part < kParts; ++part) {
    loads.push_back(rounded_load(most * part / kParts));
  }
  return loads;
}

std::vector<Json> slowdown_points(ExperimentConfig config, const LoadPlan& plan, const StudyRuns& how) {
  require_possible_loads(config, plan);
  // Any load that is possible: the points replace it.
  config.workload.background->load = Decimal(0, 1'000'000'000'000'000);
  std::vector<Decimal> loads = sorted_loads(plan.loads.empty() ? chosen_loads(config) : plan.loads);
  std::erase(loads, Decimal());
  const auto run = [&](const Decimal& load) {
    return slowdown_record(load, run_experiment(with_load(config, load), {.explains_waits = false}));
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

StudyStatus status_of(const std::vector<std::vector<Json>>& curves) {
  const auto any = [&](const auto& is) {
    return std::ranges::any_of(curves, [&](const auto& points) { return std::ranges::any_of(points, is); });
  };
  if (any([](const Json& point) { return point.at("status") == name_of(RunStatus::deadlock); }))
    return StudyStatus::deadlock;
  // A schedule that does not complete alone; a later point at its limit is an answer.
  if (any([](const Json& point) { return point.at("background").is_null() && is_limit(point); }))
    return StudyStatus::limit;
  return any([](const Json& point) { return !point.at("verified").get<bool>() && !is_limit(point); })
             ? StudyStatus::not_verified
             : StudyStatus::correct;
}

CurveForm slowdown_form() {
  return {
      .key = "pattern",
      .workload = [](const ExperimentConfig& config) { return config.workload.background->pattern->name; },
      .title = "{}: {} beside it, on the {}",
      .text_columns = {{"load", "/print/load", {}, 8},
                       {"cycles", "/cycles", {}, 12},
                       in_units({"ns", "/ns", 1, 12}),
                       {"slowdown", "/slowdown", 3, 9},
                       {"offered", "/print/background/offered", 4, 10},
                       {"accepted", "/print/background/accepted", 4, 10},
                       in_units({"GB/s", "/print/background/accepted_GBps", 3, 9}),
                       {"latency", "/print/background/latency_mean_cycles", 2, 10},
                       in_units({"ns", "/print/background/latency_mean_ns", 2, 10}),
                       {"99%", "/print/background/latency_p99_cycles", {}, 8},
                       {"status", "/status", {}, 0, false}},
      .note =
          "(load, offered, accepted, latency: of the background, flits/node/cycle and cycles; cycles and "
          "slowdown: of the schedule)",
      .csv_columns = {{"load", "/print/load"},
                      {"cycles"},
                      {"slowdown"},
                      {"status"},
                      {"background_offered", "/background/offered"},
                      {"background_accepted", "/background/accepted"},
                      {"background_latency_mean_cycles", "/background/latency_mean_cycles"},
                      {"background_latency_p99_cycles", "/background/latency_p99_cycles"}},
      .x_label = "load beside the schedule (flits/node/cycle{})",
      .y_label = "time of the schedule (times that without)",
      .unit_bandwidth = flit_bandwidth,
      .unit_key = "load_unit_GBps",
      .series = "slowdown",
      .x = "load",
      .y = "slowdown",
      .objects_at =
          [](const Json& point) {
            const bool is_fine = point.at("verified").get<bool>() || is_limit(point);
            return is_fine ? "" : point.at("print").at("load").get<std::string>();
          }};
}

}  // namespace

StudyReport slowdown_study(const std::vector<StudyVariant>& variants, const LoadPlan& plan,
                           const StudyRuns& how) {
  std::vector<std::vector<Json>> curves;
  for (const StudyVariant& variant : variants) {
    with_places(variant.config, [&] {
      require_rereadable_schedule(variant.config.workload);
      curves.push_back(slowdown_points(variant.config, plan, how));
    });
  }
  StudyReport report = curves_report(slowdown_form(), variants, curves, plan.left_out);
  report.status = status_of(curves);
  return report;
}

}  // namespace flitscope
