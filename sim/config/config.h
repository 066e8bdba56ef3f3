// The typed configuration of one experiment. What each key is: keys.h; how it is read and printed:
// config_source.h.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "model/machine.h"
#include "model/text.h"
#include "model/topology.h"
#include "params/key.h"
#include "params/parameter.h"
#include "params/settings.h"
#include "traffic/protocol.h"
#include "traffic/traffic.h"

namespace flitscope {

struct YamlNode;

/// When a step's messages may start.
enum class Advance : std::uint8_t {
  barrier,   ///< when all messages of the step before have arrived
  dataflow,  ///< as soon as the node holds the data and its own earlier sends have left
  table,     ///< no steps: links send by their rules (see LinkPrograms)
};
template <>
inline constexpr std::array kNamesOf<Advance>{"barrier", "dataflow", "table"};

/// What the network has to do. Exactly one of `algorithm`, `schedule_file`, `traffic.pattern`, `classes` and
/// `protocol` is given; with a protocol `traffic` has the pattern and the load of the requests.
struct WorkloadConfig {
  /// An entry of the AlgorithmRegistry, or nullptr.
  const Algorithm* algorithm = nullptr;
  /// Values of the algorithm's parameters, defaults filled in.
  ParameterValues parameters;
  /// Absolute, or empty. Whether the file is there has not been looked at.
  std::filesystem::path schedule_file;
  /// What schedule_digest() must say of the file.
  std::optional<std::string> schedule_digest;
  /// Bytes of all its chunks together, to which they are scaled; nothing: as the file has them.
  std::optional<std::uint64_t> data;
  /// A copy of the file that is read in its place; empty: the file itself is read.
  std::filesystem::path schedule_copy;
  Advance advance = Advance::barrier;
  /// Messages a dataflow driver reads ahead.
  std::uint64_t lookahead = 1'000'000;
  /// Synthetic traffic; of several classes its phases and the first seed.
  TrafficConfig traffic;
  /// Several classes of synthetic traffic at once, each with its own load, but without phases.
  std::vector<TrafficConfig> classes;
  /// Requests and replies.
  std::optional<ProtocolConfig> protocol;
  /// Traffic beside an algorithm or a schedule: its load, not its phases.
  std::optional<TrafficConfig> background;

  [[nodiscard]] bool has_traffic() const { return traffic.pattern != nullptr || !classes.empty(); }
  /// What is offered: the classes, the one without a list, or requests and replies. Empty if there is no
  /// traffic.
  [[nodiscard]] std::span<const TrafficConfig> offered() const {
    if (protocol) return protocol->offered;
    if (classes.empty() && traffic.pattern != nullptr) return {&traffic, 1};
    return classes;
  }
  /// Which keys it has.
  [[nodiscard]] KeyWork work() const {
    if (protocol) return KeyWork::protocol;
    if (!classes.empty()) return KeyWork::traffic;
    return traffic.pattern == nullptr ? KeyWork::schedules : KeyWork::one_class;
  }
};

/// The section with the keys of class `item`, counted from 0: "workload.classes[0]".
[[nodiscard]] std::string class_section_name(std::size_t item);
/// The section with the keys of offered()[item]: that, "workload", or "workload.requests".
[[nodiscard]] std::string offered_section(const WorkloadConfig& workload, std::size_t item);
/// "uniform", "uniform + hotspot", or "request-reply, uniform": the patterns of the traffic.
[[nodiscard]] std::string pattern_names(const WorkloadConfig& workload);
/// Calls take(values, key, copy) for every file that patterns of traffic read: the parameter that names it,
/// and how a copy of it is called.
void for_each_traffic_file(
    WorkloadConfig& workload,
    const std::function<void(ParameterValues&, const std::string& key, const std::string& copy)>& take);
/// Flits that a node offers in a cycle, by all classes.
[[nodiscard]] double offered_load(const WorkloadConfig& workload);
/// What a load of this workload counts, a protocol's its requests alone: "flits/node/cycle".
[[nodiscard]] const char* load_unit(const WorkloadConfig& workload);

/// A quantity as the configuration gives it, and what whole flits and cycles make of it.
struct SimulatedQuantity {
  /// Beyond this part of what was asked a difference is worth a warning.
  static constexpr double kTolerance = 0.001;

  std::string key;
  std::string asked;
  std::string simulated;
  double difference = 0;  ///< simulated less asked, in parts of what was asked
};

/// One experiment.
struct ExperimentConfig {
  explicit ExperimentConfig(Topology on) : topology(std::move(on)) {}

  static constexpr const char* kUnnamed = "unnamed";
  std::string name = kUnnamed;
  Topology topology;
  /// The file of a graph, absolute; empty for other networks.
  std::filesystem::path graph_file;
  /// What Graph::digest must say of it.
  std::optional<std::string> graph_digest;
  /// The file of the routes that `routing: table` follows, absolute; empty for other routing functions. They
  /// depend on `topology`.
  std::filesystem::path routes_file;
  /// What a configuration may leave to the schedule: nothing means `auto`, the routing function the
  /// schedule is made for, and as many virtual channels as that one has classes. The run
  /// fills them in, here and in `machine`.
  std::optional<std::string> routing;
  std::optional<unsigned> virtual_channels;
  /// Complete but for `routing` and `virtual_channels`, which count when those above are filled in.
  MachineConfig machine;
  WorkloadConfig workload;
  /// Values of keys that parts of the program have registered.
  Settings settings;
  /// The longest time the network may take, in cycles.
  std::uint64_t cycle_limit = 1'000'000'000;
  /// Length of a cycle, if it was given. All times here are in cycles all the same.
  std::optional<ClockPeriod> clock;
  /// What the machine's `link_cycles_per_flit` and `flit_bytes` follow from, if it was given: bytes a second.
  std::optional<std::uint64_t> link_bandwidth;
  /// The same of the intervals of the nodes' channels.
  std::optional<std::uint64_t> node_bandwidth;
  /// Bandwidths of `link`, of `node` and of items of `links`.
  std::vector<SimulatedQuantity> bandwidths;

  /// The configuration file, as messages name it.
  std::string file;
  /// The given sections and keys with their places, "file:line:column" or "--set router.buffer=4"; nullptr
  /// without a file.
  std::shared_ptr<const YamlNode> given;
};

/// What the file or an override gives at the path of a section or key ("router", "router.buffer"); nullptr if
/// it gives nothing.
[[nodiscard]] const YamlNode* given_at(const ExperimentConfig& config, const std::string& path);

/// The error for a value that turned out later not to be admissible, with the place of its key; if the key
/// was not given, with the place of its section, or of the file's beginning.
[[nodiscard]] InputError located(const ExperimentConfig& config, const Inadmissible& reason);

}  // namespace flitscope
