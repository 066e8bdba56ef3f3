// An independent judge of broadcast schedules: walks every path and counts, without asking how the schedule
// was made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/schedule.h"

namespace flitscope::test {

[[nodiscard]] inline std::uint64_t power(std::uint64_t base, unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// Least t with base^t >= value.
[[nodiscard]] inline unsigned least_exponent(std::uint64_t base, std::uint64_t value) {
  unsigned t = 0;
  while (power(base, t) < value) ++t;
  return t;
}

/// What walking all paths of a broadcast has shown.
struct Legality {
  /// The first rule that is broken, with step and place; nothing if all are kept.
  std::optional<std::string> violation;
  /// Most messages of one step on one link.
  std::uint32_t max_channel_load = 0;
  std::uint64_t messages = 0;
  std::uint64_t steps = 0;
};

/// Whether a node may get the data more than once.
enum class Repeats : std::uint8_t { forbidden, allowed };

/// Plays a broadcast of chunk 0 to its end, or to the first violation. The rules: a sender holds the data
/// from an earlier step; no node sends or receives more than its ports allow; no link carries more messages
/// of a step than the schedule claims; a path has the shape its routing asks for (dimension-order starts in
/// dimension 0; cyclic-dimension-order has one sign and really starts in its first dimension) and ends at
/// its destination; every node is informed, once; steps and messages are as many as the facts say.
[[nodiscard]] Legality check_broadcast(Schedule& schedule, Repeats repeats = Repeats::forbidden);

/// A schedule kept in memory, so that tests can spoil it.
class RecordedSchedule final : public Schedule {
 public:
  explicit RecordedSchedule(Schedule& original);

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override;

  [[nodiscard]] std::vector<Step>& steps() { return steps_; }

 private:
  ScheduleFacts facts_;
  std::vector<Step> steps_;
  std::size_t made_ = 0;
};

/// The schedule a registered algorithm makes. `source` is empty for the origin; a choice that is not given is
/// at its default.
[[nodiscard]] std::unique_ptr<Schedule> make_broadcast(
    const std::string& algorithm, const Topology& topology, const std::vector<std::uint32_t>& source = {},
    const std::map<std::string, std::string>& choices = {});

/// A torus of `dimensions` equal sides.
[[nodiscard]] Topology equal_torus(std::uint32_t side, unsigned dimensions);

/// Every torus of 2 to 6 equal sides of at least 3 with at most 20,000 nodes, and a choice of rings.
[[nodiscard]] std::vector<Topology> small_tori();

/// A source off every diagonal: coordinate (5i + 2) mod n in dimension i.
[[nodiscard]] std::vector<std::uint32_t> shifted_source(const Topology& torus);

/// "from -> to by path", one line a message, with coordinates written together as the paper does ("121").
[[nodiscard]] std::vector<std::string> described(const Topology& topology, const Step& step);

}  // namespace flitscope::test
