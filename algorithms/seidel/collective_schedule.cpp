#include "algorithms/seidel/collective_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "model/error.h"
#include "model/route.h"

namespace flitscope::seidel {

namespace {

/// One message for each transfer and sender.
void add_messages(const std::vector<Transfer>& transfers, std::uint64_t chunks, const Placement& placement,
                  const Topology& topology, Step& step) {
  for (const Transfer& transfer : transfers) {
    for_each_message(transfer, chunks / transfer.numbering->atoms(),
                     [&](Address sender, Address receiver, const std::vector<ChunkId>& carried) {
                       const NodeId from = placement.node(sender);
                       const NodeId to = placement.node(receiver);
                       step.add(from, to, shortest_route(topology, from, to), carried);
                     });
  }
}

/// The same with virtual nodes: what a node would send to itself is left out, and what it sends to the same
/// node in the places of several is one message.
void add_merged_messages(const std::vector<Transfer>& transfers, std::uint64_t chunks,
                         const Placement& placement, const Topology& topology, Step& step) {
  std::map<std::pair<NodeId, NodeId>, std::vector<ChunkId>> merged;
  for (const Transfer& transfer : transfers) {
    for_each_message(transfer, chunks / transfer.numbering->atoms(),
                     [&](Address sender, Address receiver, const std::vector<ChunkId>& carried) {
                       const std::pair ends{placement.node(sender), placement.node(receiver)};
                       if (ends.first == ends.second) return;
                       std::vector<ChunkId>& all = merged[ends];
                       all.insert(all.end(), carried.begin(), carried.end());
                     });
  }
  for (auto& [ends, all] : merged) {
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    step.add(ends.first, ends.second, shortest_route(topology, ends.first, ends.second), all);
  }
}

std::uint64_t count_messages(const Plan& plan, const Placement& placement, const Topology& topology,
                             bool merges) {
  std::uint64_t count = 0;
  Step step;
  for (const std::vector<Transfer>& transfers : plan.steps()) {
    if (!merges) {
      for (const Transfer& transfer : transfers) {
        count += std::uint64_t{1} << std::popcount(transfer.varying);
      }
      continue;
    }
    step.clear();
    add_merged_messages(transfers, plan.atoms(), placement, topology, step);
    count += step.messages().size();
  }
  return count;
}

/// The chunks that the messages of a step carry are kept one by one, 4 bytes each: at most 8 GiB.
constexpr std::uint64_t kMaxCarried = std::uint64_t{1} << 31;

}  // namespace

void require_room_for_steps(const Plan& plan, const Topology& topology) {
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    std::uint64_t carried = 0;
    for (const Transfer& transfer : plan.steps()[i]) {
      const std::uint64_t scale = plan.atoms() / transfer.numbering->atoms();
      carried += transfer.numbering->count(transfer.agree) * scale << std::popcount(transfer.varying);
    }
    if (carried <= kMaxCarried) continue;
    throw Inadmissible(
        "topology.shape",
        fmt::format("on the {} the messages of step {} would carry {} packets together, more than "
                    "the {} that can be kept in memory; fewer nodes are needed",
                    topology.name(), i + 1, carried, kMaxCarried));
  }
}

std::vector<std::uint64_t> cut_evenly(std::uint64_t bytes, std::uint64_t parts) {
  // floor(i * bytes / parts), without the product, which may be too long.
  const auto begin_of = [&](std::uint64_t i) { return i * (bytes / parts) + i * (bytes % parts) / parts; };
  std::vector<std::uint64_t> result(parts);
  for (std::uint64_t i = 0; i < parts; ++i) result[i] = begin_of(i + 1) - begin_of(i);
  return result;
}

ScheduleFacts PlannedSchedule::completed(ScheduleFacts facts, const Plan& plan, const Placement& placement,
                                         bool merges) {
  facts.steps = plan.steps().size() + placement.tail_steps();
  facts.messages = count_messages(plan, placement, facts.topology, merges) + placement.tail_messages();
  facts.stages = plan.stages();
  if (placement.tail_steps() > 0) {
    facts.stages.push_back({"companions", plan.steps().size() + 1, facts.steps});
  }
  return facts;
}

PlannedSchedule::PlannedSchedule(ScheduleFacts facts, Plan plan, Placement placement, bool merges)
    : StepwiseSchedule(completed(std::move(facts), plan, placement, merges)),
      plan_(std::move(plan)),
      placement_(std::move(placement)),
      merges_(merges) {}

void PlannedSchedule::produce(std::uint64_t number, Step& step) {
  const std::uint64_t chunks = facts().collective.chunk_bytes.size();
  if (number > plan_.steps().size()) {
    placement_.add_tail_step(static_cast<unsigned>(number - plan_.steps().size()), chunks, step);
    return;
  }
  const std::vector<Transfer>& transfers = plan_.steps()[number - 1];
  if (merges_) {
    add_merged_messages(transfers, chunks, placement_, topology(), step);
  } else {
    add_messages(transfers, chunks, placement_, topology(), step);
  }
  if (number == 1 && plan_.permutation() == Plan::Permutation::at_source) {
    const auto& bytes = facts().collective.chunk_bytes;
    step.rearrange(0, std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}));
  }
  if (plan_.permutation() == Plan::Permutation::of_messages) put_messages_together(step);
}

void PlannedSchedule::put_messages_together(Step& step) const {
  for (std::size_t i = 0; i < step.messages().size(); ++i) {
    const Message& message = step.messages()[i];
    const auto chunks = step.chunks(message);
    const bool is_run = chunks.back() - chunks.front() + 1 == chunks.size();  // they rise
    if (!is_run) step.rearrange(i, message_bytes(facts().collective, step, message));
  }
}

}  // namespace flitscope::seidel
