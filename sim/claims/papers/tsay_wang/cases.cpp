#include "sim/claims/papers/tsay_wang/cases.h"

#include <algorithm>
#include <utility>

#include "algorithms/algorithm.h"
#include "algorithms/common/ring_schedule.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

namespace {

std::uint32_t mod(std::int64_t value, std::uint64_t n) {
  const auto side = static_cast<std::int64_t>(n);
  return static_cast<std::uint32_t>((value % side + side) % side);
}

}  // namespace

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

std::set<Node> aligned(const Torus& torus) {
  std::set<Node> nodes{Node(torus.d, 0)};
  for (unsigned k = 1; k < torus.d; ++k) {
    std::set<Node> more;
    for (const Node& x : nodes) {
      for (std::uint32_t value = 0; value < torus.n; ++value) {
        Node moved = x;
        moved[k] = value;
        moved[0] = mod(std::int64_t{x[0]} + value, torus.n);
        more.insert(std::move(moved));
      }
    }
    nodes = std::move(more);
  }
  return nodes;
}

unsigned dimension_distance(const Node& one, const Node& other) {
  unsigned distance = 0;
  for (std::size_t k = 0; k < one.size(); ++k) distance += one[k] != other[k] ? 1 : 0;
  return distance;
}

std::optional<std::pair<Node, Node>> neighbours_in_line(const std::set<Node>& nodes) {
  for (auto one = nodes.begin(); one != nodes.end(); ++one) {
    for (auto other = std::next(one); other != nodes.end(); ++other) {
      if (dimension_distance(*one, *other) == 1) return std::pair(*one, *other);
    }
  }
  return std::nullopt;
}

LookUps look_ups(const Torus& torus, unsigned h) {
  const auto [n, d] = torus;
  const unsigned r = d - h + 1;
  const std::set<Node> informed = informed_before(torus, h);
  const flitscope::tsay_wang::RingSchedule ring(static_cast<std::uint32_t>(n), d);
  LookUps counted;
  // The node with y_0 in its first R dimensions and x's coordinates elsewhere, but for dimension j.
  const auto look_up = [&](const Node& x, std::int64_t t, unsigned j) {
    Node wanted = x;
    for (unsigned k = 0; k < r; ++k) wanted[k] = mod(std::int64_t{x[0]} - t, n);
    unsigned found = 0;
    for (wanted[j - 1] = 0; wanted[j - 1] < n; ++wanted[j - 1]) found += informed.contains(wanted) ? 1 : 0;
    ++counted.all;
    if (found != 1) ++counted.ambiguous;
  };
  for (unsigned k = 1; k <= ring.steps(); ++k) {
    for (const auto& sender : ring.senders(k)) {
      for (const auto side : {sender.right, sender.left}) {
        for (unsigned j = r + 1; j <= side.size(); ++j) {
          for (const Node& x : informed) look_up(x, side[j - 1], j);
        }
      }
    }
  }
  return counted;
}

std::vector<std::uint64_t> printed_offsets(std::uint64_t gap, unsigned d) {
  const std::uint64_t parts = 2 * std::uint64_t{d} + 1;
  std::vector<std::uint64_t> offsets;
  std::uint64_t at = 0;
  for (std::uint64_t j = 0; j < parts - 1; ++j) {
    at += j < gap % parts ? (gap + parts - 1) / parts : gap / parts;
    offsets.push_back(at);
  }
  return offsets;
}

std::vector<std::uint64_t> printed_growth(std::uint64_t n, unsigned d) {
  std::set<std::uint64_t> informed{0};
  std::vector<std::uint64_t> sizes;
  do {
    sizes.push_back(informed.size());
    const std::vector<std::uint64_t> before(informed.begin(), informed.end());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::uint64_t next = before[(i + 1) % before.size()];
      const std::uint64_t gap = (next + n - before[i] + 1) % n;
      for (const std::uint64_t offset : printed_offsets(gap, d)) informed.insert((before[i] + offset) % n);
    }
  } while (informed.size() > sizes.back());
  return sizes;
}

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
