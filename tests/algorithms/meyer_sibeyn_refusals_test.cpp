// What gossiping algorithms refuse, with the key and the nearest torus that they admit.
#include <gtest/gtest.h>

#include "tests/support/gossip.h"

namespace flitscope::test::meyer_sibeyn_refusals_test {
namespace {

struct Case {
  std::string algorithm;
  Shape shape;
  std::string nearest;
};

TEST(GossipRefusals, InadmissibleShape_IsRefusedWithTheNearest) {
  const std::vector<Case> cases{
      {"meyer-sibeyn-two-packet", {5, 5}, "[6, 5]"},
      {"meyer-sibeyn-two-packet", {2, 5}, "[4, 5]"},
      {"meyer-sibeyn-two-packet", {4, 2}, "[4, 3]"},
      {"meyer-sibeyn-two-packet", {2, 2}, "[3, 4]"},
      {"hamiltonian-cycles", {2, 5, 3}, "[3, 5, 3]"},
      {"meyer-sibeyn-one-packet", {2, 3}, "[4, 3]"},
      {"meyer-sibeyn-one-packet", {2, 2}, "[4, 2]"},
      {"meyer-sibeyn-one-packet", {4, 5, 2}, "[3, 6, 3]"},
      {"meyer-sibeyn-one-packet", {6, 8, 4}, "[6, 6, 4]"},
      {"meyer-sibeyn-one-packet", {5, 5, 5, 3}, "[4, 4, 4, 4]"},
      {"meyer-sibeyn-one-packet", {4, 3, 2, 5}, "[4, 4, 4, 5]"},
  };
  for (const Case& each : cases) {
    const Refusal refused = refusal(each.algorithm, torus(each.shape));
    EXPECT_EQ(refused.key, "topology.shape") << each.algorithm << " on the " << torus(each.shape).name();
    EXPECT_NE(refused.text.find("nearest admissible: " + each.nearest), std::string::npos) << refused.text;
  }
}

/// Wherever a shape is refused with a nearest one, that one is admitted.
TEST(GossipRefusals, NearestShape_IsAdmissible) {
  const auto nearest = [](const std::string& text) {
    Shape shape;
    for (std::size_t at = text.rfind('[') + 1; at < text.size();) {
      std::size_t length = 0;
      shape.push_back(static_cast<std::uint32_t>(std::stoul(text.substr(at), &length)));
      at += length + 2;
    }
    return shape;
  };
  std::vector<Shape> shapes;
  for (std::uint32_t a = 2; a <= 7; ++a) {
    for (std::uint32_t b = 2; b <= 7; ++b) {
      shapes.push_back({a, b});
      for (std::uint32_t c = 2; c <= 4; ++c) shapes.push_back({a, b, c});
    }
  }
  for (const char* algorithm : {"meyer-sibeyn-two-packet", "hamiltonian-cycles", "meyer-sibeyn-one-packet"}) {
    for (const Shape& shape : shapes) {
      const Refusal refused = refusal(algorithm, torus(shape));
      if (refused.text.find("nearest") == std::string::npos) continue;
      const Shape instead = nearest(refused.text);
      EXPECT_EQ(refusal(algorithm, torus(instead)).text, "") << refused.text;
    }
  }
}

TEST(GossipRefusals, DimensionsWithoutRule_AreRefused) {
  EXPECT_NE(refusal("meyer-sibeyn-two-packet", torus({4, 4, 4})).text.find("hamiltonian-cycles"),
            std::string::npos);
  EXPECT_NE(refusal("hamiltonian-cycles", torus({5})).text.find("translated-tree"), std::string::npos);
  EXPECT_NE(refusal("meyer-sibeyn-one-packet", torus({5, 5, 5, 5, 5})).text.find("2, 3 and 4 dimensions"),
            std::string::npos);
}

TEST(GossipRefusals, Mesh_IsRefused) {
  for (const char* algorithm : {"meyer-sibeyn-two-packet", "hamiltonian-cycles", "meyer-sibeyn-one-packet",
                                "translated-tree", "naive-rounds"}) {
    EXPECT_EQ(refusal(algorithm, {TopologyKind::mesh, {4, 4}}).key, "topology.kind") << algorithm;
  }
}

TEST(GossipRefusals, InapplicableSupplyRule_IsRefused) {
  EXPECT_EQ(refusal("meyer-sibeyn-one-packet", torus({5, 5}), "repaired").key, "workload.supply");
  EXPECT_EQ(refusal("meyer-sibeyn-one-packet", torus({4, 4, 4, 4}), "fixed-flipped").key, "workload.supply");
  EXPECT_EQ(refusal("meyer-sibeyn-one-packet", torus({4, 5}), "lists").key, "");
}

TEST(GossipRefusals, FewerBytesThanPackets_AreRefused) {
  EXPECT_EQ(refusal("hamiltonian-cycles", torus({3, 3, 3}), "", 2).key, "workload.message");
  EXPECT_EQ(refusal("hamiltonian-cycles", torus({3, 3, 3}), "", 3).key, "");
}

TEST(GossipRefusals, MoreThanMemoryHolds_IsRefused) {
  const Refusal refused = refusal("translated-tree", torus({1024, 1024}));
  EXPECT_EQ(refused.key, "topology.shape");
  EXPECT_NE(refused.text.find("smaller torus"), std::string::npos) << refused.text;
}

}  // namespace
}  // namespace flitscope::test::meyer_sibeyn_refusals_test
