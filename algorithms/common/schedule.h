// Schedules of algorithms: made step by step, cut into segments; their facts and the parts of their data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/schedule.h"

namespace flitscope::common {

/// `make` of an algorithm that shares a function with others: make(topology, values, given...).
template <typename Function, typename... Given>
[[nodiscard]] auto make_with(Function make, const Given&... given) {
  return [=](const Topology& topology, const ParameterValues& values) {
    return make(topology, values, given...);
  };
}

/// Adds the messages of step `number`, counted from 1, to an empty step. Called once for every step, in
/// order.
using ProduceStep = std::function<void(std::uint64_t number, Step& step)>;

/// A schedule of facts known beforehand, one step at a time, so that a long one costs one step's memory.
[[nodiscard]] std::unique_ptr<Schedule> stepwise(ScheduleFacts facts, ProduceStep produce);

/// The same of steps that are all made already: fills in steps, messages and ports of the facts.
[[nodiscard]] std::unique_ptr<Schedule> recorded(ScheduleFacts facts, std::vector<Step> steps);
/// The most messages that a node sends (`end` = &Message::source), or receives, in `window` steps in a row.
[[nodiscard]] unsigned ports_of(const std::vector<Step>& steps, NodeId nodes, NodeId Message::*end,
                                std::uint64_t window = 1);

/// Facts of an algorithm in which a node sends, and receives, at most `ports` messages a step.
[[nodiscard]] ScheduleFacts facts_of(const Topology& topology, std::string algorithm, unsigned ports);

/// The facts of a broadcast that its parameters and its ports settle: the source and the message, p - 1
/// messages to p nodes, of which none is redundant. Steps, claims and stages are left to the algorithm.
/// Throws Inadmissible("workload.source").
[[nodiscard]] ScheduleFacts broadcast_facts(const Topology& topology, const ParameterValues& values,
                                            std::string algorithm, std::string routing, unsigned ports);

/// The node that has everything at the start, as in a broadcast or a scatter.
[[nodiscard]] inline NodeId source_of(const ScheduleFacts& facts) {
  return facts.collective.initial.front().node;
}

/// `bytes` in nearly equal parts, the longer ones first.
[[nodiscard]] std::vector<std::uint64_t> split(std::uint64_t bytes, std::uint64_t parts);
/// `node` has chunks first .. first + count - 1.
[[nodiscard]] Holding run_of_chunks(NodeId node, std::uint64_t count, std::uint64_t first = 0);
/// The node at place v has chunks v * each .. v * each + each - 1.
[[nodiscard]] std::vector<Holding> own_chunks(const Participants& participants, std::uint64_t each = 1);

/// Of a scatter or a gather, whose facts have the own chunks of all nodes at the start: `root` has all of
/// them at the start and every node its own at the end, or the other way round.
void scatter_from(NodeId root, Collective& collective);
void gather_to(NodeId root, Collective& collective);

/// `message` of an all-to-all: all that one node sends.
[[nodiscard]] Parameter data_parameter();

/// The facts of an all-to-all. The data of a node is cut into p parts, nearly equal, one for each node, its
/// own among them, and these into `pieces` chunks each. Piece i of what the node at place s has for the one
/// at place d (Participants) is chunk (s * p + d) * pieces + i. Steps and messages are left to the algorithm.
/// Throws Inadmissible("topology.kind") unless it is a torus, or `any_network`, and
/// Inadmissible("topology.shape") if that is too large.
[[nodiscard]] ScheduleFacts all_to_all_facts(const Topology& topology, const ParameterValues& values,
                                             std::string algorithm, unsigned pieces, unsigned ports,
                                             bool any_network = false);

/// An algorithm from one node to all, or from all to one, with one more parameter, `segment`: the message is
/// cut into segments of that length, and each goes as the whole message would, a step after the one before.
/// Steps of different segments then share links and ports; `ports` of the schedule says how many. Without
/// `segment` nothing changes.
///
/// `rooted` has a parameter `message`, of which its steps do not depend but for the sizes of chunks.
[[nodiscard]] Algorithm segmented(Algorithm rooted);

/// The parameter `segment`, in bytes.
[[nodiscard]] Parameter segment_parameter(std::string summary, std::string fallback);

}  // namespace flitscope::common
