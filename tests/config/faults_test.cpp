// What a configuration says is missing of a network.
#include <gtest/gtest.h>

#include "model/graph.h"
#include "routers/routing/routing.h"
#include "sim/config/config_source.h"

namespace flitscope::faults_test {
namespace {

/// `links` holds the items of that key.
ExperimentConfig read(const std::string& topology, const std::string& links = "") {
  return parse_config("flitscope: 1\ntopology: " + topology + "\n" +
                          (links.empty() ? "" : "links: [" + links + "]\n") +
                          "workload: {traffic: uniform, load: 0.1}\n",
                      "c.yaml", "/");
}

std::string refusal(const std::string& topology, const std::string& links = "") {
  try {
    static_cast<void>(read(topology, links));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MissingLinks, MissingLink_LacksOneDirectionOrBoth) {
  const ExperimentConfig config =
      read("{kind: mesh, shape: [4, 4], missing_nodes: [[3, 0]]}",
           "{at: '[1, 1]+0', missing: true, both: true}, {at: '[2,2]-1', missing: true}, {at: '[0, 0]+0', "
           "delay: 5}");
  const Topology& mesh = config.topology;
  EXPECT_EQ(mesh.name(), "4x4 mesh without 1 node and 3 directed links");
  EXPECT_FALSE(mesh.has_link(5, port_of(0, Sign::plus)));
  EXPECT_FALSE(mesh.has_link(6, port_of(0, Sign::minus)));
  EXPECT_FALSE(mesh.has_link(10, port_of(1, Sign::minus)));
  EXPECT_TRUE(mesh.has_link(6, port_of(1, Sign::plus)));
  EXPECT_TRUE(mesh.is_missing(3));
  const std::string text = resolve(config);
  const ExperimentConfig again = parse_config(text, "again.yaml", "/");
  EXPECT_EQ(again.topology, mesh) << text;
  EXPECT_EQ(resolve(again), text);
}

TEST(MissingLinks, MissingLinkOfAFamily_IsResolvedWithoutTheFamilysRouting) {
  const std::string family = "{kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}";
  const std::string missing = "{at: 'r0.0>r0.1', missing: true, both: true}";
  const ExperimentConfig config = read(family, missing + ", {at: 'r1.0>r1.1', delay: 5}");
  EXPECT_EQ(config.topology.name(), "dragonfly of 3 groups and 6 nodes without 2 directed links");
  EXPECT_EQ(config.topology.default_routing(), "layered");
  const std::string text = resolve(config);
  const ExperimentConfig again = parse_config(text, "again.yaml", "/");
  EXPECT_EQ(again.topology, config.topology) << text;
  EXPECT_EQ(resolve(again), text);
  const Routing& minimal = *RoutingRegistry::find("dragonfly-minimal");
  EXPECT_TRUE(minimal.serves(config.topology.whole()));
  EXPECT_FALSE(minimal.serves(config.topology));
}

TEST(MissingLinks, LinkThatDoesNotExist_IsRefusedAtItsPlace) {
  const std::string mesh = "{kind: mesh, shape: [4, 4]}";
  const std::string two = refusal(mesh, "{at: '[1, 1]+0', missing: true}, {at: '[3, 1]+0', missing: true}");
  EXPECT_NE(two.find("c.yaml:3:42: links[1]: '[3, 1]+0' is no channel of the 4x4 mesh"), std::string::npos)
      << two;
  for (const char* const text : {"[1, 1]", "[1, 1]+2", "[4, 1]+0", "[1]+0", "[1, 1]+0 all", "1, 1+0", ""}) {
    EXPECT_NE(refusal(mesh, "{at: '" + std::string(text) + "', missing: true}")
                  .find("is no channel of the 4x4 mesh"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(refusal("{kind: mesh, shape: [2, 2], networks: 2}", "{at: 'x', delay: 3}")
                .find("'x' is no channel of the 2x2 mesh in 2 networks; its channels are '[0, 0]+0' to '[1, "
                      "1]-1 of network 1'"),
            std::string::npos);
  const std::string three = "{kind: mesh, shape: [3, 3], networks: 2}";
  EXPECT_NE(refusal(three, "{at: '[2,1]+0', delay: 3}")
                .find("'[2,1]+0' is no channel of the 3x3 mesh in 2 networks; from [2, 1] lead '[2, 1]-0', "),
            std::string::npos)
      << refusal(three, "{at: '[2,1]+0', delay: 3}");
  const std::string dragonfly = "{kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}";
  EXPECT_NE(refusal(dragonfly, "{at: 'r0.0>r1.0', missing: true}")
                .find("; from r0.0 lead 'r0.0>n0.0.0', 'r0.0>r0.1', 'r0.0>r2.1'"),
            std::string::npos)
      << refusal(dragonfly, "{at: 'r0.0>r1.0', missing: true}");
  EXPECT_NE(refusal(dragonfly, "{at: 'r0>r1', missing: true}")
                .find("; its channels are 'n0.0.0>r0.0' to 'r2.1>r0.0'"),
            std::string::npos)
      << refusal(dragonfly, "{at: 'r0>r1', missing: true}");
  EXPECT_NE(refusal(mesh, "{at: '[1, 1]+0', missing: true, delay: 3}").find("leave them out"),
            std::string::npos);
  EXPECT_NE(refusal(mesh, "{at: '[1, 1]+0', missing: false}").find("must say something of the link"),
            std::string::npos);
  EXPECT_NE(
      refusal(mesh, "{at: '[1, 1]+0', missing: true}, {at: '[1, 1]+0', delay: 2}").find("is no channel"),
      std::string::npos);
  EXPECT_NE(refusal("{kind: torus, shape: [4, 4], missing_nodes: [[4, 0]]}").find("[4, 0] lies outside"),
            std::string::npos);
}

TEST(MissingLinks, NodeThatIsCutOff_IsToldWhereLinksOrNodesAreMissing) {
  const std::string nodes = refusal("{kind: mesh, shape: [4], missing_nodes: [[1]]}");
  EXPECT_NE(nodes.find("c.yaml:2:51: no path leads from '[0]' to '[2]'"), std::string::npos) << nodes;
  const std::string links = refusal("{kind: mesh, shape: [4]}", "{at: '[0]+0', missing: true}");
  EXPECT_NE(links.find("c.yaml:3:8: no path leads from '[0]' to '[1]'"), std::string::npos) << links;
}

TEST(MissingLinks, EmptyListOfLinks_IsNone) {
  const auto resolved = [](const std::string& links) {
    return resolve(parse_config("flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n" + links +
                                    "workload: {traffic: uniform, load: 0.1}\n",
                                "c.yaml", "/"));
  };
  EXPECT_EQ(resolved("links: []\n"), resolved(""));
}

TEST(MissingNodes, GraphOfAFamily_IsNamedAsItIsWritten) {
  const std::string text = refusal("{kind: dragonfly, p: 1, a: 2, h: 1, groups: 3, missing_nodes: [[0]]}");
  EXPECT_NE(text.find("topology.missing_nodes is for tori and meshes, not for 'kind: dragonfly'"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace flitscope::faults_test
