// Event schedules for tests: made by an algorithm with defaults filled in, or written down event by event.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "sim/formats/value_reader.h"

namespace flitscope {

using GivenValues = std::vector<std::pair<std::string, ParameterValues::Value>>;

inline std::unique_ptr<CircuitSchedule> circuits_by(const std::string& algorithm, std::uint64_t N, unsigned k,
                                                    std::uint64_t d, const GivenValues& settings = {}) {
  const Algorithm& made = *AlgorithmRegistry::find(algorithm);
  ParameterValues values;
  for (const Parameter& parameter : made.parameters) {
    values.set(parameter.name, *default_value({parameter}));
  }
  for (const auto& [name, value] : settings) values.set(name, value);
  return made.make_circuits({Topology::complete(N), k, d}, values);
}

/// The configuration key for which the algorithm refuses the network, or "nothing".
inline std::string refused_circuits(const std::string& algorithm, std::uint64_t N, unsigned k,
                                    std::uint64_t d, const GivenValues& settings = {}) {
  try {
    (void)circuits_by(algorithm, N, k, d, settings);
  } catch (const Inadmissible& error) {
    return error.key();
  }
  return "nothing";
}

/// A schedule held in memory.
class MemoryCircuits final : public CircuitSchedule {
 public:
  explicit MemoryCircuits(CircuitFacts facts) : facts_(std::move(facts)) {}
  /// All of another one.
  explicit MemoryCircuits(CircuitSchedule& other) : facts_(other.facts()) {
    for (CircuitEvent event; other.next(event);) moments_.push_back(event);
  }

  /// What follows starts at this time.
  MemoryCircuits& at(std::uint64_t time) {
    moments_.emplace_back().clear(time);
    return *this;
  }
  MemoryCircuits& tune(const Circuit& circuit) {
    moments_.back().tune(circuit);
    ++facts_.tunings;
    return *this;
  }
  MemoryCircuits& send(const Circuit& circuit, const std::vector<ChunkId>& chunks = {0}) {
    if (moments_.back().messages().empty()) ++facts_.steps;
    moments_.back().send(circuit, chunks);
    ++facts_.messages;
    return *this;
  }

  [[nodiscard]] CircuitFacts& edit() { return facts_; }
  [[nodiscard]] std::vector<CircuitEvent>& events() { return moments_; }
  void rewind() { given_ = 0; }

  [[nodiscard]] const CircuitFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(CircuitEvent& event) override {
    if (given_ == moments_.size()) return false;
    event = moments_[given_++];
    return true;
  }

 private:
  CircuitFacts facts_;
  std::vector<CircuitEvent> moments_;
  std::size_t given_ = 0;
};

}  // namespace flitscope
