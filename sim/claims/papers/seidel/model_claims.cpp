// Section 2 of Seidel's paper on flits: when do messages share a link at no cost, and what does it cost
// otherwise?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/route.h"
#include "sim/claims/papers/seidel/claims.h"
#include "sim/claims/papers/seidel/flits.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

/// What a step would take if every message had the network to itself, and how its links are shared.
struct Alone {
  Cycle cycles = 0;
  Cycle transmission = 0;  ///< of these, what the longest message's flits take on its node's channel
  std::uint32_t load = 0;
};

/// timing.md: (H + 1)(R + D) + (L - 1) s cycles with delays of 1 and no startup, for flits of 8 bytes.
std::vector<Alone> alone(Schedule& schedule, unsigned nu) {
  const ScheduleFacts& facts = schedule.facts();
  ChannelLoad load(facts.topology);
  std::vector<Alone> steps;
  for (Step step; schedule.next(step);) {
    Alone here;
    for (const Message& message : step.messages()) {
      const std::uint32_t links =
          route_length(facts.topology, message.source, message.destination, message.route);
      const std::uint64_t flits = flits_of(message_bytes(facts.collective, step, message), 8);
      here.transmission = std::max(here.transmission, flits << nu);
      here.cycles = std::max(here.cycles, 2 * (Cycle{links} + 1) + ((flits - 1) << nu));
    }
    here.load = load.count(step.messages()).max_load;
    steps.push_back(here);
  }
  return steps;
}

struct Measured {
  std::vector<Alone> expected;
  std::vector<Cycle> cycles;  ///< of each step, on flits
};

Measured measured(const std::string& algorithm, const Shape& shape, std::uint64_t bytes,
                  unsigned virtual_channels) {
  std::vector<std::string> settings = one_port_machine(shape.nu, virtual_channels);
  settings.push_back(fmt::format("workload.message={}", bytes));
  const ExperimentConfig config = broadcast(formula(algorithm), shape, {}, settings);
  return {alone(*make_schedule(config), shape.nu), run_on_flits(config).step_cycles};
}

std::vector<Shape> shapes_with_nu(Extent extent) {
  if (extent == Extent::quick) return {{0, 4, 1}, {0, 5, 2}, {3, 3, 1}, {3, 3, 2}};
  return {{0, 4, 1}, {0, 4, 2}, {0, 5, 1}, {0, 5, 2}, {0, 6, 1}, {0, 6, 2}, {0, 6, 3},
          {3, 3, 1}, {3, 3, 2}, {4, 4, 1}, {4, 4, 2}, {4, 5, 1}, {4, 5, 2}};
}

std::vector<std::string> trees(const Shape& shape) {
  if (shape.linear()) return {"seidel-st-linear", "seidel-bst-linear"};
  return {"seidel-st-mesh-columns", "seidel-st-mesh-five-phase", "seidel-st-mesh", "seidel-bst-mesh"};
}

std::string shape_names(Extent extent) {
  std::string names;
  for (const Shape& shape : shapes_with_nu(extent)) names += (names.empty() ? "" : "; ") + shape.name();
  return names;
}

Finding sharing_is_free(Extent extent) {
  Cases cases;
  Cycle most = 0;
  for (const Shape& shape : shapes_with_nu(extent)) {
    for (const std::string& algorithm : trees(shape)) {
      for (const std::uint64_t bytes : {std::uint64_t{4096}, std::uint64_t{65536}}) {
        const Measured run = measured(algorithm, shape, bytes, 1U << shape.nu);
        for (std::size_t i = 0; i < run.cycles.size(); ++i) {
          const Cycle more = run.cycles[i] - std::min(run.cycles[i], run.expected[i].cycles);
          most = std::max(most, more);
          cases.at_most(fmt::format("{} on {}, {} bytes, step {}", formula(algorithm).label, shape.name(),
                                    bytes, i + 1),
                        "cycles more than alone", Cycle{2} << shape.nu, more);
        }
      }
    }
  }
  return judge(
      cases, shape_names(extent) + "; ST and BST, 4 and 64 KiB, intervals 2^nu, 2^nu virtual channels",
      fmt::format("no step takes more than {} cycles more than its slowest message takes alone, of 4 KiB "
                  "as of 64 KiB: at most one turn of the others at a switch or two",
                  most));
}

