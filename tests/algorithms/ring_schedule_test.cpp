// The ring schedule of Tsay and Wang: Lemma 2, repaired.
#include "algorithms/common/ring_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/schedule_legality.h"

namespace flitscope::ring_schedule_test {
namespace {

using common::Reading;
using common::RingSchedule;
using common::RingSender;
using test::least_exponent;
using test::power;

std::set<std::uint32_t> classes(std::span<const RingSender> senders) {
  std::set<std::uint32_t> result;
  for (const RingSender& sender : senders) result.insert(sender.ring_class);
  return result;
}

std::set<std::uint32_t> informed_by(std::span<const RingSender> senders, std::uint32_t n) {
  std::set<std::uint32_t> result;
  for (const RingSender& sender : senders) {
    for (const auto& side : {sender.right, sender.left}) {
      for (const std::int64_t t : side) {
        const std::int64_t target = sender.ring_class + t;
        result.insert(static_cast<std::uint32_t>((target % n + n) % n));
      }
    }
  }
  return result;
}

TEST(RingSchedule, NineClassesInTwoDimensions_AreTheWorkedExample) {
  const RingSchedule ring(9, 2);
  ASSERT_EQ(ring.steps(), 2U);
  ASSERT_EQ(ring.senders(1).size(), 1U);
  const RingSender first = ring.senders(1)[0];
  EXPECT_EQ(std::vector(first.right.begin(), first.right.end()), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(std::vector(first.left.begin(), first.left.end()), (std::vector<std::int64_t>{-1, -3}));
  EXPECT_EQ(classes(ring.senders(2)), (std::set<std::uint32_t>{0, 2, 4, 6, 8}));
  for (const RingSender& sender : ring.senders(2)) {
    EXPECT_TRUE(sender.left.empty());
    const bool sends = sender.ring_class != 8;
    EXPECT_EQ(std::vector(sender.right.begin(), sender.right.end()),
              sends ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{});
  }
}

TEST(RingSchedule, AnyRing_InformsEachClassOnceInCeilLogSteps) {
  for (unsigned d = 1; d <= 5; ++d) {
    for (std::uint32_t n = 2; n <= 199; ++n) {
      const RingSchedule ring(n, d);
      ASSERT_EQ(ring.steps(), least_exponent(2 * d + 1, n)) << "n " << n << " d " << d;
      std::set<std::uint32_t> informed{0};
      for (unsigned k = 1; k <= ring.steps(); ++k) {
        ASSERT_EQ(classes(ring.senders(k)), informed) << "n " << n << " d " << d << " k " << k;
        std::size_t targets = 0;
        for (const RingSender& sender : ring.senders(k)) targets += sender.right.size() + sender.left.size();
        const std::size_t before = informed.size();
        informed.merge(informed_by(ring.senders(k), n));
        ASSERT_EQ(informed.size(), before + targets) << "n " << n << " d " << d << " k " << k;
      }
      ASSERT_EQ(informed.size(), n) << "n " << n << " d " << d;
    }
  }
}

TEST(RingSchedule, Gaps_DifferByAtMostOneAndShrinkByTheFullFactor) {
  for (unsigned d = 1; d <= 5; ++d) {
    for (std::uint32_t n = 2; n <= 199; ++n) {
      const RingSchedule ring(n, d);
      for (unsigned k = 0; k < ring.steps(); ++k) {
        const auto senders = ring.senders(k + 1);  // M_k
        std::set<std::uint32_t> gaps;
        for (std::size_t i = 0; i < senders.size(); ++i) {
          const std::uint32_t next = i + 1 < senders.size() ? senders[i + 1].ring_class : n;
          gaps.insert(next - senders[i].ring_class);
        }
        const std::uint64_t parts = power(2 * d + 1, k);
        EXPECT_LE(*gaps.rbegin() - *gaps.begin(), 1U) << "n " << n << " d " << d << " k " << k;
        EXPECT_LE(*gaps.rbegin(), (n + parts - 1) / parts) << "n " << n << " d " << d << " k " << k;
      }
    }
  }
}

TEST(RingSchedule, Senders_ServeAtMostDTargetsPerSideInsideTheirGaps) {
  for (unsigned d = 1; d <= 5; ++d) {
    for (std::uint32_t n = 2; n <= 199; ++n) {
      const RingSchedule ring(n, d);
      for (unsigned k = 1; k <= ring.steps(); ++k) {
        const auto senders = ring.senders(k);
        for (std::size_t i = 0; i < senders.size(); ++i) {
          const auto& [here, right, left] = senders[i];
          const std::int64_t next = i + 1 < senders.size() ? senders[i + 1].ring_class : n;
          const std::int64_t previous =
              i > 0 ? senders[i - 1].ring_class : std::int64_t{senders.back().ring_class} - n;
          ASSERT_LE(std::max(right.size(), left.size()), d);
          ASSERT_TRUE(std::ranges::is_sorted(right));
          ASSERT_TRUE(std::ranges::is_sorted(left, std::ranges::greater{}));
          for (const std::int64_t t : right) ASSERT_TRUE(t > 0 && t < next - here);
          for (const std::int64_t t : left) ASSERT_TRUE(t < 0 && t > previous - here);
        }
      }
    }
  }
}

TEST(RingSchedule, Reading_ChangesSendersNotInformedClasses) {
  for (const Reading reading : {Reading::bounded, Reading::literal}) {
    for (unsigned d = 1; d <= 5; ++d) {
      for (std::uint32_t n = 2; n <= 60; ++n) {
        const RingSchedule working(n, d);
        const RingSchedule ring(n, d, reading);
        ASSERT_EQ(ring.steps(), working.steps()) << "n " << n << " d " << d;
        for (unsigned k = 1; k <= ring.steps(); ++k) {
          ASSERT_EQ(classes(ring.senders(k)), classes(working.senders(k))) << "n " << n << " d " << d;
        }
        std::set<std::uint32_t> informed = classes(ring.senders(ring.steps()));
        informed.merge(informed_by(ring.senders(ring.steps()), n));
        ASSERT_EQ(informed.size(), n) << "n " << n << " d " << d;
        ASSERT_EQ(working.displacements(), n - 1);
        ASSERT_GE(ring.displacements(), n - 1);
      }
    }
  }
}

TEST(RingSchedule, LiteralReading_ReachesBeyondTheNextInformedClass) {
  // n = 7, d = 2: {0, 2, 4, 5, 6} are informed; class 0 then takes 1, but also 2, and on the other side 6, 5.
  const RingSchedule ring(7, 2, Reading::literal);
  const RingSender& zero = ring.senders(2)[0];
  EXPECT_EQ(std::vector(zero.right.begin(), zero.right.end()), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(std::vector(zero.left.begin(), zero.left.end()), (std::vector<std::int64_t>{-1, -2}));
}

TEST(RingSchedule, BoundedReading_BothEndsInformTheMiddleOfAGap) {
  // n = 7, d = 4: all six are within reach of both sides of class 0, four of each.
  const RingSchedule ring(7, 4, Reading::bounded);
  const RingSender& zero = ring.senders(1)[0];
  EXPECT_EQ(std::vector(zero.right.begin(), zero.right.end()), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(std::vector(zero.left.begin(), zero.left.end()), (std::vector<std::int64_t>{-1, -2, -3, -4}));
}

TEST(RingSchedule, PowerOfP_GivesThePrintedDisplacements) {
  for (unsigned d = 1; d <= 5; ++d) {
    const std::int64_t p = 2 * d + 1;
    const std::int64_t n = p * p * p;
    const RingSchedule ring(static_cast<std::uint32_t>(n), d);
    for (unsigned k = 1; k <= 3; ++k) {
      const std::int64_t part = n / static_cast<std::int64_t>(power(static_cast<std::uint64_t>(p), k));
      for (const RingSender& sender : ring.senders(k)) {
        for (std::int64_t j = 1; j <= d; ++j) {
          EXPECT_EQ(sender.right[static_cast<std::size_t>(j) - 1], j * part);
          EXPECT_EQ(sender.left[static_cast<std::size_t>(j) - 1], -j * part);
        }
      }
    }
  }
}

}  // namespace
}  // namespace flitscope::ring_schedule_test
