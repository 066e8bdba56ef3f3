// Programs of ranks, the common form of the formats of others: sends, receives and local operations that
// depend on one another. A schedule is made of one, and exported as one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/schedule.h"

namespace flitscope {

struct Operation {
  enum class Kind : std::uint8_t {
    local,    ///< takes `wait` cycles and sends nothing
    send,     ///< done when the message is handed over
    receive,  ///< done when the message has been delivered
  };
  Kind kind = Kind::local;
  std::uint32_t rank = 0;
  std::uint32_t peer = 0;   ///< of a send or a receive
  std::uint64_t tag = 0;    ///< likewise: the k-th send of a tag to a peer belongs to the k-th receive there
  std::uint64_t bytes = 0;  ///< likewise
  std::uint64_t wait = 0;   ///< of a local operation
  std::uint64_t step = 0;   ///< of a send: it belongs to this step or a later one
  std::uint64_t place = 0;  ///< in the file: see RankProgram::place
};

using OperationId = std::uint32_t;
inline constexpr OperationId kNoOperation = 0xFFFFFFFF;

/// The operations of all ranks. Operations of a rank are added in the order of the file.
class RankProgram {
 public:
  /// `place` makes "file:line:column: " of Operation::place, for errors.
  RankProgram(std::uint32_t ranks, std::function<std::string(const Operation&)> place)
      : place_(std::move(place)), ranks_(ranks) {}

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  OperationId add(const Operation& operation);
  /// `operation` begins when `on`, of the same rank, is done.
  void depend(OperationId operation, OperationId on) { dependencies_.emplace_back(operation, on); }
  /// `operation` begins when `on`, of the same rank, has begun.
  void depend_on_start(OperationId operation, OperationId on) { starts_.emplace_back(operation, on); }

  [[nodiscard]] std::span<const Operation> operations() const { return operations_; }
  [[nodiscard]] const Operation& operation(OperationId id) const { return operations_[id]; }
  /// Throws InputError at the place of an operation.
  [[nodiscard]] std::string place(OperationId id) const { return place_(operations_[id]); }

  /// Joins sends and receives and finds an order. Called once, before what follows. Throws InputError for a
  /// send without receive or the other way round, two sizes, a message to its own rank, and a dependency
  /// cycle of waiting.
  void complete();

  /// All operations; each follows those that it depends on, and a receive its send.
  [[nodiscard]] std::span<const OperationId> order() const { return order_; }
  /// The receive of a send, and the send of a receive.
  [[nodiscard]] OperationId partner(OperationId id) const { return partners_[id]; }
  /// The most cycles of calculations on end that no send waits for, which no schedule has.
  [[nodiscard]] std::uint64_t cycles_without_send() const;
  [[nodiscard]] std::span<const OperationId> dependencies(OperationId id) const {
    return std::span(before_).subspan(first_[id], first_[id + 1] - first_[id]);
  }

 private:
  void split_starts();
  void join();
  void sort_dependencies();
  void find_order();
  [[noreturn]] void refuse_dependency_cycle(std::span<const std::uint32_t> missing) const;

  std::function<std::string(const Operation&)> place_;
  std::uint32_t ranks_;
  std::vector<Operation> operations_;
  std::vector<std::pair<OperationId, OperationId>> dependencies_;
  std::vector<std::pair<OperationId, OperationId>> starts_;
  std::vector<OperationId> partners_;
  std::vector<std::uint32_t> first_;
  std::vector<OperationId> before_;
  std::vector<OperationId> order_;
};

/// What a message of a program carries, for a schedule.
struct Payload {
  /// Chunks, those last that are combined with what the receiver has.
  std::vector<ChunkId> chunks;
  std::uint32_t reduced = 0;
  /// The first step in which its sender has them in this state.
  std::uint64_t step = 1;
};

/// The data behind a program, followed operation by operation.
class ProgramData {
 public:
  virtual ~ProgramData() = default;
  /// A local operation or a receive happens; that of a message of step `step`.
  virtual void perform(OperationId id, std::uint64_t step) = 0;
  /// A send: fills in what its message carries.
  virtual void send(OperationId id, Payload& payload) = 0;
  /// The step of the message that was asked for last.
  virtual void sent(OperationId id, std::uint64_t step) = 0;
  /// The message of `receive` brings data that `send` carries, so that no dependency needs to be written.
  [[nodiscard]] virtual bool needs(OperationId send, OperationId receive) const = 0;
};

/// A schedule that lies in memory.
class CollectedSchedule final : public Schedule {
 public:
  explicit CollectedSchedule(const ScheduleFacts& facts) : facts_(facts) {}

  struct Entry {
    std::uint64_t step = 0;
    OperationId send = kNoOperation;  ///< of a program
    NodeId source = 0;
    NodeId destination = 0;
    Route route;
    std::uint64_t bytes = 0;  ///< of its own chunk: see deliver_own_chunks()
    std::uint32_t reduced = 0;
    bool awaited = false;
    std::uint32_t kind = 0;  ///< see Step::kind
    /// Those in `chunks` and in `waits` that are its own.
    std::size_t chunks_begin = 0, chunks_end = 0;
    std::size_t waits_begin = 0, waits_end = 0;
  };
  /// In the order of the schedule.
  std::vector<Entry> entries;
  std::vector<ChunkId> chunks;
  std::vector<Dependency> waits;

