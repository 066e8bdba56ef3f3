#include "params/key_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace flitscope {

namespace {

/// A key or section that had another name.
struct Renamed {
  std::string_view before;
  std::string_view now;
  std::string_view second = {};  ///< if two keys replace it
};

constexpr std::array kRenamed{
    Renamed{"optical", "circuits"},
    Renamed{"link.rate", "link.cycles_per_flit"},
    Renamed{"links.rate", "links.cycles_per_flit"},
    Renamed{"node.injection_rate", "node.injection_interval"},
    Renamed{"node.ejection_rate", "node.ejection_interval"},
    Renamed{"node.slowdown", "node.injection_interval", "node.ejection_interval"},
    Renamed{"node.copy", "node.copy_cycles_per_byte"},
    Renamed{"node.reduce", "node.reduce_cycles_per_byte"},
    Renamed{"router.vc_turnaround", "router.vc_reallocation_delay"},
    Renamed{"topology.sides", "topology.shape"},
    Renamed{"workload.itself", "workload.self"},
};

/// What other simulators call a key, in whichever section.
struct Synonym {
  std::string_view word;
  std::string_view key;
  std::string_view example;
};

constexpr std::string_view kVirtualChannels = "router: {virtual_channels: 4}";
constexpr std::string_view kBuffer = "router: {buffer: 8}, in flits for each virtual channel";
constexpr std::string_view kShape = "topology: {kind: torus, shape: [8, 8]}, the nodes along each dimension";
constexpr std::string_view kRouting = "router: {routing: dimension-order}";

constexpr std::string_view kEnergy = "energy: {table: 22nm}, whose file names node and voltage";

constexpr std::array kSynonyms{
    Synonym{"vcs", "router.virtual_channels", kVirtualChannels},
    Synonym{"num_vcs", "router.virtual_channels", kVirtualChannels},
    Synonym{"buffer_depth", "router.buffer", kBuffer},
    Synonym{"vc_buf_size", "router.buffer", kBuffer},
    Synonym{"packet_size", "workload.message", "workload: {traffic: uniform, message: 64}, in bytes"},
    Synonym{"mtu", "packet.payload", "packet: {payload: 256}, in bytes"},
    Synonym{"injection_rate", "workload.load",
            "workload: {traffic: uniform, load: 0.1}, in flits/cycle for each node"},
    Synonym{"flit_width", "node.flit_bytes", "node: {flit_bytes: 8}"},
    Synonym{"latency", "link.delay", "link: {delay: 20ns}, with a clock"},
    Synonym{"wire_length", "link.mm", "link: {mm: 2}"},
    Synonym{"power", "energy.table", kEnergy},
    Synonym{"dsent", "energy.table", kEnergy},
    Synonym{"orion", "energy.table", kEnergy},
    Synonym{"voltage", "energy.table", kEnergy},
    Synonym{"frequency", "clock", "clock: 1GHz"},
    Synonym{"priority", "classes",
            "classes: [{name: a, vcs: [0]}, {name: b, vcs: [1], priority: 1}], with a message_class of the "
            "workload"},
    Synonym{"k", "topology.shape", kShape},
    Synonym{"n", "topology.shape", kShape},
    Synonym{"dim", "topology.shape", kShape},
    Synonym{"xy", "router.routing", kRouting},
    Synonym{"dor", "router.routing", kRouting},
};

/// A key that is gone, or a value that its key does not have, and what to write instead.
struct Instead {
  std::string_view path;
  std::string_view value;  ///< empty: the key itself
  std::string_view instead;
};

constexpr std::array kInstead{
    Instead{"observe.map", "", "the report of every run has the map: flitscope report DIR"},
    Instead{"router.routing", "xy",
            "xy is called dimension-order in flitscope: write routing: dimension-order"},
    Instead{"router.routing", "dor",
            "dor is called dimension-order in flitscope: write routing: dimension-order"},
    Instead{"engine.fast_forward", "auto", "write fast_forward: on, which looks for repeats where it pays"},
};

/// Keys of the section `sweep`, which users write beside it.
constexpr std::array<std::string_view, 6> kOfSweep{"run", "slurm", "zip", "replicas", "exclude", "repeat"};

/// What no key is about; docs/limits.md says what to use instead.
struct Subject {
  std::string_view word;  ///< keys that begin with it
  std::string_view subject;
};

constexpr std::array kSubjects{
    Subject{"area", "physical layout and area"},
    Subject{"layout", "physical layout and area"},
    Subject{"floorplan", "physical layout and area"},
    Subject{"placement", "physical layout and area"},
    Subject{"temperature", "temperature"},
    Subject{"thermal", "temperature"},
    Subject{"throttl", "sources that adapt to congestion"},
    Subject{"congestion_control", "sources that adapt to congestion"},
    Subject{"bit_error", "transient faults"},
    Subject{"error_rate", "transient faults"},
    Subject{"retransmi", "transient faults"},
    Subject{"coheren", "caches and coherence"},
    Subject{"cache", "caches and coherence"},
    Subject{"qos", "guaranteed service"},
    Subject{"dvfs", "clocks that differ or change"},
    Subject{"clock_domain", "clocks that differ or change"},
};

/// "optical.x" and "optical" itself belong to `section` "optical".
bool is_in(std::string_view path, std::string_view section) {
  return path.starts_with(section) && (path.size() == section.size() || path[section.size()] == '.');
}

}  // namespace

std::optional<std::string> other_name_of_key(std::string_view path) {
  for (const Renamed& each : kRenamed) {
    if (is_in(path, each.before)) {
      const std::string second = each.second.empty() ? "" : fmt::format(" and '{}'", each.second);
      return fmt::format("it is called '{}{}'{} now", each.now, path.substr(each.before.size()), second);
    }
  }
  if (const auto instead = other_name_of_value(path, "")) return instead;
  if (std::ranges::any_of(kOfSweep, [&](std::string_view section) { return is_in(path, section); }))
    return fmt::format("it belongs in the section sweep, as sweep.{}", path);
  const std::string_view key = path.substr(path.rfind('.') + 1);
  if (const auto* const found = std::ranges::find(kSynonyms, key, &Synonym::word); found != kSynonyms.end()) {
    return fmt::format("{} is called {} in flitscope: write {}", key, found->key, found->example);
  }
  const auto* const found =
      std::ranges::find_if(kSubjects, [&](const Subject& each) { return key.starts_with(each.word); });
  if (found == kSubjects.end()) return std::nullopt;
  return fmt::format("flitscope does not model {}: docs/limits.md says what to use instead", found->subject);
}

std::optional<std::string> other_name_of_value(std::string_view path, std::string_view value) {
  for (const Instead& each : kInstead) {
    if (each.path == path && each.value == value) return std::string(each.instead);
  }
  return std::nullopt;
}

}  // namespace flitscope
