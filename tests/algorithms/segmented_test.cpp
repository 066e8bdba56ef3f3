// Broadcasts, scatters and gathers in segments: legal with any length of a segment, in T + S - 1 steps, with
// the bytes of the whole; and unchanged without segments.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/node_names.h"

namespace flitscope::segmented_test {
namespace {

std::unique_ptr<Schedule> make(const Algorithm& algorithm, const Topology& topology, std::int64_t message,
                               std::int64_t segment) {
  ParameterValues values;
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.type == ParameterType::choice) values.set(parameter.name, parameter.fallback);
    if (parameter.type == ParameterType::integer) values.set(parameter.name, std::int64_t{0});
  }
  for (const char* const one : {"source", "root"}) {
    values.set(one, test::node_name(std::vector<std::uint32_t>(topology.dimensions(), 1)));
  }
  values.set("message", message);
  values.set("segment", segment);
  return algorithm.make(topology, values);
}

/// The segmented algorithms that admit one of these networks, with it.
std::vector<std::pair<const Algorithm*, Topology>> broadcasts() {
  std::vector<std::pair<const Algorithm*, Topology>> list;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    const auto has = [&](const char* name) {
      return std::ranges::find(algorithm.parameters, name, &Parameter::name) != algorithm.parameters.end();
    };
    if (!has("segment") || algorithm.name == "pipelined-trees") continue;
    for (const Topology& topology :
         {Topology(TopologyKind::torus, {5, 5}), Topology(TopologyKind::torus, {4, 4}),
          Topology(TopologyKind::mesh, {8}), Topology(TopologyKind::mesh, {4, 4})}) {
      try {
        (void)make(algorithm, topology, 1000, 0);
        list.emplace_back(&algorithm, topology);
        break;
      } catch (const Inadmissible&) {
        continue;
      }
    }
  }
  return list;
}

TEST(Segmented, AnySegmentLength_IsLegal) {
  const auto all = broadcasts();
  for (const char* const name :
       {"two-port-torus", "tsay-wang", "seidel-bst-mesh", "distribute", "all-reduce-tree"}) {
    EXPECT_TRUE(std::ranges::any_of(all, [&](const auto& one) { return one.first->name == name; })) << name;
  }
  for (const auto& [algorithm, topology] : all) {
    const std::uint64_t steps = make(*algorithm, topology, 1000, 0)->facts().steps;
    const std::uint64_t bytes = link_volume(*make(*algorithm, topology, 1000, 0), Paths(topology)).total;
    for (const std::int64_t segment : {1000, 999, 300, 64}) {
      const std::string what = fmt::format("{} on the {}, {}", algorithm->name, topology.name(), segment);
      const auto schedule = make(*algorithm, topology, 1000, segment);
      const CheckReport report = check_schedule(*schedule);
      EXPECT_TRUE(report.passed()) << what
                                   << (report.violations.empty() ? "" : report.violations.front().text);
      EXPECT_EQ(report.steps, steps + (1000 - 1) / static_cast<std::uint64_t>(segment)) << what;
      const auto& chunks = schedule->facts().collective.chunk_bytes;
      EXPECT_EQ(std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{0}), 1000U) << what;
      // Halves of a segment are not always halves, and parts of few bytes are rounded more.
      const auto total =
          static_cast<double>(link_volume(*make(*algorithm, topology, 1000, segment), Paths(topology)).total);
      EXPECT_NEAR(total, static_cast<double>(bytes),
                  (schedule->facts().collective.chunk_bytes.size() > 100 ? 0.1 : 0.02) * total)
          << what;
    }
  }
}

TEST(Segmented, WithoutSegments_ScheduleIsUnchanged) {
  const Algorithm& algorithm = *AlgorithmRegistry::find("two-port-torus");
  const auto schedule = make(algorithm, {TopologyKind::torus, {9, 9}}, 1000, 0);
  EXPECT_EQ(schedule->facts().claimed_channel_load, 1U);
  EXPECT_EQ(schedule->facts().send_ports, 2U);
  EXPECT_EQ(schedule->facts().stages.size(), 2U);
}

TEST(Segmented, TooManySegments_AreRefused) {
  const Algorithm& algorithm = *AlgorithmRegistry::find("two-port-torus");
  try {
    (void)make(algorithm, {TopologyKind::torus, {9}}, 10'000'000, 1);
    FAIL();
  } catch (const Inadmissible& error) {
    EXPECT_EQ(error.key(), "workload.segment");
    EXPECT_STREQ(
        error.what(),
        "segments of 1 bytes are 10000000; at most 1000000 are possible: use segments of at least 10 bytes");
  }
}

}  // namespace
}  // namespace flitscope::segmented_test
