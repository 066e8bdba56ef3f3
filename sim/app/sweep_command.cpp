// flitscope sweep: many runs, on all cores or on a cluster. flitscope work: a task of such a sweep elsewhere.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/formats/strict_json.h"
#include "sim/host/processes.h"
#include "sim/report/output_file.h"
#include "sim/report/progress.h"
#include "sim/sweep/launcher.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_directory.h"

namespace flitscope::app::sweep_command {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

/// "45 s", "12 min 5 s", "3 h 20 min".
std::string duration_text(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

/// A bar with rate and remaining time on a terminal; elsewhere a line for every tenth of the runs.
class SweepProgress {
 public:
  SweepProgress(std::size_t total, bool quiet)
      : total_(std::max<std::size_t>(total, 1)), quiet_(quiet), line_(std::cerr, quiet) {}

  /// One more run is done.
  void add(bool is_verified) {
    ++done_;
    unverified_ += is_verified ? 0 : 1;
    if (!quiet_) show();
  }
  /// A line of its own.
  void note(const std::string& text) {
    if (quiet_) return;
    line_.clear();
    std::cerr << text << '\n';
  }

 private:
  [[nodiscard]] std::string text() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
    std::string text = fmt::format("{} of {} runs, {:.3g} runs/s", done_, total_, rate);
    if (rate > 0 && done_ < total_)
      text += fmt::format(", {} left", duration_text(static_cast<double>(total_ - done_) / rate));
    if (unverified_ > 0) text += fmt::format(", {} not verified", unverified_);
    return text;
  }

  void show() {
    if (!line_.is_on_terminal()) {
      const std::size_t tenth = done_ * 10 / total_;
      if (tenth != shown_tenth_) std::cerr << text() << '\n';
      shown_tenth_ = tenth;
      return;
    }
    constexpr std::size_t kBarWidth = 24;
    line_.show(fmt::format("[{:<{}}] {}", std::string(done_ * kBarWidth / total_, '#'), kBarWidth, text()));
  }

  std::size_t total_;
  bool quiet_;
  ProgressLine line_;
  std::size_t done_ = 0;
  std::size_t unverified_ = 0;
  Clock::time_point start_ = Clock::now();
  std::size_t shown_tenth_ = 0;
};

std::vector<Option> options() {
  std::vector<Option> list{
      kSetOption,
      {"out", "DIR", "directory of the results (default: CONFIG's name with .sweep)"},
      {"resume", "", "run only what DIR does not have"},
      {"dry-run", "", "list what would run, and stop"},
      {"jobs,j", "N", "runs at the same time (default: one a core)"},
      {"launcher", "local|slurm|commands", "this machine, a Slurm cluster, or print a command for each run"},
      {"detach", "", "with slurm: hand over and do not wait; --resume collects later"},
      kQuietOption};
  for (const BatchSection& section : batch_sections()) {
    for (const BatchKey& key : section.keys) {
      list.push_back({BatchOption::name_of(section, key), "VALUE", key.summary});
    }
  }
  return list;
}

std::vector<BatchOption> batch_options(const Arguments& arguments) {
  std::vector<BatchOption> given;
  for (const BatchSection& section : batch_sections()) {
    for (const BatchKey& key : section.keys) {
      const std::string name = BatchOption::name_of(section, key);
      if (arguments.has(name)) given.push_back({section, key, arguments.text(name)});
    }
  }
  return given;
}

/// Statuses of the table, and how many runs have each.
std::map<std::string, std::size_t> statuses(const Store& store) {
  std::map<std::string, std::size_t> counts;
  const Table table = store.select({"status"});
  for (const auto& row : table.rows) ++counts[row[0].is_string() ? row[0].get<std::string>() : "?"];
  return counts;
}

/// The exit code of the gravest status.
Exit exit_code(const Store& store) {
  const auto counts = statuses(store);
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return counts.contains(name); });
  };
  if (any({"crashed", "killed", "?"})) return Exit::internal_error;
  if (any({"refused"})) return Exit::bad_input;
  if (any({"goal-missed", "illegal"})) return Exit::verification_failed;
  if (any({"deadlock"})) return Exit::deadlock;
  if (any({"limit", "time-limit", "memory-limit"})) return Exit::limit;
  const Table verified = store.select({"verified"});
  return std::ranges::all_of(verified.rows, [](const auto& row) { return row[0] == true; })
             ? Exit::done
             : Exit::verification_failed;
}

