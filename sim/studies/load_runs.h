// The same experiment at many loads, many at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/units.h"

namespace flitscope {

/// By rising load, each once.
[[nodiscard]] std::vector<Decimal> sorted_loads(std::vector<Decimal> loads);

/// Asks `run` for the answer to each load, in processes of their own, `workers` at the same time, and gives
/// it to `take`, in the order in which they come. Throws std::runtime_error if a process dies.
void run_loads(const std::vector<Decimal>& loads, unsigned workers,
               const std::function<std::string(const Decimal& load)>& run,
               const std::function<void(const Decimal& load, const std::string& answer)>& take);

}  // namespace flitscope
