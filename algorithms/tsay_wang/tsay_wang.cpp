// The broadcasts of Tsay and Wang in phases along diagonals.

#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/common/ring_schedule.h"
#include "algorithms/common/schedule.h"
#include "algorithms/tsay_wang/phase.h"
#include "model/schedule.h"

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

/// Section 6: all nodes, from the nodes with x_1 = x_2 + .. + x_d. The class of a node is the difference.
Phase final_phase(unsigned d) {
  std::vector<Vector> informed;
  for (unsigned k = 2; k <= d; ++k) informed.push_back(e(1) + e(k));
  const auto send = [](unsigned j, std::int64_t t) -> Send {
    const std::int64_t x = j == 1 ? t : -t;  // a step up in another dimension than the first lowers the class
    return {e(j) * x, Route::cyclic(j - 1, sign_of(x))};
  };
  return {"phase " + std::to_string(d), std::move(informed), e(1), each_target(send)};
}

/// The nodes of D_{d,0} that are not where the last phase wants them inform those that are: x informs
/// (x_2 + .. + x_d, x_2, .., x_d). `generators`: of D_{d,0}.
void align(const std::vector<Vector>& generators, const RelativeNodes& nodes, Step& step) {
  nodes.for_each_in_coset(generators, Coordinates{}, [&](const Coordinates& x) {
    std::int64_t sum = 0;
    for (unsigned k = 2; k <= nodes.d(); ++k) sum += x[k - 1];
    Coordinates aligned = x;
    aligned[0] = nodes.mod(sum);
    if (aligned == x) return;
    step.add(nodes.node(x), nodes.node(aligned), Route::cyclic(0, Sign::plus));
  });
}

/// A broadcast on a torus of d equal sides n >= 3, from the source in `facts`: the main diagonal, d-2 phases
/// that each inform a diagonal in every subtorus, for d >= 3 the step that aligns them, and the phase that
/// informs all. d * ceil(log_{2d+1} n) steps, one more for d >= 3. n is odd if d >= 4 (Lemma 6 needs it).
///
/// Fills in the facts' steps, messages and stages.
std::unique_ptr<Schedule> paper_phases(ScheduleFacts facts, Reading reading) {
  const unsigned d = facts.topology.dimensions();
  const std::uint32_t n = facts.topology.side(0);
  const RingSchedule ring(n, d, reading);
  std::vector<Phase> phases;
  std::vector<Vector> informed;  // generators of D_{h,0}
  for (unsigned h = 1; h < d; ++h) {
    phases.push_back(h == 1 ? main_diagonal(d) : subtorus_diagonals(d, h, n, informed));
    informed.push_back(phases.back().generator);
  }
  phases.push_back(final_phase(d));

  facts.messages = 0;
  for (const Phase& phase : phases) facts.messages += messages(phase, ring, n);
  add_stages(phases, ring, facts.stages);
  // Of the n^{d-1} nodes of D_{d,0} those need not be aligned that satisfy one more linear equation: n^{d-2}.
  const std::uint64_t alignment = d >= 3 ? ring.steps() * (phases.size() - 1) + 1 : 0;
  if (alignment > 0) {
    const std::uint64_t stay = facts.topology.nodes() / n / n;
    facts.messages += stay * n - stay;
    ++facts.stages.back().first_step;
    ++facts.stages.back().last_step;
    facts.stages.insert(facts.stages.end() - 1, {"alignment", alignment, alignment});
  }
  facts.steps = facts.stages.back().last_step;
  const RelativeNodes nodes(facts.topology, common::source_of(facts));
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    if (alignment > 0 && number >= alignment) {
      if (number == alignment) return align(informed, nodes, step);
      --number;
    }
    play(phases, ring, number, nodes, step);
  });
}

/// Source of the message to a node with two new coordinates n-1.
enum class Extra : std::uint8_t {
  spread,   ///< from the node that a checksum of the target's other coordinates picks (ours)
  ordered,  ///< from the node with 0 in both dimensions, in the order of dimensions that `spread` uses
  literal,  ///< the same, the lower dimension first, as printed
};

/// ceil(d/2): each step serves the targets with one or two more coordinates n-1.
constexpr unsigned extra_steps(unsigned d) {
  return (d + 1) / 2;
}

/// Dimensions, as bits: bit k-1 is dimension k.
using Dimensions = std::uint32_t;

