// tsay-wang-dilated: a broadcast on a coarser torus, stretched by 2 or 3, and the gaps filled; as often as it
// saves steps.
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "algorithms/common/schedule.h"
#include "algorithms/tsay_wang/phase.h"

namespace flitscope::tsay_wang {

namespace {

/// F(d, q): ceil(d/2) for q = 2; 2 for every three dimensions and 1 for each that is left over for q = 3.
[[nodiscard]] constexpr unsigned fill_steps(unsigned d, std::uint32_t q) {
  return q == 2 ? (d + 1) / 2 : d / 3 * 2 + d % 3;
}

/// Steps 1 .. fill_steps(d, q), after all nodes are informed whose coordinates, in 0..n-1, are multiples of
/// q = 2 or 3.
///
/// Dimensions are filled in groups, one group after the other: pairs for q = 2, triples for q = 3, and what
/// is left over one by one. A group acts for all values of the dimensions filled before it and all grid
/// values, multiples of q, of those after it. A cell is the part of the torus from one grid value to the next
/// in each dimension of the group; offsets count from its corner.
class Fill {
 public:
  Fill(unsigned d, std::uint32_t n, std::uint32_t q) : d_(d), n_(n), q_(q) {}

  void operator()(unsigned e, const AddMessage& add) const {
    const unsigned steps_of_group = q_ - 1;
    const unsigned groups = d_ / q_;
    const unsigned group = (e - 1) / steps_of_group;
    if (group >= groups) {
      const unsigned dimension = groups * q_ + (e - groups * steps_of_group);
      return for_each_cell(dimension, [&](const Coordinates& corner) { fill_line(corner, dimension, add); });
    }
    const unsigned first = group * q_ + 1;
    const bool second_step = (e - 1) % steps_of_group == 1;
    for_each_cell(first, [&](const Coordinates& corner) {
      if (q_ == 2) {
        fill_square(corner, first, add);
      } else if (second_step) {
        fill_cube(corner, first, add);
      } else {
        for (unsigned k = first; k < first + 3; ++k) fill_line(corner, k, add);
      }
    });
  }

 private:
  /// Offsets 1 .. gap - 1 from a grid value lead to nodes off the grid.
  [[nodiscard]] std::uint32_t gap(std::uint32_t grid) const { return std::min(q_, n_ - grid); }
  [[nodiscard]] std::uint32_t next(std::uint32_t grid) const { return grid + q_ < n_ ? grid + q_ : 0; }

  /// Visits the corners of the cells of a group of dimensions from `first`.
  template <typename Visit>
  void for_each_cell(unsigned first, const Visit& visit) const {
    const auto values = [&](unsigned k) -> Range { return {0, n_, k < first ? 1 : q_}; };
    Coordinates corner{};
    for_each_in_box(1, d_, values, corner, visit);
  }

  /// Along one dimension: offset 1 from the corner by +, offset 2 from the next grid value by -.
  void fill_line(const Coordinates& corner, unsigned k, const AddMessage& add) const {
    const std::uint32_t grid = corner[k - 1];
    Coordinates to = corner;
    if (gap(grid) > 1) {
      to[k - 1] = grid + 1;
      add(corner, to, k, Sign::plus);
    }
    if (gap(grid) > 2) {
      Coordinates from = corner;
      from[k - 1] = next(grid);
      to[k - 1] = grid + 2;
      add(from, to, k, Sign::minus);
    }
  }

  /// q = 2: the edges of the square from its corner, its middle from the opposite corner.
  void fill_square(const Coordinates& corner, unsigned i, const AddMessage& add) const {
    const unsigned j = i + 1;
    fill_line(corner, i, add);
    fill_line(corner, j, add);
    if (gap(corner[i - 1]) == 1 || gap(corner[j - 1]) == 1) return;
    Coordinates to = corner;
    Coordinates from = corner;
    for (const unsigned k : {i, j}) {
      from[k - 1] = next(corner[k - 1]);
      to[k - 1] = corner[k - 1] + 1;
    }
    add(from, to, i, Sign::minus);
  }

  /// q = 3, when the edges of the cube are informed: its faces and its inside.
  void fill_cube(const Coordinates& corner, unsigned first, const AddMessage& add) const {
    std::array<std::uint32_t, 3> o{};
    for (o[2] = 0; o[2] < gap(corner[first + 1]); ++o[2]) {
      for (o[1] = 0; o[1] < gap(corner[first]); ++o[1]) {
        for (o[0] = 0; o[0] < gap(corner[first - 1]); ++o[0]) fill_cell(corner, first, o, add);
      }
    }
  }

