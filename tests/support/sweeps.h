// Sweeps as a user has them: a file, a directory of results, and what is in it.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::test {

/// A sweep of broadcasts on a torus of 5 x 5; `sweep` are lines below `sweep:`, each indented.
inline std::string sweep_text(const std::string& sweep) {
  return "flitscope: 1\n"
         "name: small\n"
         "topology: {kind: torus, shape: [5, 5]}\n"
         "workload: {algorithm: two-port-torus}\n"
         "sweep:\n" +
         sweep;
}

/// The rows of a sweep's table: a list of objects.
inline nlohmann::json rows_of(const std::string& directory, const std::vector<std::string>& options = {}) {
  Arguments arguments{"results", directory, "--columns", "all", "--format", "json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

/// The same without what the machine and the day have to do with: the columns of `host`.
inline nlohmann::json measured_rows_of(const std::string& directory) {
  nlohmann::json rows = rows_of(directory);
  for (auto& row : rows) {
    for (const char* column : {"host.seconds", "host.flit_hops_per_second", "host.peak_memory_bytes",
                               "host.name", "host.finished"}) {
      row.erase(column);
    }
  }
  return rows;
}

}  // namespace flitscope::test
