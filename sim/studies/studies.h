// The studies: what many runs together say about a network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "model/units.h"
#include "sim/config/config.h"
#include "sim/formats/recording.h"
#include "sim/formats/strict_json.h"
#include "sim/host/processes.h"
#include "sim/report/run_directory.h"
#include "sim/sweep/table.h"

namespace flitscope {

// What all studies share: runs that answer with records, and tables of these records.

/// A configuration of a study, with a name that no other one of it has; empty if it is the only one and no
/// key is varied.
struct StudyVariant {
  std::string name;
  ExperimentConfig config;
};

/// A configuration of a study that is not admissible.
struct LeftOutVariant {
  std::string name;
  std::string refusal;
};

/// Every file, changed by `settings`, with every combination of the values "KEY=A,B,.." of `vary`; the last
/// key varies fastest. Of several files, one without a name for its experiment lends its own. A file with a
/// section `sweep` has all of its runs. The points of a curve are loads of `traffic_class`, if it has a name.
/// Combinations that load_config refuses are put into `left_out`. Throws InputError for what is no such text
/// and for the key of the points of a curve, and what load_config throws if it refuses all of a file.
[[nodiscard]] std::vector<StudyVariant> study_variants(const std::vector<std::string>& files,
                                                       const std::vector<std::string>& settings,
                                                       const std::vector<std::string>& vary,
                                                       std::vector<LeftOutVariant>& left_out,
                                                       const std::string& traffic_class = {});

/// How the runs of a study are done.
struct StudyRuns {
  /// Runs at the same time.
  unsigned workers = 1;
  /// Called several times a second with a line about what is done and what runs.
  std::function<void(const std::string&)> on_progress = {};
  /// Called with what was found out before the runs, and with what each of them found, a line each.
  std::function<void(const std::string&)> on_news = {};
  /// Called several times a second; when it returns false, no run goes on.
  std::function<bool()> keep_going = [] { return true; };
};

/// Does a run for each name, in processes of their own, and returns their records in the order of the names.
/// The record of a run that throws, or whose process dies, is {"error": why}; of one that keep_going ended it
/// is null. `on_record` is called as runs end; later ones begin in processes that see what it has changed.
[[nodiscard]] std::vector<Json> records_of(
    const std::vector<std::string>& names, const StudyRuns& how, const std::function<Json(std::size_t)>& run,
    const std::function<void(std::size_t, const Json&)>& on_record = {}, const RunLimits& limits = {});

/// The gravest of what happened in the runs of a study.
enum class StudyStatus : std::uint8_t { correct, not_verified, limit, deadlock };

/// The gravest status of points of traffic, the records of one curve or several.
[[nodiscard]] StudyStatus status_of_points(const std::vector<Json>& points);

/// What a study found, in the forms that a command prints and writes. A form that a study does not have is
/// empty.
struct StudyReport {
  StudyStatus status = StudyStatus::correct;
  std::string text = {};
  std::string json = {};
  std::string csv = {};
  std::string markdown = {};
  /// The beginning of the Markdown that sums it up.
  std::string brief = {};
  std::string svg = {};
  /// CSV with a row for each configuration.
  std::string summary = {};
  /// Of a comparison: the configuration of the best candidate.
  std::string config = {};
  /// What did not take part, and why, for forms that do not have it.
  std::vector<std::string> left_out = {};
};

/// A column of a table of records.
struct StudyColumn {
  std::string header;
  /// JSON pointer to the value, such as "/stalls/vc_taken"; empty: the header is its key.
  std::string value = {};
  /// Digits behind the point of a number that is not whole; nothing: twelve digits, and all in text.
  std::optional<int> decimals = {};
  /// In text; numbers go to the right. 0: the last column, as long as its text.
  int width = 0;
  bool to_the_right = true;
  /// Curves have it only if all variants have a clock.
  bool needs_clock = false;

