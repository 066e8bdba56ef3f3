// All-reduce, reduce-scatter, all-gather, reduce and all-to-all on many shapes: legal by the checker and by
// an independent judge, with the steps and the volume of their closed forms; refused elsewhere.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "algorithms/algorithm.h"
#include "algorithms/collective_bounds.h"
#include "model/error.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/combining_judge.h"
#include "tests/support/node_names.h"
#include "tests/support/random_cases.h"

namespace flitscope::combining_test {
namespace {

using Sides = std::vector<std::uint32_t>;

std::unique_ptr<Schedule> make(const std::string& name, const Topology& topology, std::int64_t message,
                               const std::map<std::string, ParameterValues::Value>& others = {}) {
  const Algorithm* const algorithm = AlgorithmRegistry::find(name);
  if (algorithm == nullptr) throw std::logic_error("no algorithm " + name);
  ParameterValues values;
  for (const Parameter& parameter : algorithm->parameters) {
    if (parameter.type == ParameterType::choice) values.set(parameter.name, parameter.fallback);
    if (parameter.type == ParameterType::node) values.set(parameter.name, NodeName());
    if (parameter.type == ParameterType::bytes || parameter.type == ParameterType::integer) {
      values.set(parameter.name, std::int64_t{0});
    }
  }
  values.set("message", message);
  for (const auto& [key, value] : others) values.set(key, value);
  return algorithm->make(topology, values);
}

Topology torus(const Sides& sides) {
  return {TopologyKind::torus, sides};
}

std::string refusal(const std::string& name, const Topology& topology) {
  try {
    (void)make(name, topology, 64);
  } catch (const Inadmissible& error) {
    return error.key() + ": " + error.what();
  }
  return "nothing";
}

const std::vector<Sides> kShapes{{2},    {3},    {4},     {5},       {7},          {8},         {2, 2},
                                 {2, 3}, {3, 2}, {3, 3},  {4, 4},    {5, 3},       {2, 5},      {4, 2},
                                 {5, 5}, {6, 4}, {8, 2},  {2, 2, 2}, {3, 2, 4},    {3, 3, 3},   {4, 2, 2},
                                 {11},   {7, 3}, {2, 11}, {2, 2, 3}, {2, 2, 2, 2}, {3, 2, 2, 2}};

std::vector<std::string> names_of(std::initializer_list<const char*> goals) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    const auto of_goal = [&](const char* goal) {
      return algorithm.name.starts_with(std::string(goal) + "-");
    };
    if (std::ranges::any_of(goals, of_goal)) names.push_back(algorithm.name);
  }
  return names;
}

/// Legal by both judges, with any length of the vector: a byte, fewer bytes than nodes, and more.
void expect_legal(const std::string& name, const Sides& sides,
                  const std::map<std::string, ParameterValues::Value>& others = {}) {
  for (const std::int64_t bytes : {1, 1000}) {
    const auto what = fmt::format("{} on {}, {} bytes", name, fmt::join(sides, "x"), bytes);
    const auto schedule = make(name, torus(sides), bytes, others);
    const CheckReport report = check_schedule(*schedule);
    ASSERT_TRUE(report.passed()) << what << ": "
                                 << (report.violations.empty() ? "" : report.violations.front().text);
    EXPECT_EQ(report.redundant_deliveries, 0U) << what;
    EXPECT_EQ(report.steps, schedule->facts().claimed_steps) << what;
    const auto& chunks = schedule->facts().collective.chunk_bytes;
    const std::uint64_t total = std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{0});
    EXPECT_EQ(total, name.starts_with("all-to-all") ? std::uint64_t(bytes) * torus(sides).nodes()
                                                    : std::uint64_t(bytes))
        << what;
  }
  const auto again = make(name, torus(sides), 64, others);
  const auto wrong = test::judge_collective(*again);
  EXPECT_FALSE(wrong) << name << " on " << fmt::format("{}", fmt::join(sides, "x")) << ": "
                      << wrong.value_or("");
}

TEST(Combining, AdmittedShape_IsLegal) {
  std::map<std::string, unsigned> admitted;
  for (const std::string& name : names_of({"all-reduce", "reduce-scatter", "all-gather", "reduce"})) {
    for (const Sides& sides : kShapes) {
      if (refusal(name, torus(sides)) != "nothing") continue;
      ++admitted[name];
      expect_legal(name, sides);
    }
  }
  for (const char* const any :
       {"all-reduce-ring", "all-reduce-bucket", "all-reduce-tree", "reduce-tree", "reduce-scatter-ring",
        "reduce-scatter-rabenseifner", "all-gather-bucket", "all-reduce-translated-tree",
        "reduce-scatter-translated-tree", "all-gather-translated-tree"}) {
    EXPECT_EQ(admitted[any], kShapes.size()) << any;
  }
  EXPECT_EQ(admitted["all-reduce-swing"], 10U);
  EXPECT_EQ(admitted["all-gather-hamiltonian"], 14U);
}

