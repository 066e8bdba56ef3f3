// The report of a run directory.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "sim/config/config.h"

namespace flitscope {

/// What the page shows of a run, from the files of its directory: result.json and config.yaml whole, the CSV
/// files as columns, the latencies of messages.csv as a histogram with their terms, the drawing of the
/// network, and trace.bin packed for the replay. Throws InputError for a file that is missing or is not what
/// a run writes.
[[nodiscard]] nlohmann::ordered_json run_page_data(const std::filesystem::path& directory);

/// What the head of a page says of a machine and its traffic: "routing duato", "4 VCs", ..
[[nodiscard]] nlohmann::ordered_json machine_json(const ExperimentConfig& config);

/// A JSON object of a file. Throws InputError.
[[nodiscard]] nlohmann::ordered_json page_json(const std::filesystem::path& file);

}  // namespace flitscope
