#include "algorithms/all_reduce/exchange.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "algorithms/common/schedule.h"
#include "model/node_set.h"

namespace flitscope::all_reduce {

namespace {

/// Of p nodes, C = 2^k, the largest power of two, exchange, pairs at distances 1, 2, 4, ... of their numbers.
/// Each of the other p - C gives its data to one of these before, its host, and gets the result after that.
class Fold {
 public:
  explicit Fold(const Topology& topology)
      : topology_(topology),
        participants_(topology),
        order_(NodeGroups(topology).order()),
        rounds_(static_cast<unsigned>(std::bit_width(order_.size())) - 1),
        guests_(static_cast<NodeId>(order_.size()) - (NodeId{1} << rounds_)) {}

  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(order_.size()); }
  /// C.
  [[nodiscard]] NodeId hosts() const { return NodeId{1} << rounds_; }
  /// k.
  [[nodiscard]] unsigned rounds() const { return rounds_; }
  /// The first so many hosts have a guest each, which is next to them.
  [[nodiscard]] NodeId guests() const { return guests_; }
  [[nodiscard]] unsigned fold_steps() const { return guests_ > 0 ? 1 : 0; }
  /// Messages of guests to their hosts, of all rounds, and of hosts to their guests.
  [[nodiscard]] std::uint64_t messages() const {
    return std::uint64_t{rounds()} * hosts() + 2 * std::uint64_t{guests()};
  }
  [[nodiscard]] NodeId host(NodeId number) const {
    return order_[number < guests_ ? 2 * number : number + guests_];
  }
  [[nodiscard]] NodeId guest(NodeId number) const { return order_[2 * number + 1]; }
  [[nodiscard]] Route route(NodeId from, NodeId to) const { return shortest_route(topology_, from, to); }
  [[nodiscard]] const Participants& participants() const { return participants_; }

 private:
  Topology topology_;
  Participants participants_;
  std::vector<NodeId> order_;
  unsigned rounds_;
  NodeId guests_;
};

/// Hosts that `host` has heard of when pairs at the distances 2^(k-1), .., 2^(bit + 1) have exchanged: those
/// that agree in the last digits.
template <typename Visit>
void for_each_known(const Fold& fold, NodeId host, unsigned bit, Visit visit) {
  const NodeId step = NodeId{2} << bit;
  for (NodeId other = host % step; other < fold.hosts(); other += step) visit(other);
}

/// Guests and hosts: the first step of an all-reduce, and its last one.
void give_to_hosts(const Fold& fold, std::span<const ChunkId> vector, Step& step) {
  for (NodeId i = 0; i < fold.guests(); ++i) {
    step.reduce(fold.guest(i), fold.host(i), fold.route(fold.guest(i), fold.host(i)), vector);
  }
}
void give_to_guests(const Fold& fold, std::span<const ChunkId> vector, Step& step) {
  for (NodeId i = 0; i < fold.guests(); ++i) {
    step.add(fold.host(i), fold.guest(i), fold.route(fold.host(i), fold.guest(i)), vector);
  }
}

}  // namespace

bool has_sides_of_powers_of_two(const Topology& topology) {
  return topology.is_fault_free_grid() && topology.wraps() && !topology.is_one_way() &&
         std::has_single_bit(topology.nodes());
}

std::unique_ptr<Schedule> folded_doubling(const Topology& topology, const ParameterValues& values,
                                          const std::string& algorithm) {
  const Fold fold(topology);
  ScheduleFacts facts = common::whole_vector_facts(topology, values, algorithm, 1);
  facts.steps = fold.rounds() + 2 * fold.fold_steps();
  facts.claimed_steps = facts.steps;
  facts.messages = fold.messages();
  return common::stepwise(std::move(facts), [fold](std::uint64_t number, Step& step) {
    const ChunkId vector = 0;
    const std::span all(&vector, 1);
    if (number <= fold.fold_steps()) return give_to_hosts(fold, all, step);
    const auto round = static_cast<unsigned>(number - 1 - fold.fold_steps());
    if (round == fold.rounds()) return give_to_guests(fold, all, step);
    for (NodeId i = 0; i < fold.hosts(); ++i) {
      const NodeId partner = fold.host(i ^ NodeId{1} << round);
      step.reduce(fold.host(i), partner, fold.route(fold.host(i), partner), all);
    }
  });
}

