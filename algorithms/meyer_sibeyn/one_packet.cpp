// meyer-sibeyn-one-packet: gossiping with one packet per PU in P/2d + o(P) steps, by tables (Meyer and
// Sibeyn, Section 4).
//
// d edge-disjoint cycles of about P/d PUs each; a packet runs along the cycles its PU lies on, in both
// directions. A PU that is off a cycle gets that cycle's packets from two of its neighbours.
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/meyer_sibeyn/gossip.h"
#include "algorithms/meyer_sibeyn/supply.h"
#include "model/link_programs.h"

namespace flitscope::meyer_sibeyn {

namespace {

constexpr Direction kRight = plus(0);
constexpr Direction kLeft = minus(0);
constexpr Direction kLower = plus(1);
constexpr Direction kUpper = minus(1);

/// The complete table of an n1 x n2 torus, both odd and at least 3: cycles, injections, supply.
///
/// PU (x, r) is in column x and row r. The cycles of n1 - 1 columns run on columns 0, 2, 3, ..; column 1 is
/// special: (1,0) lies on cycle 0, (1,1) on cycle 1, and (1,r), r >= 2, on none. Such a PU injects its packet
/// into a cycle at one of its neighbours, and gets all four streams of the cycles: two from its neighbours to
/// the left and right, two from those above and below.
///
/// iF and iB are the forward and backward packets of cycle i.
class SpecialColumn {
 public:
  SpecialColumn(const PaperTorus& torus, LinkPrograms& table)
      : torus_(torus), table_(table), writer_(torus, table, 1) {
    const std::vector<std::uint32_t> without{torus.side(0) - 1, torus.side(1)};
    const std::vector<unsigned> laps = moves_of_laps(without);
    for (const std::uint32_t first : {0U, 2U}) {
      std::vector<Direction> moves;
      Pu pu = torus.at(first, 0);
      for (const unsigned axis : laps) {
        const bool passes_special = axis == 0 && torus.coordinate(pu, 0) == 0;
        for (int i = 0; i < (passes_special ? 2 : 1); ++i) {
          moves.push_back(plus(axis));
          pu = torus.neighbour(pu, plus(axis));
        }
      }
      cycles_.emplace_back(torus, torus.at(first, 0), moves);
    }
  }

  /// With `lists` the streams into PUs of ordinary columns, and into (1,0) and (1,1), are lists; otherwise
  /// everything is fixed.
  void write(bool lists) {
    for (unsigned i = 0; i < 2; ++i)
      writer_.ring_with(cycles_[i], i, [&](Pu pu, bool) { return first_rules(pu); });
    write_special_links();
    if (lists) {
      write_listed_links();
    } else {
      write_fixed_links();
    }
  }

 private:
  [[nodiscard]] Pu at(std::uint32_t x, std::uint32_t r) const { return torus_.at(x, r % rows()); }
  [[nodiscard]] std::uint32_t columns() const { return torus_.side(0); }
  [[nodiscard]] std::uint32_t rows() const { return torus_.side(1); }
  static bool even(std::uint32_t r) { return r % 2 == 0; }

  /// Injection of the packet of (1,r): into cycle 0 at (0,r) if r is even, into cycle 1 at (2,r) if r is odd.
  [[nodiscard]] bool is_injected(Pu pu) const {
    const std::uint32_t x = torus_.coordinate(pu, 0);
    const std::uint32_t r = torus_.coordinate(pu, 1);
    return r >= 2 && x == (even(r) ? 0U : 2U);
  }

  /// First packets on the links of a cycle and to other PUs: its own packet, then the injected one.
  [[nodiscard]] std::vector<LinkRule> first_rules(Pu pu) const {
    std::vector<LinkRule> rules{writer_.own(pu)};
    if (is_injected(pu)) rules.push_back(writer_.relay(even(torus_.coordinate(pu, 1)) ? kRight : kLeft, 1));
    return rules;
  }

  [[nodiscard]] LinkRule forward(unsigned cycle, Pu pu) const {
    return writer_.relay(cycles_[cycle].entry(pu));
  }
  [[nodiscard]] LinkRule backward(unsigned cycle, Pu pu) const {
    return writer_.relay(cycles_[cycle].exit(pu));
  }

