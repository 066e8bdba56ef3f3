#include "sim/run/engine_settings.h"

#include <array>

#include "params/settings.h"

namespace flitscope {

const char* name_of(Modules modules) {
  return modules == Modules::all ? "all" : "auto";
}

const char* name_of(FastForwardMode mode) {
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

namespace engine_settings {
namespace {

constexpr std::int64_t kMaxThreads = 256;
constexpr std::array kModules{Modules::automatic, Modules::all};
constexpr std::array kFastForward{FastForwardMode::automatic, FastForwardMode::on, FastForwardMode::off};

const SettingsRegistry::Entry entry{RowSection<EngineSettings>{
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

}  // namespace
}  // namespace engine_settings
}  // namespace flitscope
