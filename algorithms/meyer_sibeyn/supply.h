// Supply of PUs with the packets of cycles that do not pass them (Meyer and Sibeyn, Sections 4.1 to 4.3,
// repaired).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
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

/// Of n x m tori with even n and of three axes: which links supply whom. All suppliers are on the cycle. The
/// ring programs must be written already.
[[nodiscard]] std::vector<Supply> adjacent_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                                    const TableWriter& writer);

/// The same for any number of axes, with suppliers that need not be on the cycle themselves but then have
/// been supplied from nearer to it. Throws std::logic_error if a PU cannot be supplied.
[[nodiscard]] std::vector<Supply> matched_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                                   const TableWriter& writer);

/// Writes the rules of the supply links. With "repaired" both suppliers begin with the packets that the other
/// passes by, counted, and then change over; with "fixed" one relays the forward packets, the other the
/// backward ones; with "fixed-flipped" directions are exchanged: the wrong choice. But for "fixed", suppliers
/// are on their cycles.
void write_supplies(const PaperTorus& torus, std::span<const Ring> cycles, std::span<const Supply> supplies,
                    const std::string& rule, TableWriter& writer);

/// When PUs get packets: step of arrival of each PU's packet at each PU, 0 for its own. 4 P^2 bytes.
class Availability {
 public:
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  /// The most PUs for which there are tables: 1 GiB.
  static constexpr Pu kMaxPus = 1U << 14;

  explicit Availability(Pu pus) : pus_(pus), steps_(std::size_t{pus} * pus, kNever) {}

  [[nodiscard]] std::uint32_t at(Pu pu, Pu packet) const { return steps_[std::size_t{pu} * pus_ + packet]; }
  /// Without effect if the packet has arrived before.
  void arrive(Pu pu, Pu packet, std::uint32_t step) {
    std::uint32_t& first = steps_[std::size_t{pu} * pus_ + packet];
    first = std::min(first, step);
  }

 private:
  Pu pus_;
  std::vector<std::uint32_t> steps_;
};

/// One of the two suppliers of a PU.
struct ListSupplier {
  Direction from = 0;  ///< as seen from the supplied PU
  /// Sends its own packet in step 1, wanted or not (others wait for it).
  bool own_first = false;
};

/// Shares `packets` between two suppliers of `pu`: in steps 1, 2, .. first one, then the other sends, of
/// those it has since the step before and that no PU has sent yet, the packet that the other would have last
/// (ties: what it has had longest, then the lowest number). Writes both lists as rules, and enters into
/// `availability` when the packets arrive. Throws std::logic_error if a supplier never gets a packet it would
/// need.
void write_lists(const PaperTorus& torus, Pu pu, const std::vector<Pu>& packets,
                 const std::array<ListSupplier, 2>& suppliers, Availability& availability,
                 TableWriter& writer);

}  // namespace flitscope::meyer_sibeyn
