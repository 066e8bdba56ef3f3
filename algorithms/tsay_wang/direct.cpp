// tsay-wang-direct: broadcast on the d-dimensional torus in d * ceil(log_{2d+1} n) steps, for every n.
//
// Tsay and Wang inform the nodes of a diagonal, then of ever larger lattices around it, and need a step that
// aligns the lattice before their last phase. Here the lattices are chosen so that the last phase finds the
// informed set {x : x_1 - x_2 + x_3 - .. = 0} and nothing has to be aligned. With K = ceil(log_{2d+1} n),
// each of the d phases runs the ring schedule of Lemma 2 once, K steps.
//
// As in the paper, dimensions count from 1, coordinates are mod n and relative to the source; e_k is the unit
// vector. A_0 = {0}, and phase h informs A_h = A_{h-1} + Z_n g_h: class m of it is A_{h-1} + m g_h, and all
// nodes of a class act alike.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "algorithms/broadcast_schedule.h"
#include "algorithms/tsay_wang/ring_schedule.h"

namespace flitscope::tsay_wang {
namespace {

/// A vector of small integers, its entries counted from 1.
class Vector {
 public:
  int& operator[](unsigned k) { return entries_[k - 1]; }
  int operator[](unsigned k) const { return entries_[k - 1]; }

  Vector operator+(const Vector& other) const { return combined(other, 1); }
  Vector operator-(const Vector& other) const { return combined(other, -1); }

 private:
  [[nodiscard]] Vector combined(const Vector& other, int factor) const {
    Vector sum = *this;
    for (std::size_t i = 0; i < entries_.size(); ++i) sum.entries_[i] += factor * other.entries_[i];
    return sum;
  }
  std::array<int, kMostDimensions> entries_{};
};

Vector e(unsigned k) {
  Vector unit;
  unit[k] = 1;
  return unit;
}

/// Ones in dimensions p..d; if they are an odd number >= 3, dimension d-1 has a 2 instead. Then the
/// alternating sum from p on is 0 whenever there are at least two.
Vector tail(unsigned d, unsigned p) {
  Vector ones;
  for (unsigned k = p; k <= d; ++k) ones[k] = 1;
  const unsigned count = d + 1 - p;
  if (count >= 3 && count % 2 == 1) ones[d - 1] = 2;
  return ones;
}

/// g_h, by which phase h leads from one class to the next.
Vector generator(unsigned d, unsigned h) {
  if (h == d) return e(1);
  if (h == 1) return tail(d, 1);
  return e(h - 1) + e(h);
}

/// What a message does that starts in dimension k: it travels x * path, x of any sign, and that leads
/// `direction` * x classes on.
struct Port {
  Vector path;        ///< c_k
  int direction = 1;  ///< eps_k
};

Port port(unsigned d, unsigned h, unsigned k) {
  if (h == d) return {e(k), k % 2 == 1 ? 1 : -1};
  if (h == 1) return {tail(d, 1), 1};
  if (k == h) return {e(h) + e(h - 1), 1};
  if (k < h && (h - k) % 2 == 1) return {e(k) + e(h), 1};
  if (k < h) return {e(k) - e(h), -1};
  if (h % 2 == 1) return {e(1) + tail(d, h) - e(h), -1};
  if (d - h >= 2) return {tail(d, h + 1), -1};
  return {e(d) + e(d - 1), -1};
}

/// Coordinates mod n, of a node or of a difference of nodes; index 0 is dimension 1.
using Coordinates = std::array<std::uint32_t, kMostDimensions>;

/// A message as every node of a class sends it: where it leads, and how.
struct Send {
  Coordinates difference;
  Route route;
};

class Direct final : public BroadcastSchedule {
 public:
  Direct(ScheduleFacts facts, RingSchedule ring)
      : BroadcastSchedule(std::move(facts)),
        d_(topology().dimensions()),
        n_(topology().side(0)),
        ring_(std::move(ring)) {
    for (unsigned k = 1; k <= d_; ++k) source_[k - 1] = topology().coordinate(source(), k - 1);
    for (unsigned h = 1; h <= d_; ++h) generators_.push_back(multiple(generator(d_, h), 1));
  }

