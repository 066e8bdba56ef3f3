// The multi-node broadcast of Chen, Chiang and Chen: what its phases share.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

/// Collects all that is held along the levels of a tree on `ring`: `nodes` are those that may hold something.
/// The messages of a node travel as one combined message.
class Collection {
 public:
  Collection(Ring ring, std::vector<NodeId> nodes, Held& held)
      : ring_(ring), nodes_(std::move(nodes)), held_(held) {}

  Collection(const Collection&) = delete;  // the rounds point to this
  Collection& operator=(const Collection&) = delete;

  void add_rounds(const std::string& stage, const std::vector<RingLevel>& tree, std::vector<Round>& rounds);

 private:
  void play(const RingLevel& level, Moves& moves);

  Ring ring_;
  std::vector<NodeId> nodes_;
  Held& held_;
};

/// Start-ups of Lemma 3 and Lemma 4: what the paper claims for the two phases.
[[nodiscard]] std::uint64_t lemma_3_startups(int n, int h);
[[nodiscard]] std::uint64_t lemma_4_startups(int n, int h);

}  // namespace flitscope::chen
