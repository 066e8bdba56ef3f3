// The workload of a configuration: a schedule that fits the machine, a routing table, or traffic patterns.
#pragma once

#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/link_programs.h"
#include "model/schedule.h"
#include "routers/routing/routing.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/legality.h"
#include "sim/config/config.h"

namespace flitscope {

struct MemoryMap;

/// Opens the schedule file of a workload, or its copy if there is one. Throws InputError if it cannot be
/// opened, and Inadmissible if its digest is not the one given.
[[nodiscard]] std::unique_ptr<std::istream> open_schedule(const WorkloadConfig& workload);

/// The patterns of WorkloadConfig::offered().
using OfferedPatterns = std::vector<std::unique_ptr<TrafficPattern>>;
/// The patterns of a configuration with traffic. Throws Inadmissible if one is not defined for the network,
/// and InputError for a malformed file.
[[nodiscard]] OfferedPatterns make_traffic_patterns(const ExperimentConfig& config);
/// WorkloadConfig::offered(), of a protocol with the names of the message classes of requests and replies.
[[nodiscard]] std::vector<TrafficConfig> offered_in_classes(const ExperimentConfig& config);
/// The pattern of the traffic beside a schedule, which the configuration must have.
[[nodiscard]] std::unique_ptr<TrafficPattern> make_background_pattern(const ExperimentConfig& config);

/// The facts of traffic, as of a schedule.
[[nodiscard]] ScheduleFacts traffic_facts(const ExperimentConfig& config);

/// A schedule whose chunks have so many bytes together, in the proportions of their own; without a number the
/// schedule itself. Throws Inadmissible if it has no data.
[[nodiscard]] std::unique_ptr<Schedule> with_data(std::unique_ptr<Schedule> schedule,
                                                  std::optional<std::uint64_t> bytes);

/// The schedule of a configuration, from its first step on; a RecordedSchedule if its file is a recording.
/// Throws Inadmissible or InputError.
[[nodiscard]] std::unique_ptr<Schedule> make_schedule(const ExperimentConfig& config);
/// Throws Inadmissible for a schedule file that can be read once only, such as a pipe: of what reads it
/// several times.
void require_rereadable_schedule(const WorkloadConfig& workload);

/// The same on a complete network. Its unit of time is that of a message of one chunk: t_m = startup + flits,
/// in cycles; d = ceil(reconfiguration / t_m).
[[nodiscard]] std::unique_ptr<CircuitSchedule> make_circuit_schedule(const ExperimentConfig& config);

/// t_m, the cycles of a message of one chunk. Throws Inadmissible if that cannot be counted.
[[nodiscard]] Cycle unit_cycles(const MachineConfig& machine, std::uint64_t chunk_bytes);

/// Throws Inadmissible if a schedule is made for another complete network, uses more ports than the nodes
/// have, or needs faster tuning than the machine's.
void require_fitting(const ExperimentConfig& config, const CircuitFacts& facts);

/// The routing table of a configuration's algorithm. Throws Inadmissible if it has none.
[[nodiscard]] LinkPrograms make_table(const ExperimentConfig& config);

/// Throws Inadmissible if a schedule is made for another network than `topology`.
void require_same_network(const ScheduleFacts& facts, const Topology& topology);

// Memories that replies and requests come from: the section `memory`.

/// What the nodes' memories do; nothing if the configuration has no section `memory`. The machine must be
/// complete. Throws Inadmissible if the machine has no message classes for them.
[[nodiscard]] std::optional<MemoryMap> memory_map(const ExperimentConfig& config);

/// How many requests nodes of shared memories work on, if not as many as others: for MachineConfig. Throws
/// Inadmissible.
[[nodiscard]] std::map<NodeId, std::uint32_t> controller_requests(const ExperimentConfig& config);
/// Sets the intervals at which nodes read flits one by one, if the memories say so. Throws Inadmissible.
void set_read_intervals(MachineConfig& machine, const MemoryMap& map);

/// Sets what the configuration leaves to the schedule: the routing function and the number of virtual
/// channels. Throws Inadmissible if the schedule is made for another network, or the function does not serve
/// this one.
void resolve_auto_routing(ExperimentConfig& config, const ScheduleFacts& facts);
/// The same, of a machine that can be built, and completes it. Throws Inadmissible if it cannot be, or if no
/// memory suffices.
void resolve_auto_settings(ExperimentConfig& config, const ScheduleFacts& facts);

/// The same for a network whose messages a program sends; refuses a machine that cannot be built, and
/// packets: messages are sent whole. Throws InputError.
void complete_for_messages(ExperimentConfig& config);
/// A configuration that was made of a file of another program, completed so. Errors name the file and the
/// keys of the configuration, not places in it: its user has none. Throws InputError.
[[nodiscard]] ExperimentConfig read_imported_machine(const std::string& configuration,
                                                     const std::string& file,
                                                     const std::filesystem::path& directory);

/// Throws the error that is being handled again, with its source location: an Inadmissible becomes an
/// InputError with that of its key; an error about a message of a schedule file gets the file's name and the
/// message's line.
[[noreturn]] void throw_located(const ExperimentConfig& config);
/// What `act` returns; its errors are thrown so.
template <typename Act>
decltype(auto) with_places(const ExperimentConfig& config, Act act) {
  try {
    return act();
  } catch (const std::exception&) {
    throw_located(config);
  }
}

/// Adds the lines of the schedule file to violations about messages.
void add_places(Legality& legality, const ExperimentConfig& config);

/// A schedule whose messages are checked as its steps are produced: can the machine carry each, by its
/// routing function and its length? Counts the load of the links.
class CheckedSchedule final : public Schedule {
 public:
  /// `machine` must be complete (see resolve_auto_settings).
  CheckedSchedule(std::unique_ptr<Schedule> schedule, const Topology& topology, const MachineConfig& machine);

  [[nodiscard]] const ScheduleFacts& facts() const override { return schedule_->facts(); }
  /// Throws Inadmissible for a message that the machine cannot carry.
  [[nodiscard]] bool next(Step& step) override;

  /// One entry for every step produced so far.
  [[nodiscard]] const std::vector<StepLoad>& loads() const { return loads_; }
  /// Of its messages in a network.
  [[nodiscard]] const Paths& paths(unsigned network) const { return load_.paths(network); }

 private:
  std::unique_ptr<Schedule> schedule_;
  MachineConfig machine_;
  [[nodiscard]] std::optional<std::string> objection(const Message& message, unsigned network) const;

  std::vector<std::uint32_t> classes_;                      ///< see class_numbers()
  std::vector<std::unique_ptr<RoutingFunction>> routings_;  ///< by network
  ChannelLoad load_;
  std::vector<StepLoad> loads_;
};

}  // namespace flitscope
