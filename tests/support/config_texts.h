// Configurations for tests, read as c.yaml, and their refusals.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "model/error.h"
#include "sim/config/config.h"
#include "sim/config/config_source.h"

namespace flitscope::test {

inline const std::string kHead = "flitscope: 1\n";
inline const std::string kTorus = "topology: {kind: torus, shape: [7, 7]}\n";
inline const std::string kWork = "workload: {algorithm: test-broadcast}\n";
/// A configuration that says only what it must.
inline const std::string kLeast = kHead + kTorus + kWork;

/// A configuration that says everything.
inline const std::string kEverything = R"(# all keys
flitscope: 1
name: "broadcast: 7x7"
clock: 0.5ns
topology:
  kind: mesh
  shape: [7, 5]
router: {switching: virtual-cut-through, routing: cyclic-dimension-order, virtual_channels: 4,
         buffer: 16, delay: 2, allow_deadlock: true}
link:
  delay: 1.5ns
node: {ports: 3, startup: 30us, injection_interval: 4, ejection_interval: 4, flit_bytes: 16B, copy_cycles_per_byte: 0.125}
workload:
  algorithm: test-broadcast
  source: [3, 4]
  message: 4 KiB
  phases: 7
  order: backward
  share: 0.125
  pause: 1us
  echo: true
  label: a text
  advance: dataflow
  lookahead: 10
limits: {cycles: 1ms}
observe:
  messages: true
  trace: binary
  timeline: true
  filter: {messages: ["1.2", "30.4"], steps: [1, 30], from: 2000, to: 4000}
  waves: {format: fst, nodes: none, channels: congested, from: 3, to: 4}
)";

inline ExperimentConfig parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_config(text, "c.yaml", "/experiments", overrides);
}

/// The lines of the refusal, or nothing if it was accepted.
inline std::vector<std::string> refusal(const std::string& text,
                                        const std::vector<std::string>& overrides = {}) {
  try {
    static_cast<void>(parse(text, overrides));
  } catch (const InputError& error) {
    std::istringstream stream(error.what());
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  return {};
}

/// A mistake: where it is reported, and words that the report must have.
struct Expected {
  std::string place;
  std::vector<std::string> words;
};

inline void expect_refusal(const std::vector<std::string>& lines, const std::vector<Expected>& expected,
                           const std::string& what) {
  ASSERT_EQ(lines.size(), expected.size()) << what << "\n" << testing::PrintToString(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with(expected[i].place + ": "))
        << what << "\n"
        << lines[i] << "\nis not at " << expected[i].place;
    for (const auto& word : expected[i].words) {
      EXPECT_NE(lines[i].find(word), std::string::npos) << what << "\n" << lines[i] << "\nlacks " << word;
    }
  }
}

}  // namespace flitscope::test
