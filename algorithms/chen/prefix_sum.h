// The ranks of all messages: prefix sums of the counts at the diagonal nodes (Section 3.2.2.1).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/chen/multinode.h"
#include "algorithms/chen/ring.h"

namespace flitscope::chen {

/// Forward, counts are summed up from the cube of all diagonal planes to the plane of class 0, from there to
/// the line (k, 0, k), and to its node (0, 0, 0); backward, every node learns how many messages come before
/// its own. Every node takes part, since no node knows the holders of messages: a count of 0 travels as well.
///
/// With scalar sums a message is one word. With vectors there is a sum for each of the R classes, and the
/// messages of a class have consecutive ranks; then the later tuning finds them spread more evenly.
class PrefixSum {
 public:
  /// Counts what `held` has when the first round is played; `held` must outlive this.
  PrefixSum(const Partition& partition, const Options& options, const Held& held);

  PrefixSum(const PrefixSum&) = delete;  // the rounds point to this
  PrefixSum& operator=(const PrefixSum&) = delete;

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

  [[nodiscard]] std::size_t component(NodeId node) const;
  /// Of the sums of a node, as far as it has merged.
  [[nodiscard]] std::uint32_t bytes(NodeId node) const;

  Partition partition_;
  Options options_;
  const Held& held_;
  std::vector<NodeId> diagonal_;
  std::vector<NodeId> plane_;
  std::vector<NodeId> line_;
  std::vector<std::unique_ptr<Level>> levels_;
  /// By node; empty where a node has no part in it.
  std::vector<Sums> sums_;
  std::vector<Sums> offsets_;
  /// Of how many classes a node's sums can tell.
  std::vector<std::uint32_t> classes_;
};

}  // namespace flitscope::chen
