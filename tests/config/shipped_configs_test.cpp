// Every configuration in configs/, but for those in sweeps/, is accepted, with the files that it names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/config/config_source.h"

namespace flitscope::shipped_configs_test {
namespace {

/// Without the axes of a sweep.
std::vector<std::string> as_one_run(const std::filesystem::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("sweep:")) return {"sweep=null"};
  }
  return {};
}

TEST(ShippedConfigs, EveryShippedConfig_IsAccepted) {
  const std::filesystem::path configs = FLITSCOPE_SOURCE_DIR "/configs";
  unsigned accepted = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(configs)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".yaml" || path.parent_path().filename() == "sweeps" ||
        path.parent_path().filename() == "files") {
      continue;
    }
    EXPECT_NO_THROW(static_cast<void>(load_config(path, as_one_run(path)))) << path;
    ++accepted;
  }
  EXPECT_GT(accepted, 25U);
}

}  // namespace
}  // namespace flitscope::shipped_configs_test
