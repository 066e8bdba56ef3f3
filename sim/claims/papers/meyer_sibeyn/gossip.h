// Measurements for the claims of Meyer and Sibeyn: gossips of ours, their cycles, and trails by printed
// rules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/link_programs.h"
#include "sim/claims/claim.h"

namespace flitscope::claims::meyer_sibeyn {

/// The claims of the paper's sections, in their order; one file each.
[[nodiscard]] std::vector<Claim> claims_of_sections_1_and_2();
[[nodiscard]] std::vector<Claim> claims_of_section_3();
[[nodiscard]] std::vector<Claim> claims_of_section_41();
[[nodiscard]] std::vector<Claim> claims_of_section_42();
[[nodiscard]] std::vector<Claim> claims_of_section_43();
[[nodiscard]] std::vector<Claim> claims_of_tables();

inline constexpr auto kTwoPackets = "meyer-sibeyn-two-packet";
inline constexpr auto kOnePacket = "meyer-sibeyn-one-packet";

[[nodiscard]] inline bool quick(Extent extent) {
  return extent == Extent::quick;
}

/// Sides of a torus.
using Shape = std::vector<std::uint32_t>;
using Shapes = std::vector<Shape>;

/// "6x7"
[[nodiscard]] std::string size_of(const Shape& shape);
/// "3x3, 3x5, 5x3": all of them, or the first, how many more, and the last.
[[nodiscard]] std::string sizes_of(const Shapes& shapes);
[[nodiscard]] std::uint64_t nodes_of(const Shape& shape);
/// Two sides, the first of `rows`, the second of `columns`, smallest torus first.
[[nodiscard]] Shapes pairs(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns);
/// Three sides, the first a multiple of 3, the second of the first: where Section 4.2 has cycles.
[[nodiscard]] Shapes tori_3d(Extent extent);
/// first, first + step, .., last
[[nodiscard]] std::vector<std::uint32_t> sides(std::uint32_t first, std::uint32_t last, std::uint32_t step);

/// The complete routing table of an algorithm; `settings` such as ", supply: fixed" go on with the workload.
[[nodiscard]] LinkPrograms table_of(const Shape& shape, const std::string& algorithm,
                                    const std::string& settings = "");
/// Steps until every PU has every packet, of an algorithm with a table.
[[nodiscard]] std::uint64_t table_steps(const Shape& shape, const std::string& algorithm,
                                        const std::string& settings = "");
/// Steps of any algorithm, or nothing if the checker finds its schedule illegal.
[[nodiscard]] std::optional<std::uint64_t> checked_steps(const Shape& shape, const std::string& algorithm);

/// Places of all nodes on a cycle; -1: off it.
[[nodiscard]] std::vector<int> places_on(const TableCycle& cycle, NodeId nodes);
/// Of all cycles.
[[nodiscard]] std::vector<std::vector<int>> all_places(const LinkPrograms& table);
/// PUs between two on a cycle, by the shorter way.
[[nodiscard]] std::uint64_t between(const std::vector<int>& places, std::size_t length, NodeId a, NodeId b);
/// Whether no two of the cycles use the same link.
[[nodiscard]] bool share_no_link(const LinkPrograms& table);
/// There is a cycle for each dimension, each has `length` PUs, and no link is on two.
void add_cycles(Cases& cases, const Shape& shape, const LinkPrograms& table, std::uint64_t length);

/// Counts of closed trails through PUs.
struct Trail {
  std::vector<std::uint32_t> visits;  ///< by node
  [[nodiscard]] std::uint64_t length() const;
  [[nodiscard]] std::uint64_t nodes() const;
};
/// The trails that result if every node connects its ports in pairs: `connected` gives the port by which what
/// comes in by a port goes out (ports as in model/types.h; nothing: not connected).
[[nodiscard]] std::vector<Trail> trails_of(
    const Topology& torus, const std::function<std::optional<unsigned>(NodeId, unsigned)>& connected);

/// Section 4.3.1 without its conditions: the cycles that the laps make on a torus of these sides.
struct Laps {
  std::vector<Trail> cycles;
  bool close = true;          ///< every cycle ends where it started
  bool share_a_link = false;  ///< two moves over the same link
};
[[nodiscard]] Laps laps_on(const Shape& shape);

}  // namespace flitscope::claims::meyer_sibeyn
