#include "sim/studies/load_directory.h"

#include <nlohmann/json.hpp>

#include "sim/config/resolve.h"
#include "sim/report/page/run_page.h"
#include "sim/studies/load_report.h"

namespace flitscope {

void write_load_files(const RunDirectory& directory, const ExperimentConfig& config, const LoadCurve& curve) {
  const auto put = [&](const char* name, const std::string& text) {
    write_file(directory.file(name), text, Existing::replace);
  };
  put("config.yaml", resolve(config));
  put("load.json", load_json(config, curve).dump(2) + "\n");
  put("load.csv", load_csv(config, curve));
  put("load.svg", load_svg(config, curve));
}

bool is_load_directory(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "load.json");
}

nlohmann::ordered_json load_page_data(const std::filesystem::path& directory) {
  return {{"kind", "load"},
          {"config", page_file(directory / "config.yaml")},
          {"curve", page_json(directory / "load.json")}};
}

}  // namespace flitscope
