// flitscope results: out of a sweep's store.

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/report/plot.h"
#include "sim/sweep/results.h"
#include "sim/sweep/sweep_directory.h"

namespace flitscope::app::results_command {

namespace fs = std::filesystem;

namespace {

fs::path store_of(const fs::path& directory) {
  if (!fs::exists(directory)) {
    throw InputError("{}: there is no such directory", printable(directory.string()));
  }
  const fs::path file = SweepDirectory::store_in(directory);
  if (!fs::exists(file)) {
    throw InputError("{}: holds no results of a sweep (there is no {})", printable(directory.string()),
                     file.filename().string());
  }
  return file;
}

/// "A,B,C" as exactly three keys.
std::array<std::string, 3> pivot_keys(const Arguments& arguments) {
  const std::string text = arguments.text("pivot");
  const Strings parts = split(text);
  if (parts.size() == 3) return {parts[0], parts[1], parts[2]};
  throw InputError("flitscope results: --pivot needs ROW,COLUMN,VALUE, not {}", in_quotes(text));
}

Table table_of(const Results& results, const Arguments& arguments) {
  const bool pivots = arguments.has("pivot");
  const bool compares = arguments.has("best");
  if (arguments.has("by") != compares) throw InputError("flitscope results: --best and --by go together");
  if (arguments.has("pareto")) {
    if (pivots || compares || arguments.has("columns") || arguments.has("baseline")) {
      throw InputError("flitscope results: --pareto goes without --pivot, --best, --columns and --baseline");
    }
    return results.pareto(split(arguments.text("pareto")));
  }
  if (!pivots && !compares) {
    return results.runs(split(arguments.text("columns")), arguments.path("baseline"));
  }
  if ((pivots && compares) || arguments.has("columns") || arguments.has("baseline")) {
    throw InputError("flitscope results: --pivot, --best, --columns with --baseline exclude one another");
  }
  if (compares) return results.best(arguments.text("best"), split(arguments.text("by")));
  const auto [row, column, value] = pivot_keys(arguments);
  return results.pivot(row, column, value);
}

/// The keys of --sort. Columns of --pivot are named by values, which may have commas: what is a column is not
/// split.
Strings sort_keys(const Strings& texts, const Table& table) {
  const auto is_column = [&](const std::string& name) {
    return std::ranges::find(table.columns, name) != table.columns.end();
  };
  const auto is_key = [&](const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return is_column(text);
    const std::string order = text.substr(colon + 1);
    return is_column(text) || (is_column(text.substr(0, colon)) && (order == "asc" || order == "desc"));
  };
  Strings keys;
  for (const std::string& text : texts) {
    if (is_key(text)) {
      keys.push_back(text);
    } else {
      std::ranges::copy(split(text), std::back_inserter(keys));
    }
  }
  return keys;
}

/// --plot FILE: the table of --pivot as lines.
void write_plot(const Results& results, const Arguments& arguments) {
  const std::string file = arguments.path("plot");
  if (!arguments.has("pivot")) {
    throw InputError(
        "flitscope results: --plot draws the table of --pivot ROW,COLUMN,VALUE: a line for each COLUMN over "
        "ROW");
  }
  if (!file.ends_with(".svg") && !file.ends_with(".png")) {
    throw InputError("flitscope results: --plot writes SVG and PNG; name a file .svg or .png, not {}",
                     in_quotes(file));
  }
  const std::string log = arguments.has("log") ? arguments.choice("log", {"x", "y", "xy"}) : "";
  const auto [row, column, value] = pivot_keys(arguments);
  const bool log_x = log.find('x') != std::string::npos;
  const bool log_y = log.find('y') != std::string::npos;
  const Plot plot = results.pivot_plot(row, column, value, log_x, log_y);
  const bool is_empty =
      std::ranges::all_of(plot.series, [](const PlotSeries& series) { return series.points.empty(); });
  if (is_empty) {
    std::cerr << "flitscope results: no run has a value to draw: " << printable(file) << " is not written\n";
    return;
  }
  write_picture(file, plot_svg(plot), existing_of(arguments));
}

Exit run(const Arguments& arguments) {
  const std::string format = arguments.choice("format", {"table", "csv", "json", "markdown"});
  const Store store(store_of(arguments.required("DIR")), Store::Access::read);
  const Results results(store, arguments.texts("where"));
  Table table = table_of(results, arguments);
  const bool ranks = arguments.has("best") || arguments.has("pareto");
  if (ranks && table.rows.empty()) {
    const Strings objectives =
        arguments.has("best") ? Strings{arguments.text("best")} : split(arguments.text("pareto"));
    std::cerr << "flitscope results: the table is empty: " << results.reason_for_none(objectives) << '\n';
  }
  sort_rows(table, sort_keys(arguments.texts("sort"), table), results.swept());
  if (arguments.has("plot")) {
    const SignalCleanup cleanup("results");
    write_plot(results, arguments);
  } else if (arguments.has("log")) {
    throw InputError("flitscope results: --log is about the axes of --plot");
  }
  print(format == "csv"        ? to_csv(table)
        : format == "json"     ? to_json_text(table)
        : format == "markdown" ? to_markdown(table)
                               : to_text(table));
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "results",
    .arguments = "DIR",
    .summary = "Prints the results of a sweep, and compares them.",
    .place = 60,
    .options =
        {{.name = "where",
          .value = "KEY=VALUE",
          .summary = "only runs for which this holds; also != < <= > >=; may be repeated",
          .repeats = true},
         {"columns", "A,B", "these columns, or all"},
         {"baseline", "NAME|KEY=VALUE",
          "add ratios to the results of that replica, or of the runs with that value"},
         {"pivot", "ROW,COLUMN,VALUE",
          "a row for each value of ROW, a column for each of COLUMN, VALUE in the cells"},
         {"best", "VALUE[:max]",
          "the design with the least VALUE, with :max the greatest, for each combination of the keys of "
          "--by"},
         {"by", "A,B", "see --best"},
         {"pareto", "A,B[:max],..",
          "the Pareto front: completed designs that no other is better than in all of these; less is better, "
          "with :max more"},
         {.name = "sort",
          .value = "KEY[:desc],...",
          .summary = "rows in the order of these columns, the first counting most; may be repeated",
          .repeats = true},
         {"plot", "FILE.svg|.png", "draw the table of --pivot: a line for each COLUMN, VALUE over ROW"},
         {"log", "x|y|xy", "logarithmic axes of --plot"},
         {"force", "", "replace the file of --plot if it is there"},
         {"format", "table|csv|json|markdown", "how to print (default: table)"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::results_command
