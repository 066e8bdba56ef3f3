// Events and energy of a run, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/run/energy.h"

namespace flitscope {

/// Lines about the energy; empty without a table.
[[nodiscard]] std::string energy_text(const RunResult& result);
/// Counts of events. The network must have links.
[[nodiscard]] nlohmann::ordered_json events_json(const RunResult& result);
/// docs/results.md has the keys.
[[nodiscard]] nlohmann::ordered_json energy_json(const EnergyResult& energy);
/// A line for each router.
[[nodiscard]] std::string routers_csv(const RunResult& result, const LinkResult& links);

}  // namespace flitscope
