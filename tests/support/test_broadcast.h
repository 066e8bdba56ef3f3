// An algorithm of the tests of the configuration: it has a parameter of every type and makes no schedule.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/error.h"

namespace flitscope::test {

inline std::vector<Parameter> test_broadcast_parameters() {
  auto parameters = broadcast_parameters();
  parameters.push_back({.name = "phases",
                        .type = ParameterType::integer,
                        .summary = "a count",
                        .fallback = "2",
                        .minimum = 1,
                        .maximum = 9});
  parameters.push_back({.name = "order",
                        .type = ParameterType::choice,
                        .summary = "a choice",
                        .fallback = "forward",
                        .choices = {"forward", "backward"}});
  parameters.push_back({.name = "share",
                        .type = ParameterType::number,
                        .summary = "a real number",
                        .fallback = "0.25",
                        .maximum = 1});
  parameters.push_back({.name = "pause",
                        .type = ParameterType::cycles,
                        .summary = "a time",
                        .fallback = "0",
                        .unit = "cycles"});
  parameters.push_back(
      {.name = "echo", .type = ParameterType::boolean, .summary = "a switch", .fallback = "false"});
  parameters.push_back(
      {.name = "label", .type = ParameterType::text, .summary = "a text", .fallback = "none"});
  return parameters;
}

inline const AlgorithmRegistry::Entry test_broadcast{{
    .name = "test-broadcast",
    .summary = "nothing",
    .source = "these tests",
    .claim = "none",
    .admissible = "any shape",
    .parameters = test_broadcast_parameters(),
    .make = [](const Topology& topology, const ParameterValues& values) -> std::unique_ptr<Schedule> {
      static_cast<void>(node_parameter(topology, values, "source"));
      throw Inadmissible("workload.phases", "no schedule is ever made");
    },
}};

/// An algorithm with one parameter, which is required.
inline const AlgorithmRegistry::Entry test_required{{
    .name = "test-required",
    .summary = "nothing",
    .source = "these tests",
    .claim = "none",
    .admissible = "any shape",
    .parameters = {{.name = "rounds", .type = ParameterType::integer, .summary = "a count", .minimum = 1}},
    .make = {},
}};

}  // namespace flitscope::test
