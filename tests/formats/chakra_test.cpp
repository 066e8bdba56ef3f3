// Chakra traces: read, refused, and the same algorithm as another format has it.
#include <gtest/gtest.h>

#include "algorithms/algorithm.h"
#include "sim/formats/foreign/format.h"
#include "tests/support/formats.h"
#include "tests/support/small_schedules.h"
#include "tests/support/thread_blocks.h"

namespace flitscope::test::chakra_test {
namespace {

std::vector<ImportFile> traces(Schedule& schedule) {
  std::vector<ImportFile> files;
  for (const ExportedFile& file : FormatRegistry::find("chakra")->write(schedule)) {
    files.push_back({"trace" + file.suffix, file.text});
  }
  return files;
}

/// 0 sends to 1 and 2; 1 calculates and sends on to 2.
MemorySchedule passed_on() {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {3}}, 2));
  schedule.begin_step().add(0, 1, kPlus).announce().add(0, 2, kPlus);
  schedule.begin_step().add(1, 2, kPlus).wait({{message_id(1, 0), 2500}});
  return schedule;
}

std::unique_ptr<Schedule> read(std::vector<ImportFile> files) {
  return FormatRegistry::find("chakra")->read(files, ImportOptions({TopologyKind::mesh, {3}}));
}

std::string refusal(std::vector<ImportFile> files) {
  try {
    static_cast<void>(read(std::move(files)));
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "was read";
  return {};
}

TEST(Chakra, SendsReceivesAndCalculations_BecomeMessagesAndWaits) {
  MemorySchedule schedule = passed_on();
  const std::vector<std::string> expected{"1: 0 -> 1, 64 bytes", "1: 0 -> 2, 64 bytes",
                                          "2: 1 -> 2, 64 bytes, after 1.1+2500"};
  std::vector<ImportFile> files = traces(schedule);
  EXPECT_EQ(files[2].name, "trace.2.et");
  EXPECT_EQ(lines_of(*read(files)), expected);
  std::swap(files[0], files[2]);
  EXPECT_EQ(lines_of(*read(files)), expected) << "names say whose trace it is";
}

TEST(Chakra, InvalidTrace_IsRefused) {
  MemorySchedule schedule = passed_on();
  const std::vector<ImportFile> files = traces(schedule);
  std::vector<ImportFile> cut = files;
  cut[1].text.resize(cut[1].text.size() - 3);
  EXPECT_NE(refusal(cut).find("trace.1.et: byte "), std::string::npos);
  std::vector<ImportFile> empty = files;
  empty[0].text.clear();
  EXPECT_EQ(refusal(empty), "trace.0.et: is empty; a Chakra trace begins with its metadata");
  std::vector<ImportFile> two(files.begin(), files.begin() + 2);
  EXPECT_EQ(refusal(two), "trace.0.et: node 2: attribute comm_dst must be a whole number from 0 to 1");
}

// --- Collective operations --------------------------------------------------------------------------------

/// An all-reduce of 64 bytes on every rank of a ring, between a calculation of 1 us and a message to the next
/// rank. `more`: attributes of a rank's operation.
std::vector<ImportFile> all_reduces(int ranks, const std::vector<std::string>& more = {}) {
  using namespace chakra_bytes;
  std::vector<ImportFile> files;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto peer = [&](const char* name, int by) {
      return attribute(name, field(7, static_cast<std::uint64_t>((rank + by + ranks) % ranks))) +
             attribute("comm_size", field(9, std::uint64_t{8}));
    };
    const std::string own = more.empty() ? "" : more[static_cast<std::size_t>(rank)];
    files.push_back({"trace." + std::to_string(rank) + ".et",
                     metadata() + node(1, calculation, {}, field(7, std::uint64_t{1})) +
                         node(2, collective, {1},
                              attribute("comm_type", field(9, std::uint64_t{0})) +
                                  attribute("comm_size", field(9, std::uint64_t{64})) + own) +
                         node(3, send, {2}, peer("comm_dst", 1)) +
                         node(4, receive, {}, peer("comm_src", -1))});
  }
  return files;
}

ImportOptions with_ring_all_reduce(int ranks) {
  ImportOptions options({TopologyKind::torus, {static_cast<std::uint32_t>(ranks)}});
  options.collective = [topology = options.topology](const std::string& operation, std::uint64_t bytes) {
    EXPECT_EQ(operation, "all-reduce");
    ParameterValues values;
    values.set("message", static_cast<std::int64_t>(bytes));
    values.set("directions", std::string("one"));
    return AlgorithmRegistry::find("all-reduce-ring")->make(topology, values);
  };
  return options;
}

