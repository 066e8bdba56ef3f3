// A real browser, headless: what it makes of a page.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace flitscope::test {

/// True if there is Chromium (Debian's package chromium). Tests that need it are skipped otherwise:
///   if (!has_browser()) GTEST_SKIP() << kNoBrowser;
[[nodiscard]] bool has_browser();
inline constexpr auto kNoBrowser = "there is no chromium (Debian's package) to load the page";

/// What a page is like when its scripts have run.
struct BrowsedPage {
  /// What `probe` returned.
  std::string seen;
  /// What was written to the console: errors, and what the page's policy kept from happening.
  std::vector<std::string> console;
};

/// Loads a copy of an HTML file in which, behind all of it, the value of the JavaScript expression `probe` is
/// made JSON.
[[nodiscard]] BrowsedPage browse(const std::filesystem::path& page, const std::string& probe);

}  // namespace flitscope::test
