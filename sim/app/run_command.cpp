// flitscope run: one experiment on flits.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "model/error.h"
#include "model/text.h"

#include "sim/app/command.h"
#include "sim/app/signal_cleanup.h"
#include "sim/config/config_source.h"
#include "sim/host/processor_limit.h"
#include "sim/observe/flits/flit_filter.h"
#include "sim/observe/observer.h"
#include "sim/report/channel_time.h"
#include "sim/report/heartbeat.h"
#include "sim/report/report_text.h"
#include "sim/report/result_json.h"
#include "sim/report/run_directory.h"
#include "sim/run/experiment.h"
#include "sim/verify/deadlock_check.h"

namespace flitscope::app::run_command {

namespace options = boost::program_options;

namespace {

/// One line on the terminal that is written over and over, and wiped off before anything else is said.
class ProgressLine {
 public:
  ProgressLine() = default;
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(const Progress& progress) {
    std::cerr << "\r" << progress_text(progress) << "\033[K" << std::flush;
    shown_ = true;
  }
  void clear() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
    shown_ = false;
  }

 private:
  bool shown_ = false;
};

Exit exit_code(const RunResult& result) {
  switch (result.status) {
    case RunStatus::deadlock:
      return Exit::deadlock;
    case RunStatus::limit:
      return Exit::limit;
    case RunStatus::goal_missed:
      return Exit::verification_failed;
    case RunStatus::completed:
      break;
  }
  return result.verified() ? Exit::done : Exit::verification_failed;
}

/// Says so if a run that completed might have deadlocked, at other times or with other messages.
void note_deadlock(const RunResult& result) {
  if (result.status == RunStatus::deadlock || !deserves_deadlock_check(result.config)) return;
  const DeadlockCheck check = check_deadlock(result.config, Scope::schedule);
  if (check.verdict.verdict == Verdict::free) return;
  std::cerr << fmt::format(
      "flitscope: note: the messages of this schedule {} deadlock; 'flitscope verify' says how\n",
      check.verdict.verdict == Verdict::can_deadlock ? "can" : "may");
}

std::string why_texts(const RunResult& result, const std::filesystem::path& trace,
                      const std::vector<ChannelId>& channels) {
  const Topology& topology = result.config.topology;
  const ChannelTimes times = read_channel_times(trace, topology);
  std::string text;
  for (const ChannelId channel : channels) {
    text += "\n" + why_text(topology, channel, result.cycles, times.of(channel, result.cycles));
  }
  return text;
}

Exit run(const Strings& words) {
  options::options_description own;
  add_set_option(own);
  own.add_options()(
      "out", options::value<std::string>()->value_name("DIR"),
      "write config.yaml, result.json, steps.csv, channels.csv and what `observe` asks for into a new "
      "directory")("waves", options::value<std::string>()->implicit_value("fst")->value_name("FORMAT"),
                   "write waveforms, fst or vcd, of the deadlock's nodes and the busiest channel (on a "
                   "complete network of the busiest node), or of what observe.waves names; with --out")(
      "why", options::value<Strings>()->value_name("CHANNEL"),
      "also print what this channel, such as '[1, 0]+0', does in every cycle, and why it is idle; with "
      "--out; may "
      "be repeated")("json", "print the result as JSON")("quiet", "print nothing but errors");
  const Arguments arguments("run", own, "CONFIG", words);
  if (arguments.helped()) return Exit::done;

  const std::string out = arguments.path("out");
  Strings settings = arguments.texts("set");
  if (arguments.has("waves")) settings.push_back("observe.waves.format=" + arguments.text("waves"));
  const Strings why = arguments.texts("why");
  if (!why.empty()) {
    if (out.empty())
      throw InputError("flitscope run: --why needs --out DIR: it reads the flit trace of the run");
    // All of it: others are to blame.
    settings.insert(settings.end(), {"observe.trace=binary", "observe.filter=null"});
  }
  std::optional<Heartbeat> sign;
  if (!arguments.has("quiet")) sign.emplace("flitscope run", std::cerr);
  ExperimentConfig config = load_config(arguments.required("CONFIG"), settings);
  std::vector<ChannelId> asked;
  for (const std::string& channel : why) asked.push_back(parse_channel(channel, config.topology));
  std::optional<SignalCleanup> orderly_end;
  std::optional<RunDirectory> directory;
  if (!out.empty()) {
    orderly_end.emplace("run");
    directory.emplace(out);
    directory->copy_inputs(config);
  }

  ProgressLine progress;
  RunOptions run;
  run.free_threads = processor_limit();
  if (isatty(STDERR_FILENO) != 0 && !arguments.has("quiet")) {
    run.on_progress = [&](const Progress& now) {
      sign.reset();
      progress(now);
    };
  }
  if (directory) run.observed_files = directory->path();
  if (!directory && !wanted_observers(config.settings).empty()) {
    std::cerr << "flitscope: note: observe writes its files into the directory of --out, and has no effect "
                 "without it\n";
  }
  const RunResult result = run_experiment(config, run);
  sign.reset();
  progress.clear();
  if (!arguments.has("quiet")) note_deadlock(result);

  std::string reasons;
  if (directory) {
    directory->write(result);
    if (!asked.empty()) {
      reasons = why_texts(result, directory->file("trace.bin"), asked);
    }
    directory->commit();
  }
  if (arguments.has("json")) {
    print(printable_lines(to_json(result).dump(2)) + "\n");
  } else if (!arguments.has("quiet")) {
    print(report_text(result));
  }
  if (!arguments.has("json")) print(reasons);
  return exit_code(result);
}

const CommandRegistry::Entry entry{{
    .name = "run",
    .arguments = "CONFIG",
    .summary = "Runs an experiment on flits and prints what happened.",
    .place = 10,
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::run_command
