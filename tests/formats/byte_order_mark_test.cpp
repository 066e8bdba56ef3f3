// Texts that begin with a byte order mark of UTF-8, as some editors write them.
#include <gtest/gtest.h>

#include <sstream>

#include "params/csv_reader.h"
#include "sim/formats/graph_file.h"
#include "sim/formats/recording.h"
#include "sim/formats/routes_file.h"
#include "tests/support/formats.h"

namespace flitscope::test::byte_order_mark_test {
namespace {

const std::string kMark = "\xEF\xBB\xBF";
const Topology kRing(TopologyKind::torus, {3});

TEST(ByteOrderMark, Messages_AreThoseOfTheTextBehindIt) {
  const std::string csv = "cycle,src,dst,bytes\n3,0,2,1\n";
  EXPECT_EQ(lines_of(*import_text("csv", kMark + csv, kRing)), lines_of(*import_text("csv", csv, kRing)));
  const std::string goal = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }\n";
  EXPECT_EQ(lines_of(*import_text("goal", kMark + goal, kRing)), lines_of(*import_text("goal", goal, kRing)));
}

TEST(ByteOrderMark, Mistakes_HaveTheirPlacesBehindIt) {
  const ImportOptions options(kRing);
  EXPECT_TRUE(import_refusal("csv", kMark + "cycle;src", options).starts_with("given:1:1: "));
  EXPECT_TRUE(import_refusal("goal", kMark + "ranks 2", options).starts_with("given:1:1: "));
}

TEST(ByteOrderMark, NetworkAndRoutes_AreRead) {
  Diagnostics diagnostics;
  const auto plan = read_anynet(kMark + "router 0 node 0 router 1\nrouter 1 node 1\n", "net", diagnostics);
  EXPECT_TRUE(plan.has_value());
  EXPECT_NE(read_routes(kMark + "to [0] [1]-0 [2]+0\nto [1] [0]+0 [2]-0\nto [2] [0]-0 [1]+0\n", "routes",
                        kRing, diagnostics),
            nullptr);
  EXPECT_TRUE(diagnostics.none());
}

TEST(ByteOrderMark, FirstColumnOfATable_HasItsName) {
  std::istringstream text(kMark + "time,src\n1,2\n");
  EXPECT_EQ(CsvReader(text, "given").columns().front(), "time");
}

TEST(ByteOrderMark, Recording_IsOne) {
  std::istringstream recording(kMark + " [{}]");
  EXPECT_TRUE(is_recording(recording));
  std::istringstream table(kMark + "time,src\n");
  EXPECT_FALSE(is_recording(table));
}

}  // namespace
}  // namespace flitscope::test::byte_order_mark_test
