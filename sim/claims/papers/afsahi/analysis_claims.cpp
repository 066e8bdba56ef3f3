// Section 3.1.1: how many nodes B4 has informed at time S, by generations of trees.
#include <map>

#include "sim/claims/papers/afsahi/cases.h"

namespace flitscope::claims::afsahi {

namespace {

/// C(n, m).
std::uint64_t choose(std::uint64_t n, std::uint64_t m) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= m; ++i) result = result * (n - m + i) / i;
  return result;
}

/// A broadcast that has lasted for so many units.
struct When {
  std::uint64_t time = 1;  ///< S
  std::uint64_t k = 1;
  std::uint64_t d = 0;

  [[nodiscard]] std::uint64_t nodes() const { return informed(k, d, time); }  ///< N(S)
  /// One more than there are generations after the first.
  [[nodiscard]] std::uint64_t generations() const { return ceil_div(time, d + 1); }
};

std::string name_of(const When& when) {
  return fmt::format("k = {}, d = {}, S = {}", when.k, when.d, when.time);
}

/// The j-sum of generation i+1 at time S, i >= 1, without the division by k-1; k >= 2.
std::uint64_t undivided(const When& when, std::uint64_t i) {
  const auto [time, k, d] = when;
  std::uint64_t sum = 0;
  for (std::uint64_t j = 1; i * (d + 1) + j <= time; ++j) {
    sum += choose(j + i - 2, i - 1) * (power(k, time - i * (d + 1) + 1) - power(k, j));
  }
  return sum;
}

/// k, d and times S, from 1 on, for which N(S) is at most `most` nodes.
Sizes<When> times(std::uint64_t first_k, std::uint64_t last_k, std::uint64_t last_d, std::uint64_t last_time,
                  std::uint64_t most, const std::string& text) {
  Sizes<When> all{{}, fmt::format("{}, up to {} nodes", text, most)};
  for (std::uint64_t k = first_k; k <= last_k; ++k) {
    for (std::uint64_t d = 0; d <= last_d; ++d) {
      for (When when{1, k, d}; when.time <= last_time && when.nodes() <= most; ++when.time)
        all.list.push_back(when);
    }
  }
  return all;
}

std::uint64_t most_nodes(Extent extent) {
  return extent == Extent::quick ? 2'000 : 100'000;
}

Sizes<When> counted_times(Extent extent) {
  return times(2, 4, 3, 40, most_nodes(extent) / 2, "k = 2..4, d = 0..3");
}

/// Nodes of each generation when the broadcast of N(S) nodes is done; the source is of generation 1, and a
/// node that is reached by set q of a node of generation g is of generation g + q. And the depth at which the
/// first tree of each generation is rooted: what its roots' arrival would be if they hung there.
struct Generations {
  std::map<std::uint64_t, std::uint64_t> nodes{{1, 1}};
  std::map<std::uint64_t, std::uint64_t> root_depth{{1, 0}};

  explicit Generations(const When& when) {
    std::map<std::uint64_t, std::uint64_t> of{{0, 1}};
    for (const Informed& message : latency_hiding_broadcast({when.nodes(), when.k, when.d})) {
      const std::uint64_t generation = of.at(message.source) + message.set;
      of[message.target] = generation;
      ++nodes[generation];
      root_depth.try_emplace(generation, message.arrival - 1);
    }
  }
};

void recurrence(Trial& t) {
  const std::uint64_t most = most_nodes(t.extent);
  for (std::uint64_t k = 1; k <= 5; ++k) {
    for (std::uint64_t d = 0; d <= 6; ++d) {
      std::uint64_t last = 1;
      while (last < 40 && informed(k, d, last + 1) <= most) ++last;
      std::vector<std::uint64_t> count(last + 1);
      count[0] = 1;
      for (const Informed& message : latency_hiding_broadcast({informed(k, d, last), k, d}))
        ++count[message.arrival];
      for (std::uint64_t time = 1; time <= last; ++time) {
        count[time] += count[time - 1];
        const std::uint64_t claimed = k * count[time - 1] + (time <= d + 1 ? 1 : count[time - d - 1]);
        t.printed.equal(When{time, k, d}, "nodes", claimed, count[time]);
      }
    }
  }
  t.sizes = fmt::format("k = 1..5, d = 0..6, S <= 40, up to {} nodes", most);
  t.measured = "nodes informed by afsahi-b4, counted";
}

}  // namespace