common::Spread folded_spread(const Topology& topology) {
  const Fold fold(topology);
  const std::uint64_t steps = fold.rounds() + 2 * fold.fold_steps();
  auto produce = [fold](std::uint64_t number, const common::Spread::Send& send) {
    const auto chunk_of = [&](NodeId node) { return fold.participants().place(node); };
    std::vector<ChunkId> chunks;
    if (number <= fold.fold_steps()) {
      for (NodeId i = 0; i < fold.guests(); ++i) {
        chunks.assign(1, chunk_of(fold.guest(i)));
        send(fold.guest(i), fold.host(i), fold.route(fold.guest(i), fold.host(i)), chunks);
      }
      return;
    }
    const std::uint64_t done = number - 1 - fold.fold_steps();
    if (done == fold.rounds()) {
      for (NodeId i = 0; i < fold.guests(); ++i) {
        chunks = first_chunks(fold.nodes());
        chunks.erase(chunks.begin() + chunk_of(fold.guest(i)));
        send(fold.host(i), fold.guest(i), fold.route(fold.host(i), fold.guest(i)), chunks);
      }
      return;
    }
    // The largest distance first, when there is least to send.
    const unsigned bit = fold.rounds() - 1 - static_cast<unsigned>(done);
    for (NodeId i = 0; i < fold.hosts(); ++i) {
      chunks.clear();
      for_each_known(fold, i, bit, [&](NodeId host) {
        chunks.push_back(chunk_of(fold.host(host)));
        if (host < fold.guests()) chunks.push_back(chunk_of(fold.guest(host)));
      });
      std::ranges::sort(chunks);
      const NodeId partner = fold.host(i ^ NodeId{1} << bit);
      send(fold.host(i), partner, fold.route(fold.host(i), partner), chunks);
    }
  };
  return {.steps = steps, .messages = fold.messages(), .produce = std::move(produce), .channel_load = 0};
}

std::unique_ptr<Schedule> folded_halving_doubling(const Topology& topology, const ParameterValues& values,
                                                  const std::string& algorithm) {
  const Fold fold(topology);
  ScheduleFacts facts = common::whole_vector_facts(topology, values, algorithm, 1);
  facts.collective.chunk_bytes = common::split(values.bytes("message"), fold.hosts());
  const std::uint64_t rounds = fold.rounds();
  const std::uint64_t fold_steps = fold.fold_steps();
  facts.steps = 2 * (rounds + fold_steps);
  facts.claimed_steps = facts.steps;
  facts.messages = 2 * (rounds * fold.hosts() + fold.guests());
  facts.stages = {{"reduce-scatter", 1, rounds + fold_steps},
                  {"all-gather", rounds + fold_steps + 1, facts.steps}};
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    if (number <= fold_steps) return give_to_hosts(fold, first_chunks(fold.hosts()), step);
    const std::uint64_t done = number - 1 - fold_steps;
    if (done == 2 * rounds) return give_to_guests(fold, first_chunks(fold.hosts()), step);
    const bool halving = done < rounds;
    const auto bit = static_cast<unsigned>(halving ? done : 2 * rounds - 1 - done);
    std::vector<ChunkId> chunks;
    for (NodeId i = 0; i < fold.hosts(); ++i) {
      const NodeId other = i ^ NodeId { 1 } << bit;
      chunks.clear();
      for_each_known(fold, halving ? other : i, bit, [&](NodeId host) { chunks.push_back(host); });
      const NodeId from = fold.host(i);
      const NodeId to = fold.host(other);
      if (halving) {
        step.reduce(from, to, fold.route(from, to), chunks);
      } else {
        step.add(from, to, fold.route(from, to), chunks);
      }
    }
  });
}

}  // namespace flitscope::all_reduce
