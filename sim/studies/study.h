// What all studies share: runs that answer with records, and tables of these records.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/units.h"
#include "sim/config/config.h"
#include "sim/host/worker_pool.h"
#include "sim/sweep/table.h"

namespace flitscope {

/// A configuration of a study, with a name that no other one of it has; empty if it is the only one.
struct StudyVariant {
  std::string name;
  ExperimentConfig config;
};

/// Every file, changed by `settings`, with every combination of the values "KEY=A,B,.." of `vary`; the last
/// key varies fastest. A file with a section `sweep` has all of its runs. Throws InputError for what is no
/// such text, and what load_config throws.
[[nodiscard]] std::vector<StudyVariant> study_variants(const std::vector<std::string>& files,
                                                       const std::vector<std::string>& settings,
                                                       const std::vector<std::string>& vary);

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
[[nodiscard]] std::vector<nlohmann::ordered_json> records_of(
    const std::vector<std::string>& names, const StudyRuns& how,
    const std::function<nlohmann::ordered_json(std::size_t)>& run,
    const std::function<void(std::size_t, const nlohmann::ordered_json&)>& on_record = {},
    const RunLimits& limits = {});

/// The gravest of what happened in the runs of a study.
enum class StudyStatus : std::uint8_t { correct, not_verified, limit, deadlock };

/// What a study found, in the forms that a command prints and writes. A form that a study does not have is
/// empty.
struct StudyReport {
  StudyStatus status = StudyStatus::correct;
  std::string text = {};
  std::string json = {};
  std::string csv = {};
  std::string markdown = {};
  std::string svg = {};
  /// CSV with a row for each configuration.
  std::string summary = {};
  /// Of a comparison: the configuration of the best candidate.
  std::string config = {};
};

/// A column of a table of records.
struct StudyColumn {
  std::string header;
  /// JSON pointer to the value, such as "/stalls/vc_taken".
  std::string value;
  /// Digits behind the point of a number that is not whole; nothing: all it has.
  std::optional<int> decimals = {};
  /// In text; numbers go to the right. 0: the last column, as long as its text.
  int width = 0;
  bool to_the_right = true;
};

/// After each column of a time in cycles or a rate of flits the same in the units of the clock, as
/// add_units() has added it to the records.
[[nodiscard]] std::vector<StudyColumn> with_units(const std::vector<StudyColumn>& columns);
/// A row for each record.
[[nodiscard]] Table table_of(const std::vector<StudyColumn>& columns,
                             const std::vector<nlohmann::ordered_json>& records);
/// The same as lines of columns with these widths. Null is "-"; a value that a record does not have is blank.
[[nodiscard]] std::string lines_of(const std::vector<StudyColumn>& columns,
                                   const std::vector<nlohmann::ordered_json>& records);
/// The same in Markdown.
[[nodiscard]] std::string markdown_of(const Table& table);

/// The value below which a share of the values lies: of n sorted ones the one at ceil(share n). 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// "-12.5%": how much larger `value` is than `base`, with `missing` if one of them is missing or `base` is 0.
[[nodiscard]] std::string change_text(const std::optional<double>& value, const std::optional<double>& base,
                                      const std::string& missing);

/// Of stalls by cause, the one with the most flit-cycles, and its share: "vc_taken 63%"; "-" without stalls.
[[nodiscard]] std::string main_stall_cause(const nlohmann::ordered_json& stalls);

/// How a study that draws a curve for each configuration names what it has.
struct CurveForm {
  std::string key;  ///< of the workload in JSON, such as "protocol"
  std::function<std::string(const ExperimentConfig&)> workload;
  std::string title;  ///< in the words of fmt: name of the configuration, workload, network
  std::vector<StudyColumn> text_columns;
  std::string note;  ///< below the text
  std::vector<StudyColumn> csv_columns;
  std::string x_label;
  std::string y_label;
  std::string series;  ///< of the plot, if there is one curve
  std::string x;       ///< key of a record; those without `y` are not drawn
  std::string y;
  /// The place of a record on its curve, if it has to say why it is not verified: record's print.objection.
  std::function<std::string(const nlohmann::ordered_json&)> objects_at;
};
/// Text, JSON, CSV and SVG of the records of each variant.
[[nodiscard]] StudyReport curves_report(const CurveForm& form, const std::vector<StudyVariant>& variants,
                                        const std::vector<std::vector<nlohmann::ordered_json>>& curves);
/// What `text_of` says of the configurations, each text once: "uniform; transpose".
[[nodiscard]] std::string joined_texts(const std::vector<StudyVariant>& variants,
                                       const std::function<std::string(const ExperimentConfig&)>& text_of);

/// A load with four digits.
[[nodiscard]] Decimal rounded_load(double load);
/// By rising load, each once.
[[nodiscard]] std::vector<Decimal> sorted_loads(std::vector<Decimal> loads);
/// The records of runs at these loads, in their order. Throws std::runtime_error if one fails.
[[nodiscard]] std::vector<nlohmann::ordered_json> run_loads(
    const std::vector<Decimal>& loads, const StudyRuns& how,
    const std::function<nlohmann::ordered_json(const Decimal&)>& run);
/// Throws for the first record that is an error: InputError if the run was refused.
void require_answers(const std::vector<std::string>& names,
                     const std::vector<nlohmann::ordered_json>& records);
/// The records without what only the text needs, their key "print".
[[nodiscard]] std::vector<nlohmann::ordered_json> without_print(std::vector<nlohmann::ordered_json> records);

}  // namespace flitscope