  /// OWN and the packets that arrive on one side.
  void pass_on(Pu pu, Direction to, LinkRule stream) {
    writer_.link(pu, to, {writer_.own(pu), std::move(stream)});
  }
  /// The same at a PU that may have an injected packet to send.
  void supply(Pu pu, Direction to, LinkRule stream) {
    std::vector<LinkRule> rules = first_rules(pu);
    rules.push_back(std::move(stream));
    writer_.link(pu, to, std::move(rules));
  }

  /// Links into (1,r), r >= 2.
  void write_special_links() {
    const std::uint32_t last = rows() - 1;
    for (std::uint32_t r = 2; r <= last; ++r) {
      // 0B and 1F in even rows, 0F and 1B in odd ones; the other two come from above and below.
      pass_on(at(0, r), kRight, even(r) ? backward(0, at(0, r)) : forward(0, at(0, r)));
      pass_on(at(2, r), kLeft, even(r) ? forward(1, at(2, r)) : backward(1, at(2, r)));
      if (r == last) continue;
      pass_on(at(1, r), kLower, writer_.relay(even(r) ? kLeft : kRight));
      pass_on(at(1, r + 1), kUpper, writer_.relay(even(r) ? kLeft : kRight));
    }
    pass_on(at(1, 1), kLower, backward(1, at(1, 1)));
    pass_on(at(1, 0), kUpper, forward(0, at(1, 0)));
  }

  /// Links into (1,0), (1,1) and into the PUs of ordinary columns that are off a cycle.
  void write_fixed_links() {
    pass_on(at(1, 0), kLower, forward(0, at(1, 0)));
    pass_on(at(1, 1), kUpper, backward(1, at(1, 1)));
    pass_on(at(1, 2), kUpper, writer_.relay(kLeft));
    pass_on(at(1, rows() - 1), kLower, writer_.relay(kRight));
    for (std::uint32_t r = 2; r < rows(); ++r) {
      pass_on(at(1, r), kLeft, writer_.relay(even(r) ? kRight : kLower));
      pass_on(at(1, r), kRight, writer_.relay(even(r) ? kLeft : kUpper));
      supply(at(columns() - 1, r), kRight, backward(1, at(columns() - 1, r)));
      const Pu right_of_2 = at(3 % columns(), r);
      supply(right_of_2, kLeft, forward(0, right_of_2));
      for (std::uint32_t x = 3; x < columns(); ++x) {
        const unsigned off = cycles_[0].passes(at(x, r)) ? 1 : 0;
        const Pu right = at((x + 1) % columns(), r);
        supply(right, kLeft, forward(off, right));
        supply(at(x - 1, r), kRight, backward(off, at(x - 1, r)));
      }
    }
  }

  /// The same links with lists of the missing cycle's packets, by when the rest of the table brings them.
  void write_listed_links() {
    // The injections are part of the rest; the links that carry them get their lists afterwards.
    const auto injection = [](std::uint32_t r) { return even(r) ? kLeft : kRight; };
    for (std::uint32_t r = 2; r < rows(); ++r) writer_.link(at(1, r), injection(r), {writer_.own(at(1, r))});
    Availability availability = play();
    for (std::uint32_t r = 2; r < rows(); ++r) writer_.clear(at(1, r), injection(r));
    std::array<std::vector<Pu>, 2> packets;
    for (unsigned i = 0; i < 2; ++i) {
      packets[i] = cycles_[i].pus();
      for (std::uint32_t r = 2; r < rows(); ++r) {
        if (even(r) == (i == 0)) packets[i].push_back(at(1, r));
      }
      std::ranges::sort(packets[i]);
    }
    const auto write = [&](Pu pu, unsigned cycle, ListSupplier x, ListSupplier y) {
      write_lists(torus_, pu, packets[cycle], {x, y}, availability, writer_);
    };
    write(at(1, 0), 1, {kLower}, {kUpper, true});
    write(at(1, 1), 0, {kUpper}, {kLower, true});
    for (std::uint32_t r = 2; r < rows(); ++r) {
      for (std::uint32_t x = 0; x < columns(); ++x) {
        if (x == 1) continue;
        const unsigned off = cycles_[0].passes(at(x, r)) ? 1 : 0;
        write(at(x, r), off, {kLeft, x == 2}, {kRight, x == 0});
      }
    }
  }