  [[nodiscard]] std::string place() const { return value.empty() ? "/" + header : value; }
};

/// A column of a number in the units of the clock.
[[nodiscard]] StudyColumn in_units(StudyColumn column);
/// After each column of a time in cycles or a rate of flits the same in the units of the clock, as
/// add_units() has added it to the records.
[[nodiscard]] std::vector<StudyColumn> with_units(const std::vector<StudyColumn>& columns);
/// A row for each record.
[[nodiscard]] Table table_of(const std::vector<StudyColumn>& columns, const std::vector<Json>& records);
/// The same with a column for each key of the first record, of which there is at least one.
[[nodiscard]] Table table_of(const std::vector<Json>& records);
/// The same as lines of columns with these widths. Null is "-"; a value that a record does not have is blank.
[[nodiscard]] std::string lines_of(const std::vector<StudyColumn>& columns, const std::vector<Json>& records);

/// "-12.5%": how much larger `value` is than `base`, with `missing` if one of them is missing or `base` is 0.
[[nodiscard]] std::string change_text(const std::optional<double>& value, const std::optional<double>& base,
                                      const std::string& missing);

/// Of stalls by cause, the one with the most flit-cycles, and its share: "vc_taken 63%"; "-" without stalls.
[[nodiscard]] std::string main_stall_cause(const Json& stalls);

/// How a study that draws a curve for each configuration names what it has.
struct CurveForm {
  std::string key;  ///< of the workload in JSON, such as "protocol"
  std::function<std::string(const ExperimentConfig&)> workload;
  std::string title;  ///< in the words of fmt: name of the configuration, workload, network
  std::vector<StudyColumn> text_columns;
  std::string note;  ///< below the text
  std::vector<StudyColumn> csv_columns;
  /// In the words of fmt: "{}" is axis_bandwidth().
  std::string x_label;
  std::string y_label;
  /// GB/s of 1 on the axis of a rate, with a clock; `unit_key` names it in JSON.
  std::function<double(const ExperimentConfig&)> unit_bandwidth;
  std::string unit_key;
  std::string series;  ///< of the plot, if there is one curve
  std::string x;       ///< key of a record; those without `y` are not drawn
  std::string y;
  /// The place of a record on its curve, if it has to say why it is not verified: record's print.objection.
  std::function<std::string(const Json&)> objects_at;
};
/// Text, JSON, CSV and SVG of the records of each variant; JSON and CSV in the units of its clock, too. JSON
/// has what is left out.
[[nodiscard]] StudyReport curves_report(const CurveForm& form, const std::vector<StudyVariant>& variants,
                                        std::vector<std::vector<Json>> curves,
                                        const std::vector<LeftOutVariant>& left_out);
/// As "left_out" in the JSON of curves.
[[nodiscard]] Json left_out_json(const std::vector<LeftOutVariant>& left_out);
/// Those of the columns that the variants have, behind one with the name of the record's "curve" if the
/// variants have names.
[[nodiscard]] std::vector<StudyColumn> columns_of_curves(std::vector<StudyColumn> columns,
                                                         const std::vector<StudyVariant>& variants);
/// "; 1 is 16 GB/s" of an axis whose unit is so many GB/s; nothing without clocks, or if it differs.
[[nodiscard]] std::string axis_bandwidth(
    const std::vector<StudyVariant>& variants,
    const std::function<double(const ExperimentConfig&)>& unit_bandwidth);
/// What `text_of` says of the configurations, each text once: "uniform; transpose".
[[nodiscard]] std::string joined_texts(const std::vector<StudyVariant>& variants,
                                       const std::function<std::string(const ExperimentConfig&)>& text_of);

/// A load with four digits.
[[nodiscard]] Decimal rounded_load(double load);
/// By rising load, each once.
[[nodiscard]] std::vector<Decimal> sorted_loads(const std::vector<Decimal>& loads);
/// The records of runs at these loads, in their order. Throws std::runtime_error if one fails.
[[nodiscard]] std::vector<Json> run_loads(const std::vector<Decimal>& loads, const StudyRuns& how,
                                          const std::function<Json(const Decimal&)>& run);
/// Throws for the first record that is an error: InputError if the run was refused.
void require_answers(const std::vector<std::string>& names, const std::vector<Json>& records);
/// The records without what only the text needs, their key "print".
[[nodiscard]] std::vector<Json> without_print(std::vector<Json> records);

// flitscope load

struct LoadPlan {
  /// The loads to run, flits per node and cycle. Empty: chosen, finer near saturation, which is then
  /// searched; for a background nine, up to 0.9 times what no router can exceed.
  std::vector<Decimal> loads = {};
  /// The name of the class whose load is varied while the others keep theirs. Nothing: loads are those of all
  /// classes together, in the proportions that the configuration gives them.
  std::optional<std::string> varied = {};
  /// Loads whose latencies the summary states; they are run, too.
  std::vector<Decimal> stated = {};
  /// What gives the loads, in errors.
  std::string source = "--rates";
  /// Combinations of --vary that are no variants; reports name them.
  std::vector<LeftOutVariant> left_out = {};
};
/// Calls `check` for a load of the plan. Throws InputError with the plan's source if it refuses the load.
void check_load(const LoadPlan& plan, const Decimal& load, const std::function<void()>& check);

/// Latency against the load of the traffic.
struct LoadCurve {
  StudyVariant variant;
  /// Why there is no curve: its configuration is not admissible.
  std::optional<std::string> refusal = {};
  /// A record a point, by rising load, as `load --json` prints it; what only the text needs is under "print".
  std::vector<Json> points = {};
  /// The highest load below which no point is saturated; nothing if none is saturated at all, or the lowest
  /// is.
  std::optional<double> saturation = {};
  /// Of a message that is alone: by the closed form, or else the mean of the point with the lowest load.
  std::optional<double> zero_load_latency = {};
  /// What no router can exceed; nothing if a class begins late or ends, or it is not computed.
  std::optional<double> ideal_saturation = {};
};

/// A curve for each variant, in their order. The traffic's own load does not matter. A variant that is not
/// admissible has a refusal. Throws InputError if none is admissible, and std::runtime_error if a run fails.
[[nodiscard]] std::vector<LoadCurve> run_load_curves(const std::vector<StudyVariant>& variants,
                                                     const LoadPlan& plan, const StudyRuns& how);
/// All curves together: text, JSON, CSV with a row for each point and one with a row for each curve, SVG.
[[nodiscard]] StudyReport load_report(const std::vector<LoadCurve>& curves, const LoadPlan& plan);

/// The time of a schedule against the load of the traffic beside it, a curve for each variant: text, JSON,
/// CSV and SVG. The first point has no such traffic. A point ends with the status `limit` when the schedule
/// takes more than 20 times its time alone: behind a source queue that grows without end it never completes.
/// Throws what run_load_curve throws.
[[nodiscard]] StudyReport slowdown_study(const std::vector<StudyVariant>& variants, const LoadPlan& plan,
                                         const StudyRuns& how);

/// Throughput and round trips of a closed loop against the requests that a node has open, which are the loads
/// of the plan, a curve for each variant: text, JSON, CSV and SVG. Throws what run_load_curve throws.
[[nodiscard]] StudyReport outstanding_study(const std::vector<StudyVariant>& variants, const LoadPlan& plan,
                                            const StudyRuns& how);

/// Writes the configurations, and NAME.json, NAME.csv, NAME.svg, NAME.md and NAME-summary.csv of a report,
/// as far as it has them, and gives the directory its name.
void write_study(RunDirectory& directory, const std::vector<StudyVariant>& variants, const std::string& name,
                 const StudyReport& report);
/// {"kind": "load", "curve": load.json, "config": the configurations} for the report of a directory that
/// holds load curves, and the same of an outstanding.json or a slowdown.json; nothing if it has none. Throws
/// InputError.
[[nodiscard]] std::optional<Json> curve_page_data(const std::filesystem::path& directory);

// flitscope compare

struct ComparisonPlan {
  std::vector<std::uint64_t> messages = {};
  /// Names of the algorithms that take part; empty: all.
  std::vector<std::string> only = {};
  /// Files of schedules that take part, too, their data scaled to each length.
  std::vector<std::string> schedules = {};
  /// Run all of them, with barriers, too; otherwise only with dataflow, and none whose bound is more cycles
  /// than another one has taken.
  bool all = false;
};

/// Ranks the algorithms of a collective, with each of their choices, and schedules from files, by closed
/// forms and bounds, and runs them in this order on the machine of a configuration, changed by `settings`,
/// whose own workload does not count: text, JSON, CSV and Markdown. If how.keep_going ends it, the report has
/// what is done, and names the rest. Throws InputError if none fits, none has one of these names, or a file
/// has the data of another collective.
[[nodiscard]] StudyReport comparison_study(const std::string& collective, const std::filesystem::path& config,
                                           std::span<const std::string> settings, const ComparisonPlan& plan,
                                           const StudyRuns& how);
/// {"kind": "compare", "rows": compare.json, "config": config.yaml} for the report. Throws InputError.
[[nodiscard]] Json comparison_page_data(const std::filesystem::path& directory);
/// The collectives that can be compared.
[[nodiscard]] const std::vector<std::string>& compared_collectives();

/// Cycles of a schedule with barriers if no message ever waits for another one; nothing if links or a node's
/// channels are shared in some step, messages wait in the queue of a node, a message does not move like one
/// worm, or a channel can still be within its interval when the next step begins, so that there is no such
/// form. The machine must be complete.
[[nodiscard]] std::optional<Cycle> closed_form(Schedule& schedule, const ExperimentConfig& config);

// flitscope what-if

/// Runs a configuration, changed by `settings`, as it is, and with one change at a time: a virtual channel
/// more and less, buffers twice and half as deep, shorter delays and startup, more ports, wider flits, the
/// busiest links faster or missing, delays and intervals of a family's links, other routing functions and
/// other choices of the router, the other way of advancing; then searches the least buffer that keeps the
/// time. With `changes`, "KEY=VALUE", only these. Text, JSON and CSV. Throws InputError if the run as it is
/// is not admissible.
[[nodiscard]] StudyReport what_if_study(const std::filesystem::path& config,
                                        std::span<const std::string> settings,
                                        std::span<const std::string> changes, const StudyRuns& how);

// flitscope validate

/// A result of BookSim2: a row of the reference file.
struct ReferencePoint {
  std::string place;  ///< "file:line"
  std::string topology;
  std::uint32_t side = 0;
  unsigned dimensions = 0;
  unsigned virtual_channels = 0;
  std::uint32_t buffer = 0;
  std::uint32_t flits = 0;
  std::string traffic;
  Decimal offered;
  /// Nothing of these where BookSim2 found the network unstable.
  std::optional<double> latency;
  std::optional<double> accepted;

