// A report as one HTML file that needs nothing else, and what it shows of a run directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/config.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

/// A page that shows `data` with the program's scripts. It loads nothing, and its policy forbids it to. Texts
/// in `data` stay texts: they are in a script element of JSON, in which no text can end the element, and
/// the scripts put them into the page as text. Throws InputError if the program was built without D3.
[[nodiscard]] std::string html_page(const std::string& title, const Json& data);

/// What the page shows of a run, from the files of its directory: result.json and config.yaml whole, the CSV
/// files as columns, the latencies of messages.csv as a histogram with their terms, the drawing of the
/// network, and trace.bin packed for the replay. Throws InputError for a file that is missing or is not what
/// a run writes.
[[nodiscard]] Json run_page_data(const std::filesystem::path& directory);

/// What the head of a page says of a machine and its traffic: "routing duato", "4 VCs", ..
[[nodiscard]] Json machine_json(const ExperimentConfig& config);

/// A JSON object of a file. Throws InputError.
[[nodiscard]] Json page_json(const std::filesystem::path& file);

}  // namespace flitscope

/// The same in every report: style, scripts and D3, put into the program when it is built
/// (cmake/report_page.cmake).
namespace flitscope::page_assets {

struct Script {
  std::string_view name;
  std::string_view text;
};

[[nodiscard]] std::string_view style();
/// In the order in which they are run, after D3.
[[nodiscard]] const std::vector<Script>& scripts();
/// Nothing if the program was built without.
[[nodiscard]] std::optional<std::string_view> d3();

}  // namespace flitscope::page_assets
