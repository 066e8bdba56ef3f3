// A schedule from a plan: sides that are no powers of two, nodes for addresses, chunks of bytes, and the
// steps of companions; and the declaration of a broadcast by its plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/seidel/plan.h"

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

/// One side of a mesh: the positions 0 .. 2^bits - 1 that an algorithm knows, and the nodes behind them.
struct Side {
  std::uint32_t nodes = 2;   ///< along the side
  std::uint32_t source = 0;  ///< its coordinate
  unsigned bits = 1;
  std::uint32_t pairs = 0;  ///< the first so many positions have a companion beside them

  [[nodiscard]] std::uint32_t positions() const { return std::uint32_t{1} << bits; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t position) const {
    // The last node plays the virtual ones.
    if (position >= pairs) return std::min(position + pairs, nodes - 1);
    return source / 2 == position ? source : 2 * position;  // of the source's pair it is the source
  }
  [[nodiscard]] std::uint32_t source_position() const {
    return source < 2 * pairs ? source / 2 : source - pairs;
  }
  [[nodiscard]] std::uint32_t companion(std::uint32_t position) const { return coordinate(position) ^ 1; }
};

/// Puts real nodes in the places of addresses.
class Placement {
 public:
  /// Requires sides that `resize` can serve, and fewer than 2^31 addresses.
  Placement(Resize resize, Tail tail, const Topology& topology, NodeId source);

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] Address source_address() const {
    Address address = 0;
    for (std::size_t k = 0; k < sides_.size(); ++k) address |= sides_[k].source_position() << axes_[k].low;
    return address;
  }
  [[nodiscard]] NodeId node(Address address) const { return member(address, 0); }
  [[nodiscard]] std::uint64_t addresses() const;

  /// Steps and messages in which companions are informed at the end; 0 without companions.
  [[nodiscard]] unsigned tail_steps() const {
    if (paired_.empty()) return 0;
    return static_cast<unsigned>(paired_.size()) + (tail_ == Tail::bst ? 1 : 0);
  }
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

  Topology topology_;
  Tail tail_;
  std::vector<Side> sides_;
  std::vector<Axis> axes_;
  /// Dimensions that have companions, the last first: rows before columns.
  std::vector<unsigned> paired_;
};

/// `bytes` cut into `parts` as evenly as possible: any run of k parts has floor or ceil(k * bytes / parts)
/// bytes. `parts` is below 2^32; some have no bytes if there are more parts than bytes.
[[nodiscard]] std::vector<std::uint64_t> cut_evenly(std::uint64_t bytes, std::uint64_t parts);

/// The schedule of a plan. `facts` has its collective; steps, messages and stages are filled in. `merges`:
/// with virtual nodes several messages of a step can become one, and some go nowhere, so that only making the
/// steps tells how many messages there are. Throws Inadmissible("topology.shape") if a step is too large to
/// be kept in memory.
[[nodiscard]] std::unique_ptr<Schedule> planned_schedule(ScheduleFacts facts, Plan plan,
                                                         const Placement& placement, bool merges);

/// Sizes as the paper's formulas have them. On a linear array d1 = 0 and d2 = d.
struct Sizes {
  unsigned d1 = 0;  ///< 2^d1 rows
  unsigned d2 = 0;  ///< 2^d2 columns
  unsigned nu = 0;
};

struct Broadcast {
  std::string name;
  std::string summary;
  /// Section and equation.
  std::string source;
  /// The cost in the paper's terms, as text.
  std::string cost;
  unsigned dimensions = 1;
  /// Whether it has the parameter nu; without, nu = 0.
  bool takes_nu = true;
  /// Whether virtual nodes can be used, with nu = 0.
  bool can_be_virtual = false;
  Plan (*plan)(const Setting&) = nullptr;
  /// Steps by the paper's formula, for sides that are powers of two.
  std::uint64_t (*claimed_steps)(const Sizes&) = nullptr;
  /// Most messages on a link, if not 2^nu.
  std::uint32_t (*claimed_load)(const Sizes&) = nullptr;
  MakingMemory memory = {};
};

/// The declaration of a broadcast: source, message, nu, resize and tail are its parameters.
[[nodiscard]] Algorithm declared(const Broadcast& broadcast);

/// Requires a mesh of that many dimensions (0: any). Throws Inadmissible.
void require_mesh(const Topology& topology, const std::string& algorithm, unsigned dimensions);

}  // namespace flitscope::seidel
