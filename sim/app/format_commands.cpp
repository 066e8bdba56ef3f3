// flitscope import and export: schedules in other formats, and configurations of BookSim2.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <utility>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/booksim2/booksim_machine.h"
#include "sim/config/config_source.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/schedule_file.h"
#include "sim/formats/schedule_lines.h"
#include "sim/formats/strict_json.h"
#include "sim/host/processes.h"
#include "sim/report/report_parts.h"
#include "sim/run/barriers.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"

namespace flitscope::app::format_commands {

namespace {

/// The format that --format names. Throws InputError if there is none.
const Format& format_of(const Arguments& arguments, const std::string& command) {
  const std::string name = arguments.required("format");
  if (const Format* const found = FormatRegistry::find(name)) return *found;
  std::vector<std::string> names = texts_of(FormatRegistry::all(), &Format::name);
  throw InputError("flitscope {}: there is no format {}{} (formats are {})", command, in_quotes(name),
                   did_you_mean(name, names), fmt::join(names, ", "));
}

ImportFile file_of(const std::string& name) {
  const auto stream = open_file(std::filesystem::path(name));
  std::string text = text_of_stream(*stream);
  if (stream->bad()) throw InputError("{}: cannot be read", printable(name));
  return {name, std::move(text)};
}

std::uint64_t chunk_bytes(const std::string& text) {
  const auto parsed = parse_bytes(text);
  constexpr std::uint64_t kMax = std::uint64_t{1} << 32;
  if (parsed.value && *parsed.value >= 1 && *parsed.value <= kMax) return *parsed.value;
  throw InputError("flitscope import: --chunk must be a size from 1 to {} bytes, such as 64KiB, not {}", kMax,
                   in_quotes(text));
}

/// The schedule of an algorithm on the machine of a configuration, changed by `settings`, whose own workload
/// does not count.
std::unique_ptr<Schedule> make_collective(const std::string& file, Strings settings,
                                          const std::string& algorithm, std::uint64_t bytes) {
  const Algorithm* const found = AlgorithmRegistry::find(algorithm);
  const auto has_message = [](const Parameter& parameter) { return parameter.name == "message"; };
  const bool takes_message = found != nullptr && std::ranges::any_of(found->parameters, has_message);
  settings.push_back(fmt::format("workload={{algorithm: {}{}}}", algorithm,
                                 takes_message ? fmt::format(", message: {}", bytes) : ""));
  const ExperimentConfig config = load_config(file, settings);
  return with_places(config, [&] { return make_schedule(config); });
}

/// The algorithms "A,B" for collective operations, each for those of its collective.
std::vector<const Algorithm*> algorithms_of(const std::string& names) {
  std::vector<const Algorithm*> algorithms;
  for (const std::string& name : split(names)) {
    const Algorithm* const found = AlgorithmRegistry::find(name);
    if (found == nullptr || !found->make) {
      throw InputError("flitscope import: --collective: no algorithm on links is called {}{}",
                       in_quotes(name),
                       did_you_mean(name, texts_of(AlgorithmRegistry::all(), &Algorithm::name)));
    }
    algorithms.push_back(found);
  }
  return algorithms;
}

ImportOptions options_of(const Arguments& arguments, const ExperimentConfig& config) {
  const std::string file = arguments.required("on");
  if (!config.topology.has_links()) {
    throw InputError("{}: messages of other formats travel over links; a {} has none", printable(file),
                     config.topology.name());
  }
  ImportOptions options(config.topology);
  options.routing = config.routing.value_or(config.topology.default_routing());
  if (arguments.has("map")) options.map = read_rank_map(arguments.text("map"));
  if (arguments.has("chunk")) options.chunk_bytes = chunk_bytes(arguments.text("chunk"));
  options.clock = config.clock;
  options.note = [](const std::string& text) { std::cerr << "flitscope import: " << text << '\n'; };
  options.replay = replay_plan(config);
  options.replay.is_relative = arguments.choice("calls", {"relative", "recorded"}) == "relative";
  if (arguments.has("collective")) {
    options.collective = [file, settings = arguments.texts("set"),
                          algorithms = algorithms_of(arguments.text("collective"))](
                             const std::string& operation, std::uint64_t bytes) -> std::unique_ptr<Schedule> {
      const auto found = std::ranges::find(algorithms, operation, [](const Algorithm* each) {
        return std::string(name_of(each->collective.kind));
      });
      return found == algorithms.end() ? nullptr : make_collective(file, settings, (*found)->name, bytes);
    };
  }
  return options;
}

std::unique_ptr<Schedule> read_files(const Format& format, const Strings& names,
                                     const ImportOptions& options) {
  try {
    std::vector<ImportFile> files;
    for (const std::string& name : names) files.push_back(file_of(name));
    return format.read(files, options);
  } catch (const std::bad_alloc&) {
    throw InputError("{}{}: not enough memory to import: {} available", printable(names.front()),
                     names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1),
                     bytes_text(memory_limit()));
  }
}

void write_import(Schedule& schedule, const Arguments& arguments) {
  const std::string out = arguments.path("out");
  if (out.empty()) {
    // Nothing of a schedule that is refused on the way.
    std::ostringstream text;
    write_schedule(schedule, text);
    std::cout << std::move(text).str();
    return;
  }
  const SignalCleanup cleanup("import");
  OutputFile file(out, existing_of(arguments));
  file.write([&](std::ostream& stream) { write_schedule(schedule, stream); });
  file.commit();
  const ScheduleFacts& facts = schedule.facts();
  print(fmt::format("{}: {} in {} on the {}\n", printable(out), counted(facts.messages, "message"),
                    counted(facts.steps, "step"), facts.topology.name()));
}

/// Reads the configuration as it will be read: what the other program can simulate and flitscope cannot is
/// refused.
void require_simulated(const ImportedMachine& machine, const std::string& name, const MachineFiles& files) {
  const auto require_in = [&](const std::filesystem::path& directory) {
    static_cast<void>(read_imported_machine(machine.configuration, name, directory));
  };
  if (machine.network.empty()) return require_in(files.directory);
  ScratchDirectory scratch;
  const std::string network = scratch.file(files.network).string();
  write_files({{network, machine.network}}, Existing::keep);
  try {
    require_in(scratch.path());
  } catch (const InputError& error) {
    throw InputError(boost::algorithm::replace_all_copy(std::string(error.what()), printable(network),
                                                        printable(name) + " (as a network)"));
  }
}

/// Writes the machine of another program as a configuration, and the network as a graph file beside it.
Exit import_machine(const Format& format, const Strings& names, const Arguments& arguments) {
  for (const char* const option : {"on", "set", "map", "chunk", "collective", "calls"}) {
    if (!arguments.has(option)) continue;
    throw InputError("flitscope import: --{} is for schedules; {} is a machine", option, format.name);
  }
  if (names.size() > 1) throw InputError("flitscope import: {} is one file", format.name);
  const std::filesystem::path out = arguments.path("out");
  const MachineFiles files{.directory = out.empty() ? std::filesystem::current_path()
                                                    : std::filesystem::absolute(out).parent_path(),
                           .network = out.stem().string() + ".network.yaml"};
  const ImportedMachine machine = format.machine(file_of(names.front()), files);
  if (out.empty() && !machine.network.empty()) {
    throw InputError(
        "flitscope import: the network is a second file: --out must name the configuration, such as --out "
        "machine.yaml");
  }
  require_simulated(machine, names.front(), files);
  if (out.empty()) {
    std::cout << machine.configuration;
    return Exit::done;
  }
  const SignalCleanup cleanup("import");
  std::vector<OutputText> texts{{out.string(), machine.configuration}};
  if (!machine.network.empty())
    texts.push_back({(files.directory / files.network).string(), machine.network});
  write_files(texts, existing_of(arguments));
  return Exit::done;
}

Exit run_import(const Arguments& arguments) {
  const Format& format = format_of(arguments, "import");
  const Strings names = arguments.texts("FILE");
  if (names.empty()) throw InputError("flitscope import: FILE is missing (see flitscope import --help)");
  if (format.machine != nullptr) return import_machine(format, names, arguments);
  ExperimentConfig config = load_config(arguments.required("on"), arguments.texts("set"));
  auto schedule = read_files(format, names, options_of(arguments, config));
  // Places of errors are not in the schedule of CONFIG.
  config.workload.schedule_file.clear();
  with_places(config, [&] {
    resolve_auto_settings(config, schedule->facts());
    CheckedSchedule carriable(std::move(schedule), config.topology, machine_of_messages(config));
    write_import(carriable, arguments);
  });
  return Exit::done;
}

const CommandRegistry::Entry import_entry{{
    .name = "import",
    .arguments = "FILE... --format F [--on CONFIG]",
    .summary = "Makes a schedule, or a configuration, of files in another format.",
    .place = 32,
    .options =
        {{"format", "F", "format of the files; flitscope list formats has all"},
         {"on", "CONFIG", "configuration whose machine the ranks are on"},
         kSetOption,
         {"map", "MAP",
          "nodes of the ranks: identity (default), snake, search, or their numbers, 3,1,0,2 or 8-15,0-7"},
         {"chunk", "SIZE", "size of a chunk, where the format counts chunks (default: 1KiB)"},
         {"collective", "A,B", "algorithms that do the collective operations, one for each collective"},
         {"calls", "WHEN",
          "of a recording: relative to the call and the barriers before (default), or in the recorded "
          "cycles: recorded"},
         out_option("write the schedule to a file, or into a device or FIFO"),
         kForceOption},
    .run = run_import,
}};

Exit run_export(const Arguments& arguments) {
  const Format& format = format_of(arguments, "export");
  if (format.write == nullptr) {
    throw InputError("flitscope export: {} can be imported only", format.name);
  }
  const std::string name = arguments.required("SCHEDULE");
  const std::string out = arguments.path("out");
  if (out.empty()) throw InputError("flitscope export: --out is missing (see flitscope export --help)");
  std::optional<ExperimentConfig> machine;
  if (arguments.has("on")) machine = load_config(arguments.text("on"), arguments.texts("set"));
  if (!machine && !arguments.texts("set").empty())
    throw InputError("flitscope export: --set changes the configuration of --on, which is missing");
  ScheduleFile schedule(open_file(name), name, machine ? std::optional(machine->topology) : std::nullopt,
                        machine ? machine->machine.classes : std::vector<MessageClass>());
  std::vector<ExportedFile> files;
  try {
    files = format.write(schedule);
  } catch (const Inadmissible& reason) {
    throw InputError("{}: {} cannot express it: {}", printable(name), format.name, reason.what());
  }
  const SignalCleanup cleanup("export");
  std::vector<OutputText> texts;
  for (const ExportedFile& file : files) texts.push_back({out + file.suffix, file.text});
  write_files(texts, existing_of(arguments));
  return Exit::done;
}

const CommandRegistry::Entry export_entry{{
    .name = "export",
    .arguments = "SCHEDULE --format F --out FILE",
    .summary = "Writes a schedule in another format.",
    .place = 34,
    .options = {{"format", "F", "format to write; flitscope list formats has all"},
                {"on", "CONFIG",
                 "configuration whose network the schedule is for: of graphs, and of families of networks"},
                kSetOption,
                out_option(
                    "write to FILE; of a format with several files, FILE is what their names begin with"),
                kForceOption},
    .run = run_export,
}};

ImportedMachine booksim2_machine(const ImportFile& file, const MachineFiles& files) {
  const BookSimMachine machine = read_booksim_machine(file.text, file.name, files.directory, false);
  std::string text = fmt::format("# A machine of BookSim2: {}.\n", printable(file.name));
  for (const std::string& note : machine.notes) text += fmt::format("# {}\n", note);
  return {text + machine.machine + machine.workload};
}

const FormatRegistry::Entry booksim2_entry{{
    .name = "booksim2",
    .summary = "configuration of BookSim2: network, routers, traffic; becomes a configuration",
    .source =
        "BookSim2 (Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, 2013)",
    .machine = booksim2_machine,
}};

}  // namespace
}  // namespace flitscope::app::format_commands
