#include "sim/run/network_factory.h"

#include <array>
#include <optional>

#include "params/settings.h"
#include "routers/engine/fast_forward.h"
#include "routers/modules/limits.h"
#include "sim/run/packets.h"

namespace flitscope {

static const char* name_of(Modules modules) {
  return modules == Modules::all ? "all" : "auto";
}

static const char* name_of(FastForwardMode mode) {
  switch (mode) {
    case FastForwardMode::automatic:
      return "auto";
    case FastForwardMode::on:
      return "on";
    case FastForwardMode::off:
      break;
  }
  return "off";
}

namespace {

struct EngineSettings {
  Modules modules = Modules::automatic;
  FastForwardMode fast_forward = FastForwardMode::automatic;
  /// Nothing: see useful_threads.
  std::optional<unsigned> threads;
};

constexpr std::int64_t kMaxThreads = 256;
constexpr std::array kModules{Modules::automatic, Modules::all};
constexpr std::array kFastForward{FastForwardMode::automatic, FastForwardMode::on, FastForwardMode::off};

const SettingsRegistry::Entry engine_section{RowSection<EngineSettings>{
    .name = "engine",
    .summary = "how the simulator works; no result depends on it",
    .rows = {
        of_links(choice_row(
            &EngineSettings::modules, kModules,
            {.name = "modules",
             .summary =
                 "routers that are SystemC modules of their own; auto: all, above 65,536 nodes none"})),
        of_links(choice_row(
            &EngineSettings::fast_forward, kFastForward,
            {.name = "fast_forward",
             .summary = "count cycles and steps that repeat earlier ones, and flits of messages that stand, "
                        "instead of running them; auto: look for them where it pays; off: run everything"})),
        of_links(row(&EngineSettings::threads,
                     {.name = "threads",
                      .summary = "threads that step routers; auto: as many as there are cores for "
                                 "`flitscope run` of traffic on 4,096 routers or more, otherwise one",
                      .minimum = 1,
                      .maximum = kMaxThreads,
                      .choices = {"auto"}}))}}};

/// Small networks are slower with threads; so are schedules, which FastForward counts and which mostly wait.
unsigned useful_threads(const ExperimentConfig& config, unsigned free_threads) {
  constexpr NodeId kMinRouters = 4096;
  return config.workload.has_traffic() && config.topology.routers() >= kMinRouters ? free_threads : 1;
}

}  // namespace

Network& make_network(const ExperimentConfig& config, std::uint64_t picoseconds, unsigned free_threads) {
  const auto& [modules, fast_forward, threads] = config.settings.get<EngineSettings>();
  const auto period = sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS);
  Network& network = *new Network("network", config.topology, machine_of_network(config), period, modules);
  network.clock().set_fast_forward(fast_forward);
  network.clock().set_threads(threads.value_or(useful_threads(config, free_threads)));
  return network;
}

}  // namespace flitscope
