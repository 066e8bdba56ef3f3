// Throughput and round trips of a closed loop against the requests that a node has open.
#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/text.h"
#include "sim/formats/strict_json.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/run/experiment.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

Json outstanding_record(std::uint32_t outstanding, const RunResult& result) {
  const LinkResult& links = *result.links();
  const Json protocol = protocol_json(result, *links.protocol);
  Json record{{"outstanding", outstanding}, {"status", name_of(links.traffic->status)}};
  const auto take = [&](std::initializer_list<const char*> keys) {
    for (const char* const key : keys) record[key] = protocol.at(key);
  };
  take({"round_trips_per_cycle", "bytes_per_cycle"});
  record["accepted"] = measured(*links.traffic, links.traffic->accepted);
  for (const char* const key : {"mean", "p50", "p99", "p999", "max"})
    record[fmt::format("round_trip_{}_cycles", key)] = protocol.at("round_trip").at(key);
  take({"until_issued_mean_cycles", "request_mean_cycles", "queue_mean_cycles", "service_mean_cycles",
        "reply_mean_cycles", "queue_length_mean_max", "outstanding_mean"});
  record["cycles"] = result.cycles;
  record["verified"] = result.verified();
  record["print"] = {{"deadlock", result.status == RunStatus::deadlock}, {"objection", result.objection()}};
  return record;
}

/// 1, 2, 4, .. up to what the configuration has.
std::vector<std::uint32_t> chosen(const ProtocolConfig& protocol) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t value = 1; value < *protocol.outstanding; value *= 2) values.push_back(value);
  values.push_back(*protocol.outstanding);
  return values;
}

std::vector<std::uint32_t> asked(const std::vector<Decimal>& numbers) {
  std::vector<std::uint32_t> values;
  for (const Decimal& number : sorted_loads(numbers)) {
    constexpr std::uint64_t kMost = 1'000'000;
    const std::uint64_t whole = number.times_rounded_up(1);
    if (number < Decimal(1) || number > Decimal(kMost) || number != Decimal(whole)) {
      throw InputError(
          "flitscope load: the points of a closed loop are requests that a node has open: --rates must be "
          "whole numbers from 1 to {}, not {}; for a curve against the load give requests.load",
          kMost, number.text());
    }
    values.push_back(static_cast<std::uint32_t>(whole));
  }
  return values;
}

/// Data of a request and its reply, on average, in every cycle.
double round_trip_bandwidth(const ExperimentConfig& config) {
  const ProtocolConfig& protocol = *config.workload.protocol;
  const double reads = protocol.reads.approximate();
  const double bytes = reads * static_cast<double>(protocol.request + protocol.reply) +
                       (1 - reads) * static_cast<double>(protocol.write_request + protocol.write_reply);
  return bytes / config.clock->nanoseconds(1);
}

/// The CSV has what JSON has of a record, such as this one, but not whether it is verified.
CurveForm outstanding_form(const Json& record) {
  std::vector<StudyColumn> columns;
  for (const auto& [key, value] : record.items()) {
    if (key != "verified" && key != "print") columns.push_back({key});
  }
  return {.key = "protocol",
          .workload = [](const ExperimentConfig&) { return std::string(kRequestReply); },
          .title = "{}: {} on the {}",
          .text_columns = {{"outstanding", "/outstanding", {}, 11},
                           {"requests", "/round_trips_per_cycle", 4, 10},
                           {"bytes", "/bytes_per_cycle", 2, 9},
                           in_units({"GB/s", "/GBps", 2, 9}),
                           {"flits", "/accepted", 4, 9},
                           {"round trip", "/round_trip_mean_cycles", 2, 11},
                           in_units({"ns", "/round_trip_mean_ns", 2, 11}),
                           {"99%", "/round_trip_p99_cycles", {}, 7},
                           {"99.9%", "/round_trip_p999_cycles", {}, 7},
                           {"request", "/request_mean_cycles", 2, 9},
                           {"queue", "/queue_mean_cycles", 2, 9},
                           {"service", "/service_mean_cycles", 2, 9},
                           {"reply", "/reply_mean_cycles", 2, 9},
                           {"status", "/status", {}, 0, false}},
          .note =
              "(requests and bytes: per cycle, of all nodes; flits: per node and cycle, of requests and "
              "replies; round trip, and\nits request, queue, service and reply: mean cycles)",
          .csv_columns = columns,
          .x_label = "requests that a node has open",
          .y_label = "requests answered per cycle, all nodes{}",
          .unit_bandwidth = round_trip_bandwidth,
          .unit_key = "round_trip_unit_GBps",
          .series = "throughput",
          .x = "outstanding",
          .y = "round_trips_per_cycle",
          .objects_at =
              [](const Json& point) {
                return point.at("verified").get<bool>() ? "" : point.at("outstanding").dump();
              }};
}

std::vector<Json> outstanding_points(const ExperimentConfig& config, const LoadPlan& plan,
                                     const StudyRuns& how) {
  const std::vector<std::uint32_t> values =
      plan.loads.empty() ? chosen(*config.workload.protocol) : asked(plan.loads);
  const auto names =
      texts_of(values, [](std::uint32_t value) { return fmt::format("{} outstanding", value); });
  std::vector<Json> points;
  with_places(config, [&] {
    static_cast<void>(make_traffic_patterns(config));
    points = records_of(names, how, [&](std::size_t point) {
      ExperimentConfig each = config;
      each.workload.protocol->outstanding = values[point];
      return outstanding_record(values[point], run_experiment(std::move(each), {.explains_waits = false}));
    });
  });
  require_answers(names, points);
  return points;
}

}  // namespace

StudyReport outstanding_study(const std::vector<StudyVariant>& variants, const LoadPlan& plan,
                              const StudyRuns& how) {
  std::vector<std::vector<Json>> curves;
  StudyStatus status = StudyStatus::correct;
  for (const StudyVariant& variant : variants) {
    curves.push_back(outstanding_points(variant.config, plan, how));
    status = std::max(status, status_of_points(curves.back()));
  }
  StudyReport report =
      curves_report(outstanding_form(curves.front().front()), variants, curves, plan.left_out);
  report.status = status;
  return report;
}

}  // namespace flitscope