std::string refusal_of(std::vector<ImportFile> files, const ImportOptions& options) {
  try {
    static_cast<void>(FormatRegistry::find("chakra")->read(files, options));
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "was read";
  return {};
}

TEST(Chakra, CollectiveOperation_BecomesAnAlgorithm) {
  for (const int ranks : {4, 8}) {
    std::vector<ImportFile> files = all_reduces(ranks);
    const auto schedule = FormatRegistry::find("chakra")->read(files, with_ring_all_reduce(ranks));
    EXPECT_EQ(schedule->facts().steps, 1U);
    // 2 (p - 1) steps of the ring, and the message behind it.
    EXPECT_EQ(schedule->facts().messages, 2U * (ranks - 1) * ranks + ranks);
    const auto lines = lines_of(*schedule);
    const std::string bytes = std::to_string(64 / ranks);
    EXPECT_EQ(lines.front(),
              "1: 0 -> " + std::to_string(ranks - 1) + ", " + bytes + " bytes, after the start+1000")
        << "its reduce-scatter goes backward";
    EXPECT_NE(lines.back().find(": " + std::to_string(ranks - 1) + " -> 0, 8 bytes, after "),
              std::string::npos)
        << lines.back();
    files = all_reduces(ranks);
    EXPECT_EQ(problems_of(*FormatRegistry::find("chakra")->read(files, with_ring_all_reduce(ranks))), "");
  }
}

/// Each waits only for what it depends on, wherever the others are in the file.
TEST(Chakra, OrderOfCollectiveOperationsInTheFile_DoesNotMatter) {
  using namespace chakra_bytes;
  const std::string ring = attribute("comm_type", field(9, std::uint64_t{0})) +
                           attribute("comm_size", field(9, std::uint64_t{64}));
  const auto files = [](const std::string& first, const std::string& second) {
    std::vector<ImportFile> all;
    for (int rank = 0; rank < 4; ++rank)
      all.push_back({"trace." + std::to_string(rank) + ".et", metadata() + first + second});
    return all;
  };
  const std::string after_other = node(1, collective, {2}, ring);
  const std::string other = node(2, collective, {}, ring);
  std::vector<ImportFile> backward = files(after_other, other);
  std::vector<ImportFile> forward = files(other, after_other);
  const auto one = FormatRegistry::find("chakra")->read(backward, with_ring_all_reduce(4));
  const auto two = FormatRegistry::find("chakra")->read(forward, with_ring_all_reduce(4));
  EXPECT_EQ(lines_of(*one), lines_of(*two));
}

TEST(Chakra, CollectiveOperationWithoutAnAlgorithm_IsRefused) {
  ImportOptions options({TopologyKind::torus, {4}});
  options.collective = [](const std::string&, std::uint64_t) { return nullptr; };
  EXPECT_EQ(refusal_of(all_reduces(4), options),
            "trace.0.et: node 2: is a collective operation, all-reduce, for which --collective names no "
            "algorithm");
}

TEST(Chakra, CollectiveOperationOfSomeRanks_IsRefused) {
  using namespace chakra_bytes;
  const ImportOptions options = with_ring_all_reduce(4);
  const auto group = [](const std::string& name) { return attribute("pg_name", field(29, name)); };
  EXPECT_EQ(
      refusal_of(all_reduces(4, {group("a"), group("a"), group("b"), group("b")}), options),
      "trace.0.et: node 2: is collective operation 1 of rank 0; another rank has none or another one there");
  std::vector<ImportFile> all = all_reduces(4, {group("a"), group("a"), group("a"), group("a")});
  EXPECT_EQ(FormatRegistry::find("chakra")->read(all, options)->facts().messages, 28U);
  const auto dimensions = [](bool second) {
    return attribute("involved_dim", field(28, field(1, varint(1) + varint(second ? 1 : 0))));
  };
  std::vector<ImportFile> both =
      all_reduces(4, {dimensions(true), dimensions(true), dimensions(true), dimensions(true)});
  EXPECT_EQ(FormatRegistry::find("chakra")->read(both, options)->facts().messages, 28U);
  EXPECT_EQ(
      refusal_of(all_reduces(4, {dimensions(false), dimensions(false), dimensions(false), dimensions(false)}),
                 options),
      "trace.0.et: node 2: is a collective operation of some dimensions (involved_dim); only those of all "
      "ranks are understood");
  EXPECT_EQ(refusal_of(all_reduces(4), ImportOptions({TopologyKind::torus, {4}})),
            "trace.0.et: node 2: is a collective operation; --collective names the algorithm to use for it");
}

}  // namespace
}  // namespace flitscope::test::chakra_test