const Claims generation_claims{
    {"recurrence", "Section 3.1.1",
     "N(S) = k N(S-1) + 1 up to S = d+1, then k N(S-1) + N(S-d-1), nodes are informed at time S.", "equal",
     recurrence},
    {"generation-depth", "Lemma 1, proof", "A tree of generation i-1 is rooted at depth (i-1)(d+1).", "equal",
     [](const Trial& t) {
       return times(1, 3, 3, 16, most_nodes(t.extent) / 2, "k = 1..3, d = 0..3, S <= 16");
     },
     [](Trial& t, const When& when) {
       const Generations generations(when);
       for (const auto& [i, depth] : generations.root_depth) {
         const std::string name = fmt::format("{}, i = {}", name_of(when), i);
         const std::uint64_t claimed = (i - 1) * (when.d + 1);
         if (generations.root_depth.contains(i - 1))
           t.printed.equal(name, "is the depth", claimed, generations.root_depth.at(i - 1));
         t.repaired.equal(name, "is the depth", claimed, depth);
       }
     },
     "depth of the first tree of every generation of afsahi-b4", "a tree of generation i is rooted there"},
    {"generation-sizes", "Lemma 1",
     "Generation i+1 has sum over j of C(j+i-2, i-1) (k^(S-i(d+1)+1) - k^j)/(k-1) nodes.", "equal",
     counted_times,
     [](Trial& t, const When& when) {
       Generations generations(when);
       for (std::uint64_t i = 1; i < when.generations(); ++i) {
         t.printed.equal(fmt::format("{}, i = {}", name_of(when), i), "nodes",
                         undivided(when, i) / (when.k - 1), generations.nodes[i + 1]);
       }
     },
     "nodes of every generation of afsahi-b4, counted"},
    {"last-generation", "Section 3.1.1, before EQ 1", "N = N_1 + .. + N_{ceil(S/(d+1)) - 1}.", "equal",
     counted_times,
     [](Trial& t, const When& when) {
       const Generations generations(when);
       std::uint64_t sum = 0;
       for (const auto& [generation, nodes] : generations.nodes)
         sum += generation + 1 <= when.generations() ? nodes : 0;
       t.printed.equal(when, "nodes", when.nodes(), sum);
       t.repaired.equal(when, "generations", when.generations(), generations.nodes.size());
     },
     "generations of afsahi-b4, counted", "up to N_{ceil(S/(d+1))}, as in EQ 1's own sum"},
    {"equation-1", "EQ 1", "The sum over all generations, printed without the division by k-1, is N(S).",
     "equal",
     [](const Trial& t) {
       return times(2, 8, 8, 40, t.up_to(1'000'000, 1'000'000'000), "k = 2..8, d = 0..8, S <= 40");
     },
     [](Trial& t, const When& when) {
       const std::uint64_t first = (power(when.k, when.time + 1) - 1) / (when.k - 1);
       std::uint64_t sum = 0;
       for (std::uint64_t i = 1; i < when.generations(); ++i) sum += undivided(when, i);
       t.equal(when, "by the recurrence", first + sum, first + sum / (when.k - 1), when.nodes());
     },
     "compared with the recurrence; for k = 2 the division makes no difference",
     "the double sum divided by k-1, as Lemma 1 has it"},
    {"equation-2", "EQ 2", "The sum for a single port is N(S).", "equal",
     [](const Trial& t) {
       return times(1, 1, 11, 60, t.up_to(1'000'000, 1'000'000'000), "d = 0..11, S <= 60");
     },
     [](Trial& t, const When& when) {
       std::uint64_t sum = when.time + 1;
       for (std::uint64_t i = 1; i < when.generations(); ++i) {
         for (std::uint64_t j = 1; i * (when.d + 1) + j <= when.time; ++j)
           sum += choose(j + i - 2, i - 1) * (when.time - i * (when.d + 1) + 1 - j);
       }
       t.printed.equal(when, "by the recurrence", sum, when.nodes());
     },
     "compared with the recurrence"},
};

}  // namespace flitscope::claims::afsahi
