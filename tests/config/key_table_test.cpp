// The tables of keys in docs/ are those of the program.
#include "sim/config/key_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace flitscope::key_table_test {
namespace {

/// What stands on a page between "<!-- COMMAND -->" and "<!-- end -->".
std::string shown(const std::string& page, const std::string& command) {
  std::ifstream stream(std::filesystem::path(FLITSCOPE_SOURCE_DIR) / "docs" / page);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string begin = "<!-- " + command + " -->\n";
  const std::size_t from = text.str().find(begin);
  if (from == std::string::npos) return page + " does not show " + command;
  const std::size_t first = from + begin.size();
  return text.str().substr(first, text.str().find("<!-- end -->", first) - first);
}

TEST(KeyTable, UserGuide_HasTheKeysOfNetworksWithLinks) {
  EXPECT_EQ(shown("user-guide.md", "flitscope list keys --markdown torus"), key_table(TopologyKind::torus));
  EXPECT_EQ(key_table(TopologyKind::mesh), key_table(TopologyKind::torus));
}

TEST(KeyTable, PageOnCompleteNetworks_HasTheirKeys) {
  EXPECT_EQ(shown("complete-networks.md", "flitscope list keys --markdown complete"),
            key_table(TopologyKind::complete));
}

TEST(KeyTable, Line_HasTypeRangeDefaultUnitAndMeaning) {
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

TEST(KeyTable, KindOfNetwork_HasItsOwnKeysOnly) {
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
