// Tables of keys in Markdown. tests/cli/documents_test.cpp compares the pages with them.
#include "sim/config/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace flitscope::key_table_test {
namespace {

TEST(KeyTable, ALineSaysAllAboutAKey) {
  const std::string table = key_table(TopologyKind::torus);
  const auto has = [&](const std::string& line) {
    return table.find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has("| `flitscope` | integer, 1 | required |  | version of this schema |"));
  EXPECT_TRUE(has("| `router` | | | | *what every router is like* |"));
  EXPECT_TRUE(
      has("| `router.buffer` | integer 1 to 2^24 | 8 | flits | flits an input virtual channel can hold |"));
  EXPECT_TRUE(
      has("| `link.delay` | time 1 to 65535, or a list of them | 1 | cycles | time a flit spends on a link; "
          "a list has a number for each dimension |"));
  EXPECT_TRUE(
      has("| `limits.cycles` | time 1 to 10^15 | 1000000000 | cycles | longest time the network may take |"));
  EXPECT_TRUE(has(
      "| `topology.shape` | list, each integer 2 to 2^31 | required | nodes | nodes along each dimension, "
      "such as [8, 8]; at most 16 dimensions |"));
}

TEST(KeyTable, KeyOfRegisteredNames_NamesTheListAndNoEntry) {
  const std::string table = key_table(TopologyKind::torus);
  EXPECT_NE(table.find("| `workload.traffic` | a name of `flitscope list traffic` |"), std::string::npos);
  EXPECT_NE(table.find("| `topology.kind` | a name of `flitscope list topologies` |"), std::string::npos);
  EXPECT_EQ(table.find("`tornado`"), std::string::npos);
  EXPECT_EQ(table.find("`dragonfly`"), std::string::npos);
}

const Parameter kSegment{.name = "segment", .type = ParameterType::integer, .summary = "s", .fallback = "0"};

Parameter segment_with_default(const std::string& fallback) {
  Parameter parameter = kSegment;
  parameter.fallback = fallback;
  return parameter;
}

TEST(KeyTable, EqualParameters_HaveOneLine) {
  const std::string table = parameter_table("workload", {{"a", {kSegment}}, {"b", {kSegment}}});
  EXPECT_EQ(std::ranges::count(table, '\n'), 3);
  EXPECT_NE(table.find("\n| `workload.segment` | "), std::string::npos);
  EXPECT_TRUE(table.ends_with(" | 0 |  | s |  |\n")) << table;
}

TEST(KeyTable, DifferentParametersOfOneKey_SayWhoseTheyAre) {
  const Parameter other = segment_with_default("8");
  const std::string table =
      parameter_table("workload", {{"a", {kSegment}}, {"b", {other}}, {"c", {kSegment}}});
  EXPECT_EQ(std::ranges::count(table, '\n'), 4);
  EXPECT_NE(table.find(" | 0 |  | s | `a`, `c` |\n"), std::string::npos) << table;
  EXPECT_NE(table.find(" | 8 |  | s | `b` |\n"), std::string::npos) << table;
}

TEST(KeyTable, LineOfMostOwners_IsOfTheOthers) {
  const std::string table = parameter_table("workload", {{"a", {kSegment}},
                                                         {"b", {kSegment}},
                                                         {"c", {kSegment}},
                                                         {"d", {kSegment}},
                                                         {"e", {segment_with_default("8")}}});
  EXPECT_NE(table.find(" | 0 |  | s | the others |\n"), std::string::npos) << table;
  EXPECT_NE(table.find(" | 8 |  | s | `e` |\n"), std::string::npos) << table;
}

TEST(KeyTable, NetworksHaveTheirOwnKeysOnly) {
  const auto has = [](TopologyKind kind, const std::string& key) {
    return key_table(kind).find("| `" + key + "` |") != std::string::npos;
  };
  EXPECT_TRUE(has(TopologyKind::torus, "router.buffer"));
  EXPECT_FALSE(has(TopologyKind::complete, "router.buffer"));
  EXPECT_FALSE(has(TopologyKind::complete, "router"));
  EXPECT_TRUE(has(TopologyKind::complete, "circuits.reconfiguration"));
  EXPECT_FALSE(has(TopologyKind::torus, "circuits"));
}

}  // namespace
}  // namespace flitscope::key_table_test
