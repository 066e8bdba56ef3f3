// What is wrong with a schedule, for all kinds of schedules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flitscope {

/// What can be wrong with a schedule.
enum class ViolationKind : std::uint8_t {
  no_such_node,    ///< a message names a node that does not exist
  self_message,    ///< source and destination are the same node
  no_route,        ///< the way crosses the border of a mesh
  routing,         ///< the routing function refuses the way, or does not exist
  empty_message,   ///< neither chunks nor control data
  no_such_chunk,   ///< a message names a chunk that does not exist
  repeated_chunk,  ///< a message names a chunk twice
  not_combined,    ///< a message combines a chunk that has no operands
  counted_twice,   ///< an operand is counted twice in a value
  unfinished,      ///< a value without all its operands replaces what the receiver has
  not_held,        ///< the sender does not hold a chunk when the step starts
  waits,           ///< a message waits for one that does not come before it
  send_ports,      ///< a node sends more messages in a step than it has ports
  receive_ports,   ///< a node receives more messages in a step, or at the same time, than it has ports
  steps,           ///< more or fewer steps than announced
  messages,        ///< more or fewer messages than announced
  goal,            ///< something is missing at the end
  bounds,          ///< announced claims and lower bounds that cannot be
  stages,          ///< the list of stages contradicts itself or the number of steps
  collective,      ///< the start or the goal names a node or chunk that does not exist
  no_such_port,    ///< a circuit begins at a port that does not exist
  no_circuit,      ///< the port is not tuned to the message's target, or not yet
  port_busy,       ///< the port is still tuned or still sends
  order,           ///< times do not rise
};

/// Name of a kind as it stands in results, such as "not_held".
[[nodiscard]] std::string_view name_of(ViolationKind kind);

struct Violation {
  ViolationKind kind = ViolationKind::goal;
  /// Where: the step, and the message within it, both counted from 1; 0 if it is about no single one.
  std::uint64_t step = 0;
  std::uint64_t message = 0;
  /// One line that names the place, what is wrong, and what would be right.
  std::string text;
  /// Of the message in a schedule file: "file:12"; empty if it is in none.
  std::string place = {};
};

/// What every check of a schedule finds.
struct Legality {
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  /// Chunks delivered to a node that held them already.
  std::uint64_t redundant_deliveries = 0;
  /// Whether the schedule keeps what its source claims; nothing if it claims nothing.
  std::optional<bool> claim_kept;

  /// No violations. Messages that share links do not make a schedule illegal.
  bool legal = true;
  /// The first violations, in the order of the schedule, and how many there are in all.
  std::vector<Violation> violations;
  std::uint64_t violation_count = 0;
  /// The kinds of all of them, a bit each.
  std::uint32_t violation_kinds = 0;

  /// No violation of any of these kinds.
  [[nodiscard]] bool without(std::initializer_list<ViolationKind> kinds) const {
    return std::ranges::none_of(kinds,
                                [&](ViolationKind kind) { return (violation_kinds & bit_of(kind)) != 0; });
  }
  [[nodiscard]] static constexpr std::uint32_t bit_of(ViolationKind kind) {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
  }

  /// Legal, and the claim kept.
  [[nodiscard]] bool passed() const { return legal && claim_kept.value_or(true); }
};

}  // namespace flitscope
