// Chen, Chiang and Chen: multi-node broadcast on the all-port 3-D wormhole torus.
#include "sim/claims/papers/chen_multinode/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algorithms/chen/partition.h"
#include "model/route.h"
#include "sim/claims/measure.h"
#include "sim/run/workload.h"

namespace flitscope::claims::chen_multinode {

namespace {

const PaperRegistry::Entry entry{{
    .name = "chen-multinode",
    .citation = "Yuh-Shyan Chen, Chao-Yu Chiang and Che-Yi Chen: Multi-node broadcasting in all-ported 3-D "
                "wormhole-routed torus using an aggregation-then-distribution strategy, 2004",
    .parts = {&partition_claims, &aggregation_claims, &tuning_claims, &distribution_claims, &analysis_claims,
              &simulation_claims},
    .figures = {&figures},
}};

}  // namespace

std::string name_of(Size size) {
  return fmt::format("n = {}, h = {}", size.n, size.h);
}

Sizes<Size> named(std::vector<Size> list) {
  std::string text;
  for (std::size_t first = 0; first < list.size();) {
    std::vector<int> divisors;
    const int n = list[first].n;
    for (; first < list.size() && list[first].n == n; ++first) divisors.push_back(list[first].h);
    append(text, "; ", fmt::format("n = {}: h = {}", n, fmt::join(divisors, ", ")));
  }
  return {std::move(list), std::move(text)};
}

Sizes<Size> sizes_between(int least, int most) {
  Sizes<Size> all{{}, fmt::format("n = {}..{}, every h that divides n", least, most)};
  for (int n = least; n <= most; ++n) {
    for (int h = 1; h <= n; ++h) {
      if (n % h == 0) all.list.push_back({n, h});
    }
  }
  return all;
}

Sizes<Size> phase_sizes(Extent extent) {
  return sizes_between(3, extent == Extent::quick ? 9 : 16);
}

ExperimentConfig multinode(Size size, std::uint64_t sources, const std::string& algorithm,
                           const std::string& more) {
  const std::string own = algorithm.starts_with("chen") ? fmt::format(", h: {}, word: 1", size.h) : "";
  return experiment(equal_torus(static_cast<std::uint64_t>(size.n), 3),
                    fmt::format("{{algorithm: {}{}, sources: {{count: {}, seed: 1}}, message: 1{}}}",
                                algorithm, own, sources, more));
}

Volume broadcast(Size size, std::uint64_t sources) {
  return Volume(multinode(size, sources, "chen-multinode"));
}

Volume::Volume(const ExperimentConfig& config) : facts_(config.topology) {
  const auto schedule = make_schedule(config);
  facts_ = schedule->facts();
  for (Step step; schedule->next(step);) {
    OfStep& of_step = steps_.emplace_back();
    for (const Message& message : step.messages()) {
      const Longest length{message.chunk_count, message.control_bytes};
      of_step.of_all.add(length);
      of_step.by_links[route_length(facts_.topology, message.source, message.destination, message.route)].add(
          length);
    }
  }
}

std::uint64_t Volume::time(std::uint64_t startup, std::uint64_t per_byte, std::uint64_t m) const {
  std::uint64_t sum = 0;
  for (const OfStep& step : steps_) sum += startup + step.of_all.bytes(m) * per_byte;
  return sum;
}

std::uint64_t Volume::cycles_with_barrier(std::uint64_t startup, std::uint64_t m) const {
  std::uint64_t sum = 0;
  for (const OfStep& step : steps_) {
    std::uint64_t slowest = 0;
    for (const auto& [links, longest] : step.by_links) {
      slowest = std::max(slowest, startup + 2 * (std::uint64_t{links} + 1) + longest.bytes(m) - 1);
    }
    sum += slowest;
  }
  return sum;
}

Volume::Part Volume::stage(const std::string& name) const {
  const auto at = std::ranges::find(facts_.stages, name, &Stage::name);
  return at == facts_.stages.end() ? Part{} : part(at->first_step, at->last_step);
}

Volume::Part Volume::part(std::uint64_t first, std::uint64_t last) const {
  Part sum;
  for (std::uint64_t step = first; step <= last; ++step) {
    ++sum.steps;
    const std::uint64_t units = steps_[step - 1].of_all.units;
    sum.units += units;
    sum.most_units = std::max(sum.most_units, units);
  }
  return sum;
}

std::uint64_t Volume::last_of_aggregation() const {
  std::uint64_t last = 0;
  for (const Stage& stage : facts_.stages) {
    if (stage.name == "aggregate" || stage.name == "prefix sums" || stage.name == "tune") {
      last = stage.last_step;
    }
  }
  return last;
}

std::uint64_t lemma_2_units(int h) {
  std::uint64_t units = 0;
  for (std::uint64_t power = 1; power < static_cast<std::uint64_t>(h); power *= 7) units += power;
  return units;
}

Measure phase_startups(std::uint64_t (*claimed)(int n, int h), Volume::Part (Volume::*phase)() const) {
  const auto test = [=](Trial& t, const Size& size) {
    const std::uint64_t most = claimed(size.n, size.h);
    const std::uint64_t measured = (broadcast(size, 2).*phase)().steps;
    t.printed.at_most(size, "start-ups", most, measured);
    if (measured != most) ++t.count;
  };
  return trying(phase_sizes, test, "fewer in {count} of {tried} cases");
}

}  // namespace flitscope::claims::chen_multinode