  /// Appends a message by the shortest path. It has what was added to `waits` since the one before.
  Entry& add(std::uint64_t step, NodeId source, NodeId destination, std::span<const ChunkId> carried);
  /// Every message gets a chunk of its own: at its source at the start, wanted at its destination.
  void deliver_own_chunks();
  /// Fills in what the entries say: steps, messages, ports, whether messages wait.
  void complete_facts();

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override;

 private:
  ScheduleFacts facts_;
  std::size_t given_ = 0;
  std::uint64_t step_ = 0;
};

/// The schedule of a program: a message for every send, between `nodes` of the ranks, by the shortest path.
/// With data steps are levels: a message belongs to the first one after those of all messages that must
/// arrive before it is sent. Without, it is in the first step that its operation allows and that is not
/// before one of a message that it waits for, and messages of a step are in the order of their levels. The
/// sends of a rank in a level are in the order of the file, but none is before one that it follows.
/// Dependencies that are not data and calculations are what messages wait for.
///
/// With `data`, messages of a connection (source, destination, tag) count as arriving in their order, and
/// that one send follows another is only their order: buffers are used once more, which
/// does not concern a schedule. Sends of a rank in a step take turns: those that follow no other of them,
/// those that follow one of these, and so on. Without `data` every message carries a chunk of its own. Throws
/// InputError if dependencies are so entangled that they cannot be written down.
[[nodiscard]] std::unique_ptr<CollectedSchedule> schedule_of(const RankProgram& program, ProgramData* data,
                                                             std::span<const NodeId> nodes,
                                                             const ScheduleFacts& facts);

/// Throws Inadmissible for message `index` of a step, which a format cannot say.
[[noreturn]] void refuse_message(std::uint64_t step, std::uint64_t index, const std::string& reason);
/// By chunk: whether it is combined.
[[nodiscard]] std::vector<bool> combined_chunks(const Collective& collective);

/// Goes through a schedule and makes operations of ranks of its messages: rank r is node r.
class ScheduleExport {
 public:
  virtual ~ScheduleExport() = default;

 protected:
  /// An operation among those of its rank.
  using Place = std::uint64_t;

  explicit ScheduleExport(Schedule& schedule);
  /// Takes all steps. Throws Inadmissible for a message that no format of others says: one that goes to its
  /// own node, is of another message class than the first, or needs room for its reply.
  void run();
  /// Adds the operations of message `index` of step `number` at its source, and at its destination, before
  /// those that wait for its arrival in the same step or behind all sends of the step.
  virtual Place send(const Step& step, std::uint64_t number, std::uint64_t index) = 0;
  virtual Place receive(const Step& step, const Message& message) = 0;

  /// The receives that a message of the present step has to wait for at its source: of a combined chunk all
  /// that have brought it in earlier steps, of others the first.
  [[nodiscard]] std::vector<Place> needed(const Step& step, const Message& message) const;
  /// The operation of its rank that a message waits for by a dependency. Throws Inadmissible if it waits for
  /// something that happens at another rank.
  [[nodiscard]] Place awaited(const Step& step, const Dependency& dependency, std::uint64_t number,
                              std::uint64_t index) const;
  [[nodiscard]] bool combines(ChunkId chunk) const { return combined_[chunk]; }
  [[nodiscard]] std::uint64_t key(NodeId node, ChunkId chunk) const {
    return node * combined_.size() + chunk;
  }

  const ScheduleFacts& facts_;

 private:
  static constexpr Place kFromTheStart = ~Place{0};
  static constexpr Place kNoPlace = ~Place{0};
  struct Ends {
    NodeId source = 0;
    NodeId destination = 0;
    Place send = 0;
    Place receive = 0;
  };

  Schedule& schedule_;
  std::vector<bool> combined_;
  std::unordered_map<std::uint64_t, std::vector<Place>> brought_;  ///< by node and chunk
  std::unordered_map<std::uint64_t, Ends> awaited_;                ///< by message_id()
  // Of the present step, by message.
  std::vector<Place> sends_;
  std::vector<Place> receives_;  ///< kNoPlace: not added yet
};

/// Operations of a rank, in the order of the schedule.
struct ExportedOperation {
  Operation operation;
  std::vector<std::uint64_t> after;  ///< operations of the rank that must be done; from 0
};

/// Takes all steps: rank r is node r. A send depends on the receives that bring its data or control messages
/// of earlier steps, and on what it waits for; Operation::step is its step. Throws
/// Inadmissible("workload.schedule") if a message waits for something that happens at another rank.
[[nodiscard]] std::vector<std::vector<ExportedOperation>> exported_operations(Schedule& schedule);

}  // namespace flitscope
