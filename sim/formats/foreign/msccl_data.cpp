// The buffers of an MSCCL algorithm: which chunks its collective puts there at the start, and then step by
// step which chunk lies where, and which operands it has.

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "model/error.h"
#include "model/numbers.h"
#include "model/random.h"
#include "model/text.h"
#include "sim/formats/foreign/msccl.h"

namespace flitscope::msccl {

std::vector<Holding> shared_out(std::uint64_t ranks, std::uint64_t share) {
  std::vector<Holding> shares(ranks);
  for (NodeId rank = 0; rank < ranks; ++rank) {
    shares[rank].node = rank;
    for (std::uint64_t k = 0; k < share; ++k) {
      shares[rank].chunks.push_back(static_cast<ChunkId>(rank * share + k));
    }
  }
  return shares;
}

std::vector<Holding> transposed(std::uint64_t ranks, std::uint64_t own) {
  const std::uint64_t share = own / ranks;
  std::vector<Holding> wanted(ranks);
  for (NodeId rank = 0; rank < ranks; ++rank) {
    wanted[rank].node = rank;
    for (std::uint64_t from = 0; from < ranks; ++from) {
      for (std::uint64_t k = 0; k < share; ++k) {
        wanted[rank].chunks.push_back(static_cast<ChunkId>(from * own + rank * share + k));
      }
    }
  }
  return wanted;
}

namespace {

/// Which chunk lies in a slot of the input at the start. The algorithm and the file's name must outlive it.
class Origins {
 public:
  /// Throws InputError if the ranks cannot share the chunks of their buffers, or there are none.
  Origins(const Algorithm& algorithm, const std::string& file, std::uint32_t ranks)
      : algorithm_(algorithm), file_(file), ranks_(ranks) {
    const std::string& name = algorithm.collective;
    if (name == "allreduce") {
      reduces_ = true;
      chunks_ = largest(BufferKind::input);
      if (chunks_ == 0) chunks_ = largest(BufferKind::output);
    } else if (name == "allgather") {
      per_rank_ = largest(BufferKind::input);
      if (algorithm.in_place || per_rank_ == 0) per_rank_ = share_of(largest(BufferKind::output));
      chunks_ = per_rank_ * ranks;
    } else if (name == "alltoall") {
      per_rank_ = largest(BufferKind::input);
      static_cast<void>(share_of(per_rank_));
      chunks_ = per_rank_ * ranks;
    } else if (name == "reduce_scatter" || name == "reducescatter") {
      reduces_ = true;
      chunks_ = largest(BufferKind::input);
      per_rank_ = share_of(chunks_);
    } else {
      known_ = false;
    }
    if (!known_) return;
    if (chunks_ == 0) throw InputError("{}: {} without a chunk", printable(file), name);
    constexpr std::uint64_t kMax = std::uint64_t{1} << 24;
    if (chunks_ > kMax) {
      throw InputError("{}: {} chunks; at most {} are possible", printable(file), chunks_, kMax);
    }
  }

  /// False: what lies in the input is a chunk when it is read, and goals are what ranks end with. The
  /// functions below but largest() and resolved() require that it is true.
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] bool reduces() const { return reduces_; }
  [[nodiscard]] std::uint64_t chunks() const { return chunks_; }

  /// Chunks of that buffer, of the rank that has the most.
  [[nodiscard]] std::uint64_t largest(BufferKind buffer) const {
    std::uint32_t chunks = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      chunks = std::max(chunks, algorithm_.chunks[rank * kBuffers + static_cast<unsigned>(buffer)]);
    }
    return chunks;
  }

  /// The slot of the same memory that is counted: in place, input and output are one.
  [[nodiscard]] Slots resolved(std::uint32_t rank, Slots slots) const {
    if (!algorithm_.in_place) return slots;
    if (algorithm_.collective == "allgather") {
      if (slots.buffer == BufferKind::input) {
        return {BufferKind::output, static_cast<std::uint32_t>(slots.offset + rank * per_rank_)};
      }
    } else if (slots.buffer == BufferKind::output) {
      const bool scatters = reduces_ && per_rank_ != 0;
      return {BufferKind::input,
              static_cast<std::uint32_t>(slots.offset + (scatters ? rank * per_rank_ : 0))};
    }
    return slots;
  }

