// Memory of schedules: the declaration of an algorithm suffices, and too large schedules are refused at once.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/run/experiment.h"
#include "sim/run/workload.h"
#include "tests/support/program.h"

namespace flitscope::making_memory_test {
namespace {

ExperimentConfig config_of(const std::string& algorithm, const std::string& topology,
                           const std::string& more) {
  return parse_config(
      "flitscope: 1\ntopology: " + topology + "\nworkload: {algorithm: " + algorithm + more + "}\n",
      "test.yaml", "/");
}

/// The largest of these networks that the algorithm accepts.
std::optional<ExperimentConfig> admissible(const Algorithm& algorithm) {
  for (const char* const more : {"", ", h: 4"}) {
    for (const char* const topology : {"{kind: torus, shape: [12, 12, 12]}", "{kind: torus, shape: [27, 27]}",
                                       "{kind: torus, shape: [24, 24]}", "{kind: torus, shape: [9, 9, 9]}",
                                       "{kind: torus, shape: [16, 16]}", "{kind: torus, shape: [25, 25]}",
                                       "{kind: mesh, shape: [32, 32]}", "{kind: mesh, shape: [1024]}"}) {
      try {
        ExperimentConfig config = config_of(algorithm.name, topology, more);
        static_cast<void>(make_schedule(config));
        return config;
      } catch (const std::exception&) {
        // Another one.
      }
    }
  }
  return std::nullopt;
}

/// Makes the schedule and reads its first messages.
void read_first_messages(const ExperimentConfig& config) {
  constexpr std::uint64_t kEnough = 200'000;
  std::uint64_t messages = 0;
  if (!config.topology.has_links()) {
    const auto schedule = make_circuit_schedule(config);
    CircuitEvent event;
    while (messages < kEnough && schedule->next(event)) messages += event.messages().size();
    return;
  }
  const auto schedule = make_schedule(config);
  Step step;
  while (messages < kEnough && schedule->next(step)) messages += step.messages().size();
}

/// A number of bytes that the system gives for this process.
std::uint64_t process_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  throw std::runtime_error("/proc/self/status has no " + name);
}

/// Gives freed memory back to the system and forgets the largest size of this process, so that neither hides
/// what is taken next. Large blocks go back as soon as they are freed, whatever was freed before.
void forget_earlier_memory() {
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

/// Bytes by which the process grew at most meanwhile. Pages of the program itself do not count: how many of
/// them are mapped with the one that is touched is the system's choice.
std::uint64_t taken(const ExperimentConfig& config) {
  return std::stoull(run_isolated([&] {
    forget_earlier_memory();
    const std::uint64_t before = process_bytes("VmHWM");
    const std::uint64_t files_before = process_bytes("RssFile");
    read_first_messages(config);
    const std::uint64_t grown = process_bytes("VmHWM") - before;
    const std::uint64_t files = process_bytes("RssFile") - files_before;
    return std::to_string(grown - std::min(grown, files));
  }));
}

TEST(MakingMemory, Links_TakeWhatTheAlgorithmDeclares) {
  if (test::kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  // Of a child process: pages that it writes, steps, fragments.
  constexpr std::uint64_t kSmall = std::uint64_t{4} << 20;
  unsigned tried = 0;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    if (!algorithm.make) continue;
    const auto config = admissible(algorithm);
    if (!config) continue;
    const double declared = algorithm.memory.bytes(config->topology.nodes());
    EXPECT_LE(static_cast<double>(taken(*config)), declared + kSmall)
        << algorithm.name << " on a " << config->topology.name()
        << ": declare its memory (docs/adding-an-algorithm.md)";
    ++tried;
  }
  EXPECT_GT(tried, 20U);
}

/// A complete network on which most messages of a round have many chunks.
ExperimentConfig complete_network(const std::string& algorithm, const std::string& nodes) {
  return parse_config(
      "flitscope: 1\ntopology: {kind: complete, nodes: " + nodes +
          "}\ncircuits: {reconfiguration: 4}\nnode: {ports: 3}\nworkload: {algorithm: " + algorithm + "}\n",
      "test.yaml", "/");
}

TEST(MakingMemory, Circuits_TakeWhatTheAlgorithmDeclares) {
  if (test::kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  constexpr std::uint64_t kSmall = std::uint64_t{4} << 20;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    if (!algorithm.make_circuits || algorithm.name == "afsahi-scatter-unequal") continue;  // of one port
    const ExperimentConfig config = complete_network(algorithm.name, "1500");
    EXPECT_LE(static_cast<double>(taken(config)), algorithm.memory.bytes(1500) + kSmall) << algorithm.name;
  }
}

TEST(MakingMemory, TooManyCircuits_AreRefusedBeforeTheyAreMade) {
  try {
    static_cast<void>(make_circuit_schedule(complete_network("afsahi-gossip", "200000")));
    ADD_FAILURE();
  } catch (const Inadmissible& error) {
    EXPECT_EQ(error.key(), "topology.nodes");
    EXPECT_NE(std::string(error.what()).find("not enough memory: "), std::string::npos) << error.what();
  }
}

TEST(MakingMemory, TooLargeSchedules_AreRefusedBeforeTheyAreMade) {
  for (const auto& [algorithm, shape, more] :
       std::vector<std::array<std::string, 3>>{{"binomial-torus", "[2147483647]", ""},
                                               {"chen-multinode", "[1000, 1000, 1000]", ", h: 4"},
                                               {"edge-disjoint-trees", "[1000, 1000, 1000]", ""},
                                               {"hamiltonian-cycles", "[30000, 30000]", ""}}) {
    try {
      static_cast<void>(make_schedule(config_of(algorithm, "{kind: torus, shape: " + shape + "}", more)));
      ADD_FAILURE() << algorithm;
    } catch (const Inadmissible& error) {
      EXPECT_EQ(error.key(), "topology.shape");
      EXPECT_NE(std::string(error.what()).find("not enough memory: "), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace flitscope::making_memory_test
