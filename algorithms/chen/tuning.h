// Evens the messages out over the DDNs (Section 3.2.2.2).
#pragma once

#include <vector>

#include "algorithms/chen/multinode.h"
#include "algorithms/chen/prefix_sum.h"

namespace flitscope::chen {

/// A number in balanced base `base`: `count` digits, each -half .. half with half = (base-1) / 2, the highest
/// first. Requires that it can be written so.
[[nodiscard]] std::vector<int> balanced_digits(int number, int base, unsigned count);

/// The message of rank t moves to DDN t mod h^2 = u * h + v, inside its plane: to the row of v (along y),
/// then to the column of u (along z). Each way is one move for every digit of its length, highest first;
/// messages of a node with the same digit travel combined. Afterwards the DDNs differ by at most 1 message.
class Tuning {
 public:
  /// Ranks the messages when the first round is played. All three must outlive this.
  Tuning(const Partition& partition, const Options& options, const PrefixSum& ranks, Held& held);

  Tuning(const Tuning&) = delete;  // the rounds point to this
  Tuning& operator=(const Tuning&) = delete;

  void add_rounds(std::vector<Round>& rounds);

 private:
  void rank();
  /// The digits of all ways along `axis`, from where the messages are.
  void plan(unsigned axis);
  /// Displacement of a digit at `scale` along the ring of h: the shorter way, its own sign if both are equal.
  [[nodiscard]] int displacement(int digit, int scale) const;
  void play(unsigned axis, unsigned digit, int scale, Moves& moves);

  Partition partition_;
  int base_;
  unsigned digits_;
  const PrefixSum& ranks_;
  Held& held_;
  std::vector<NodeId> diagonal_;
  /// By chunk: its DDN, and the digits of the way it goes now.
  std::vector<int> ddn_;
  std::vector<std::vector<int>> way_;
};

}  // namespace flitscope::chen