std::string summary(const Store& store, const Sweep& sweep) {
  const auto counts = statuses(store);
  std::size_t rows = 0;
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, status));
    rows += count;
  }
  const std::size_t all = sweep.runs().size();
  if (rows < all) parts.push_back(fmt::format("{} missing", all - rows));
  return fmt::format("{}: {}", counted(all, "run"), fmt::join(parts, ", "));
}

/// The runs of a sweep, and which of them the store has.
Table plan_of(const Sweep& sweep, const Store* store) {
  const auto done = store == nullptr ? std::set<std::string>() : store->done();
  Table table;
  for (std::size_t i = 0; i < sweep.runs().size(); ++i) {
    Json labels = sweep.labels(i);
    labels["state"] = done.contains(labels["id"].get<std::string>()) ? "done" : "to run";
    if (i == 0) {
      for (const auto& [name, value] : labels.items()) table.columns.push_back(name);
    }
    auto& row = table.rows.emplace_back();
    for (const auto& [name, value] : labels.items()) row.push_back(value);
  }
  return table;
}

void dry_run(const Sweep& sweep, const fs::path& out) {
  const fs::path file = SweepDirectory::store_in(out);
  const auto store = fs::exists(file) ? std::make_unique<Store>(file, Store::Access::read) : nullptr;
  const Table table = plan_of(sweep, store.get());
  std::string text = to_text(table);
  text += "\n" + counted(table.rows.size(), "run");
  if (sweep.excluded() > 0) text += fmt::format(", {} excluded", counted(sweep.excluded(), "point"));
  print(text + "\n");
}

void require_new_or_resumed(const fs::path& out, bool resume) {
  std::error_code ignored;
  const bool is_new = !fs::exists(out, ignored) || fs::is_empty(out, ignored);
  const bool is_sweep = SweepDirectory::is_one(out);
  if (is_new || (resume && is_sweep)) return;
  throw OutputError(
      is_sweep
          ? fmt::format(
                "{}: holds a sweep already; continue it with --resume, or name a new directory with --out",
                printable(out.string()))
          : fmt::format("{}: exists and holds no sweep; name a new directory with --out",
                        printable(out.string())));
}

/// Runs what is missing; false if it was interrupted.
bool launch(const Launch& what, const std::string& launcher, unsigned workers, const Arguments& arguments) {
  if (launcher == "local") return launch_locally(what, workers);
  if (launcher == "slurm") return launch_on_slurm(what, arguments.has("detach"));
  std::string lines;
  for (const std::string& command : commands_for(what)) lines += command + "\n";
  print(lines);
  return true;
}

/// How many runs are read or checked before the first one begins.
void show_before_runs(ProgressLine& line, const char* activity, std::uint64_t done, std::uint64_t total) {
  line.show(fmt::format("{} before the first run: {} of {} runs", activity, done, total));
}

Sweep read_sweep_file(const fs::path& file, const Arguments& arguments, bool quiet) {
  ProgressLine line(std::cerr, quiet);
  return Sweep(
      file, arguments.texts("set"), batch_options(arguments),
      [&](std::uint64_t read, std::uint64_t points) { show_before_runs(line, "reading", read, points); });
}

