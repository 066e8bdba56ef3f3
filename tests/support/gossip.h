// Gossips for tests: an algorithm on a torus, checked, and unrolled step by step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "sim/analysis/schedule_checker.h"

namespace flitscope::test {

using Shape = std::vector<std::uint32_t>;

inline Topology torus(const Shape& shape) {
  return {TopologyKind::torus, shape};
}

/// The declared parameters of a gossip at their defaults, with this rule of supply and size.
inline ParameterValues gossip_parameters(const Algorithm& algorithm, const std::string& supply = "",
                                         std::int64_t message = 64) {
  ParameterValues values;
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.type == ParameterType::choice) values.set(parameter.name, parameter.fallback);
  }
  values.set("message", message);
  if (!supply.empty()) values.set("supply", supply);
  return values;
}

inline std::unique_ptr<Schedule> make_gossip(const std::string& name, const Shape& shape,
                                             const std::string& supply = "") {
  const Algorithm& algorithm = *AlgorithmRegistry::find(name);
  return algorithm.make(torus(shape), gossip_parameters(algorithm, supply));
}

inline LinkPrograms gossip_table(const std::string& name, const Shape& shape,
                                 const std::string& supply = "") {
  const Algorithm& algorithm = *AlgorithmRegistry::find(name);
  return algorithm.table(torus(shape), gossip_parameters(algorithm, supply));
}

/// Steps of a gossip that is legal: every sender holds what it sends, no link carries two packets in a step,
/// everyone ends with everything. 0, and a test failure, if it is not.
inline std::uint64_t legal_steps(const std::string& name, const Shape& shape,
                                 const std::string& supply = "") {
  const auto schedule = make_gossip(name, shape, supply);
  const CheckReport report = check_schedule(*schedule);
  const std::string where = name + " on the " + torus(shape).name();
  EXPECT_TRUE(report.legal) << where << ": " << report.violations.front().text;
  EXPECT_EQ(report.max_channel_load, 1U) << where;
  return report.legal ? report.steps : 0;
}

inline std::uint64_t nodes_of(const Shape& shape) {
  return torus(shape).nodes();
}

/// The key that an algorithm's refusal of a shape names, and what it says; {"", ""} if it accepts it.
struct Refusal {
  std::string key;
  std::string text;
};
inline Refusal refusal(const std::string& name, const Topology& topology, const std::string& supply = "",
                       std::int64_t message = 64) {
  const Algorithm& algorithm = *AlgorithmRegistry::find(name);
  try {
    (void)algorithm.make(topology, gossip_parameters(algorithm, supply, message));
  } catch (const Inadmissible& error) {
    return {error.key(), error.what()};
  }
  return {};
}

}  // namespace flitscope::test
