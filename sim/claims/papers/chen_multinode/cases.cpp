#include "sim/claims/papers/chen_multinode/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/route.h"
#include "sim/claims/claim.h"
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

namespace {

std::vector<int> divisors(int n) {
  std::vector<int> all;
  for (int h = 2; h <= n; ++h) {
    if (n % h == 0) all.push_back(h);
  }
  return all;
}

}  // namespace

std::vector<std::uint64_t> source_counts(int n) {
  const std::uint64_t nodes = nodes_of({n, 1});
  return {nodes / 100, nodes / 10, nodes / 2, nodes};
}

std::vector<std::uint64_t> lengths() {
  return {1, 10, 100, 1000, 10'000};
}

std::string point(int n, std::uint64_t sources, std::uint64_t m) {
  return fmt::format("n = {}, s = {}, m = {}", n, sources, m);
}

Contender::Contender(std::string name, Size on, std::uint64_t sources, std::string parameters)
    : algorithm(std::move(name)),
      size(on),
      more(std::move(parameters)),
      volume(multinode(on, sources, algorithm, more)) {}

std::string Contender::choice() const {
  if (algorithm != "edge-disjoint-trees") return fmt::format("h = {}", size.h);
  return fmt::format("batch = {}", more.substr(more.rfind(' ') + 1));
}

Contenders with_divisors(const std::string& algorithm, int n, std::uint64_t sources) {
  Contenders all;
  for (const int h : divisors(n)) all.emplace_back(algorithm, Size{n, h}, sources, "");
  return all;
}

Contenders trees(int n, std::uint64_t sources) {
  Contenders all;
  for (std::uint64_t batch = 1; batch == 1 || batch <= sources / 6; batch *= 4) {
    all.emplace_back("edge-disjoint-trees", Size{n, 1}, sources,
                     fmt::format(", packing: searched, batch: {}", batch));
  }
  return all;
}

const Contender& best(const Contenders& all, std::uint64_t m, Cost cost) {
  return *std::ranges::min_element(all, {}, [&](const Contender& each) { return (each.*cost)(m); });
}

std::uint64_t trees_formula(int n, std::uint64_t sources, std::uint64_t m) {
  return 3 * (static_cast<std::uint64_t>(n) / 2) * (kStartup + (sources + 5) / 6 * m * kPerByte);
}

Families::Families(int n, std::uint64_t sources)
    : families_{with_divisors("chen-multinode", n, sources), with_divisors("chen-multinode-fast", n, sources),
                trees(n, sources)} {}

std::vector<const Contender*> Families::finalists(std::uint64_t m) const {
  std::vector<const Contender*> finalists;
  for (const Contenders& family : families_) finalists.push_back(&best(family, m));
  return finalists;
}

std::uint64_t cycles_on_flits(const Contender& contender, std::uint64_t sources, std::uint64_t m,
                              Advance advance) {
  ExperimentConfig config = multinode(contender.size, sources, contender.algorithm, contender.more);
  config.workload.parameters.set("message", static_cast<std::int64_t>(m));
  config.workload.advance = advance;
  config.machine.startup = kStartup;
  config.machine.flit_bytes = 1;
  return verified_run(config, contender.algorithm).cycles;
}

std::vector<Size> phase_sizes(Extent extent) {
  return sizes_between(3, extent == Extent::quick ? 9 : 16);
}

std::uint64_t lemma_2_units(int h) {
  std::uint64_t units = 0;
  for (std::uint64_t power = 1; power < static_cast<std::uint64_t>(h); power *= 7) units += power;
  return units;
}

Finding phase_startups(Extent extent, std::uint64_t (*claimed)(int n, int h),
                       Volume::Part (Volume::*phase)() const) {
  Cases cases;
  std::uint64_t equal = 0;
  const auto sizes = phase_sizes(extent);
  for (const Size size : sizes) {
    const Volume volume(multinode(size, 2, "chen-multinode"));
    const std::uint64_t most = claimed(size.n, size.h);
    const std::uint64_t measured = (volume.*phase)().steps;
    cases.at_most(size_of(size), "start-ups", most, measured);
    if (measured == most) ++equal;
  }
  return judge(cases, sizes_of(sizes),
               fmt::format("fewer in {} of {} cases", cases.tried() - equal, cases.tried()));
}

}  // namespace flitscope::claims::chen_multinode