TEST(Combining, OtherParameters_AreLegal) {
  for (const Sides& sides : {Sides{2}, Sides{8}, Sides{4, 8}, Sides{2, 4, 2}}) {
    expect_legal("all-reduce-swing", sides, {{"version", std::string("latency")}});
  }
  for (const Sides& sides : {Sides{2}, Sides{5}, Sides{2, 2}, Sides{3, 4}}) {
    expect_legal("all-reduce-ring", sides, {{"directions", std::string("one")}});
    for (const std::int64_t segment : {1, 100, 333}) {
      expect_legal("all-reduce-tree", sides,
                   {{"segment", segment}, {"root", test::node_name(Sides(sides.size(), 1))}});
      expect_legal("reduce-tree", sides, {{"segment", segment}});
    }
  }
}

TEST(Combining, RootedCollective_AnyShape_IsLegal) {
  for (const Sides& sides : kShapes) {
    const NodeName root = test::node_name(Sides(sides.size(), 1));
    for (const char* const name : {"scatter-tree", "gather-tree", "scatter-direct", "gather-direct"})
      expect_legal(name, sides, {{"root", root}});
    for (const char* const name : {"scatter-tree", "gather-tree"})
      expect_legal(name, sides, {{"root", root}, {"segment", std::int64_t{130}}});
    if (sides.size() == 1 || std::ranges::min(sides) >= 3) {
      for (const std::int64_t segment : {0, 1, 50}) {
        expect_legal("pipelined-trees", sides, {{"source", root}, {"segment", segment}});
      }
    }
    // In its second half nodes on the way of the scatter get what they have seen.
    const auto schedule = make("scatter-allgather", torus(sides), 1000, {{"source", root}});
    EXPECT_TRUE(check_schedule(*schedule).passed());
    for (const std::int64_t segment : {0, 130}) {
      EXPECT_FALSE(test::judge_collective(
          *make("scatter-allgather", torus(sides), 1000, {{"source", root}, {"segment", segment}})));
    }
  }
}

TEST(Combining, PipelinedTrees_LoadLinksEqually) {
  for (const Sides& sides : {Sides{5}, Sides{4, 3}, Sides{3, 3, 3}}) {
    const std::uint64_t bytes = 2 * sides.size() * 1024;
    const auto schedule = make("pipelined-trees", torus(sides), static_cast<std::int64_t>(bytes),
                               {{"segment", std::int64_t{64}}});
    EXPECT_EQ(schedule->facts().steps, torus(sides).nodes() - 2 + 16);
    EXPECT_EQ(link_volume(*schedule, Paths(torus(sides))).busiest_link, 1024U);
  }
}

TEST(Combining, AllToAll_AnyShape_IsLegal) {
  for (const std::string& name : names_of({"all-to-all"})) {
    for (const Sides& sides : kShapes) {
      expect_legal(name, sides);
    }
  }
  for (const Sides& sides : {Sides{2}, Sides{8}, Sides{4, 2}, Sides{2, 2, 4}}) {
    expect_legal("all-to-all-direct", sides, {{"pairs", std::string("xor")}});
  }
}

/// Volume over the least of an all-reduce, or over a half of it.
struct Ratios {
  double link = 0;
  double steps = 0;
};
Ratios ratios(const std::string& name, const Sides& sides, double halves = 1) {
  const Topology topology = torus(sides);
  const std::uint64_t bytes = std::uint64_t{topology.nodes()} * 5040;
  const auto schedule = make(name, topology, static_cast<std::int64_t>(bytes));
  const LinkVolume volume = link_volume(*schedule, Paths(topology));
  const double least = least_link_bytes(CollectiveKind::all_reduce, topology, bytes) * halves;
  return {static_cast<double>(volume.busiest_link) / least,
          static_cast<double>(volume.busiest_of_steps) / least};
}

