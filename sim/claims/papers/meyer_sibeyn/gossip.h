// Measurements for the claims of Meyer and Sibeyn: gossips of ours, their cycles, and trails by printed
// rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "model/link_programs.h"
#include "sim/claims/claim.h"
#include "sim/claims/measure.h"

namespace flitscope::claims::meyer_sibeyn {

extern const Claims claims_of_sections_1_and_2, claims_of_section_3, claims_of_section_41,
    claims_of_section_42, claims_of_section_43, claims_of_tables;

inline constexpr auto kTwoPackets = "meyer-sibeyn-two-packet";
inline constexpr auto kOnePacket = "meyer-sibeyn-one-packet";

[[nodiscard]] inline bool quick(Extent extent) {
  return extent == Extent::quick;
}

/// Sides of a torus.
struct Shape : std::vector<std::uint32_t> {
  using vector::vector;
};
using Shapes = Sizes<Shape>;

/// "6x7"
[[nodiscard]] std::string name_of(const Shape& shape);
[[nodiscard]] std::uint64_t nodes_of(const Shape& shape);
/// These, named "3x3, 3x5, 5x3": all of them, or the first, how many more, and the last.
[[nodiscard]] Shapes named(const std::vector<Shape>& shapes);
/// The sizes of a claim: these shapes, and `more` where the whole ranges are asked for.
[[nodiscard]] std::function<Shapes(Extent)> listed(std::vector<Shape> shapes, std::vector<Shape> more);
/// Smallest torus first.
[[nodiscard]] Shapes by_nodes(std::vector<Shape> shapes);
/// Two sides, the first of `rows`, the second of `columns`, smallest torus first.
[[nodiscard]] Shapes pairs(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns);
/// Two sides, both of first, first + step, .., last.
[[nodiscard]] Shapes squares(std::uint32_t first, std::uint64_t last, std::uint32_t step);
/// Three sides, the first a multiple of 3, the second of the first: where Section 4.2 has cycles.
[[nodiscard]] Shapes tori_3d(Extent extent);
/// first, first + step, .., last
[[nodiscard]] std::vector<std::uint32_t> sides(std::uint32_t first, std::uint64_t last, std::uint32_t step);

/// The complete routing table of an algorithm; `settings` such as ", supply: fixed" go on with the workload.
[[nodiscard]] LinkPrograms table_of(const Shape& shape, const std::string& algorithm,
                                    const std::string& settings = "");
/// Steps until every PU has every packet, of an algorithm with a table.
[[nodiscard]] std::uint64_t table_steps(const Shape& shape, const std::string& algorithm,
                                        const std::string& settings = "");
/// Steps of any algorithm, or nothing if the checker finds its schedule illegal.
[[nodiscard]] std::optional<std::uint64_t> checked_steps(const Shape& shape, const std::string& algorithm);

/// A gossip with its cycles.
struct Cycles {
  LinkPrograms table;
  std::vector<std::vector<int>> places = {};  ///< of all nodes on each cycle; -1: off it

  explicit Cycles(LinkPrograms of);
  [[nodiscard]] const Topology& torus() const { return table.facts.topology; }
  [[nodiscard]] bool on(std::size_t cycle, NodeId pu) const { return places[cycle][pu] >= 0; }
  /// PUs between two on a cycle, in the shorter direction.
  [[nodiscard]] std::uint64_t between(std::size_t cycle, NodeId a, NodeId b) const;
};
/// Whether no two of the cycles use the same link.
[[nodiscard]] bool share_no_link(const LinkPrograms& table);
/// The measurement of a claim that there is a cycle for each dimension, with `length` PUs, and no link on
/// two.
[[nodiscard]] Measure disjoint_cycles(Shapes (*tried)(Extent), const char* algorithm,
                                      std::uint64_t (*length)(const Shape&), const char* measured);

/// Counts of closed trails through PUs.
struct Trail {
  std::vector<std::uint32_t> visits;  ///< by node

  [[nodiscard]] std::uint64_t length() const {
    return std::accumulate(visits.begin(), visits.end(), std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t nodes() const {
    return visits.size() - static_cast<std::uint64_t>(std::ranges::count(visits, 0U));
  }
};
}  // namespace flitscope::claims::meyer_sibeyn
