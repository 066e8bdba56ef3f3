// What is exported and imported again is the same schedule, of every algorithm that a format can express.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/formats/schedule_file.h"
#include "tests/support/formats.h"
#include "tests/support/program.h"

namespace flitscope::test::round_trip_test {
namespace {

/// The schedule of an algorithm with its own defaults; nothing where it does not run.
std::unique_ptr<Schedule> schedule_of(const std::string& algorithm, const std::string& topology) {
  try {
    const ExperimentConfig config =
        parse_config("flitscope: 1\ntopology: " + topology + "\nworkload: {algorithm: " + algorithm + "}\n",
                     "c.yaml", "/");
    if (!config.workload.algorithm->make) return nullptr;
    return config.workload.algorithm->make(config.topology, config.workload.parameters);
  } catch (const InputError&) {
    return nullptr;
  } catch (const Inadmissible&) {
    return nullptr;
  }
}

/// Step, ends and bytes of messages, and of each what data says: chunks that replace and are combined.
std::vector<std::string> messages_of(Schedule& schedule, bool with_data) {
  std::vector<std::string> lines;
  std::uint64_t number = 0;
  for (Step step; schedule.next(step);) {
    ++number;
    // Nodes send in their order; in which order a step names nodes says nothing.
    std::map<NodeId, std::string> of_node;
    for (const Message& message : step.messages()) {
      std::string& line = of_node[message.source];
      line += fmt::format("{}: {} -> {} {}", number, message.source, message.destination,
                          message_bytes(schedule.facts().collective, step, message));
      if (with_data) {
        for (const ChunkId chunk : step.replacing(message)) line += fmt::format(" {}", chunk);
        for (const ChunkId chunk : step.reduced(message)) line += fmt::format(" +{}", chunk);
      }
      line += "\n";
    }
    for (const auto& [node, line] : of_node) lines.push_back(line);
  }
  return lines;
}

class RoundTripOfFormat : public testing::TestWithParam<std::string> {};

TEST_P(RoundTripOfFormat, ExportAndImport_GiveTheSameSchedule) {
  const Format& format = *FormatRegistry::find(GetParam());
  const bool with_data = GetParam() == "msccl-xml";
  unsigned expressed = 0;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    for (const std::string topology :
         {"{kind: torus, shape: [3, 3]}", "{kind: torus, shape: [4, 4]}", "{kind: mesh, shape: [4, 2]}",
          "{kind: torus, shape: [5, 5]}", "{kind: torus, shape: [7]}"}) {
      const auto given = schedule_of(algorithm.name, topology);
      if (given == nullptr) continue;
      const std::string name = algorithm.name + " on " + topology;
      std::vector<ImportFile> files;
      try {
        for (const ExportedFile& file : format.write(*given))
          files.push_back({"trace" + file.suffix, file.text});
      } catch (const Inadmissible&) {
        continue;
      }
      ++expressed;
      ImportOptions options(given->facts().topology);
      if (!given->facts().collective.chunk_bytes.empty()) {
        options.chunk_bytes = given->facts().collective.chunk_bytes.front();
      }
      std::unique_ptr<Schedule> imported;
      std::vector<ImportFile> judged_files = files;  // a reader takes them over
      try {
        imported = format.read(files, options);
      } catch (const InputError& error) {
        ADD_FAILURE() << name << ": " << error.what();
        continue;
      }
      const auto again = schedule_of(algorithm.name, topology);
      EXPECT_EQ(messages_of(*imported, with_data), messages_of(*again, with_data)) << name;
      if (with_data) {
        EXPECT_EQ(imported->facts().collective.chunk_bytes, given->facts().collective.chunk_bytes) << name;
      }
      const auto judged = format.read(judged_files, options);
      EXPECT_EQ(problems_of(*judged), "") << name;
    }
  }
  EXPECT_GT(expressed, 20U);
}

TEST_P(RoundTripOfFormat, MessageToItsNodeOrOfAnotherClass_IsRefused) {
  const TemporaryDirectory directory;
  const auto refusal = [&](const std::string& message) {
    const auto file = directory.write(
        "schedule.jsonl",
        R"({"flitscope":"schedule","version":2,"topology":{"kind":"mesh","shape":[2]},)"
        R"("ports":{"send":4,"receive":4},"routing":"dimension-order","algorithm":"x","steps":1,"messages":1,)"
        R"("classes":["a","b"],"chunks":[64],"initial":[[[0],[0]]],"goal":[]})"
        "\n" +
            message + "\n");
    ScheduleFile schedule(open_file(file), file.string());
    try {
      FormatRegistry::find(GetParam())->write(schedule);
    } catch (const Inadmissible& reason) {
      return std::string(reason.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(R"({"step":1,"src":[0],"dst":[0],"path":[],"chunks":[0]})"),
            "message 1.1 goes to its own node");
  EXPECT_EQ(refusal(R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0],"class":"b"})"),
            "message 1.1 is not of the first message class");
}

/// The messages of a schedule file on an array of three nodes.
std::unique_ptr<ScheduleFile> on_array(const TemporaryDirectory& directory, unsigned steps,
                                       const std::vector<std::string>& messages) {
  std::string text = fmt::format(
      R"({{"flitscope":"schedule","version":2,"topology":{{"kind":"mesh","shape":[3]}},)"
      R"("ports":{{"send":9,"receive":9}},"routing":"dimension-order","algorithm":"x","steps":{},"messages":{},)"
      R"("chunks":[8],"initial":[[[0],[0]],[[1],[0]]],"goal":[]}})",
      steps, messages.size());
  for (const std::string& message : messages) text += "\n" + message;
  const auto file = directory.write("schedule.jsonl", text + "\n");
  return std::make_unique<ScheduleFile>(open_file(file), file.string());
}

std::vector<std::string> lines_of_import(const Format& format, Schedule& schedule) {
  std::vector<ImportFile> files;
  for (const ExportedFile& file : format.write(schedule)) files.push_back({"trace" + file.suffix, file.text});
  return lines_of(*format.read(files, ImportOptions(schedule.facts().topology)));
}

class RoundTripOfOperations : public testing::TestWithParam<std::string> {};

TEST_P(RoundTripOfOperations, MessageBehindAnotherOfItsStep_KeepsItsPlaceAndItsWait) {
  const TemporaryDirectory directory;
  const auto given =
      on_array(directory, 1,
               {R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"control":8,"id":1})",
                R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"control":640,"behind":[1]})",
                R"({"step":1,"src":[0],"dst":[2],"path":[[0,1,2]],"control":160})"});
  EXPECT_EQ(lines_of_import(*FormatRegistry::find(GetParam()), *given),
            (std::vector<std::string>{"1: 0 -> 1, 8 bytes", "1: 0 -> 1, 640 bytes, behind 1.1",
                                      "1: 0 -> 2, 160 bytes"}));
}

