#include "algorithms/meyer_sibeyn/special_column.h"

#include <algorithm>
#include <utility>

#include "algorithms/meyer_sibeyn/partial_cycles.h"
#include "algorithms/meyer_sibeyn/supply_lists.h"
#include "model/link_programs.h"

namespace flitscope::meyer_sibeyn {
namespace {

constexpr Direction kRight = plus(0);
constexpr Direction kLeft = minus(0);
constexpr Direction kLower = plus(1);
constexpr Direction kUpper = minus(1);

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

  void write(bool lists) {
    for (unsigned i = 0; i < 2; ++i) {
      writer_.draw(cycles_[i], i == 0 ? "cycle 0" : "cycle 1");
      writer_.ring_with(cycles_[i], [&](Pu pu, bool) { return first_rules(pu); });
    }
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

  /// Where (1,r) injects its packet: into cycle 0 at (0,r) if r is even, into cycle 1 at (2,r) if r is odd.
  [[nodiscard]] bool is_injected(Pu pu) const {
    const std::uint32_t x = torus_.coordinate(pu, 0);
    const std::uint32_t r = torus_.coordinate(pu, 1);
    return r >= 2 && x == (even(r) ? 0U : 2U);
  }

  /// What a PU sends first on the links of its cycle and to other PUs: its own packet, then the injected one.
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

  /// OWN and what comes in on one side.
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
      availability.set(pu, pu, 0);
    }
    SteppedTable steps(table_);
    const Topology& topology = torus_.topology();
    for (std::uint32_t step = 1; step <= 2 * torus_.size(); ++step) {
      steps.step([&](ChannelId link, ChunkId chunk) {
        const NodeId to = *topology.neighbour(topology.channel_node(link), topology.channel_port(link));
        if (step < availability.at(pu_of[to], pu_of[chunk])) {
          availability.set(pu_of[to], pu_of[chunk], step);
        }
      });
    }
    return availability;
  }

  const PaperTorus& torus_;
  LinkPrograms& table_;
  TableWriter writer_;
  std::vector<Ring> cycles_;
};

}  // namespace

void write_special_column(const PaperTorus& torus, LinkPrograms& table, bool lists) {
  SpecialColumn(torus, table).write(lists);
}

}  // namespace flitscope::meyer_sibeyn
