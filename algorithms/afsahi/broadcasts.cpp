// Broadcasts B1 to B4 of Afsahi and Dimopoulos.
#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <tuple>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"
#include "algorithms/common/schedule.h"

namespace flitscope::afsahi {

namespace {

constexpr std::array<ChunkId, 1> kMessage{0};

/// Calls visit(circuit, level) for every edge of the tree on N nodes, level by level; the root's are of level
/// 0. Nodes are as seen from the source.
template <typename Visit>
void for_each_edge(std::uint64_t nodes, std::uint64_t k, const FromSource& node, Visit visit) {
  std::uint64_t level = 0;
  std::uint64_t last_of_level = 0;
  for (std::uint64_t v = 0; k * v + 1 < nodes; ++v) {
    if (v > last_of_level) {
      ++level;
      last_of_level = k * last_of_level + k;
    }
    for (std::uint64_t p = 0; p < k && k * v + p + 1 < nodes; ++p) {
      visit(Circuit{node(v), static_cast<std::uint32_t>(p), node(k * v + p + 1)}, level);
    }
  }
}

// afsahi-b1: broadcast along the k-ary tree; a node tunes its ports when it is informed (Section 3.1, B1).

constexpr auto kB1 = "afsahi-b1";

std::unique_ptr<CircuitSchedule> make_b1(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kB1);
  const auto [nodes, k, d] = sizes_of(network);
  CircuitList events;
  for_each_edge(nodes, k, from_source(facts), [&](const Circuit& edge, std::uint64_t level) {
    events.tune_and_send(edge, level * (d + 1), d, kMessage);
  });
  facts.claimed_units = (d + 1) * tree_depth(nodes, k);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry b1_entry{{
    .name = kB1,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast along the k-ary tree, tuning when informed",
    .source = "Afsahi and Dimopoulos, Section 3.1, B1",
    .claim = "(d+1) * depth of the k-ary tree on N nodes, in units of t_m",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters(),
    .make_circuits = make_b1,
}};

// afsahi-b2: all informed nodes inform k others each, step after step (Section 3.1, B2; for k = 1 the
// binomial tree).

constexpr auto kB2 = "afsahi-b2";

std::unique_ptr<CircuitSchedule> make_b2(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kB2);
  const auto [nodes, k, d] = sizes_of(network);
  const FromSource node = from_source(facts);
  CircuitList events;
  std::uint64_t start = 0;
  // The n informed nodes are 0 .. n-1; node j informs n+jk .. n+jk+k-1.
  for (std::uint64_t n = 1; n < nodes; n = std::min(nodes, n * (k + 1)), start += d + 1) {
    for (std::uint64_t target = n; target < std::min(nodes, n * (k + 1)); ++target) {
      const auto port = static_cast<std::uint32_t>((target - n) % k);
      events.tune_and_send({node((target - n) / k), port, node(target)}, start, d, kMessage);
    }
  }
  facts.claimed_units = (d + 1) * ceil_log(k + 1, nodes);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry b2_entry{{
    .name = kB2,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast in which all informed nodes tune to k others each in every step",
    .source = "Afsahi and Dimopoulos, Section 3.1, B2; k = 1: the spanning binomial tree",
    .claim = "(d+1) * ceil(log_{k+1} N), in units of t_m",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters(),
    .make_circuits = make_b2,
}};

// afsahi-b3: broadcast along the k-ary tree, all of whose circuits are tuned at once (Section 3.1, B3).

constexpr auto kB3 = "afsahi-b3";

std::unique_ptr<CircuitSchedule> make_b3(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kB3);
  const auto [nodes, k, d] = sizes_of(network);
  const bool warm = is_warm(values);
  const std::uint64_t first = warm ? 0 : d;
  CircuitList events;
  for_each_edge(nodes, k, from_source(facts), [&](const Circuit& edge, std::uint64_t level) {
    events.begin_with(edge, warm);
    events.send(edge, first + level, kMessage);
  });
  facts.claimed_units = first + tree_depth(nodes, k);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry b3_entry{{
    .name = kB3,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast along the k-ary tree, all circuits tuned together beforehand",
    .source = "Afsahi and Dimopoulos, Section 3.1, B3",
    .claim = "d + depth of the k-ary tree on N nodes, in units of t_m; from a warm start the depth",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters({start_parameter("cold")}),
    .make_circuits = make_b3,
}};

// afsahi-b4: the latency-hiding broadcast, and broadcasts that follow each other (Section 3.1, B4; for k = 1
// B_F1).
//
// A node that has sent the message to its first set of k nodes tunes to a second set, sends again, and so on,
// while the message travels on over the circuits that are there. Which nodes are in a set is found by the
// paper's configuration phase: the set with the earliest arrival takes the next k nodes.

constexpr auto kB4 = "afsahi-b4";
/// Events are held in memory; a single broadcast is always possible.
constexpr std::uint64_t kMaxMessages = 20'000'000;

/// The q-th set of a node: its message arrives at nodes first, first+1, .. (one per port) at `arrival`.
/// Nodes are as seen from the source, times those of a warm start.
struct Set {
  std::uint64_t arrival = 1;
  std::uint64_t q = 0;
  std::uint64_t parent = 0;
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

/// All sets, in order of arrival.
std::vector<Set> configuration_phase(std::uint64_t nodes, std::uint64_t k, std::uint64_t d) {
  const auto later = [](const Set& a, const Set& b) {
    return std::tie(a.arrival, a.q, a.parent) > std::tie(b.arrival, b.q, b.parent);
  };
  std::priority_queue<Set, std::vector<Set>, decltype(later)> next(later);
  next.push({});
  std::vector<Set> sets;
  for (std::uint64_t unused = 1; unused < nodes;) {
    Set set = next.top();
    next.pop();
    set.first = unused;
    set.size = std::min(k, nodes - unused);
    unused += set.size;
    sets.push_back(set);
    next.push({set.arrival + d + 1, set.q + 1, set.parent});
    for (std::uint64_t v = set.first; v < unused; ++v) next.push({set.arrival + 1, 0, v});
  }
  return sets;
}

/// Times and targets of a node in one broadcast.
struct Node {
  std::uint64_t informed = 0;
  std::uint64_t first = 0;     ///< of its first set
  std::uint64_t last_end = 0;  ///< of its sends; 0: it sends nothing
  bool retuned = false;
};

struct Plan {
  std::vector<Set> sets;
  std::vector<Node> nodes;