  /// Steps in which packets arrive by the rules written so far.
  [[nodiscard]] Availability play() const {
    Availability availability(torus_.size());
    std::vector<Pu> pu_of(torus_.size());
    for (Pu pu = 0; pu < torus_.size(); ++pu) {
      pu_of[torus_.node(pu)] = pu;
      availability.arrive(pu, pu, 0);
    }
    SteppedTable steps(table_);
    const Topology& topology = torus_.topology();
    for (std::uint32_t step = 1; step <= 2 * torus_.size(); ++step) {
      steps.step([&](ChannelId link, ChunkId chunk) {
        const NodeId to = *topology.neighbour(topology.channel_node(link), topology.channel_port(link));
        availability.arrive(pu_of[to], pu_of[chunk], step);
      });
    }
    return availability;
  }

  const PaperTorus& torus_;
  LinkPrograms& table_;
  TableWriter writer_;
  std::vector<Ring> cycles_;
};

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
  require_torus(topology, kName);
  const unsigned d = topology.dimensions();
  refuse_if(d < 2 || d > 4, "topology.shape",
            "{} is worked out for 2, 3 and 4 dimensions, not {}; {} has any number", kName, d,
            d < 2 ? "translated-tree" : "hamiltonian-cycles");
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
        availability.arrive(pu, packet, cycle.distance(pu, packet));
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
  for (std::uint32_t j = 0; j < cycles.size(); ++j) writer.ring(cycles[j], j, 0);
  std::vector<Supply> supplies =
      torus.axes() == 4 ? matched_supplies(torus, cycles, writer) : adjacent_supplies(torus, cycles, writer);
  if (rule == "lists") {
    write_all_lists(torus, cycles, std::move(supplies), writer);
  } else {
    write_supplies(torus, cycles, supplies, rule, writer);
  }
}

/// Meaning of `supply` on this torus. Throws Inadmissible for an inapplicable rule.
std::string supply_rule(const Topology& topology, const ParameterValues& values) {
  const std::string& given = values.text("supply");
  const bool counters = topology.dimensions() == 3 || (topology.dimensions() == 2 && !is_odd(topology));
  const std::string rule = given != "auto" ? given : counters ? "repaired" : "lists";
  refuse_if(!counters && rule != "lists" && rule != "fixed", "workload.supply",
            "on the {} streams are relayed through nodes off the cycle, for which there are 'lists' and "
            "'fixed', not '{}'",
            topology.name(), given);
  refuse_if(rule == "lists" && topology.nodes() > Availability::kMaxPus, "workload.supply",
            "lists are made for at most {} nodes, not {}; take 'fixed'{}", Availability::kMaxPus,
            topology.nodes(), counters ? " or 'repaired'" : "");
  return rule;
}

LinkPrograms make_table(const Topology& topology, const ParameterValues& values) {
  require_admissible(topology);
  const std::string rule = supply_rule(topology, values);
  const PaperTorus torus = with_axes(topology);
  LinkPrograms table(gossip_facts(topology, values, kName, 1));
  table.facts.claimed_steps = claimed_steps(torus);
  if (is_odd(topology)) {
    SpecialColumn(torus, table).write(rule == "lists");
  } else {
    write_cycles(torus, table, rule);
  }
  complete_table(table, 8 * std::uint64_t{torus.size()});
  return table;
}

const AlgorithmRegistry::Entry entry{by_table({
    .name = kName,
    .summary = "gossip along d partial cycles, one packet per node, time-independent routing",
    .source = "Meyer and Sibeyn, Sections 4.1 to 4.3, the supply repaired; two odd sides worked out here",
    .claim = "n1*n2/4 + n1/2 + 1 steps for d = 2, P/6 + n1*n2/2 + 1 for d = 3, (1 + 4/n4) P/8 + 2 for d = 4 "
             "(Theorems 5 to 7); one packet per link and step",
    .admissible =
        "torus; d = 2: a side even and at least 4, the other at least 2, or both odd and at least 3; d = 3: "
        "3 divides n1, n1 divides n2, n3 >= 3; d = 4: 4 divides n1, n1 divides n2 and n3, n4 >= 4",
    .parameters = {message_parameter(),
                   Parameter::choice(
                       "supply",
                       "how a node off a cycle is supplied: repaired, one counter a link; fixed, none; "
                       "fixed-flipped, none and in the wrong order; lists, every link its own list; auto: "
                       "repaired, or lists where two sides are odd or d = 4",
                       {"auto", "repaired", "fixed", "fixed-flipped", "lists"})
                       .or_else("auto")},
    .table = make_table,
})};

}  // namespace

}  // namespace flitscope::meyer_sibeyn
