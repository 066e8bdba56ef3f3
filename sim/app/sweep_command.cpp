// flitscope sweep: many runs, on all cores or on a cluster.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/app/command.h"
#include "sim/app/sweep_progress.h"
#include "sim/host/processor_limit.h"
#include "sim/report/output_file.h"
#include "sim/sweep/job.h"
#include "sim/sweep/launcher.h"
#include "sim/sweep/sweep_check.h"
#include "sim/sweep/sweep_directory.h"

namespace flitscope::app::sweep_command {

namespace options = boost::program_options;
namespace fs = std::filesystem;

namespace {

volatile std::sig_atomic_t interrupted = 0;

/// While it lives, Ctrl-C and SIGTERM are noted, so that the sweep can end in good order.
class InterruptWatch {
 public:
  InterruptWatch() {
    for (const int signal : kSignals) std::signal(signal, [](int number) { interrupted = number; });
  }
  ~InterruptWatch() {
    for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  static constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
};

/// "run-time", "slurm-at-once".
std::string option_name(const Section& section, const Key& key) {
  std::string name = section.name + "-" + key.parameter.name;
  std::ranges::replace(name, '_', '-');
  return name;
}

void add_batch_options(options::options_description& own) {
  for (const Section& section : batch_sections()) {
    for (const Key& key : section.keys) {
      own.add_options()(option_name(section, key).c_str(), options::value<std::string>()->value_name("VALUE"),
                        key.parameter.summary.c_str());
    }
  }
}

std::vector<BatchOption> batch_options(const Arguments& arguments) {
  std::vector<BatchOption> given;
  for (const Section& section : batch_sections()) {
    for (const Key& key : section.keys) {
      const std::string name = option_name(section, key);
      if (arguments.has(name)) given.push_back({section.name, key, arguments.text(name)});
    }
  }
  return given;
}

std::string launcher_of(const Arguments& arguments) {
  const std::vector<std::string> launchers{"local", "slurm", "commands"};
  const std::string name = arguments.has("launcher") ? arguments.text("launcher") : "local";
  if (std::ranges::count(launchers, name) > 0) return name;
  throw InputError(fmt::format("flitscope sweep: --launcher must be local, slurm or commands, not {}{}",
                               in_quotes(name), did_you_mean(name, launchers)));
}

/// Statuses of the table, and how many runs have each.
std::map<std::string, std::size_t> statuses(const Store& store) {
  std::map<std::string, std::size_t> counts;
  const Table table = store.select({"status"});
  for (const auto& row : table.rows) ++counts[row[0].is_string() ? row[0].get<std::string>() : "?"];
  return counts;
}

/// The gravest of what happened to the runs.
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
  std::string text;
  for (const auto& [status, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
    rows += count;
  }
  if (const std::size_t all = sweep.runs().size(); rows < all) {
    text += fmt::format("{}{} missing", text.empty() ? "" : ", ", all - rows);
  }
  return fmt::format("{}: {}", counted(sweep.runs().size(), "run", "runs"), text);
}

/// What would run. With a store, whether it has been run.
Table plan_of(const Sweep& sweep, const Store* store) {
  const auto done = store == nullptr ? std::set<std::string>() : store->done();
  Table table;
  for (std::size_t i = 0; i < sweep.runs().size(); ++i) {
    nlohmann::ordered_json labels = sweep.labels(i);
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
  text += "\n" + counted(table.rows.size(), "run", "runs");
  if (sweep.excluded() > 0)
    text += fmt::format(", {} excluded", counted(sweep.excluded(), "point", "points"));
  print(text + "\n");
}

void require_new_or_resumed(const fs::path& out, bool resume) {
  std::error_code ignored;
  const bool is_new = !fs::exists(out, ignored) || fs::is_empty(out, ignored);
  const bool is_ours = SweepDirectory::is_one(out);
  if (is_new || (resume && is_ours)) return;
  throw OutputError(
      is_ours ? fmt::format("{}: holds a sweep already; continue it with --resume, or name a new "
                            "directory with --out",
                            out.string())
              : fmt::format("{}: exists and holds no sweep; name a new directory with --out", out.string()));
}

/// As a program that does not catch the signal ends.
Exit end_interrupted() {
  std::cerr << "flitscope sweep: interrupted; --resume runs what is missing\n";
  std::signal(interrupted, SIG_DFL);
  std::raise(interrupted);
  return Exit::internal_error;
}

/// Runs what is to be run; false if it was interrupted or waits for others.
bool launch(const Launch& what, const std::string& launcher, unsigned workers, const Arguments& arguments) {
  if (launcher == "local") return launch_locally(what, workers);
  if (launcher == "slurm") return launch_on_slurm(what, arguments.has("detach"));
  std::string lines;
  for (const std::string& command : commands_for(what)) lines += command + "\n";
  print(lines);
  return true;
}

Sweep read_sweep_file(const fs::path& file, const Arguments& arguments, bool quiet) {
  CheckProgress progress("reading", quiet);
  return Sweep(file, arguments.texts("set"), batch_options(arguments),
               [&](std::uint64_t read, std::uint64_t points) { progress.show(read, points); });
}

Exit run(const Strings& words) {
  options::options_description own;
  add_set_option(own);
  own.add_options()("out", options::value<std::string>()->value_name("DIR"),
                    "directory of the results (default: CONFIG's name with .sweep)")(
      "resume", "run only what DIR does not have")("dry-run", "list what would run, and stop")(
      "jobs,j", options::value<std::string>()->value_name("N"),
      "runs at the same time (default: one a core)")(
      "launcher", options::value<std::string>()->value_name("local|slurm|commands"),
      "this machine, a Slurm cluster, or print a command for each run")(
      "detach", "with slurm: hand over and do not wait; --resume collects later")("quiet",
                                                                                  "print nothing but errors");
  add_batch_options(own);
  const Arguments arguments("sweep", own, "CONFIG", words);
  if (arguments.helped()) return Exit::done;

  const std::string launcher = launcher_of(arguments);
  if (arguments.has("detach") && launcher != "slurm") {
    throw InputError("flitscope sweep: --detach goes with --launcher slurm");
  }
  const unsigned workers = arguments.count("jobs", processor_limit());
  const fs::path file = arguments.required("CONFIG");
  const fs::path out = arguments.has("out") ? fs::path(arguments.path("out")) : file.stem().concat(".sweep");
  const bool quiet = arguments.has("quiet");

  const Sweep sweep = read_sweep_file(file, arguments, quiet);
  {
    CheckProgress progress("checking", quiet);
    check_runs(sweep, workers, [&](std::size_t checked) { progress.show(checked, sweep.runs().size()); });
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
  for (const fs::path& refused : collect(directory, store).refused) std::cerr << refusal_of(refused) << '\n';
  store.begin(sweep);
  Launch what{sweep, directory, store, {}, {}, [] { return interrupted == 0; }};
  SweepProgress progress(what.missing().size(), quiet);
  what.on_record = [&](const RunRecord& record) { progress.add(record.value("verified", false)); };
  what.on_note = [&](const std::string& text) { progress.note(text); };
  const bool ended = launch(what, launcher, workers, arguments);
  progress.note(summary(store, sweep) + "; " + directory.path().string());
  write_file(directory.csv(), to_csv(store.select(store.columns())), Existing::replace);
  store.settle();
  if (!ended) return end_interrupted();
  const bool complete = what.missing().empty();
  if (complete) remove_jobs(directory);
  const bool left_to_others = launcher == "commands" || arguments.has("detach");
  return !complete && left_to_others ? Exit::done : exit_code(store);
}

const CommandRegistry::Entry entry{{
    .name = "sweep",
    .arguments = "CONFIG",
    .summary = "Runs all experiments that a configuration with a sweep stands for.",
    .place = 50,
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::sweep_command