/// The two dimensions in the order in which the second follows sooner on the first, cyclically; if both
/// follow d/2 later, the lower one first if it is odd.
std::pair<unsigned, unsigned> ordered(unsigned d, unsigned lower, unsigned higher) {
  const unsigned apart = higher - lower;
  const bool lower_first = 2 * apart != d ? 2 * apart < d : lower % 2 == 1;
  return lower_first ? std::pair(lower, higher) : std::pair(higher, lower);
}

/// y: different first links for the targets of one node, second links on the target's own line.
std::uint32_t checksum(unsigned d, std::uint32_t n, unsigned i, unsigned j, const Coordinates& target) {
  std::int64_t y = (j + d - i) % d;
  y -= 1;
  for (unsigned k = 0; k < d; ++k) {
    if (target[k] != n - 1) y -= target[k];
  }
  const std::int64_t modulus = n - 1;
  return static_cast<std::uint32_t>((y % modulus + modulus) % modulus);
}

/// Step e serves the targets with exactly k+1 or k+2 coordinates n-1, k = 2(e-1).
void add_extra_step(unsigned d, std::uint32_t n, Extra extra, unsigned e, const AddMessage& add) {
  const auto k = static_cast<int>(2 * (e - 1));
  for (Dimensions last = 1; last < Dimensions{1} << d; ++last) {
    const int count = std::popcount(last);
    if (count != k + 1 && count != k + 2) continue;
    const auto higher = static_cast<unsigned>(std::bit_width(last));
    const auto lower = static_cast<unsigned>(std::bit_width(last ^ Dimensions{1} << (higher - 1)));
    const auto values = [&](unsigned dimension) {
      return (last >> (dimension - 1) & 1) != 0 ? Range{n - 1, n} : Range{0, n - 1};
    };
    Coordinates at{};
    for_each_in_box(1, d, values, at, [&](const Coordinates& target) {
      Coordinates from = target;
      if (count == k + 1) {  // the last of them is reached by its last link
        from[higher - 1] = n - 2;
        return add(from, target, higher, Sign::plus);
      }
      // The last two of them, i and j, are reached from 0 in i and y in j, both downwards.
      const auto [i, j] = extra == Extra::literal ? std::pair(lower, higher) : ordered(d, lower, higher);
      from[i - 1] = 0;
      from[j - 1] = extra == Extra::spread ? checksum(d, n, i, j, target) : 0;
      add(from, target, i, Sign::minus);
    });
  }
}

/// A broadcast on a torus of even side n: `inner`, on side n-1 from its node 0, and then the extra phase.
/// `facts` are those of the whole; steps, messages and stages are filled in.
std::unique_ptr<Schedule> with_extra_phase(ScheduleFacts facts, std::unique_ptr<Schedule> inner,
                                           Extra extra) {
  const unsigned d = facts.topology.dimensions();
  facts.steps = extra_steps(d);
  facts.messages = facts.topology.nodes() - inner->facts().topology.nodes();
  facts.stages = {{"extra phase", 1, facts.steps}};
  const std::uint32_t n = facts.topology.side(0);
  return extended_broadcast(std::move(facts), std::move(inner), 1,
                            [=](unsigned e, const AddMessage& add) { add_extra_step(d, n, extra, e, add); });
}

/// Throws Inadmissible("topology.shape") if there are more than 2n-1 dimensions: then some node would have to
/// send twice by one link. `topology` has equal sides.
void require_links_for_extra_phase(const Topology& topology, const std::string& algorithm) {
  const unsigned d = topology.dimensions();
  const std::uint32_t n = topology.side(0);
  refuse_if(d / 2 > n - 1, "topology.shape",
            "{} on an even side n = {} needs floor(d/2) <= n-1, so at most {} dimensions, not {}; nearest "
            "admissible: sides of {}",
            algorithm, n, 2 * n - 1, d, n + 1);
}

// tsay-wang: the broadcast of Tsay and Wang, repaired where the paper's rules fail; the rules as printed can
// be had too, to see how they fail.

constexpr auto kPaper = "tsay-wang";

Reading reading_of(const std::string& name) {
  if (name == "bounded") return Reading::bounded;
  return name == "literal" ? Reading::literal : Reading::working;
}

Extra extra_of(const std::string& name) {
  if (name == "ordered") return Extra::ordered;
  return name == "literal" ? Extra::literal : Extra::spread;
}

