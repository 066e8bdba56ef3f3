// Seidel's broadcasts on flits: the machine of the paper, and the Delta in cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/claims/papers/seidel/cases.h"

namespace flitscope::claims::seidel {

/// One port, nodes 2^nu times slower than links, and `virtual_channels` on every link.
[[nodiscard]] std::vector<std::string> one_port_machine(unsigned nu, unsigned virtual_channels);

/// Length of a cycle in microseconds that makes a flit of one byte take a = 0.08 us on a node's channel.
[[nodiscard]] double delta_cycle(unsigned nu);

/// The time in microseconds that a broadcast of `bytes` bytes from node 0 takes on flits, on a machine with
/// the Delta's constants: flits of 1 byte, intervals of 2^nu cycles at the ends, 8 virtual channels, and a, b
/// and rho in cycles of delta_cycle(nu), b rounded up; nu = `machine_nu`, by default that of the algorithm.
[[nodiscard]] double on_flits(const Formula& formula, const Shape& shape, std::uint64_t bytes,
                              const std::string& advance = "barrier",
                              std::optional<unsigned> machine_nu = std::nullopt);

/// What flits take more than the formula says, in microseconds, and why: time = formula + distance + rounding
/// + sharing.
struct Difference {
  double total = 0;
  double distance = 0;  ///< routers and links on the way of the longest message of each step
  double rounding = 0;  ///< b in whole cycles, packets in whole bytes
  double sharing = 0;   ///< the rest: what messages that share links cost beyond k/2^nu
};
[[nodiscard]] Difference difference(const Formula& formula, const Shape& shape, std::uint64_t bytes);

}  // namespace flitscope::claims::seidel
