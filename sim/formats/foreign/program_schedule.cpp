// Programs of ranks as schedules: steps, order, data and waiting.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/foreign/rank_program.h"
#include "sim/formats/schedule_header.h"

namespace flitscope {
namespace {

constexpr std::uint32_t kNoMessage = 0xFFFFFFFF;

/// A send that another one follows: its level, and its turn among the sends of its rank in that level.
struct Turn {
  std::uint64_t level = 0;
  /// The last one in the file of it and the sends of the level that it follows; with data 0.
  OperationId last = 0;
  std::uint32_t place = 0;  ///< among those that follow one another
  auto operator<=>(const Turn&) const = default;
};

/// The messages before the end of an operation.
struct Past {
  std::uint64_t step = 1;     ///< their last one
  std::uint64_t arrived = 0;  ///< the last level of messages that must have arrived
  Turn sent;                  ///< the last send
};

class ProgramScheduler {
 public:
  ProgramScheduler(const RankProgram& program, ProgramData* data, std::span<const NodeId> nodes,
                   const ScheduleFacts& facts)
      : program_(program),
        data_(data),
        nodes_(nodes),
        schedule_(std::make_unique<CollectedSchedule>(facts)),
        entries_(schedule_->entries) {}

  std::unique_ptr<CollectedSchedule> make() {
    const std::size_t count = program_.operations().size();
    past_.resize(count);
    messages_of_.assign(count, kNoMessage);
    for (const OperationId id : program_.order()) perform(id);
    past_ = {};
    find_waits();
    put_in_order();
    return std::move(schedule_);
  }

 private:
  void perform(OperationId id) {
    Past past;
    for (const OperationId on : program_.dependencies(id)) {
      past.step = std::max(past.step, past_[on].step);
      past.arrived = std::max(past.arrived, past_[on].arrived);
      past.sent = std::max(past.sent, past_[on].sent);
    }
    switch (program_.operation(id).kind) {
      case Operation::Kind::local:
        if (data_ != nullptr) data_->perform(id, 0);
        break;
      case Operation::Kind::receive: {
        const std::uint32_t message = messages_of_[program_.partner(id)];
        messages_of_[id] = message;
        past.step = std::max(past.step, entries_[message].step);
        past.arrived = std::max(past.arrived, turns_[message].level);
        if (data_ != nullptr) data_->perform(id, entries_[message].step);
        break;
      }
      case Operation::Kind::send:
        past.sent = send(id, past);
        past.step = entries_.back().step;
        break;
    }
    past_[id] = past;
  }

  Turn send(OperationId id, const Past& past) {
    payload_.chunks.clear();
    payload_.reduced = 0;
    payload_.step = 1;
    if (data_ != nullptr) data_->send(id, payload_);
    const Operation& operation = program_.operation(id);
    Turn turn{std::max({past.arrived + 1, payload_.step, operation.step}), data_ == nullptr ? id : 0};
    if (past.sent.level >= turn.level)
      turn = {past.sent.level, std::max(past.sent.last, turn.last), past.sent.place + 1};
    const std::uint64_t step = data_ != nullptr ? turn.level : std::max(past.step, operation.step);
    if (data_ != nullptr) data_->sent(id, step);
    messages_of_[id] = static_cast<std::uint32_t>(entries_.size());
    auto& entry = schedule_->add(step, nodes_[operation.rank], nodes_[operation.peer], payload_.chunks);
    entry.send = id;
    entry.bytes = operation.bytes;
    entry.reduced = payload_.reduced;
    turns_.push_back(turn);
    return turn;
  }

  // Goes back from every send to the receives and sends before it; no further than to sends, which have
  // waited for what lies behind them.
  void find_waits() {
    const std::size_t count = program_.operations().size();
    positions_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) positions_[program_.order()[i]] = i;
    seen_by_.assign(count, kNoMessage);
    cycles_.resize(count);
    covered_by_.assign(count, kNoMessage);
    covered_cycles_.resize(count);
    for (std::uint32_t message = 0; message < entries_.size(); ++message) {
      entries_[message].waits_begin = schedule_->waits.size();
      find_waits(message);
      entries_[message].waits_end = schedule_->waits.size();
    }
  }

