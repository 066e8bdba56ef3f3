// What a run would gain by one change of its machine: run, not guessed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/sweep/table.h"

namespace flitscope {

/// How one run ended.
struct WhatIfRun {
  /// As in result.json; "refused" if the configuration is not admissible.
  std::string status;
  /// What is compared: cycles, or of traffic the mean latency in cycles. Nothing if the run did not complete
  /// or, of traffic, is saturated.
  std::optional<double> time;
  /// Why it was refused.
  std::string error;
};

struct WhatIfChange {
  /// "router.virtual_channels", its value in the run as it is, and in this one.
  std::string key;
  std::string from;
  std::string to;
  WhatIfRun run;
};

struct WhatIf {
  std::string name;
  /// "cycles" or "mean latency".
  std::string measure;
  WhatIfRun base;
  /// The best first, then those that did not complete.
  std::vector<WhatIfChange> changes;
  /// The buffer as it is, and the least that keeps the time: one flit less does not. Nothing on a complete
  /// network, and if the run as it is does not complete.
  std::optional<std::uint32_t> buffer;
  std::optional<std::uint32_t> least_buffer;
  /// With `least_buffer`, and with one flit less; nothing if that is 1.
  WhatIfRun least_run;
  std::optional<WhatIfRun> below_least;
};

/// Runs a configuration, changed by `settings`, as it is, and with one change at a time: a virtual channel
/// more and less, buffers twice and half as deep, shorter delays and startup, more ports, wider flits, the
/// other way of advancing; then searches the least buffer. `workers` runs at the same time. Calls on_run
/// after each. Throws InputError if the run as it is is not admissible.
[[nodiscard]] WhatIf what_if(const std::filesystem::path& config, std::span<const std::string> settings,
                             unsigned workers, const std::function<void(const std::string&)>& on_run);

/// A row a run, the first the run as it is.
[[nodiscard]] Table to_table(const WhatIf& answer);
/// For people.
[[nodiscard]] std::string what_if_text(const WhatIf& answer);

}  // namespace flitscope
