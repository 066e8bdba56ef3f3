// What runs and sweeps have written, and what is asked of it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/observe/flits/flit_trace.h"
#include "sim/report/page/html_page.h"
#include "sim/report/page/run_page.h"
#include "sim/report/plot.h"
#include "sim/studies/agreement.h"
#include "sim/studies/load_directory.h"
#include "sim/sweep/job.h"
#include "sim/sweep/pivot.h"
#include "sim/sweep/results_query.h"
#include "sim/sweep/store.h"
#include "sim/sweep/table.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz {
namespace {

/// The database of a sweep, as `flitscope results` reads it.
void try_results(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  const auto file = directory.write("results.sqlite", std::string(bytes));
  try {
    const Store store(file, Store::Access::read);
    static_cast<void>(store.swept());
    static_cast<void>(store.select(store.columns()));
  } catch (const OutputError&) {
    // A database that cannot be read to its end.
  }
}

const TargetRegistry::Entry results_entry{
    {.name = "results", .summary = "results.sqlite", .read = try_results}};

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

/// The words of `flitscope results`: every line is an option and its value.
void try_query(std::string_view bytes) {
  const auto file = std::filesystem::path(FLITSCOPE_SOURCE_DIR) / "tests/fuzz/corpus/results/small.sqlite";
  const Store store(file, Store::Access::read);
  ResultsQuery what;
  std::vector<std::string> order;
  std::vector<std::string> cells;
  std::istringstream lines{std::string(bytes)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string option = line.substr(0, blank);
    const std::string value = line.substr(std::min(blank + 1, line.size()));
    if (option == "where") what.where.push_back(value);
    if (option == "columns") what.columns = parts_of(value);
    if (option == "baseline") what.baseline = value;
    if (option == "sort") order.push_back(value);
    if (option == "pivot") cells = parts_of(value);
  }
  Table table = query(store, what);
  if (cells.size() == 3) {
    const Table runs = query(store, {what.where, {"all"}, {}});
    for (std::string& cell : cells) cell = column_of(cell, runs.columns);
    table = pivot(runs, store.swept(), cells[0], cells[1], cells[2]);
    static_cast<void>(best(runs, store.swept(), cells[2], {cells[0], cells[1]}));
    static_cast<void>(plot_svg(pivot_plot(runs, store.swept(), cells[0], cells[1], cells[2], false, false)));
  }
  sort_rows(table, order);
  static_cast<void>(to_csv(table) + to_markdown(table) + to_text(table));
}

const TargetRegistry::Entry query_entry{
    {.name = "query", .summary = "options of results, one a line", .read = try_query}};

/// What hands runs to other machines, as a worker finds it.
void try_job(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  directory.write("job.json", std::string(bytes));
  static_cast<void>(read_job(directory.path()).tasks());
}

const TargetRegistry::Entry job_entry{{.name = "job", .summary = "jobs/N/job.json", .read = try_job}};

/// The result of a run from another machine.
void try_incoming(std::string_view bytes) {
  const test::TemporaryDirectory place;
  const SweepDirectory directory(place / "sweep");
  std::filesystem::create_directories(directory.incoming());
  place.write("sweep/incoming/0123456789abcdef.json", std::string(bytes));
  Store store(directory.store(), Store::Access::write);
  static_cast<void>(collect(directory, store));
}

const TargetRegistry::Entry incoming_entry{
    {.name = "incoming", .summary = "incoming/ID.json", .read = try_incoming}};

/// Binary flit traces.
void try_trace(std::string_view bytes) {
  std::istringstream in{std::string(bytes)};
  FlitTraceReader reader(in, "attack.bin");
  FlitTraceLines lines(reader.topology());
  std::string line;
  while (const auto event = reader.next()) {
    line.clear();
    lines.append(line, *event);
  }
}

const TargetRegistry::Entry trace_entry{
    {.name = "trace", .summary = "a binary flit trace", .read = try_trace}};

constexpr std::array<std::string_view, 8> kNames{"config.yaml",    "result.json",  "steps.csv",
                                                 "channels.csv",   "messages.csv", "ports.csv",
                                                 "receptions.csv", "trace.bin"};
constexpr std::string_view kMark = "==== ";

/// The files of a run, as `flitscope report` reads them. In an input each begins with a line "==== NAME".
void try_run_page(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  while (!bytes.empty()) {
    const std::size_t next = std::min(bytes.find(kMark, 1), bytes.size());
    const std::string_view part = bytes.substr(0, next);
    bytes.remove_prefix(next);
    const std::size_t line = std::min(part.find('\n'), part.size());
    if (!part.starts_with(kMark) || line == part.size()) continue;
    const std::string_view name = part.substr(kMark.size(), line - kMark.size());
    if (std::ranges::count(kNames, name) == 0) continue;
    directory.write(std::string(name), std::string(part.substr(line + 1)));
  }
  static_cast<void>(html_page("attack", run_page_data(directory.path())));
}

const TargetRegistry::Entry run_page_entry{
    {.name = "run_page", .summary = "the files of a run, for its report", .read = try_run_page}};

/// The curve of a load directory, as `flitscope report` reads it.
void try_load_page(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  directory.write("config.yaml", "flitscope: 1\n");
  directory.write("load.json", std::string(bytes));
  static_cast<void>(html_page("attack", load_page_data(directory.path())));
}

const TargetRegistry::Entry load_page_entry{
    {.name = "load_page", .summary = "load.json, for its report", .read = try_load_page}};

/// Results of BookSim2, as `flitscope validate` reads them.
void try_reference(std::string_view bytes) {
  std::istringstream in{std::string(bytes)};
  for (const ReferencePoint& point : read_reference(in, "attack.csv")) static_cast<void>(point.machine());
}

const TargetRegistry::Entry reference_entry{
    {.name = "reference", .summary = "a CSV file of validate", .read = try_reference}};

}  // namespace
}  // namespace flitscope::fuzz
