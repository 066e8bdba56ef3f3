// Several classes of traffic in a configuration: what is taken, that the resolved configuration says the
// same, and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "sim/config/keys.h"
#include "tests/support/config_texts.h"

namespace flitscope::test::traffic_classes_config_test {
namespace {

std::string with(const std::string& workload) {
  return kHead + kTorus + "workload: " + workload + "\n";
}

TEST(TrafficClasses, Classes_HaveTheirKeysAndShareThePhases) {
  const auto given = parse(with(
      "{seed: 5, warmup: 300, measure: 4000, classes: [{traffic: uniform, load: 0.2, message: 64}, "
      "{name: hot, traffic: hotspot, nodes: [[1, 2]], share: 0.5, load: 0.01, process: periodic, seed: 9, "
      "start: 100, end: 900, ties: plus}, {traffic: transpose, self: true}]}"));
  for (const auto& config : {given, parse(resolve(given))}) {
    const auto& classes = config.workload.classes;
    ASSERT_EQ(classes.size(), 3U);
    EXPECT_EQ(config.workload.traffic.pattern, nullptr);
    EXPECT_EQ(config.workload.traffic.warmup, 300U);
    EXPECT_EQ(config.workload.traffic.measure, 4000U);
    EXPECT_EQ(classes[0].name, "class1");
    EXPECT_EQ(classes[0].pattern->name, "uniform");
    EXPECT_EQ(classes[0].load.text(), "0.2");
    EXPECT_EQ(classes[0].seed, 5U) << "the workload's";
    EXPECT_EQ(classes[0].start, 0U);
    EXPECT_EQ(classes[0].end, std::nullopt);
    EXPECT_EQ(classes[1].name, "hot");
    EXPECT_EQ(classes[1].parameters.node_set("nodes"), NodeSet::listed({{"[1, 2]"}}));
    EXPECT_EQ(classes[1].process, Injection::periodic);
    EXPECT_EQ(classes[1].seed, 9U);
    EXPECT_EQ(classes[1].start, 100U);
    EXPECT_EQ(classes[1].end, 900U);
    EXPECT_EQ(classes[1].ties, Ties::plus);
    EXPECT_EQ(classes[2].name, "class3");
    EXPECT_EQ(classes[2].seed, 7U) << "two more than that of the workload";
    EXPECT_TRUE(classes[2].self);
    EXPECT_EQ(pattern_names(config.workload), "uniform + hotspot + transpose");
  }
  EXPECT_EQ(resolve(parse(resolve(given))), resolve(given));
  EXPECT_EQ(resolve(parse(with("{traffic: uniform}"))).find("classes"), std::string::npos);
}

TEST(TrafficClasses, Class_CanBeSetByItsIndex) {
  const std::string two = with("{classes: [{traffic: uniform}, {traffic: transpose, load: 0.2}]}");
  const auto config = parse(two, {"workload.classes[1].load=0.3", "workload.classes[0].traffic=hotspot",
                                  "workload.classes[0].share=0.5", "workload.measure=500"});
  EXPECT_EQ(config.workload.classes[1].load.text(), "0.3");
  EXPECT_EQ(config.workload.classes[0].parameters.number("share").text(), "0.5");
  EXPECT_EQ(config.workload.traffic.measure, 500U);
  const auto values = resolved_values(config);
  EXPECT_EQ(value_text(values.at("workload.classes[1].load")), "0.3");
  EXPECT_EQ(parse(two, {"workload.classes[1].load=null"}).workload.classes[1].load.text(), "0.1");
  for (const auto& [set, word] : std::map<std::string, std::string>{
           {"workload.classes[2].load=0.3", "there is no workload.classes[2]"},
           {"workload.classes[x].load=0.3", "goes too deep"},
           {"workload.classes[].load=0.3", "goes too deep"},
           {"workload.classes[1].lod=0.3", "unknown key 'workload.classes[1].lod'; did you mean 'load'?"}}) {
    expect_refusal(refusal(two, {set}), {{"--set " + set, {word}}}, set);
  }
}

void expect(const std::string& workload, const std::string& column, const std::vector<std::string>& words,
            const std::string& more = "") {
  expect_refusal(refusal(with(workload) + more), {{"c.yaml:3:" + column, words}}, workload);
}

TEST(TrafficClasses, Errors_HaveTheirPlaces) {
  const std::string first = "{classes: [{traffic: uniform}, ";
  expect("{classes: []}", "21", {"workload.classes must be a list with a map for each class"});
  expect("{classes: {traffic: uniform}}", "21", {"workload.classes must be a list"});
  expect("{classes: [uniform]}", "22", {"section 'workload.classes[0]' must be a map", "'uniform'"});
  expect(first + "{traffic: unifrom}]}", "52", {"workload.classes[1].traffic", "did you mean 'uniform'?"});
  expect(first + "{load: 0.1}]}", "42", {"key 'workload.classes[1].traffic' is missing"});
  expect(first + "{traffic: uniform, share: 0.5}]}", "61", {"unknown key 'workload.classes[1].share'"});
  expect(first + "{traffic: uniform, measure: 100}]}", "61", {"unknown key 'workload.classes[1].measure'"});
  expect(first + "{traffic: uniform, load: 9}]}", "67", {"workload.classes[1].load must be at most 4"});
  expect(first + "{traffic: uniform, start: 50, end: 50}]}", "77",
         {"workload.classes[1].end must be above workload.classes[1].start, 50, not 50"});
  expect("{classes: [{traffic: uniform, load: 0.6}, {traffic: uniform, load: 0.6}]}", "78",
         {"the loads of the classes up to this one are 1.2 flits/cycle, more than 1",
          "injection channels, 1, takes one"},
         "node: {ports: 1}\n");
  expect("{classes: [{name: a, traffic: uniform}, {name: a, traffic: uniform}]}", "58",
         {"workload.classes[0] is called 'a' already"});
  expect(
      "{classes: [{name: a, traffic: uniform}, {name: A, traffic: uniform}]}", "58",
      {"workload.classes[0] is called 'a' already; give each class a name that differs in more than case"});
  expect("{classes: [{name: Latency, traffic: uniform}]}", "29",
         {"workload.classes[0].name must differ from latency, network_latency, bounds"});
  expect("{classes: [{name: 'a,b', traffic: uniform}]}", "29", {"a word of letters, digits, - and _"});
  expect("{classes: [{traffic: uniform, seed: 2}, {traffic: uniform}]}", "51",
         {"workload.classes[0] has the seed 2 already"});
  expect("{traffic: uniform, classes: [{traffic: uniform}]}", "39", {"both 'traffic' and 'classes'"});
  expect("{load: 0.1, classes: [{traffic: uniform}]}", "12",
         {"workload.load belongs to each class for itself"});
  expect("{advance: barrier, classes: [{traffic: uniform}]}", "12",
         {"workload.advance goes with an algorithm or a schedule"});
  expect("{classes: [{traffic: uniform}], background: {traffic: uniform}}", "43",
         {"workload.background goes with an algorithm or a schedule"});
}

TEST(TrafficClasses, SumOfLoads_MayFillAPort) {
  const auto config =
      parse(with("{classes: [{traffic: uniform, load: 0.9}, {traffic: uniform, load: 0.1}]}") +
            "node: {ports: 1}\n");
  EXPECT_DOUBLE_EQ(offered_load(config.workload), 1);
}

}  // namespace
}  // namespace flitscope::test::traffic_classes_config_test
