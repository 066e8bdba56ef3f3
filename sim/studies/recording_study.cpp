// Recordings of a chip beside their replay: barriers and kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "sim/config/config_source.h"
#include "sim/driver/memories.h"
#include "sim/driver/schedule_driver.h"
#include "sim/formats/strict_json.h"
#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/report/report_parts.h"
#include "sim/run/barriers.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

using Records = std::vector<const BarrierRecord*>;

/// Runs all work up to the limit of cycles, and looks for deadlocks now and then.
void run_to_end(ClockDomain& clock, Cycle limit, const std::string& file) {
  constexpr Cycle kLook = 4096;
  for (Cycle end = kLook; clock.next_work() <= limit; end += std::max(kLook, end / 16)) {
    clock.run_to(std::min(end, limit));
    if (const auto deadlock = find_deadlock(clock)) {
      throw InputError(
          "{}: the network is deadlocked since cycle {}; flitscope verify has the dependency cycle of an "
          "imported recording",
          file, deadlock->standstill);
    }
  }
}

Json replay_calls(ExperimentConfig config, const Recording& recording, bool of_calls) {
  const Topology& topology = config.topology;
  RecordedSchedule schedule(recording, topology, config.routing.value_or(topology.default_routing()),
                            replay_plan(config));
  ReplayObserver observer(schedule, topology, of_calls);
  config.workload = WorkloadConfig();
  resolve_auto_settings(config, schedule.facts());
  BarrierDriver calls(schedule, config.machine);
  calls.on_arrival([&](const ArrivedMessage& arrived) { observer.arrived(arrived); });
  const MemoryMap map = memory_map(config).value_or(MemoryMap());
  MemoryDriver driver(calls, map);
  driver.on_wait([&](const Packet& packet, Cycle cycles) { observer.waited_for_memory(packet, cycles); });
  ClockDomain clock(sc_core::sc_gen_unique_name("replay"), topology, config.machine,
                    sc_core::sc_time(1, sc_core::SC_NS), ClockTrigger::caller);
  clock.observe({.stalls = &observer});
  clock.drive(driver);
  clock.tick_at(0);
  run_to_end(clock, config.cycle_limit, recording.file);
  if (const std::uint64_t all = schedule.facts().messages; calls.messages_arrived() < all) {
    throw InputError("{}: {} of {} packets have not arrived within {} cycles", recording.file,
                     all - calls.messages_arrived(), all, config.cycle_limit);
  }
  Json waits = Json::array();
  for (const auto& [call, places] : observer.waits()) {
    for (const auto& [place, cycles] : places) waits.push_back({call, place.cause, place.place, cycles});
  }
  return {{"begins", observer.begins()}, {"ends", observer.ends()}, {"waits", std::move(waits)}};
}

/// Where the packets of these barriers waited most: "no_credit at [1, 0]+0 (61%)"; null if none waited.
Json worst_place(std::span<const BarrierRecord* const> barriers) {
  const auto [place, share] = longest_wait(barriers);
  return share == 0 ? Json() : Json(fmt::format("{} ({:.0f}%)", place.name(), 100 * share));
}

/// Those with an error.
std::vector<BarrierRecord> compare_recording(const ExperimentConfig& config, const Recording& recording,
                                             const Json& replay) {
  std::map<std::size_t, PacketWaits> waits;
  for (const Json& wait : replay.at("waits")) {
    waits[wait[0].get<std::size_t>()][{wait[1].get<std::string>(), wait[2].get<std::string>()}] =
        wait[3].get<Cycle>();
  }
  auto barriers = compare_barriers(config, recording, replay.at("begins").get<std::vector<Cycle>>(),
                                   replay.at("ends").get<std::vector<Cycle>>(), waits);
  std::erase_if(barriers, [](const BarrierRecord& each) { return !each.takes_time(); });
  return barriers;
}

/// A row of the table: the errors of barriers.
Json row_of(const std::string& name, std::span<const BarrierRecord* const> barriers) {
  ErrorSummary errors;
  for (const BarrierRecord* const each : barriers) errors.add(each->error());
  Json row{{"", name}, {"barriers", errors.count()}};
  errors.describe(row);
  row["waited most"] = worst_place(barriers);
  return row;
}

/// Simulated and recorded cycles from the first call to the end of the last barrier.
std::pair<double, double> span_of(const std::vector<BarrierRecord>& barriers) {
  Cycle first = kNever;
  Cycle simulated_first = kNever;
  Cycle simulated = 0;
  Cycle recorded = 0;
  for (const BarrierRecord& each : barriers) {
    first = std::min(first, each.first_call);
    simulated_first = std::min(simulated_first, each.replayed_first_call);
    simulated = std::max(simulated, each.replayed_end);
    recorded = std::max(recorded, each.end);
  }
  return {static_cast<double>(simulated - simulated_first), static_cast<double>(recorded - first)};
}

