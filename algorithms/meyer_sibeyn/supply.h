// How PUs get the packets of cycles they are off (Meyer and Sibeyn, Sections 4.1 to 4.3, repaired).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "algorithms/meyer_sibeyn/gossip.h"

namespace flitscope::meyer_sibeyn {

/// A PU is off a cycle and gets its packets over two links.
struct Supply {
  Pu pu = 0;
  unsigned cycle = 0;
  /// Directions of the two suppliers as seen from the PU.
  std::array<Direction, 2> from{};
  /// Links from the cycle to the PU by these two; 1: the supplier is on the cycle.
  std::array<unsigned, 2> distance{1, 1};
};

enum class SupplyRule : std::uint8_t {
  repaired,  ///< both suppliers begin with the packets that the other passes by, counted, and then change
             ///< over
  fixed,     ///< one relays the forward packets, the other the backward ones
  flipped,   ///< the same with directions exchanged: the wrong choice
};

/// Of n x m tori with even n and of three axes: which links supply whom. All suppliers are on the cycle. The
/// ring programs must be written already.
[[nodiscard]] std::vector<Supply> adjacent_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                                    const TableWriter& writer);

/// The same for any number of axes, with suppliers that need not be on the cycle themselves but then have
/// been supplied from nearer to it. Throws std::logic_error if a PU cannot be supplied.
[[nodiscard]] std::vector<Supply> matched_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                                   const TableWriter& writer);

/// Writes the rules of the supply links. `repaired` and `flipped` need suppliers on their cycles.
void write_supplies(const PaperTorus& torus, std::span<const Ring> cycles, std::span<const Supply> supplies,
                    SupplyRule rule, TableWriter& writer);

}  // namespace flitscope::meyer_sibeyn
