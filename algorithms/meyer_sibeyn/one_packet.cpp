// meyer-sibeyn-one-packet: gossiping with one packet per PU in P/2d + o(P) steps, by tables (Meyer and
// Sibeyn, Section 4).
//
// d edge-disjoint cycles of about P/d PUs each; a packet runs along the cycles its PU lies on, in both
// directions. A PU that is off a cycle gets that cycle's packets from two of its neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/meyer_sibeyn/gossip.h"
#include "algorithms/meyer_sibeyn/partial_cycles.h"
#include "algorithms/meyer_sibeyn/special_column.h"
#include "algorithms/meyer_sibeyn/supply.h"
#include "algorithms/meyer_sibeyn/supply_lists.h"
#include "model/link_programs.h"

namespace flitscope::meyer_sibeyn::one_packet {
namespace {

constexpr auto kName = "meyer-sibeyn-one-packet";

bool is_odd(const Topology& topology) {
  return topology.dimensions() == 2 && topology.side(0) % 2 == 1 && topology.side(1) % 2 == 1;
}

/// Axis 1 of the construction is the even one of two dimensions.
PaperTorus with_axes(const Topology& topology) {
  const bool swap = topology.dimensions() == 2 && topology.side(0) % 2 == 1 && topology.side(1) % 2 == 0;
  return PaperTorus(topology, swap ? std::vector<unsigned>{1, 0} : std::vector<unsigned>{});
}

void require_admissible(const Topology& topology) {
  require_torus(topology, kName, 2);
  const unsigned d = topology.dimensions();
  if (d < 2 || d > 4) {
    throw Inadmissible("topology.shape",
                       fmt::format("{} is worked out for 2, 3 and 4 dimensions, not {}; {} has any number",
                                   kName, d, d < 2 ? "translated-tree" : "hamiltonian-cycles"));
  }
  const std::vector<std::uint32_t> sides(topology.sides().begin(), topology.sides().end());
  std::vector<std::uint32_t> nearest = sides;
  std::string what;
  if (d == 2) {
    what = "an even side of at least 4 and another of at least 2, or two odd sides of at least 3";
    const bool both_even = sides[0] % 2 == 0 && sides[1] % 2 == 0;
    const unsigned even = sides[0] % 2 == 0 ? 0 : 1;
    if (both_even) {
      if (sides[0] < 4 && sides[1] < 4) nearest[0] = 4;
    } else if (sides[even] % 2 == 0) {
      nearest[even] = std::max(sides[even], 4U);
    }
  } else {
    what = d == 3 ? "n1 a multiple of 3, n2 a multiple of n1 and n3 at least 3"
                  : "n1 a multiple of 4, n2 and n3 multiples of n1 and n4 at least 4";
    nearest[0] = nearest_multiple(sides[0], d);
    for (unsigned axis = 1; axis + 1 < d; ++axis) nearest[axis] = nearest_multiple(sides[axis], nearest[0]);
    nearest[d - 1] = std::max(sides[d - 1], d);
  }
  if (nearest != sides) throw wrong_shape(topology, kName, what, nearest);
}

/// The step counts that Theorems 5, 6 and 7 claim, rounded up.
std::uint64_t claimed_steps(const PaperTorus& torus) {
  const std::uint64_t p = torus.size();
  const std::uint64_t n1 = torus.side(0);
  if (torus.axes() == 2) return (p + 2 * n1 + 4 + 3) / 4;
  if (torus.axes() == 3) return (p + 3 * n1 * torus.side(1) + 6 + 5) / 6;
  return (p + 4 * p / torus.side(3) + 16 + 7) / 8;
}

/// The supply rule "lists": every PU that is off a cycle, nearest to it first.
void write_all_lists(const PaperTorus& torus, const std::vector<Ring>& cycles, std::vector<Supply> supplies,
                     TableWriter& writer) {
  Availability availability(torus.size());
  std::vector<std::vector<Pu>> packets;
  for (const Ring& cycle : cycles) {
    packets.push_back(cycle.pus());
    std::ranges::sort(packets.back());
    for (const Pu pu : cycle.pus()) {
      for (const Pu packet : cycle.pus()) {
        availability.set(pu, packet, std::min(availability.at(pu, packet), cycle.distance(pu, packet)));
      }
    }
  }
  std::ranges::stable_sort(supplies, {},
                           [](const Supply& supply) { return std::ranges::max(supply.distance); });
  for (const Supply& supply : supplies) {
    write_lists(torus, supply.pu, packets[supply.cycle], {ListSupplier{supply.from[0]}, {supply.from[1]}},
                availability, writer);
  }
}

void write_cycles(const PaperTorus& torus, LinkPrograms& table, const std::string& rule) {
  TableWriter writer(torus, table, 1);
  const std::vector<Ring> cycles = partial_cycles(torus);
  for (std::size_t j = 0; j < cycles.size(); ++j) {
    writer.ring(cycles[j], 0);
    writer.draw(cycles[j], fmt::format("cycle {}", j));
  }
  std::vector<Supply> supplies =
      torus.axes() == 4 ? matched_supplies(torus, cycles, writer) : adjacent_supplies(torus, cycles, writer);
  if (rule == "lists") {
    write_all_lists(torus, cycles, std::move(supplies), writer);
  } else {
    write_supplies(torus, cycles, supplies,
                   rule == "repaired" ? SupplyRule::repaired
                   : rule == "fixed"  ? SupplyRule::fixed
                                      : SupplyRule::flipped,
                   writer);
  }
}

/// What `supply` means on this torus. Throws Inadmissible for a rule that there is not.
std::string supply_rule(const Topology& topology, const ParameterValues& values) {
  const std::string& given = values.text("supply");
  const bool counters = topology.dimensions() == 3 || (topology.dimensions() == 2 && !is_odd(topology));
  const std::string rule = given != "auto" ? given : counters ? "repaired" : "lists";
  if (!counters && rule != "lists" && rule != "fixed") {
    throw Inadmissible(
        "workload.supply",
        fmt::format("on the {} streams are relayed through nodes off the cycle, for which there "
                    "are 'lists' and 'fixed', not '{}'",
                    topology.name(), given));
  }
  if (rule == "lists" && topology.nodes() > Availability::kMaxPus) {
    throw Inadmissible(
        "workload.supply",
        fmt::format("lists are made for at most {} nodes, not {}; take 'fixed'{}", Availability::kMaxPus,
                    topology.nodes(), counters ? " or 'repaired'" : ""));
  }
  return rule;
}

LinkPrograms make_table(const Topology& topology, const ParameterValues& values) {
  require_admissible(topology);
  const std::string rule = supply_rule(topology, values);
  const PaperTorus torus = with_axes(topology);
  LinkPrograms table(gossip_facts(topology, values, kName, 1));
  table.facts.claimed_steps = claimed_steps(torus);
  if (is_odd(topology)) {
    write_special_column(torus, table, rule == "lists");
  } else {
    write_cycles(torus, table, rule);
  }
  complete_table(table, 8 * std::uint64_t{torus.size()});
  return table;
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "gossip along d partial cycles, one packet per node, time-independent routing",
    .source = "Meyer and Sibeyn, Sections 4.1 to 4.3, the supply repaired; two odd sides worked out here",
    .claim = "n1*n2/4 + n1/2 + 1 steps for d = 2, P/6 + n1*n2/2 + 1 for d = 3, (1 + 4/n4) P/8 + 2 for d = 4 "
             "(Theorems 5 to 7); one packet per link and step",
    .admissible =
        "torus; d = 2: a side even and at least 4, the other at least 2, or both odd and at least 3; "
        "d = 3: 3 divides n1, n1 divides n2, n3 >= 3; d = 4: 4 divides n1, n1 divides n2 and n3, "
        "n4 >= 4",
    .parameters = {message_parameter(),
                   {.name = "supply",
                    .type = ParameterType::choice,
                    .summary =
                        "how a node off a cycle is supplied: repaired, one counter a link; fixed, none; "
                        "fixed-flipped, none and the wrong way round; lists, every link its own list; "
                        "auto: repaired, or lists where two sides are odd or d = 4",
                    .fallback = "auto",
                    .choices = {"auto", "repaired", "fixed", "fixed-flipped", "lists"}}},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return unroll(make_table(topology, values)); },
    .table = make_table,
    .memory = {.per_pair_of_nodes = 4},
}};

}  // namespace
}  // namespace flitscope::meyer_sibeyn::one_packet
