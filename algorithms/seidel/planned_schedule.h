// A schedule from a plan: sides that are no powers of two, nodes for addresses, chunks of bytes, and the
// steps of companions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/stepwise_schedule.h"
#include "algorithms/seidel/plan.h"
#include "model/schedule.h"
#include "model/topology.h"
#include "params/parameter.h"

namespace flitscope::seidel {

enum class Resize : std::uint8_t {
  none,           ///< sides must be powers of two
  virtual_nodes,  ///< the last node of a side plays all nodes that are missing to the next power of two
  companions,     ///< the first nodes of a side come in pairs, of which one is informed at the end
};

/// Broadcast to a pair, or a block of four, of a node and its companions (Section 5.2).
enum class Tail : std::uint8_t {
  st,   ///< the whole message, one dimension after the other
  bst,  ///< two halves from opposite corners
};

/// `resize` and `tail`.
[[nodiscard]] std::vector<Parameter> resizing_parameters();
[[nodiscard]] Resize resize_of(const ParameterValues& values);
[[nodiscard]] Tail tail_of(const ParameterValues& values);

/// One side of a mesh: the positions 0 .. 2^bits - 1 that an algorithm knows, and the nodes behind them.
class Side {
 public:
  /// `nodes` >= 2 along the side, the source at coordinate `source`.
  Side(Resize resize, std::uint32_t nodes, std::uint32_t source);

  [[nodiscard]] unsigned bits() const { return bits_; }
  [[nodiscard]] std::uint32_t positions() const { return std::uint32_t{1} << bits_; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t position) const;
  [[nodiscard]] std::uint32_t source_position() const;

  /// The first `pairs()` positions have a companion beside them.
  [[nodiscard]] std::uint32_t pairs() const { return pairs_; }
  [[nodiscard]] std::uint32_t companion(std::uint32_t position) const { return coordinate(position) ^ 1; }

 private:
  Resize resize_;
  std::uint32_t nodes_;
  std::uint32_t source_;
  unsigned bits_ = 0;
  std::uint32_t pairs_ = 0;
};

/// Puts real nodes in the places of addresses.
class Placement {
 public:
  /// Requires sides that `resize` can serve, and fewer than 2^31 addresses.
  Placement(Resize resize, Tail tail, const Topology& topology, NodeId source);

  [[nodiscard]] std::vector<Axis> axes() const;
  [[nodiscard]] Address source_address() const;
  [[nodiscard]] NodeId node(Address address) const;
  [[nodiscard]] std::uint64_t addresses() const;

  /// Steps and messages in which companions are informed at the end; 0 without companions.
  [[nodiscard]] unsigned tail_steps() const;
  [[nodiscard]] std::uint64_t tail_messages() const;
  /// Adds the messages of step `number` of the tail, counted from 1. The message has `chunks` chunks, an even
  /// number with Tail::bst.
  void add_tail_step(unsigned number, std::uint64_t chunks, Step& step) const;

 private:
  /// A set of dimensions, by bits.
  using Dimensions = std::uint32_t;
  /// The node at an address, or a companion: the one beside it in each of these dimensions.
  [[nodiscard]] NodeId member(Address address, Dimensions beside) const;
  [[nodiscard]] Dimensions paired_at(Address address) const;
  template <typename Add>
  void add_st(Address address, Dimensions group, unsigned number, const Add& add) const;
  template <typename Add>
  void add_bst(Address address, Dimensions group, unsigned number, const Add& add) const;

  Topology topology_;
  Tail tail_;
  std::vector<Side> sides_;
  std::vector<Axis> axes_;
  /// Dimensions that have companions, the last first: rows before columns.
  std::vector<unsigned> paired_;
};

/// Requires sides that are powers of two. Throws Inadmissible("topology.shape") with the nearest shape that
/// would do, and `otherwise`.
void require_sides(const Topology& topology, const std::string& algorithm, const std::string& otherwise = "");

/// `bytes` cut into `parts` as evenly as possible: any run of k parts has floor or ceil(k * bytes / parts)
/// bytes. `parts` is below 2^32; some have no bytes if there are more parts than bytes.
[[nodiscard]] std::vector<std::uint64_t> cut_evenly(std::uint64_t bytes, std::uint64_t parts);

/// Throws Inadmissible("topology.shape") if a step of the plan is too large to be kept in memory.
void require_room_for_steps(const Plan& plan, const Topology& topology);

/// Plays a plan.
class PlannedSchedule final : public StepwiseSchedule {
 public:
  /// `facts` has its collective; steps, messages and stages are filled in.
  PlannedSchedule(ScheduleFacts facts, Plan plan, Placement placement, bool merges);

  /// With virtual nodes several messages of a step can become one, and some go nowhere, so that only making
  /// the steps tells how many messages there are.
  [[nodiscard]] static ScheduleFacts completed(ScheduleFacts facts, const Plan& plan,
                                               const Placement& placement, bool merges);

 private:
  void produce(std::uint64_t number, Step& step) override;
  void put_messages_together(Step& step) const;

  Plan plan_;
  Placement placement_;
  bool merges_;
};

}  // namespace flitscope::seidel
