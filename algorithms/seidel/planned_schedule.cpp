#include "algorithms/seidel/planned_schedule.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "algorithms/common/schedule.h"

namespace flitscope::seidel {

namespace {

std::uint64_t product(const std::vector<Side>& sides, const auto& factor) {
  return std::accumulate(sides.begin(), sides.end(), std::uint64_t{1},
                         [&](std::uint64_t total, const Side& side) { return total * factor(side); });
}

}  // namespace

Placement::Placement(Resize resize, Tail tail, const Topology& topology, NodeId source)
    : topology_(topology), tail_(tail) {
  unsigned low = 0;
  for (unsigned k = 0; k < topology.dimensions(); ++k) {
    const std::uint32_t nodes = topology.side(k);
    Side& side = sides_.emplace_back(Side{nodes, topology.coordinate(source, k), ceil_log(2, nodes)});
    if (resize == Resize::companions) {
      side.bits = static_cast<unsigned>(std::bit_width(nodes)) - 1;
      side.pairs = nodes - side.positions();
    }
    axes_.push_back({low, side.bits});
    low += side.bits;
  }
  for (unsigned k = topology.dimensions(); k > 0; --k) {
    if (sides_[k - 1].pairs > 0) paired_.push_back(k - 1);
  }
}

std::uint64_t Placement::addresses() const {
  return product(sides_, [](const Side& side) { return side.positions(); });
}

NodeId Placement::member(Address address, Dimensions beside) const {
  NodeId node = 0;
  for (std::size_t k = sides_.size(); k > 0; --k) {
    const Side& side = sides_[k - 1];
    const Axis& axis = axes_[k - 1];
    const std::uint32_t position = (address & axis.all()) >> axis.low;
    const bool is_companion = (beside >> (k - 1) & 1) != 0;
    node = node * topology_.side(static_cast<unsigned>(k - 1)) +
           (is_companion ? side.companion(position) : side.coordinate(position));
  }
  return node;
}

Placement::Dimensions Placement::paired_at(Address address) const {
  Dimensions group = 0;
  for (const unsigned k : paired_) {
    if ((address & axes_[k].all()) >> axes_[k].low < sides_[k].pairs) group |= Dimensions{1} << k;
  }
  return group;
}

std::uint64_t Placement::tail_messages() const {
  if (paired_.empty()) return 0;
  const std::uint64_t all = topology_.nodes();
  if (tail_ == Tail::st) return all - addresses();
  // 2^(g+1) - 1 in a group with companions in g > 0 dimensions: a half across, halves down two trees, a swap.
  const std::uint64_t alone =
      product(sides_, [](const Side& side) { return std::uint64_t{side.positions()} - side.pairs; });
  return 2 * all - alone - addresses();
}

/// ST: dimension after dimension, every member of the group that has the message sends all of it. BST: the
/// second half to the opposite corner; both corners down their trees; a swap in the group's last dimension.
void Placement::add_tail_step(unsigned number, std::uint64_t chunks, Step& step) const {
  const std::vector<ChunkId> all = first_chunks(chunks);
  const std::span<const ChunkId> whole(all);
  const auto send = [&](NodeId from, NodeId to, std::span<const ChunkId> part) {
    step.add(from, to, shortest_route(topology_, from, to), part);
  };
  const bool halves = tail_ == Tail::bst;
  const bool is_swap = halves && number == tail_steps();
  const std::size_t place = number - (halves ? 2 : 1);  // of the dimension in paired_
  for (Address address = 0; address < addresses(); ++address) {
    const Dimensions group = paired_at(address);
    if (group == 0) continue;
    if (halves && number == 1) {
      send(member(address, 0), member(address, group), whole.subspan(chunks / 2));
      continue;
    }
    Dimensions before = 0;
    Dimensions last = 0;  // of the group
    for (std::size_t i = 0; i < paired_.size(); ++i) {
      const Dimensions each = Dimensions{1} << paired_[i] & group;
      if (i < place) before |= each;
      if (halves && each != 0) last = each;
    }
    const Dimensions across = is_swap ? last : Dimensions{1} << paired_[place];
    if ((group & across) == 0 || (!is_swap && across == last)) continue;
    before &= ~last;
    Dimensions from = 0;
    do {
      send(member(address, from), member(address, from ^ across), halves ? whole.first(chunks / 2) : whole);
      const Dimensions opposite = from ^ group;
      if (halves)
        send(member(address, opposite), member(address, opposite ^ across), whole.subspan(chunks / 2));
      from = (from - before) & before;
    } while (from != 0);
  }
}

namespace {

/// One message for each transfer and sender. With virtual nodes (`merges`) what a node would send to itself
/// is left out, and what it sends to the same node in the places of several is one message.
void add_messages(const std::vector<Transfer>& transfers, std::uint64_t chunks, const Placement& placement,
                  const Topology& topology, bool merges, Step& step) {
  std::map<std::pair<NodeId, NodeId>, std::vector<ChunkId>> merged;
  const auto add = [&](NodeId from, NodeId to, const std::vector<ChunkId>& carried) {
    step.add(from, to, shortest_route(topology, from, to), carried);
  };
  for (const Transfer& transfer : transfers) {
    for_each_message(transfer, chunks / transfer.numbering->atoms(),
                     [&](Address sender, Address receiver, const std::vector<ChunkId>& carried) {
                       const NodeId from = placement.node(sender);
                       const NodeId to = placement.node(receiver);
                       if (!merges) return add(from, to, carried);
                       if (from == to) return;
                       std::vector<ChunkId>& all = merged[{from, to}];
                       all.insert(all.end(), carried.begin(), carried.end());
                     });
  }
  for (auto& [ends, all] : merged) {
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    add(ends.first, ends.second, all);
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
    add_messages(transfers, plan.atoms(), placement, topology, true, step);
    count += step.messages().size();
  }
  return count;
}

/// The chunks that the messages of a step carry are kept one by one, 4 bytes each: at most 8 GiB.
void require_memory_for_steps(const Plan& plan, const Topology& topology) {
  constexpr std::uint64_t kMaxCarried = std::uint64_t{1} << 31;
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    std::uint64_t carried = 0;
    for (const Transfer& transfer : plan.steps()[i]) {
      const std::uint64_t scale = plan.atoms() / transfer.numbering->atoms();
      carried += transfer.numbering->count(transfer.agree) * scale << std::popcount(transfer.varying);
    }
    refuse_if(carried > kMaxCarried, "topology.shape",
              "on the {} the messages of step {} would carry {} packets together, more than the {} "
              "that can be kept in memory; fewer nodes are needed",
              topology.name(), i + 1, carried, kMaxCarried);
  }
}

/// Messages that are no runs have to be put together first.
void put_messages_together(const Collective& collective, Step& step) {
  for (std::size_t i = 0; i < step.messages().size(); ++i) {
    const Message& message = step.messages()[i];
    const auto chunks = step.chunks(message);
    const bool is_run = chunks.back() - chunks.front() + 1 == chunks.size();  // they rise
    if (!is_run) step.rearrange(i, message_bytes(collective, step, message));
  }
}

}  // namespace

