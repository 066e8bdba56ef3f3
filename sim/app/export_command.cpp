// flitscope export: a schedule in another format.
#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/app/signal_cleanup.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/schedule_file.h"

namespace flitscope::app::export_command {

namespace options = boost::program_options;

namespace {

Exit run(const Strings& words) {
  options::options_description own;
  own.add_options()("format", options::value<std::string>()->value_name("F"),
                    "format to write; flitscope list formats has all");
  add_out_options(own, "write to FILE; of a format with several files, FILE is what their names begin with");
  const Arguments arguments("export", own, "SCHEDULE", words);
  if (arguments.helped()) return Exit::done;

  const Format& format = format_of(arguments, "export");
  if (format.write == nullptr) {
    throw InputError(fmt::format("flitscope export: {} can be imported only", format.name));
  }
  const std::string name = arguments.required("SCHEDULE");
  const std::string out = arguments.path("out");
  if (out.empty()) throw InputError("flitscope export: --out is missing (see flitscope export --help)");
  ScheduleFile schedule{std::filesystem::path(name)};
  std::vector<ExportedFile> files;
  try {
    files = format.write(schedule);
  } catch (const Inadmissible& reason) {
    throw InputError(
        fmt::format("{}: {} cannot express it: {}", printable(name), format.name, reason.what()));
  }
  const SignalCleanup orderly_end("export");
  for (const ExportedFile& file : files) write_file(out + file.suffix, file.text, existing_of(arguments));
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "export",
    .arguments = "SCHEDULE --format F --out FILE",
    .summary = "Writes a schedule in another format.",
    .place = 34,
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::export_command
