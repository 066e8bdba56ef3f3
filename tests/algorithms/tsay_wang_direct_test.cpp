// tsay-wang-direct: steps, legality, the worked example, and what a node can know by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "algorithms/algorithm.h"
#include "algorithms/common/ring_schedule.h"
#include "model/error.h"
#include "tests/support/schedule_legality.h"

namespace flitscope::tsay_wang_direct_test {
namespace {

using common::RingSchedule;
using common::RingSender;
using test::check_broadcast;
using test::equal_torus;
using test::least_exponent;
using test::make_broadcast;
using test::power;
using test::small_tori;

constexpr auto kDirect = "tsay-wang-direct";
using Strings = std::vector<std::string>;
using Coordinates = std::vector<std::uint32_t>;

void expect_legal_from(Coordinates (*source)(const Topology&)) {
  for (const Topology& torus : small_tori()) {
    const unsigned d = torus.dimensions();
    const auto schedule = make_broadcast(kDirect, torus, source(torus));
    const auto legality = check_broadcast(*schedule);
    ASSERT_FALSE(legality.violation) << torus.name() << ": " << *legality.violation;
    EXPECT_EQ(legality.max_channel_load, 1U) << torus.name();
    EXPECT_EQ(legality.steps, d * least_exponent(2 * d + 1, torus.side(0))) << torus.name();
    EXPECT_EQ(legality.messages, torus.nodes() - 1) << torus.name();
  }
}

TEST(TsayWangDirect, ThreeDimensionsSideFive_IsTheWorkedExample) {
  const Topology torus = equal_torus(5, 3);
  const auto schedule = make_broadcast(kDirect, torus);
  ASSERT_EQ(schedule->facts().steps, 3U);
  const std::vector<Strings> of_origin{
      {"000 -> 121 by +1@0 +2@1 +1@2", "000 -> 242 by +4@1 +2@2 +2@0", "000 -> 434 by -1@0 -2@1 -1@2",
       "000 -> 313 by -4@1 -2@2 -2@0"},
      {"000 -> 110 by +1@0 +1@1", "000 -> 220 by +2@1 +2@0", "000 -> 440 by -1@0 -1@1",
       "000 -> 330 by -2@1 -2@0"},
      {"000 -> 100 by +1@0", "000 -> 030 by -2@1", "000 -> 400 by -1@0", "000 -> 020 by +2@1"},
  };
  const std::vector<std::size_t> messages{4, 20, 100};
  Step step;
  for (std::size_t number = 0; number < 3; ++number) {
    ASSERT_TRUE(schedule->next(step));
    EXPECT_EQ(step.messages().size(), messages[number]);
    Strings sent;
    for (const std::string& line : test::described(torus, step)) {
      if (line.starts_with("000 ")) sent.push_back(line);
    }
    EXPECT_EQ(sent, of_origin[number]);
  }
  EXPECT_FALSE(schedule->next(step));
}

TEST(TsayWangDirect, HopOfNoLength_IsSentFirstThroughAnotherPort) {
  // d = 3, n = 4: 2 * (1,2,1) does not move in the second dimension, the port of the second target.
  const Topology torus = equal_torus(4, 3);
  const auto schedule = make_broadcast(kDirect, torus);
  Step step;
  ASSERT_TRUE(schedule->next(step));
  EXPECT_EQ(test::described(torus, step), (Strings{"000 -> 202 by +2@0 +2@2", "000 -> 121 by +2@1 +1@2 +1@0",
                                                   "000 -> 323 by -1@0 -2@1 -1@2"}));
}

TEST(TsayWangDirect, FromOrigin_LegalWithLoadOneAndNoRedundantMessage) {
  expect_legal_from([](const Topology& torus) { return torus.coordinates(0); });
}

TEST(TsayWangDirect, FromShiftedSource_LegalWithLoadOneAndNoRedundantMessage) {
  expect_legal_from(test::shifted_source);
}

TEST(TsayWangDirect, FromLastNode_LegalWithLoadOneAndNoRedundantMessage) {
  expect_legal_from([](const Topology& torus) { return torus.coordinates(torus.nodes() - 1); });
}

TEST(TsayWangDirect, SmallTorus_AnySource_IsLegal) {
  for (const auto& torus : {equal_torus(6, 2), equal_torus(4, 3), equal_torus(3, 4)}) {
    for (NodeId source = 0; source < torus.nodes(); ++source) {
      const auto schedule = make_broadcast(kDirect, torus, torus.coordinates(source));
      ASSERT_EQ(schedule->facts().collective, Collective::broadcast(source, 64));
      const auto legality = check_broadcast(*schedule);
      ASSERT_FALSE(legality.violation) << torus.node_name(source) << ": " << *legality.violation;
    }
  }
}

TEST(TsayWangDirect, LargeTori_FactsFollowTheFormulas) {
  for (unsigned d = 1; d <= 8; ++d) {
    for (std::uint32_t n = 3; n <= 1000 && power(n, d) <= power(2, 31); ++n) {
      const auto schedule = make_broadcast(kDirect, equal_torus(n, d));
      const ScheduleFacts& facts = schedule->facts();
      const std::uint64_t phase = least_exponent(2 * d + 1, n);
      ASSERT_EQ(facts.steps, d * phase) << "n " << n << " d " << d;
      ASSERT_EQ(facts.claimed_steps, d * phase);
      ASSERT_EQ(facts.lower_bound_steps, least_exponent(2 * d + 1, power(n, d)));
      ASSERT_EQ(facts.messages, power(n, d) - 1);
      ASSERT_EQ(facts.claimed_channel_load, 1U);
      ASSERT_EQ(facts.send_ports, 2 * d);
      ASSERT_EQ(facts.receive_ports, 2 * d);
      ASSERT_EQ(facts.routing, "cyclic-dimension-order");
      ASSERT_EQ(facts.stages.size(), d);
      ASSERT_EQ(facts.stages.front(), (Stage{"phase 1", 1, phase}));
      ASSERT_EQ(facts.stages.back(), (Stage{"phase " + std::to_string(d), (d - 1) * phase + 1, d * phase}));
    }
  }
}

TEST(TsayWangDirect, SideIsPowerOfP_MeetsTheLowerBound) {
  for (unsigned d = 1; d <= 6; ++d) {
    const auto schedule = make_broadcast(kDirect, equal_torus(2 * d + 1, d));
    EXPECT_EQ(schedule->facts().steps, schedule->facts().lower_bound_steps) << "d " << d;
  }
}

TEST(TsayWangDirect, MadeTwice_IsTheSame) {
  const Topology torus = equal_torus(7, 3);
  const auto one = make_broadcast(kDirect, torus, {1, 2, 3});
  const auto other = make_broadcast(kDirect, torus, {1, 2, 3});
  Step step;
  Step same;
  for (std::uint64_t number = 0; number < one->facts().steps; ++number) {
    ASSERT_TRUE(one->next(step));
    ASSERT_TRUE(other->next(same));
    EXPECT_EQ(test::described(torus, step), test::described(torus, same));
  }
  EXPECT_FALSE(one->next(step));
  EXPECT_FALSE(other->next(same));
}

// What a node can know by itself: whether it is in A_h and, if it sends in phase h, which class it is in.
// Coordinates are relative to the source, x_j is x[j - 1], everything is mod n.
class NodeLocal {
 public:
  NodeLocal(std::int64_t n, unsigned d, std::vector<std::int64_t> x) : n_(n), d_(d), x_(std::move(x)) {}

