// The torus of Tsay and Wang, and the phases of a broadcast on it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <valarray>
#include <vector>

#include "algorithms/common/ring_schedule.h"
#include "algorithms/common/schedule.h"
#include "model/schedule.h"
#include "model/topology.h"

namespace flitscope::tsay_wang {

using common::Reading;
using common::RingSchedule;
using common::RingSender;

/// A vector of small integers, its entries counted from 1 as dimensions are in the paper; entry 0 is 0.
using Vector = std::valarray<std::int64_t>;

/// Ones in dimensions first..last, zero elsewhere.
inline Vector ones(unsigned first, unsigned last) {
  Vector vector(kMaxDimensions + 1);
  for (unsigned k = first; k <= last; ++k) vector[k] = 1;
  return vector;
}

/// The unit vector of dimension k.
inline Vector e(unsigned k) {
  return ones(k, k);
}

/// Coordinates of a node relative to the source, each in 0..n-1; index 0 is dimension 1.
using Coordinates = std::array<std::uint32_t, kMaxDimensions>;

/// The values first, first + stride, .. below end of a coordinate.
struct Range {
  std::uint32_t first;
  std::uint32_t end;
  std::uint32_t stride = 1;
};
/// Visits all coordinates of dimensions k..d with these values in each; the last one changes fastest.
template <typename Values, typename Visit>
void for_each_in_box(unsigned k, unsigned d, const Values& values, Coordinates& at,
                     const Visit& visit) {  // NOLINT(misc-no-recursion)
  if (k > d) return visit(at);
  const auto [first, end, stride] = values(k);
  for (at[k - 1] = first; at[k - 1] < end; at[k - 1] += stride) {
    for_each_in_box(k + 1, d, values, at, visit);
  }
}

/// The nodes of a torus of d sides of n nodes, by their coordinates relative to a source.
class RelativeNodes {
 public:
  RelativeNodes(const Topology& torus, NodeId source)
      : torus_(torus), d_(torus.dimensions()), n_(torus.side(0)) {
    for (unsigned i = 0; i < d_; ++i) source_[i] = torus.coordinate(source, i);
  }

  [[nodiscard]] unsigned d() const { return d_; }

  [[nodiscard]] NodeId node(Coordinates relative) const {
    add(relative, source_);
    return torus_.node(relative);
  }

  /// `value` mod n, in 0..n-1.
  [[nodiscard]] std::uint32_t mod(std::int64_t value) const {
    const std::int64_t n = n_;
    return static_cast<std::uint32_t>((value % n + n) % n);
  }
  [[nodiscard]] Coordinates mod(const Vector& vector) const {
    Coordinates result{};
    for (unsigned k = 1; k <= d_; ++k) result[k - 1] = mod(vector[k]);
    return result;
  }

  void add(Coordinates& node, const Coordinates& difference) const {
    for (unsigned i = 0; i < d_; ++i) {
      node[i] += difference[i];
      if (node[i] >= n_) node[i] -= n_;
    }
  }

  /// Visits `first` + a_1 g_1 + a_2 g_2 + .. for all a_i in Z_n, where g_i are the generators. Every node is
  /// visited once if they generate a lattice of n^generators nodes.
  template <typename Visit>
  void for_each_in_coset(std::span<const Vector> generators, Coordinates first, const Visit& visit) const {
    if (generators.empty()) return visit(first);
    const Coordinates last = mod(generators.back());
    for (std::uint32_t times = 0; times < n_; ++times) {
      for_each_in_coset(generators.first(generators.size() - 1), first, visit);
      add(first, last);
    }
  }

 private:
  Topology torus_;
  unsigned d_;
  std::uint32_t n_;
  Coordinates source_{};
};

/// A message as every node of a class sends it: where it leads, relative to its sender, and how.
struct Send {
  Vector difference;
  Route route;
};

/// One of the d phases. Its ring of n classes: class 0 is the lattice informed before the phase, class m is
/// class 0 + m * generator. All nodes of a class act alike.
struct Phase {
  std::string name;
  std::vector<Vector> lattice;
  Vector generator;
  /// Messages of a node to its targets on one side, displacements on the ring, nearest first: one message for
  /// each.
  std::function<std::vector<Send>(std::span<const std::int64_t> targets)> sends;
};

/// Adds the messages of step `number`, from 1, of phases of ring.steps() steps each, one after the other.
void play(const std::vector<Phase>& phases, const RingSchedule& ring, std::uint64_t number,
          const RelativeNodes& nodes, Step& step);
/// Messages of a phase in all its steps.
[[nodiscard]] std::uint64_t messages(const Phase& phase, const RingSchedule& ring, std::uint32_t n);

/// Adds a stage for every phase, each of ring.steps() steps, one after the other.
void add_stages(const std::vector<Phase>& phases, const RingSchedule& ring, std::vector<Stage>& stages);

// A broadcast that grows out of one on a smaller torus.

/// Adds a message to a step by coordinates relative to the source. Dimensions count from 1.
using AddMessage =
    std::function<void(const Coordinates& from, const Coordinates& to, unsigned first_dimension, Sign sign)>;
/// Adds the messages of further step e = 1, 2, ..
using FurtherStep = std::function<void(unsigned e, const AddMessage& add)>;

/// First the steps of a broadcast on a torus of side N from its node 0, played on those nodes of a torus of
/// side n whose coordinates relative to the source are 0, q, 2q, .., (N-1)q; then further steps.
///
/// A link of the small torus becomes the path to the next of these coordinates in the same direction (from
/// (N-1)q back to 0 that has n - (N-1)q links). Paths keep their dimensions and directions and, if they were
/// disjoint, stay so.
///
/// Adds to `facts`, which know the further ones, the steps, messages and stages of `inner`, which may be
/// null: a torus of a single node. `stretch` is q.
[[nodiscard]] std::unique_ptr<Schedule> extended_broadcast(ScheduleFacts facts,
                                                           std::unique_ptr<Schedule> inner,
                                                           std::uint32_t stretch, const FurtherStep& further);

/// A broadcast of `bytes` from node 0 of a torus of d sides of n nodes, by the algorithm of that name.
[[nodiscard]] std::unique_ptr<Schedule> inner_broadcast(const std::string& algorithm, unsigned d,
                                                        std::uint32_t n, std::uint64_t bytes);

}  // namespace flitscope::tsay_wang
