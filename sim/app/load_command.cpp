// flitscope load: latency against offered load; with a background, the time of a schedule against its load.
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/app/command.h"
#include "sim/app/signal_cleanup.h"
#include "sim/config/config_source.h"
#include "sim/host/process_limits.h"
#include "sim/report/plot.h"
#include "sim/studies/load_curve.h"
#include "sim/studies/load_directory.h"
#include "sim/studies/load_report.h"
#include "sim/studies/slowdown_curve.h"
#include "sim/studies/slowdown_report.h"

namespace flitscope::app::load_command {

namespace {

/// "0.1,0.2,0.25"
std::vector<Decimal> loads_from(const std::string& text) {
  std::vector<Decimal> loads;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, comma - from);
    const auto load = parse_decimal(word);
    if (!load.value) {
      throw InputError(
          fmt::format("flitscope load: --rates must be loads with commas between them, such as "
                      "0.1,0.2; {} is none: {}",
                      in_quotes(word), load.problem));
    }
    loads.push_back(*load.value);
    from = comma + 1;
  }
  return loads;
}

/// One line on the terminal that is written over and over.
class Progress {
 public:
  explicit Progress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(const Decimal& load, const char* status, std::size_t done) const {
    if (!shown_) return;
    std::cerr << fmt::format("\r{} points done; {}: {}\033[K", done, load.text(), status) << std::flush;
  }

 private:
  bool shown_;
};

Exit exit_code(const LoadCurve& curve) {
  const auto& points = curve.points;
  if (std::ranges::any_of(points, &LoadPoint::deadlock)) return Exit::deadlock;
  const auto unfinished = [](const LoadPoint& point) {
    return point.traffic.status == TrafficStatus::unfinished;
  };
  if (std::ranges::any_of(points, unfinished)) return Exit::limit;
  return std::ranges::all_of(points, &LoadPoint::verified) ? Exit::done : Exit::verification_failed;
}

unsigned workers_of(const Arguments& arguments) {
  return arguments.count("jobs", processor_limit());
}

std::vector<Decimal> rates_of(const Arguments& arguments) {
  return arguments.has("rates") ? loads_from(arguments.text("rates")) : std::vector<Decimal>();
}

/// That of --out, if it is wanted: tried before any run, and complete or not there at all.
class Directory {
 public:
  explicit Directory(const Arguments& arguments) {
    const std::string out = arguments.path("out");
    if (out.empty()) return;
    orderly_end_.emplace("load");
    directory_.emplace(out);
  }

  template <typename Write>
  void fill(Write write) {
    if (!directory_) return;
    write(*directory_);
    directory_->commit();
  }

 private:
  std::optional<SignalCleanup> orderly_end_;
  std::optional<RunDirectory> directory_;
};

/// Latency against the load of the traffic.
Exit run_load(const ExperimentConfig& config, const Arguments& arguments) {
  LoadPlan plan{.loads = rates_of(arguments), .workers = workers_of(arguments), .on_point = {}};
  if (arguments.has("class")) plan.varied = arguments.text("class");
  const std::string picture = arguments.path("plot");
  Directory directory(arguments);
  LoadCurve curve;
  {
    const Progress progress(arguments.has("quiet"));
    plan.on_point = [&](const LoadPoint& point, std::size_t done) {
      progress(point.load, name_of(point.traffic.status), done);
    };
    curve = run_load_curve(config, plan);
  }
  directory.fill([&](const RunDirectory& files) { write_load_files(files, config, curve); });
  if (!picture.empty()) write_picture(picture, load_svg(config, curve), existing_of(arguments));
  if (arguments.has("json")) {
    print(printable_lines(load_json(config, curve).dump(2)) + "\n");
  } else {
    print(arguments.has("csv") ? load_csv(config, curve) : load_text(config, curve));
  }
  return exit_code(curve);
}

Exit exit_code(const std::vector<SlowdownPoint>& points) {
  const auto is = [&](RunStatus status) {
    return std::ranges::count(points, status, &SlowdownPoint::status) > 0;
  };
  if (is(RunStatus::deadlock)) return Exit::deadlock;
  // A point that is given up is an answer; without a first one there is none.
  if (points.front().status == RunStatus::limit) return Exit::limit;
  const auto is_correct = [](const SlowdownPoint& point) {
    return point.verified || point.status == RunStatus::limit;
  };
  return std::ranges::all_of(points, is_correct) ? Exit::done : Exit::verification_failed;
}

/// The time of a schedule against the load of the traffic beside it.
Exit run_slowdown(const ExperimentConfig& config, const Arguments& arguments) {
  SlowdownPlan plan{.loads = rates_of(arguments), .workers = workers_of(arguments), .on_point = {}};
  const std::string picture = arguments.path("plot");
  Directory directory(arguments);
  std::vector<SlowdownPoint> points;
  {
    const Progress progress(arguments.has("quiet"));
    plan.on_point = [&](const SlowdownPoint& point, std::size_t done) {
      progress(point.load, name_of(point.status), done);
    };
    points = run_slowdown_curve(config, plan);
  }
  directory.fill([&](const RunDirectory& files) { write_slowdown_files(files, config, points); });
  if (!picture.empty()) write_picture(picture, slowdown_svg(config, points), existing_of(arguments));
  if (arguments.has("json")) {
    print(slowdown_json(config, points));
  } else {
    print(arguments.has("csv") ? slowdown_csv(points) : slowdown_text(config, points));
  }
  return exit_code(points);
}

Exit run(const Arguments& arguments) {
  if (arguments.has("json") && arguments.has("csv")) {
    throw InputError("flitscope load: --json and --csv cannot be printed both; leave one out");
  }

  const ExperimentConfig config = load_config(arguments.required("CONFIG"), arguments.texts("set"));
  if (arguments.has("class") && config.workload.classes.empty()) {
    throw InputError("flitscope load: --class is for a workload with classes, which this one has not");
  }
  if (config.workload.background) return run_slowdown(config, arguments);
  if (config.workload.has_traffic()) return run_load(config, arguments);
  throw located(config, Inadmissible("workload",
                                     "a load curve needs traffic, such as workload: {traffic: uniform}, or "
                                     "workload.background beside a schedule; this workload is a schedule "
                                     "alone"));
}

const CommandRegistry::Entry entry{{
    .name = "load",
    .arguments = "CONFIG",
    .summary = "Runs traffic at many loads: latency against offered load, and saturation; or what it costs a "
               "schedule.",
    .place = 15,
    .options =
        {kSetOption,
         {"rates", "A,B,..",
          "loads to run, in flits per node and cycle; without it they are chosen, and saturation is "
          "searched"},
         {"class", "NAME",
          "vary the load of this class; the others keep theirs (default: all in proportion)"},
         {"json", "", "print the curve as JSON"},
         {"csv", "", "print the curve as CSV"},
         {"plot", "FILE", "draw the curve into an SVG or PNG file"},
         {"out", "DIR",
          "write config.yaml, load.json, load.csv and load.svg into a new directory, for 'flitscope report'"},
         {"force", "", "replace the file of --plot if it is there"},
         {"jobs,j", "N", "runs at the same time (default: all cores)"},
         {"quiet", "", "show no progress"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::load_command