  [[nodiscard]] bool member(unsigned h) const {
    if (h == 0) return std::ranges::all_of(x_, [](std::int64_t c) { return c == 0; });
    if (h == d_) return true;
    if (h + 1 == d_) return mod(f(d_)) == 0;
    for (unsigned j = h + 1; j <= d_; ++j) {
      if (mod(x(j) - x(d_) * (d_ % 2 == 1 && j + 1 == d_ ? 2 : 1)) != 0) return false;
    }
    return mod(f(h) - (h % 2 == 1 ? x(d_) : 0)) == 0;
  }

  [[nodiscard]] std::uint32_t ring_class(unsigned h) const {
    if (h == d_) return mod(f(d_));
    if (h == 1) return mod(x(1));
    if (h % 2 == 1) return mod(-f(h - 1));
    return mod(x(h) - x(d_) * (d_ % 2 == 1 && h + 1 == d_ ? 2 : 1));
  }

 private:
  [[nodiscard]] std::int64_t x(unsigned j) const { return x_[j - 1]; }
  [[nodiscard]] std::int64_t f(unsigned p) const {
    std::int64_t sum = 0;
    for (unsigned j = 1; j <= p; ++j) sum += j % 2 == 1 ? x(j) : -x(j);
    return sum;
  }
  [[nodiscard]] std::uint32_t mod(std::int64_t value) const {
    return static_cast<std::uint32_t>((value % n_ + n_) % n_);
  }
  std::int64_t n_;
  unsigned d_;
  std::vector<std::int64_t> x_;
};

TEST(TsayWangDirect, Node_ComputesItsOwnStepsOfReceivingAndSending) {
  for (unsigned d = 1; d <= 7; ++d) {
    for (std::uint32_t n = 3; power(n, d) <= 2500 || n <= 3; ++n) {
      const Topology torus = equal_torus(n, d);
      const RingSchedule ring(n, d);
      std::vector<NodeLocal> nodes;
      for (NodeId node = 0; node < torus.nodes(); ++node) {
        const Coordinates at = torus.coordinates(node);
        nodes.emplace_back(n, d, std::vector<std::int64_t>(at.begin(), at.end()));
      }
      const auto schedule = make_broadcast(kDirect, torus);
      std::vector<bool> informed(torus.nodes());
      informed[0] = true;
      Step step;
      for (unsigned h = 1; h <= d; ++h) {
        for (unsigned k = 1; k <= ring.steps(); ++k) {
          ASSERT_TRUE(schedule->next(step));
          std::map<NodeId, std::size_t> sends;
          for (const Message& message : step.messages()) {
            ++sends[message.source];
            informed[message.destination] = true;
          }
          std::map<NodeId, std::size_t> foretold;
          for (NodeId node = 0; node < torus.nodes(); ++node) {
            if (!nodes[node].member(h)) continue;
            const auto senders = ring.senders(k);
            const auto own = std::ranges::find(senders, nodes[node].ring_class(h), &RingSender::ring_class);
            if (own == senders.end() || own->right.size() + own->left.size() == 0) continue;
            foretold[node] = own->right.size() + own->left.size();
          }
          ASSERT_EQ(sends, foretold) << torus.name() << " phase " << h << " step " << k;
        }
        for (NodeId node = 0; node < torus.nodes(); ++node) {
          ASSERT_EQ(informed[node], nodes[node].member(h))
              << torus.name() << " phase " << h << " " << torus.node_name(node);
        }
      }
    }
  }
}

/// The configuration path an algorithm complains about, and its message.
std::pair<std::string, std::string> refusal(const Topology& topology, Coordinates source = {}) {
  try {
    (void)make_broadcast(kDirect, topology, std::move(source));
  } catch (const Inadmissible& error) {
    return {error.key(), error.what()};
  }
  return {"nothing", ""};
}

TEST(TsayWangDirectRefuses, UnequalSides_AreRefused) {
  EXPECT_EQ(
      refusal({TopologyKind::torus, {4, 5}}),
      std::pair(std::string("topology.shape"),
                std::string("tsay-wang-direct needs equal sides, not 4x5; nearest admissible: [5, 5]")));
}

TEST(TsayWangDirectRefuses, SideTwo_IsRefused) {
  EXPECT_EQ(refusal(equal_torus(2, 3)).first, "topology.shape");
}

TEST(TsayWangDirectRefuses, Mesh_IsRefused) {
  EXPECT_EQ(refusal({TopologyKind::mesh, {5, 5}}).first, "topology.kind");
}

TEST(TsayWangDirectRefuses, SourceOutsideTheTorus_IsRefused) {
  EXPECT_EQ(refusal(equal_torus(5, 2), {1, 5}).first, "workload.source");
}

TEST(TsayWangDirectRefuses, SourceWithOtherDimensions_IsRefused) {
  EXPECT_EQ(refusal(equal_torus(5, 2), {1, 2, 3}).first, "workload.source");
}

}  // namespace
}  // namespace flitscope::tsay_wang_direct_test
