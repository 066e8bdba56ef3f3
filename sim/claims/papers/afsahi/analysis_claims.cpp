// Section 3.1.1: how many nodes B4 has informed at time S, by generations of trees.
#include <algorithm>
#include <map>

#include "algorithms/afsahi/closed_forms.h"
#include "sim/claims/papers/afsahi/cases.h"

namespace flitscope::claims::afsahi {

namespace {

using flitscope::afsahi::ceil_div;
using flitscope::afsahi::informed;
using flitscope::afsahi::power;

/// C(n, m).
std::uint64_t choose(std::uint64_t n, std::uint64_t m) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= m; ++i) result = result * (n - m + i) / i;
  return result;
}

/// The j-sum of generation i+1 at time S, i >= 1, without the division by k-1; k >= 2.
std::uint64_t undivided(std::uint64_t k, std::uint64_t d, std::uint64_t time, std::uint64_t i) {
  std::uint64_t sum = 0;
  for (std::uint64_t j = 1; i * (d + 1) + j <= time; ++j) {
    sum += choose(j + i - 2, i - 1) * (power(k, time - i * (d + 1) + 1) - power(k, j));
  }
  return sum;
}

/// Nodes of the first tree at time S, k >= 2.
std::uint64_t first_generation(std::uint64_t k, std::uint64_t time) {
  return (power(k, time + 1) - 1) / (k - 1);
}

/// k, d and times S for which N(S) is at most `most` nodes, S from 1 on.
std::vector<Size> times(std::uint64_t first_k, std::uint64_t last_k, std::uint64_t last_d, std::uint64_t most,
                        std::uint64_t last_time) {
  std::vector<Size> list;  // `nodes` stands for S
  for (std::uint64_t k = first_k; k <= last_k; ++k) {
    for (std::uint64_t d = 0; d <= last_d; ++d) {
      for (std::uint64_t time = 1; time <= last_time && informed(k, d, time) <= most; ++time)
        list.push_back({time, k, d});
    }
  }
  return list;
}

std::string name_of_time(const Size& when) {
  return fmt::format("k = {}, d = {}, S = {}", when.k, when.d, when.nodes);
}

std::uint64_t most_nodes(Extent extent) {
  return extent == Extent::quick ? 2'000 : 100'000;
}

/// Nodes of each generation when the broadcast of N(S) nodes is done; the source is of generation 1, and a
/// node that is reached by set q of a node of generation g is of generation g + q. And the depth at which the
/// first tree of each generation is rooted: what its roots' arrival would be if they hung there.
struct Generations {
  std::map<std::uint64_t, std::uint64_t> nodes;
  std::map<std::uint64_t, std::uint64_t> root_depth;

  Generations(std::uint64_t k, std::uint64_t d, std::uint64_t time) {
    std::map<std::uint64_t, std::uint64_t> of{{0, 1}};
    nodes[1] = 1;
    root_depth[1] = 0;
    for (const Informed& message : latency_hiding_broadcast({informed(k, d, time), k, d})) {
      const std::uint64_t generation = of.at(message.source) + message.set;
      of[message.target] = generation;
      ++nodes[generation];
      root_depth.try_emplace(generation, message.arrival - 1);
    }
  }
};

}  // namespace

Finding recurrence(Extent extent) {
  Cases cases;
  for (std::uint64_t k = 1; k <= 5; ++k) {
    for (std::uint64_t d = 0; d <= 6; ++d) {
      std::uint64_t time = 1;
      while (time < 40 && informed(k, d, time + 1) <= most_nodes(extent)) ++time;
      std::vector<std::uint64_t> count(time + 1);
      count[0] = 1;
      for (const Informed& message : latency_hiding_broadcast({informed(k, d, time), k, d}))
        ++count[message.arrival];
      for (std::uint64_t t = 1; t <= time; ++t) {
        count[t] += count[t - 1];
        const std::uint64_t claimed = k * count[t - 1] + (t <= d + 1 ? 1 : count[t - d - 1]);
        cases.equal(fmt::format("k = {}, d = {}, S = {}", k, d, t), "nodes", claimed, count[t]);
      }
    }
  }
  return judge(cases, fmt::format("k = 1..5, d = 0..6, S <= 40, up to {} nodes", most_nodes(extent)),
               "nodes informed by afsahi-b4, counted");
}

