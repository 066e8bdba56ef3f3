// Violations of schedules of all kinds, and the checks that schedules on links and on circuits share.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/possession.h"
#include "model/schedule.h"
#include "model/text.h"
#include "model/topology.h"

namespace flitscope {

/// A kind of error in a schedule.
enum class ViolationKind : std::uint8_t {
  no_such_node,    ///< a message names a node that does not exist
  self_message,    ///< source and destination are the same node
  no_route,        ///< the path crosses the border of a mesh
  routing,         ///< the routing function refuses the path, or does not exist
  empty_message,   ///< neither chunks nor control data
  no_such_chunk,   ///< a message names a chunk that does not exist
  repeated_chunk,  ///< a message names a chunk twice
  not_combined,    ///< a message combines a chunk that has no operands
  counted_twice,   ///< an operand is counted twice in a value
  unfinished,      ///< a value without all its operands replaces the receiver's
  not_held,        ///< the sender does not hold a chunk when the step starts
  waits,           ///< a message waits for one that is not before it
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
template <>
inline constexpr std::array kNamesOf<ViolationKind>{
    "no_such_node",   "self_message",  "no_route",      "routing",    "empty_message", "no_such_chunk",
    "repeated_chunk", "not_combined",  "counted_twice", "unfinished", "not_held",      "waits",
    "send_ports",     "receive_ports", "steps",         "messages",   "goal",          "bounds",
    "stages",         "collective",    "no_such_port",  "no_circuit", "port_busy",     "order"};

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

/// The result of every check of a schedule.
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

/// Adds violations to a legality. Every text begins with the present place: "step 3, message 1: ".
class ViolationLog {
 public:
  /// Describes the first `most_described` violations and counts the others. `legality` must outlive the log.
  explicit ViolationLog(Legality& legality, std::size_t most_described = 20)
      : legality_(legality), most_described_(most_described) {}

  /// The present place: a time (of schedules that have times), and a step and message, counted from 1; 0
  /// outside of any.
  std::optional<std::uint64_t> time;
  std::uint64_t step = 0;
  std::uint64_t message = 0;

  template <typename... Values>
  void violate(ViolationKind kind, fmt::format_string<Values...> text, Values&&... values) {
    legality_.legal = false;
    legality_.violation_kinds |= Legality::bit_of(kind);
    if (legality_.violation_count++ >= most_described_) return;
    legality_.violations.push_back(
        {kind, step, message, place() + fmt::format(text, std::forward<Values>(values)...)});
  }

 private:
  [[nodiscard]] std::string place() const {
    std::string place;
    const auto add = [&](const char* what, std::uint64_t number) {
      place += fmt::format("{}{} {}", place.empty() ? "" : ", ", what, number);
    };
    if (time) add("time", *time);
    if (step != 0 && (!time || message != 0)) add("step", step);
    if (message != 0) add("message", message);
    return place.empty() ? place : place + ": ";
  }

  Legality& legality_;
  std::size_t most_described_;
};

/// Finds contradictions in the announcement of a schedule: a routing function that does not exist, stages
/// outside the steps or not after one another.
void check_facts(const ScheduleFacts& facts, ViolationLog& log);

/// Finds contradictions in the claim and lower bound of a schedule that takes `actual` of `unit` (such as
/// "steps"): a lower bound above that, or a claim below the lower bound or of 0.
void check_bounds(std::uint64_t actual, const char* unit, const std::optional<std::uint64_t>& claimed,
                  const std::optional<std::uint64_t>& lower_bound, ViolationLog& log);

/// The part of check_facts about stages.
void check_stages(const ScheduleFacts& facts, ViolationLog& log);

/// "[0, 1] -> [2, 1]"
[[nodiscard]] std::string ends_text(const Topology& topology, NodeId source, NodeId destination);

/// The possession of chunks while a schedule is checked.
class ChunkChecker {
 public:
  /// `when`: for messages, when a sender must hold a chunk. The others must outlive the checker.
  ChunkChecker(const Collective& collective, const Topology& topology, ViolationLog& log, const char* when)
      : collective_(collective), topology_(topology), log_(log), when_(when) {}

  /// Sets the possession at the start; false if the collective contradicts itself. Throws Inadmissible if the
  /// possession takes more memory than `limit` bytes. Operands are counted one by one if that takes no more
  /// than `set_limit`.
  [[nodiscard]] bool start(std::uint64_t limit, std::uint64_t set_limit = OperandLedger::kSetLimit);
  [[nodiscard]] Possession& possession() { return *possession_; }

  /// True if the chunks exist and the sender holds them. A repeated chunk is a violation, but does not keep
  /// the message from being sent.
  [[nodiscard]] bool check_payload(NodeId source, NodeId destination, std::span<const ChunkId> chunks);
  /// At the end: everything is where the goal wants it.
  void check_goal();

  /// Nothing if no chunk is combined.
  [[nodiscard]] const std::optional<OperandLedger>& operands() const { return operands_; }
  /// True if the chunks that a message combines have operands.
  [[nodiscard]] bool check_reduced(NodeId source, NodeId destination, std::span<const ChunkId> reduced);
  /// Sends the values of a message.
  void send(const Step& step, std::size_t message) {
    if (operands_) operands_->take(step, message);
  }
  /// Delivers all values sent.
  void finish_step(const Step& step);

 private:
  /// At the end: every chunk is where the goal wants it, its value aside.
  void check_presence();

  const Collective& collective_;
  const Topology& topology_;
  ViolationLog& log_;
  const char* when_;
  std::optional<Possession> possession_;
  std::optional<OperandLedger> operands_;
};

}  // namespace flitscope
