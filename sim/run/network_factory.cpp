// The network of a run, by the configuration's machine and its section `engine`.
#include <algorithm>
#include <array>
#include <optional>

#include "params/settings.h"
#include "routers/modules/limits.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "sim/run/packets.h"

namespace flitscope {

namespace {

/// Whether cycles that repeat are counted instead of run.
enum class FastForward : std::uint8_t { on, off };
constexpr std::array kFastForward{"on", "off"};

struct EngineSettings {
  Modules modules = Modules::automatic;
  FastForward fast_forward = FastForward::on;
  /// Nothing: see useful_threads.
  std::optional<unsigned> threads;
};

constexpr std::int64_t kMaxThreads = 256;

const SettingsRegistry::Entry engine_section{RowSection<EngineSettings>{
    .name = "engine",
    .summary = "how the simulator works; no result depends on it",
    .rows = {of_links(choice_row(
                 &EngineSettings::modules, "modules",
                 "routers that are SystemC modules of their own; auto: all, above 65,536 nodes none")),
             of_links(choice_row(
                 &EngineSettings::fast_forward, kFastForward, "fast_forward",
                 "count cycles that repeat earlier ones instead of running them; off: run every cycle")),
             of_links(row(
                 &EngineSettings::threads,
                 {.name = "threads",
                  .summary = "threads that step routers, each some of their groups of 64; one with router "
                             "parts, limited ejection buffers, or routing by queues of other routers; auto: "
                             "for `flitscope run` of traffic on 4,096 routers or more as many as there are "
                             "cores, at most one for every 1,024 routers, otherwise one",
                  .minimum = 1,
                  .maximum = kMaxThreads,
                  .choices = {"auto"}}))}}};

/// Small networks are slower with threads; so are schedules, whose cycles are counted or in which flits
/// mostly wait.
unsigned useful_threads(const ExperimentConfig& config, unsigned free_threads) {
  constexpr NodeId kMinRouters = 4096;
  constexpr NodeId kRoutersOfThread = 1024;
  const NodeId routers = config.topology.routers();
  if (!config.workload.has_traffic() || routers < kMinRouters) return 1;
  return std::min<NodeId>(free_threads, routers / kRoutersOfThread);
}

}  // namespace

Network& make_network(const ExperimentConfig& config, unsigned free_threads) {
  const auto& [modules, fast_forward, threads] = config.settings.get<EngineSettings>();
  const std::uint64_t picoseconds = countable_period(config, config.machine.furthest_ahead());
  const auto period = sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS);
  Network& network = *new Network("network", config.topology, machine_of_network(config), period, modules);
  network.clock().set_fast_forward(fast_forward == FastForward::on);
  network.clock().set_threads(threads.value_or(useful_threads(config, free_threads)));
  return network;
}

}  // namespace flitscope