std::vector<std::uint64_t> cut_evenly(std::uint64_t bytes, std::uint64_t parts) {
  // floor(i * bytes / parts), without the product, which may be too long.
  const auto begin_of = [&](std::uint64_t i) { return i * (bytes / parts) + i * (bytes % parts) / parts; };
  std::vector<std::uint64_t> result(parts);
  for (std::uint64_t i = 0; i < parts; ++i) result[i] = begin_of(i + 1) - begin_of(i);
  return result;
}

std::unique_ptr<Schedule> planned_schedule(ScheduleFacts facts, Plan plan, const Placement& placement,
                                           bool merges) {
  require_memory_for_steps(plan, facts.topology);
  const std::size_t planned = plan.steps().size();
  facts.steps = planned + placement.tail_steps();
  facts.messages = count_messages(plan, placement, facts.topology, merges) + placement.tail_messages();
  facts.stages = plan.stages();
  if (placement.tail_steps() > 0) facts.stages.push_back({"companions", planned + 1, facts.steps});
  const Topology topology = facts.topology;
  const Collective collective = facts.collective;
  return common::stepwise(std::move(facts), [=, plan = std::move(plan)](std::uint64_t number, Step& step) {
    const std::uint64_t chunks = collective.chunk_bytes.size();
    if (number > planned) {
      return placement.add_tail_step(static_cast<unsigned>(number - planned), chunks, step);
    }
    add_messages(plan.steps()[number - 1], chunks, placement, topology, merges, step);
    if (number == 1 && plan.permutation() == Plan::Permutation::at_source) {
      const auto& bytes = collective.chunk_bytes;
      step.rearrange(0, std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}));
    }
    if (plan.permutation() == Plan::Permutation::of_messages) put_messages_together(collective, step);
  });
}

}  // namespace flitscope::seidel
