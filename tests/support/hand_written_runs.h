// Experiments with schedules written out by hand, as files for the program.
#pragma once

#include <fmt/format.h>

#include <string>

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

}  // namespace flitscope::test