Exit run(const Arguments& arguments) {
  const std::string launcher = arguments.choice("launcher", {"local", "slurm", "commands"});
  if (arguments.has("detach") && launcher != "slurm") {
    throw InputError("flitscope sweep: --detach goes with --launcher slurm");
  }
  for (const BatchOption& option : batch_options(arguments)) {
    if (option.section.name == "slurm" && launcher != "slurm") {
      throw InputError("flitscope sweep: --{} goes with --launcher slurm",
                       BatchOption::name_of(option.section, option.key));
    }
  }
  const unsigned workers = arguments.count("jobs", processor_limit());
  const fs::path file = arguments.required("CONFIG");
  const fs::path out = arguments.has("out") ? fs::path(arguments.path("out")) : file.stem().concat(".sweep");
  const bool quiet = arguments.has("quiet");
  if (launcher == "slurm" && fs::absolute(out).string().find('\\') != std::string::npos) {
    // In a name with \ Slurm replaces nothing, so that all tasks would write one log.
    throw InputError(
        "{}: Slurm has no logs for each task in a directory with \\ in its path; name another "
        "directory with --out",
        printable(fs::absolute(out).string()));
  }

  const Sweep sweep = read_sweep_file(file, arguments, quiet);
  {
    ProgressLine line(std::cerr, quiet);
    check_runs(sweep, workers, [&](std::size_t checked) {
      show_before_runs(line, "checking", checked, sweep.runs().size());
    });
  }
  for (const SourceLocation& place : sweep.idle_exclusions()) {
    if (!quiet) std::cerr << place.text() << ": note: this excludes nothing\n";
  }
  if (arguments.has("dry-run")) {
    dry_run(sweep, out);
    return Exit::done;
  }

  const InterruptWatch watch;
  require_new_or_resumed(out, arguments.has("resume"));
  const SweepDirectory directory(out);
  Store store(directory.store(), Store::Access::write);
  for (const std::string& refusal : collect(directory, store).refused) std::cerr << refusal << '\n';
  store.begin(sweep);
  Launch what{sweep, directory, store, {}, {}, [] { return !InterruptWatch::is_interrupted(); }};
  SweepProgress progress(what.missing().size(), quiet);
  what.on_record = [&](const RunRecord& record) { progress.add(record.value("verified", false)); };
  what.on_note = [&](const std::string& text) { progress.note(text); };
  const bool ended = launch(what, launcher, workers, arguments);
  progress.note(summary(store, sweep) + "; " + printable(directory.path().string()));
  write_file(directory.csv(), to_csv(store.select(store.columns())), Existing::replace);
  store.settle();
  if (!ended) {
    InterruptWatch::end("flitscope sweep: interrupted; --resume runs what is missing");
  }
  const bool complete = what.missing().empty();
  if (complete) remove_jobs(directory);
  const bool is_detached = launcher == "commands" || arguments.has("detach");
  return !complete && is_detached ? Exit::done : exit_code(store);
}

const CommandRegistry::Entry entry{{
    .name = "sweep",
    .arguments = "CONFIG",
    .summary = "Runs all experiments of a configuration with a sweep.",
    .place = 50,
    .options = options(),
    .run = run,
}};

Exit run_work(const Arguments& arguments) {
  const Job job = read_job(arguments.required("JOB"));
  const std::uint64_t task = arguments.number("task");
  if (task >= job.tasks()) {
    throw InputError("flitscope work: {} has tasks 0 to {}, and no task {}", job.directory.string(),
                     job.tasks() - 1, task);
  }
  const SignalCleanup cleanup("work");
  work_on(job, task * job.runs_per_task, job.runs_per_task, arguments.count("jobs", 1));
  return Exit::done;
}

const CommandRegistry::Entry work_entry{{
    .name = "work",
    .arguments = "JOB",
    .summary = "Does a task of a sweep that was handed to other machines.",
    .place = 70,
    .options = {{"task", "N", "which task of the job, from 0"},
                {"jobs,j", "N", "runs at the same time (default: 1)"}},
    .run = run_work,
}};

}  // namespace
}  // namespace flitscope::app::sweep_command
