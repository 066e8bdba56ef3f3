// flitscope report: a run, a sweep or a load curve as one page.

#include <filesystem>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/formats/strict_json.h"
#include "sim/report/page/page.h"
#include "sim/studies/studies.h"
#include "sim/sweep/sweep_directory.h"

namespace flitscope::app::report_command {

namespace fs = std::filesystem;

namespace {

Json data_of(const fs::path& directory) {
  if (fs::exists(directory / "result.json")) return run_page_data(directory);
  if (auto curves = curve_page_data(directory)) return *std::move(curves);
  if (fs::exists(directory / "compare.json")) return comparison_page_data(directory);
  if (SweepDirectory::is_one(directory)) return sweep_page_data(directory);
  throw InputError(
      "{}: holds no run, sweep, load curve or comparison (no result.json, results.sqlite, load.json or "
      "compare.json); 'flitscope run', 'sweep', 'load' and 'compare' make such directories, with --out",
      printable(directory.string()));
}

std::string title_of(const Json& data, const fs::path& directory) {
  const fs::path name = fs::absolute(directory).lexically_normal();
  std::string folder = (name.has_filename() ? name : name.parent_path()).filename().string();
  for (const char* const part : {"result", "curve"}) {
    if (!data.contains(part)) continue;
    const Json named = data.at(part).value("name", Json());
    if (named.is_string() && !named.get_ref<const std::string&>().empty()) return named.get<std::string>();
  }
  return folder;
}

Exit run(const Arguments& arguments) {
  const SignalCleanup cleanup("report");
  const fs::path directory = arguments.required("DIR");
  const std::string out = arguments.path("out");
  const fs::path file = out.empty() ? directory / "report.html" : fs::path(out);
  Json data = data_of(directory);
  data["version"] = FLITSCOPE_VERSION;
  data["title"] = title_of(data, directory);
  write_file(file, html_page(data["title"].get<std::string>(), data), existing_of(arguments));
  print(printable(file.string()) + "\n");
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "report",
    .arguments = "DIR",
    .summary = "Makes one HTML page of a run, a sweep, a load curve or a comparison.",
    .place = 70,
    .options = {{"out", "FILE", "write the page there (default: report.html in DIR)"},
                {"force", "", "replace the file if it is there"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::report_command
