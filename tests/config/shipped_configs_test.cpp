// Every configuration in configs/, but for sweeps, is accepted, with the files that it names.
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/config/config_source.h"

namespace flitscope::shipped_configs_test {
namespace {

TEST(ShippedConfigs, EveryShippedConfig_IsAccepted) {
  const std::filesystem::path configs = FLITSCOPE_SOURCE_DIR "/configs";
  unsigned accepted = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(configs)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".yaml" || path.parent_path().filename() == "sweeps" ||
        path.parent_path().filename() == "files") {
      continue;
    }
    EXPECT_NO_THROW(static_cast<void>(load_config(path, {}))) << path;
    ++accepted;
  }
  EXPECT_GT(accepted, 25U);
}

}  // namespace
}  // namespace flitscope::shipped_configs_test
