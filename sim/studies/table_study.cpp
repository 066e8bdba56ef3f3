// Tables of a chip's transfers beside the same transfers here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "params/csv_reader.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/observe/flits/latency.h"
#include "sim/run/barriers.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

constexpr std::uint32_t kMaxPlace = 65535;

/// A row of a table.
struct TableRow {
  std::string table;
  std::vector<ChipPlace> callers;
  bool reads = false;
  std::vector<ChipPlace> others;  ///< empty: each caller itself
  std::uint64_t bytes = 0;
  std::uint64_t transactions = 0;     ///< of a caller with each of `others`
  std::uint64_t interval = 0;         ///< cycles between two calls
  std::uint64_t target_interval = 0;  ///< likewise, if the second one is the first to its place
  std::string measured;               ///< cycles, as the file writes them
  double cycles = 0;
};

/// The places of a cell: "1 1; 2 1".
std::vector<ChipPlace> places_in(const std::string& text, const std::string& where) {
  std::vector<ChipPlace> places;
  std::istringstream cells(text);
  for (std::string cell; std::getline(cells, cell, ';');) {
    std::istringstream words(cell);
    std::string column;
    std::string row;
    std::string more;
    words >> column >> row >> more;
    const auto x = whole_number(column, std::uint32_t{0}, kMaxPlace);
    const auto y = whole_number(row, std::uint32_t{0}, kMaxPlace);
    if (!x || !y || !more.empty()) {
      throw InputError("{}: {} is no place; expected x and y, such as '1 1; 2 1'", where, in_quotes(cell));
    }
    places.push_back({*x, *y});
  }
  return places;
}

std::vector<TableRow> read_tables(const std::string& file) {
  CsvReader csv(file);
  std::vector<TableRow> rows;
  const auto column = [&](const char* name) { return csv.column(name); };
  const std::array columns{column("table"),         column("callers"), column("kind"),
                           column("others"),        column("bytes"),   column("transactions"),
                           column("call_interval"), column("cycles")};
  const std::optional<std::size_t> target_interval = csv.find("target_interval");
  while (csv.next()) {
    TableRow row;
    row.table = csv.text(columns[0]);
    const std::string where = csv.place();
    row.callers = places_in(csv.text(columns[1]), where);
    const std::string& kind = csv.text(columns[2]);
    if (kind != "read" && kind != "write")
      csv.fail(fmt::format("kind must be read or write, not {}", in_quotes(kind)));
    row.reads = kind == "read";
    row.others = places_in(csv.text(columns[3]), where);
    row.bytes = csv.number(columns[4]);
    row.transactions = csv.number(columns[5]);
    row.interval = csv.number(columns[6]);
    row.target_interval = target_interval ? csv.number(*target_interval) : row.interval;
    row.measured = csv.text(columns[7]);
    row.cycles = csv.decimal(columns[7]).approximate();
    if (row.callers.empty() || row.bytes == 0 || row.transactions == 0 || row.cycles == 0)
      csv.fail("has no callers, bytes, transactions or cycles");
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw InputError(printable(file) + ": has no rows");
  return rows;
}

/// The calls of the kernels of all callers, which begin together.
Recording calls_of(const TableRow& row, const std::string& file) {
  Recording recording{.file = file, .calls = {}, .barriers = {}};
  for (const ChipPlace caller : row.callers) {
    std::uint64_t cycle = 0;
    const std::vector<ChipPlace> others = row.others.empty() ? std::vector{caller} : row.others;
    for (const ChipPlace other : others) {
      for (std::uint64_t i = 0; i < row.transactions; ++i) {
        recording.calls.push_back({cycle, {caller, "kernel", 0}, row.reads, other, row.bytes, 0});
        cycle += i + 1 < row.transactions ? row.interval : row.target_interval;
      }
    }
  }
  std::ranges::stable_sort(recording.calls, {}, &RecordedCall::cycle);
  return recording;
}

/// The median over the callers of the cycles until their last answer, and where packets waited most.
Json run_row(const ExperimentConfig& config, const TableRow& row, const std::string& file) {
  const Recording recording = calls_of(row, file);
  const Json result = replay(config, recording, false);
  std::map<ChipPlace, double> ends;
  for (std::size_t call = 0; call < recording.calls.size(); ++call) {
    double& end = ends[recording.calls[call].processor.tile];
    end = std::max(end, result.at("ends").at(call).get<double>());
  }
  std::vector<double> all;
  for (const auto& [caller, end] : ends) all.push_back(end);
  std::map<std::string, double> causes;
  std::string worst;
  double most = 0;
  double sum = 0;
  for (const Json& wait : result.at("waits")) {
    const WaitPlace place{wait[1].get<std::string>(), wait[2].get<std::string>()};
    const auto cycles = wait[3].get<double>();
    causes[place.cause] += cycles;
    sum += cycles;
    if (place.cause == "memory" || cycles <= most) continue;
    most = cycles;
    worst = place.name();
  }
  std::string where;
  for (const auto& [cause, cycles] : causes) {
    where += fmt::format("{}{} {:.0f}%", where.empty() ? "" : ", ", cause, 100 * cycles / sum);
  }
  if (!worst.empty()) where += "; on links most " + worst;
  return {{"cycles", quantile(all, 0.5)}, {"where", where.empty() ? Json() : Json(where)}};
}

}  // namespace

