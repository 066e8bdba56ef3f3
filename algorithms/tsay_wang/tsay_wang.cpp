// tsay-wang: the broadcast of Tsay and Wang, repaired where the paper's rules fail; the rules as printed can
// be had too, to see how they fail.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/common/broadcast_schedule.h"
#include "algorithms/common/segmented.h"
#include "algorithms/tsay_wang/extra_phase.h"
#include "algorithms/tsay_wang/paper_phases.h"
#include "model/error.h"

namespace flitscope::tsay_wang::paper {
namespace {

constexpr auto kName = "tsay-wang";

Reading reading_of(const std::string& name) {
  if (name == "bounded") return Reading::bounded;
  return name == "literal" ? Reading::literal : Reading::working;
}

Extra extra_of(const std::string& name) {
  if (name == "ordered") return Extra::ordered;
  return name == "literal" ? Extra::literal : Extra::spread;
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kName, 3);
  const unsigned d = topology.dimensions();
  const Reading reading = reading_of(values.text("reading"));
  ScheduleFacts facts = broadcast_facts(topology, values, kName, "cyclic-dimension-order", 2 * d);
  facts.claimed_channel_load = 1;

  const bool even = n % 2 == 0;
  if (even && values.text("even") == "extra-phase") {
    require_room_for_extra_phase(topology, kName);
    facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n - 1) + extra_steps(d) + 1;
    ScheduleFacts inner(Topology(TopologyKind::torus, std::vector<std::uint32_t>(d, n - 1)));
    inner.collective = Collective::broadcast(0, values.bytes("message"));
    return with_extra_phase(std::move(facts), paper_phases(std::move(inner), reading),
                            extra_of(values.text("extra")));
  }
  if (even && d > 3) {
    throw Inadmissible(
        "workload.even",
        fmt::format("{} on an even side n = {} without an extra phase needs d <= 3 dimensions, "
                    "not {}: Lemma 6 fails (choose even: extra-phase)",
                    kName, n, d));
  }
  facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n) + 1;
  return paper_phases(std::move(facts), reading);
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> list = broadcast_parameters();
  list.push_back({.name = "reading",
                  .type = ParameterType::choice,
                  .summary =
                      "how targets are chosen where n is no power of 2d+1: working, or two readings of "
                      "the paper that waste messages (bounded) or collide (literal)",
                  .fallback = "working",
                  .choices = {"working", "bounded", "literal"}});
  list.push_back({.name = "even",
                  .type = ParameterType::choice,
                  .summary =
                      "even n: the phases on side n-1, then an extra phase; or the phases on n itself, "
                      "for d <= 3",
                  .fallback = "extra-phase",
                  .choices = {"extra-phase", "phases-only"}});
  list.push_back({.name = "extra",
                  .type = ParameterType::choice,
                  .summary = "the extra phase: repaired (spread), or as printed but in a better order "
                             "(ordered), or as printed (literal); these two collide",
                  .fallback = "spread",
                  .choices = {"spread", "ordered", "literal"}});
  return list;
}

const AlgorithmRegistry::Entry entry{segmented({
    .name = kName,
    .summary = "broadcast on an all-port torus in d phases along diagonals",
    .source = "Tsay and Wang, Sections 3 to 7, with repairs",
    .claim =
        "n odd: d * ceil(log_{2d+1} n) + 1 steps; n even: d * ceil(log_{2d+1} (n-1)) + ceil(d/2) + 1; at "
        "most one message per link and step (one step fewer for d <= 2)",
    .admissible = "torus of equal sides n >= 3, any number of dimensions d; n even: floor(d/2) <= n-1",
    .parameters = parameters(),
    .make = make,
})};

}  // namespace
}  // namespace flitscope::tsay_wang::paper