  /// The node at offsets o of the group's three dimensions, if two or three of them are not 0.
  void fill_cell(const Coordinates& corner, unsigned first, const std::array<std::uint32_t, 3>& o,
                 const AddMessage& add) const {
    Coordinates to = corner;
    unsigned zeros = 0;
    for (unsigned w = 0; w < 3; ++w) {
      to[first - 1 + w] += o[w];
      if (o[w] == 0) ++zeros;
    }
    if (zeros > 1) return;
    // On a face: w is the dimension before the third, cyclically, that stays; the path is along w only.
    // Inside: w is kept, and the path goes along the two after it, whose offsets are equal.
    unsigned w = 0;
    if (zeros == 1) {
      while (o[(w + 2) % 3] != 0) ++w;
      move(corner, first, to, {w}, o[w], add);
    } else {
      while (o[(w + 1) % 3] != o[(w + 2) % 3]) ++w;
      move(corner, first, to, {(w + 1) % 3, (w + 2) % 3}, o[(w + 1) % 3], add);
    }
  }

  /// One link along each of the group's dimensions `along`: from the corner's grid values by + if the offset
  /// is 1, from the next ones by - if it is 2.
  void move(const Coordinates& corner, unsigned first, const Coordinates& to,
            std::initializer_list<unsigned> along, std::uint32_t offset, const AddMessage& add) const {
    Coordinates from = to;
    for (const unsigned w : along) {
      const std::uint32_t grid = corner[first - 1 + w];
      from[first - 1 + w] = offset == 1 ? grid : next(grid);
    }
    add(from, to, first + *along.begin(), offset == 1 ? Sign::plus : Sign::minus);
  }

  unsigned d_;
  std::uint32_t n_;
  std::uint32_t q_;
};

constexpr auto kName = "tsay-wang-dilated";

/// Plan of a broadcast on side n: directly, or on side ceil(n/q) and then filling up.
struct Plan {
  unsigned steps = 0;
  std::uint32_t stretch = 1;  ///< q; 1: directly

  [[nodiscard]] static Plan best(unsigned d, std::uint32_t n) {
    Plan plan;
    if (n == 1) return plan;
    plan.steps = d * ceil_log(2 * d + 1, n);
    for (const std::uint32_t q : {2U, 3U}) {
      const std::uint32_t coarse = (n + q - 1) / q;
      const bool can_be_solved = d >= 2 && (coarse >= 3 || (coarse == 1 && q == 3));
      if (!can_be_solved) continue;
      const unsigned steps = best(d, coarse).steps + fill_steps(d, q);
      if (steps < plan.steps) plan = {steps, q};
    }
    return plan;
  }
};

/// The broadcast of the best plan. Fills in the facts' steps, messages and stages.
std::unique_ptr<Schedule> planned(ScheduleFacts facts) {
  const unsigned d = facts.topology.dimensions();
  const std::uint32_t n = facts.topology.side(0);
  const std::uint64_t bytes = facts.collective.chunk_bytes.front();
  const std::uint32_t q = Plan::best(d, n).stretch;
  if (q == 1) {
    return extended_broadcast(std::move(facts), inner_broadcast("tsay-wang-direct", d, n, bytes), 1, nullptr);
  }
  const std::uint32_t coarse = (n + q - 1) / q;
  std::unique_ptr<Schedule> inner;
  NodeId informed = 1;
  if (coarse > 1) {
    ScheduleFacts smaller(Topology(TopologyKind::torus, std::vector<std::uint32_t>(d, coarse)));
    smaller.collective = Collective::broadcast(0, bytes);
    informed = smaller.topology.nodes();
    inner = planned(std::move(smaller));
  }
  facts.steps = fill_steps(d, q);
  facts.messages = facts.topology.nodes() - informed;
  facts.stages = {{"fill " + std::to_string(coarse) + " to " + std::to_string(n), 1, facts.steps}};
  return extended_broadcast(std::move(facts), std::move(inner), q, Fill(d, n, q));
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kName, 3);
  const unsigned d = topology.dimensions();
  ScheduleFacts facts = common::broadcast_facts(topology, values, kName, "cyclic-dimension-order", 2 * d);
  facts.claimed_steps = Plan::best(d, n).steps;
  facts.claimed_channel_load = 1;
  facts.messages = 0;
  return planned(std::move(facts));
}

const AlgorithmRegistry::Entry entry{common::segmented({
    .name = kName,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on an all-port torus in the fewest steps we know: on a coarser torus, then filling",
    .source = "ours, after Tsay and Wang: tsay-wang-direct on side ceil(n/2) or ceil(n/3), repeatedly",
    .claim = "never more steps than tsay-wang-direct; for d <= 4 and n <= 1000 at most one more than the "
             "lower bound; at most one message per link and step, none redundant",
    .admissible = "torus of equal sides n >= 3, any number of dimensions d",
    .parameters = broadcast_parameters(),
    .make = make,
})};

}  // namespace

}  // namespace flitscope::tsay_wang
