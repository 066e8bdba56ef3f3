// Chakra traces: read, refused, and the same algorithm as another format has it.
#include <gtest/gtest.h>

#include "sim/formats/format.h"
#include "tests/support/formats.h"
#include "tests/support/small_schedules.h"

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

TEST(Chakra, SendsReceivesAndCalculations) {
  MemorySchedule schedule = passed_on();
  const std::vector<std::string> expected{"1: 0 -> 1, 64 bytes", "1: 0 -> 2, 64 bytes",
                                          "2: 1 -> 2, 64 bytes, after 1.1+2500"};
  std::vector<ImportFile> files = traces(schedule);
  EXPECT_EQ(files[2].name, "trace.2.et");
  EXPECT_EQ(lines_of(*read(files)), expected);
  std::swap(files[0], files[2]);
  EXPECT_EQ(lines_of(*read(files)), expected) << "names say whose trace it is";
}

TEST(Chakra, WhatIsNotUnderstoodIsRefused) {
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

}  // namespace
}  // namespace flitscope::test::chakra_test
