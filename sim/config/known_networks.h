// Networks that have been read, for the many configurations of a sweep that have the same.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "model/topology.h"
#include "params/parameter.h"

namespace flitscope {

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

}  // namespace flitscope
