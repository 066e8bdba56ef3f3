// Message classes and network interfaces in a configuration.
#include <gtest/gtest.h>

#include <string>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "sim/config/config.h"
#include "sim/config/config_source.h"
#include "tests/support/config_texts.h"
#include "tests/support/test_broadcast.h"

namespace flitscope::message_classes_test {
namespace {

using namespace test;

void expect_refused(const std::string& text, const Expected& expected) {
  expect_refusal(refusal(kLeast + text), {expected}, text);
}

TEST(MessageClasses, CountedVcs_FollowOneAnother) {
  const auto machine = parse(kLeast + "classes: [{name: request, vcs: 1}, {name: reply, vcs: 2}]\n").machine;
  ASSERT_EQ(machine.message_classes(), 2U);
  EXPECT_EQ(machine.classes[0], (MessageClass{"request", 0b001, 0}));
  EXPECT_EQ(machine.classes[1], (MessageClass{"reply", 0b110, 0}));
  EXPECT_EQ(class_number(machine, "reply"), 1U);
}

TEST(MessageClasses, ListedVcs_AreAsListed_AndPrintedSo) {
  const auto config = parse(kLeast +
                            "classes: [{name: a, vcs: [0, 2], priority: 3}, {name: b, vcs: [1]}]\n"
                            "node: {injection_queue: 16, ejection_buffer: 8, queues: separate}\n");
  EXPECT_EQ(config.machine.classes[0], (MessageClass{"a", 0b101, 3}));
  EXPECT_EQ(config.machine.injection_queue, 16U);
  EXPECT_EQ(config.machine.ejection_buffer, 8U);
  EXPECT_EQ(parse(resolve(config)).machine.classes, config.machine.classes);
}

/// kLeast with several networks.
std::string in_networks(const std::string& networks) {
  std::string text = kLeast;
  return text.replace(text.find("topology: {"), 11, "topology: {networks: " + networks + ", ");
}

TEST(MessageClasses, OfSeveralNetworks_HaveTheSameVcs_AndArePrintedSo) {
  const auto config =
      parse(in_networks("2") + "classes: [{name: request, vcs: 2}, {name: reply, vcs: 2, network: 1}]\n");
  EXPECT_EQ(config.topology.networks(), 2U);
  EXPECT_EQ(config.machine.classes[0], (MessageClass{"request", 0b11, 0, 0}));
  EXPECT_EQ(config.machine.classes[1], (MessageClass{"reply", 0b11, 0, 1}));
  const auto again = parse(resolve(config));
  EXPECT_EQ(again.machine.classes, config.machine.classes);
  EXPECT_EQ(again.topology, config.topology);
}

/// With a class for each of two.
std::string in_two_networks(const std::string& networks) {
  return in_networks(networks) + "classes: [{name: request, vcs: 2}, {name: reply, vcs: 2, network: 1}]\n";
}

TEST(MessageClasses, OfNetworksThatLeadOppositeWays_ArePrintedSo) {
  const auto config = parse(in_two_networks("[{directions: plus}, {directions: minus, first_dimension: 1}]"));
  EXPECT_EQ(config.topology.networks(), 2U);
  EXPECT_EQ(config.topology.network(1).directions(), LinkDirections::minus);
  EXPECT_EQ(config.topology.network(1).first_dimension(), 1U);
  EXPECT_EQ(parse(resolve(config)).topology, config.topology);
}

TEST(MessageClasses, LinksOfSeveralNetworks_AreNamedInTheFirstNetworkThatHasThem) {
  const std::string text = in_two_networks("[{directions: minus}, {}]");
  const auto config = parse(text + "links: [{at: '[0, 0]+0 of network 1', delay: 9}]\n");
  const Topology& torus = config.topology;
  EXPECT_EQ(config.machine.link(torus, torus.channel(0, torus.first_port(1))).delay, 9U);
  EXPECT_EQ(config.machine.link(torus, torus.channel(0, torus.first_port(1) + 1)).delay, 1U);
  const auto again = parse(resolve(config));
  EXPECT_EQ(again.machine.links, config.machine.links);
  EXPECT_EQ(again.topology, config.topology);
  expect_refusal(refusal(text + "links: [{at: '[0, 0]-0 of network 1', delay: 9}]\n"),
                 {{"c.yaml:5:9", {"links are alike in all networks; name '[0, 0]-0'"}}}, "a later network");
}

TEST(MessageClasses, OfDifferentPrioritiesOnDifferentNetworks_MayHaveTheSameVcs) {
  const auto config =
      parse(in_networks("2") +
            "classes: [{name: control, vcs: 2, priority: 2}, {name: data, vcs: 2, network: 1}]\n");
  EXPECT_EQ(config.machine.classes[0], (MessageClass{"control", 0b11, 2, 0}));
  EXPECT_EQ(config.machine.classes[1], (MessageClass{"data", 0b11, 0, 1}));
}

TEST(MessageClasses, OfNetworksThatAreNotPossible_AreRefused) {
  expect_refusal(refusal(in_two_networks("[{directions: left}, {}]")),
                 {{"c.yaml:2:36", {"topology.networks[0].directions", "'both', 'plus'"}}}, "direction");
  expect_refusal(refusal(in_two_networks("[{}, {first_dimension: 2}]")),
                 {{"c.yaml:2:22", {"topology.networks[1]", "there is no dimension 2"}}}, "dimension");
  expect_refusal(refusal(in_two_networks("[{}, {order: yx}]")),
                 {{"c.yaml:2:28", {"unknown key", "topology.networks[1].order"}}}, "member");
  expect_refusal(refusal(in_two_networks("0")), {{"c.yaml:2:22", {"topology.networks", "'0'"}}}, "none");
  expect_refusal(refusal(in_two_networks("2") + "node: {queues: shared}\n"),
                 {{"c.yaml:5:16",
                   {": networks share no queue: leave 'queues: shared' out, and each class has its own"}}},
                 "shared");
  std::string mesh = in_two_networks("[{directions: plus}, {directions: minus}]");
  mesh.replace(mesh.find("torus"), 5, "mesh");
  expect_refusal(refusal(mesh), {{"c.yaml:2:22", {"topology.networks[0]", "are for tori"}}}, "mesh");
}

/// A queue for each class makes VCs of ejection channels; the error proposes a shared queue where classes can
/// have one.
TEST(MessageClasses, OnSlowEjectionChannels_AreRefusedWithWhatIsPossible) {
  const auto reason = [](const std::string& text) {
    ExperimentConfig config = parse(text + "node: {ejection_interval: 2}\n");
    config.machine.virtual_channels = 4;
    try {
      require_buildable(config.topology, config.machine, std::uint64_t{1} << 30);
    } catch (const Inadmissible& error) {
      return error.key() + ": " + error.what();
    }
    return std::string();
  };
  const std::string shared =
      "classes: several virtual channels share an ejection channel that takes a flit in every cycle, not in "
      "every 2: 'node.ejection_interval' must be 1, or ";
  EXPECT_EQ(reason(kLeast + "classes: [{name: a, vcs: 2}, {name: b, vcs: 2}]\n"),
            shared + "'node.queues' shared");
  EXPECT_EQ(reason(kLeast + "classes: [{name: a, vcs: 2, priority: 1}, {name: b, vcs: 2}]\n"),
            shared + "'classes' left out");
}

TEST(MessageClasses, NetworksWithoutClasses_AreRefused) {
  expect_refusal(refusal(in_networks("2")),
                 {{"c.yaml:2:22", {"topology.networks", "no message class goes by network 0"}}}, "none");
  expect_refusal(refusal(in_networks("2") + "classes: [{name: a, vcs: 1}, {name: b, vcs: 1}]\n"),
                 {{"c.yaml:2:22", {"topology.networks", "no message class goes by network 1"}}}, "one");
  expect_refused("classes: [{name: a, vcs: 1}, {name: b, vcs: 1, network: 1}]\n",
                 {"c.yaml:4:30", {"classes[1]", "'b' goes by network 1", "topology.networks is 1"}});
}

TEST(MessageClasses, WithoutVcsOrName_AreRefused) {
  expect_refused("classes: [{name: request}]\n", {"c.yaml:4:11", {"classes[0]", "'name' and 'vcs'"}});
  expect_refused("classes: [{vcs: 2}]\n", {"c.yaml:4:11", {"classes[0]", "'name' and 'vcs'"}});
  expect_refused("classes: [{name: request, vcs: 0}]\n", {"c.yaml:4:32", {"classes[0].vcs", "1 to 64"}});
  expect_refused("classes: [{name: request, vcs: []}]\n", {"c.yaml:4:32", {"classes[0].vcs"}});
  expect_refused("classes: []\n", {"c.yaml:4:10", {"classes", "a list of message classes"}});
}

TEST(MessageClasses, ThatContradictOneAnother_AreRefused) {
  expect_refused("classes: [{name: a, vcs: 1}, {name: a, vcs: 1}]\n",
                 {"c.yaml:4:30", {"classes[1]", "called 'a' already"}});
  expect_refused("classes: [{name: a, vcs: 1}, {name: b, vcs: [1]}]\n",
                 {"c.yaml:4:30", {"classes[1]", "either all"}});
  expect_refused("classes: [{name: a, vcs: [0, 0]}]\n",
                 {"c.yaml:4:11", {"classes[0]", "VC 0 is there twice"}});
  expect_refused("classes: [{name: a, vcs: [0]}, {name: b, vcs: [2]}]\n",
                 {"c.yaml:4:10", {"VC 1 belongs to none"}});
  expect_refused("classes: [{name: a, vcs: [64]}]\n", {"c.yaml:4:11", {"classes[0]", "64 VCs at most"}});
  expect_refused("classes: [{name: a, vcs: [0, 1]}, {name: b, vcs: [1]}]\n",
                 {"c.yaml:4:35", {"classes[1]", "'b' has VC 1 together with 'a'", "the same VCs, or none"}});
  expect_refused("classes: [{name: a, vcs: [0, 1], priority: 1}, {name: b, vcs: [0, 1]}]\n",
                 {"c.yaml:4:48", {"classes[1]", "'b' has VC 0 together", "equal priorities, or VCs apart"}});
  expect_refused(
      "classes: [{name: a, vcs: 1, priority: 1}, {name: b, vcs: 1}]\nnode: {queues: shared}\n",
      {"c.yaml:5:16",
       {": classes with different priorities need queues of their own: leave 'queues: shared' out, or "
        "the priorities"}});
  expect_refused("classes: [{name: a, vcs: 1}, {name: b, vcs: 1}]\nrouter: {virtual_channels: 3}\n",
                 {"c.yaml:5:28", {"the classes have 2 virtual channels", "not 3"}});
}

}  // namespace
}  // namespace flitscope::message_classes_test