  /// All but the load: "8x8 torus, 4 VCs of 8 flits, 1-flit messages, uniform".
  [[nodiscard]] std::string machine() const;
};

/// Reads CSV with a header that names at least topology, k, n, vcs, buffer_flits, message_flits, traffic,
/// offered_flits_per_node_cycle, packet_latency_mean_cycles and accepted_flits_per_node_cycle. A column
/// status, if there is one, is "ok" in rows with figures and "unstable" in those without. `file` is its name
/// in messages. Throws InputError ("file:line: ..").
[[nodiscard]] std::vector<ReferencePoint> read_reference(std::istream& in, const std::string& file);

/// Runs the points on the machine that `config` describes, changed as they say and by `settings`: a Markdown
/// table a machine. The latency is judged up to 0.8 of the highest rate that the reference accepts, or at all
/// points of a machine if none is near saturation, and agrees within 3% if 2 cycles are added for the ends;
/// from there on the accepted rate is, within 5%.
[[nodiscard]] StudyReport validation_study(const std::string& config, std::span<const std::string> settings,
                                           std::span<const ReferencePoint> points, const StudyRuns& how);

// Measured times: errors in one summary, and the replay of recordings.

/// An error with four digits behind the point.
[[nodiscard]] double rounded_error(double error);

/// Errors of simulated times, in parts of what was measured: 0.1 and -0.1 are 10%.
class ErrorSummary {
 public:
  void add(double error);
  [[nodiscard]] std::size_t count() const { return sizes_.size(); }
  /// The quantile of their sizes, without signs: 0.5 is the median, 1 the worst. "6.2%"; "0.0%" of none.
  [[nodiscard]] std::string quantile(double share) const;
  /// Sets "median error", "90%" and "worst" of a record.
  void describe(Json& record) const;

