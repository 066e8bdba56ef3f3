// The directory that `flitscope load --out` writes.
//   config.yaml   the resolved configuration
//   load.json     the curve, as `load --json` prints it
//   load.csv      a line a point
//   load.svg      latency against load
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "sim/report/output_file.h"
#include "sim/report/run_directory.h"
#include "sim/studies/load_curve.h"

namespace flitscope {

/// Writes the files; the directory gets its name by its commit(). Throws OutputError.
void write_load_files(const RunDirectory& directory, const ExperimentConfig& config, const LoadCurve& curve);

/// True if `directory` holds a load curve: a load.json.
[[nodiscard]] bool is_load_directory(const std::filesystem::path& directory);
/// {"kind": "load", "curve": load.json, "config": config.yaml} for the report. Throws InputError.
[[nodiscard]] nlohmann::ordered_json load_page_data(const std::filesystem::path& directory);

}  // namespace flitscope
