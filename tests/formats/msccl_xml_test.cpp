// MSCCL: data is followed through buffers; dependencies that are not data stay.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/formats.h"

namespace flitscope::test::msccl_xml_test {
namespace {

using Lines = std::vector<std::string>;

std::string step(int number, const std::string& type, const std::string& source, int source_offset,
                 const std::string& target, int target_offset, int count = 1, int block = -1,
                 int of_block = -1) {
  return fmt::format(
      "<step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" "
      "depid=\"{}\" "
      "deps=\"{}\" hasdep=\"0\"/>\n",
      number, type, source, source_offset, target, target_offset, count, block, of_block);
}

std::string tb(int id, int send, int receive, const std::string& steps, int channel = 0) {
  return fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n{}</tb>\n", id, send, receive,
                     channel, steps);
}

std::string gpu(int id, int input, int output, int scratch, const std::string& blocks) {
  return fmt::format("<gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n{}</gpu>\n", id, input,
                     output, scratch, blocks);
}

std::string algo(const std::string& collective, int gpus, int in_place, const std::string& content) {
  return fmt::format(
      "<algo name=\"test\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"4\" ngpus=\"{}\" coll=\"{}\" "
      "inplace=\"{}\" "
      "redop=\"sum\" minBytes=\"0\" maxBytes=\"4096\">\n{}</algo>\n",
      gpus, collective, in_place, content);
}

/// Reduce-scatter and all-gather in a ring, one thread block a rank.
std::string ring_all_reduce(int ranks) {
  std::string content;
  for (int rank = 0; rank < ranks; ++rank) {
    std::string steps;
    const auto chunk = [&](int back) { return (rank + 2 * ranks - back) % ranks; };
    int number = 0;
    steps += step(number++, "s", "i", chunk(0), "i", chunk(0));
    for (int k = 1; k < ranks - 1; ++k) steps += step(number++, "rrs", "i", chunk(k), "i", chunk(k));
    steps += step(number++, "rrcs", "i", chunk(ranks - 1), "i", chunk(ranks - 1));
    for (int k = ranks; k < 2 * ranks - 2; ++k) steps += step(number++, "rcs", "i", chunk(k), "i", chunk(k));
    steps += step(number++, "r", "i", chunk(2 * ranks - 2), "i", chunk(2 * ranks - 2));
    content += gpu(rank, ranks, 0, 0, tb(0, (rank + 1) % ranks, (rank + ranks - 1) % ranks, steps));
  }
  return algo("allreduce", ranks, 1, content);
}

/// Every rank sends its chunk to all others, which keep it apart until all have come.
std::string all_pairs_all_reduce(int ranks) {
  std::string content;
  for (int rank = 0; rank < ranks; ++rank) {
    std::string blocks;
    int block = 0;
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == rank) continue;
      std::string steps = step(0, "s", "i", 0, "s", rank) + step(1, "r", "i", 0, "s", peer);
      if (block == 0) {
        int number = 2;
        for (int other = 1; other < ranks - 1; ++other)
          steps += step(number++, "nop", "i", -1, "o", -1, 0, other, 1);
        for (int other = 0; other < ranks; ++other) {
          if (other != rank) steps += step(number++, "re", "s", other, "i", 0);
        }
      }
      blocks += tb(block++, peer, peer, steps);
    }
    content += gpu(rank, 1, 0, ranks, blocks);
  }
  return algo("allreduce", ranks, 1, content);
}

TEST(MscclXml, RingAllReduce_IsRead) {
  for (const int ranks : {3, 4, 8}) {
    const Topology torus(TopologyKind::torus, {static_cast<std::uint32_t>(ranks)});
    const auto schedule = import_text("msccl-xml", ring_all_reduce(ranks), torus);
    const ScheduleFacts& facts = schedule->facts();
    EXPECT_EQ(facts.steps, 2U * (ranks - 1));
    EXPECT_EQ(facts.messages, 2U * (ranks - 1) * ranks);
    EXPECT_FALSE(facts.waits) << "data says it all";
    EXPECT_EQ(facts.algorithm, "test");
    EXPECT_TRUE(facts.collective.operands_everywhere);
    EXPECT_FALSE(facts.collective.goal);
    EXPECT_EQ(problems_of(*schedule), "");
  }
}

TEST(MscclXml, SeparateOperands_AreReducedAtTheReceiver) {
  const Topology torus(TopologyKind::torus, {5});
  const auto schedule = import_text("msccl-xml", all_pairs_all_reduce(5), torus);
  EXPECT_EQ(schedule->facts().steps, 1U);
  EXPECT_EQ(schedule->facts().messages, 20U);
  EXPECT_EQ(problems_of(*schedule), "");
}

