// What `verify` says about deadlock, as text and as JSON, with the keys that docs/user-guide.md lists.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/topology.h"
#include "sim/verify/deadlock_check.h"
#include "sim/verify/suggested_fixes.h"
#include "sim/verify/witness.h"

namespace flitscope {

[[nodiscard]] std::string verdict_text(const DeadlockCheck& check, const Topology& topology);
/// How many messages lock up, and where.
[[nodiscard]] std::string witness_text(const Witness& witness, const Topology& topology);

[[nodiscard]] std::string fixes_text(const SuggestedFixes& fixes, const Topology& topology);

[[nodiscard]] nlohmann::ordered_json to_json(const DeadlockCheck& check, const Topology& topology);
[[nodiscard]] nlohmann::ordered_json to_json(const SuggestedFixes& fixes, const Topology& topology);

}  // namespace flitscope
