#include "algorithms/common/hamiltonian_decomposition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "model/numbers.h"

namespace flitscope::common {

Ring::Ring(const PaperTorus& torus, Pu first, std::span<const Direction> moves)
    : moves_(moves.begin(), moves.end()), position_(torus.size(), kOff) {
  pus_.reserve(moves.size());
  Pu at = first;
  for (const Direction move : moves) {
    if (passes(at))
      throw std::logic_error("a ring passes " + torus.topology().node_name(torus.node(at)) + " twice");
    position_[at] = length();
    pus_.push_back(at);
    at = torus.neighbour(at, move);
  }
  if (at != first) throw std::logic_error("a ring does not close");
}

namespace {

/// The ring along a list of PUs, each a neighbour of the next and the last of the first.
Ring ring_along(const PaperTorus& torus, std::span<const Pu> pus) {
  std::vector<Direction> moves;
  moves.reserve(pus.size());
  for (std::size_t i = 0; i < pus.size(); ++i) {
    const Pu next = pus[(i + 1) % pus.size()];
    Direction move = 0;
    while (move < torus.directions() && torus.neighbour(pus[i], move) != next) ++move;
    if (move == torus.directions()) throw std::logic_error("PUs of a ring that are no neighbours");
    moves.push_back(move);
  }
  return {torus, pus.front(), moves};
}

using Cycle = std::vector<Pu>;

/// A set of links of which every node has two: one cycle, or several.
class Links {
 public:
  explicit Links(std::size_t nodes) : neighbours_(nodes, {kNoOwner, kNoOwner}) {}
  explicit Links(const Cycle& cycle) : Links(cycle.size()) { add_cycle(cycle); }

  void add(Pu a, Pu b) {
    end(a, kNoOwner) = b;
    end(b, kNoOwner) = a;
  }
  void add_cycle(const Cycle& cycle) {
    for (std::size_t i = 0; i < cycle.size(); ++i) add(cycle[i], cycle[(i + 1) % cycle.size()]);
  }
  /// Links a-c and b-d take the place of a-b and c-d.
  void exchange(Pu a, Pu b, Pu c, Pu d) {
    end(a, b) = c;
    end(b, a) = d;
    end(c, d) = a;
    end(d, c) = b;
  }
  [[nodiscard]] bool has(Pu a, Pu b) const { return neighbours_[a][0] == b || neighbours_[a][1] == b; }

  /// The cycle through node 0, first to its neighbour of the smaller number.
  [[nodiscard]] Cycle walk() const {
    Cycle cycle{0};
    Pu at = std::min(neighbours_[0][0], neighbours_[0][1]);
    while (at != 0) {
      const Pu before = cycle.back();
      cycle.push_back(at);
      at = neighbours_[at][neighbours_[at][0] == before ? 1 : 0];
    }
    return cycle;
  }

 private:
  static constexpr Pu kNoOwner = ~Pu{0};

  Pu& end(Pu node, Pu neighbour) {
    for (Pu& each : neighbours_[node]) {
      if (each == neighbour) return each;
    }
    throw std::logic_error("a Hamiltonian decomposition touches a link that is not where it should be");
  }

  std::vector<std::array<Pu, 2>> neighbours_;
};

/// A cycle from node 0 on, as Links::walk.
Cycle from_0(const Cycle& cycle) {
  return Links(cycle).walk();
}

/// An m x n torus, numbered row by row; r and c may be one beyond the end.
class Grid {
 public:
  Grid(std::uint32_t m, std::uint32_t n) : m_(m), n_(n) {}

  [[nodiscard]] Pu at(std::uint32_t r, std::uint32_t c) const { return r % m_ * n_ + c % n_; }

  [[nodiscard]] Links all_but(const Links& taken) const {
    Links rest(std::size_t{m_} * n_);
    for (std::uint32_t r = 0; r < m_; ++r) {
      for (std::uint32_t c = 0; c < n_; ++c) {
        for (const Pu next : {at(r + 1, c), at(r, c + 1)}) {
          if (!taken.has(at(r, c), next)) rest.add(at(r, c), next);
        }
      }
    }
    return rest;
  }

