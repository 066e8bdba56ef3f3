#include "sim/run/engine_settings.h"

#include <array>

#include "model/settings.h"

namespace flitscope {

const char* name_of(Modules modules) {
  return modules == Modules::all ? "all" : "auto";
}

namespace engine_settings {
namespace {

constexpr std::array kModules{Modules::automatic, Modules::all};

const SettingsRegistry::Entry entry{RowSection<EngineSettings>{
    .name = "engine",
    .summary = "how the simulator works; no result depends on it",
    .rows = {of_links(choice_row(
        &EngineSettings::modules, kModules,
        {.name = "modules",
         .summary = "routers that are SystemC modules of their own; auto: all, above 65,536 nodes none"}))}}};

}  // namespace
}  // namespace engine_settings
}  // namespace flitscope
