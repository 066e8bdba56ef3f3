// The multi-node broadcast of Chen, Chiang and Chen: the phases of which it consists.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/chen/partition.h"
#include "algorithms/chen/ring.h"

namespace flitscope::chen {

/// Choices beside h.
struct Options {
  /// Base of the ring patterns inside a plane: 7 as in the paper (two steps a level), or 3 (one step).
  int plane_base = 7;
  /// Prefix sums over all messages, or one for each class of diagonal nodes.
  bool vector_prefix = false;
  /// Collection in both directions of a line, not along the paper's embedded ring.
  bool bidirectional = false;
  /// Bytes of a count or an offset.
  std::uint32_t word_bytes = 4;
};

/// The messages that every node holds and is to pass on; a message is named by its chunk.
using Held = std::vector<std::vector<ChunkId>>;

/// Simultaneous moves: one step, or two; none, if nodes only take stock of what they hold. `play` adds the
/// moves and brings the state of the algorithm up to the end of the round; it is called once for every round,
/// in order.
struct Round {
  std::string stage;
  unsigned steps = 1;
  std::function<void(Moves&)> play;

  [[nodiscard]] static Round without_steps(std::function<void()> play) {
    return {"", 0, [play = std::move(play)](Moves&) { play(); }};
  }
};

/// All nodes of a class 0 mod h: those that hold messages after the aggregation.
[[nodiscard]] std::vector<NodeId> diagonal_nodes(const Partition& partition);

/// The nodes of class 0, (j + k, j, k): k from 0, j running fastest.
[[nodiscard]] std::vector<NodeId> plane_nodes(const Cube& cube);

/// A phase, to whose state its rounds point.
struct Pinned {
  Pinned() = default;
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
};

/// Collects all that is held along the levels of a tree on `ring`: `nodes` are those that may hold something.
/// The messages of a node travel as one combined message.
class Collection : Pinned {
 public:
  Collection(Ring ring, std::vector<NodeId> nodes, Held& held)
      : ring_(ring), nodes_(std::move(nodes)), held_(held) {}

  void add_rounds(const std::string& stage, const std::vector<RingLevel>& tree, std::vector<Round>& rounds);

 private:
  void play(const RingLevel& level, Moves& moves);

  Ring ring_;
  std::vector<NodeId> nodes_;
  Held& held_;
};

// --- The ranks of all messages: prefix sums of the counts at the diagonal nodes (Section 3.2.2.1)

/// Forward, counts are summed up from the cube of all diagonal planes to the plane of class 0, from there to
/// the line (k, 0, k), and to its node (0, 0, 0); backward, every node learns how many messages come before
/// its own. Every node takes part, since no node knows the holders of messages: a count of 0 travels as well.
///
/// With scalar sums a message is one word. With vectors there is a sum for each of the R classes, and the
/// messages of a class have consecutive ranks; then the later tuning finds them spread more evenly.
class PrefixSum : Pinned {
 public:
  /// Counts what `held` has when the first round is played; `held` must outlive this.
  PrefixSum(const Partition& partition, const Options& options, const Held& held);

  void add_rounds(std::vector<Round>& rounds);

  /// After the last round: the rank of the first message of a diagonal node.
  [[nodiscard]] std::uint32_t first_rank(NodeId node) const { return offsets_[node][component(node)]; }

 private:
  /// One for all classes, or one for each.
  using Sums = std::vector<std::uint32_t>;

  /// Sums of a node in a merge: parts by their place on the ring, its own at 0.
  struct Part {
    int position = 0;
    unsigned track = 0;
    NodeId node = 0;
    Sums sums;
  };
  struct Merge {
    NodeId parent = 0;
    std::vector<Part> parts;
  };
  struct Level {
    Ring ring;
    RingLevel arrows;
    std::span<const NodeId> nodes;
    std::vector<Merge> merges;
  };

  void add_levels(const Ring& ring, const std::vector<RingLevel>& tree, std::span<const NodeId> nodes);
  void count();
  void forward(Level& level, Moves& moves);
  void start_backward();
  void backward(Level& level, Moves& moves);

  [[nodiscard]] std::size_t component(NodeId node) const {
    return options_.vector_prefix ? static_cast<std::size_t>(partition_.cube().cls(node) / partition_.h())
                                  : 0;
  }
  /// Of the sums of a node, as far as it has merged.
  [[nodiscard]] std::uint32_t bytes(NodeId node) const {
    return (options_.vector_prefix ? classes_[node] : 1) * options_.word_bytes;
  }

  Partition partition_;
  Options options_;
  const Held& held_;
  std::vector<NodeId> diagonal_;
  std::vector<NodeId> plane_;
  std::vector<NodeId> line_;
  std::deque<Level> levels_;
  /// By node; empty where a node has no part in it.
  std::vector<Sums> sums_;
  std::vector<Sums> offsets_;
  /// Of how many classes a node's sums can tell.
  std::vector<std::uint32_t> classes_;
};

// --- Evens the messages out over the DDNs (Section 3.2.2.2)

/// A number in balanced base `base`: `count` digits, each -half .. half with half = (base-1) / 2, the highest
/// first. Requires that it can be written so.
[[nodiscard]] std::vector<int> balanced_digits(int number, int base, unsigned count);

/// The message of rank t moves to DDN t mod h^2 = u * h + v, inside its plane: to the row of v (along y),
/// then to the column of u (along z). Each path is one move for every digit of its length, highest first;
/// messages of a node with the same digit travel combined. Afterwards the DDNs differ by at most 1 message.
class Tuning : Pinned {
 public:
  /// Ranks the messages when the first round is played. All three must outlive this.
  Tuning(const Partition& partition, const Options& options, const PrefixSum& ranks, Held& held);

  void add_rounds(std::vector<Round>& rounds);

 private:
  void rank();
  /// The digits of all offsets along `axis`, from where the messages are.
  void plan(unsigned axis);
  /// Displacement of a digit at `scale` along the ring of h: in the shorter direction, of its own sign if
  /// both are equal.
  [[nodiscard]] int displacement(int digit, int scale) const {
    const int d = digit * scale;
    return 2 * std::abs(d) > partition_.h() ? in_window(d, partition_.h()) : d;
  }
  void play(unsigned axis, unsigned digit, int scale, Moves& moves);

  Partition partition_;
  int base_;
  unsigned digits_;
  const PrefixSum& ranks_;
  Held& held_;
  std::vector<NodeId> diagonal_;
  /// By chunk: its DDN, and the digits of the offset by which it moves now.
  std::vector<int> ddn_;
  std::vector<std::vector<int>> offset_digits_;
};

// --- The schedule

/// Start-ups of Lemma 3 and Lemma 4: what the paper claims for the two phases.
[[nodiscard]] std::uint64_t lemma_3_startups(int n, int h);
[[nodiscard]] std::uint64_t lemma_4_startups(int n, int h);

/// Parameters of every multi-node broadcast: `sources`, and `message`, the bytes that each of them has; then
/// `more`.
[[nodiscard]] std::vector<Parameter> multinode_parameters(std::vector<Parameter> more);

/// Facts that the sources settle: a chunk for each, in their order, which every node must have at the end,
/// and what all six ports allow. Throws Inadmissible("topology...") unless the network is a torus of three
/// equal sides n >= 3, and Inadmissible("workload.sources").
[[nodiscard]] ScheduleFacts multinode_facts(const Topology& topology, const ParameterValues& values,
                                            const std::string& algorithm);

}  // namespace flitscope::chen
