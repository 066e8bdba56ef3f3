// The files of a run, as `flitscope report` reads them. In an input each begins with a line "==== NAME".
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sim/report/page/page.h"
#include "tests/fuzz/target.h"
#include "tests/support/program.h"

namespace flitscope::fuzz::run_page_target {
namespace {

constexpr std::array<std::string_view, 8> kNames{"config.yaml",    "result.json",  "steps.csv",
                                                 "channels.csv",   "messages.csv", "ports.csv",
                                                 "receptions.csv", "trace.bin"};
constexpr std::string_view kMark = "==== ";

void read(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  while (!bytes.empty()) {
    const std::size_t next = std::min(bytes.find(kMark, 1), bytes.size());
    const std::string_view part = bytes.substr(0, next);
    bytes.remove_prefix(next);
    const std::size_t line = std::min(part.find('\n'), part.size());
    if (!part.starts_with(kMark) || line == part.size()) continue;
    const std::string_view name = part.substr(kMark.size(), line - kMark.size());
    if (std::ranges::count(kNames, name) == 0) continue;
    directory.write(std::string(name), std::string(part.substr(line + 1)));
  }
  static_cast<void>(html_page("attack", run_page_data(directory.path())));
}

const TargetRegistry::Entry entry{
    {.name = "run_page", .summary = "the files of a run, for its report", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::run_page_target