  /// Calls put(slots, chunk) for every chunk that a rank has at the start.
  template <typename Put>
  void for_each(std::uint32_t rank, const Put& put) const {
    const bool gathers =
        algorithm_.collective == "allgather" && largest(BufferKind::input) == 0 && !algorithm_.in_place;
    const std::uint64_t count = reduces_ ? chunks_ : per_rank_;
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto chunk = static_cast<std::uint32_t>(reduces_ ? k : rank * per_rank_ + k);
      const Slots slots{gathers ? BufferKind::output : BufferKind::input, gathers ? chunk : k};
      put(resolved(rank, slots), chunk);
    }
  }

  /// By rank; nothing if every rank wants everything.
  [[nodiscard]] std::optional<std::vector<Holding>> goal() const {
    const std::string& name = algorithm_.collective;
    if (name == "allreduce" || name == "allgather") return std::nullopt;
    return name == "alltoall" ? transposed(ranks_, per_rank_) : shared_out(ranks_, per_rank_);
  }

 private:
  [[nodiscard]] std::uint64_t share_of(std::uint64_t chunks) const {
    if (chunks % ranks_ == 0) return chunks / ranks_;
    throw InputError("{}: {} of {}, which {} ranks cannot share", printable(file_), algorithm_.collective,
                     counted(chunks, "chunk"), ranks_);
  }

  const Algorithm& algorithm_;
  const std::string& file_;
  std::uint64_t ranks_;
  bool known_ = true;
  bool reduces_ = false;
  std::uint64_t chunks_ = 0;
  std::uint64_t per_rank_ = 0;  ///< chunks that are a rank's own
};

constexpr std::uint32_t kNothing = 0xFFFFFFFF;

/// What a slot of a buffer holds: a chunk or nothing. The operands in it are a sum of keys of ranks, modulo
/// 2^64.
struct Value {
  std::uint32_t chunk = kNothing;
  OperationId arrival = kNoOperation;  ///< the receive that brought it, or the last one that is in it
  std::uint64_t step = 0;              ///< the last step of messages that are in it
  std::uint64_t operands = 0;
};

std::uint64_t key_of(std::uint32_t rank) {
  return RandomStream::mix(rank + 1);
}

