// As in the paper, dimensions count from 1, coordinates are mod n and relative to the source. The j-th target
// of a side leaves in dimension j, to the right by +, to the left by -, but for the final phase.
#include "algorithms/tsay_wang/paper_phases.h"

#include <utility>
#include <vector>

#include "algorithms/common/broadcast_schedule.h"
#include "algorithms/tsay_wang/lattice.h"
#include "algorithms/tsay_wang/phase.h"

namespace flitscope::tsay_wang {
namespace {

Sign sign_of(std::int64_t t) {
  return t > 0 ? Sign::plus : Sign::minus;
}

/// A phase's sends, from the one that serves the j-th target of a side, at displacement t.
template <typename SendTo>
auto each_target(const SendTo& send_to) {
  return [send_to](std::span<const std::int64_t> targets) {
    std::vector<Send> sends;
    for (unsigned j = 1; j <= targets.size(); ++j) {
      if (targets[j - 1] != 0) sends.push_back(send_to(j, targets[j - 1]));
    }
    return sends;
  };
}

/// Section 4: the nodes (m, .., m).
Phase main_diagonal(unsigned d) {
  const auto send = [=](unsigned j, std::int64_t t) -> Send {
    return {ones(1, d) * t, Route::cyclic(j - 1, sign_of(t))};
  };
  return {"phase 1", {}, ones(1, d), each_target(send)};
}

/// v_h, the direction of the diagonals of phase h in subtori of R = d - h + 1 dimensions: (1, .., 1, -1).
Vector diagonal(unsigned d, unsigned h) {
  const unsigned r = d - h + 1;
  return ones(1, r - 1) - e(r);
}

/// x such that 2^power * x = t mod n; n is odd unless power is 0.
std::int64_t divided_by_power_of_two(std::int64_t t, unsigned power, std::int64_t n) {
  for (; power > 0; --power) {
    if (t % 2 != 0) t += n;
    t /= 2;
  }
  return t;
}

/// Section 5: the diagonals x + Z_n v_h of all x in D_{h,0}, where the nodes of D_{h,0} are those with
///   x_0 + x_1 + 2 x_2 + .. + 2^{h-3} x_{h-2} - 2^{h-2} x_{h-1} = 0,
/// their first R coordinates all x_0, the others x_1, .., x_{h-1}.
Phase subtorus_diagonals(unsigned d, unsigned h, std::uint32_t n, std::vector<Vector> informed) {
  const unsigned r = d - h + 1;
  const auto send = [=](unsigned j, std::int64_t t) -> Send {
    const Route route = Route::cyclic(j - 1, sign_of(t));
    // N_1 and N_2: along the own diagonal.
    if (j <= r) return {diagonal(d, h) * t, route};
    // N_3 and N_4: to the diagonal of the node with x_0 - t in place of x_0, and another x_{j-R} for that.
    const unsigned i = j - r;
    const std::int64_t change =
        i == h - 1 ? divided_by_power_of_two(-t, h - 2, n) : divided_by_power_of_two(t, i - 1, n);
    return {e(j) * change - e(r) * (2 * t), route};
  };
  return {"phase " + std::to_string(h), std::move(informed), diagonal(d, h), each_target(send)};
}

/// Section 6: everybody, from the nodes with x_1 = x_2 + .. + x_d. The class of a node is the difference.
Phase everybody(unsigned d) {
  std::vector<Vector> informed;
  for (unsigned k = 2; k <= d; ++k) informed.push_back(e(1) + e(k));
  const auto send = [](unsigned j, std::int64_t t) -> Send {
    const std::int64_t x = j == 1 ? t : -t;  // a step up in another dimension than the first lowers the class
    return {e(j) * x, Route::cyclic(j - 1, sign_of(x))};
  };
  return {"phase " + std::to_string(d), std::move(informed), e(1), each_target(send)};
}

/// The d phases, and if there is one the step of alignment before the last.
struct Plan {
  RingSchedule ring;
  std::vector<Phase> phases;
  /// Generators of D_{d,0}, of which some nodes have to be aligned; empty if there is nothing to do.
  std::vector<Vector> to_align;
};

class PaperPhases final : public BroadcastSchedule {
 public:
  PaperPhases(ScheduleFacts facts, Plan plan)
      : BroadcastSchedule(std::move(facts)), nodes_(topology(), source()), plan_(std::move(plan)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    const std::uint64_t alignment = plan_.ring.steps() * (plan_.phases.size() - 1) + 1;
    if (!plan_.to_align.empty() && number >= alignment) {
      if (number == alignment) return align(step);
      --number;
    }
    const std::uint64_t h = (number - 1) / plan_.ring.steps() + 1;
    const std::uint64_t k = (number - 1) % plan_.ring.steps() + 1;
    play(plan_.phases[h - 1], plan_.ring, static_cast<unsigned>(k), nodes_, step);
  }

  /// The nodes of D_{d,0} that are not where the last phase wants them inform those that are: x informs
  /// (x_2 + .. + x_d, x_2, .., x_d).
  void align(Step& step) const {
    std::vector<Coordinates> lattice;
    for (const Vector& generator : plan_.to_align) lattice.push_back(nodes_.mod(generator));
    nodes_.for_each_in_coset(lattice, Coordinates{}, [&](const Coordinates& x) {
      std::int64_t sum = 0;
      for (unsigned k = 2; k <= nodes_.d(); ++k) sum += x[k - 1];
      Coordinates aligned = x;
      aligned[0] = nodes_.mod(sum);
      if (aligned == x) return;
      step.add(nodes_.node(x), nodes_.node(aligned), Route::cyclic(0, Sign::plus));
    });
  }

  RelativeNodes nodes_;
  Plan plan_;
};

}  // namespace

std::unique_ptr<Schedule> paper_phases(ScheduleFacts facts, Reading reading) {
  const unsigned d = facts.topology.dimensions();
  const std::uint32_t n = facts.topology.side(0);
  Plan plan{RingSchedule(n, d, reading), {}, {}};
  std::vector<Vector> informed;  // generators of D_{h,0}
  for (unsigned h = 1; h < d; ++h) {
    plan.phases.push_back(h == 1 ? main_diagonal(d) : subtorus_diagonals(d, h, n, informed));
    informed.push_back(plan.phases.back().generator);
  }
  plan.phases.push_back(everybody(d));

  facts.messages = 0;
  for (const Phase& phase : plan.phases) facts.messages += messages(phase, plan.ring, n);
  add_stages(plan.phases, plan.ring, facts.stages);
  if (d >= 3) {
    plan.to_align = informed;
    // Of the n^{d-1} nodes of D_{d,0} those stay that satisfy one more linear equation: n^{d-2}.
    const std::uint64_t stay = facts.topology.nodes() / n / n;
    facts.messages += stay * n - stay;
    Stage& last = facts.stages.back();
    const Stage alignment{"alignment", last.first_step, last.first_step};
    ++last.first_step;
    ++last.last_step;
    facts.stages.insert(facts.stages.end() - 1, alignment);
  }
  facts.steps = facts.stages.back().last_step;
  return std::make_unique<PaperPhases>(std::move(facts), std::move(plan));
}

}  // namespace flitscope::tsay_wang
