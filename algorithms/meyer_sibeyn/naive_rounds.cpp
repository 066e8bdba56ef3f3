// naive-rounds: the gossip that Meyer and Sibeyn start from (introduction, practical aspects). In round t = 1
// .. P-1, PU i sends its packet to PU (i + t) mod P, whatever the torus looks like.
#include <algorithm>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/meyer_sibeyn/gossip.h"

namespace flitscope::meyer_sibeyn::naive_rounds {
namespace {

constexpr auto kName = "naive-rounds";

/// The packet of `source` on its path, dimension after dimension, to `target`.
struct Traveller {
  Pu source = 0;
  Pu at = 0;
  Pu target = 0;
  std::uint32_t left = 0;  ///< links to go
};

/// One round at a time, hop by hop: in each step every link takes the packet that has farthest to go (of
/// several, the one of the lowest source).
class Rounds {
 public:
  explicit Rounds(const PaperTorus& torus)
      : torus_(torus), claims_(std::size_t{torus.size()} * torus.directions(), kNoOwner) {}

  /// Takes the next step, beginning the next round when the last one is over; calls visit(traveller,
  /// direction) for every packet that moves, before it does. False after the last round.
  template <typename Visit>
  [[nodiscard]] bool step(Visit visit) {
    if (travellers_.empty() && !begin_round()) return false;
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < travellers_.size(); ++i) {
      const std::size_t link = link_of(travellers_[i]);
      std::size_t& claim = claims_[link];
      if (claim == kNoOwner) used.push_back(link);
      if (claim == kNoOwner || travellers_[claim].left < travellers_[i].left) claim = i;
    }
    for (const std::size_t link : used) {
      Traveller& winner = travellers_[std::exchange(claims_[link], kNoOwner)];
      const auto direction = static_cast<Direction>(link % torus_.directions());
      visit(std::as_const(winner), direction);
      winner.at = torus_.neighbour(winner.at, direction);
      --winner.left;
    }
    std::erase_if(travellers_, [](const Traveller& traveller) { return traveller.left == 0; });
    return true;
  }

 private:
  static constexpr std::size_t kNoOwner = ~std::size_t{0};

  [[nodiscard]] bool begin_round() {
    if (++round_ == torus_.size()) return false;
    for (Pu pu = 0; pu < torus_.size(); ++pu) {
      Traveller traveller{pu, pu, (pu + round_) % torus_.size(), 0};
      for (unsigned axis = 0; axis < torus_.axes(); ++axis) {
        const std::uint32_t ahead = distance_ahead(traveller, axis);
        traveller.left += std::min(ahead, torus_.side(axis) - ahead);
      }
      travellers_.push_back(traveller);
    }
    return true;
  }

  [[nodiscard]] std::uint32_t distance_ahead(const Traveller& traveller, unsigned axis) const {
    const std::uint32_t n = torus_.side(axis);
    return (torus_.coordinate(traveller.target, axis) + n - torus_.coordinate(traveller.at, axis)) % n;
  }

  /// The link it wants next: the first axis that is not done, in the shorter direction, ties in +.
  [[nodiscard]] std::size_t link_of(const Traveller& traveller) const {
    unsigned axis = 0;
    while (distance_ahead(traveller, axis) == 0) ++axis;
    const bool forward = 2 * distance_ahead(traveller, axis) <= torus_.side(axis);
    return std::size_t{traveller.at} * torus_.directions() + (forward ? plus(axis) : minus(axis));
  }

  PaperTorus torus_;
  Pu round_ = 0;
  std::vector<Traveller> travellers_;
  std::vector<std::size_t> claims_;  ///< place of the traveller that gets a link
};

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  require_torus(topology, kName);
  ScheduleFacts facts = gossip_facts(topology, values, kName, 1);
  const PaperTorus torus(topology);
  if (values.text("travel") == "whole-path") {
    // One step a round; the network carries the message all along its path.
    facts.claimed_channel_load.reset();
    facts.send_ports = 1;
    facts.receive_ports = 1;
    facts.steps = topology.nodes() - 1;
    facts.messages = facts.steps * topology.nodes();
    return common::stepwise(std::move(facts), [torus](std::uint64_t round, Step& step) {
      for (Pu pu = 0; pu < torus.size(); ++pu) {
        const NodeId from = torus.node(pu);
        const NodeId to = torus.node(static_cast<Pu>((pu + round) % torus.size()));
        step.add(from, to, shortest_route(torus.topology(), from, to), std::span(&from, 1));
      }
    });
  }
  Rounds rehearsal(torus);
  while (rehearsal.step([&](const Traveller&, Direction) { ++facts.messages; })) ++facts.steps;
  return common::stepwise(
      std::move(facts), [torus, rounds = Rounds(torus)](std::uint64_t, Step& step) mutable {
        (void)rounds.step([&](const Traveller& traveller, Direction direction) {
          const ChunkId packet = torus.node(traveller.source);
          step.add(torus.node(traveller.at), torus.node(torus.neighbour(traveller.at, direction)),
                   one_hop(torus.port(direction)), std::span(&packet, 1));
        });
      });
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::gossip},
    .summary = "gossip in P-1 rounds: in round t node i sends its packet to node i + t",
    .source = "Meyer and Sibeyn, introduction: the baseline",
    .claim = "hop-by-hop: one packet per link and step; whole-path: P-1 steps, links shared",
    .admissible = "torus of any number of dimensions",
    .parameters = {message_parameter(),
                   Parameter::choice("travel", "a step is one link of a packet's path, or all of it",
                                     {"hop-by-hop", "whole-path"})
                       .or_else("hop-by-hop")},
    .make = make,
    .memory = {.per_pair_of_nodes = 4},
}};

}  // namespace
}  // namespace flitscope::meyer_sibeyn::naive_rounds