 private:
  std::vector<double> sizes_;
};

/// Replays the calls of all networks, as `recording.calls` has it, in this process, on the machine of a
/// configuration, whose workload does not count. Throws InputError. Keys of the result:
///   begins  [cycle, ..]: by call, when it was made
///   ends    [cycle, ..]: by call, when the last packet of its answer has arrived
///   waits   [[call, cause, place, cycles], ..]: flit-cycles that its packets waited (WaitPlace); without
///           `of_calls` those of all calls together, as call 0
[[nodiscard]] Json replay(const ExperimentConfig& config, const Recording& recording, bool of_calls = true);

/// Whether a file has measured times: CSV with a column `time_us`.
[[nodiscard]] bool is_measured(const std::string& file);

/// Runs the rows of a file of measured times on `config`, changed by `settings`, and compares the times: a
/// Markdown table a series, and one of their errors. CSV: `time_us` is the time in microseconds, `series` the
/// heading of rows that follow one another, and every other column a key of the configuration with the row's
/// value; an empty cell leaves the key as it is. A time has as many digits as the measured one, at least 3.
/// Throws InputError, also for a run that fails.
[[nodiscard]] StudyReport measured_study(const std::string& config, std::span<const std::string> settings,
                                         const std::string& file, const StudyRuns& how);

/// Whether a file, compressed by gzip or not, has packets of RTL: their times, or a traffic table. Throws
/// InputError.
[[nodiscard]] bool is_rtl_data(const std::string& file);

/// Runs the packets of traffic tables (CSV: cycle, src, dst, bytes) on the machine of `config`, changed by
/// `settings`, whose workload must be traffic and does not count, and compares them with those of RTL (CSV:
/// table, packet, wait, head, tail_span; docs/rtl.md): the share of packets whose head is put and whose head
/// and tail arrive in the same cycles, and the first that differs, as Markdown. A table that is not among
/// `files` is looked for beside the times, and in the folder `traffic` there. Throws InputError.
[[nodiscard]] StudyReport rtl_study(const std::string& config, std::span<const std::string> settings,
                                    std::span<const std::string> files, const StudyRuns& how);

/// Replays recordings (docs/formats.md) on the machine of `config`, changed by `settings`, whose workload
/// does not count: errors of barriers and spans, and where packets waited most, as Markdown, and CSV with a
/// row for each barrier. Throws InputError.
[[nodiscard]] StudyReport recording_study(const std::string& config, std::span<const std::string> settings,
                                          std::span<const std::string> files, const StudyRuns& how);

/// Whether a CSV file has tables of transfers: columns `transactions` and `call_interval`.
[[nodiscard]] bool is_transfer_table(const std::string& file);

/// Runs the rows of tables of transfers (docs/silicon/tenstorrent.md) on the machine of `config`, changed by
/// `settings`, whose workload does not count: cycles beside those measured, and where packets waited most, as
/// Markdown and CSV. Throws InputError.
[[nodiscard]] StudyReport table_study(const std::string& config, std::span<const std::string> settings,
                                      std::span<const std::string> files, const StudyRuns& how);

}  // namespace flitscope
