// A real browser, headless: what it makes of a page.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::test {

/// True if there is Chromium (Debian's package chromium). Tests that need it are skipped otherwise:
///   if (!has_browser()) GTEST_SKIP() << kNoBrowser;
[[nodiscard]] inline bool has_browser() {
  return std::system("command -v chromium >/dev/null 2>&1") == 0;
}
inline constexpr auto kNoBrowser = "there is no chromium (Debian's package) to load the page";

/// What a page is like when its scripts have run.
struct BrowsedPage {
  /// What `probe` returned.
  std::string seen;
  /// What was written to the console: errors, and what the page's policy kept from happening.
  std::vector<std::string> console;
};

inline constexpr auto kMark = "flitscope-seen:";

inline std::string without_entities(std::string text) {
  for (const auto& [entity, character] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}}) {
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
      text.replace(at, std::string(entity).size(), character);
    }
  }
  return text;
}

/// Loads a copy of an HTML file in which, behind all of it, the value of the JavaScript expression `probe` is
/// made JSON.
[[nodiscard]] inline BrowsedPage browse(const std::filesystem::path& page, const std::string& probe) {
  const TemporaryDirectory directory;
  std::string html = text_of(page);
  const std::string script = fmt::format(
      "<script>{{ const out = document.createElement('pre'); out.textContent = '{}' + JSON.stringify({}); "
      "document.body.append(out); }}</script>\n</body>",
      kMark, probe);
  const std::size_t end = html.rfind("</body>");
  if (end == std::string::npos) throw std::runtime_error(page.string() + ": no page");
  html.replace(end, 7, script);
  const std::filesystem::path file = directory.write("page.html", html);
  const std::string command = fmt::format(
      "chromium --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run "
      "--disable-extensions --disable-sync --window-size=1100,900 --user-data-dir='{0}/profile' "
      "--enable-logging=stderr --dump-dom 'file://{1}' >'{0}/dom' 2>'{0}/log'",
      directory.path().string(), file.string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error(text_of(directory / "log"));

  BrowsedPage browsed;
  const std::string dom = text_of(directory / "dom");
  const std::size_t from = dom.rfind(std::string("<pre>") + kMark);
  if (from != std::string::npos) {
    const std::size_t begin = from + 5 + std::string(kMark).size();
    browsed.seen = without_entities(dom.substr(begin, dom.find("</pre>", begin) - begin));
  }
  std::istringstream log(text_of(directory / "log"));
  for (std::string line; std::getline(log, line);) {
    if (line.find(":CONSOLE:") != std::string::npos) browsed.console.push_back(line);
  }
  return browsed;
}

}  // namespace flitscope::test
