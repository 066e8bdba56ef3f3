#include "algorithms/meyer_sibeyn/ring.h"

#include <stdexcept>

namespace flitscope::meyer_sibeyn {

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

}  // namespace flitscope::meyer_sibeyn
