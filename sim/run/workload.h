// From the configuration to a schedule that fits the machine.
#pragma once

#include <istream>
#include <memory>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/link_programs.h"
#include "model/schedule.h"
#include "routers/routing/routing.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/legality.h"
#include "sim/config/config.h"

namespace flitscope {

/// Opens the schedule file of a workload, or the copy that is read in its place. Throws InputError if it
/// cannot be opened, and Inadmissible if it has not the digest that is given.
[[nodiscard]] std::unique_ptr<std::istream> open_schedule(const WorkloadConfig& workload);

/// The patterns of WorkloadConfig::offered().
using OfferedPatterns = std::vector<std::unique_ptr<TrafficPattern>>;
/// Those of a configuration with traffic. Throws Inadmissible if one is not defined for the network, and
/// InputError for a file that is none.
[[nodiscard]] OfferedPatterns make_traffic_patterns(const ExperimentConfig& config);
/// The same of the traffic beside a schedule, which the configuration must have.
[[nodiscard]] std::unique_ptr<TrafficPattern> make_background_pattern(const ExperimentConfig& config);

/// What is known of traffic before it runs, as if it were a schedule.
[[nodiscard]] ScheduleFacts traffic_facts(const ExperimentConfig& config);

/// The schedule a configuration asks for, from its first step on. Throws Inadmissible or InputError.
[[nodiscard]] std::unique_ptr<Schedule> make_schedule(const ExperimentConfig& config);

/// The same on a complete network. Its unit of time is that of a message of one chunk: t_m = startup + flits,
/// in cycles; d = ceil(reconfiguration / t_m).
[[nodiscard]] std::unique_ptr<CircuitSchedule> make_circuit_schedule(const ExperimentConfig& config);

/// t_m, the cycles of a message of one chunk. Throws Inadmissible if that cannot be counted.
[[nodiscard]] Cycle unit_cycles(const MachineConfig& machine, std::uint64_t chunk_bytes);

/// Throws Inadmissible if a schedule is made for another complete network, uses more ports than the nodes
/// have, or allows for faster tuning than the machine's.
void require_fitting(const ExperimentConfig& config, const CircuitFacts& facts);

/// The routing table of the algorithm a configuration names. Throws Inadmissible, naming the algorithms that
/// have tables, if it has none.
[[nodiscard]] LinkPrograms make_table(const ExperimentConfig& config);

/// Throws Inadmissible if a schedule is made for another network than `topology`.
void require_same_network(const ScheduleFacts& facts, const Topology& topology);

/// Fills in what the configuration leaves to the schedule: the routing function and the number of virtual
/// channels. Throws Inadmissible if the schedule is made for another network, or if the machine cannot be
/// built, with whatever memory.
void resolve_auto_settings(ExperimentConfig& config, const ScheduleFacts& facts);

/// Called where an error is caught: throws it again with its place. An Inadmissible becomes an InputError at
/// its key's place; an error about a message of a schedule file gets the file's name and the message's line.
/// Others are passed on as they are.
[[noreturn]] void throw_located(const ExperimentConfig& config);

/// If the schedule is from a file: says of every violation about a message where that stands.
void add_places(Legality& legality, const ExperimentConfig& config);

/// Passes a schedule on, step by step, and looks at it on the way: can the machine carry every message, by
/// its routing function and its length, and how are the links loaded?
class WatchedSchedule final : public Schedule {
 public:
  /// `machine` must be complete (see resolve_auto_settings).
  WatchedSchedule(std::unique_ptr<Schedule> schedule, const Topology& topology, const MachineConfig& machine);

  [[nodiscard]] const ScheduleFacts& facts() const override { return schedule_->facts(); }
  /// Throws Inadmissible for a message that the machine cannot carry.
  [[nodiscard]] bool next(Step& step) override;

  /// One entry for every step produced so far.
  [[nodiscard]] const std::vector<StepLoad>& loads() const { return loads_; }
  /// Of its messages.
  [[nodiscard]] const Paths& ways() const { return load_.ways(); }

 private:
  std::unique_ptr<Schedule> schedule_;
  MachineConfig machine_;
  std::unique_ptr<RoutingFunction> routing_;
  ChannelLoad load_;
  std::vector<StepLoad> loads_;
};

}  // namespace flitscope
