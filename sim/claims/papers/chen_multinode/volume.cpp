#include "sim/claims/papers/chen_multinode/volume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/route.h"
#include "sim/claims/measure.h"
#include "sim/run/workload.h"

namespace flitscope::claims::chen_multinode {

std::string size_of(Size size) {
  return fmt::format("n = {}, h = {}", size.n, size.h);
}

std::string sizes_of(const std::vector<Size>& sizes) {
  const int least = sizes.front().n;
  const int most = sizes.back().n;
  if (least < most && sizes == sizes_between(least, most)) {
    return fmt::format("n = {}..{}, every h that divides n", least, most);
  }
  std::string text;
  for (std::size_t first = 0; first < sizes.size();) {
    std::vector<int> divisors;
    const int n = sizes[first].n;
    for (; first < sizes.size() && sizes[first].n == n; ++first) divisors.push_back(sizes[first].h);
    text += fmt::format("{}n = {}: h = {}", text.empty() ? "" : "; ", n, fmt::join(divisors, ", "));
  }
  return text;
}

std::vector<Size> sizes_between(int least, int most) {
  std::vector<Size> sizes;
  for (int n = least; n <= most; ++n) {
    for (int h = 1; h <= n; ++h) {
      if (n % h == 0) sizes.push_back({n, h});
    }
  }
  return sizes;
}

ExperimentConfig multinode(Size size, std::uint64_t sources, const std::string& algorithm,
                           const std::string& more) {
  const std::string own = algorithm.starts_with("chen") ? fmt::format(", h: {}, word: 1", size.h) : "";
  return experiment(equal_torus(static_cast<std::uint64_t>(size.n), 3),
                    fmt::format("{{algorithm: {}{}, sources: {{count: {}, seed: 1}}, message: 1{}}}",
                                algorithm, own, sources, more));
}

std::uint64_t nodes_of(Size size) {
  const auto n = static_cast<std::uint64_t>(size.n);
  return n * n * n;
}

Volume::Volume(const ExperimentConfig& config) : facts_(config.topology) {
  const auto schedule = make_schedule(config);
  facts_ = schedule->facts();
  Step step;
  while (schedule->next(step)) {
    OfStep& of_step = steps_.emplace_back();
    for (const Message& message : step.messages()) {
      const Longest length{message.chunk_count, message.control_bytes};
      of_step.of_all.add(length);
      of_step.by_links[route_length(facts_.topology, message.source, message.destination, message.route)].add(
          length);
    }
  }
}

void Volume::Longest::add(const Longest& other) {
  units = std::max(units, other.units);
  control_bytes = std::max(control_bytes, other.control_bytes);
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

std::uint64_t Volume::units() const {
  return part(1, steps_.size()).units;
}

Volume::Part Volume::stage(const std::string& name) const {
  const auto at = std::ranges::find(facts_.stages, name, &Stage::name);
  return at == facts_.stages.end() ? Part{} : part(at->first_step, at->last_step);
}

Volume::Part Volume::aggregation_phase() const {
  return part(1, last_of_aggregation());
}

Volume::Part Volume::distribution_phase() const {
  return part(last_of_aggregation() + 1, steps_.size());
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

}  // namespace flitscope::claims::chen_multinode