std::unique_ptr<Schedule> make_paper(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kPaper, 3);
  const unsigned d = topology.dimensions();
  const Reading reading = reading_of(values.text("reading"));
  ScheduleFacts facts = common::broadcast_facts(topology, values, kPaper, "cyclic-dimension-order", 2 * d);
  facts.claimed_channel_load = 1;

  const bool even = n % 2 == 0;
  if (even && values.text("even") == "extra-phase") {
    require_links_for_extra_phase(topology, kPaper);
    facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n - 1) + extra_steps(d) + 1;
    ScheduleFacts inner(Topology(TopologyKind::torus, std::vector<std::uint32_t>(d, n - 1)));
    inner.collective = Collective::broadcast(0, values.bytes("message"));
    return with_extra_phase(std::move(facts), paper_phases(std::move(inner), reading),
                            extra_of(values.text("extra")));
  }
  refuse_if(even && d > 3, "workload.even",
            "{} on an even side n = {} without an extra phase needs d <= 3 dimensions, not {}: Lemma 6 fails "
            "(choose even: extra-phase)",
            kPaper, n, d);
  facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n) + 1;
  return paper_phases(std::move(facts), reading);
}

const AlgorithmRegistry::Entry paper_entry{common::segmented({
    .name = kPaper,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on an all-port torus in d phases along diagonals",
    .source = "Tsay and Wang, Sections 3 to 7, with repairs",
    .claim = "n odd: d * ceil(log_{2d+1} n) + 1 steps; n even: d * ceil(log_{2d+1} (n-1)) + ceil(d/2) + 1; "
             "at most one message per link and step (one step fewer for d <= 2)",
    .admissible = "torus of equal sides n >= 3, any number of dimensions d; n even: floor(d/2) <= n-1",
    .parameters = broadcast_parameters(
        {Parameter::choice("reading",
                           "how targets are chosen where n is no power of 2d+1: working, or two readings of "
                           "the paper that waste messages (bounded) or collide (literal)",
                           {"working", "bounded", "literal"})
             .or_else("working"),
         Parameter::choice(
             "even",
             "even n: the phases on side n-1, then an extra phase; or the phases on n itself, for d <= 3",
             {"extra-phase", "phases-only"})
             .or_else("extra-phase"),
         Parameter::choice("extra",
                           "the extra phase: repaired (spread), or as printed but in a better order "
                           "(ordered), or as printed (literal); these two collide",
                           {"spread", "ordered", "literal"})
             .or_else("spread")}),
    .make = make_paper,
})};

// tsay-wang-subtorus: an even side n through the subtorus of side n-1, with tsay-wang-direct in the place
// of the paper's phases. It shows what the extra phase costs by itself; tsay-wang-dilated is never worse for
// d >= 2.

constexpr auto kSubtorus = "tsay-wang-subtorus";

std::unique_ptr<Schedule> make_subtorus(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kSubtorus, 4);
  const unsigned d = topology.dimensions();
  refuse_if(n % 2 != 0, "topology.shape",
            "{} needs an even side, not {}; nearest admissible: {} (odd sides: tsay-wang-direct)", kSubtorus,
            n, n + 1);
  require_links_for_extra_phase(topology, kSubtorus);
  ScheduleFacts facts = common::broadcast_facts(topology, values, kSubtorus, "cyclic-dimension-order", 2 * d);
  facts.claimed_channel_load = 1;
  facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n - 1) + extra_steps(d);
  return with_extra_phase(std::move(facts),
                          inner_broadcast("tsay-wang-direct", d, n - 1, values.bytes("message")),
                          Extra::spread);
}

const AlgorithmRegistry::Entry subtorus_entry{common::segmented({
    .name = kSubtorus,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on an all-port torus of even side by way of the subtorus of side n-1",
    .source = "ours, after Tsay and Wang: tsay-wang-direct and the extra phase of Section 7, repaired",
    .claim =
        "d * ceil(log_{2d+1} (n-1)) + ceil(d/2) steps, at most one message per link and step, none redundant",
    .admissible = "torus of equal even sides n >= 4, any number of dimensions d with floor(d/2) <= n-1",
    .parameters = broadcast_parameters(),
    .make = make_subtorus,
})};

}  // namespace

}  // namespace flitscope::tsay_wang
