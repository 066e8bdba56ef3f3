// Multi-node broadcasts as the tests ask for them: an algorithm, a side, sources, and words for the rest.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "algorithms/algorithm.h"

namespace flitscope::test {

/// Values of parameters that are choices or numbers, by name.
using GivenValues = std::map<std::string, ParameterValues::Value>;

/// A registered algorithm's schedule on the torus n x n x n. Parameters have the defaults that matter here
/// (64 bytes a message) unless `settings` says otherwise.
inline std::unique_ptr<Schedule> make_multinode(const std::string& algorithm, const Topology& topology,
                                                const NodeSet& sources, const GivenValues& settings) {
  const bool fast = algorithm == "chen-multinode-fast";
  ParameterValues values;
  values.set("sources", sources);
  values.set("message", std::int64_t{64});
  values.set("plane_base", std::string(fast ? "3" : "7"));
  values.set("prefix", std::string("scalar"));
  values.set("collection", std::string(fast ? "bidirectional" : "ring"));
  values.set("word", std::int64_t{4});
  values.set("packing", std::string("explicit"));
  values.set("batch", std::int64_t{1});
  values.set("root", NodeName());
  values.set("seed", std::int64_t{1});
  for (const auto& [name, value] : settings) values.set(name, value);
  return AlgorithmRegistry::find(algorithm)->make(topology, values);
}

inline std::unique_ptr<Schedule> make_multinode(const std::string& algorithm, std::uint32_t n,
                                                const NodeSet& sources, const GivenValues& settings) {
  return make_multinode(algorithm, Topology(TopologyKind::torus, {n, n, n}), sources, settings);
}

}  // namespace flitscope::test
