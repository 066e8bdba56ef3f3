// Claims of Section 4.1: one packet a PU, two partial cycles.
#include <algorithm>

#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

Shapes even_tori(Extent extent) {
  return quick(extent) ? pairs(sides(4, 10, 2), sides(2, 10, 1)) : pairs(sides(4, 16, 2), sides(2, 16, 1));
}
Shapes odd_tori(Extent extent) {
  return quick(extent) ? pairs(sides(3, 11, 2), sides(3, 11, 2)) : pairs(sides(3, 15, 2), sides(3, 15, 2));
}

Finding cycles_2d(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    add_cycles(cases, shape, table_of(shape, kOnePacket), nodes_of(shape) / 2 + shape[0]);
  }
  return judge(cases, sizes_of(tried), "n1*n2/2 + n1 PUs each, no common link");
}

Finding gap_2d(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    const LinkPrograms table = table_of(shape, kOnePacket);
    const Topology& torus = table.facts.topology;
    const auto places = all_places(table);
    for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
      for (std::size_t j = 0; j < places.size(); ++j) {
        if (places[j][pu] >= 0) continue;
        const NodeId left = torus.moved(pu, 0, Sign::minus, 1);
        const NodeId right = torus.moved(pu, 0, Sign::plus, 1);
        cases.equal(size_of(shape), "PUs between", std::uint64_t{shape[1]} + 1,
                    between(places[j], table.cycles[j].nodes.size(), left, right));
      }
    }
  }
  return judge(cases, sizes_of(tried), "always n2 + 1");
}

Finding theorem_5(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  bool always = true;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = table_steps(shape, kOnePacket);
    const std::uint64_t length = nodes_of(shape) / 2 + shape[0];
    always = always && steps == (length + 1) / 2;
    cases.at_most(size_of(shape), "steps * 4", nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4, 4 * steps);
  }
  return judge(cases, sizes_of(tried),
               always ? "exactly ceil(L/2) with one counter a link, L = n1*n2/2 + n1"
                      : "not always ceil(L/2), L = n1*n2/2 + n1");
}

Finding theorem_5_odd(Extent extent) {
  const Shapes tried = odd_tori(extent);
  Cases printed;
  Cases repaired;
  std::string more;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = table_steps(shape, kOnePacket);
    const std::uint64_t bound = nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4;
    printed.add(4 * steps <= bound, size_of(shape),
                fmt::format("{} steps, more than {}", steps, static_cast<double>(bound) / 4));
    repaired.at_most(size_of(shape), "steps", (bound + 3) / 4 + 1, steps);
    if (steps > (bound + 3) / 4) more += (more.empty() ? "" : ", ") + size_of(shape);
  }
  return judge(printed, repaired,
               "the formula rounded up, plus one step in a few cases; by lists, worked out here",
               sizes_of(tried),
               fmt::format("at most the formula rounded up, but for one step more on {}",
                           more.empty() ? "none" : more));
}

Finding theorem_5_fixed(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  Cases flipped;
  for (const Shape& shape : tried) {
    const std::uint64_t bound =
        nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4 + 4 * (std::uint64_t{shape[1]} + 1);
    cases.at_most(size_of(shape), "steps * 4", bound, 4 * table_steps(shape, kOnePacket, ", supply: fixed"));
    flipped.at_most(size_of(shape), "steps * 4", bound,
                    4 * table_steps(shape, kOnePacket, ", supply: fixed-flipped"));
  }
  return judge(
      cases, sizes_of(tried),
      fmt::format("8x8: {} steps with forward packets from the downstream supplier; {} with them from the "
                  "upstream one, where {} of {} tori take longer than claimed",
                  table_steps({8, 8}, kOnePacket, ", supply: fixed"),
                  table_steps({8, 8}, kOnePacket, ", supply: fixed-flipped"), flipped.failed(),
                  tried.size()));
}

}  // namespace

std::vector<Claim> claims_of_section_41() {
  return {
      {"cycles-2d", "Section 4.1, Figure 5", "Two edge-disjoint cycles of total length n1*n2/2 + n1 each.",
       "2 cycles, equal lengths, no common link", cycles_2d},
      {"gap-2d", "Theorem 5, proof", "The suppliers of a PU are separated by n2 + 1 others.", "equal",
       gap_2d},
      {"theorem-5", "Theorem 5, n1 even", "One packet per PU: n1*n2/4 + n1/2 + 1 steps.",
       "at most that many steps", theorem_5},
      {"theorem-5-odd", "Theorem 5, n1 odd", "The same with one special column.", "at most that many steps",
       theorem_5_odd},
      {"theorem-5-fixed", "Theorem 5, proof", "Fully time-independent: n2 + 1 steps more.",
       "at most that many steps", theorem_5_fixed},
  };
}

}  // namespace flitscope::claims::meyer_sibeyn