TEST_P(RoundTripOfOperations, ControlMessagesOfEarlierSteps_AreWaitedFor) {
  const TemporaryDirectory directory;
  const auto given = on_array(directory, 3,
                              {R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"control":800})",
                               R"({"step":1,"src":[1],"dst":[2],"path":[[0,1,1]],"chunks":[0]})",
                               R"({"step":2,"src":[1],"dst":[2],"path":[[0,1,1]],"chunks":[0]})",
                               R"({"step":2,"src":[2],"dst":[1],"path":[[0,-1,1]],"control":80})",
                               R"({"step":3,"src":[1],"dst":[0],"path":[[0,-1,1]],"chunks":[0]})",
                               R"({"step":3,"src":[1],"dst":[2],"path":[[0,1,1]],"chunks":[0]})"});
  EXPECT_EQ(
      lines_of_import(*FormatRegistry::find(GetParam()), *given),
      (std::vector<std::string>{"1: 0 -> 1, 800 bytes", "1: 1 -> 2, 8 bytes", "2: 1 -> 2, 8 bytes, after 1.1",
                                "2: 2 -> 1, 80 bytes", "3: 1 -> 0, 8 bytes, after 1.1, after 2.2",
                                "3: 1 -> 2, 8 bytes, after 1.1, after 2.2"}));
}

TEST_P(RoundTripOfOperations, SeveralWaitsOfAMessage_KeepTheirCycles) {
  const TemporaryDirectory directory;
  const auto given = on_array(
      directory, 2,
      {R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0],"id":1})",
       R"({"step":2,"src":[1],"dst":[2],"path":[[0,1,1]],"control":80,"after":[[0,50],[1,7]],"wait":9})"});
  EXPECT_EQ(lines_of_import(*FormatRegistry::find(GetParam()), *given),
            (std::vector<std::string>{"1: 0 -> 1, 8 bytes",
                                      "2: 1 -> 2, 80 bytes, after the start+59, after 1.1+16"}));
}

TEST_P(RoundTripOfOperations, LongestWaitOfASchedule_IsRead) {
  const TemporaryDirectory directory;
  const auto given =
      on_array(directory, 1,
               {R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0],"wait":1000000000000000})"});
  EXPECT_EQ(lines_of_import(*FormatRegistry::find(GetParam()), *given),
            (std::vector<std::string>{"1: 0 -> 1, 8 bytes, after the start+1000000000000000"}));
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTripOfOperations, testing::Values("goal", "chakra"));

INSTANTIATE_TEST_SUITE_P(Formats, RoundTripOfFormat, testing::Values("goal", "chakra", "msccl-xml"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace flitscope::test::round_trip_test
