// What studies of measured times share: errors in one summary, and the replay of recordings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/error.h"
#include "sim/driver/memories.h"
#include "sim/driver/schedule_driver.h"
#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/observe/flits/latency.h"
#include "sim/run/barriers.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

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
  MemoryDriver driver(calls, map, topology);
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

}  // namespace

Json replay(const ExperimentConfig& config, const Recording& recording, bool of_calls) {
  try {
    return replay_calls(config, recording, of_calls);
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

double rounded_error(double error) {
  return std::round(error * 1e4) / 1e4 + 0.0;  // 0 without a sign
}

void ErrorSummary::add(double error) {
  sizes_.push_back(std::abs(error));
}

std::string ErrorSummary::quantile(double share) const {
  return fmt::format("{:.1f}%", 100 * flitscope::quantile(sizes_, share));
}

void ErrorSummary::describe(nlohmann::ordered_json& record) const {
  record["median"] = quantile(0.5);
  record["p90"] = quantile(0.9);
  record["worst"] = quantile(1);
}

std::vector<StudyColumn> with_errors(std::vector<StudyColumn> columns) {
  columns.insert(columns.end(), {{"median error", "/median"}, {"90%", "/p90"}, {"worst", "/worst"}});
  return columns;
}

}  // namespace flitscope
