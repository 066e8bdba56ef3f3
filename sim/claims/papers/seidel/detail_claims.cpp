// Statements of Section 3 of Seidel's paper beside its equations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algorithms/seidel/plan.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/claims/papers/seidel/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::seidel {

namespace {

using flitscope::seidel::better_st;
using flitscope::seidel::Bits;
using flitscope::seidel::bits_down;
using flitscope::seidel::Holders;
using flitscope::seidel::Numbering;
using flitscope::seidel::Plan;
using flitscope::seidel::Setting;
using flitscope::seidel::Start;

/// Messages that are not runs of chunks, in each half of the steps.
struct Gaps {
  std::uint64_t first_half = 0;
  std::uint64_t second_half = 0;
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

Finding no_permutation(Extent extent) {
  Cases cases;
  std::vector<Shape> tried = arrays(extent, 0, 2);
  for (const Shape& shape : meshes(extent, 0, 2)) tried.push_back(shape);
  for (const Shape& shape : tried) {
    for (const Formula& formula : formulas()) {
      if (formula.linear != shape.linear() || formula.halving || (shape.nu > 0 && !formula.takes_nu))
        continue;
      const Gaps gaps = messages_with_gaps(*make_schedule(broadcast(formula, shape)));
      cases.equal(formula.label + " on " + shape.name(), "messages with gaps", 0,
                  gaps.first_half + gaps.second_half);
    }
  }
  return judge(cases, sizes_of(arrays(extent, 0, 2)) + "; " + sizes_of(meshes(extent, 0, 2)),
               fmt::format("every message of {} schedules is a run of bytes of the message", cases.tried()));
}

Finding order_of_exchange(Extent extent) {
  Cases cases;
  for (const Shape& shape : arrays(extent, 0, 0)) {
    if (shape.d2 < 2) continue;
    const auto gaps = [&](const char* order) {
      const Gaps both = messages_with_gaps(*make_schedule(experiment(
          shape.topology(), fmt::format("{{algorithm: dimensional-exchange, order: {}}}", order))));
      return both.first_half + both.second_half;
    };
    cases.equal(shape.name(), "messages with gaps, least significant bit first", 0, gaps("least-first"));
    cases.add(gaps("most-first") > 0, shape.name(), "no message with gaps, most significant bit first");
  }
  return judge(cases, extent == Extent::quick ? "n = 4 .. 32" : "n = 4 .. 64",
               "no gaps with the least significant bit first, gaps with the most significant");
}

Finding number_of_packets(Extent extent) {
  Cases printed, corrected;
  const auto shapes = arrays(extent, 1, 2);
  for (const Shape& shape : shapes) {
    const auto schedule = make_schedule(broadcast(formula("seidel-st-linear"), shape));
    const std::uint64_t last = schedule->facts().collective.chunk_bytes.size() - 1;
    printed.equal(shape.name(), "is the last packet", std::uint64_t{1} << (shape.nu - 1), last);
    corrected.equal(shape.name(), "is the last packet", (std::uint64_t{1} << shape.nu) - 1, last);
  }
  return judge(printed, corrected, "0, 1, ..., 2^nu - 1, also for the nodes of Section 3.1.2",
               sizes_of(shapes), "2^nu packets");
}

Plan shorter_axis_at_once(const Setting& setting) {
  return better_st(setting, Start::at_once);
}
Plan axes_back_to_back(const Setting& setting) {
  return better_st(setting, Start::back_to_back);
}

Finding delay_of_shorter_axis(Extent extent) {
  Cases needed, second_axis;
  const auto shapes = meshes(extent, 0, 0);
  for (const Shape& shape : shapes) {
    if (shape.d1 == shape.d2) continue;
    const auto load = [&](Plan (*plan)(const Setting&)) {
      return check_schedule(*variant(shape, plan)).max_channel_load;
    };
    needed.add(load(shorter_axis_at_once) > 1, shape.name(),
               "no link is shared when the shorter axis starts at once");
    second_axis.add(load(shorter_axis_at_once) == 1, shape.name(), "a link is shared with the start at once");
    if (shape.shorter() > 1) {
      second_axis.add(load(axes_back_to_back) > 1, shape.name(), "no link is shared with back-to-back axes");
    }
  }
  const auto shared = [](const Shape& shape) {
    return check_schedule(*variant(shape, axes_back_to_back)).shared_links;
  };
  return judge(needed, second_axis,
               "needed is only that no tree starts along its second axis before the longer axis is done",
               sizes_of(shapes),
               fmt::format("starting the shorter axis at once shares no link; back-to-back axes share {} on "
                           "4 x 8 and {} on 4 x 32",
                           shared({2, 3, 0}), shared({2, 5, 0})));
}

/// All pairs of formulas on meshes, compared by a rule.
template <typename Rule>
Cases compared(const std::vector<Shape>& shapes, const Rule& rule) {
  Cases cases;
  for (const Shape& shape : shapes) rule(shape, cases);
  return cases;
}

StepCost five_phases(const Shape& shape) {
  return formula("seidel-st-mesh-five-phase").right(shape);
}

Finding below_equation_3(Extent extent) {
  const auto rule = [](const Shape& shape, Cases& cases) {
    const StepCost columns = formula("seidel-st-mesh-columns").right(shape);
    cases.add(five_phases(shape).transmission < columns.transmission, shape.name(),
              fmt::format("{} against {}", text_of(five_phases(shape)), text_of(columns)));
  };
  return judge(compared(meshes(extent, 0, 2), rule), compared(meshes(extent, 1, 2), rule),
               "nu > 0; with nu = 0 both are the simple algorithm", sizes_of(meshes(extent, 0, 2)),
               "the five phases cost less whenever nu > 0");
}

Finding rows_first(Extent extent) {
  const auto rule = [](const Shape& shape, Cases& cases) {
    if (shape.d1 <= shape.d2) return;
    const Shape turned{shape.d2, shape.d1, shape.nu};
    cases.add(five_phases(turned).transmission < five_phases(shape).transmission, shape.name(),
              fmt::format("{} either way", text_of(five_phases(shape))));
  };
  return judge(compared(meshes(extent, 0, 2), rule), compared(meshes(extent, 1, 2), rule),
               "nu > 0; with nu = 0 the order does not matter", sizes_of(meshes(extent, 0, 2)),
               "rows first costs less for d1 > d2 whenever nu > 0, by the corrected Equation 4");
}

Finding more_steps_than_equation_4(Extent extent) {
  const auto rule = [](const Shape& shape, Cases& cases) {
    if (shape.d1 > shape.d2) return;
    const StepCost better = formula("seidel-st-mesh").right(shape);
    cases.equal(shape.name(), "more steps", std::int64_t{shape.d2} - shape.d1 + 2,
                better.steps - five_phases(shape).steps);
    cases.add(better.transmission < five_phases(shape).transmission, shape.name(),
              fmt::format("{} against {}", text_of(better), text_of(five_phases(shape))));
  };
  return judge(compared(meshes(extent, 0, 2), rule), sizes_of(meshes(extent, 0, 2)),
               "d2 - d1 + 2 more steps and less transmission, also than the corrected Equation 4");
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

Finding contention_but_in_the_last(Extent extent) {
  std::string last_seen;
  const auto rule = [&](const Shape& shape, Cases& cases) {
    const auto loads = exchange_loads(*make_schedule(broadcast(formula("seidel-rh-linear"), shape)));
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const bool last = i + 1 == loads.size();
      cases.add(last || loads[i] > 1U << shape.nu, shape.name(),
                fmt::format("{} messages at most on a link in exchange step {}", loads[i], i + 1));
    }
    last_seen = fmt::format("{} messages on a link in the steps of {}", fmt::join(loads, ", "), shape.name());
  };
  const Cases printed = compared(arrays(extent, 0, 2), rule);
  const Cases without_nu = compared(arrays(extent, 0, 0), rule);
  return judge(printed, without_nu,
               "nu = 0; for nu > 0 only the steps with more than 2^nu messages on a link have contention",
               sizes_of(arrays(extent, 0, 2)), last_seen);
}

Finding one_permutation(Extent extent) {
  Cases cases;
  for (const Shape& shape : arrays(extent, 0, 0)) {
    if (shape.d2 < 2) continue;
    // Numbered in the order in which they are sent first, or in that in which the exchange joins them.
    const auto as_sent = messages_with_gaps(*variant(shape, [](const Setting& setting) {
      Plan plan;
      const Bits bits = bits_down(setting.columns(), 0, setting.columns().bits);
      Holders holders = setting.start(Numbering(bits));
      flitscope::seidel::distribute(plan, holders, bits);
      flitscope::seidel::dimensional_exchange(plan, holders, bits);
      return plan;
    }));
    const auto as_joined = messages_with_gaps(*variant(shape, [](const Setting& setting) {
      Plan plan;
      const Bits bits = bits_down(setting.columns(), 0, setting.columns().bits);
      Holders holders = setting.start(Numbering(flitscope::seidel::reversed(bits)));
      flitscope::seidel::distribute(plan, holders, bits);
      flitscope::seidel::dimensional_exchange(plan, holders, bits);
      return plan;
    }));
    cases.add(as_sent.first_half == 0 && as_sent.second_half > 0, shape.name(),
              "numbered as sent, the exchange has no gaps");
    cases.add(as_joined.first_half > 0 && as_joined.second_half == 0, shape.name(),
              "numbered as joined, the distribution has no gaps");
  }
  return judge(cases, extent == Extent::quick ? "n = 4 .. 32" : "n = 4 .. 64",
               "with either numbering one of the two phases is in runs and the other is not");
}

Plan rows_and_columns_in_turn(const Setting& setting) {
  const auto& r = setting.rows();
  const auto& c = setting.columns();
  const Bits all = flitscope::seidel::joined({bits_down(r, 0, r.bits), bits_down(c, 0, c.bits)});
  Plan plan;
  Holders holders = setting.start(Numbering(all));
  flitscope::seidel::distribute(plan, holders, all);
  Bits in_turn;
  for (unsigned t = r.bits; t > 0; --t) {
    in_turn.push_back(c.bit(t - 1));
    in_turn.push_back(r.bit(t - 1));
  }
  flitscope::seidel::dimensional_exchange(plan, holders, in_turn);
  return plan;
}

Finding interleaving_halves(Extent extent) {
  Cases cases;
  std::string seen;
  for (const Shape& shape : meshes(extent, 0, 0)) {
    if (shape.d1 != shape.d2 || shape.d1 < 2) continue;
    const auto with = exchange_loads(*make_schedule(broadcast(formula("seidel-rh-mesh"), shape)));
    const auto without = exchange_loads(*variant(shape, rows_and_columns_in_turn));
    for (std::size_t i = 0; i < with.size(); ++i) {
      const std::uint32_t half = std::max(1U, without[i] / 2);
      cases.equal(fmt::format("{}, exchange step {}", shape.name(), i + 1), "messages on a link", half,
                  with[i]);
    }
    const auto transmission = [](Schedule& schedule) {
      return boost::rational_cast<double>(step_cost(schedule, 0).transmission);
    };
    seen = fmt::format("{}: {:.3f} m a against {:.3f} m a", shape.name(),
                       transmission(*make_schedule(broadcast(formula("seidel-rh-mesh"), shape))),
                       transmission(*variant(shape, rows_and_columns_in_turn)));
  }
  return judge(cases, extent == Extent::quick ? "4 x 4, 8 x 8, nu = 0" : "4 x 4 .. 16 x 16, nu = 0",
               "half the messages on the busiest link as if all nodes exchanged along rows, then columns, "
               "bit by bit; " +
                   seen);
}

}  // namespace

std::vector<Claim> detail_claims() {
  return {
      {"no-permutation", "Sections 3.1 to 3.4", "ST and BST need no permutation of packets.",
       "no message with gaps", no_permutation},
      {"exchange-order", "Section 3.1.1, Figure 2",
       "An exchange keeps packets in order with the least significant bit first, not with the most "
       "significant.",
       "no message with gaps in the one order, at least one in the other", order_of_exchange},
      {"packets", "Section 3.1.1", "A subarray of 2^nu nodes contains the packets 0, 1, ..., 2^(nu-1).",
       "equal", number_of_packets},
      {"shorter-axis-delay", "Sections 3.2.1 and 3.4.1",
       "If d1 != d2, trees along the shorter axis must be delayed by |d1 - d2| steps.",
       "without the delay a link is shared", delay_of_shorter_axis},
      {"below-equation-3", "Section 3.2.2", "The cost of the five phases is always lower than Equation 3.",
       "less transmission for every size", below_equation_3},
      {"rows-first", "Section 3.2.2", "For d1 > d2 it is better to broadcast along the row first.",
       "less transmission for every size", rows_first},
      {"steps-of-equation-6", "Section 3.2.2",
       "For d1 <= d2 the better ST has d2 - d1 + 2 more steps than the five phases and less transmission.",
       "steps equal, less transmission", more_steps_than_equation_4},
      {"rh-contention", "Section 3.5", "RH has link contention in every step of its exchange but the last.",
       "more than 2^nu messages on a link in every such step", contention_but_in_the_last},
      {"rh-permutation", "Section 3.5",
       "RH must permute the packets once, before its first phase or after its second.",
       "gaps in one phase and none in the other, with either numbering", one_permutation},
      {"rh-interleaving", "Section 3.6", "On square meshes interleaved exchanges halve the contention.",
       "half the messages on a link in every step, equal", interleaving_halves},
  };
}

}  // namespace flitscope::claims::seidel
