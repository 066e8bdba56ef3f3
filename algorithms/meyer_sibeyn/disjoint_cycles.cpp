// Gossiping along cycles that share no link, a packet of every PU along each, in both directions.
//
// hamiltonian-cycles: on any torus in the fewest steps, with d packets per PU (what Meyer and Sibeyn sketch
// in Section 3.4 and what stands in for their Theorem 4). The links are decomposed into d Hamiltonian cycles.
// Every PU is on every cycle, so a PU only relays.
//
// meyer-sibeyn-two-packet: on a 2-D torus with two packets per PU, P/2 steps (Meyer and Sibeyn, Sections 3.1
// and 3.2). Every PU connects its four ports in pairs, by the parity of its column alone; the pairs form two
// edge-disjoint cycles. If a side is odd, the PUs
// of one column lie on one cycle only; the other reaches them through supply links from the PUs above and
// below.
//
// T, B, L, R are the directions up, down, left, right; F and B of a cycle its forward and backward packets.
#include <algorithm>
#include <utility>

#include "algorithms/common/hamiltonian_decomposition.h"
#include "algorithms/meyer_sibeyn/gossip.h"
#include "model/link_programs.h"

namespace flitscope::meyer_sibeyn::disjoint_cycles {
namespace {

constexpr auto kTwoPacket = "meyer-sibeyn-two-packet";

constexpr Direction kBottom = plus(0);
constexpr Direction kTop = minus(0);
constexpr Direction kRight = plus(1);
constexpr Direction kLeft = minus(1);

/// R x C: rows and columns of the construction. Both are even, or R is even and C is odd.
class TwoPacket {
 public:
  TwoPacket(const PaperTorus& torus, LinkPrograms& table, std::string supply)
      : torus_(torus), writer_(torus, table, 2), supply_(std::move(supply)) {}

  void write() {
    const std::vector<Ring> cycles = trace();
    for (std::uint32_t number = 0; number < cycles.size(); ++number) {
      writer_.ring_with(cycles[number], number, [&](Pu pu, bool forward) {
        if (!is_supplied(pu)) return std::vector{writer_.own(pu, {number})};
        // The slots on the cycle are a, b in this order.
        return std::vector{forward ? writer_.own(pu, {1, 0}) : writer_.own(pu, {0, 1})};
      });
    }
    if (columns() % 2 == 0) return;
    for (std::uint32_t row = 0; row < rows(); ++row) supply(torus_.at(row, special()), cycles);
  }

 private:
  [[nodiscard]] std::uint32_t rows() const { return torus_.side(0); }
  [[nodiscard]] std::uint32_t columns() const { return torus_.side(1); }
  /// C - 2, the column whose PUs lie on one cycle only, if C is odd.
  [[nodiscard]] std::uint32_t special() const { return columns() - 2; }
  [[nodiscard]] bool is_supplied(Pu pu) const {
    return columns() % 2 == 1 && torus_.coordinate(pu, 1) == special();
  }

  /// Destination of packets from the left: the cycles run rightwards.
  [[nodiscard]] Direction from_left(Pu pu) const {
    const std::uint32_t column = torus_.coordinate(pu, 1);
    if (is_supplied(pu)) return kRight;
    return column % 2 == 0 || column == columns() - 1 ? kBottom : kTop;
  }

  /// The cycles that leave column 0 rightwards from rows 0, 1, ..
  [[nodiscard]] std::vector<Ring> trace() const {
    std::vector<Ring> cycles;
    for (std::uint32_t row = 0; row < rows(); ++row) {
      const Pu first = torus_.at(row, 0);
      bool traced = false;
      for (const Ring& cycle : cycles) traced |= cycle.passes(first) && cycle.exit(first) == kRight;
      if (!traced) cycles.push_back(trace_from(first));
    }
    return cycles;
  }

  [[nodiscard]] Ring trace_from(Pu first) const {
    std::vector<Direction> moves;
    Pu at = first;
    Direction move = kRight;
    do {
      moves.push_back(move);
      at = torus_.neighbour(at, move);
      // From above or below the cycle goes on to the right.
      move = move == kRight ? from_left(at) : kRight;
    } while (at != first || move != kRight);
    return {torus_, first, moves};
  }