TEST(Combining, ClaimedLeastVolume_IsTheLeast) {
  for (const Sides& sides : {Sides{2}, Sides{7}, Sides{4, 4}, Sides{5, 3}, Sides{3, 4, 5}, Sides{8, 4, 4}}) {
    EXPECT_NEAR(ratios("all-reduce-hamiltonian", sides).link, 1, 1e-9);
    EXPECT_NEAR(ratios("reduce-scatter-hamiltonian", sides, 0.5).steps, 1, 1e-9);
    const double p = torus(sides).nodes();
    const double d = 2.0 * static_cast<double>(sides.size());
    const double rounded = std::ceil((p - 1) / d) / ((p - 1) / d);
    EXPECT_NEAR(ratios("all-reduce-translated-tree", sides).steps, rounded, 1e-9);
  }
  // Sides of 2 can cost steps, but no volume: no direction takes more than its share.
  for (const Sides& sides : {Sides{2}, Sides{2, 2}, Sides{2, 7}, Sides{2, 2, 2}, Sides{2, 3, 2},
                             Sides{2, 2, 6}, Sides{2, 2, 2, 2, 2, 2}}) {
    const double p = torus(sides).nodes();
    const double d = 2.0 * static_cast<double>(sides.size());
    const double rounded = std::ceil((p - 1) / d) / ((p - 1) / d);
    EXPECT_NEAR(ratios("all-gather-translated-tree", sides, 0.5).link, rounded, 1e-9);
    EXPECT_LE(ratios("all-reduce-translated-tree", sides).link, rounded + 1e-9);
  }
  for (const Sides& sides : {Sides{6}, Sides{2, 2}, Sides{4, 4}, Sides{5, 5}, Sides{3, 3, 3}}) {
    EXPECT_NEAR(ratios("all-reduce-bucket", sides).link, 1, 1e-9);
    EXPECT_NEAR(ratios("all-gather-bucket", sides, 0.5).steps, 1, 1e-9);
  }
  for (const Sides& sides : {Sides{6}, Sides{2, 3}, Sides{4, 4}}) {
    EXPECT_NEAR(ratios("all-reduce-ring", sides).link, static_cast<double>(sides.size()), 1e-9);
  }
}

TEST(Combining, OtherVolume_IsThePublishedOne) {
  EXPECT_NEAR(ratios("all-reduce-bucket", {8, 4, 4}).link, 1.157, 0.001);
  EXPECT_NEAR(ratios("all-reduce-bucket", {16, 4, 4}).link, 1.235, 0.001);
  EXPECT_NEAR(ratios("all-reduce-bucket", {16, 8}).link, 1.063, 0.001);
  EXPECT_NEAR(ratios("all-reduce-rabenseifner", {8, 8}).steps, 2.476, 0.001);
  EXPECT_NEAR(ratios("all-reduce-rabenseifner", {16, 16}).steps, 2.729, 0.001);
  EXPECT_NEAR(ratios("all-reduce-rabenseifner", {8, 8, 8}).steps, 2.247, 0.001);
  EXPECT_NEAR(ratios("all-reduce-rabenseifner", {8, 4, 4}).steps, 2.299, 0.001);
  EXPECT_NEAR(ratios("all-reduce-rabenseifner", {16, 8}).steps, 2.772, 0.001);
  EXPECT_NEAR(ratios("all-reduce-swing", {8, 4, 4}).link, 1.0630, 0.0001);
  EXPECT_NEAR(ratios("all-reduce-swing", {16, 8}).link, 1.1654, 0.0001);
  EXPECT_NEAR(ratios("all-reduce-swing", {8, 8}).link, 1.0952, 0.0001);
  EXPECT_NEAR(ratios("all-reduce-swing", {16, 16}).link, 1.1412, 0.0001);
  EXPECT_NEAR(ratios("all-reduce-swing", {8, 8, 8}).link, 1.0274, 0.0001);
  if (test::cases(0) > 0) {
    EXPECT_NEAR(ratios("all-reduce-swing", {64, 64}).link, 1.1846, 0.0001);
  }
}