bool is_transfer_table(const std::string& file) {
  std::ifstream in(file);
  if (!in) return false;
  std::string header;
  std::getline(in, header);
  return header.find("transactions") != std::string::npos &&
         header.find("call_interval") != std::string::npos;
}

StudyReport table_study(const std::string& config_file, std::span<const std::string> settings,
                        std::span<const std::string> files, const StudyRuns& how) {
  const ExperimentConfig config = load_config(config_file, settings);
  std::vector<TableRow> rows;
  for (const std::string& file : files) {
    for (TableRow& row : read_tables(file)) rows.push_back(std::move(row));
  }
  std::vector<std::string> names;
  for (const TableRow& row : rows) {
    names.push_back(fmt::format("{}, {} bytes {} times", row.table, row.bytes, row.transactions));
  }
  const std::vector<Json> results =
      records_of(names, how, [&](std::size_t i) { return run_row(config, rows[i], names[i]); });
  require_answers(names, results);
  std::map<std::string, ErrorSummary> errors;
  std::vector<Json> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TableRow& row = rows[i];
    const double cycles = results[i].at("cycles").get<double>();
    const double error = cycles / row.cycles - 1;
    errors[row.table].add(error);
    errors["all"].add(error);
    lines.push_back({{"table", row.table},
                     {"bytes", row.bytes},
                     {"transactions", row.transactions},
                     {"cycles", row.measured},
                     {"simulated_cycles", std::llround(cycles)},
                     {"error", rounded_error(error)},
                     {"change", change_text(cycles, row.cycles, "-")},
                     {"waited_most", results[i].at("where")}});
  }
  std::vector<Json> summary;
  for (const auto& [table, all] : errors) {
    if (table == "all" && errors.size() == 2) continue;
    all.describe(summary.emplace_back(Json{{"table", table}, {"rows", all.count()}}));
  }
  static const std::vector<StudyColumn> of_rows{{"table"},
                                                {"bytes"},
                                                {"times", "/transactions"},
                                                {"measured", "/cycles"},
                                                {"simulated", "/simulated_cycles"},
                                                {"error", "/change"},
                                                {"waited most", "/waited_most"}};
  static const std::vector<StudyColumn> of_csv{
      {"table"}, {"bytes"}, {"transactions"}, {"cycles"}, {"simulated_cycles"}, {"error"}, {"waited_most"}};
  StudyReport report;
  report.csv = to_csv(table_of(of_csv, lines));
  report.brief = fmt::format("{}: {}, cycles simulated beside measured.\n\n{}", config.name,
                             counted(rows.size(), "row"), to_markdown(table_of(summary)));
  report.markdown = report.brief + "\n" + to_markdown(table_of(of_rows, lines));
  return report;
}

}  // namespace flitscope
