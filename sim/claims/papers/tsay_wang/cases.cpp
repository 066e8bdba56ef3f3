// Tsay and Wang: broadcast on the d-dimensional all-port wormhole torus. P is 2d+1, K(n) is ceil(log_P n).
#include "sim/claims/papers/tsay_wang/cases.h"

#include <algorithm>
#include <utility>

#include "algorithms/algorithm.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

namespace {

const PaperRegistry::Entry entry{{
    .name = "tsay-wang",
    .citation = "Jyh-Jong Tsay and Wen-Tsong Wang: Nearly Optimal Algorithms for Broadcast on d-Dimensional "
                "All-Port and Wormhole-Routed Torus",
    .parts = {&ring_claims, &phase_claims, &side_claims, &flit_claims},
    .figures = {&figures},
}};

}  // namespace

std::uint32_t mod(std::int64_t value, std::uint64_t n) {
  const auto side = static_cast<std::int64_t>(n);
  return static_cast<std::uint32_t>((value % side + side) % side);
}

std::set<Node> informed_before(const Torus& torus, unsigned h) {
  const auto [n, d] = torus;
  if (h == 1) return {Node(d, 0)};
  std::set<Node> nodes;
  if (h == 2) {
    for (std::uint32_t k = 0; k < n; ++k) nodes.insert(Node(d, k));
    return nodes;
  }
  for (const Node& x : informed_before(torus, h - 1)) {
    for (std::uint32_t m = 0; m < n; ++m) {
      Node moved = x;
      for (unsigned k = 0; k < d - h + 1; ++k) moved[k] = mod(std::int64_t{x[k]} + m, n);
      moved[d - h + 1] = mod(std::int64_t{x[d - h + 1]} - m, n);
      nodes.insert(std::move(moved));
    }
  }
  return nodes;
}

unsigned dimension_distance(const Node& one, const Node& other) {
  unsigned distance = 0;
  for (std::size_t k = 0; k < one.size(); ++k) distance += one[k] != other[k] ? 1 : 0;
  return distance;
}

std::uint64_t power(std::uint64_t base, unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned k = 0; k < exponent; ++k) result *= base;
  return result;
}

std::uint64_t k_of(const Torus& torus) {
  return ceil_log(2 * std::uint64_t{torus.d} + 1, torus.n);
}

std::string name_of(const Torus& torus) {
  return fmt::format("d = {}, n = {}", torus.d, torus.n);
}

Tori named(std::vector<Torus> list) {
  std::string text;
  for (std::size_t first = 0; first < list.size();) {
    std::vector<std::uint64_t> sides;
    const unsigned d = list[first].d;
    for (; first < list.size() && list[first].d == d; ++first) sides.push_back(list[first].n);
    append(text, "; ", fmt::format("d = {}: n = {}", d, ranges(sides)));
  }
  return {std::move(list), std::move(text)};
}

Tori tori(unsigned first_d, unsigned last_d, std::uint64_t nodes,
          const std::function<bool(const Torus&)>& admits) {
  std::vector<Torus> list;
  for (unsigned d = first_d; d <= last_d; ++d) {
    for (std::uint64_t n = 3; power(n, d) <= nodes && (d > 1 || n <= 243); ++n) {
      if (!admits || admits({n, d})) list.push_back({n, d});
    }
  }
  return named(std::move(list));
}

Tori checked_tori(const Trial& trial, unsigned first_d, unsigned last_d,
                  const std::function<bool(const Torus&)>& admits) {
  return tori(first_d, last_d, trial.up_to(1'000, 30'000), admits);
}

Tori powers(Extent extent) {
  if (extent == Extent::quick) return named({{3, 1}, {9, 1}, {5, 2}, {25, 2}, {7, 3}, {9, 4}});
  return named({{3, 1}, {9, 1}, {27, 1}, {5, 2}, {25, 2}, {125, 2}, {7, 3}, {49, 3}, {9, 4}, {11, 5}});
}

Phase Played::phase(std::string_view name) const {
  Phase phase;
  const auto stage = std::ranges::find(facts.stages, name, &Stage::name);
  if (stage == facts.stages.end()) return phase;
  for (std::uint64_t s = stage->first_step; s <= stage->last_step; ++s) {
    ++phase.steps;
    phase.messages += steps[s - 1].messages;
    phase.shared_links += steps[s - 1].load.shared_links;
  }
  return phase;
}

ExperimentConfig broadcast(const Torus& torus, const std::string& workload,
                           const std::vector<std::string>& settings) {
  return experiment(equal_torus(torus.n, torus.d), fmt::format("{{algorithm: {}}}", workload), settings);
}

Played play(const Torus& torus, const std::string& workload) {
  const ExperimentConfig config = broadcast(torus, workload);
  Played played{make_schedule(config)->facts(), {}, {}};
  CheckOptions options;
  options.on_step = [&](const StepSummary& step) { played.steps.push_back(step); };
  played.report = check(config, options);
  return played;
}

std::string fault(const CheckReport& report) {
  if (!report.legal || report.shared_links == 0) return violation_of(report);
  return fmt::format("{} carrying more than one message of a step, {} of them in step {}",
                     report.shared_links == 1 ? "1 link" : fmt::format("{} links", report.shared_links),
                     report.most_shared_links, report.most_shared_step);
}

void add_broadcast(Cases& cases, const Torus& torus, const std::string& workload, std::uint64_t claimed) {
  const CheckReport report = check(broadcast(torus, workload));
  std::string wrong = fault(report);
  if (wrong.empty() && report.steps > claimed) {
    wrong = fmt::format("{} steps, more than {}", report.steps, claimed);
  }
  cases.faultless(torus, wrong);
}

void add_phase(Cases& cases, const Torus& torus, const Played& played, const std::string& name,
               std::uint64_t steps) {
  const Phase phase = played.phase(name);
  if (phase.steps == 0) return cases.add(false, torus, "there is no {}", name);
  cases.add(phase.steps <= steps && phase.shared_links == 0, fmt::format("{}, {}", name_of(torus), name),
            "{} steps, {} shared links", phase.steps, phase.shared_links);
}

}  // namespace flitscope::claims::tsay_wang
