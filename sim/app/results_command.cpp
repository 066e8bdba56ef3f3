// flitscope results: out of a sweep's store.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/batch/results_query.h"
#include "sim/batch/sweep_directory.h"

namespace flitscope::app::results_command {

namespace options = boost::program_options;
namespace fs = std::filesystem;

namespace {

Words split(const std::string& text) {
  Words parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

fs::path store_of(const fs::path& directory) {
  const fs::path file = SweepDirectory::store_in(directory);
  if (!fs::exists(file)) {
    throw InputError(fmt::format("{}: holds no results of a sweep (there is no {})",
                                 printable(directory.string()), file.filename().string()));
  }
  return file;
}

Exit run(const Words& words) {
  options::options_description own;
  own.add_options()("where", options::value<Words>()->value_name("KEY=VALUE"),
                    "only runs for which this holds; also != < <= > >=; may be repeated")(
      "columns", options::value<std::string>()->value_name("A,B"), "these columns, or all")(
      "baseline", options::value<std::string>()->value_name("NAME|KEY=VALUE"),
      "add ratios to the results of that replica, or of the runs with that value")(
      "format", options::value<std::string>()->value_name("table|csv|json"), "how to print (default: table)");
  const Arguments arguments("results", own, "DIR", words);
  if (arguments.helped()) return Exit::done;

  const Words formats{"table", "csv", "json"};
  const std::string format = arguments.has("format") ? arguments.text("format") : "table";
  if (std::ranges::find(formats, format) == formats.end()) {
    throw InputError(fmt::format("flitscope results: --format must be table, csv or json, not {}{}",
                                 in_quotes(format), did_you_mean(format, formats)));
  }
  const Store store(store_of(arguments.required("DIR")), Store::Access::read);
  const Table table =
      query(store, {arguments.texts("where"), split(arguments.text("columns")), arguments.path("baseline")});
  print(format == "csv" ? to_csv(table) : format == "json" ? to_json_text(table) : to_text(table));
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "results",
    .arguments = "DIR",
    .summary = "Prints the results of a sweep, and compares them.",
    .place = 60,
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::results_command