class Buffers final : public ProgramData {
 public:
  Buffers(const RankProgram& program, const Algorithm& algorithm, const std::string& file)
      : program_(program),
        algorithm_(algorithm),
        file_(file),
        origins_(algorithm, file, program.ranks()),
        chunks_(origins_.chunks()) {
    first_slot_.assign(algorithm.chunks.size() + 1, 0);
    for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
      const std::uint32_t* const chunks = &algorithm.chunks[std::size_t{rank} * kBuffers];
      const std::uint64_t shared = std::max(chunks[0], chunks[1]);
      for (unsigned buffer = 0; buffer < kBuffers; ++buffer) {
        const bool in_place = algorithm.in_place && buffer != static_cast<unsigned>(BufferKind::scratch);
        const std::size_t at = std::size_t{rank} * kBuffers + buffer;
        first_slot_[at + 1] = first_slot_[at] + (in_place ? shared : chunks[buffer]);
      }
    }
    constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 25;
    if (first_slot_.back() > kMaxSlots) {
      throw InputError("{}: buffers of {} chunks together; at most {} are possible", printable(file),
                       first_slot_.back(), kMaxSlots);
    }
    if (origins_.known()) {
      goal_ = origins_.goal();
    } else {
      discover();
    }
    start();
  }

  /// What the collective is for ranks at `nodes` of a network of `all` nodes.
  void describe(Collective& collective, std::span<const NodeId> nodes, NodeId all,
                std::uint64_t chunk_bytes) const {
    collective.chunk_bytes.assign(chunks_, chunk_bytes);
    collective.operands_everywhere = origins_.reduces() && nodes.size() == all;
    Lists initial;
    Lists operands;
    const auto add = [&](std::uint32_t rank, Slots, std::uint32_t chunk) {
      (origins_.reduces() || is_combined(chunk) ? operands : initial)[nodes[rank]].push_back(chunk);
    };
    if (!collective.operands_everywhere) for_each_input(add);
    collective.initial = holdings_of(std::move(initial));
    collective.operands = holdings_of(std::move(operands));
    // Every node has everything: a schedule says so by no list.
    if (!goal_ && nodes.size() == all) return;
    Lists goal;
    if (goal_) {
      for (const auto& [rank, wanted] : *goal_) goal[nodes[rank]] = wanted;
    } else {
      for (const NodeId node : nodes) goal[node] = first_chunks(chunks_);
    }
    collective.goal = holdings_of(std::move(goal));
  }

  // --- Operations ------------------------------------------------------------------------------------------

  void perform(OperationId id, std::uint64_t step) override {
    const Instruction& one = algorithm_.instructions[id];
    switch (one.kind) {
      case StepKind::copy:
        for (std::uint32_t k = 0; k < one.count; ++k) slot(id, one.target, k) = read(id, one.source, k);
        break;
      case StepKind::reduce:
        for (std::uint32_t k = 0; k < one.count; ++k) {
          const Value right = read(id, one.source, k);
          slot(id, one.target, k) = combined(id, read(id, one.target, k), right);
        }
        break;
      case StepKind::receive:
      case StepKind::receive_reduce:
      case StepKind::receive_pass:
        receive(id, one, step);
        break;
      case StepKind::nothing:
      case StepKind::send:
      case StepKind::pass:
        break;
    }
  }

  void send(OperationId id, Payload& payload) override {
    const Instruction& one = algorithm_.instructions[id];
    const std::uint64_t first = carried_.size();
    if (one.kind == StepKind::pass) {
      // What has been received in the same instruction: the operation before.
      for (std::uint32_t k = 0; k < one.count; ++k) carried_.push_back(carried_[first_carried_[id - 1] + k]);
    } else {
      for (std::uint32_t k = 0; k < one.count; ++k) carried_.push_back(read(id, one.source, k));
    }
    first_carried_[id] = first;
    const StepKind receives = algorithm_.instructions[program_.partner(id)].kind;
    const std::uint32_t receiver = program_.operation(id).peer;
    for (const bool reduced : {false, true}) {
      for (std::uint64_t i = first; i < carried_.size(); ++i) {
        const Value& value = carried_[i];
        payload.step = std::max(payload.step, value.step + 1);
        if (discovering_) continue;
        const bool combines = is_combined(value.chunk);
        // A value that is finished takes the place of what is there.
        const bool reduces =
            combines && (receives != StepKind::receive || value.operands != full_[value.chunk]);
        if (combines) payload.step = std::max(payload.step, last_sent_[key(receiver, value.chunk)]);
        if (reduces == reduced) payload.chunks.push_back(value.chunk);
      }
      if (!reduced) payload.reduced = static_cast<std::uint32_t>(payload.chunks.size());
    }
    payload.reduced = static_cast<std::uint32_t>(payload.chunks.size()) - payload.reduced;
    require_different(id, payload.chunks);
  }

  void sent(OperationId id, std::uint64_t step) override {
    const std::uint32_t rank = program_.operation(id).rank;
    for (const Value& value : carried(id)) {
      if (!is_combined(value.chunk)) continue;
      std::uint64_t& last = last_sent_[key(rank, value.chunk)];
      last = std::max(last, step);
    }
  }

  [[nodiscard]] bool needs(OperationId send, OperationId receive) const override {
    const auto brought = carried(program_.partner(receive));
    return std::ranges::any_of(carried(send), [&](const Value& value) {
      if (value.arrival == receive) return true;
      return is_combined(value.chunk) &&
             std::ranges::any_of(brought, [&](const Value& other) { return other.chunk == value.chunk; });
    });
  }

  /// A node has one value of a chunk in a schedule; a rank may have several in its buffers. Throws InputError
  /// if a message would carry another one than the file says.
  void compare(const CollectedSchedule& schedule) const {
    if (full_.empty()) return;
    std::vector<std::uint64_t> values(std::uint64_t{program_.ranks()} * chunks_);
    for (const auto& [rank, chunk] : operands_) values[key(rank, chunk)] = key_of(rank);
    const auto& entries = schedule.entries;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      for (end = begin; end < entries.size() && entries[end].step == entries[begin].step; ++end) {
        require_value(entries[end].send, values);
      }
      for (std::size_t i = begin; i < end; ++i) deliver(entries[i].send, values);
    }
  }

 private:
  /// Chunks by node.
  using Lists = std::map<NodeId, std::vector<ChunkId>>;

  [[nodiscard]] bool is_combined(std::uint32_t chunk) const { return !full_.empty() && full_[chunk] != 0; }
  [[nodiscard]] std::uint64_t key(std::uint32_t rank, std::uint32_t chunk) const {
    return rank * chunks_ + chunk;
  }
  [[nodiscard]] std::span<const Value> carried(OperationId id) const {
    return std::span(carried_).subspan(first_carried_[id], algorithm_.instructions[id].count);
  }

  // --- Slots -----------------------------------------------------------------------------------------------

  Value& slot(OperationId id, Slots slots, std::uint32_t k) {
    const std::uint32_t rank = program_.operation(id).rank;
    slots.offset += k;
    const Slots at = origins_.resolved(rank, slots);
    const std::span<Value> held = buffer(rank, at.buffer);
    if (at.offset < held.size()) return held[at.offset];
    throw InputError("{}chunk {} of buffer {} of rank {}: it has {}", program_.place(id), slots.offset,
                     "ios"[static_cast<unsigned>(slots.buffer)], rank, held.size());
  }

  std::span<Value> buffer(std::uint32_t rank, BufferKind kind) {
    const std::size_t at = std::size_t{rank} * kBuffers + static_cast<unsigned>(kind);
    return std::span(slots_).subspan(first_slot_[at], first_slot_[at + 1] - first_slot_[at]);
  }

  void empty_buffers() {
    slots_.assign(first_slot_.back(), {});
    first_carried_.assign(algorithm_.instructions.size(), 0);
    carried_.clear();
  }

  const Value& read(OperationId id, Slots slots, std::uint32_t k) {
    Value& value = slot(id, slots, k);
    if (value.chunk != kNothing) return value;
    const std::uint32_t rank = program_.operation(id).rank;
    slots.offset += k;
    if (origins_.known() || slots.buffer != BufferKind::input) {
      throw InputError("{}reads chunk {} of buffer {} of rank {}, where nothing is yet", program_.place(id),
                       slots.offset, "ios"[static_cast<unsigned>(slots.buffer)], rank);
    }
    value.chunk = input_of(rank, slots.offset);
    return value;
  }

  Value combined(OperationId id, Value left, const Value& right) {
    if (discovering_) {
      combined_.emplace_back(left.chunk, right.chunk);
    } else if (left.chunk != right.chunk) {
      throw InputError("{}combines chunk {} with chunk {}", program_.place(id), left.chunk, right.chunk);
    }
    if (right.step >= left.step && right.arrival != kNoOperation) left.arrival = right.arrival;
    left.step = std::max(left.step, right.step);
    left.operands += right.operands;
    return left;
  }

  void receive(OperationId id, const Instruction& one, std::uint64_t step) {
    const std::uint64_t brought = first_carried_[program_.partner(id)];
    const std::uint64_t first = carried_.size();
    first_carried_[id] = first;
    for (std::uint32_t k = 0; k < one.count; ++k) {
      Value value = carried_[brought + k];
      value.arrival = id;
      value.step = step;
      if (one.kind != StepKind::receive) {
        // Some compilers write the sender's slot as the source of what is combined.
        const Value& source = slot(id, one.source, k);
        const bool fits = discovering_ || source.chunk == value.chunk;
        const Slots with = source.chunk != kNothing && fits ? one.source : one.target;
        value = combined(id, read(id, with, k), value);
        value.arrival = id;
        value.step = std::max(value.step, step);
      }
      if (one.kind != StepKind::receive_pass) {
        Value& there = slot(id, one.target, k);
        // A chunk that is received again has been there since the first time.
        const bool again = !discovering_ && there.chunk == value.chunk && there.operands == value.operands;
        if (!again || there.step > value.step) there = value;
      }
      carried_.push_back(value);
    }
  }

  void require_different(OperationId id, std::vector<ChunkId>& chunks) {
    if (chunks.size() < 2) return;
    sorted_ = chunks;
    std::ranges::sort(sorted_);
    const auto again = std::ranges::adjacent_find(sorted_);
    if (again == sorted_.end()) return;
    throw InputError("{}sends chunk {} twice in a message", program_.place(id), *again);
  }

  // --- Values at the start ---------------------------------------------------------------------------------

  /// Calls visit(rank, slots, chunk) for every chunk that a rank has at the start.
  template <typename Visit>
  void for_each_input(const Visit& visit) const {
    for (std::uint32_t rank = 0; origins_.known() && rank < program_.ranks(); ++rank) {
      origins_.for_each(rank, [&](Slots slots, std::uint32_t chunk) { visit(rank, slots, chunk); });
    }
    for (const Input& input : inputs_) visit(input.rank, Slots{BufferKind::input, input.offset}, input.chunk);
  }

  void start() {
    empty_buffers();
    std::vector<std::uint32_t> members(origins_.known() ? 0 : chunks_);
    for (const Input& input : inputs_) ++members[input.chunk];
    const auto is_several = [](std::uint32_t count) { return count > 1; };
    if (origins_.reduces() || std::ranges::any_of(members, is_several)) require_room();
    for_each_input([&](std::uint32_t rank, Slots slots, std::uint32_t chunk) {
      const std::span<Value> held = buffer(rank, slots.buffer);
      if (slots.offset >= held.size()) return;
      held[slots.offset] = {chunk, kNoOperation, 0, key_of(rank)};
      if (origins_.known() ? !origins_.reduces() : !is_several(members[chunk])) return;
      full_[chunk] += key_of(rank);
      operands_.emplace_back(rank, chunk);
    });
    if (origins_.known()) return;
    std::ranges::sort(operands_);
    if (std::ranges::adjacent_find(operands_) != operands_.end()) {
      throw InputError("{}: combines two chunks of the input of one rank; a rank has one operand of a chunk",
                       printable(file_));
    }
  }

  void require_room() {
    constexpr std::uint64_t kMax = std::uint64_t{1} << 26;
    if (program_.ranks() * chunks_ > kMax) {
      throw InputError("{}: {} chunks on {} ranks; at most {} values are possible", printable(file_), chunks_,
                       program_.ranks(), kMax);
    }
    full_.assign(chunks_, 0);
    last_sent_.assign(program_.ranks() * chunks_, 0);
  }

  // --- Collectives that the format does not define ---------------------------------------------------------

  struct Input {
    std::uint32_t rank = 0;
    std::uint32_t offset = 0;
    std::uint32_t chunk = kNothing;
  };

  /// The input that is read there first: a chunk of its own.
  std::uint32_t input_of(std::uint32_t rank, std::uint32_t offset) {
    if (!discovering_) throw InputError("{}: reads its input in another order", printable(file_));
    inputs_.push_back({rank, offset});
    return static_cast<std::uint32_t>(inputs_.size() - 1);
  }

  /// Goes through the program once to see which input is read, and what is combined with what.
  void discover() {
    discovering_ = true;
    empty_buffers();
    Payload payload;
    for (const OperationId id : program_.order()) {
      if (program_.operation(id).kind != Operation::Kind::send) {
        perform(id, 0);
      } else {
        payload.chunks.clear();
        send(id, payload);
      }
    }
    discovering_ = false;
    number_discovered();
    note_goal();
  }

  void number_discovered() {
    auto order = numbers_below<std::uint32_t>(inputs_.size());
    std::ranges::sort(order, {}, [&](std::uint32_t input) {
      return std::tuple(inputs_[input].offset, inputs_[input].rank);
    });
    boost::disjoint_sets_with_storage<> sets(inputs_.size());
    for (const auto& [left, right] : combined_) sets.union_set(left, right);
    for (const std::uint32_t input : order) {
      std::uint32_t& chunk = inputs_[sets.find_set(input)].chunk;
      if (chunk == kNothing) chunk = static_cast<std::uint32_t>(chunks_++);
      inputs_[input].chunk = chunk;
    }
  }

  void note_goal() {
    // The end state of the output; in place, or without one, of the input.
    const bool output = origins_.largest(BufferKind::output) != 0 && !algorithm_.in_place;
    goal_.emplace();
    for (std::uint32_t rank = 0; rank < program_.ranks(); ++rank) {
      std::vector<ChunkId> kept;
      for (const Value& value : buffer(rank, output ? BufferKind::output : BufferKind::input)) {
        if (value.chunk != kNothing) kept.push_back(inputs_[value.chunk].chunk);
      }
      const bool is_broadcast = algorithm_.collective == "broadcast";
      if (is_broadcast) kept = first_chunks(chunks_);
      if (is_broadcast || !kept.empty()) goal_->push_back({rank, std::move(kept)});
    }
  }

  // --- The values of the schedule --------------------------------------------------------------------------

  void require_value(OperationId send, std::span<const std::uint64_t> values) const {
    const std::uint32_t rank = program_.operation(send).rank;
    for (const Value& value : carried(send)) {
      if (!is_combined(value.chunk) || values[key(rank, value.chunk)] == value.operands) continue;
      throw InputError(
          "{}rank {} sends a value of chunk {} apart from others that it has of it; a node of a schedule has "
          "one value of a chunk, with all that was received there in earlier steps",
          program_.place(send), rank, value.chunk);
    }
  }

  void deliver(OperationId send, std::span<std::uint64_t> values) const {
    const std::uint32_t rank = program_.operation(send).peer;
    const bool receives = algorithm_.instructions[program_.partner(send)].kind == StepKind::receive;
    for (const Value& value : carried(send)) {
      if (!is_combined(value.chunk)) continue;
      std::uint64_t& there = values[key(rank, value.chunk)];
      there = receives && value.operands == full_[value.chunk] ? value.operands : there + value.operands;
    }
  }

  const RankProgram& program_;
  const Algorithm& algorithm_;
  const std::string& file_;
  Origins origins_;
  std::uint64_t chunks_;
  std::optional<std::vector<Holding>> goal_;  ///< of ranks; nothing: everything
  std::vector<std::uint64_t> first_slot_;     ///< by rank and buffer; one more ends the last
  std::vector<Value> slots_;
  std::vector<Value> carried_;                ///< by sends, and by receives after combining
  std::vector<std::uint64_t> first_carried_;  ///< by operation
  std::vector<std::uint64_t> full_;           ///< all operands of a chunk; empty if none is combined
  std::vector<std::pair<std::uint32_t, std::uint32_t>> operands_;  ///< rank and chunk
  std::vector<std::uint64_t> last_sent_;                           ///< by rank and chunk: its last step
  std::vector<ChunkId> sorted_;
  // Of collectives that the format does not define.
  bool discovering_ = false;
  std::vector<Input> inputs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> combined_;  ///< inputs
};

}  // namespace

std::unique_ptr<Schedule> schedule_of(const RankProgram& program, const Algorithm& algorithm,
                                      const std::string& file, std::span<const NodeId> nodes,
                                      std::uint64_t chunk_bytes, ScheduleFacts facts) {
  Buffers buffers(program, algorithm, file);
  buffers.describe(facts.collective, nodes, facts.topology.nodes(), chunk_bytes);
  auto schedule = flitscope::schedule_of(program, &buffers, nodes, facts);
  buffers.compare(*schedule);
  return schedule;
}

}  // namespace flitscope::msccl
