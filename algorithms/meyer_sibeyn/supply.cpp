#include "algorithms/meyer_sibeyn/supply.h"

#include <algorithm>
#include <utility>

namespace flitscope::meyer_sibeyn {
namespace {

/// The two suppliers of a PU in the order of the cycle: U upstream, D downstream, by the shorter way from one
/// to the other. On a tie U is the first.
struct Suppliers {
  Direction from_up = 0;
  Direction from_down = 0;
  std::uint64_t gap = 0;  ///< g, the forward distance from U to D
};

Suppliers in_ring_order(const PaperTorus& torus, const Ring& cycle, const Supply& supply) {
  const auto [first, second] = supply.from;
  const std::uint32_t ahead =
      cycle.forward(torus.neighbour(supply.pu, first), torus.neighbour(supply.pu, second));
  if (2 * ahead <= cycle.length()) return {first, second, ahead};
  return {second, first, cycle.length() - ahead};
}

/// Whether both suppliers are on the cycle.
bool is_adjacent(const PaperTorus& torus, const Ring& cycle, const Supply& supply) {
  return std::ranges::all_of(
      supply.from, [&](Direction direction) { return cycle.passes(torus.neighbour(supply.pu, direction)); });
}

/// Suppliers of a PU with x_3 >= 3, which is on one cycle j only: over +x_2 and +x_1 for cycle j+1, over -x_1
/// and -x_2 for cycle j-1.
void add_rod_supplies(Pu pu, unsigned j, std::vector<Supply>& supplies) {
  supplies.push_back({pu, (j + 1) % 3, {plus(1), plus(0)}});
  supplies.push_back({pu, (j + 2) % 3, {minus(0), minus(1)}});
}

}  // namespace

std::vector<Supply> adjacent_supplies(const PaperTorus& torus, std::span<const Ring> cycles,
                                      const TableWriter& writer) {
  std::vector<Supply> supplies;
  for (Pu pu = 0; pu < torus.size(); ++pu) {
    std::vector<unsigned> off;
    for (unsigned j = 0; j < cycles.size(); ++j) {
      if (!cycles[j].passes(pu)) off.push_back(j);
    }
    if (off.empty()) continue;
    if (torus.axes() == 2) {
      supplies.push_back({pu, off[0], {minus(0), plus(0)}});
    } else if (off.size() == 2) {
      add_rod_supplies(pu, 3 - off[0] - off[1], supplies);
    } else {
      // Two cycles leave exactly two links free, and both lead to the third.
      std::vector<Direction> free;
      for (Direction direction = 0; direction < torus.directions(); ++direction) {
        if (writer.is_free(pu, direction)) free.push_back(direction);
      }
      supplies.push_back({pu, off[0], {free.at(0), free.at(1)}});
    }
  }
  return supplies;
}

void write_supplies(const PaperTorus& torus, std::span<const Ring> cycles, std::span<const Supply> supplies,
                    SupplyRule rule, TableWriter& writer) {
  // By which supplier a PU gets the backward packets of a cycle, and by which the forward ones: where it
  // makes no difference, in the order of its suppliers.
  const bool flipped = rule == SupplyRule::flipped;
  std::vector<std::array<Direction, 2>> sources(torus.size() * cycles.size());
  for (const Supply& supply : supplies) {
    std::array<Direction, 2>& source = sources[supply.pu * cycles.size() + supply.cycle];
    source = supply.from;
    if (!is_adjacent(torus, cycles[supply.cycle], supply)) continue;
    const Suppliers ordered = in_ring_order(torus, cycles[supply.cycle], supply);
    source = {ordered.from_up, ordered.from_down};
    if (flipped) std::swap(source[0], source[1]);
  }
  for (const Supply& supply : supplies) {
    const Ring& cycle = cycles[supply.cycle];
    const auto& source = sources[supply.pu * cycles.size() + supply.cycle];
    const std::uint64_t gap =
        rule == SupplyRule::repaired ? in_ring_order(torus, cycle, supply).gap : std::uint64_t{0};
    for (const bool forward : {false, true}) {
      const Direction from = source[forward ? 1 : 0];
      const Pu supplier = torus.neighbour(supply.pu, from);
      if (!cycle.passes(supplier)) {
        writer.link(supplier, reverse(from),
                    {writer.relay(sources[supplier * cycles.size() + supply.cycle][forward ? 1 : 0])});
        continue;
      }
      std::vector<LinkRule> rules{writer.own(supplier)};
      const Direction ahead = cycle.entry(supplier);
      const Direction back = cycle.exit(supplier);
      if (rule == SupplyRule::repaired) {
        // U first sends the backward packets, D the forward ones: those that lie between them.
        rules.push_back(forward ? writer.relay(ahead, (gap - 1) / 2) : writer.relay(back, gap / 2));
        rules.push_back(writer.relay(forward ? back : ahead));
      } else {
        rules.push_back(writer.relay(forward ? ahead : back));
      }
      writer.link(supplier, reverse(from), std::move(rules));
    }
  }
}

}  // namespace flitscope::meyer_sibeyn
