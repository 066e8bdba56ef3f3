// Runs of the program on random traffic, with everything written down.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/csv.h"
#include "tests/support/program.h"
#include "tests/support/random_traffic.h"
#include "tests/support/schedule_text.h"

namespace flitscope::test {

/// A machine as the configuration writes it; small enough that everybody is in everybody's way.
struct SmallMachine {
  std::string topology = "{kind: torus, shape: [4, 3]}";
  std::string router = "{buffer: 2}";
  std::string link = "{delay: 1}";
  std::string node = "{ports: 2, injection_interval: 2, ejection_interval: 2, startup: 3}";
};

inline const SmallMachine kTorus43;
inline const SmallMachine kMesh332{.topology = "{kind: mesh, shape: [3, 3, 2]}",
                                   .router = "{buffer: 3, delay: 2}",
                                   .link = "{delay: 3}",
                                   .node = "{ports: all}"};
inline const SmallMachine kCutThrough{.router = "{buffer: 16, switching: virtual-cut-through}",
                                      .node = "{ports: 1, injection_interval: 1, ejection_interval: 1}"};
inline const SmallMachine kStoreAndForward{.router = "{buffer: 13, switching: store-and-forward}",
                                           .node = "{ports: 1, injection_interval: 2, ejection_interval: 2}"};

/// Writes an experiment with random traffic into `directory`; returns its configuration.
inline std::filesystem::path write_random_run(const TemporaryDirectory& directory,
                                              const SmallMachine& machine, std::uint32_t seed) {
  const bool torus = machine.topology.find("torus") != std::string::npos;
  const Topology topology =
      torus ? Topology(TopologyKind::torus, {4, 3}) : Topology(TopologyKind::mesh, {3, 3, 2});
  MemorySchedule schedule = random_traffic(topology, 3, 30, seed);
  static_cast<void>(directory.write("random.jsonl", written(schedule)));
  return directory.write("random.yaml",
                         fmt::format("flitscope: 1\ntopology: {}\nrouter: {}\nlink: {}\nnode: {}\n"
                                     "workload: {{schedule: random.jsonl, advance: dataflow}}\n",
                                     machine.topology, machine.router, machine.link, machine.node));
}

/// Runs it into the directory `name`, with settings.
inline std::filesystem::path observe(const TemporaryDirectory& directory, const std::string& name,
                                     const std::filesystem::path& config, const Arguments& settings,
                                     int exit_code = 0) {
  Arguments words{"run", config, "--quiet", "--out", directory / name};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  return directory / name;
}

}  // namespace flitscope::test
