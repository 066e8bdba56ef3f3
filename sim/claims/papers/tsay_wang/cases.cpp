#include "sim/claims/papers/tsay_wang/cases.h"

#include <algorithm>

#include "algorithms/algorithm.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

std::uint64_t power(std::uint64_t base, unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned k = 0; k < exponent; ++k) result *= base;
  return result;
}

std::uint64_t k_of(const Torus& torus) {
  return ceil_log(2 * std::uint64_t{torus.d} + 1, torus.n);
}

std::string size_of(const Torus& torus) {
  return fmt::format("d = {}, n = {}", torus.d, torus.n);
}

std::string sizes_of(const Tori& list) {
  std::string text;
  for (std::size_t first = 0; first < list.size();) {
    std::vector<std::uint64_t> sides;
    const unsigned d = list[first].d;
    for (; first < list.size() && list[first].d == d; ++first) sides.push_back(list[first].n);
    text += fmt::format("{}d = {}: n = {}", text.empty() ? "" : "; ", d, ranges(sides));
  }
  return text;
}

Tori tori(unsigned first_d, unsigned last_d, std::uint64_t nodes,
          const std::function<bool(const Torus&)>& admits) {
  Tori list;
  for (unsigned d = first_d; d <= last_d; ++d) {
    for (std::uint64_t n = 3; power(n, d) <= nodes && (d > 1 || n <= 243); ++n) {
      if (!admits || admits({n, d})) list.push_back({n, d});
    }
  }
  return list;
}

Tori powers(Extent extent) {
  if (extent == Extent::quick) return {{3, 1}, {9, 1}, {5, 2}, {25, 2}, {7, 3}, {9, 4}};
  return {{3, 1}, {9, 1}, {27, 1}, {5, 2}, {25, 2}, {125, 2}, {7, 3}, {49, 3}, {9, 4}, {11, 5}};
}

const Stage* Played::stage(std::string_view name) const {
  const auto found = std::ranges::find(facts.stages, name, &Stage::name);
  return found == facts.stages.end() ? nullptr : &*found;
}

std::uint64_t Played::shared_links(const Stage& stage) const {
  std::uint64_t sum = 0;
  for (std::uint64_t s = stage.first_step; s <= stage.last_step; ++s) sum += steps[s - 1].load.shared_links;
  return sum;
}

std::uint64_t Played::messages(const Stage& stage) const {
  std::uint64_t sum = 0;
  for (std::uint64_t s = stage.first_step; s <= stage.last_step; ++s) sum += steps[s - 1].messages;
  return sum;
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
  if (!report.legal) return report.violations.front().text;
  if (report.shared_links == 0) return "";
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
  cases.add(wrong.empty(), size_of(torus), wrong);
}

}  // namespace flitscope::claims::tsay_wang
