// Files of networks, routes, schedules and traffic, in our formats and in those of others.
#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "model/topology.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/config/config_source.h"
#include "sim/formats/circuit_schedule_file.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/rank_map.h"
#include "sim/formats/graph_file.h"
#include "sim/formats/routes_file.h"
#include "sim/formats/schedule_file.h"
#include "sim/run/workload.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz {
namespace {

/// Schedule files for tori and meshes, checked as `verify` does.
void try_schedule(std::string_view bytes) {
  ScheduleFile file(std::make_unique<std::istringstream>(std::string(bytes)), "attack.jsonl");
  static_cast<void>(check_schedule(file));
}

const TargetRegistry::Entry schedule_entry{
    {.name = "schedule", .summary = "a schedule file for links", .read = try_schedule}};

/// Schedule files for complete networks, checked as `verify` does.
void try_circuits(std::string_view bytes) {
  CircuitScheduleFile file(std::make_unique<std::istringstream>(std::string(bytes)), "attack.jsonl");
  static_cast<void>(check_events(file));
}

const TargetRegistry::Entry circuits_entry{
    {.name = "circuits", .summary = "a schedule file for circuits", .read = try_circuits}};

/// Networks from files of BookSim's format anynet.
void try_anynet(std::string_view bytes) {
  Diagnostics diagnostics;
  if (auto plan = read_anynet(bytes, "attack.anynet", diagnostics)) {
    static_cast<void>(Topology::of(std::make_shared<const Graph>(std::move(*plan))));
  }
}

const TargetRegistry::Entry anynet_entry{
    {.name = "anynet", .summary = "a network as anynet text", .read = try_anynet}};

/// Networks from files of our own format.
void try_graph(std::string_view bytes) {
  Diagnostics diagnostics;
  if (auto plan = read_graph_yaml(bytes, "attack.yaml", diagnostics)) {
    static_cast<void>(Topology::of(std::make_shared<const Graph>(std::move(*plan))));
  }
}

const TargetRegistry::Entry graph_entry{{.name = "graph", .summary = "a network in YAML", .read = try_graph}};

/// Tables of routes, for a torus of nine nodes.
void try_routes(std::string_view bytes) {
  Diagnostics diagnostics;
  static_cast<void>(read_routes(bytes, "attack.csv", Topology(TopologyKind::torus, {3, 3}), diagnostics));
}

const TargetRegistry::Entry routes_entry{
    {.name = "routes", .summary = "a table of routes", .read = try_routes}};

/// Files of synthetic traffic: bytes are read as a matrix and as a permutation.
void try_traffic(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  directory.write("numbers", std::string(bytes));
  for (const char* const pattern : {"matrix, rates: numbers", "permutation, destinations: numbers"}) {
    const auto config = parse_config(
        "flitscope: 1\n"
        "topology: {kind: torus, shape: [2, 2]}\n"
        "workload: {traffic: " +
            std::string(pattern) + ", load: 0.1, message: 64}\n",
        "attack.yaml", directory.path());
    try {
      static_cast<void>(make_traffic_patterns(config));
    } catch (const InputError&) {
    } catch (const Inadmissible&) {
    }
  }
}

const TargetRegistry::Entry traffic_entry{
    {.name = "traffic", .summary = "a file of the traffic matrix or permutation", .read = try_traffic}};

/// --map of `flitscope import`.
void try_rank_map(std::string_view bytes) {
  ImportOptions options({TopologyKind::torus, {3, 3}});
  options.map = read_rank_map(std::string(bytes));
  const std::array<RankTraffic, 2> traffic{{{0, 4, 64}, {2, 3, 4096}}};
  static_cast<void>(map_ranks(options, "attack", 5, traffic));
}

const TargetRegistry::Entry rank_map_entry{
    {.name = "rank_map", .summary = "--map of import", .read = try_rank_map}};

/// Traces of three ranks in the format chakra, in one input: lines that begin with "--- " part them.
void try_chakra(std::string_view bytes) {
  constexpr std::string_view kBetween = "\n--- next trace\n";
  std::vector<ImportFile> files;
  for (std::size_t at = 0; files.size() < 3;) {
    const std::size_t end = std::min(bytes.find(kBetween, at), bytes.size());
    files.push_back(
        {"attack." + std::to_string(files.size()) + ".et", std::string(bytes.substr(at, end - at))});
    at = std::min(end + kBetween.size(), bytes.size());
  }
  ImportOptions options({TopologyKind::torus, {3}});
  options.collective = [topology = options.topology](const std::string&, std::uint64_t size) {
    ParameterValues values;
    values.set("message", static_cast<std::int64_t>(size));
    values.set("directions", std::string("both"));
    return AlgorithmRegistry::find("all-reduce-ring")->make(topology, values);
  };
  const auto schedule = FormatRegistry::find("chakra")->read(files, options);
  static_cast<void>(check_schedule(*schedule));
}

const TargetRegistry::Entry chakra_entry{
    {.name = "chakra", .summary = "traces of the format chakra", .read = try_chakra}};

/// A schedule of a format of others, checked as `verify` does.
void try_format(const char* format, std::string_view bytes) {
  std::vector<ImportFile> files{{"attack", std::string(bytes)}};
  const auto schedule =
      FormatRegistry::find(format)->read(files, ImportOptions({TopologyKind::torus, {3, 3}}));
  static_cast<void>(check_schedule(*schedule));
}

const TargetRegistry::Entry csv_entry{{.name = "csv_trace",
                                       .summary = "a schedule of the format csv",
                                       .read = [](std::string_view bytes) { try_format("csv", bytes); }}};
const TargetRegistry::Entry goal_entry{{.name = "goal",
                                        .summary = "a schedule of the format goal",
                                        .read = [](std::string_view bytes) { try_format("goal", bytes); }}};
const TargetRegistry::Entry msccl_entry{
    {.name = "msccl", .summary = "a schedule of the format msccl-xml", .read = [](std::string_view bytes) {
       try_format("msccl-xml", bytes);
     }}};
const TargetRegistry::Entry te_ccl_entry{
    {.name = "te_ccl", .summary = "a schedule of the format te-ccl", .read = [](std::string_view bytes) {
       try_format("te-ccl", bytes);
     }}};

}  // namespace
}  // namespace flitscope::fuzz
