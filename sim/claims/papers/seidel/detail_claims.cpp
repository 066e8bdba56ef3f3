// Statements of Section 3 of Seidel's paper beside its equations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algorithms/seidel/plan.h"
#include "sim/claims/papers/seidel/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

using flitscope::seidel::better_st;
using flitscope::seidel::Start;

/// Messages that are not runs of chunks, in each half of the steps.
struct Gaps {
  std::uint64_t first_half = 0;
  std::uint64_t second_half = 0;

  [[nodiscard]] std::uint64_t all() const { return first_half + second_half; }
};

Gaps messages_with_gaps(Schedule& schedule) {
  Gaps gaps;
  const std::uint64_t half = schedule.facts().steps / 2;
  std::uint64_t number = 0;
  for (Step step; schedule.next(step);) {
    ++number;
    for (const Message& message : step.messages()) {
      const auto chunks = step.chunks(message);
      const auto [least, most] = std::ranges::minmax(chunks);
      if (most - least + 1 != chunks.size()) ++(number <= half ? gaps.first_half : gaps.second_half);
    }
  }
  return gaps;
}

Plan shorter_axis_at_once(const Setting& setting) {
  return better_st(setting, Start::at_once);
}
Plan axes_back_to_back(const Setting& setting) {
  return better_st(setting, Start::back_to_back);
}

StepCost five_phases(const Shape& shape) {
  return formula("seidel-st-mesh-five-phase").right(shape);
}

/// Most messages on a link in the exchange steps of RH.
std::vector<std::uint32_t> exchange_loads(Schedule& schedule) {
  std::vector<std::uint32_t> loads;
  CheckOptions options;
  options.on_step = [&](const StepSummary& step) {
    if (step.step > schedule.facts().steps / 2) loads.push_back(step.load.max_load);
  };
  (void)check_schedule(schedule, options);
  return loads;
}

Plan rows_and_columns_in_turn(const Setting& setting) {
  const auto& r = setting.rows();
  const auto& c = setting.columns();
  Plan plan;
  Holders holders = setting.start(Numbering(setting.all_bits()));
  flitscope::seidel::distribute(plan, holders, setting.all_bits());
  Bits in_turn;
  for (unsigned t = r.bits; t > 0; --t) {
    in_turn.push_back(c.bit(t - 1));
    in_turn.push_back(r.bit(t - 1));
  }
  flitscope::seidel::dimensional_exchange(plan, holders, in_turn);
  return plan;
}

/// Arrays of at least four nodes with nu = 0: with two there is no order.
Shapes ordered_arrays(const Trial& t) {
  Shapes tried = arrays(t.extent, 0, 0);
  std::erase_if(tried.list, [](const Shape& shape) { return shape.d2 < 2; });
  return {std::move(tried.list), std::string(t.text("n = 4 .. 32", "n = 4 .. 64"))};
}

void interleaving_halves(Trial& t) {
  std::string last_seen;
  for (const Shape& shape : meshes(t.extent, 0, 0)) {
    if (shape.d1 != shape.d2 || shape.d1 < 2) continue;
    const auto with = exchange_loads(*broadcast_schedule("seidel-rh-mesh", shape));
    const auto without = exchange_loads(*variant(shape, rows_and_columns_in_turn));
    for (std::size_t i = 0; i < with.size(); ++i) {
      t.printed.equal(fmt::format("{}, exchange step {}", name_of(shape), i + 1), "messages on a link",
                      std::max(1U, without[i] / 2), with[i]);
    }
    const auto transmission = [](Schedule& schedule) {
      return boost::rational_cast<double>(step_cost(schedule, 0).transmission);
    };
    last_seen = fmt::format("{}: {:.3f} m a against {:.3f} m a", name_of(shape),
                            transmission(*broadcast_schedule("seidel-rh-mesh", shape)),
                            transmission(*variant(shape, rows_and_columns_in_turn)));
  }
  t.sizes = t.text("4 x 4, 8 x 8, nu = 0", "4 x 4 .. 16 x 16, nu = 0");
  t.measured =
      "half the messages on the busiest link as if all nodes exchanged along rows, then columns, bit by "
      "bit; " +
      last_seen;
}

}  // namespace