/// At no cost: at most such a part more.
constexpr double kFree = 0.01;

Finding fewer_virtual_channels(Extent extent) {
  Cases cases;
  std::string seen;
  std::string names;
  for (const Shape& shape : shapes_with_nu(extent)) {
    if (!shape.linear()) continue;
    names += (names.empty() ? "" : "; ") + shape.name();
    const auto total = [&](unsigned virtual_channels) {
      Cycle sum = 0;
      for (const Cycle each : measured("seidel-st-linear", shape, 65536, virtual_channels).cycles)
        sum += each;
      return sum;
    };
    const Cycle enough = total(1U << shape.nu);
    const double one = static_cast<double>(total(1)) / static_cast<double>(enough);
    cases.add(one <= 1 + kFree, shape.name(),
              fmt::format("with one virtual channel {:.2f} times as long", one));
    seen += fmt::format("{}{:.2f} ({})", seen.empty() ? "" : ", ", one, shape.name());
    if (shape.nu > 1) {
      const double half = static_cast<double>(total(1U << (shape.nu - 1))) / static_cast<double>(enough);
      seen += fmt::format(", with half of 2^nu {:.2f}", half);
    }
  }
  return judge(cases, "ST, 64 KiB; " + names, "time with one virtual channel over that with 2^nu: " + seen);
}

constexpr double kContentionWithin = 0.05;

Finding contention_divides(Extent extent) {
  Cases cases;
  double worst = 0;
  std::vector<Shape> shapes{{0, 4, 0}, {0, 4, 1}, {0, 5, 2}, {3, 3, 0}};
  if (extent == Extent::full) {
    for (const Shape& more : {Shape{0, 6, 0}, Shape{0, 6, 1}, Shape{4, 4, 0}, Shape{4, 5, 0}, Shape{4, 5, 1}})
      shapes.push_back(more);
  }
  std::string names;
  for (const Shape& shape : shapes) {
    names += (names.empty() ? "" : "; ") + shape.name();
    const Measured run = measured(shape.linear() ? "seidel-rh-linear" : "seidel-rh-mesh", shape, 1 << 20,
                                  std::max(2U, 1U << shape.nu));
    for (std::size_t i = 0; i < run.cycles.size(); ++i) {
      const auto& [alone, transmission, load] = run.expected[i];
      const double times = std::max(1.0, static_cast<double>(load) / (1U << shape.nu));
      const double claimed = static_cast<double>(alone) + (times - 1) * static_cast<double>(transmission);
      const double off = std::abs(static_cast<double>(run.cycles[i]) / claimed - 1);
      worst = std::max(worst, off);
      cases.add(off < kContentionWithin, fmt::format("{}, step {}", shape.name(), i + 1),
                fmt::format("{} cycles, not {:.0f}", run.cycles[i], claimed));
    }
  }
  return judge(cases, names + "; RH, 1 MiB, at least 2^nu virtual channels",
               fmt::format("the transmission of every step takes max(1, k/2^nu) times as long as alone, its "
                           "cycles within {:.1f} %",
                           100 * worst));
}

}  // namespace

std::vector<Claim> model_claims() {
  return {
      {"shared-links", "Section 2, on flits", "Up to 2^nu messages share a link at no cost.",
       "no step more than 2^(nu+1) cycles longer than its slowest message alone", sharing_is_free},
      {"contention", "Section 2, on flits", "k > 2^nu messages on a link take k/2^nu times as long.",
       fmt::format("the cycles of every step within {:.0f} %", 100 * kContentionWithin), contention_divides},
      {"one-virtual-channel", "not in the paper",
       "Sharing would be free, too, if a link had one virtual channel.",
       fmt::format("at most {:.0f} % more time", 100 * kFree), fewer_virtual_channels, Origin::ours},
  };
}

}  // namespace flitscope::claims::seidel
