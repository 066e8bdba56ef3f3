// What a configuration says of the engine. No result depends on it.
#pragma once

#include <optional>

#include "routers/engine/fast_forward.h"
#include "routers/modules/limits.h"

namespace flitscope {

/// "auto", "all"
[[nodiscard]] const char* name_of(Modules modules);

/// "auto", "on", "off"
[[nodiscard]] const char* name_of(FastForwardMode mode);

struct EngineSettings {
  Modules modules = Modules::automatic;
  FastForwardMode fast_forward = FastForwardMode::automatic;
  /// Nothing: as many as pay.
  std::optional<unsigned> threads;
};

}  // namespace flitscope
