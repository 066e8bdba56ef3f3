// Who competes in Section 4.2, on tori that h divides, with T_s = 30 and T_c = 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/claims/papers/chen_multinode/volume.h"

namespace flitscope::claims::chen_multinode {

inline constexpr std::uint64_t kStartup = 30;
inline constexpr std::uint64_t kPerByte = 1;

/// Sources from 1 % of the nodes to all of them, and lengths of a source's message in bytes.
[[nodiscard]] std::vector<std::uint64_t> source_counts(int n);
[[nodiscard]] std::vector<std::uint64_t> lengths();

/// "n = 14, s = 27, m = 1"
[[nodiscard]] std::string point(int n, std::uint64_t sources, std::uint64_t m);

/// An algorithm with its parameters, and how its steps are filled.
struct Contender {
  std::string algorithm;
  Size size;
  std::string more;
  Volume volume;

  Contender(std::string name, Size on, std::uint64_t sources, std::string parameters);

  /// By the cost model, with messages of m bytes.
  [[nodiscard]] std::uint64_t time(std::uint64_t m) const { return volume.time(kStartup, kPerByte, m); }
  /// On flits, see Volume.
  [[nodiscard]] std::uint64_t cycles_with_barrier(std::uint64_t m) const {
    return volume.cycles_with_barrier(kStartup, m);
  }
  /// "h = 7", "batch = 4"
  [[nodiscard]] std::string choice() const;
};

using Contenders = std::vector<Contender>;

/// What decides between contenders, for messages of m bytes.
using Cost = std::uint64_t (Contender::*)(std::uint64_t m) const;

/// An aggregation algorithm with every h >= 2 that divides n.
[[nodiscard]] Contenders with_divisors(const std::string& algorithm, int n, std::uint64_t sources);

/// The trees found by search, pipelined, in batches of 1, 4, 16, ..
[[nodiscard]] Contenders trees(int n, std::uint64_t sources);

[[nodiscard]] const Contender& best(const Contenders& all, std::uint64_t m, Cost cost = &Contender::time);

/// 3 floor(n/2) (T_s + ceil(s/6) m T_c), the trees as Section 4.1 counts them: no gather, no pipelining.
[[nodiscard]] std::uint64_t trees_formula(int n, std::uint64_t sources, std::uint64_t m);

/// chen-multinode, chen-multinode-fast and the trees on one torus with the same sources.
class Families {
 public:
  Families(int n, std::uint64_t sources);

  /// In this order.
  [[nodiscard]] const std::vector<Contenders>& all() const { return families_; }
  /// The best of each by the model.
  [[nodiscard]] std::vector<const Contender*> finalists(std::uint64_t m) const;

 private:
  std::vector<Contenders> families_;
};

/// Cycles on flits of one byte. Throws std::runtime_error if the run is not verified.
[[nodiscard]] std::uint64_t cycles_on_flits(const Contender& contender, std::uint64_t sources,
                                            std::uint64_t m, Advance advance);

/// Calls visit(sources, m, families) for all numbers of sources and all lengths.
template <typename Visit>
void for_each_point(int n, const Visit& visit) {
  for (const std::uint64_t sources : source_counts(n)) {
    const Families families(n, sources);
    for (const std::uint64_t m : lengths()) visit(sources, m, families);
  }
}

}  // namespace flitscope::claims::chen_multinode
