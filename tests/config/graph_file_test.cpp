// Networks from files: what they describe, and what is said where they are wrong.
#include "sim/formats/graph_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/error.h"
#include "model/link_kinds.h"
#include "model/topology.h"
#include "sim/config/config_source.h"
#include "sim/formats/yaml_source.h"

namespace flitscope::graph_file_test {
namespace {

std::optional<GraphPlan> read_yaml(std::string_view text, const std::string& name, Diagnostics& diagnostics) {
  return read_graph_yaml(text, name, diagnostics);
}

using Read = std::optional<GraphPlan> (*)(std::string_view, const std::string&, Diagnostics&);

Topology network(Read read, const std::string& text) {
  Diagnostics diagnostics;
  auto plan = read(text, "net", diagnostics);
  diagnostics.throw_if_any();
  return Topology::of(std::make_shared<const Graph>(std::move(*plan)));
}

/// All that is said about a file.
std::string refusal(Read read, const std::string& text) {
  Diagnostics diagnostics;
  if (read(text, "net", diagnostics)) return "accepted";
  try {
    diagnostics.throw_if_any();
  } catch (const InputError& error) {
    return error.what();
  }
  return "refused without a word";
}

const std::string kRouters = "graph: 1\nrouters: [{name: a}, {name: b}, {name: c}]\n";

TEST(GraphYaml, Links_JoinBothDirectionsOrOne) {
  const Topology topology = network(read_yaml,
                                    "graph: 1\nname: little\n"
                                    "routers:\n  - {name: a, node: true, at: [0, 1.5]}\n  - {name: hub}\n"
                                    "nodes:\n  - {name: n0, router: 'hub:down', delay: 3}\n"
                                    "links:\n  - {between: ['a:east', hub], delay: 4, cycles_per_flit: 2}\n"
                                    "  - {from: hub, to: a}\n");
  const Graph& graph = *topology.graph();
  EXPECT_EQ(topology.name(), "little");
  EXPECT_EQ(topology.nodes(), 2U);
  EXPECT_EQ(topology.routers(), 3U);
  EXPECT_EQ(graph.links(), 5U);
  EXPECT_EQ(graph.at(0), (Point{0, 1.5}));
  const unsigned east = *topology.port_to(0, 2);
  EXPECT_EQ(graph.channel_name(0, east), "a:east");
  EXPECT_EQ(graph.link(0, east).delay, 4U);
  EXPECT_EQ(graph.link(0, east).cycles_per_flit, 2U);
  EXPECT_EQ(graph.link(1, *topology.port_to(1, 2)).delay, 3U);
  EXPECT_EQ(graph.channel_name(2, *topology.port_to(2, 1)), "hub:down");
}

TEST(GraphYaml, Links_HaveKindsAndLengths) {
  const Topology topology =
      network(read_yaml, kRouters +
                             "links:\n  - {between: [a, b], kind: short}\n"
                             "  - {between: [b, c], kind: long, length: 2.5, cycles_per_flit: 3/2}\n");
  const Graph& graph = *topology.graph();
  EXPECT_STREQ(graph.link(0, *topology.port_to(0, 1)).kind, "short");
  EXPECT_EQ(graph.link(0, *topology.port_to(0, 1)).length, 1);
  const auto& wire = graph.link(2, *topology.port_to(2, 1));
  EXPECT_STREQ(wire.kind, "long");
  EXPECT_EQ(wire.length, 2.5);
  EXPECT_EQ(wire.cycles_per_flit, Ratio(3, 2));
}

TEST(GraphYaml, KindOfAttachedNodes_IsRefused) {
  EXPECT_NE(refusal(read_yaml, kRouters + "links:\n  - {between: [a, b], kind: node}\n")
                .find("links[0].kind must not be 'node', which links of attached nodes are"),
            std::string::npos);
}

TEST(GraphYaml, KindThatIsNoLineOfText_IsRefusedAtItsPlace) {
  for (const auto& [kind, message] :
       {std::pair{R"("a\e[31mred")",
                  "net:4:40: links[0].kind must be text, not the text 'a\\x1b[31mred' in quotes"},
        {R"("a\nb")", "without control characters"},
        {"''", "net:4:40: links[0].kind is empty"},
        {"[a]", "net:4:40: links[0].kind must be text, not a list"}}) {
    const std::string text = fmt::format(
        "{}links:\n  - {{between: [a, b], length: 1, kind: {}}}\n  - {{between: [b, c]}}\n", kRouters, kind);
    EXPECT_NE(refusal(read_yaml, text).find(message), std::string::npos) << refusal(read_yaml, text);
  }
}

/// A node with a link each way to a router without one is attached to it.
TEST(GraphYaml, LinksOfAnAttachedNode_AreOfTheKindNode) {
  const Topology topology =
      network(read_yaml,
              "graph: 1\nrouters: [{name: a, node: true}, {name: b, node: true}, {name: "
              "hub, node: false}]\nlinks:\n  - {between: [a, hub], kind: serdes}\n  - {between: [b, hub]}\n");
  EXPECT_EQ(LinkKinds(topology).names(), std::vector<std::string>{"node"});
}

TEST(GraphYaml, RoutersWithoutNodes_AreNodesUnlessDeclaredOtherwise) {
  const Topology topology = network(read_yaml,
                                    "graph: 1\nrouters: [{name: a}, {name: b, node: false}, {name: "
                                    "c}]\nlinks: [{between: [a, b]}, {between: [b, c]}]");
  EXPECT_EQ(topology.nodes(), 2U);
  EXPECT_EQ(topology.node_name(1), "c");
}

TEST(GraphYaml, NodesAttachedToOneRouter_NeedNoLinks) {
  const Topology topology = network(
      read_yaml, "graph: 1\nrouters: [{name: hub}]\nnodes: [{name: a, router: hub}, {name: b, router: hub}]");
  EXPECT_EQ(topology.nodes(), 2U);
  EXPECT_EQ(topology.routers(), 3U);
}

TEST(Anynet, ManyErrors_AreTwentyLinesAndTheirNumber) {
  std::string text;
  for (int line = 0; line < 30'000; ++line) text += "rooter 1 router 2\n";
  const std::string errors = refusal(read_anynet, text);
  EXPECT_EQ(std::ranges::count(errors, '\n'), 20);
  EXPECT_TRUE(errors.ends_with("\n... and 29980 more")) << errors;
}

TEST(GraphYaml, InvalidGraph_IsRefusedAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"links: [{between: [a, b]}, {between: [b, c]}, {between: [b, d]}]",
       "net:3:61: links[2].between[1] names 'd'"},
      {"links: [{between: [a, b]}, {between: [c, c]}]", "net:3:28: a link leads from 'c' to itself"},
      {"links: [{between: [a, b]}]", "net:2:33: no path leads from 'a' to 'c'"},
      {"links: [{between: ['a:x', b]}, {between: ['a:x', c]}]",
       "net:3:32: port 'x' of 'a' has a link already"},
      {"links: [{between: [a, b], dealy: 3}]",
       "net:3:27: unknown key 'links[0].dealy'; did you mean 'delay'?"},
      {"links: [{between: [a, b], delay: 0}]",
       "net:3:34: links[0].delay must be a time from 1 to 65535 cycles"},
      {"links: [{from: a}]", "net:3:9: links[0].to is missing"},
      {"links: [{between: [a]}]", "net:3:19: links[0].between must be two routers"},
      {"nodes: [{name: a, router: b}]\nlinks: [{between: [a, b]}, {between: [b, c]}]",
       "net:3:9: there is a router 'a' already"},
      {"nodes: [{name: 'x y', router: b}]\nlinks: []", "net:3:16: nodes[0].name must be of letters"},
      {"links: [{from: 'a:', to: b}]",
       "net:3:16: links[0].from: the name of a port must be of letters, digits, '_', '-' and '.', not ''"},
      {"links: [{from: 'a:1 2', to: b}]",
       "of a port must be of letters, digits, '_', '-' and '.', not '1 2'"},
      {"links: [{from: 'a:x:y', to: b}]",
       "of a port must be of letters, digits, '_', '-' and '.', not 'x:y'"},
      {"links: [{from: 'a:b>a', to: b}]",
       "of a port must be of letters, digits, '_', '-' and '.', not 'b>a'"},
      {"links: [{from: a, to: 'b:x'}]", "net:3:23: links[0].to names a port; ports are outputs"},
      {"nodes: [{name: n, router: b, at: [nan, inf]}]\nlinks: []", "nodes[0].at must be two numbers"},
      {"links: {a: b}", "net:3:8: links must be a list"},
      {"", "net:1:1: 'links' is missing"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_NE(refusal(read_yaml, kRouters + text).find(message), std::string::npos)
        << text << "\n"
        << refusal(read_yaml, kRouters + text);
  }
  EXPECT_NE(refusal(read_yaml, "[1]").find("must be a map"), std::string::npos);
  const std::string mixed =
      refusal(read_yaml, "graph: 1\nrouters:\n  - {name: a, node: true}\n  - {name: b}\nlinks: []\n");
  EXPECT_NE(mixed.find(":4:5: a router without the key 'node' is a node, but other routers say"),
            std::string::npos)
      << mixed;
  EXPECT_EQ(
      refusal(read_yaml, "graph: 1\nrouters: [{name: a, node: maybe}, {name: b}]\nlinks: []\n").find('\n'),
      std::string::npos)
      << "one mistake";
  EXPECT_NE(refusal(read_yaml, "routers: []\nlinks: []").find("begins with 'graph: 1'"), std::string::npos);
}

TEST(GraphYaml, NameThatTwoRoutersHave_IsRefusedWithTheLinksToMissingOnes) {
  const std::string found =
      refusal(read_yaml, "graph: 1\nrouters: [{name: a}, {name: b}, {name: a}]\nlinks: [{between: [a, c]}]");
  EXPECT_NE(found.find("net:2:33: there is a router 'a' already"), std::string::npos) << found;
  EXPECT_NE(found.find("links[0].between[1] names 'c'"), std::string::npos) << found;
}

TEST(GraphYaml, LinkToARouterWhoseNameIsRefused_IsNoSecondError) {
  EXPECT_EQ(
      refusal(read_yaml,
              "graph: 1\nrouters: [{name: &x a}, {name: b}]\nlinks: [{between: [*x, b]}, {from: a, to: b}]"),
      "net:2:18: anchors and aliases (& and *) are not supported; write the value out");
}

TEST(Anynet, Links_JoinBothDirectionsWithTheirLatencies) {
  const Topology topology = network(read_anynet,
                                    "router 0 node 0 node 3 router 1 15 router 2\n"
                                    "\n"
                                    "router 1 router 0 7 node 1 2\n"
                                    "node 2 router 2\n");
  const Graph& graph = *topology.graph();
  EXPECT_EQ(topology.nodes(), 4U);
  EXPECT_EQ(topology.routers(), 7U);
  EXPECT_EQ(graph.links(), 12U);
  EXPECT_EQ(topology.node_name(3), "n3");
  EXPECT_EQ(topology.node_name(4), "r0");
  const auto latency = [&](NodeId from, NodeId to) {
    return graph.link(from, *topology.port_to(from, to)).delay;
  };
  EXPECT_EQ(latency(4, 5), 15U);
  EXPECT_EQ(latency(5, 4), 7U);
  EXPECT_EQ(latency(4, 6), std::nullopt);
  EXPECT_EQ(latency(1, 5), 2U);
  EXPECT_EQ(latency(5, 1), 2U);
}

TEST(Anynet, Comments_AreSkipped) {
  EXPECT_EQ(network(read_anynet, "# a pair\nrouter 0 node 0 router 1\n #\nrouter 1 node 1\n").nodes(), 2U);
}

TEST(Anynet, InvalidGraph_IsRefusedAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"router 0 node 0\nrouter 0 nod 1", "net:2:10: expected 'router' or 'node', not 'nod'"},
      {"router 0 node x", "net:1:15: 'node' must be followed by its number"},
      {"router 0 node", "net:1:10: 'node' must be followed by its number"},
      {"router 0 node 0 1.5", "net:1:17: a latency must be a whole number"},
      {"router 0 node 0 0", "net:1:17: a latency must be"},
      {"router 0", "net:1:1: router 0 has no link"},
      {"node 0 node 1", "net:1:8: node 0 is joined to node 1"},
      {"router 0 node 0\nrouter 1 node 0", "net:2:10: node 0 is joined to router 0 already"},
      {"router 0 node 0 router 1 router 1", "net:1:26: router 0 is joined to router 1 already"},
      {"router 0 node 0 router 0", "net:1:17: a link leads from 'r0' to itself"},
      {"router 0 node 0\nrouter 1 node 1", "net:2:10: no path leads from 'n0' to 'n1'"},
      {"router 0 node 0", "one node only"},
      {"", "no node"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_NE(refusal(read_anynet, text).find(message), std::string::npos) << text << "\n"
                                                                           << refusal(read_anynet, text);
  }
}

class GraphConfig : public testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        std::filesystem::temp_directory_path() /
        (std::string("flitscope_graph_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(directory_);
    write("net.anynet", "router 0 node 0 router 1\nrouter 1 node 1\n");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  [[nodiscard]] ExperimentConfig read(const std::string& topology, const std::string& more = "") const {
    return parse_config("flitscope: 1\ntopology: " + topology + "\nnode: {ports: 1}\n" + more +
                            "workload: {traffic: uniform, load: 0.1}\n",
                        "c.yaml", directory_);
  }
  [[nodiscard]] std::string refusal(const std::string& topology, const std::string& more = "") const {
    try {
      static_cast<void>(read(topology, more));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path directory_;
};

TEST_F(GraphConfig, GraphFile_IsReadAndResolvedToItsPath) {
  const ExperimentConfig config = read("{kind: graph, file: net.anynet}");
  EXPECT_EQ(config.topology.name(), "net of 2 nodes");
  EXPECT_EQ(config.graph_file, directory_ / "net.anynet");
  const std::string text = resolve(config);
  EXPECT_NE(text.find("kind: graph"), std::string::npos) << text;
  const ExperimentConfig again = parse_config(text, "again.yaml", "/");
  EXPECT_EQ(again.topology, config.topology);
  EXPECT_EQ(resolve(again), text);
}

TEST_F(GraphConfig, LinksInUnits_AreThoseInCycles) {
  const std::string graph = "{kind: graph, file: net.yaml}";
  const auto write_link = [&](const std::string& link) {
    write("net.yaml", "graph: 1\nrouters: [{name: a}, {name: b}, {name: c}]\nlinks:\n  - {between: [a, b], " +
                          link + "}\n  - {between: [b, c]}\n");
  };
  write_link("delay: 20ns, bandwidth: 4GB/s");
  const ExperimentConfig config = read(graph, "clock: 2GHz\n");
  const LinkTime own = config.machine.link(config.topology, parse_channel("a>b", config.topology));
  EXPECT_EQ(own.delay, 40U);
  EXPECT_EQ(own.cycles_per_flit, Ratio(4)) << "a flit of 8 bytes at 2 GHz";
  EXPECT_EQ(config.machine.link(config.topology, parse_channel("b>c", config.topology)).cycles_per_flit,
            Ratio(1));
  const ExperimentConfig again = parse_config(resolve(config), "again.yaml", "/");
  EXPECT_EQ(again.machine.link(again.topology, parse_channel("a>b", again.topology)), own);
  EXPECT_EQ(read(graph, "clock: 1GHz\n").topology.graph()->digest(), config.topology.graph()->digest())
      << "it is the same file with another clock";
  EXPECT_NE(refusal(graph).find("net.yaml:4:30: links[0].delay"), std::string::npos) << refusal(graph);
  write_link("bandwidth: 40GB/s");
  EXPECT_NE(refusal(graph, "clock: 2GHz\n").find("topology.file: 40GB/s is 0.4 cycles for a flit of 8 bytes"),
            std::string::npos)
      << refusal(graph, "clock: 2GHz\n");
  EXPECT_NE(refusal(graph).find("topology.file: 40GB/s needs the length of a cycle"), std::string::npos);
  write_link("bandwidth: 4GB/s, cycles_per_flit: 4");
  EXPECT_NE(refusal(graph, "clock: 2GHz\n").find("links[0] has both 'bandwidth' and 'cycles_per_flit'"),
            std::string::npos);
}

TEST_F(GraphConfig, KindWithAnyMarks_IsReadBackFromTheResolvedConfiguration) {
  for (const std::string kind : {"hbm, phy", "x]y", "x}y", "a: b", "#1", "true", "'", "dimension 0", "\\"}) {
    const std::string quoted = quoted_for_yaml(kind);
    write("net.yaml",
          "graph: 1\nrouters: [{name: a}, {name: b}, {name: c}]\nlinks:\n  - {between: [a, b], kind: " +
              quoted + "}\n  - {between: [b, c]}\n");
    const ExperimentConfig config =
        read("{kind: graph, file: net.yaml}", "links: [{kind: " + quoted + ", delay: 9}]\n");
    const std::string text = resolve(config);
    EXPECT_EQ(resolve(parse_config(text, "again.yaml", "/")), text) << kind;
  }
}

TEST_F(GraphConfig, ChangedOrMissingFile_IsRefused) {
  const std::string digest = read("{kind: graph, file: net.anynet}").topology.graph()->digest();
  const std::string with = "{kind: graph, file: net.anynet, digest: '" + digest + "'}";
  EXPECT_EQ(refusal(with), "accepted");
  write("net.anynet", "router 0 node 0 router 1 4\nrouter 1 node 1\n");
  EXPECT_NE(refusal(with).find("c.yaml:2:51: net.anynet is not the network it was"), std::string::npos)
      << refusal(with);
  EXPECT_NE(refusal("{kind: graph, file: none.yaml}").find("none.yaml: cannot be opened"), std::string::npos);
  EXPECT_NE(refusal("{kind: graph}").find("topology.file is missing"), std::string::npos);
}

TEST_F(GraphConfig, ParametersOfAFamily_AreRead) {
  const ExperimentConfig config = read("{kind: k-ary-n-tree, k: 2, n: 3}");
  EXPECT_EQ(config.topology.name(), "2-ary 3-tree of 8 nodes");
  const std::string text = resolve(config);
  EXPECT_NE(text.find("kind: k-ary-n-tree\n  k: 2\n  n: 3"), std::string::npos) << text;
  EXPECT_EQ(parse_config(text, "again.yaml", "/").topology, config.topology);
}

TEST_F(GraphConfig, UnknownParameterOfAFamily_IsRefused) {
  EXPECT_NE(refusal("{kind: k-ary-n-tree, k: 2}").find("topology.n"), std::string::npos);
  EXPECT_NE(refusal("{kind: k-ary-n-tree, k: 2, n: 3, shape: [2]}").find("topology.shape"),
            std::string::npos);
  EXPECT_NE(refusal("{kind: k-ary-n-tree, k: 31, n: 9}").find("c.yaml:2:42"), std::string::npos)
      << refusal("{kind: k-ary-n-tree, k: 31, n: 9}");
  EXPECT_NE(refusal("{kind: torus, shape: [4], file: net.anynet}").find("is for graphs"), std::string::npos);
}

}  // namespace
}  // namespace flitscope::graph_file_test