Finding generation_depth(Extent extent) {
  Cases printed, repaired;
  for (const Size& when : times(1, 3, 3, most_nodes(extent) / 2, 16)) {
    const Generations generations(when.k, when.d, when.nodes);
    for (const auto& [i, depth] : generations.root_depth) {
      const std::string name = fmt::format("{}, i = {}", name_of_time(when), i);
      if (generations.root_depth.contains(i - 1)) {
        printed.equal(name, "is the depth", (i - 1) * (when.d + 1), generations.root_depth.at(i - 1));
      }
      repaired.equal(name, "is the depth", (i - 1) * (when.d + 1), depth);
    }
  }
  return judge(printed, repaired, "a tree of generation i is rooted there",
               fmt::format("k = 1..3, d = 0..3, S <= 16, up to {} nodes", most_nodes(extent) / 2),
               "depth of the first tree of every generation of afsahi-b4");
}

Finding generation_sizes(Extent extent) {
  Cases cases;
  for (const Size& when : times(2, 4, 3, most_nodes(extent) / 2, 40)) {
    const auto [time, k, d] = when;
    const Generations generations(k, d, time);
    for (std::uint64_t i = 1; i < ceil_div(time, d + 1); ++i) {
      const auto found = generations.nodes.find(i + 1);
      cases.equal(fmt::format("{}, i = {}", name_of_time(when), i), "nodes",
                  undivided(k, d, time, i) / (k - 1), found == generations.nodes.end() ? 0 : found->second);
    }
  }
  return judge(cases, fmt::format("k = 2..4, d = 0..3, up to {} nodes", most_nodes(extent) / 2),
               "nodes of every generation of afsahi-b4, counted");
}

Finding last_generation(Extent extent) {
  Cases printed, repaired;
  for (const Size& when : times(2, 4, 3, most_nodes(extent) / 2, 40)) {
    const auto [time, k, d] = when;
    const Generations generations(k, d, time);
    std::uint64_t sum = 0;
    const std::uint64_t last = ceil_div(time, d + 1);
    for (const auto& [generation, nodes] : generations.nodes) sum += generation + 1 <= last ? nodes : 0;
    const std::uint64_t all = informed(k, d, time);
    printed.equal(name_of_time(when), "nodes", all, sum);
    repaired.equal(name_of_time(when), "generations", last, generations.nodes.size());
  }
  return judge(printed, repaired, "up to N_{ceil(S/(d+1))}, as in EQ 1's own sum",
               fmt::format("k = 2..4, d = 0..3, up to {} nodes", most_nodes(extent) / 2),
               "generations of afsahi-b4, counted");
}

Finding equation_1(Extent extent) {
  Cases printed, repaired;
  const std::uint64_t most = extent == Extent::quick ? 1'000'000 : 1'000'000'000;
  for (const Size& when : times(2, 8, 8, most, 40)) {
    const auto [time, k, d] = when;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 1; i < ceil_div(time, d + 1); ++i) sum += undivided(k, d, time, i);
    printed.equal(name_of_time(when), "by the recurrence", first_generation(k, time) + sum,
                  informed(k, d, time));
    repaired.equal(name_of_time(when), "by the recurrence", first_generation(k, time) + sum / (k - 1),
                   informed(k, d, time));
  }
  return judge(printed, repaired, "the double sum divided by k-1, as Lemma 1 has it",
               fmt::format("k = 2..8, d = 0..8, S <= 40, up to {} nodes", most),
               "compared with the recurrence; for k = 2 the division makes no difference");
}

Finding equation_2(Extent extent) {
  Cases cases;
  const std::uint64_t most = extent == Extent::quick ? 1'000'000 : 1'000'000'000;
  for (const Size& when : times(1, 1, 11, most, 60)) {
    const auto [time, k, d] = when;
    std::uint64_t sum = time + 1;
    for (std::uint64_t i = 1; i < ceil_div(time, d + 1); ++i) {
      for (std::uint64_t j = 1; i * (d + 1) + j <= time; ++j)
        sum += choose(j + i - 2, i - 1) * (time - i * (d + 1) + 1 - j);
    }
    cases.equal(name_of_time(when), "by the recurrence", sum, informed(k, d, time));
  }
  return judge(cases, fmt::format("d = 0..11, S <= 60, up to {} nodes", most),
               "compared with the recurrence");
}

}  // namespace flitscope::claims::afsahi
