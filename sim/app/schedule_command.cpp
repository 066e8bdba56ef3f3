// flitscope schedule: the schedule as JSON Lines.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "model/error.h"
#include "sim/app/command.h"
#include "sim/experiment/schedule_file.h"
#include "sim/experiment/workload.h"

namespace flitscope::app {

namespace options = boost::program_options;
namespace fs = std::filesystem;

namespace {

/// Writes under another name and renames, so that no half schedule is ever left behind.
void write_to_file(Schedule& schedule, const fs::path& file) {
  fs::path temporary = file;
  temporary += ".partial-" + std::to_string(getpid());
  try {
    std::ofstream out(temporary, std::ios::binary);
    if (!out) throw OutputError(file.string() + ": cannot be written");
    write_schedule(schedule, out);
    out.close();
    if (!out) throw OutputError(file.string() + ": could not be written completely");
    fs::rename(temporary, file);
  } catch (const fs::filesystem_error& error) {
    fs::remove(temporary);
    throw OutputError(file.string() + ": cannot be written: " + error.code().message());
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

}  // namespace

Exit schedule_command(const Words& words) {
  options::options_description own;
  add_set_option(own);
  own.add_options()("out", options::value<std::string>()->value_name("FILE"), "write to a file");
  const Arguments arguments("schedule", own, "CONFIG", words);
  if (arguments.helped()) return Exit::done;

  const std::string out = arguments.path("out");
  const ExperimentConfig config = load_config(arguments.required("CONFIG"), arguments.texts("set"));
  try {
    const auto schedule = make_schedule(config);
    require_same_network(schedule->facts(), config.topology);
    if (!out.empty()) {
      write_to_file(*schedule, out);
    } else {
      write_schedule(*schedule, std::cout);
    }
    return Exit::done;
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

}  // namespace flitscope::app