TEST(Combining, Steps_AreThoseOfTheClosedForms) {
  for (const Sides& sides : kShapes) {
    const Topology topology = torus(sides);
    const std::uint64_t p = topology.nodes();
    const auto steps = [&](const std::string& name) { return make(name, topology, 64)->facts().steps; };
    std::uint64_t bucket = 0;
    std::uint64_t half_ring = 0;
    for (const std::uint32_t side : sides) {
      bucket += side - 1;
      half_ring += side / 2;
    }
    EXPECT_EQ(steps("all-reduce-ring"), 2 * (p - 1));
    EXPECT_EQ(steps("reduce-scatter-bucket"), bucket);
    EXPECT_EQ(steps("all-to-all-direct"), p - 1);
    EXPECT_EQ(steps("all-to-all-combining"), bucket);
    EXPECT_EQ(steps("all-to-all-ring"), bucket);
    EXPECT_EQ(steps("all-to-all-half-ring"), half_ring);
    EXPECT_EQ(steps("all-to-all-dim-rotation"), half_ring);
    const std::uint64_t directions = 2 * sides.size();
    const auto pairs = static_cast<std::uint64_t>(std::ranges::count(sides, 2U));
    EXPECT_EQ(steps("all-reduce-translated-tree"),
              2 * std::max(half_ring, (p - 1 + pairs + directions - 1) / directions));
    if (std::ranges::all_of(sides, [](std::uint32_t side) { return std::has_single_bit(side); })) {
      const auto rounds = static_cast<std::uint64_t>(std::countr_zero(p));
      EXPECT_EQ(steps("all-reduce-recursive-doubling"), rounds);
      EXPECT_EQ(steps("all-reduce-rabenseifner"), 2 * rounds);
      EXPECT_EQ(steps("all-gather-swing"), rounds);
    }
  }
}

TEST(Combining, AllToAll_LoadsLinksAsTheBusiestCutRequires) {
  for (const Sides& sides : {Sides{8}, Sides{4, 4}, Sides{8, 4}, Sides{4, 4, 4}, Sides{2, 2}, Sides{6, 4},
                             Sides{6, 2}, Sides{2, 2, 2}, Sides{2, 10}}) {
    const Topology topology = torus(sides);
    const std::uint64_t p = topology.nodes();
    const std::uint64_t least = (p * std::ranges::max(sides) + 7) / 8;  // chunks of one byte
    for (const char* const name : {"all-to-all-direct", "all-to-all-half-ring", "all-to-all-dim-rotation"}) {
      const bool pieces = std::string(name) == "all-to-all-dim-rotation";
      const std::uint64_t bytes = p * (pieces ? sides.size() : 1);
      const auto schedule = make(name, topology, static_cast<std::int64_t>(bytes));
      EXPECT_EQ(link_volume(*schedule, Paths(topology)).busiest_link, least * bytes / p) << name;
    }
  }
}

std::vector<std::uint32_t> loads_of(const Sides& sides) {
  const auto schedule = make("all-reduce-dissemination", torus(sides), 64);
  std::vector<std::uint32_t> loads;
  (void)check_schedule(*schedule,
                       {.on_step = [&](const StepSummary& step) { loads.push_back(step.load.max_load); }});
  return loads;
}

TEST(Dissemination, Crosses_TileSomeTori) {
  EXPECT_EQ(loads_of({5, 5}), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(loads_of({7, 7, 7}), (std::vector<std::uint32_t>{1, 3, 6}));
  EXPECT_EQ(loads_of({25, 25}).size(), 4U);
  EXPECT_EQ(loads_of({9}), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(loads_of({9, 3}).size(), 3U);
  EXPECT_EQ(loads_of({6, 4}).size(), 4U);
  for (const Sides& sides : {Sides{25, 25}, Sides{27}, Sides{9, 3}, Sides{6, 4}, Sides{5, 25}}) {
    expect_legal("all-reduce-dissemination", sides);
  }
}

TEST(Combining, InadmissibleValue_IsRefused) {
  EXPECT_EQ(refusal("all-reduce-bucket", {TopologyKind::mesh, {4, 4}}),
            "topology.kind: all-reduce-bucket needs a torus, not a mesh");
  EXPECT_EQ(refusal("all-reduce-swing", torus({6, 8})),
            "topology.shape: all-reduce-swing needs sides that are powers of two, not 6x8; nearest "
            "admissible: [8, 8]");
  EXPECT_EQ(refusal("reduce-scatter-hamiltonian", torus({2, 8})),
            "topology.shape: reduce-scatter-hamiltonian needs sides of at least 3, for D Hamiltonian "
            "cycles that share no link, not 2x8; nearest admissible: [3, 8]");
  EXPECT_EQ(refusal("all-reduce-dissemination", torus({7, 4})),
            "topology.shape: all-reduce-dissemination needs sides without factors other than 2 and 3, or a "
            "power of 5 nodes that crosses tile, not 7x4; nearest admissible: [8, 4]");
  EXPECT_EQ(refusal("all-to-all-ring", {TopologyKind::mesh, {4}}),
            "topology.kind: all-to-all-ring needs a torus, not a mesh");
}

}  // namespace
}  // namespace flitscope::combining_test