  void find_waits(std::uint32_t message) {
    const OperationId send = entries_[message].send;
    std::uint64_t from_start = 0;
    connections_.clear();
    visit(message, send, 0);
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_);
      const OperationId id = program_.order()[heap_.back()];
      heap_.pop_back();
      const std::uint64_t cycles = cycles_[id];
      const Operation& one = program_.operation(id);
      if (id != send && one.kind == Operation::Kind::send) {
        if (cycles > 0 || data_ == nullptr) add_wait(messages_of_[id], cycles, true);
        continue;
      }
      if (is_covered(id, message, cycles)) continue;
      covered_by_[id] = message;
      covered_cycles_[id] = cycles;
      if (one.kind == Operation::Kind::receive) {
        const bool said = cycles == 0 && data_ != nullptr && (has_later(one) || data_->needs(send, id));
        connections_.emplace_back(one.peer, one.tag);
        if (!said) add_wait(messages_of_[id], cycles, false);
      }
      const std::uint64_t further = cycles + (one.kind == Operation::Kind::local ? one.wait : 0);
      if (further > kMaxWait) {
        throw InputError("{}calculations of more than {} cycles on end", program_.place(id), kMaxWait);
      }
      const auto dependencies = program_.dependencies(id);
      // What is received is there after the beginning anyway.
      if (dependencies.empty() && one.kind != Operation::Kind::receive)
        from_start = std::max(from_start, further);
      for (const OperationId on : dependencies) visit(message, on, further);
    }
    if (from_start != 0) schedule_->waits.push_back({0, from_start, false});
  }

  void visit(std::uint32_t message, OperationId id, std::uint64_t cycles) {
    constexpr std::uint64_t kMaxVisits = 200'000'000;
    if (++visits_ > kMaxVisits) {
      throw InputError(
          "{}too many operations depend on too many others: more than {} of the paths back from sends were "
          "followed",
          program_.place(id), kMaxVisits);
    }
    if (seen_by_[id] == message) {
      cycles_[id] = std::max(cycles_[id], cycles);
      return;
    }
    seen_by_[id] = message;
    cycles_[id] = cycles;
    heap_.push_back(positions_[id]);
    std::ranges::push_heap(heap_);
  }

  /// A later message of the connection has been visited.
  [[nodiscard]] bool has_later(const Operation& receive) const {
    return std::ranges::find(connections_, std::pair(receive.peer, receive.tag)) != connections_.end();
  }

  /// Another send has waited for the operation, and the present one follows that.
  [[nodiscard]] bool is_covered(OperationId id, std::uint32_t message, std::uint64_t cycles) const {
    const std::uint32_t other = covered_by_[id];
    if (other == kNoMessage || other == message) return false;
    const OperationId send = entries_[other].send;
    return seen_by_[send] == message && cycles <= cycles_[send] + covered_cycles_[id];
  }

  /// Messages have their numbers, from 1, until put_in_order().
  void add_wait(std::uint32_t message, std::uint64_t cycles, bool sent) {
    entries_[message].awaited = true;
    schedule_->waits.push_back({std::uint64_t{message} + 1, cycles, sent});
    constexpr std::size_t kMaxWaits = 50'000'000;
    if (schedule_->waits.size() > kMaxWaits) {
      throw InputError("{}more than {} dependencies between messages", program_.place(entries_[message].send),
                       kMaxWaits);
    }
  }

  void put_in_order() {
    auto order = numbers_below<std::uint32_t>(entries_.size());
    std::ranges::sort(order, {}, [&](std::uint32_t message) {
      const auto& entry = entries_[message];
      const Turn& turn = turns_[message];
      return std::tuple(entry.step, turn.level, program_.operation(entry.send).rank, turn.last, turn.place,
                        entry.send);
    });
    std::vector<CollectedSchedule::Entry> sorted;
    sorted.reserve(order.size());
    std::vector<std::uint64_t> names(order.size());
    std::uint64_t index = 0;
    std::uint64_t empty_steps = 0;
    for (const std::uint32_t message : order) {
      const std::uint64_t step = entries_[message].step;
      const std::uint64_t before = sorted.empty() ? 0 : sorted.back().step;
      empty_steps += step > before + 1 ? step - before - 1 : 0;
      if (empty_steps > kMaxEmptySteps) {
        throw InputError(
            "{}belongs to step {}, the one before it to step {}; at most {} steps may be without messages",
            program_.place(entries_[message].send), step, before, kMaxEmptySteps);
      }
      index = step == before ? index + 1 : 0;
      names[message] = message_id(step, index);
      sorted.push_back(entries_[message]);
    }
    entries_ = std::move(sorted);
    for (Dependency& wait : schedule_->waits) {
      if (wait.message != 0) wait.message = names[wait.message - 1];
    }
    for (const auto& entry : entries_) {
      // Deliveries first, as in a file.
      std::ranges::sort(
          std::span(schedule_->waits).subspan(entry.waits_begin, entry.waits_end - entry.waits_begin), {},
          [](const Dependency& wait) { return std::tuple(wait.sent, wait.message); });
    }
    if (data_ == nullptr) schedule_->deliver_own_chunks();
    schedule_->complete_facts();
  }

  const RankProgram& program_;
  ProgramData* data_;
  std::span<const NodeId> nodes_;
  std::unique_ptr<CollectedSchedule> schedule_;
  std::vector<Past> past_;
  std::vector<std::uint32_t> messages_of_;          ///< by operation
  std::vector<CollectedSchedule::Entry>& entries_;  ///< in an order in which they can be sent
  std::vector<Turn> turns_;                         ///< by entry
  Payload payload_;
  // Of the search back from the present send.
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint32_t> seen_by_;
  std::vector<std::uint64_t> cycles_;
  std::vector<std::uint32_t> covered_by_;
  std::vector<std::uint64_t> covered_cycles_;
  std::vector<std::uint32_t> heap_;  ///< positions in the order, the last one first
  std::vector<std::pair<std::uint32_t, std::uint64_t>> connections_;
  std::uint64_t visits_ = 0;
};

}  // namespace

std::unique_ptr<CollectedSchedule> schedule_of(const RankProgram& program, ProgramData* data,
                                               std::span<const NodeId> nodes, const ScheduleFacts& facts) {
  return ProgramScheduler(program, data, nodes, facts).make();
}

std::unique_ptr<Schedule> schedule_of(const RankProgram& program, const std::string& file,
                                      const ImportOptions& options, const std::string& format) {
  if (const std::uint64_t cycles = program.cycles_without_send(); cycles != 0 && options.note) {
    options.note(
        fmt::format("{}: a schedule ends with its last arrival; calculations of {} that no message waits for "
                    "are left out",
                    printable(file), counted(cycles, "cycle")));
  }
  return schedule_of(program, nullptr, map_ranks(options, file, program), import_facts(options, format));
}

}  // namespace flitscope
