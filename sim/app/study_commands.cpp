// flitscope load, compare, what-if and validate: the studies of sim/studies.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <optional>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/formats/recording.h"
#include "sim/formats/schedule_lines.h"
#include "sim/host/processes.h"
#include "sim/report/plot.h"
#include "sim/report/progress.h"
#include "sim/run/workload.h"
#include "sim/studies/studies.h"
#include "sim/sweep/sweep.h"

namespace flitscope::app::study_commands {

namespace {

const Option kJobs{"jobs,j", "N", "runs at the same time (default: all cores)"};

/// Does a study with a line on standard error that shows how far it is.
template <typename Do>
auto with_progress(const Arguments& arguments, Do study) {
  ProgressLine line(std::cerr, arguments.has("quiet"));
  StudyRuns how{.workers = arguments.count("jobs", processor_limit())};
  how.on_progress = [&](const std::string& text) { line.show(text); };
  if (!arguments.has("quiet")) {
    how.on_news = [&](const std::string& text) {
      line.clear();
      std::cerr << text << '\n';
    };
  }
  return study(how);
}

Exit print_report(const Arguments& arguments, const StudyReport& report) {
  print(arguments.has("json")       ? printable_json(report.json)
        : arguments.has("csv")      ? report.csv
        : arguments.has("markdown") ? report.markdown
        : arguments.has("quiet")    ? report.brief
        : report.text.empty()       ? report.markdown
                                    : report.text);
  constexpr std::array kExits{Exit::done, Exit::verification_failed, Exit::limit, Exit::deadlock};
  return kExits[static_cast<std::size_t>(report.status)];
}

/// On standard error, beside numbers that do not have it.
void name_left_out(const Arguments& arguments, std::string_view command, const StudyReport& report) {
  if (!arguments.has("json") && !arguments.has("csv")) return;
  for (const std::string& line : report.left_out)
    std::cerr << "flitscope " << command << ": LEFT OUT: " << printable_lines(line) << '\n';
}

/// "0.1,0.2,0.25"
std::vector<Decimal> loads_of(const Arguments& arguments, const std::string& option) {
  std::vector<Decimal> loads;
  if (!arguments.has(option)) return loads;
  for (const std::string& word : parts_between_commas(arguments.text(option))) {
    const auto load = parse_decimal(word);
    if (!load.value) {
      throw InputError(
          "flitscope load: --{} must be loads with commas between them, such as 0.1,0.2; {} is none: {}",
          option, in_quotes(word), load.problem);
    }
    loads.push_back(*load.value);
  }
  return loads;
}

/// Refuses a workload that has no load to vary.
void require_load(const Arguments& arguments, const StudyVariant& variant) {
  const WorkloadConfig& workload = variant.config.workload;
  if (arguments.has("class") && workload.classes.empty()) {
    throw InputError("flitscope load: --class is for a workload with classes, which this one has not");
  }
  if (workload.background || workload.has_traffic()) return;
  throw located(variant.config,
                Inadmissible("workload",
                             "a load curve needs traffic, such as workload: {traffic: uniform}, or "
                             "workload.background beside a schedule; this workload is a schedule alone"));
}

bool is_closed_loop(const WorkloadConfig& workload) {
  return workload.protocol && workload.protocol->closed_loop;
}

/// The name of the files of its curve.
std::string curves_of(const WorkloadConfig& workload) {
  return workload.background ? "slowdown" : is_closed_loop(workload) ? "outstanding" : "load";
}

StudyReport load_study(const std::vector<StudyVariant>& variants, const LoadPlan& plan,
                       const StudyRuns& how) {
  const WorkloadConfig& first = variants.front().config.workload;
  if (first.background) return slowdown_study(variants, plan, how);
  if (is_closed_loop(first)) return outstanding_study(variants, plan, how);
  return load_report(run_load_curves(variants, plan, how), plan);
}

Exit run_load(const Arguments& arguments) {
  arguments.exclude("json", "csv");
  arguments.exclude("rates", "at");
  static_cast<void>(arguments.required("CONFIG"));
  LoadPlan plan{.loads = loads_of(arguments, "rates"), .stated = loads_of(arguments, "at")};
  const std::vector<StudyVariant> variants =
      study_variants(arguments.texts("CONFIG"), arguments.texts("set"), arguments.texts("vary"),
                     plan.left_out, arguments.text("class"));
  for (const auto& [variant, refusal] : plan.left_out)
    std::cerr << "flitscope load: LEFT OUT: " << printable(variant) << ": " << printable_lines(refusal)
              << '\n';
  const WorkloadConfig& first = variants.front().config.workload;
  const std::string name = curves_of(first);
  for (const StudyVariant& variant : variants) {
    require_load(arguments, variant);
    const WorkloadConfig& each = variant.config.workload;
    if (curves_of(each) == name && each.protocol.has_value() == first.protocol.has_value()) continue;
    throw InputError(
        "flitscope load: open traffic, open requests, closed loops, and schedules with workload.background "
        "have "
        "curves of their own; the configurations must be of one kind");
  }
  if (name != "load" && arguments.has("at")) {
    throw InputError("flitscope load: --at is for open traffic, not for closed loops or workload.background");
  }
  if (arguments.has("at")) plan.source = "--at";
  if (arguments.has("class")) plan.varied = arguments.text("class");
  const std::string picture = arguments.path("plot");
  const std::filesystem::path ending = std::filesystem::path(picture).extension();
  if (!ending.empty() && ending != ".svg" && ending != ".png") {
    throw InputError("flitscope load: --plot writes SVG and PNG; name a file .svg or .png, not {}",
                     in_quotes(picture));
  }
  const std::string out = arguments.path("out");
  // Tried before any run, and complete or not there at all.
  std::optional<SignalCleanup> cleanup;
  std::optional<RunDirectory> directory;
  if (!out.empty()) {
    cleanup.emplace("load");
    directory.emplace(out);
  }
  const StudyReport report =
      with_progress(arguments, [&](const StudyRuns& how) { return load_study(variants, plan, how); });
  if (directory) write_study(*directory, variants, name, report);
  if (!picture.empty()) write_picture(picture, report.svg, existing_of(arguments));
  name_left_out(arguments, "load", report);
  return print_report(arguments, report);
}

std::uint64_t length_of(const Arguments& arguments, const std::string& option, std::uint64_t otherwise) {
  if (!arguments.has(option)) return otherwise;
  const auto bytes = parse_bytes(arguments.text(option));
  if (bytes.value && *bytes.value > 0) return *bytes.value;
  throw InputError("flitscope compare: --{} must be a size of at least 1 byte, such as 4KiB, not {}", option,
                   in_quotes(arguments.text(option)));
}

/// --from, and its products with powers of --factor up to --to.
std::vector<std::uint64_t> lengths_of(const Arguments& arguments) {
  const unsigned factor = arguments.count("factor", 2);
  if (factor < 2) throw InputError("flitscope compare: --factor must be at least 2");
  const std::uint64_t first = length_of(arguments, "from", 1024);
  const std::uint64_t last = length_of(arguments, "to", 65536);
  if (last < first) {
    throw InputError("flitscope compare: --to must be at least --from, {}, not {}", first, last);
  }
  std::vector<std::uint64_t> list;
  for (std::uint64_t bytes = first; bytes <= last; bytes *= factor) {
    list.push_back(bytes);
    if (bytes > last / factor) break;
  }
  return list;
}

Exit run_compare(const Arguments& arguments) {
  arguments.exclude("json", "csv");
  arguments.exclude("json", "markdown");
  arguments.exclude("csv", "markdown");
  const std::string collective = arguments.required("GOAL");
  if (std::ranges::find(compared_collectives(), collective) == compared_collectives().end()) {
    throw InputError("flitscope compare: GOAL must be one of {}, not {}{}",
                     fmt::join(compared_collectives(), ", "), in_quotes(collective),
                     did_you_mean(collective, compared_collectives()));
  }
  const std::string config = arguments.path("on");
  if (config.empty()) throw InputError("flitscope compare: --on CONFIG must name the machine");
  const ComparisonPlan plan{.messages = lengths_of(arguments),
                            .only = split(arguments.text("only")),
                            .schedules = arguments.texts("schedule"),
                            .all = arguments.has("all")};
  std::optional<RunDirectory> directory;
  if (const std::string out = arguments.path("out"); !out.empty()) directory.emplace(out);
  const InterruptWatch watch;
  const StudyReport report = with_progress(arguments, [&](StudyRuns how) {
    how.keep_going = [] { return !InterruptWatch::is_interrupted(); };
    return comparison_study(collective, config, arguments.texts("set"), plan, how);
  });
  if (directory) write_study(*directory, {}, "compare", report);
  name_left_out(arguments, "compare", report);
  const Exit exit = print_report(arguments, report);
  if (InterruptWatch::is_interrupted()) {
    InterruptWatch::end("flitscope compare: interrupted; what is printed is what was done");
  }
  return exit;
}

Exit run_what_if(const Arguments& arguments) {
  arguments.exclude("json", "csv");
  const std::string config = arguments.required("CONFIG");
  return print_report(arguments, with_progress(arguments, [&](const StudyRuns& how) {
                        return what_if_study(config, arguments.texts("set"), arguments.texts("change"), how);
                      }));
}

Exit run_validate(const Arguments& arguments) {
  const std::string config = arguments.required("CONFIG");
  const std::string first = arguments.required("REFERENCE");
  const Strings files = arguments.texts("REFERENCE");
  return print_report(
      arguments, with_progress(arguments, [&](const StudyRuns& how) {
        if (is_recording(*open_file(first)))
          return recording_study(config, arguments.texts("set"), files, how);
        if (is_transfer_table(first)) return table_study(config, arguments.texts("set"), files, how);
        if (arguments.has("csv"))
          throw InputError("flitscope validate: --csv is for recordings and tables of a chip");
        if (is_rtl_data(first)) return rtl_study(config, arguments.texts("set"), files, how);
        if (files.size() > 1)
          throw InputError("flitscope validate: results of BookSim2, and measured times, are one file");
        if (is_measured(first)) return measured_study(config, arguments.texts("set"), first, how);
        std::ifstream in(first);
        if (!in) throw InputError(printable(first) + ": cannot be opened");
        const auto reference = read_reference(in, first);
        return validation_study(config, arguments.texts("set"), reference, how);
      }));
}

const CommandRegistry::Entry load_entry{{
    .name = "load",
    .arguments = "CONFIG...",
    .summary = "Runs traffic at many loads: latency against offered load, and saturation; or what it costs a "
               "schedule.",
    .place = 15,
    .options = {kSetOption,
                {.name = "vary",
                 .value = "KEY=A,B,..",
                 .summary = "a curve for each of these values, such as --vary "
                            "router.routing=dimension-order,odd-even; repeated: for each combination",
                 .repeats = true},
                {"rates", "A,B,..",
                 "loads to run, in flits per node and cycle; without it they are chosen, and saturation is "
                 "searched"},
                {"at", "A,B,..", "state the latencies at these loads in the summary, too"},
                {"class", "NAME",
                 "vary the load of this class; the others keep theirs (default: all in proportion)"},
                {"json", "", "print the curves as JSON"},
                {"csv", "", "print the points as CSV"},
                {"plot", "FILE", "draw the curves into an SVG or PNG file"},
                {"out", "DIR",
                 "write the configurations, load.json, load.csv, load-summary.csv and load.svg into a new "
                 "directory, for 'flitscope report'"},
                {"force", "", "replace the file of --plot if it is there"},
                kJobs,
                kQuietOption},
    .run = run_load,
}};

const CommandRegistry::Entry compare_entry{{
    .name = "compare",
    .arguments = "GOAL",
    .summary = "Ranks and runs the algorithms for a collective on a machine, and says which is the fastest.",
    .place = 35,
    .options = {kSetOption,
                {"on", "CONFIG", "the configuration of the machine; its workload does not count"},
                {"from", "BYTES", "the first length, of a gossip that of one node's part (default: 1KiB)"},
                {"to", "BYTES", "the last length (default: 64KiB)"},
                {"factor", "N", "from one length to the next (default: 2)"},
                {"only", "A,B", "these algorithms, with all their choices"},
                {.name = "schedule",
                 .value = "FILE",
                 .summary = "also the schedule of a file, its data scaled to each length; may be repeated",
                 .repeats = true},
                {"all", "", "run all of them, also those that a bound excludes, and with barriers, too"},
                {"out", "DIR",
                 "write config.yaml, compare.json, compare.csv and compare.md into a new directory, for "
                 "'flitscope report'"},
                {"json", "", "print a list of objects, with all numbers"},
                {"csv", "", "print a table for spreadsheets, likewise"},
                {"markdown", "", "print the tables for a page"},
                kJobs,
                kQuietOption},
    .run = run_compare,
}};

const CommandRegistry::Entry what_if_entry{{
    .name = "what-if",
    .arguments = "CONFIG",
    .summary = "Runs an experiment with one change of the machine at a time, and ranks the gains.",
    .place = 37,
    .options = {kSetOption,
                {.name = "change",
                 .value = "KEY=VALUE",
                 .summary = "try this change instead of flitscope's own list; repeated: each by itself",
                 .repeats = true},
                {"json", "", "print a list of objects, with all numbers"},
                {"csv", "", "print a table for spreadsheets, likewise"},
                kJobs,
                kQuietOption},
    .run = run_what_if,
}};

const CommandRegistry::Entry validate_entry{{
    .name = "validate",
    .arguments = "CONFIG REFERENCE...",
    .summary = "Runs what a reference has, and compares it, as Markdown: points of BookSim2, packets of "
               "router RTL, recordings of a chip, measured times.",
    .place = 45,
    .options = {kSetOption,
                {"csv", "",
                 "print a row for each barrier of recordings, or for each row of a table of transfers"},
                kJobs,
                {"quiet", "", "print only the summary, and errors"}},
    .run = run_validate,
}};

}  // namespace
}  // namespace flitscope::app::study_commands
