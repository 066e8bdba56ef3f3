// The keys of machines, of workloads - algorithms, schedules and synthetic traffic - and of message classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/text.h"
#include "params/key.h"
#include "params/registry.h"
#include "sim/config/config.h"

namespace flitscope {

/// Of an experiment on any network.
template <>
[[nodiscard]] ExperimentConfig fresh();

/// A file that is named as seen from the configuration's directory, and held by its absolute path.
template <typename Object>
[[nodiscard]] Row<Object> file_row(std::filesystem::path Object::*field, Parameter parameter) {
  return {
      {std::move(parameter).or_else("null")},
      [field](Object& object, const ParameterValues::Value& value, const ReadContext& context) {
        object.*field =
            std::filesystem::absolute(context.directory / std::get<std::string>(value)).lexically_normal();
      },
      [field](const Object& object, const Topology&) {
        const std::filesystem::path& file = object.*field;
        return file.empty() ? std::nullopt : std::optional<ParameterValues::Value>(file.string());
      }};
}

/// An entry of a registry, by its name.
template <typename Object, typename T>
[[nodiscard]] Row<Object> entry_row(const T* Object::*field, const char* name, const char* summary) {
  std::vector<std::string> names = texts_of(Registry<T>::all(), &T::name);
  return {{Parameter::choice(name, summary, std::move(names)).or_else("null")},
          [field](Object& object, const ParameterValues::Value& value, const ReadContext&) {
            object.*field = Registry<T>::find(std::get<std::string>(value));
          },
          [field](const Object& object, const Topology&) {
            const T* const entry = object.*field;
            return entry == nullptr ? std::nullopt : std::optional<ParameterValues::Value>(entry->name);
          }};
}

/// `classes`, and what no class can say alone.
[[nodiscard]] Row<ExperimentConfig> message_classes();
void require_consistent_classes(const ExperimentConfig& config, const Topology& topology);

/// What routers, links, network interfaces and circuits are like.
[[nodiscard]] RowSection<ExperimentConfig> router_section();
[[nodiscard]] RowSection<ExperimentConfig> link_section();
[[nodiscard]] RowSection<ExperimentConfig> node_section();
[[nodiscard]] RowSection<ExperimentConfig> circuits_section();

/// `workload`: an algorithm, a schedule or traffic.
[[nodiscard]] RowSection<ExperimentConfig> workload_section();
/// `workload.background`: traffic beside the first two.
[[nodiscard]] RowSection<ExperimentConfig> background_section();

/// `workload.requests` and `workload.service`, of a protocol.
[[nodiscard]] RowSection<ExperimentConfig> requests_section();
[[nodiscard]] RowSection<ExperimentConfig> service_section();

/// `workload.classes`, a list of maps: this is the section of class `item`, counted from 0, as
/// class_section_name() calls it. It is filled after the workload's own keys.
[[nodiscard]] RowSection<ExperimentConfig> class_section(std::size_t item);

/// Whether a class can be called so: a word of letters, digits, - and _.
[[nodiscard]] bool is_class_name(const std::string& name);

/// The largest seed of random numbers.
inline constexpr std::int64_t kMaxSeed = std::int64_t{1} << 62;

/// The first is `traffic`, which names the pattern; the others belong to traffic only.
[[nodiscard]] std::vector<Row<TrafficConfig>> traffic_rows();
/// Those of traffic beside a schedule, which has no phases of its own but a time before the schedule starts;
/// `traffic` must be given.
[[nodiscard]] std::vector<Row<TrafficConfig>> background_rows();
/// Those of the requests of a protocol, which have no size of their own, and without a load a closed loop.
[[nodiscard]] std::vector<Row<TrafficConfig>> request_rows();
/// Those of class `item`, counted from 0, among several, which have phases together. `seed` and `name` depend
/// on its place and are not among them.
[[nodiscard]] std::vector<Row<TrafficConfig>> class_rows();

/// Throws Inadmissible for traffic that no node of the machine could offer, or that ends before it starts.
/// `section` holds its keys.
void require_possible(const TrafficConfig& traffic, const MachineConfig& machine, const Topology& topology,
                      const std::string& section);

/// The same for all traffic of a workload: no class alone offers too much, nor do they together.
void require_possible(const WorkloadConfig& workload, const MachineConfig& machine, const Topology& topology);

/// Flits of a message, on average.
[[nodiscard]] double mean_flits(const TrafficConfig& traffic, const MachineConfig& machine);

/// Flits that a node's injection channels can take in a cycle.
[[nodiscard]] double injection_channel_rate(const MachineConfig& machine, const Topology& topology);

/// The lowest load that nodes can offer: a message in 10^9 cycles.
[[nodiscard]] double least_load(const TrafficConfig& traffic, const MachineConfig& machine);

/// The highest load that nodes can offer: a flit a cycle on each injection channel, and a message a cycle.
[[nodiscard]] double possible_load(const TrafficConfig& traffic, const MachineConfig& machine,
                                   const Topology& topology);

}  // namespace flitscope
