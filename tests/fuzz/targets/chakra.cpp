// Traces of three ranks in the format chakra, in one input: lines that begin with "--- " part them.
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/format.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::chakra_target {
namespace {

void read(std::string_view bytes) {
  constexpr std::string_view kBetween = "\n--- next trace\n";
  std::vector<ImportFile> files;
  for (std::size_t at = 0; files.size() < 3;) {
    const std::size_t end = std::min(bytes.find(kBetween, at), bytes.size());
    files.push_back(
        {"attack." + std::to_string(files.size()) + ".et", std::string(bytes.substr(at, end - at))});
    at = std::min(end + kBetween.size(), bytes.size());
  }
  const auto schedule =
      FormatRegistry::find("chakra")->read(files, ImportOptions({TopologyKind::torus, {3}}));
  static_cast<void>(check_schedule(*schedule));
}

const TargetRegistry::Entry entry{{.name = "chakra", .summary = "traces of the format chakra", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::chakra_target
