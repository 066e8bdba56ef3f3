// What a configuration says of the engine. No result depends on it.
#pragma once

#include "routers/modules/limits.h"

namespace flitscope {

/// "auto", "all"
[[nodiscard]] const char* name_of(Modules modules);

struct EngineSettings {
  Modules modules = Modules::automatic;
};

}  // namespace flitscope