const Claims detail_claims{
    {"no-permutation", "Sections 3.1 to 3.4", "ST and BST need no permutation of packets.",
     "no message with gaps", arrays_and_meshes,
     [](Trial& t, const Shape& shape) {
       for (const Formula& formula : formulas()) {
         if (formula.linear != shape.linear() || formula.halving || (shape.nu > 0 && !formula.takes_nu))
           continue;
         t.printed.equal(formula.label + " on " + name_of(shape), "messages with gaps", 0,
                         messages_with_gaps(*make_schedule(broadcast(formula, shape))).all());
       }
     },
     "every message of {tried} schedules is a run of bytes of the message"},
    {"exchange-order", "Section 3.1.1, Figure 2",
     "An exchange keeps packets in order with the least significant bit first, not with the most "
     "significant.",
     "no message with gaps in the one order, at least one in the other", ordered_arrays,
     [](Trial& t, const Shape& shape) {
       const auto gaps = [&](const char* order) {
         const auto schedule = make_schedule(experiment(
             shape.topology(), fmt::format("{{algorithm: dimensional-exchange, order: {}}}", order)));
         return messages_with_gaps(*schedule).all();
       };
       t.printed.equal(shape, "messages with gaps, least significant bit first", 0, gaps("least-first"));
       t.printed.add(gaps("most-first") > 0, shape, "no message with gaps, most significant bit first");
     },
     "no gaps with the least significant bit first, gaps with the most significant"},
    {"packets", "Section 3.1.1", "A subarray of 2^nu nodes contains the packets 0, 1, ..., 2^(nu-1).",
     "equal", [](const Trial& t) { return arrays(t.extent, 1, 2); },
     [](Trial& t, const Shape& shape) {
       const auto schedule = broadcast_schedule("seidel-st-linear", shape);
       const std::uint64_t last = schedule->facts().collective.chunk_bytes.size() - 1;
       t.equal(shape, "is the last packet", std::uint64_t{1} << (shape.nu - 1),
               (std::uint64_t{1} << shape.nu) - 1, last);
     },
     "2^nu packets", "0, 1, ..., 2^nu - 1, also for the nodes of Section 3.1.2"},
    {"shorter-axis-delay", "Sections 3.2.1 and 3.4.1",
     "If d1 != d2, trees along the shorter axis must be delayed by |d1 - d2| steps.",
     "without the delay a link is shared",
     [](Trial& t) {
       const auto check = [](const Shape& shape, Plan (*plan)(const Setting&)) {
         return check_schedule(*variant(shape, plan));
       };
       for (const Shape& shape : t.over(meshes(t.extent, 0, 0))) {
         if (shape.d1 == shape.d2) continue;
         const auto load = check(shape, shorter_axis_at_once).max_channel_load;
         t.printed.add(load > 1, shape, "no link is shared when the shorter axis starts at once");
         t.repaired.add(load == 1, shape, "a link is shared with the start at once");
         if (shape.shorter() > 1) {
           t.repaired.add(check(shape, axes_back_to_back).max_channel_load > 1, shape,
                          "no link is shared with back-to-back axes");
         }
       }
       t.repair = "needed is only that no tree starts along its second axis before the longer axis is done";
       t.measured = fmt::format(
           "starting the shorter axis at once shares no link; back-to-back axes share {} on 4 x 8 and {} on "
           "4 x 32",
           check({2, 3, 0}, axes_back_to_back).shared_links,
           check({2, 5, 0}, axes_back_to_back).shared_links);
     }},
    {"below-equation-3", "Section 3.2.2", "The cost of the five phases is always lower than Equation 3.",
     "less transmission for every size", [](const Trial& t) { return meshes(t.extent, 0, 2); },
     [](Trial& t, const Shape& shape) {
       const StepCost five = five_phases(shape);
       const StepCost columns = formula("seidel-st-mesh-columns").right(shape);
       const bool lower = five.transmission < columns.transmission;
       t.add(lower, shape, fmt::format("{} against {}", text_of(five), text_of(columns)), shape.nu != 0);
     },
     "the five phases cost less whenever nu > 0", "nu > 0; with nu = 0 both are the simple algorithm"},
    {"rows-first", "Section 3.2.2", "For d1 > d2 it is better to broadcast along the row first.",
     "less transmission for every size", [](const Trial& t) { return meshes(t.extent, 0, 2); },
     [](Trial& t, const Shape& shape) {
       if (shape.d1 <= shape.d2) return;
       const StepCost columns_first = five_phases(shape);
       const StepCost rows_first = five_phases({shape.d2, shape.d1, shape.nu});
       const bool better = rows_first.transmission < columns_first.transmission;
       t.add(better, shape, fmt::format("{} either way", text_of(columns_first)), shape.nu != 0);
     },
     "rows first costs less for d1 > d2 whenever nu > 0, by the corrected Equation 4",
     "nu > 0; with nu = 0 the order does not matter"},
    {"steps-of-equation-6", "Section 3.2.2",
     "For d1 <= d2 the better ST has d2 - d1 + 2 more steps than the five phases and less transmission.",
     "steps equal, less transmission", [](const Trial& t) { return meshes(t.extent, 0, 2); },
     [](Trial& t, const Shape& shape) {
       if (shape.d1 > shape.d2) return;
       const StepCost better = formula("seidel-st-mesh").right(shape);
       t.printed.equal(shape, "more steps", std::int64_t{shape.d2} - shape.d1 + 2,
                       better.steps - five_phases(shape).steps);
       t.printed.add(better.transmission < five_phases(shape).transmission, shape, "{} against {}",
                     text_of(better), text_of(five_phases(shape)));
     },
     "d2 - d1 + 2 more steps and less transmission, also than the corrected Equation 4"},
    {"rh-contention", "Section 3.5", "RH has link contention in every step of its exchange but the last.",
     "more than 2^nu messages on a link in every such step",
     [](Trial& t) {
       for (const Shape& shape : t.over(arrays(t.extent, 0, 2))) {
         const auto loads = exchange_loads(*broadcast_schedule("seidel-rh-linear", shape));
         for (std::size_t i = 0; i < loads.size(); ++i) {
           const bool as_said = i + 1 == loads.size() || loads[i] > 1U << shape.nu;
           t.add(as_said, shape,
                 fmt::format("{} messages at most on a link in exchange step {}", loads[i], i + 1),
                 shape.nu == 0);
         }
         if (shape.nu == 0) {
           t.measured = fmt::format("{} messages on a link in the steps of {}", fmt::join(loads, ", "),
                                    name_of(shape));
         }
       }
       t.repair = "nu = 0; for nu > 0 only the steps with more than 2^nu messages on a link have contention";
     }},
    {"rh-permutation", "Section 3.5",
     "RH must permute the packets once, before its first phase or after its second.",
     "gaps in one phase and none in the other, with either numbering", ordered_arrays,
     [](Trial& t, const Shape& shape) {
       const Gaps as_sent = messages_with_gaps(*variant(shape, rh_as_sent));
       const Gaps as_joined = messages_with_gaps(*variant(shape, rh_as_joined));
       t.printed.add(as_sent.first_half == 0 && as_sent.second_half > 0, shape,
                     "numbered as sent, the exchange has no gaps");
       t.printed.add(as_joined.first_half > 0 && as_joined.second_half == 0, shape,
                     "numbered as joined, the distribution has no gaps");
     },
     "with either numbering one of the two phases is in runs and the other is not"},
    {"rh-interleaving", "Section 3.6", "On square meshes interleaved exchanges halve the contention.",
     "half the messages on a link in every step, equal", interleaving_halves},
};

}  // namespace flitscope::claims::seidel
