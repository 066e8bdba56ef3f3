// The network that a configuration describes, networks that have been read before, and the rates of links.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/graph.h"
#include "model/topology.h"
#include "params/parameter.h"
#include "sim/config/config.h"
#include "sim/config/section_reader.h"

namespace flitscope {

/// The kind of network, as far as it is known before all is read.
[[nodiscard]] std::optional<TopologyKind> named_kind(const YamlNode& root);

/// The network without its faults and with the routes that are given for it. `values`: of each section;
/// `of_family`: of the parameters of the family. Nothing, and diagnostics, for an invalid description.
[[nodiscard]] std::optional<Topology> read_topology(std::map<std::string, ParameterValues>& values,
                                                    const ParameterValues& of_family,
                                                    const ReadingContext& context);

/// The networks that were read last. Files are read once for all configurations that name them.
class KnownNetworks {
 public:
  /// All that a network is made from, by the paths of the keys.
  using Description = std::map<std::string, ParameterValues::Value>;

  /// The network of that description, or nullptr.
  [[nodiscard]] const Topology* find(const Description& description) const {
    const auto at = std::ranges::find(known_, description, &std::pair<Description, Topology>::first);
    return at == known_.end() ? nullptr : &at->second;
  }

  void add(Description description, const Topology& network) {
    if (known_.size() == kMax) known_.pop_front();
    known_.emplace_back(std::move(description), network);
  }

 private:
  /// A few, so that a network that takes gigabytes does not take them many times.
  static constexpr std::size_t kMax = 4;

  std::deque<std::pair<Description, Topology>> known_;
};

// Bandwidths of links as what the network simulates: bytes of a flit, and cycles a flit.

/// Sets the machine's flit_bytes and intervals by the bandwidths of `link`, `links` and `node`, as
/// far as they are not given: a flit takes the whole number of cycles that is within 0.1%, if there is one,
/// or else the nearest fraction. The values are those of the sections `""`, `link` and `node`. Throws
/// Inadmissible with the bandwidth and what is possible.
void take_bandwidths(ExperimentConfig& config, const ParameterValues& top_level, const ParameterValues& link,
                     const ParameterValues& node);

/// Links of a graph have times of their own if it says so; `config` has those of all others. Throws as above.
void take_link_times(ExperimentConfig& config);

}  // namespace flitscope
