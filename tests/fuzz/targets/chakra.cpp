// Traces of three ranks in the format chakra, in one input: lines that begin with "--- " part them.
#include <utility>

#include "algorithms/algorithm.h"
#include "tests/fuzz/imported.h"
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
  ImportOptions options({TopologyKind::torus, {3}});
  options.collective = [topology = options.topology](const std::string&, std::uint64_t size) {
    ParameterValues values;
    values.set("message", static_cast<std::int64_t>(size));
    values.set("directions", std::string("both"));
    return AlgorithmRegistry::find("all-reduce-ring")->make(topology, values);
  };
  import_and_check("chakra", std::move(files), options);
}

const TargetRegistry::Entry entry{{.name = "chakra", .summary = "traces of the format chakra", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::chakra_target
