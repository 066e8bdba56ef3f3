// The sets of nodes in Tsay and Wang's lemmas, by their printed definitions and nothing else: to hold the
// lemmas, and our algorithms, against.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace flitscope::claims::tsay_wang {

/// Coordinates of a node, 0..n-1; index 0 is the paper's dimension 1.
using Node = std::vector<std::uint32_t>;

/// A torus of d sides of n nodes.
struct Torus {
  std::uint64_t n = 0;
  unsigned d = 0;
};

/// D_{h,0}, h = 1 .. d: who is informed before phase h, by the recursion of Lemma 3.
[[nodiscard]] std::set<Node> informed_before(const Torus& torus, unsigned h);

/// S of Section 6, all nodes with x_1 = x_2 + .. + x_d.
[[nodiscard]] std::set<Node> aligned(const Torus& torus);

/// Dimensions in which two nodes differ: dd(p_1, p_2).
[[nodiscard]] unsigned dimension_distance(const Node& one, const Node& other);

/// Two different nodes that differ in a single dimension, if the set has such.
[[nodiscard]] std::optional<std::pair<Node, Node>> neighbours_in_line(const std::set<Node>& nodes);

/// How often Section 5.2 has to look up s_2 or s_3 in D_{h,0} in phase h, and how often there is not exactly
/// one such node. Targets as the ring schedule has them.
struct LookUps {
  std::uint64_t all = 0;
  std::uint64_t ambiguous = 0;
};
[[nodiscard]] LookUps look_ups(const Torus& torus, unsigned h);

/// Classes of the ring that are informed after each step, by Lemma 2 as printed: the gap of two consecutive
/// informed classes is their index difference plus 1, mod n. Until nothing changes.
[[nodiscard]] std::vector<std::uint64_t> printed_growth(std::uint64_t n, unsigned d);

/// Distances from an informed class at which Lemma 2 puts its 2d new ones, the next informed class being
/// `gap` classes on; as printed, without regard to how many classes there are.
[[nodiscard]] std::vector<std::uint64_t> printed_offsets(std::uint64_t gap, unsigned d);

}  // namespace flitscope::claims::tsay_wang
