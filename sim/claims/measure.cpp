#include "sim/claims/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/config/config_source.h"
#include "sim/report/result_json.h"
#include "sim/run/experiment.h"
#include "sim/run/isolated.h"
#include "sim/run/workload.h"

namespace flitscope::claims {

ExperimentConfig experiment(const std::string& topology, const std::string& workload,
                            const std::vector<std::string>& settings) {
  return parse_config(fmt::format("flitscope: 1\ntopology: {}\nworkload: {}\n", topology, workload), "claim",
                      "/", settings);
}

std::string equal_torus(std::uint64_t side, unsigned dimensions) {
  const std::vector<std::uint64_t> sides(dimensions, side);
  return fmt::format("{{kind: torus, shape: [{}]}}", fmt::join(sides, ", "));
}

CheckReport check(const ExperimentConfig& config, const CheckOptions& options) {
  const auto schedule = make_schedule(config);
  return check_schedule(*schedule, options);
}

nlohmann::ordered_json run_on_flits(const ExperimentConfig& config) {
  return nlohmann::ordered_json::parse(run_isolated([&] { return to_json(run_experiment(config)).dump(); }));
}

std::uint64_t total_stalls(const nlohmann::ordered_json& result) {
  std::uint64_t sum = 0;
  for (const auto& flit_cycles : result.at("stalls")) sum += flit_cycles.get<std::uint64_t>();
  return sum;
}

}  // namespace flitscope::claims