  Plan(std::uint64_t size, std::uint64_t k, std::uint64_t d)
      : sets(configuration_phase(size, k, d)), nodes(size) {
    for (const Set& set : sets) {
      for (std::uint64_t v = set.first; v < set.first + set.size; ++v) nodes[v].informed = set.arrival;
      if (set.q == 0) nodes[set.parent].first = set.first;
      nodes[set.parent].last_end = set.arrival;
      nodes[set.parent].retuned |= set.q > 0;
    }
  }

  /// The next broadcast may follow when every node is back at its first set by the time it is informed again.
  [[nodiscard]] std::uint64_t least_period(std::uint64_t d) const {
    std::uint64_t period = 1;
    for (const Node& node : nodes) {
      if (node.last_end == 0) continue;  // a leaf
      period = std::max(period, node.last_end - node.informed + (node.retuned ? d : 0));
    }
    return period;
  }
};

/// Adds one broadcast of `chunk` that begins at `begin`, its first circuits tuned; at the end, if `restore`,
/// the ports go back to their first targets.
void add_broadcast(CircuitList& events, const Plan& plan, const FromSource& node, std::uint64_t k,
                   std::uint64_t d, std::uint64_t begin, ChunkId chunk, bool restore) {
  const std::array<ChunkId, 1> chunks{chunk};
  /// When a port's last send so far has ended, if it is away from its first target.
  std::vector<std::uint64_t> away(restore ? plan.nodes.size() * k : 0);
  for (const Set& set : plan.sets) {
    for (std::uint64_t p = 0; p < set.size; ++p) {
      const Circuit circuit{node(set.parent), static_cast<std::uint32_t>(p), node(set.first + p)};
      if (set.q > 0) events.tune(circuit, begin + set.arrival - 1 - d);
      events.send(circuit, begin + set.arrival - 1, chunks);
      if (restore && set.q > 0) away[set.parent * k + p] = begin + set.arrival;
    }
  }
  for (std::uint64_t at = 0; at < away.size(); ++at) {
    if (away[at] == 0) continue;
    const std::uint64_t p = at % k;
    events.tune({node(at / k), static_cast<std::uint32_t>(p), node(plan.nodes[at / k].first + p)}, away[at]);
  }
}

std::unique_ptr<CircuitSchedule> make_b4(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kB4);
  const auto [nodes, k, d] = sizes_of(network);
  const bool warm = is_warm(values);
  const auto repeat = static_cast<std::uint64_t>(values.integer("repeat"));
  refuse_if(repeat > 1 && repeat > kMaxMessages / nodes, "workload.repeat",
            "{} broadcasts to {} nodes are too many; at most {} are possible", repeat, nodes,
            std::max<std::uint64_t>(1, kMaxMessages / nodes));
  const Plan plan(nodes, k, d);
  const bool least = std::holds_alternative<std::string>(values.all().at("period"));
  const std::uint64_t period = least ? plan.least_period(d) : values.bytes("period");

  // Every broadcast has a chunk of its own.
  facts.collective.chunk_bytes.assign(repeat, values.bytes("message"));
  const FromSource node = from_source(facts);
  facts.collective.initial = {common::run_of_chunks(node(0), repeat)};
  const std::uint64_t first = warm ? 0 : d;
  CircuitList events;
  for (const Set& set : plan.sets) {
    if (set.q > 0) continue;
    for (std::uint64_t p = 0; p < set.size; ++p) {
      events.begin_with({node(set.parent), static_cast<std::uint32_t>(p), node(set.first + p)}, warm);
    }
  }
  for (std::uint64_t r = 0; r < repeat; ++r) {
    const bool restore = r + 1 < repeat || values.boolean("restore");
    add_broadcast(events, plan, node, k, d, first + r * period, static_cast<ChunkId>(r), restore);
  }
  facts.claimed_units = first + (repeat - 1) * period + b4_time(nodes, k, d);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry b4_entry{{
    .name = kB4,
    .collective = {CollectiveKind::broadcast},
    .summary = "latency-hiding broadcast: a node tunes to further nodes while the message travels on",
    .source = "Afsahi and Dimopoulos, Section 3.1, B4 and B_F1; set by set for any N",
    .claim = "least S with N(S) >= N, N(S) = k N(S-1) + N(S-d-1), in units of t_m; d more from a cold start",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters(
        {start_parameter("warm"),
         Parameter::integer("repeat", "broadcasts from the source, one after the other", {1, 1'000'000})
             .or_else("1"),
         Parameter::integer(
             "period", "time from one broadcast's begin to the next one's; auto: the least that is legal",
             {1, 1'000'000'000'000}, "t_m")
             .or_words({"auto"})
             .or_else("auto"),
         Parameter::boolean("restore",
                            "after the last broadcast, too, ports are tuned back to their first targets")
             .or_else("false")}),
    .make_circuits = make_b4,
}};

}  // namespace

}  // namespace flitscope::afsahi
