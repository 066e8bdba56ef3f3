// Seidel's algorithms for tests: made by name, checked by the judge of `verify`, and written out as in
// worked examples.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/node_names.h"

namespace flitscope::test {

/// Everything Seidel's algorithms can be told.
struct SeidelCase {
  std::string algorithm;
  std::vector<std::uint32_t> shape;        ///< columns first, as in the configuration
  std::vector<std::uint32_t> source = {};  ///< empty: the origin
  std::int64_t nu = 0;
  std::string resize = "none";
  std::string tail = "st";
  std::int64_t message = 1 << 20;
  TopologyKind kind = TopologyKind::mesh;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} on {} from [{}], nu = {}, resize {}, tail {}", algorithm, fmt::join(shape, "x"),
                       fmt::join(source, ", "), nu, resize, tail);
  }
};

[[nodiscard]] inline std::unique_ptr<Schedule> make(const SeidelCase& of) {
  const Algorithm& algorithm = *AlgorithmRegistry::find(of.algorithm);
  ParameterValues values;
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.name == "source") values.set("source", node_name(of.source));
    if (parameter.name == "message") values.set("message", of.message);
    if (parameter.name == "nu") values.set("nu", of.nu);
    if (parameter.name == "resize") values.set("resize", of.resize);
    if (parameter.name == "tail") values.set("tail", of.tail);
    if (parameter.name == "order") values.set("order", parameter.fallback);
  }
  return algorithm.make(Topology(of.kind, of.shape), values);
}

/// The first thing that is wrong with a schedule, or "legal".
[[nodiscard]] inline std::string verdict(Schedule& schedule) {
  const CheckReport report = check_schedule(schedule);
  if (!report.legal) return report.violations.front().text;
  if (report.claim_kept == false) {
    return fmt::format("{} messages on a link in step {}", report.max_channel_load, report.max_load_step);
  }
  return "legal";
}

/// "KEY: TEXT" of the refusal, or "nothing".
[[nodiscard]] inline std::string refusal(const SeidelCase& of) {
  try {
    (void)make(of);
  } catch (const Inadmissible& error) {
    return error.key() + ": " + error.what();
  }
  return "nothing";
}

/// Steps as "5>4:0 1>0:0", messages sorted: sender, receiver and chunks. Nodes are their numbers, or on a
/// mesh "rc", row and column (one digit each).
[[nodiscard]] inline std::vector<std::string> written_out(Schedule& schedule) {
  const Topology& topology = schedule.facts().topology;
  const auto name = [&](NodeId node) {
    return topology.dimensions() == 1
               ? fmt::format("{}", node)
               : fmt::format("{}{}", topology.coordinate(node, 1), topology.coordinate(node, 0));
  };
  std::vector<std::string> steps;
  for (Step step; schedule.next(step);) {
    std::vector<std::string> messages;
    for (const Message& message : step.messages()) {
      messages.push_back(fmt::format("{}>{}:{}", name(message.source), name(message.destination),
                                     fmt::join(step.chunks(message), "")));
    }
    std::ranges::sort(messages);
    steps.push_back(fmt::format("{}", fmt::join(messages, " ")));
  }
  return steps;
}

}  // namespace flitscope::test
