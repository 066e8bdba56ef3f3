// Schedules: the data of a collective operation, and the messages of each step, produced one step at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/route.h"
#include "model/topology.h"
#include "model/types.h"

namespace flitscope {

// The data of a collective operation, in chunks, and the nodes that take part in it.

/// A node and chunks, sorted by number, that it holds at the start or must hold at the end.
struct Holding {
  NodeId node = 0;
  std::vector<ChunkId> chunks;
  bool operator==(const Holding&) const = default;
};

/// Chunks 0 .. count - 1.
[[nodiscard]] std::vector<ChunkId> first_chunks(std::uint64_t count);
/// Holdings by rising node, of each chunk once.
[[nodiscard]] std::vector<Holding> holdings_of(std::map<NodeId, std::vector<ChunkId>> lists);

/// The data of a collective operation. Chunks are the unit of possession: a message carries whole chunks.
struct Collective {
  /// Bytes of each chunk, by ChunkId.
  std::vector<std::uint64_t> chunk_bytes;
  /// Holdings before the first step; a node that is not listed holds nothing.
  std::vector<Holding> initial;
  /// Holdings that the operation must reach; absent: every participant holds every chunk. Of a combined chunk
  /// a node must hold the finished value: every operand, each once.
  std::optional<std::vector<Holding>> goal;
  /// Operands that nodes have at the start. A chunk with operands is combined: its value at a node is the
  /// combination of the operands that have arrived there.
  std::vector<Holding> operands = {};
  /// Every node has an operand of every chunk; `operands` lists none then.
  bool operands_everywhere = false;

  bool operator==(const Collective&) const = default;

  [[nodiscard]] bool combines() const { return operands_everywhere || !operands.empty(); }

  /// One chunk of `bytes` bytes from `source` to all nodes.
  [[nodiscard]] static Collective broadcast(NodeId source, std::uint64_t bytes) {
    return {{bytes}, {{source, {0}}}, std::nullopt};
  }
};

/// All nodes of a network but the missing ones, in the order of their numbers. A node's *place* is its number
/// among them, from 0.
class Participants {
 public:
  /// Nodes 0 to nodes - 1.
  Participants(NodeId nodes) : nodes_(nodes), count_(nodes) {}
  Participants(const Topology& topology);

  /// Numbers of nodes lie below.
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] NodeId count() const { return count_; }
  /// No node is missing: a node's place is its number.
  [[nodiscard]] bool all() const { return count_ == nodes_; }
  [[nodiscard]] bool has(NodeId node) const { return all() || place_[node] != kNoNode; }
  /// The node at that place.
  [[nodiscard]] NodeId operator[](NodeId place) const { return all() ? place : node_[place]; }
  /// Requires that the node takes part.
  [[nodiscard]] NodeId place(NodeId node) const { return all() ? node : place_[node]; }

 private:
  NodeId nodes_;
  NodeId count_;
  std::vector<NodeId> node_;   ///< by place; empty if no node is missing, as is the next
  std::vector<NodeId> place_;  ///< by node
};

/// A condition of a message besides its data: another message, or several of a kind, and `wait` cycles more.
struct Dependency {
  /// message_id() of a message of an earlier step, or before it in its own; 0: the beginning, cycle 0.
  std::uint64_t message = 0;
  std::uint64_t wait = 0;
  /// Wait until the other is handed over; otherwise until it is delivered.
  bool sent = false;
  /// Not 0: wait until so many messages of a kind, whose number is `message`, have arrived at the sender.
  std::uint64_t count = 0;
  bool operator==(const Dependency&) const = default;
};
/// Cycles that a message can wait, at most.
inline constexpr std::uint64_t kMaxWait = 1'000'000'000'000'000;

/// One source, one destination. Its chunks lie in the step that holds it (see Step::chunks).
struct Message {
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  /// Bytes of data that belong to no chunk (counts, prefix sums); 0 for most messages.
  std::uint32_t control_bytes = 0;
  std::uint32_t first_chunk = 0;
  std::uint32_t chunk_count = 0;
  /// The last chunks of these that are combined with the receiver's values; the others replace them.
  std::uint32_t reduced_count = 0;
  /// Bytes that the sender moves about in its memory before it can send the message; 0 for most messages.
  /// The machine sets their cost (MachineConfig::copy).
  std::uint64_t rearranged_bytes = 0;
  /// Place of what only few messages have (see Step), from 1; 0: nothing.
  std::uint32_t extras = 0;
};

/// The messages of one step. Reused from step to step, so that a long schedule costs one step's memory.
class Step {
 public:
  void clear() {
    messages_.clear();
    chunks_.clear();
    awaited_.clear();
    extras_.clear();
    dependencies_.clear();
  }
  /// Adds a message that carries `chunks`. The order of messages is the order in which a node sends them.
  void add(NodeId source, NodeId destination, Route route, std::span<const ChunkId> chunks,
           std::uint32_t control_bytes = 0) {
    messages_.push_back({source, destination, route, control_bytes,
                         static_cast<std::uint32_t>(chunks_.size()),
                         static_cast<std::uint32_t>(chunks.size()), 0, 0, 0});
    chunks_.insert(chunks_.end(), chunks.begin(), chunks.end());
  }
  /// Adds a message that carries chunk 0, the only one of a broadcast.
  void add(NodeId source, NodeId destination, Route route) {
    const ChunkId broadcast_chunk = 0;
    add(source, destination, route, std::span(&broadcast_chunk, 1));
  }

