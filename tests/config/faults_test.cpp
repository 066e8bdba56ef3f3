// What a configuration says is missing of a torus or mesh.
#include <gtest/gtest.h>

#include "model/graph.h"
#include "sim/config/config_source.h"
#include "sim/config/resolve.h"

namespace flitscope::faults_test {
namespace {

ExperimentConfig read(const std::string& topology) {
  return parse_config("flitscope: 1\ntopology: " + topology + "\nworkload: {traffic: uniform, load: 0.1}\n",
                      "c.yaml", "/");
}

std::string refusal(const std::string& topology) {
  try {
    static_cast<void>(read(topology));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MissingLinks, LackOneDirectionOrBoth) {
  const ExperimentConfig config = read(
      "{kind: mesh, shape: [4, 4], missing_links: ['[1, 1]+0 both', '[2,2]-1'], missing_nodes: [[3, 0]]}");
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

TEST(MissingLinks, ThatAreNoneAreRefusedAtTheirPlace) {
  EXPECT_NE(refusal("{kind: mesh, shape: [4, 4], missing_links: ['[1, 1]+0', '[3, 1]+0']}")
                .find("c.yaml:2:67: topology.missing_links[1]: '[3, 1]+0' is no link of the 4x4 mesh"),
            std::string::npos)
      << refusal("{kind: mesh, shape: [4, 4], missing_links: ['[1, 1]+0', '[3, 1]+0']}");
  for (const char* const text : {"[1, 1]", "[1, 1]+2", "[4, 1]+0", "[1]+0", "[1, 1]+0 all", "1, 1+0", ""}) {
    EXPECT_NE(
        refusal("{kind: torus, shape: [4, 4], missing_links: ['" + std::string(text) + "']}").find("no link"),
        std::string::npos)
        << text;
  }
  EXPECT_NE(refusal("{kind: torus, shape: [4, 4], missing_nodes: [[4, 0]]}").find("is no node"),
            std::string::npos);
  EXPECT_NE(refusal("{kind: mesh, shape: [4], missing_nodes: [[1]]}").find("no way leads from"),
            std::string::npos)
      << refusal("{kind: mesh, shape: [4], missing_nodes: [[1]]}");
}

}  // namespace
}  // namespace flitscope::faults_test
