// Keys that a part registers in its own file are read, checked, printed and listed as all others. A program
// of its own: what is registered here is in every configuration of it. The first half is the example of
// docs/adding-a-key.md.
#include <cstdint>
#include <optional>

#include "model/error.h"
#include "params/settings.h"

namespace flitscope::samples {
namespace {

struct SampleSettings {
  bool wanted = false;
  std::uint64_t every = 100;
  std::optional<std::uint64_t> at_most;  ///< nothing: no limit
};

void check(const SampleSettings& samples, const Topology& topology) {
  if (!samples.wanted || topology.nodes() <= 1024) return;
  throw Inadmissible("observe.samples.wanted",
                     "observe.samples is for at most 1024 nodes, not a " + topology.name());
}

const SettingsRegistry::Entry entry{RowSection<SampleSettings>{
    .name = "observe.samples",
    .summary = "samples.csv: how full buffers are, from time to time",
    .rows = {row(&SampleSettings::wanted, "wanted", "whether samples are taken"),
             row(&SampleSettings::every,
                 Parameter::cycles("every", "time from one sample to the next", {1, kMaxCycles})),
             of_links(row(&SampleSettings::at_most,
                          Parameter::integer("at_most", "samples at most; all: no limit", {1, 1'000'000})
                              .or_words({"all"})))},
    .check = check}};

}  // namespace
}  // namespace flitscope::samples

// The end of the example.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "sim/config/keys.h"
#include "tests/support/config_texts.h"
#include "tests/support/test_broadcast.h"

namespace flitscope::samples {
namespace {

using namespace test;

std::string text_of(const std::string& file) {
  std::ifstream stream(std::filesystem::path(FLITSCOPE_SOURCE_DIR) / file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

const SampleSettings& read(const ExperimentConfig& config) {
  return config.settings.get<SampleSettings>();
}

TEST(RegisteredKeys, Values_AreReadIntoTheStructOfTheirPart) {
  const auto config =
      parse(kLeast + "clock: 1ns\nobserve: {samples: {wanted: true, every: 2us, at_most: 7}}\n");
  EXPECT_TRUE(read(config).wanted);
  EXPECT_EQ(read(config).every, 2'000U);
  EXPECT_EQ(read(config).at_most, 7U);
  EXPECT_EQ(read(parse(kLeast, {"observe.samples.every=5"})).every, 5U);
}

TEST(RegisteredKeys, Defaults_AreThoseOfTheFields) {
  const auto config = parse(kLeast);
  EXPECT_FALSE(read(config).wanted);
  EXPECT_EQ(read(config).every, 100U);
  EXPECT_EQ(read(config).at_most, std::nullopt);
}

TEST(RegisteredKeys, Resolved_ReadsBackTheSameValues) {
  const auto config = parse(kLeast, {"observe.samples={wanted: true, at_most: 3}"});
  const std::string resolved = resolve(config);
  EXPECT_NE(resolved.find("  samples:\n    wanted: true\n    every: 100\n    at_most: 3\n"),
            std::string::npos)
      << resolved;
  EXPECT_NE(resolve(parse(kLeast)).find("    at_most: all\n"), std::string::npos);
  EXPECT_EQ(resolve(parse(resolved)), resolved);
  EXPECT_EQ(resolved_values(config).at("observe.samples.every"), ParameterValues::Value(std::int64_t{100}));
}

TEST(RegisteredKeys, Section_FollowsTheSectionsOfItsParent) {
  const auto names = sections_in("observe");
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.back(), "samples");
  EXPECT_EQ(config_sections().back().name, "limits");
}

TEST(RegisteredKeys, InvalidValues_AreRefused) {
  const auto expect = [](const std::string& samples, const std::string& place, const std::string& words) {
    expect_refusal(refusal(kLeast + "observe: {samples: " + samples + "}\n"), {{place, {words}}}, samples);
  };
  expect("{evry: 5}", "c.yaml:4:21", "unknown key 'observe.samples.evry'; did you mean 'every'?");
  expect("{every: 0}", "c.yaml:4:28", "observe.samples.every must be a time from 1 to");
  expect("{at_most: some}", "c.yaml:4:30", "from 1 to 1000000, or 'all'");
  expect("5", "c.yaml:4:20", "section 'observe.samples' must be a map with keys such as wanted");
}

TEST(RegisteredKeys, Check_RunsAfterAllKeysAreRead) {
  const std::string large = kHead + "topology: {kind: mesh, shape: [99, 99]}\n" + kWork;
  EXPECT_EQ(refusal(large), std::vector<std::string>());
  expect_refusal(refusal(large + "observe: {samples: {wanted: true}}\n"),
                 {{"c.yaml:4:29", {"observe.samples is for at most 1024 nodes, not a 99x99 mesh"}}},
                 "a large mesh");
}

TEST(RegisteredKeys, KeyOfLinks_IsRefusedForCompleteNetworks) {
  const std::string complete =
      "topology: {kind: complete, nodes: 5}\nnode: {ports: 1}\ncircuits: {reconfiguration: 0}\n"
      "workload: {schedule: events.jsonl}\n";
  expect_refusal(refusal(kHead + complete, {"observe.samples.at_most=4"}),
                 {{"--set observe.samples.at_most=4", {"is for networks with links"}}}, "a complete network");
  EXPECT_EQ(read(parse(kHead + complete, {"observe.samples.every=4"})).every, 4U);
}

TEST(RegisteredKeys, Keys_AreInTheTableOfKeys) {
  const std::string table = key_table(TopologyKind::torus);
  EXPECT_NE(
      table.find(
          "| `observe.samples.every` | time 1 to 10^15 | 100 | cycles | time from one sample to the next |"),
      std::string::npos)
      << table;
}

TEST(RegisteredKeys, Page_ShowsThisExample) {
  const std::string page = text_of("docs/adding-a-key.md");
  const std::string source = text_of("tests/config/registered/samples_test.cpp");
  const std::size_t first = source.find("#include <cstdint>");
  const std::string example = source.substr(first, source.find("\n// The end of the example.") - first);
  EXPECT_NE(page.find("```cpp\n" + example + "```\n"), std::string::npos) << example;
}

}  // namespace
}  // namespace flitscope::samples
