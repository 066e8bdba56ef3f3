// Experiments with schedules written by hand, as files for the program, and inputs that it must refuse.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::test {

/// The header of a schedule on a ring of four nodes, of which node 0 holds chunk 0, 16 bytes. Node 1 shall
/// have it at the end unless `goal` says otherwise.
inline std::string ring_header(unsigned steps, unsigned messages, const std::string& goal = "[[[1],[0]]]") {
  return fmt::format(R"({{"flitscope":"schedule","version":1,"topology":{{"kind":"torus","shape":[4]}},)"
                     R"("ports":{{"send":2,"receive":2}},"routing":"dimension-order","algorithm":"by-hand",)"
                     R"("steps":{},"messages":{},"chunks":[16],"initial":[[[0],[0]]],"goal":{}}})"
                     "\n",
                     steps, messages, goal);
}

/// A message of such a schedule that carries chunk 0.
inline std::string ring_message(unsigned step, unsigned source, unsigned destination,
                                const std::string& path) {
  return fmt::format(R"({{"step":{},"src":[{}],"dst":[{}],"path":{},"chunks":[0]}})"
                     "\n",
                     step, source, destination, path);
}

/// Writes the schedule and a configuration that plays it on its ring; returns the configuration's path.
inline std::string write_ring_run(const TemporaryDirectory& directory, const std::string& schedule) {
  static_cast<void>(directory.write("schedule.jsonl", schedule));
  return directory
      .write("ring.yaml",
             "flitscope: 1\n"
             "topology: {kind: torus, shape: [4]}\n"
             "workload: {schedule: schedule.jsonl}\n")
      .string();
}

/// Runs `config` in every command that reads one, with places for output that must not come into being.
inline void expect_refused(const TemporaryDirectory& directory, const std::string& config,
                           const Arguments& overrides, int exit_code, const std::vector<std::string>& parts,
                           const std::vector<std::string>& commands = {"run", "verify", "schedule"}) {
  for (const std::string& command : commands) {
    Arguments arguments{command, config};
    for (const std::string& override : overrides) {
      arguments.insert(arguments.end(), {"--set", override});
    }
    if (command == "run") arguments.insert(arguments.end(), {"--out", directory / "new/deeper/run"});
    if (command == "schedule") arguments.insert(arguments.end(), {"--out", directory / "new.jsonl"});
    SCOPED_TRACE(testing::PrintToString(arguments));

    const std::vector<std::string> before = directory.entries();
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.complaints().size(), 1U) << outcome.err;
    for (const std::string& part : parts) {
      EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err << "lacks " << part;
    }
    EXPECT_EQ(directory.entries(), before);
    EXPECT_LT(outcome.peak_memory_bytes, std::uint64_t{1} << 30);
  }
}

/// A line that is a mistake of its own each.
inline void expect_complaints(const Outcome& outcome, const std::vector<std::string>& parts) {
  const std::vector<std::string> lines = outcome.complaints();
  ASSERT_EQ(lines.size(), parts.size()) << outcome.err;
  for (const std::string& part : parts) {
    EXPECT_EQ(std::ranges::count_if(lines, [&](const auto& line) { return line.find(part) != line.npos; }), 1)
        << outcome.err << "lacks " << part;
  }
}

}  // namespace flitscope::test
