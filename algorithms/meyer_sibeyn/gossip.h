// Common parts of the gossiping algorithms: the data, and the notation of link rules.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/common/hamiltonian_decomposition.h"
#include "model/link_programs.h"

namespace flitscope::meyer_sibeyn {

using common::Direction;
using common::minus;
using common::PaperTorus;
using common::plus;
using common::Pu;
using common::reverse;
using common::Ring;

/// The parameter `message`: the data of one node, at least a byte for each of its packets.
[[nodiscard]] Parameter message_parameter(std::uint32_t packets_per_pu = 1);

/// The facts of a gossip on a torus: every node starts with its data in `packets_per_pu` packets, as equal in
/// size as can be, and in the end every PU has every packet. Packet k of a node is chunk
/// node * packets_per_pu + k. All ports are used; the lower bound is ceil(packets_per_pu * (P-1) / 2d).
/// Steps, messages and claims are left to the algorithm. Throws Inadmissible("topology.shape") if the
/// possession of all chunks cannot be kept in memory, and Inadmissible("workload.message") for a message with
/// fewer bytes than packets.
[[nodiscard]] ScheduleFacts gossip_facts(const Topology& topology, const ParameterValues& values,
                                         std::string algorithm, std::uint32_t packets_per_pu);

/// The multiple of `of` that is nearest to `value` and at least `of`; ties go up.
[[nodiscard]] constexpr std::uint32_t nearest_multiple(std::uint32_t value, std::uint32_t of) {
  const std::uint32_t multiple = (value + of / 2) / of * of;
  return multiple < of ? of : multiple;
}

/// Writes a routing table in the paper's terms: PUs and directions of a PaperTorus. A link is given its
/// rules once; std::logic_error if two cycles or streams claim it.
class TableWriter {
 public:
  TableWriter(const PaperTorus& torus, LinkPrograms& table, std::uint32_t packets_per_pu)
      : torus_(torus), table_(table), packets_per_pu_(packets_per_pu) {}

  /// OWN: packets of `pu`, by their number.
  [[nodiscard]] LinkRule own(Pu pu, const std::vector<std::uint32_t>& packets = {0}) const;
  /// RELAY the packets from the neighbour in direction `from`.
  [[nodiscard]] LinkRule relay(Direction from, std::uint64_t count = LinkRule::kAll,
                               std::uint64_t skip = 0) const {
    return {.kind = LinkRule::Kind::relay, .port = torus_.port(from), .skip = skip, .count = count};
  }
  /// LIST: packet 0 of each of `pus`.
  [[nodiscard]] LinkRule list(const std::vector<Pu>& pus) const {
    LinkRule rule{.kind = LinkRule::Kind::list};
    rule.packets.reserve(pus.size());
    for (const Pu pu : pus) rule.packets.push_back(chunk(pu, 0));
    return rule;
  }

  /// The rules of the link that leaves `pu` in direction `to`.
  void link(Pu pu, Direction to, std::vector<LinkRule> rules);
  [[nodiscard]] bool is_free(Pu pu, Direction to) const {
    return table_.links[torus_.link(pu, to)].rules.empty();
  }
  void clear(Pu pu, Direction to) { table_.links[torus_.link(pu, to)].rules.clear(); }

  /// Ring programs of cycle `number`: every PU of the ring sends its own packet `packet` in both directions
  /// and relays.
  void ring(const Ring& ring, std::uint32_t number, std::uint32_t packet) {
    ring_with(ring, number, [&](Pu pu, bool) { return std::vector{own(pu, {packet})}; });
  }
  /// The same with rules between OWN and RELAY, or other packets: `before(pu, forward)` makes what a PU sends
  /// first.
  template <typename Before>
  void ring_with(const Ring& ring, std::uint32_t number, const Before& before) {
    draw(ring, number);
    for (const Pu pu : ring.pus()) {
      for (const bool forward : {true, false}) {
        std::vector<LinkRule> rules = before(pu, forward);
        rules.push_back(relay(forward ? ring.entry(pu) : ring.exit(pu)));
        link(pu, forward ? ring.exit(pu) : ring.entry(pu), std::move(rules));
      }
    }
  }

 private:
  void draw(const Ring& ring, std::uint32_t number);
  [[nodiscard]] ChunkId chunk(Pu pu, std::uint32_t number) const {
    return torus_.node(pu) * packets_per_pu_ + number;
  }

  const PaperTorus& torus_;
  LinkPrograms& table_;
  std::uint32_t packets_per_pu_;
};

/// An algorithm by the table that its `table` makes: a gossip, unrolled.
[[nodiscard]] Algorithm by_table(Algorithm declared);

/// The axes (from 0) of the moves, all in direction +, that a cycle makes from its start back to it:
/// n_1/d * n_2 * .. * n_{d-1} laps, each a zigzag and n_d - d + 1 moves along axis d.
[[nodiscard]] std::vector<unsigned> moves_of_laps(std::span<const std::uint32_t> sides);

/// Cycles 0 .. d-1; cycle j starts in PU (j, 0, .., 0). Throws std::logic_error on a torus on which they are
/// no rings.
[[nodiscard]] std::vector<Ring> partial_cycles(const PaperTorus& torus);

}  // namespace flitscope::meyer_sibeyn