/// What CSV and the table of the largest errors have of a barrier; "size" is that of its error.
Json barrier_record(const std::string& name, const BarrierRecord& barrier) {
  const BarrierRecord* const one = &barrier;
  return {{"file", name},
          {"processor", barrier.processor.text()},
          {"kind", barrier.kind()},
          {"first_call_cycle", barrier.first_call},
          {"recorded_end_cycle", barrier.end},
          {"simulated_end_cycle", barrier.replayed_end},
          {"recorded", barrier.end - barrier.first_call},
          {"simulated", barrier.replayed_end - barrier.replayed_first_call},
          {"size", std::abs(barrier.error())},
          {"error", rounded_error(barrier.error())},
          {"change", percent_text(barrier.error())},
          {"waited_most", worst_place(std::span(&one, 1))}};
}

/// The barriers with the largest errors.
std::vector<Json> worst_of(std::vector<Json> barriers) {
  constexpr std::size_t kWorstBarriers = 10;
  std::ranges::stable_sort(barriers, std::greater(),
                           [](const Json& each) { return each.at("size").get<double>(); });
  barriers.resize(std::min(barriers.size(), kWorstBarriers));
  return barriers;
}

}  // namespace

Json replay(const ExperimentConfig& config, const Recording& recording, bool of_calls) {
  try {
    return replay_calls(config, recording, of_calls);
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

StudyReport recording_study(const std::string& config_file, std::span<const std::string> settings,
                            std::span<const std::string> files, const StudyRuns& how) {
  const ExperimentConfig config = load_config(config_file, settings);
  std::vector<Recording> recordings;
  std::vector<std::string> names;
  for (const std::string& file : files) {
    recordings.push_back(read_recording(file_text(file), file));
    names.push_back(std::filesystem::path(file).stem().string());
  }
  const std::vector<Json> replays =
      records_of(names, how, [&](std::size_t run) { return replay(config, recordings[run]); });
  require_answers(names, replays);
  std::vector<std::vector<BarrierRecord>> compared;
  for (std::size_t i = 0; i < recordings.size(); ++i)
    compared.push_back(compare_recording(config, recordings[i], replays[i]));

  static const std::vector<StudyColumn> worst{{"recording", "/file"},
                                              {"processor"},
                                              {"", "/kind"},
                                              {"recorded"},
                                              {"simulated"},
                                              {"error", "/change"},
                                              {"waited most", "/waited_most"}};
  std::map<std::string, Records> kinds;
  std::vector<Json> rows;
  std::vector<Json> span_rows;
  ErrorSummary span_errors;
  static const std::vector<StudyColumn> of_csv{
      {"file"},  {"kind"},       {"first_call_cycle"}, {"recorded_end_cycle"}, {"simulated_end_cycle"},
      {"error"}, {"waited_most"}};
  std::vector<Json> barriers;
  Records all;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (compared[i].empty()) continue;
    const std::string& name = names[i];
    for (const BarrierRecord& each : compared[i]) {
      barriers.push_back(barrier_record(name, each));
      all.push_back(&each);
      kinds[each.kind()].push_back(&each);
    }
    rows.push_back(row_of(name, std::span(all).last(compared[i].size())));
    const auto [simulated, recorded] = span_of(compared[i]);
    span_errors.add(simulated / recorded - 1);
    span_rows.push_back({{"recording", name},
                         {"recorded", fmt::format("{:.0f}", recorded)},
                         {"simulated", fmt::format("{:.0f}", simulated)},
                         {"error", change_text(simulated, recorded, "-")}});
  }
  if (all.empty()) throw InputError("no recording has a barrier with calls: there is nothing to compare");
  for (const auto& [kind, of_kind] : kinds) rows.push_back(row_of(kind, of_kind));
  rows.push_back(row_of("all", all));
  StudyReport report;
  report.csv = to_csv(table_of(of_csv, barriers));
  report.brief = fmt::format(
      "{}: {} of {}, simulated beside recorded. Of a barrier the error is that of its end, in parts of the "
      "time since its first call.\n\n{}\nFrom the first call to the end of the last barrier, in cycles: "
      "median error {}, worst {}.\n",
      config.name, counted(all.size(), "barrier"), counted(recordings.size(), "recording"),
      to_markdown(table_of(rows)), span_errors.quantile(0.5), span_errors.quantile(1));
  report.markdown = fmt::format(
      "{}\n{}\nThe barriers with the largest errors, in cycles since their first calls:\n\n{}", report.brief,
      to_markdown(table_of(span_rows)), to_markdown(table_of(worst, worst_of(barriers))));
  return report;
}

}  // namespace flitscope
