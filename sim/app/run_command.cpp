// flitscope run: one experiment on flits.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/host/processes.h"
#include "sim/observe/flits/flit_event.h"
#include "sim/observe/observer.h"
#include "sim/report/channel_time.h"
#include "sim/report/progress.h"
#include "sim/report/run_directory.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"
#include "sim/verify/deadlock_check.h"

namespace flitscope::app::run_command {

namespace {

namespace fs = std::filesystem;

Exit exit_code(const RunResult& result) {
  if (result.status == RunStatus::deadlock) return Exit::deadlock;
  if (result.status == RunStatus::limit) return Exit::limit;
  return result.verified() ? Exit::done : Exit::verification_failed;
}

/// Notes on standard error that a run that completed might have deadlocked, at other times or with other
/// messages.
void note_deadlock(const RunResult& result) {
  if (result.status == RunStatus::deadlock || !needs_deadlock_check(result.config)) return;
  const DeadlockCheck check = check_deadlock(result.config, Scope::schedule);
  if (check.analysis.verdict == DeadlockVerdict::free) return;
  std::cerr << fmt::format(
      "flitscope: note: the messages of this schedule {} deadlock; 'flitscope verify' says how\n",
      check.analysis.verdict == DeadlockVerdict::can_deadlock ? "can" : "may");
}

/// What channels do in every cycle, by the flit trace of the run.
struct Reasons {
  std::string text;
  Json json = Json::array();
};

Reasons reasons_of(const RunResult& result, const fs::path& trace, const std::vector<ChannelId>& channels) {
  const Topology& topology = result.config.topology;
  const ChannelTimes times = read_channel_times(trace, topology, result.config.machine);
  const Cycle cycles = times.cycles_run(result.counted_cycles());
  Reasons reasons;
  for (const ChannelId channel : channels) {
    const ChannelTime time = times.of(channel, cycles);
    reasons.text += "\n" + why_text(topology, channel, cycles, time);
    reasons.json.push_back(why_json(topology, channel, time));
  }
  return reasons;
}

/// Runs, and writes into `directory` if there is one.
Exit run_into(RunDirectory* directory, ExperimentConfig& config, const std::vector<ChannelId>& why,
              std::optional<Heartbeat>& heartbeat, const Arguments& arguments) {
  if (directory != nullptr) directory->copy_inputs(config);
  ProgressLine line(std::cerr, arguments.has("quiet"));
  RunOptions run;
  run.free_threads = processor_limit();
  if (line.is_on_terminal()) {
    run.on_progress = [&](const Progress& now) {
      heartbeat.reset();
      line.show(progress_text(now));
    };
  }
  if (directory != nullptr) run.observed_files = directory->path();
  if (directory == nullptr && !wanted_observers(config.settings).empty()) {
    std::cerr << "flitscope: note: observe writes its files into the directory of --out, and has no effect "
                 "without it\n";
  }
  const RunResult result = run_experiment(config, run);
  heartbeat.reset();
  line.clear();
  if (!arguments.has("quiet")) note_deadlock(result);

  Reasons reasons;
  if (directory != nullptr) {
    directory->write(result);
    directory->commit();
    if (!why.empty()) reasons = reasons_of(result, fs::path(arguments.path("out")) / "trace.bin", why);
  }
  if (arguments.has("json")) {
    Json json = to_json(result);
    if (!why.empty()) json["why"] = std::move(reasons.json);
    print(printable_json(json.dump(2)) + "\n");
  } else if (!arguments.has("quiet")) {
    print(report_text(result));
  }
  if (!arguments.has("json")) print(reasons.text);
  return exit_code(result);
}

Exit run(const Arguments& arguments) {
  const std::string out = arguments.path("out");
  Strings settings = arguments.texts("set");
  if (arguments.has("waves")) settings.push_back("observe.waves.format=" + arguments.text("waves"));
  const Strings why = arguments.texts("why");
  if (!why.empty()) {
    if (out.empty())
      throw InputError("flitscope run: --why needs --out DIR: it reads the flit trace of the run");
    // The whole trace: the cause of a wait lies in other channels.
    settings.insert(settings.end(), {"observe.trace=binary", "observe.filter=null"});
  }
  std::optional<Heartbeat> heartbeat;
  if (!arguments.has("quiet")) heartbeat.emplace("flitscope run", std::cerr);
  ExperimentConfig config = load_config(arguments.required("CONFIG"), settings);
  std::vector<ChannelId> asked;
  for (const std::string& channel : why) asked.push_back(parse_channel(channel, config.topology));
  if (out.empty()) return run_into(nullptr, config, asked, heartbeat, arguments);
  const SignalCleanup cleanup("run");
  RunDirectory directory(out);
  Exit exit = Exit::done;
  directory.with_names([&] { exit = run_into(&directory, config, asked, heartbeat, arguments); });
  return exit;
}

const CommandRegistry::Entry entry{{
    .name = "run",
    .arguments = "CONFIG",
    .summary = "Runs an experiment on flits and prints what happened.",
    .place = 10,
    .options =
        {kSetOption,
         {"out", "DIR",
          "write config.yaml, result.json, steps.csv, channels.csv and what `observe` asks for into a "
          "new directory"},
         {.name = "waves",
          .value = "FORMAT",
          .summary =
              "write waveforms, fst (default) or vcd, of the deadlock's nodes and the busiest channel (on a "
              "complete network of the busiest node), or of what observe.waves names; with --out",
          .implied = "fst"},
         {.name = "why",
          .value = "CHANNEL",
          .summary = "also print what this channel, such as '[1, 0]+0', does in every cycle, and why "
                     "it is idle; with --out; may be repeated",
          .repeats = true},
         {"json", "", "print the result as JSON"},
         kQuietOption},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::run_command
