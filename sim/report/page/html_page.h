// A report as one HTML file that needs nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flitscope {

/// A page that shows `data` with the program's scripts. It loads nothing, and its policy forbids it to. Texts
/// in `data` stay texts: they are in a script element of JSON, in which no text can end the element, and
/// the scripts put them into the page as text. Throws InputError if the program was built without D3.
[[nodiscard]] std::string html_page(const std::string& title, const nlohmann::ordered_json& data);

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