  /// Adds a message whose chunks are combined with the receiver's values.
  void reduce(NodeId source, NodeId destination, Route route, std::span<const ChunkId> chunks) {
    add(source, destination, route, chunks);
    combine(messages_.size() - 1, chunks.size());
  }

  /// The last `count` chunks of message `index`, counted from 0, are combined with the receiver's values.
  void combine(std::size_t index, std::size_t count) {
    messages_[index].reduced_count = static_cast<std::uint32_t>(count);
  }
  /// Message `index`, counted from 0, has to wait until its sender has rearranged `bytes` bytes.
  void rearrange(std::size_t index, std::uint64_t bytes) { messages_[index].rearranged_bytes = bytes; }

  /// Message `index`, counted from 0, waits for these (docs/timing.md, "Message dependencies"). Called
  /// once a message.
  void wait(std::size_t index, std::span<const Dependency> dependencies) {
    if (dependencies.empty()) return;
    Extras& extras = extras_of(index);
    extras.first = dependencies_.size();
    extras.count = dependencies.size();
    dependencies_.insert(dependencies_.end(), dependencies.begin(), dependencies.end());
  }
  /// Message `index`, counted from 0, is one of a kind, with a number from 1 on: its receiver counts them.
  void set_kind(std::size_t index, std::uint32_t kind) { extras_of(index).kind = kind; }
  /// Message `index`, counted from 0, belongs to a class of ScheduleFacts::classes, counted from 1.
  void set_class(std::size_t index, std::uint32_t number) { extras_of(index).message_class = number; }
  /// The message behind message `index`, counted from 0, is the reply to it, and waits for it.
  void set_reply_follows(std::size_t index) { extras_of(index).reply_follows = true; }
  /// Messages after message `index`, counted from 0, may wait for it. Called in rising order.
  void announce(std::size_t index) { awaited_.push_back(static_cast<std::uint32_t>(index)); }

  [[nodiscard]] std::span<const Message> messages() const { return messages_; }
  /// All that a message carries.
  [[nodiscard]] std::span<const ChunkId> chunks(const Message& message) const {
    return std::span(chunks_).subspan(message.first_chunk, message.chunk_count);
  }
  /// Chunks that replace the receiver's values.
  [[nodiscard]] std::span<const ChunkId> replacing(const Message& message) const {
    return chunks(message).first(message.chunk_count - message.reduced_count);
  }
  /// Chunks that are combined with them.
  [[nodiscard]] std::span<const ChunkId> reduced(const Message& message) const {
    return chunks(message).last(message.reduced_count);
  }
  /// Conditions of a message besides its data.
  [[nodiscard]] std::span<const Dependency> dependencies(const Message& message) const {
    const Extras extras = extras_of(message);
    return std::span(dependencies_).subspan(extras.first, extras.count);
  }
  /// The number of the kind of a message, from 1; 0: it is not counted.
  [[nodiscard]] std::uint32_t kind(const Message& message) const { return extras_of(message).kind; }
  /// The class of a message in ScheduleFacts::classes, from 1; 0: the first of the machine.
  [[nodiscard]] std::uint32_t message_class(const Message& message) const {
    return extras_of(message).message_class;
  }
  /// The message behind it is the reply to it.
  [[nodiscard]] bool reply_follows(const Message& message) const { return extras_of(message).reply_follows; }
  /// Message `index`, counted from 0, is the reply to the one before it.
  [[nodiscard]] bool is_reply(std::size_t index) const {
    return index > 0 && reply_follows(messages_[index - 1]);
  }
  /// The messages that others may wait for, in rising order.
  [[nodiscard]] std::span<const std::uint32_t> awaited() const { return awaited_; }

 private:
  /// Dependencies, and what setters say.
  struct Extras {
    std::size_t first = 0;
    std::size_t count = 0;
    std::uint32_t kind = 0;
    std::uint32_t message_class = 0;
    bool reply_follows = false;
  };
  [[nodiscard]] Extras& extras_of(std::size_t index) {
    std::uint32_t& place = messages_[index].extras;
    if (place == 0) {
      extras_.emplace_back();
      place = static_cast<std::uint32_t>(extras_.size());
    }
    return extras_[place - 1];
  }
  [[nodiscard]] Extras extras_of(const Message& message) const {
    return message.extras == 0 ? Extras() : extras_[message.extras - 1];
  }
  std::vector<Message> messages_;
  std::vector<ChunkId> chunks_;
  std::vector<std::uint32_t> awaited_;
  std::vector<Extras> extras_;
  std::vector<Dependency> dependencies_;
};