TEST(MscclXml, AllGather_InPlaceAndOutOfPlaceAreEqual) {
  for (const bool in_place : {true, false}) {
    std::string content;
    for (int rank = 0; rank < 2; ++rank) {
      const int own = rank * 2;
      const std::string send =
          in_place ? step(0, "s", "o", own, "o", own, 2) : step(0, "s", "i", 0, "o", own, 2);
      content +=
          gpu(rank, in_place ? 0 : 2, 4, 0,
              tb(0, 1 - rank, -1, send) + tb(1, -1, 1 - rank, step(0, "r", "o", 2 - own, "o", 2 - own, 2)) +
                  (in_place ? "" : tb(2, -1, -1, step(0, "cpy", "i", 0, "o", own, 2))));
    }
    const auto schedule =
        import_text("msccl-xml", algo("allgather", 2, in_place ? 1 : 0, content), {TopologyKind::mesh, {2}});
    EXPECT_EQ(schedule->facts().collective.chunk_bytes.size(), 4U);
    EXPECT_EQ(problems_of(*schedule), "");
  }
}

TEST(MscclXml, AllToAllWithCopies_IsRead) {
  std::string content;
  for (int rank = 0; rank < 3; ++rank) {
    std::string blocks;
    for (int k = 1; k < 3; ++k) {
      const int to = (rank + k) % 3;
      const int from = (rank + 3 - k) % 3;
      blocks += tb(k - 1, to, from, step(0, "s", "i", to, "o", rank) + step(1, "r", "i", rank, "o", from));
    }
    blocks += tb(2, -1, -1, step(0, "cpy", "i", rank, "o", rank));
    content += gpu(rank, 3, 3, 0, blocks);
  }
  const auto schedule = import_text("msccl-xml", algo("alltoall", 3, 0, content), {TopologyKind::torus, {3}});
  EXPECT_EQ(schedule->facts().messages, 6U);
  EXPECT_EQ(problems_of(*schedule), "");
}

TEST(MscclXml, DependenciesThatAreNotData_AreKept) {
  // 1 passes a chunk of its own on when another has come: by order of the thread block, and by depid of
  // another.
  const std::string one =
      gpu(0, 1, 0, 0, tb(0, 1, -1, step(0, "s", "i", 0, "i", 1))) +
      gpu(1, 1, 2, 0, tb(0, 2, 0, step(0, "r", "i", 0, "o", 0) + step(1, "s", "i", 0, "o", 0))) +
      gpu(2, 0, 2, 0, tb(0, -1, 1, step(0, "r", "i", 0, "o", 0)));
  const Lines expected{"1: 0 -> 1, 1024 bytes", "2: 1 -> 2, 1024 bytes, after 1.1"};
  const Topology array(TopologyKind::mesh, {3});
  EXPECT_EQ(lines_of(*import_text("msccl-xml", algo("custom", 3, 0, one), array)), expected);
  const std::string two =
      gpu(0, 1, 0, 0, tb(0, 1, -1, step(0, "s", "i", 0, "i", 1))) +
      gpu(1, 1, 2, 0,
          tb(4, 2, -1, step(0, "s", "i", 0, "o", 0, 1, 7, 0)) + tb(7, -1, 0, step(0, "r", "i", 0, "o", 0))) +
      gpu(2, 0, 2, 0, tb(0, -1, 1, step(0, "r", "i", 0, "o", 0)));
  EXPECT_EQ(lines_of(*import_text("msccl-xml", algo("custom", 3, 0, two), array)), expected);
}

TEST(MscclXml, NewerFormOfSteps_IsRead) {
  const std::string text = R"(<?xml version="1.0"?>
<!-- one -->
<algo name="new" proto="Simple" nchannels="1" ngpus="2" coll="broadcast" inplace="0">
  <gpu id="1" i_chunks="0" o_chunks="1" s_chunks="0">
    <tb id="0" send="-1" recv="0" chan="0"><op step="0" type="st"/><op step="1" type="r" buf="o" off="0"/></tb>
  </gpu>
  <gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">
    <tb id="0" send="1" recv="-1" chan="0"><op step="0" type="s" buf="i" off="0" hasdep="1"/></tb>
    <tb id="1" send="-1" recv="-1" chan="0"><op step="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"
      depid="0" deps="0"/></tb>
  </gpu>
</algo>)";
  const auto schedule = import_text("msccl-xml", text, {TopologyKind::mesh, {2}});
  EXPECT_EQ(schedule->facts().messages, 1U);
  EXPECT_EQ(problems_of(*schedule), "");
}

TEST(MscclXml, UnmetGoal_IsLeftToTheChecker) {
  const std::string content = gpu(0, 2, 0, 0, tb(0, 1, -1, step(0, "s", "i", 0, "i", 0))) +
                              gpu(1, 2, 0, 0, tb(0, -1, 0, step(0, "rrc", "i", 0, "i", 0)));
  const auto schedule = import_text("msccl-xml", algo("allreduce", 2, 1, content), {TopologyKind::mesh, {2}});
  const CheckReport report = check_schedule(*schedule);
  ASSERT_FALSE(report.legal);
  EXPECT_EQ(report.violations.front().kind, ViolationKind::goal);
}