 private:
  void produce(std::uint64_t number, Step& step) override {
    const auto h = static_cast<unsigned>((number - 1) / ring_.steps()) + 1;
    const auto k = static_cast<unsigned>((number - 1) % ring_.steps()) + 1;
    for (const RingSender& sender : ring_.senders(k)) {
      const std::vector<Send> sends = sends_of_class(h, sender);
      if (sends.empty()) continue;
      Coordinates first = source_;
      add(first, multiple(generator(d_, h), sender.ring_class));
      for_each_in_coset(h - 1, first, [&](const Coordinates& node) {
        const NodeId from = topology().node(node);
        for (const Send& send : sends) {
          Coordinates to = node;
          add(to, send.difference);
          step.add(from, topology().node(to), send.route);
        }
      });
    }
  }

  [[nodiscard]] std::vector<Send> sends_of_class(unsigned h, const RingSender& sender) const {
    std::vector<Send> sends;
    for (const auto side : {sender.right, sender.left}) assign_ports(h, side, sends);
    return sends;
  }

  /// Gives the targets of one side, nearest first, the start dimensions 1, 2, .. in turn. A target whose hop
  /// in some start dimension would have no length may not start there; it is served before the others. (That
  /// happens only for odd d >= 3 and even n, at displacement n/2 where the path has a 2.)
  void assign_ports(unsigned h, std::span<const std::int64_t> targets, std::vector<Send>& sends) const {
    const auto may_start_in = [&](std::int64_t t, unsigned k) {
      return multiple(port(d_, h, k).path, t)[k - 1] != 0;
    };
    std::vector<std::int64_t> order(targets.begin(), targets.end());
    std::ranges::stable_partition(order, [&](std::int64_t t) {
      for (unsigned k = 1; k <= d_; ++k) {
        if (!may_start_in(t, k)) return true;
      }
      return false;
    });
    std::array<bool, kMostDimensions + 1> taken{};
    for (const std::int64_t t : order) {
      unsigned k = 1;
      while (taken[k] || !may_start_in(t, k)) ++k;
      taken[k] = true;
      const auto [path, direction] = port(d_, h, k);
      const std::int64_t x = direction * t;
      sends.push_back({multiple(path, x), Route::cyclic(k - 1, x > 0 ? Sign::plus : Sign::minus)});
    }
  }

  /// Visits every node of `first` + A_h, each once: the sums of multiples of g_1 .. g_h are all different.
  /// Leaves `first` as it was.
  template <typename Visit>
  void for_each_in_coset(unsigned h, Coordinates& first, const Visit& visit) const {
    if (h == 0) return visit(first);
    for (std::uint32_t times = 0; times < n_; ++times) {
      for_each_in_coset(h - 1, first, visit);
      add(first, generators_[h - 1]);
    }
  }

  /// x * vector mod n.
  [[nodiscard]] Coordinates multiple(const Vector& vector, std::int64_t x) const {
    const std::int64_t n = n_;
    Coordinates result{};
    for (unsigned k = 1; k <= d_; ++k) {
      result[k - 1] = static_cast<std::uint32_t>((x * vector[k] % n + n) % n);
    }
    return result;
  }

  void add(Coordinates& node, const Coordinates& difference) const {
    for (unsigned i = 0; i < d_; ++i) {
      node[i] += difference[i];
      if (node[i] >= n_) node[i] -= n_;
    }
  }

  unsigned d_;
  std::uint32_t n_;
  RingSchedule ring_;
  Coordinates source_{};
  std::vector<Coordinates> generators_;
};

constexpr auto kName = "tsay-wang-direct";

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kName, 3);
  const unsigned d = topology.dimensions();
  ScheduleFacts facts = broadcast_facts(topology, values, kName, "cyclic-dimension-order", 2 * d);
  RingSchedule ring(n, d);
  facts.steps = std::uint64_t{d} * ring.steps();
  facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n);
  facts.claimed_channel_load = 1;
  for (std::uint64_t h = 1; h <= d; ++h) {
    facts.stages.push_back({"phase " + std::to_string(h), (h - 1) * ring.steps() + 1, h * ring.steps()});
  }
  return std::make_unique<Direct>(std::move(facts), std::move(ring));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "broadcast on an all-port torus in d phases, without the alignment step of tsay-wang",
    .source = "ours, after Tsay and Wang: the same phases on other diagonals",
    .claim = "d * ceil(log_{2d+1} n) steps, at most one message per link and step, none redundant",
    .admissible = "torus of equal sides n >= 3, any number of dimensions d",
    .parameters = broadcast_parameters(),
    .make = make,
}};

}  // namespace
}  // namespace flitscope::tsay_wang