  /// The links by which a PU of column C-2 gets the cycle it is off: from U above it and D below it, 2C slots
  /// apart on that cycle.
  void supply(Pu pu, const std::vector<Ring>& cycles) {
    const Ring& cycle = cycles[0].passes(pu) ? cycles[1] : cycles[0];
    for (const Direction to : {kBottom, kTop}) {
      const bool is_up = to == kBottom;
      const Pu supplier = torus_.neighbour(pu, reverse(to));
      std::vector<LinkRule> rules{writer_.own(supplier, {is_up ? 0U : 1U, is_up ? 1U : 0U})};
      // The packets from between U and D go backward at U and forward at D.
      Direction between = cycle.exit(supplier);
      Direction beyond = cycle.entry(supplier);
      if (!is_up) std::swap(between, beyond);
      if (supply_ == "repaired") {
        rules.push_back(writer_.relay(between, columns() - 1));
        rules.push_back(writer_.relay(beyond));
      } else if (supply_ == "fixed") {
        rules.push_back(writer_.relay(between));
      } else if (supply_ == "fixed-flipped") {
        rules.push_back(writer_.relay(beyond));
      } else {
        // As printed: up to step l what came in from one side in the step before, afterwards what comes in
        // from the other; steps 1 and 2 went to OWN.
        const std::uint64_t l = 2 * std::uint64_t{columns()} - 1;
        rules.push_back(writer_.relay(beyond, l - 2, 1));
        rules.push_back(writer_.relay(between, LinkRule::kAll, l - 1));
      }
      writer_.link(supplier, to, std::move(rules));
    }
  }

  const PaperTorus& torus_;
  TableWriter writer_;
  std::string supply_;
};

/// The torus with R and C as the construction needs them.
PaperTorus admitted(const Topology& topology) {
  require_torus(topology, kTwoPacket);
  const std::vector<std::uint32_t> sides(topology.sides().begin(), topology.sides().end());
  refuse_if(sides.size() != 2, "topology.shape",
            "{} needs 2 dimensions, not {}; hamiltonian-cycles has any number of them", kTwoPacket,
            sides.size());
  std::vector<std::uint32_t> nearest{std::max(sides[0], 3U), std::max(sides[1], 3U)};
  if (nearest[0] % 2 == 1 && nearest[1] % 2 == 1) ++nearest[sides[1] < 3 ? 1 : 0];
  if (nearest != sides) {
    const bool odd = sides[0] % 2 == 1 && sides[1] % 2 == 1;
    throw wrong_shape(topology, kTwoPacket,
                      odd ? "an even side (hamiltonian-cycles gossips on two odd ones in the fewest steps)"
                          : "an even side of at least 4 and another of at least 3",
                      nearest);
  }
  return PaperTorus(topology, sides[0] % 2 == 0 ? std::vector<unsigned>{} : std::vector<unsigned>{1, 0});
}

LinkPrograms make_two_packet(const Topology& topology, const ParameterValues& values) {
  const PaperTorus torus = admitted(topology);
  LinkPrograms table(gossip_facts(topology, values, kTwoPacket, 2));
  table.facts.claimed_steps = torus.size() / 2;
  TwoPacket(torus, table, values.text("supply")).write();
  complete_table(table, 8 * std::uint64_t{torus.size()});
  return table;
}

const AlgorithmRegistry::Entry two_packet_entry{by_table({
    .name = kTwoPacket,
    .summary = "gossip on a 2-D torus along two cycles, two packets per node, time-independent routing",
    .source = "Meyer and Sibeyn, Sections 3.1 and 3.2; the supply of odd sides repaired",
    .claim = "P/2 steps for P nodes (Theorems 2 and 3), one packet per link and step",
    .admissible = "torus of two dimensions, one side even and at least 4, the other at least 3",
    .parameters = {message_parameter(2),
                   Parameter::choice(
                       "supply",
                       "how the column off a cycle is supplied if a side is odd: with one counter a link, "
                       "without any, without any and in the wrong order, or as printed",
                       {"repaired", "fixed", "fixed-flipped", "printed"})
                       .or_else("repaired")},
    .table = make_two_packet,
})};

constexpr auto kCycles = "hamiltonian-cycles";

LinkPrograms make_cycles(const Topology& topology, const ParameterValues& values) {
  require_torus(topology, kCycles, 3);
  const unsigned d = topology.dimensions();
  refuse_if(d < 2, "topology.shape",
            "{} needs at least 2 dimensions, not 1; translated-tree gossips on a ring", kCycles);
  const PaperTorus torus(topology);
  LinkPrograms table(gossip_facts(topology, values, kCycles, d));
  table.facts.claimed_steps = (std::uint64_t{torus.size()} + 1) / 2;
  TableWriter writer(torus, table, d);
  const std::vector<Ring> cycles = common::hamiltonian_decomposition(torus);
  for (unsigned k = 0; k < d; ++k) writer.ring(cycles[k], k, k);
  complete_table(table, torus.size());
  return table;
}

const AlgorithmRegistry::Entry cycles_entry{by_table({
    .name = kCycles,
    .summary = "gossip on any torus along d Hamiltonian cycles, d packets per node, time-independent routing",
    .source = "ours, after Meyer and Sibeyn, Section 3.4; stands in for their Theorem 4",
    .claim = "ceil((P-1)/2) steps for P nodes, the fewest possible (Meyer and Sibeyn: ceil(P/2)); one packet "
             "per link and step",
    .admissible = "torus of two or more dimensions, all sides at least 3",
    .parameters = {message_parameter()},
    .table = make_cycles,
})};

}  // namespace
}  // namespace flitscope::meyer_sibeyn::disjoint_cycles
