#include "algorithms/chen/multinode.h"

#include <fmt/ranges.h>

#include <ranges>

#include "algorithms/common/schedule.h"

namespace flitscope::chen {

std::vector<NodeId> diagonal_nodes(const Partition& partition) {
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < partition.cube().nodes(); ++node) {
    if (partition.is_diagonal(node)) nodes.push_back(node);
  }
  return nodes;
}

std::vector<NodeId> plane_nodes(const Cube& cube) {
  std::vector<NodeId> nodes;
  for (int k = 0; k < cube.n(); ++k) {
    for (int j = 0; j < cube.n(); ++j) nodes.push_back(cube.node(j + k, j, k));
  }
  return nodes;
}

void Collection::add_rounds(const std::string& stage, const std::vector<RingLevel>& tree,
                            std::vector<Round>& rounds) {
  for (const RingLevel& level : tree) {
    rounds.push_back({stage, ring_.steps(level), [this, level](Moves& moves) { play(level, moves); }});
  }
}

void Collection::play(const RingLevel& level, Moves& moves) {
  // A sender of a level does not receive in it.
  for (const Arrow& arrow : level) {
    for (const NodeId node : nodes_) {
      std::vector<ChunkId>& own = held_[node];
      if (own.empty() || !ring_.is_at(node, arrow.from)) continue;
      std::vector<ChunkId>& theirs = held_[ring_.send(moves, node, arrow.to - arrow.from, arrow.track, own)];
      theirs.insert(theirs.end(), own.begin(), own.end());
      own.clear();
    }
  }
}

std::uint64_t lemma_3_startups(int n, int h) {
  return 8 * ceil_log(7, n) + 5 * ceil_log(7, h) + 2 * ceil_log(7, n / h) + 1;
}

std::uint64_t lemma_4_startups(int n, int h) {
  return 6 * ceil_log(7, n / h) + ceil_log(3, h) + 2 * static_cast<unsigned>(h) - 2;
}

