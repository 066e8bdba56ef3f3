// Traffic from a file: a line for every message.
#include <gtest/gtest.h>

#include "tests/support/formats.h"

namespace flitscope::test::csv_trace_test {
namespace {

using Lines = std::vector<std::string>;

const Topology kMesh(TopologyKind::mesh, {4});

TEST(CsvTrace, Messages_WaitForTheirCycleAndTheMessagesTheyName) {
  const auto schedule = import_text("csv",
                                    "cycle,src,dst,bytes,id,after,wait\n"
                                    "0,0,1,64,a,,\n"
                                    "10,1,2,8,b,,\r\n"
                                    "5,2,3,100,,a b,7\n",
                                    kMesh);
  EXPECT_EQ(problems_of(*schedule), "");
  EXPECT_EQ(schedule->facts().messages, 3U);
  const auto again = import_text("csv",
                                 "bytes,dst,cycle,src,after,id,wait\n64,1,0,0,,a,\n8,2,10,1,,b,\n"
                                 "100,3,5,2,a b,,7",
                                 kMesh);
  const Lines wanted{"1: 0 -> 1, 64 bytes", "1: 1 -> 2, 8 bytes, after the start+10",
                     "1: 2 -> 3, 100 bytes, after the start+5, after 1.1+7, after 1.2+7"};
  EXPECT_EQ(lines_of(*again), wanted);
}

TEST(CsvTrace, FourColumns_Suffice) {
  const auto schedule = import_text("csv", "cycle,src,dst,bytes\n3,0,3,1\n", kMesh);
  EXPECT_EQ(lines_of(*schedule), Lines{"1: 0 -> 3, 1 bytes, after the start+3"});
}

TEST(CsvTrace, KindAndArrived_AreACountedBarrier) {
  const auto schedule = import_text("csv",
                                    "cycle,src,dst,bytes,kind,arrived,wait\n"
                                    "0,1,3,8,5,,\n0,3,3,8,5,,\n9,3,0,8,,5:2,4\n",
                                    kMesh);
  Step step;
  ASSERT_TRUE(schedule->next(step));
  EXPECT_EQ(step.kind(step.messages()[1]), 5U);
  EXPECT_EQ(step.messages()[1].source, step.messages()[1].destination);
  const auto waits = step.dependencies(step.messages()[2]);
  EXPECT_EQ(std::vector(waits.begin(), waits.end()),
            (std::vector<Dependency>{{0, 9, false, 0}, {5, 4, false, 2}}));
}

TEST(CsvTrace, InvalidText_IsRefusedAtItsPlace) {
  const auto refusal = [](const std::string& text) {
    return import_refusal("csv", text, ImportOptions(kMesh));
  };
  EXPECT_EQ(
      refusal("cycle,src,dst\n"),
      "given:1:1: column 'bytes' is missing; the first line must be cycle,src,dst,bytes, if wanted with "
      "id, after, wait, kind and arrived");
  EXPECT_EQ(refusal("cycle,src,dst,bytes,size\n"),
            "given:1:21: 'size' is no column; there are cycle, src, dst, bytes, id, after, wait, kind, "
            "arrived");
  EXPECT_EQ(refusal("cycle,src,dst,src,bytes\n"), "given:1:15: duplicate column 'src'");
  EXPECT_EQ(refusal("cycle,src,dst,bytes\n"), "given: has no messages");
  EXPECT_EQ(refusal("cycle,src,dst,bytes\n1,2,3\n"), "given:2:1: has 3 cells, and the first line 4");
  EXPECT_EQ(refusal("cycle,src,dst,bytes\n1,2,3,0\n"),
            "given:2:7: bytes must be a whole number from 1 to 1099511627776, not '0'");
  EXPECT_EQ(refusal("cycle,src,dst,bytes\n-1,2,3,8\n"),
            "given:2:1: cycle must be a whole number from 0 to 1000000000000000, not '-1'");
  EXPECT_EQ(refusal("cycle,src,dst,bytes,arrived\n1,2,3,8,4\n"),
            "given:2:9: '4' must be a kind and a number of messages, such as 3:12");
  EXPECT_EQ(
      refusal("cycle,src,dst,bytes,kind,arrived\n1,2,3,8,5,\n1,3,2,8,,5:1\n1,3,2,8,,5:2\n"),
      "given:4:10: '5:2' waits for more messages than there are: the lines above have 1 of kind 5 to 3");
  EXPECT_EQ(refusal("cycle,src,dst,bytes,kind\n1,2,3,8,0\n"),
            "given:2:9: kind must be a whole number from 1 to 4294967295, not '0'");
  EXPECT_EQ(refusal("cycle,src,dst,bytes,after\n1,2,3,8,x\n"), "given:2:9: no line above has the id 'x'");
  EXPECT_EQ(refusal("cycle,src,dst,bytes,wait\n1,2,3,8,5\n"),
            "given:2:9: 'wait' counts from the last message of 'after', and there is none; raise 'cycle'");
  EXPECT_EQ(refusal("cycle,src,dst,bytes,id\n1,2,3,8,a\n1,2,3,8,a\n"), "given:3:9: duplicate id 'a'");
  EXPECT_EQ(refusal("cycle,src,dst,bytes,id\n1,2,3,8,a b\n"),
            "given:2:9: an id must have no blanks, which separate ids in 'after'; not 'a b'");
  EXPECT_TRUE(
      refusal("cycle,src,dst,bytes\n1,2,0,8\n1,2,9,8\n").starts_with("given:3:5: has 10 ranks, but "));
}

}  // namespace
}  // namespace flitscope::test::csv_trace_test
