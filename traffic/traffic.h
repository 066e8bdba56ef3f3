// Synthetic traffic as a configuration describes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "model/machine.h"
#include "model/text.h"
#include "model/types.h"
#include "model/units.h"
#include "params/parameter.h"
#include "traffic/traffic_pattern.h"

namespace flitscope {

/// When the nodes of synthetic traffic inject messages.
enum class Injection : std::uint8_t {
  bernoulli,  ///< in every cycle with the same probability
  periodic,   ///< at equal intervals, each node with an offset of its own
  on_off,     ///< bernoulli in bursts, nothing between them; both last geometrically distributed times
};
template <>
inline constexpr std::array kNamesOf<Injection>{"bernoulli", "periodic", "on-off"};

/// Which way a message goes around a ring if both are equally long.
enum class Ties : std::uint8_t { random, plus };
template <>
inline constexpr std::array kNamesOf<Ties>{"random", "plus"};

/// Synthetic traffic. docs/traffic.md defines it.
struct TrafficConfig {
  /// An entry of the TrafficRegistry, or nullptr: there is no traffic.
  const Traffic* pattern = nullptr;
  /// Values of the pattern's parameters, defaults filled in. Files are absolute.
  ParameterValues parameters;
  /// Of one class among several: what results call it.
  std::string name;
  /// Flits a node offers in a cycle.
  Decimal load{0, 100'000'000'000'000'000};
  MessageSizes message;
  Injection process = Injection::bernoulli;
  /// Mean length of a burst and of the pause behind it, in cycles.
  Cycle burst = 100;
  Cycle pause = 100;
  std::uint64_t seed = 1;
  /// Messages are generated from cycle `start` on, and none in `end` or later.
  Cycle start = 0;
  std::optional<Cycle> end;
  /// Cycles before the measurement; nothing: until latencies are steady. Beside a schedule: cycles before
  /// that starts; nothing: none.
  std::optional<Cycle> warmup;
  /// Cycles over which the warm-up takes means.
  Cycle window = 1000;
  Cycle measure = 10'000;
  /// The measurement goes on until the confidence interval of the mean latency is below this part of it.
  std::optional<Decimal> precision;
  /// Whether messages to their own source go through its router; else they are not sent.
  bool self = false;
  /// Name of the message class; nothing: the first.
  std::optional<std::string> message_class;
  Ties ties = Ties::random;
  /// Paths that the routing function draws for two nodes; each message draws one of them.
  std::uint32_t drawn_paths = 1;
};

/// The number of its message class.
[[nodiscard]] inline std::uint32_t class_of(const TrafficConfig& traffic, const MachineConfig& machine) {
  return traffic.message_class ? class_number(machine, *traffic.message_class).value_or(0) : 0;
}

}  // namespace flitscope