TEST(MscclXml, InvalidFile_IsRefused) {
  const ImportOptions options({TopologyKind::mesh, {2}});
  const auto refusal = [&](const std::string& text) { return import_refusal("msccl-xml", text, options); };
  const auto of_steps = [&](const std::string& steps, const std::string& other = "") {
    return refusal(algo("custom", 2, 0, gpu(0, 2, 2, 0, tb(0, 1, 1, steps)) + gpu(1, 2, 2, 0, other)));
  };
  EXPECT_EQ(refusal("<algo>\n<gpu"), "given:2:4: not valid XML: Error parsing start element tag");
  EXPECT_EQ(refusal("<algo>\n<gpu id=\"0\" i_chunks=\"1\" i_chunks=\"2\"/></algo>"),
            "given:2:2: not valid XML: <gpu> has i_chunks twice");
  EXPECT_EQ(refusal("<alg/>"), "given:1:2: an algorithm begins with <algo>, not <alg>");
  EXPECT_EQ(refusal("<algo ngpus=\"2\">\n<gpu id=\"0\"/>\n</algo>"),
            "given:1:2: ngpus is 2, but there are 1 <gpu>");
  EXPECT_EQ(refusal("<algo>\n <gpu id=\"0\"><to/></gpu></algo>"), "given:2:15: <gpu> may not hold 'to'");
  EXPECT_NE(
      refusal("<algo>\n <gpu id=\"0\">\n Rank 0\n is wrong</gpu></algo>").find("<gpu> may not hold 'Rank 0'"),
      std::string::npos);
  EXPECT_EQ(of_steps(step(0, "x", "i", 0, "i", 0)),
            "given:4:2: type 'x' is none of s, r, rcs, rrs, rrc, rrcs, cpy, re, nop, st, d");
  EXPECT_EQ(of_steps(step(1, "s", "i", 0, "i", 0)), "given:4:2: expected step 0 of tb 0, not step 1");
  EXPECT_EQ(of_steps(step(0, "s", "x", 0, "i", 0)), "given:4:2: a buffer is i, o or s, not 'x'");
  EXPECT_EQ(of_steps(step(0, "s", "i", 0, "i", 0, 1, 3, 0)),
            "given:4:2: depid is 3, but gpu 0 has no such tb");
  EXPECT_EQ(of_steps(step(0, "s", "i", 0, "i", 0, 1, 0, 5)), "given:4:2: deps is 5, but tb 0 has 1 step");
  EXPECT_EQ(of_steps(step(0, "s", "i", 0, "i", 0)),
            "given:4:2: rank 0 sends to rank 1 with tag 0, but rank 1 does not receive it");
  EXPECT_EQ(of_steps(step(0, "s", "o", 0, "o", 0), tb(0, -1, 0, step(0, "r", "o", 0, "o", 0))),
            "given:4:2: reads chunk 0 of buffer o of rank 0, where nothing is yet");
  EXPECT_EQ(of_steps(step(0, "s", "i", 2, "o", 0), tb(0, -1, 0, step(0, "r", "o", 0, "o", 0))),
            "given:4:2: chunk 2 of buffer i of rank 0: it has 2");
}

TEST(MscclXml, SeveralValuesOfAChunkAtARank_AreRefused) {
  // 1 keeps what comes apart and still sends its own value in a later step.
  const std::string content =
      gpu(0, 1, 0, 1,
          tb(0, 1, 1,
             step(0, "s", "i", 0, "s", 0) + step(1, "r", "i", 0, "s", 0) + step(2, "re", "s", 0, "i", 0))) +
      gpu(1, 1, 0, 1,
          tb(0, 0, 0,
             step(0, "r", "i", 0, "s", 0) + step(1, "s", "i", 0, "s", 0) + step(2, "re", "s", 0, "i", 0)));
  EXPECT_NE(
      import_refusal("msccl-xml", algo("allreduce", 2, 1, content), ImportOptions({TopologyKind::mesh, {2}}))
          .find("rank 1 sends a value of chunk 0 apart from others that it has of it"),
      std::string::npos);
}

TEST(MscclXml, MoreRanksThanNodes_AreRefusedAtTheAlgorithm) {
  const ImportOptions options({TopologyKind::torus, {3}});
  EXPECT_EQ(import_refusal("msccl-xml", "<!-- a ring -->\n" + ring_all_reduce(4), options),
            "given:2:2: has 4 ranks, but the ring of 3 nodes has 3 nodes");
}

TEST(MscclXml, TextOrAlgorithmBesideTheRoot_IsRefused) {
  const std::string ring = ring_all_reduce(3);
  const Topology torus(TopologyKind::torus, {3});
  const ImportOptions options(torus);
  EXPECT_NE(
      import_refusal("msccl-xml", "PASSED\n" + ring, options).find("1:1: 'PASSED' is not part of the <algo>"),
      std::string::npos);
  EXPECT_NE(import_refusal("msccl-xml", ring + "Rank 0 chunk 0 is incorrect\n", options)
                .find("'Rank 0 chunk 0 is incorrect' is not part of the <algo>"),
            std::string::npos);
  EXPECT_NE(
      import_refusal("msccl-xml", ring + ring, options).find("a file has one <algo> and no other element"),
      std::string::npos);
  EXPECT_EQ(
      problems_of(*import_text("msccl-xml", "<?xml version=\"1.0\"?>\n<!-- a ring -->\n" + ring, torus)), "");
}

}  // namespace
}  // namespace flitscope::test::msccl_xml_test
