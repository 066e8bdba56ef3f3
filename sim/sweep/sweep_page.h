// The report of a sweep.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace flitscope {

/// {"kind": "sweep", "columns": [..], "rows": [[..], ..], "swept": [[key, ..], ..]}: every run with what was
/// swept and its numbers. Of lists and objects nothing is shown. Throws InputError if the directory has no
/// results.
[[nodiscard]] nlohmann::ordered_json sweep_page_data(const std::filesystem::path& directory);

}  // namespace flitscope