/// Name of a message for users: its step (0: background traffic) and its position in that step, from 1 on.
struct MessageName {
  std::uint64_t step = 0;
  std::uint64_t place = 0;

  /// The place counted from 0 (Step::messages).
  [[nodiscard]] constexpr std::uint64_t index() const { return place - 1; }
};
/// A message in one number that rises in the order of the schedule; `index` counts from 0. Both are below
/// kMessageNumbers.
[[nodiscard]] constexpr std::uint64_t message_id(std::uint64_t step, std::uint64_t index) {
  return step << 32 | index;
}
[[nodiscard]] constexpr MessageName message_name(std::uint64_t id) {
  return {id >> 32, (id & 0xFFFFFFFF) + 1};
}
inline constexpr std::uint64_t kMessageNumbers = std::uint64_t{1} << 32;

/// "3.5": message 5 of step 3.
[[nodiscard]] std::string message_label(std::uint64_t id);

/// A named run of steps, such as a phase of the paper. Steps count from 1.
struct Stage {
  std::string name;
  std::uint64_t first_step = 1;
  std::uint64_t last_step = 1;
  bool operator==(const Stage&) const = default;
};

/// Facts of a schedule, known before its first step.
struct ScheduleFacts {
  explicit ScheduleFacts(Topology on) : topology(std::move(on)), routing(topology.default_routing()) {}

  Topology topology;
  /// Name of the algorithm, or the one a schedule file names.
  std::string algorithm;
  /// Name of the routing function the paths obey.
  std::string routing;
  /// Most messages a node sends, and receives, in one step.
  unsigned send_ports = 1;
  unsigned receive_ports = 1;
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  Collective collective;
  /// Steps the source of the algorithm claims, and the fewest that an algorithm could take which sends as it
  /// does, such as a chunk in a message; absent if unknown.
  std::optional<std::uint64_t> claimed_steps;
  std::optional<std::uint64_t> lower_bound_steps;
  /// The algorithm's promise: no step puts more messages than this on one link; absent if it makes none.
  std::optional<std::uint32_t> claimed_channel_load;
  std::vector<Stage> stages;
  /// Names of the message classes that messages name (Step::set_class).
  std::vector<std::string> classes;
  /// Messages may wait for others, be counted, have replies and classes.
  bool waits = false;
};

/// A source of steps. Producing the steps again needs a new Schedule (see ScheduleSource).
class Schedule {
 public:
  virtual ~Schedule() = default;

  [[nodiscard]] virtual const ScheduleFacts& facts() const = 0;

  /// Writes the next step over `step` and returns true; returns false after the last step. Called
  /// facts().steps times with true. Throws InputError if it reads a file and finds it broken.
  [[nodiscard]] virtual bool next(Step& step) = 0;
};

/// Bytes of a message that its receiver combines.
[[nodiscard]] std::uint64_t reduced_bytes(const Collective& collective, const Step& step,
                                          const Message& message);

/// Bytes of a message: its chunks and its control data.
[[nodiscard]] std::uint64_t message_bytes(const Collective& collective, const Step& step,
                                          const Message& message);

/// The first position in `chunks` of a repeated chunk; nothing if all differ.
[[nodiscard]] std::optional<std::size_t> first_repeated(std::span<const ChunkId> chunks);

/// Counts the messages of each kind in the order of a schedule.
class KindCounts {
 public:
  /// Takes message `index`, counted from 0, of a step. Returns why it waits for more messages of a kind than
  /// there are before it; empty if it does not.
  [[nodiscard]] std::string add(const Topology& topology, const Step& step, std::size_t index);

 private:
  std::map<std::pair<NodeId, std::uint64_t>, std::uint64_t> counts_;  ///< by receiver and kind
};

/// Measurements of one step; times are cycles.
struct StepRecord {
  std::uint64_t messages = 0;  ///< handed to their network interfaces
  std::uint64_t arrived = 0;   ///< of these
  std::uint64_t flits = 0;
  Cycle begin = kNever;  ///< first message handed to its network interface; kNever if there was none
  Cycle end = 0;         ///< last message fully arrived so far

  /// From the first message's start to the last one's arrival; 0 for a step without messages.
  [[nodiscard]] Cycle cycles() const { return begin < end ? end - begin : 0; }
};

/// A message breaks the rules of the schedule. `what()` names it and the fault.
class IllegalMessage : public ScheduleError {
 public:
  IllegalMessage(MessageName message, const std::string& text) : ScheduleError(text), message_(message) {}

  [[nodiscard]] MessageName message() const { return message_; }

 private:
  MessageName message_;
};

/// A legal message that this machine cannot carry. `what()` names it and the reason.
class UncarriableMessage : public Inadmissible {
 public:
  /// `key` is the configuration path of the obstacle, such as "router.routing".
  UncarriableMessage(std::string key, MessageName message, const std::string& text)
      : Inadmissible(std::move(key), text), message_(message) {}

  [[nodiscard]] MessageName message() const { return message_; }

 private:
  MessageName message_;
};

}  // namespace flitscope