  /// On the unit square with corner (r, c) one of the two has the horizontal links, the other the vertical
  /// ones: they exchange them.
  void exchange(Links& one, Links& other, std::uint32_t r, std::uint32_t c) const {
    const Pu corner = at(r, c);
    const Pu right = at(r, c + 1);
    const Pu below = at(r + 1, c);
    const Pu opposite = at(r + 1, c + 1);
    Links& horizontal = one.has(corner, right) ? one : other;
    Links& vertical = one.has(corner, right) ? other : one;
    horizontal.exchange(corner, right, below, opposite);
    vertical.exchange(corner, below, right, opposite);
  }

 private:
  std::uint32_t m_;
  std::uint32_t n_;
};

/// m >= n of the same parity. Cycle 1 walks n-1 links in each row, in the first (m+n)/2 rows rightwards, in
/// the others leftwards, and then one down; cycle 2 is the rest.
std::array<Links, 2> same_parity(std::uint32_t m, std::uint32_t n) {
  const Grid grid(m, n);
  Cycle first;
  std::uint32_t column = 0;
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint32_t move = r < (m + n) / 2 ? 1 : n - 1;
    first.push_back(grid.at(r, column));
    for (std::uint32_t link = 1; link < n; ++link) {
      column = (column + move) % n;
      first.push_back(grid.at(r, column));
    }
  }
  const Links one(first);
  return {one, grid.all_but(one)};
}

/// m even, n odd. Colour 1 winds through columns 1 .. n-1 and comes back in column 0, colour 2 is the rest;
/// exchanging squares makes the latter one cycle and keeps the former one.
std::array<Links, 2> mixed_parity(std::uint32_t m, std::uint32_t n) {
  const Grid grid(m, n);
  Cycle first;
  for (std::uint32_t r = 0; r < m; ++r) {
    for (std::uint32_t i = 1; i < n; ++i) first.push_back(grid.at(r, r % 2 == 0 ? i : n - i));
  }
  for (std::uint32_t r = m; r-- > 0;) first.push_back(grid.at(r, 0));
  Links one(first);
  Links other = grid.all_but(one);
  for (std::uint32_t c = 1; c + 4 <= n; c += 2) {
    grid.exchange(one, other, 0, c);
    grid.exchange(one, other, 1, c + 1);
  }
  grid.exchange(one, other, 0, n - 1);
  grid.exchange(one, other, 0, n - 2);
  return {std::move(one), std::move(other)};
}

std::vector<std::uint32_t> places_of(const Cycle& cycle) {
  std::vector<std::uint32_t> places(cycle.size());
  for (std::uint32_t place = 0; place < cycle.size(); ++place) places[cycle[place]] = place;
  return places;
}

/// Joins the copies of `layer_cycle` (H_k of the axes before the last) in the n layers of the last axis to
/// one more finished cycle: between neighbouring layers one link of each copy is given to a cycle that is
/// finished already, for the two links between the layers. False if there are no such links somewhere.
bool join_layers(const Cycle& layer_cycle, std::uint32_t layers, std::vector<Cycle>& finished) {
  Links links(layer_cycle.size() * layers);
  for (std::uint32_t z = 0; z < layers; ++z) {
    Cycle copy;
    for (const Pu u : layer_cycle) copy.push_back(u * layers + z);
    links.add_cycle(copy);
  }
  std::vector<std::vector<std::uint32_t>> places;
  for (const Cycle& cycle : finished) places.push_back(places_of(cycle));
  // +1 if finished cycle x walks from a to its neighbour b, -1 if from b to a, 0 if it does not have the
  // link.
  const auto walks = [&](std::size_t x, Pu a, Pu b) {
    const std::size_t length = places[x].size();
    if ((places[x][a] + 1) % length == places[x][b]) return 1;
    return (places[x][b] + 1) % length == places[x][a] ? -1 : 0;
  };
  const auto join = [&](Pu u0, Pu v0) {  // with the next layer
    if (!links.has(u0, v0) || !links.has(u0 + 1, v0 + 1)) return false;
    for (std::size_t x = 0; x < finished.size(); ++x) {
      const int direction = walks(x, u0, u0 + 1);
      // Only if it walks both in the same direction it stays one cycle.
      if (direction == 0 || walks(x, v0, v0 + 1) != direction) continue;
      Links changed(finished[x]);
      changed.exchange(u0, u0 + 1, v0, v0 + 1);
      links.exchange(u0, v0, u0 + 1, v0 + 1);
      finished[x] = changed.walk();
      places[x] = places_of(finished[x]);
      return true;
    }
    return false;
  };
  for (std::uint32_t z = 0; z + 1 < layers; ++z) {
    std::size_t i = 0;
    const std::size_t length = layer_cycle.size();
    while (i < length && !join(layer_cycle[i] * layers + z, layer_cycle[(i + 1) % length] * layers + z)) ++i;
    if (i == length) return false;
  }
  finished.push_back(links.walk());
  return true;
}

/// Cycles that together have all links of a torus of m x n nodes, m, n >= 3, numbered row by row.
std::vector<Cycle> two_hamiltonian_cycles(std::uint32_t m, std::uint32_t n) {
  const bool same = m % 2 == n % 2;
  const bool transpose = same ? m < n : m % 2 == 1;
  const std::uint32_t rows = transpose ? n : m;
  const std::uint32_t columns = transpose ? m : n;
  std::vector<Cycle> cycles;
  for (const Links& links : same ? same_parity(rows, columns) : mixed_parity(rows, columns)) {
    Cycle cycle = links.walk();
    if (transpose) {
      for (Pu& at : cycle) at = at % columns * rows + at / columns;
      cycle = from_0(cycle);
    }
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

/// H_1 .. H_d of the torus with these sides, or nothing if the search for squares gets stuck.
std::optional<std::vector<Cycle>> decompose(std::span<const std::uint32_t> sides) {
  if (sides.size() == 2) return two_hamiltonian_cycles(sides[0], sides[1]);
  const auto layer_cycles = decompose(sides.first(sides.size() - 1));
  if (!layer_cycles) return std::nullopt;
  const std::uint32_t layers = sides.back();
  const Cycle& h1 = layer_cycles->front();

  // H_1 x the ring of the last axis is a torus of two axes: its rows are the places on H_1.
  std::vector<Cycle> finished;
  for (const Cycle& cycle : two_hamiltonian_cycles(static_cast<std::uint32_t>(h1.size()), layers)) {
    Cycle renumbered;
    for (const Pu at : cycle) renumbered.push_back(h1[at / layers] * layers + at % layers);
    finished.push_back(from_0(renumbered));
  }
  for (std::size_t k = 1; k < layer_cycles->size(); ++k) {
    if (!join_layers((*layer_cycles)[k], layers, finished)) return std::nullopt;
  }
  return finished;
}

}  // namespace

std::vector<Ring> hamiltonian_decomposition(const PaperTorus& torus) {
  auto order = numbers_below<unsigned>(torus.axes());
  do {
    std::vector<std::uint32_t> sides;
    for (const unsigned axis : order) sides.push_back(torus.side(axis));
    const auto cycles = decompose(sides);
    if (!cycles) continue;
    std::vector<Ring> rings;
    for (const Cycle& cycle : *cycles) {
      Cycle renumbered;
      for (Pu at : cycle) {
        std::vector<std::uint32_t> coordinates(order.size());
        for (std::size_t i = order.size(); i-- > 0; at /= sides[i]) coordinates[order[i]] = at % sides[i];
        renumbered.push_back(torus.at(coordinates));
      }
      rings.push_back(ring_along(torus, from_0(renumbered)));
    }
    return rings;
  } while (std::ranges::next_permutation(order).found);
  throw std::logic_error("no Hamiltonian decomposition of the " + torus.topology().name());
}

}  // namespace flitscope::common
