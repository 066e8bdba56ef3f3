#include "sim/claims/papers/chen_multinode/contenders.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/claims/measure.h"

namespace flitscope::claims::chen_multinode {

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

}  // namespace flitscope::claims::chen_multinode
