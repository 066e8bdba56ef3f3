#include "sim/claims/papers/seidel_flits.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace flitscope::claims::seidel {

std::vector<std::string> one_port_machine(unsigned nu, unsigned virtual_channels) {
  return {"node.ports=1", fmt::format("node.slowdown={}", 1U << nu),
          fmt::format("router.virtual_channels={}", virtual_channels)};
}

double delta_cycle(unsigned nu) {
  return kByte / (1U << nu);
}

double on_flits(const Formula& formula, const Shape& shape, std::uint64_t bytes, const std::string& advance) {
  std::vector<std::string> settings = one_port_machine(shape.nu, 8);
  settings.push_back("node.flit_bytes=1");
  settings.push_back(fmt::format("node.startup={:.0f}", std::ceil(kStart / delta_cycle(shape.nu))));
  settings.push_back(fmt::format("node.copy={}", kCopy / delta_cycle(shape.nu)));
  settings.push_back(fmt::format("workload.message={}", bytes));
  settings.push_back("workload.advance=" + advance);
  const auto result = run_on_flits(broadcast(formula, shape, {}, settings));
  if (!result.at("verified").get<bool>())
    throw std::runtime_error(formula.algorithm + " is not verified on flits");
  return static_cast<double>(result.at("cycles").get<std::uint64_t>()) * delta_cycle(shape.nu);
}

std::uint64_t crossover_on_flits(const Formula& earlier, const Formula& later, const Shape& shape,
                                 std::uint64_t low, std::uint64_t high) {
  const auto no_slower = [&](std::uint64_t bytes) {
    return on_flits(later, shape, bytes) <= on_flits(earlier, shape, bytes);
  };
  if (no_slower(low) || !no_slower(high))
    throw std::runtime_error(fmt::format("no crossover between {} and {} bytes", low, high));
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (no_slower(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace flitscope::claims::seidel
