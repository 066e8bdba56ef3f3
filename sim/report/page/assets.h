// What is the same in every report: style, scripts and D3, put into the program when it is built
// (cmake/report_page.cmake).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

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
