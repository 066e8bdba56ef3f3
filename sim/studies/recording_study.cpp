// Recordings of a chip beside their replay: barriers and kernels.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "params/settings.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/studies/errors.h"
#include "sim/studies/replay.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace recording_studies {
namespace {

using Json = nlohmann::ordered_json;

struct RecordingSettings {
  Cycle empty_barrier = 0;
};

const SettingsRegistry::Entry entry{RowSection<RecordingSettings>{
    .name = "recording",
    .summary = "the software of a chip that a recording was made on, for `flitscope validate`",
    .rows = {of_links(row(&RecordingSettings::empty_barrier,
                          {.name = "empty_barrier",
                           .type = ParameterType::cycles,
                           .summary = "a barrier with nothing outstanding ends so long after its start, no "
                                      "barrier ends earlier",
                           .unit = "cycles",
                           .minimum = 0,
                           .maximum = 1'000'000'000'000}))},
    .is_there = [](const RecordingSettings& settings) { return settings.empty_barrier != 0; }}};

/// A barrier beside its replay.
struct Compared {
  std::string kind;
  double first = 0;  ///< cycle of its first call
  double recorded = 0;
  double simulated = 0;
  std::map<std::string, double> waits;

  [[nodiscard]] double error() const { return (simulated - recorded) / (recorded - first); }
};

/// Where the packets of these barriers waited most: "no_credit at [1, 0]+0 (61%)".
std::string worst_place(std::span<const Compared* const> barriers) {
  std::map<std::string, double> waits;
  double all = 0;
  for (const Compared* const each : barriers) {
    for (const auto& [place, cycles] : each->waits) {
      waits[place] += cycles;
      all += cycles;
    }
  }
  const auto worst = std::ranges::max_element(waits, {}, [](const auto& wait) { return wait.second; });
  if (worst == waits.end()) return "-";
  return fmt::format("{} ({:.0f}%)", worst->first, 100 * worst->second / all);
}

std::vector<Compared> compare(const Recording& recording, const Json& replay, Cycle empty_barrier) {
  const auto of_calls = barriers_of_calls(recording);
  std::vector<std::optional<Compared>> barriers(recording.barriers.size());
  for (std::size_t call = 0; call < of_calls.size(); ++call) {
    if (!of_calls[call] || barriers[*of_calls[call]]) continue;
    const RecordedBarrier& barrier = recording.barriers[*of_calls[call]];
    barriers[*of_calls[call]] = Compared{
        .kind = fmt::format("{} on network {}", barrier.reads ? "read" : "write", barrier.processor.network),
        .first = static_cast<double>(recording.calls[call].cycle),
        .recorded = static_cast<double>(barrier.end),
        .simulated = static_cast<double>(barrier.start + empty_barrier),
        .waits = {}};
  }
  for (std::size_t call = 0; call < of_calls.size(); ++call) {
    if (!of_calls[call]) continue;
    Compared& barrier = *barriers[*of_calls[call]];
    barrier.simulated = std::max(barrier.simulated, replay.at("ends").at(call).get<double>());
  }
  for (const Json& wait : replay.at("waits")) {
    const auto barrier = of_calls[wait[0].get<std::size_t>()];
    if (barrier) barriers[*barrier]->waits[wait[1].get<std::string>()] += wait[2].get<double>();
  }
  std::vector<Compared> compared;
  for (auto& barrier : barriers) {
    if (barrier && barrier->recorded > barrier->first) compared.push_back(std::move(*barrier));
  }
  return compared;
}

/// A row of the table: the errors of barriers.
Json row_of(const std::string& name, std::span<const Compared* const> barriers) {
  ErrorSummary errors;
  for (const Compared* const each : barriers) errors.add(each->error());
  Json row{{"of", name}, {"barriers", errors.count()}, {"where", worst_place(barriers)}};
  errors.describe(row);
  return row;
}

/// Simulated and recorded cycles from the first call to the end of the last barrier.
std::pair<double, double> span_of(const std::vector<Compared>& barriers) {
  double first = barriers.front().first;
  double simulated = 0;
  double recorded = 0;
  for (const Compared& each : barriers) {
    first = std::min(first, each.first);
    simulated = std::max(simulated, each.simulated);
    recorded = std::max(recorded, each.recorded);
  }
  return {simulated - first, recorded - first};
}

std::vector<const Compared*> pointers_to(const std::vector<Compared>& barriers) {
  std::vector<const Compared*> pointers;
  for (const Compared& each : barriers) pointers.push_back(&each);
  return pointers;
}

}  // namespace
}  // namespace recording_studies

bool is_recording(const std::string& file) {
  const std::string text = file_text(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '[';
}

StudyReport recording_study(const std::string& config_file, std::span<const std::string> settings,
                            std::span<const std::string> files, const StudyRuns& how) {
  using namespace recording_studies;
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
  std::vector<std::vector<Compared>> compared;
  const Cycle empty_barrier = config.settings.get<RecordingSettings>().empty_barrier;
  for (std::size_t i = 0; i < recordings.size(); ++i)
    compared.push_back(compare(recordings[i], replays[i], empty_barrier));

  std::vector<StudyColumn> columns = with_errors({{"", "/of"}, {"barriers", "/barriers"}});
  columns.push_back({"waited most", "/where"});
  static const std::vector<StudyColumn> spans{
      {"recording", "/of"}, {"recorded", "/recorded"}, {"simulated", "/simulated"}, {"error", "/error"}};
  std::vector<const Compared*> all;
  std::map<std::string, std::vector<const Compared*>> kinds;
  std::vector<Json> rows;
  std::vector<Json> span_rows;
  ErrorSummary span_errors;
  std::string csv = "file,kind,first_call_cycle,recorded_end_cycle,simulated_end_cycle,error,waited_most\n";
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (compared[i].empty()) continue;
    const std::string& name = names[i];
    for (const Compared& each : compared[i]) {
      all.push_back(&each);
      kinds[each.kind].push_back(&each);
      const Compared* const one = &each;
      csv += fmt::format("{},{},{:.0f},{:.0f},{:.0f},{:.4f},\"{}\"\n", name, each.kind, each.first,
                         each.recorded, each.simulated, each.error(), worst_place(std::span(&one, 1)));
    }
    rows.push_back(row_of(name, pointers_to(compared[i])));
    const auto [simulated, recorded] = span_of(compared[i]);
    span_errors.add(simulated / recorded - 1);
    span_rows.push_back({{"of", name},
                         {"recorded", fmt::format("{:.0f}", recorded)},
                         {"simulated", fmt::format("{:.0f}", simulated)},
                         {"error", change_text(simulated, recorded, "-")}});
  }
  if (all.empty()) throw InputError("no recording has a barrier with calls: there is nothing to compare");
  for (const auto& [kind, barriers] : kinds) rows.push_back(row_of(kind, barriers));
  rows.push_back(row_of("all", all));
  StudyReport report;
  report.csv = std::move(csv);
  report.markdown = fmt::format(
      "{}: {} of {}, simulated beside recorded. Of a barrier the error is that of its end, in parts of the "
      "time "
      "since its first call.\n\n{}\nFrom the first call to the end of the last barrier, in cycles: median "
      "error "
      "{}, worst {}.\n\n{}",
      config.name, counted(all.size(), "barrier", "barriers"),
      counted(recordings.size(), "recording", "recordings"), markdown_of(table_of(columns, rows)),
      span_errors.quantile(0.5), span_errors.quantile(1), markdown_of(table_of(spans, span_rows)));
  return report;
}

}  // namespace flitscope
