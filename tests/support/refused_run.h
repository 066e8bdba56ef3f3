// Input that must be refused: one clear line a mistake, the right exit code, and nothing written.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::test {

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