std::vector<Parameter> multinode_parameters(std::vector<Parameter> more) {
  std::vector<Parameter> all{
      Parameter::of(ParameterType::node_set, "sources", "the nodes that hold a message at the start")
          .or_else("all"),
      bytes_parameter("message", "length of each source's message", "64")};
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

ScheduleFacts multinode_facts(const Topology& topology, const ParameterValues& values,
                              const std::string& algorithm) {
  const std::uint32_t n = equal_torus_side(topology, algorithm, 3);
  refuse_if(topology.dimensions() != 3, "topology.shape",
            "{} needs 3 dimensions, not {}; nearest admissible: [{}, {}, {}]", algorithm,
            topology.dimensions(), n, n, n);
  ScheduleFacts facts = common::facts_of(topology, algorithm, topology.link_ports());
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  facts.claimed_channel_load = 1;
  for (const NodeId source : node_set_parameter(topology, values, "sources")) {
    const auto chunk = static_cast<ChunkId>(facts.collective.chunk_bytes.size());
    facts.collective.chunk_bytes.push_back(values.bytes("message"));
    facts.collective.initial.push_back({source, {chunk}});
  }
  return facts;
}

namespace {

std::vector<int> embedded_ring(int h) {
  std::vector<int> ring;
  for (int place = 0; place < h; place += 2) ring.push_back(place);
  for (int place = h - 1 - h % 2; place > 0; place -= 2) ring.push_back(place);
  return ring;
}

/// Distribution of the data over the DDNs, and its collection.
///
/// Every node of the plane learns all messages of its DDN, by a gossip along the rows and one along the
/// columns; then the planes spread them over the DDN. No message leaves the channels of its DDN.
///
/// Along x every diagonal node sends the messages of its DDN to its row; then the nodes of a column, and
/// after that those of a horizontal line, exchange what they have. At the end of the column stage a node has
/// N_u, the messages of all DDNs (u, v), v = 0 .. h-1, for the u of its z.
///
/// Columns and lines exchange either by the paper's ring, which is embedded in each block (even places
/// upwards, then the odd ones downwards; h - 1 steps), or on the lines of the torus, in both directions at
/// once (h div 2 steps, ours). There it does no harm that blocks have borders: what a node needs from place p
/// of its block, the same place of every other block has as well.
class DataMovement : Pinned {
 public:
  /// Takes what `held` has at the plane's nodes when the first round is played; `held` must outlive this.
  DataMovement(const Partition& partition, const Options& options, const Held& held)
      : partition_(partition),
        options_(options),
        held_(held),
        diagonal_(diagonal_nodes(partition)),
        plane_(plane_nodes(partition.cube())),
        classes_(Ring::of_classes(partition.cube(), partition.h(), partition.blocks())),
        rows_(Ring::along(partition.cube(), kY, partition.h(), partition.blocks())),
        columns_(Ring::along(partition.cube(), kZ, partition.h(), partition.blocks())),
        in_blocks_(Ring::of_classes(partition.cube(), 1, partition.h())),
        in_row_(partition.cube().nodes()),
        messages_(partition.ddn_count()),
        ring_(embedded_ring(partition.h())),
        place_on_ring_(ring_.size()),
        united_(partition.h()) {
    for (std::size_t i = 0; i < ring_.size(); ++i) place_on_ring_[ring_[i]] = static_cast<int>(i);
  }

  void add_rounds(std::vector<Round>& rounds) {
    add_gossip("rows", rows_, held_, rounds);
    rounds.push_back(Round::without_steps([this] { unite_rows(); }));
    add_gossip("columns", columns_, in_row_, rounds);
    rounds.push_back(Round::without_steps([this] { unite_ddns(); }));
    for (const RingLevel& level : std::views::reverse(ring_tree(partition_.blocks(), 7))) {
      rounds.push_back({"broadcast", 1, [this, level](Moves& moves) { broadcast(level, moves); }});
    }
    for (const RingLevel& level : std::views::reverse(ring_tree(partition_.h(), 3))) {
      rounds.push_back({"collect rows", 1, [this, level](Moves& moves) { collect_row(level, moves); }});
    }
    add_exchange("collect columns", kY, rounds);
    rounds.push_back(Round::without_steps([this] { unite_columns(); }));
    add_exchange("collect horizontally", kZ, rounds);
  }

 private:
  void add_gossip(const std::string& stage, const Ring& ring, const Held& pieces,
                  std::vector<Round>& rounds) {
    for (const GossipLevel& level : gossip(partition_.blocks(), options_.plane_base)) {
      rounds.push_back({stage, ring.steps(level), [this, ring, level, &pieces](Moves& moves) {
                          gossip_round(ring, level, pieces, moves);
                        }});
    }
  }

  void gossip_round(const Ring& ring, const GossipLevel& level, const Held& pieces, Moves& moves) {
    std::vector<ChunkId> gathered;
    for (const NodeId node : plane_) {
      for (const GossipSend& send : level) {
        gathered.clear();
        for (const int origin : send.origins) {
          const auto& piece = pieces[ring.shifted(node, origin)];
          gathered.insert(gathered.end(), piece.begin(), piece.end());
        }
        if (!gathered.empty()) ring.send(moves, node, send.displacement, send.track, gathered);
      }
    }
  }

  /// Knowledge of the nodes of the plane after the first gossip, and after the second (unite_ddns).
  void unite_rows() {
    const Cube& cube = partition_.cube();
    for (const NodeId node : plane_) {
      // Row k of the plane has n nodes, R of each DDN that it meets: the first of them speaks for all.
      if (cube.y(node) >= partition_.h()) continue;
      std::vector<ChunkId> all;
      for (int i = 0; i < partition_.blocks(); ++i) {
        const auto& piece = held_[rows_.shifted(node, i)];
        all.insert(all.end(), piece.begin(), piece.end());
      }
      for (int i = 0; i < partition_.blocks(); ++i) in_row_[rows_.shifted(node, i)] = all;
    }
  }

  void unite_ddns() {
    for (const NodeId node : plane_) {
      const auto& row = in_row_[node];
      auto& all = messages_[*partition_.ddn_of(node)];
      if (partition_.cube().y(node) < partition_.h()) all.insert(all.end(), row.begin(), row.end());
    }
    for (auto& all : messages_) std::ranges::sort(all);
  }

  void broadcast(const RingLevel& level, Moves& moves) {
    for (const Arrow& arrow : level) {
      for (const NodeId node : diagonal_) {
        const auto& all = messages_[*partition_.ddn_of(node)];
        if (all.empty() || !classes_.is_at(node, arrow.to)) continue;
        classes_.send(moves, node, arrow.from - arrow.to, arrow.track, all);
      }
    }
  }

  /// Along x, cls counts the distance from the diagonal node.
  void collect_row(const RingLevel& level, Moves& moves) {
    const Cube& cube = partition_.cube();
    for (const Arrow& arrow : level) {
      for (NodeId node = 0; node < cube.nodes(); ++node) {
        const auto& all = messages_[partition_.ddn_of_row(cube.y(node), cube.z(node))];
        if (all.empty() || !in_blocks_.is_at(node, arrow.to)) continue;
        moves.straight(node, kX, arrow.from - arrow.to, all);
      }
    }
  }

  void add_exchange(const std::string& stage, unsigned dimension, std::vector<Round>& rounds) {
    const int steps = options_.bidirectional ? partition_.h() / 2 : partition_.h() - 1;
    for (int step = 0; step < steps; ++step) {
      rounds.push_back(
          {stage, 1, [this, dimension, step](Moves& moves) { exchange(dimension, step, moves); }});
    }
  }

  /// Every node passes on what it got last, at first its own piece. Direction + carries the pieces of lower
  /// places, direction - those of higher ones; where both would bring the same piece, the last step goes
  /// without direction -.
  void exchange(unsigned dimension, int step, Moves& moves) {
    const Cube& cube = partition_.cube();
    const int h = partition_.h();
    for (NodeId node = 0; node < cube.nodes(); ++node) {
      const int place = cube.coordinate(node, dimension) % h;
      const auto pass_on = [&](int piece_of, int displacement) {
        const auto& chunks = piece(node, dimension, piece_of);
        if (!chunks.empty()) moves.straight(node, dimension, displacement, chunks);
      };
      if (!options_.bidirectional) {
        const int on_ring = place_on_ring_[place];
        pass_on(ring_[mod(on_ring - step, h)], ring_[(on_ring + 1) % h] - place);
        continue;
      }
      pass_on(mod(place - step, h), 1);
      if (2 * step + 1 != h - 1) pass_on(mod(place + step, h), -1);
    }
  }

  void unite_columns() {
    const int h = partition_.h();
    for (int u = 0; u < h; ++u) {
      for (int v = 0; v < h; ++v) {
        const auto& all = messages_[u * h + v];
        united_[u].insert(united_[u].end(), all.begin(), all.end());
      }
      std::ranges::sort(united_[u]);
    }
  }

  /// Contribution of a node at `place` of its block to the exchange along `dimension`.
  [[nodiscard]] const std::vector<ChunkId>& piece(NodeId node, unsigned dimension, int place) const {
    if (dimension == kZ) return united_[place];
    return messages_[partition_.ddn_of_row(place, partition_.cube().z(node))];
  }

  Partition partition_;
  Options options_;
  const Held& held_;
  std::vector<NodeId> diagonal_;
  std::vector<NodeId> plane_;
  Ring classes_;
  Ring rows_;
  Ring columns_;
  Ring in_blocks_;
  Held in_row_;
  /// M_{u,v}, all messages of DDN u * h + v, sorted. Known when the gossip is over.
  std::vector<std::vector<ChunkId>> messages_;
  /// The places of a block's line in the order of the embedded ring: 0, 2, 4, .., then the odd ones down.
  std::vector<int> ring_;
  std::vector<int> place_on_ring_;
  /// N_u.
  std::vector<std::vector<ChunkId>> united_;
};

/// All that nodes know, and the rounds in which they act on it, step by step.
class Multinode : Pinned {
 public:
  Multinode(const Partition& partition, const Options& options, const Collective& collective)
      : held_(partition.cube().nodes()),
        aggregation_(Ring::of_classes(partition.cube(), 1, partition.h()), all_nodes(partition), held_),
        prefix_sum_(partition, options, held_),
        tuning_(partition, options, prefix_sum_, held_),
        alignment_(Ring::of_classes(partition.cube(), partition.h(), partition.blocks()),
                   diagonal_nodes(partition), held_),
        movement_(partition, options, held_),
        moves_(partition.cube()) {
    for (const Holding& holding : collective.initial) held_[holding.node] = holding.chunks;
    // Aggregation phase, Section 3.2: to the diagonals of the blocks, then evenly to the DDNs.
    aggregation_.add_rounds("aggregate", ring_tree(partition.h(), 7), rounds_);
    prefix_sum_.add_rounds(rounds_);
    tuning_.add_rounds(rounds_);
    // Distribution phase, Section 3.3: to the plane, over each DDN, then within the blocks.
    alignment_.add_rounds("align", ring_tree(partition.blocks(), 7), rounds_);
    movement_.add_rounds(rounds_);
  }

  [[nodiscard]] const std::vector<Round>& rounds() const { return rounds_; }

  /// Adds the messages of the next step.
  void play(Step& step) {
    while (step_ == round_steps_) {
      const Round& round = rounds_[next_round_++];
      moves_.clear();
      round.play(moves_);
      round_steps_ = round.steps;
      step_ = 0;
    }
    step = moves_.step(++step_);
  }

 private:
  static std::vector<NodeId> all_nodes(const Partition& partition) {
    return diagonal_nodes(Partition(partition.n(), 1));
  }

  Held held_;
  Collection aggregation_;
  PrefixSum prefix_sum_;
  Tuning tuning_;
  Collection alignment_;
  DataMovement movement_;
  std::vector<Round> rounds_;
  Moves moves_;
  std::size_t next_round_ = 0;
  unsigned round_steps_ = 0;
  unsigned step_ = 0;
};

Options options_of(const ParameterValues& values) {
  return {.plane_base = values.text("plane_base") == "3" ? 3 : 7,
          .vector_prefix = values.text("prefix") == "vector",
          .bidirectional = values.text("collection") == "bidirectional",
          .word_bytes = static_cast<std::uint32_t>(values.bytes("word"))};
}

int divisor_parameter(const ParameterValues& values, int n) {
  const std::int64_t h = values.integer("h");
  if (h <= n && n % h == 0) return static_cast<int>(h);
  std::vector<int> divisors;
  for (int divisor = 1; divisor <= n; ++divisor) {
    if (n % divisor == 0) divisors.push_back(divisor);
  }
  throw Inadmissible("workload.h", "h must divide the side {} of the torus: {}; {} does not", n,
                     fmt::join(divisors, ", "), h);
}

/// Rounds of the same name that follow one another are a stage.
void add_stages(ScheduleFacts& facts, const std::vector<Round>& rounds) {
  for (const Round& round : rounds) {
    if (round.steps == 0) continue;
    const std::uint64_t first = facts.steps + 1;
    facts.steps += round.steps;
    if (facts.stages.empty() || facts.stages.back().name != round.stage) {
      facts.stages.push_back({round.stage, first, facts.steps});
    }
    facts.stages.back().last_step = facts.steps;
  }
}

/// The parameters of Chen's algorithm, with the defaults that distinguish its two settings.
std::vector<Parameter> aggregation_parameters(const std::string& plane_base, const std::string& collection) {
  return multinode_parameters(
      {Parameter::integer("h", "side of a data-collecting block; there are h^2 distribution networks",
                          {1, std::int64_t{1} << 20}),
       Parameter::choice("plane_base",
                         "base of the patterns inside a plane: 7, two steps a level; 3, one step", {"3", "7"})
           .or_else(plane_base),
       Parameter::choice("prefix", "one prefix sum over all messages, or a vector with one for each plane",
                         {"scalar", "vector"})
           .or_else("scalar"),
       Parameter::choice("collection", "along rings embedded in the blocks, or in both directions of a line",
                         {"ring", "bidirectional"})
           .or_else(collection),
       Parameter::bytes("word", "length of a count in the prefix sums", {1, 64}).or_else("4")});
}

/// `claimed_steps` says what the setting claims. Throws as multinode_facts, and Inadmissible("workload.h") if
/// h does not divide n, naming those that do.
std::unique_ptr<Schedule> aggregation_schedule(const Topology& topology, const ParameterValues& values,
                                               const std::string& algorithm,
                                               std::uint64_t (*claimed_steps)(int n, int h,
                                                                              const Options& options)) {
  ScheduleFacts facts = multinode_facts(topology, values, algorithm);
  const int n = static_cast<int>(topology.side(0));
  const Partition partition(n, divisor_parameter(values, n));
  const Options options = options_of(values);
  facts.claimed_steps = claimed_steps(n, partition.h(), options);
  // Empty messages are not sent, so only going through the schedule tells how many there are.
  Multinode rehearsal(partition, options, facts.collective);
  add_stages(facts, rehearsal.rounds());
  Step step;
  for (std::uint64_t number = 0; number < facts.steps; ++number) {
    step.clear();
    rehearsal.play(step);
    facts.messages += step.messages().size();
  }
  const auto algorithm_state = std::make_shared<Multinode>(partition, options, facts.collective);
  return common::stepwise(std::move(facts),
                          [algorithm_state](std::uint64_t, Step& into) { algorithm_state->play(into); });
}

// chen-multinode: multi-node broadcast on the 3-D torus by aggregation and distribution.
//
// Sources at any places each have a message for all. Their messages are aggregated at regular positions,
// evened out over h^2 networks that share no link, distributed in all of these at once, and collected in the
// blocks of side h (Section 3.1). The number of steps depends on n and h only.
//
// Repaired against the paper: trees that suit every h and n, not powers of 7 only; a third pair of row moves
// that stays in its plane; combined messages in the tuning; a gossip in place of the exchange between groups
// of 7 that the paper does not describe.

constexpr auto kMultinodePaper = "chen-multinode";

/// Lemma 3 and Lemma 4, which no choice of the other parameters exceeds.
std::uint64_t paper_claimed_steps(int n, int h, const Options& /*options*/) {
  return lemma_3_startups(n, h) + lemma_4_startups(n, h);
}

const AlgorithmRegistry::Entry multinode_paper_entry{{
    .name = kMultinodePaper,
    .collective = {.kind = CollectiveKind::multinode_broadcast, .divisor = "h"},
    .summary =
        "broadcast from many sources on a 3-D torus, by aggregation and distribution over h^2 networks",
    .source = "Chen, Chiang and Chen, Section 3, repaired for every h that divides n",
    .claim =
        "at most the steps of Lemmas 3 and 4, whatever the sources; at most one message per link and step",
    .admissible = "torus of three equal sides n >= 3, h a divisor of n",
    .parameters = aggregation_parameters("7", "ring"),
    .make = common::make_with(aggregation_schedule, kMultinodePaper, paper_claimed_steps),
    .memory = {.per_node = 2048, .per_pair_of_nodes = 3},
}};

// chen-multinode-fast: the same broadcast with fewer start-ups.
//
// Inside a plane it sends to the two neighbours of a level in one step where the paper sends to six in two
// steps: ceil(log_3 R) <= 2 ceil(log_7 R). In the blocks it collects in both directions of a line, which
// halves the 2h - 2 start-ups that dominate for large h.

constexpr auto kMultinodeFast = "chen-multinode-fast";

std::uint64_t fast_claimed_steps(int n, int h, const Options& options) {
  const int blocks = n / h;
  const int base = options.plane_base;
  const unsigned steps_a_level = base == 3 ? 1 : 2;
  const unsigned inside_planes = 4 * ceil_log(base, n) + 2 * ceil_log(base, h) + 2 * ceil_log(base, blocks);
  const auto width = static_cast<unsigned>(options.bidirectional ? h / 2 : h - 1);
  return ceil_log(7, h) + 4 * ceil_log(7, blocks) + steps_a_level * inside_planes + ceil_log(3, h) +
         2 * width;
}

const AlgorithmRegistry::Entry multinode_fast_entry{{
    .name = kMultinodeFast,
    .collective = {.kind = CollectiveKind::multinode_broadcast, .divisor = "h"},
    .summary = "chen-multinode with one-step moves inside planes and collection in both directions",
    .source = "ours, after Chen, Chiang and Chen",
    .claim = "b + 4c + 4 lg_3 n + 2 lg_3 h + 2 lg_3 R + lg_3 h + 2 (h div 2) steps, with R = n/h, b = lg_7 "
             "h, c = lg_7 R, all rounded up; at most one message per link and step",
    .admissible = "torus of three equal sides n >= 3, h a divisor of n",
    .parameters = aggregation_parameters("3", "bidirectional"),
    .make = common::make_with(aggregation_schedule, kMultinodeFast, fast_claimed_steps),
    .memory = {.per_node = 2048, .per_pair_of_nodes = 6},
}};

}  // namespace

}  // namespace flitscope::chen
