#include "algorithms/meyer_sibeyn/partial_cycles.h"

namespace flitscope::meyer_sibeyn {
namespace {

/// zigzag(d, j): moves along x_1, x_1, x_2, .., x_j, x_1, .., d of them, with one along x_d between any two.
/// (For d = 2 that is x_1, x_2, x_1.)
void add_zigzag(unsigned d, unsigned j, std::vector<unsigned>& axes) {
  for (unsigned move = 1; move <= d; ++move) {
    if (move > 1) axes.push_back(d - 1);
    axes.push_back(move >= 3 && move - 1 <= j ? move - 2 : 0);
  }
}

}  // namespace

std::vector<unsigned> moves_of_laps(std::span<const std::uint32_t> sides) {
  const auto d = static_cast<unsigned>(sides.size());
  std::uint64_t laps = sides[0] / d;
  for (unsigned axis = 1; axis + 1 < d; ++axis) laps *= sides[axis];
  std::vector<unsigned> axes;
  for (std::uint64_t lap = 1; lap <= laps; ++lap) {
    // Type j: when the subspace of x_1 .. x_{j-1} and x_d is full, the lap leads on along x_j.
    unsigned type = 1;
    std::uint64_t full = sides[0] / d;
    for (unsigned j = 2; j < d; ++j) {
      if (lap % full == 0) type = j;
      full *= sides[j - 1];
    }
    add_zigzag(d, type, axes);
    axes.insert(axes.end(), sides[d - 1] - d + 1, d - 1);
  }
  return axes;
}

std::vector<Ring> partial_cycles(const PaperTorus& torus) {
  std::vector<std::uint32_t> sides;
  for (unsigned axis = 0; axis < torus.axes(); ++axis) sides.push_back(torus.side(axis));
  std::vector<Direction> moves;
  for (const unsigned axis : moves_of_laps(sides)) moves.push_back(plus(axis));
  std::vector<Ring> cycles;
  std::vector<std::uint32_t> start(torus.axes());
  for (unsigned j = 0; j < torus.axes(); ++j) {
    start[0] = j;
    cycles.emplace_back(torus, torus.at(start), moves);
  }
  return cycles;
}

}  // namespace flitscope::meyer_sibeyn
