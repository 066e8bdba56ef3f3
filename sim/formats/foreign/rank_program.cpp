#include "sim/formats/foreign/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

#include "model/error.h"
#include "model/route.h"

namespace flitscope {

OperationId RankProgram::add(const Operation& operation) {
  operations_.push_back(operation);
  const auto id = static_cast<OperationId>(operations_.size() - 1);
  if (operation.kind == Operation::Kind::local) return id;
  if (operation.peer >= ranks_) {
    throw InputError("{}there is no rank {}; there are {}, from 0", place(id), operation.peer, ranks_);
  }
  if (operation.peer == operation.rank) {
    throw InputError("{}rank {} sends to itself", place(id), operation.rank);
  }
  // All steps before it are gone through, though nothing be in them.
  constexpr std::uint64_t kMaxStep = std::uint64_t{1} << 24;
  if (operation.step > kMaxStep) {
    throw InputError("{}has step {}; at most {} are possible", place(id), operation.step, kMaxStep);
  }
  return id;
}

void RankProgram::complete() {
  split_starts();
  join();
  sort_dependencies();
  find_order();
}

std::uint64_t RankProgram::cycles_without_send() const {
  std::vector<bool> leads(operations_.size());
  for (const OperationId id : std::views::reverse(order_)) {
    if (operations_[id].kind == Operation::Kind::send) leads[id] = true;
    if (!leads[id]) continue;
    for (const OperationId on : dependencies(id)) leads[on] = true;
  }
  std::vector<std::uint64_t> cycles(operations_.size());
  std::uint64_t most = 0;
  for (const OperationId id : order_) {
    if (leads[id]) continue;
    for (const OperationId on : dependencies(id)) cycles[id] = std::max(cycles[id], cycles[on]);
    if (operations_[id].kind == Operation::Kind::local) cycles[id] += operations_[id].wait;
    most = std::max(most, cycles[id]);
  }
  return most;
}

void RankProgram::split_starts() {
  if (starts_.empty()) return;
  // An operation that others begin with gets a beginning of its own: a local one that takes no time. A send
  // is done when it begins.
  std::vector<OperationId> beginnings(operations_.size(), kNoOperation);
  for (const auto& [operation, on] : starts_) {
    if (operations_[on].kind == Operation::Kind::send || beginnings[on] != kNoOperation) continue;
    Operation beginning = operations_[on];
    beginning.kind = Operation::Kind::local;
    beginning.wait = 0;
    beginnings[on] = add(beginning);
  }
  for (auto& [operation, on] : dependencies_) {
    if (beginnings[operation] != kNoOperation) operation = beginnings[operation];
  }
  for (const auto& [operation, on] : starts_) {
    const OperationId after = beginnings[on] == kNoOperation ? on : beginnings[on];
    const OperationId begun = beginnings[operation] == kNoOperation ? operation : beginnings[operation];
    dependencies_.emplace_back(begun, after);
  }
  for (OperationId id = 0; id < beginnings.size(); ++id) {
    if (beginnings[id] != kNoOperation) dependencies_.emplace_back(id, beginnings[id]);
  }
  starts_ = {};
}

void RankProgram::join() {
  struct End {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint64_t tag = 0;
    OperationId id = 0;
  };
  std::vector<End> sends;
  std::vector<End> receives;
  for (OperationId id = 0; id < operations_.size(); ++id) {
    const Operation& one = operations_[id];
    if (one.kind == Operation::Kind::send) sends.push_back({one.rank, one.peer, one.tag, id});
    if (one.kind == Operation::Kind::receive) receives.push_back({one.peer, one.rank, one.tag, id});
  }
  const auto ends = [](const End& end) { return std::tie(end.source, end.destination, end.tag); };
  const auto rising = [&](const End& left, const End& right) {
    return std::tuple_cat(ends(left), std::tie(left.id)) < std::tuple_cat(ends(right), std::tie(right.id));
  };
  std::ranges::sort(sends, rising);
  std::ranges::sort(receives, rising);
  partners_.assign(operations_.size(), kNoOperation);
  for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    const bool no_receive = i >= receives.size() || (i < sends.size() && ends(sends[i]) < ends(receives[i]));
    const bool no_send = !no_receive && (i >= sends.size() || ends(receives[i]) < ends(sends[i]));
    if (no_receive) {
      throw InputError("{}rank {} sends to rank {} with tag {}, but rank {} does not receive it",
                       place(sends[i].id), sends[i].source, sends[i].destination, sends[i].tag,
                       sends[i].destination);
    }
    if (no_send) {
      throw InputError("{}rank {} receives from rank {} with tag {}, but rank {} does not send it",
                       place(receives[i].id), receives[i].destination, receives[i].source, receives[i].tag,
                       receives[i].source);
    }
    const OperationId send = sends[i].id;
    const OperationId receive = receives[i].id;
    if (operations_[send].bytes != operations_[receive].bytes) {
      throw InputError("{}rank {} receives {} from rank {} with tag {}, but {} are sent", place(receive),
                       receives[i].destination, operations_[receive].bytes, receives[i].source,
                       receives[i].tag, operations_[send].bytes);
    }
    partners_[send] = receive;
    partners_[receive] = send;
  }
}

void RankProgram::sort_dependencies() {
  first_.assign(operations_.size() + 1, 0);
  for (const auto& [operation, on] : dependencies_) ++first_[operation + 1];
  for (std::size_t i = 0; i < operations_.size(); ++i) first_[i + 1] += first_[i];
  before_.resize(dependencies_.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [operation, on] : dependencies_) before_[next[operation]++] = on;
  dependencies_ = {};
}

void RankProgram::find_order() {
  const std::size_t count = operations_.size();
  std::vector<std::uint32_t> missing(count);
  std::vector<std::uint32_t> behind(count + 1);
  for (OperationId id = 0; id < count; ++id) {
    missing[id] = first_[id + 1] - first_[id];
    for (const OperationId on : dependencies(id)) ++behind[on + 1];
    if (operations_[id].kind == Operation::Kind::receive) ++missing[id];
  }
  for (std::size_t i = 0; i < count; ++i) behind[i + 1] += behind[i];
  std::vector<OperationId> after(before_.size());
  std::vector<std::uint32_t> next(behind.begin(), behind.end() - 1);
  for (OperationId id = 0; id < count; ++id) {
    for (const OperationId on : dependencies(id)) after[next[on]++] = id;
  }
  order_.reserve(count);
  for (OperationId id = 0; id < count; ++id) {
    if (missing[id] == 0) order_.push_back(id);
  }
  const auto release = [&](OperationId id) {
    if (--missing[id] == 0) order_.push_back(id);
  };
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const OperationId done = order_[i];
    for (std::uint32_t k = behind[done]; k < behind[done + 1]; ++k) release(after[k]);
    if (operations_[done].kind == Operation::Kind::send) release(partners_[done]);
  }
  if (order_.size() < count) refuse_dependency_cycle(missing);
}

void RankProgram::refuse_dependency_cycle(std::span<const std::uint32_t> missing) const {
  // Every waiting operation waits for another one: following them leads into a dependency cycle.
  const auto awaited = [&](OperationId id) {
    for (const OperationId on : dependencies(id)) {
      if (missing[on] != 0) return on;
    }
    return partners_[id];
  };
  const auto start = std::ranges::find_if(missing, [](std::uint32_t left) { return left != 0; });
  auto at = static_cast<OperationId>(start - missing.begin());
  for (std::size_t i = 0; i < missing.size(); ++i) at = awaited(at);
  const auto what = [&](OperationId id) {
    const Operation& one = operations_[id];
    if (one.kind == Operation::Kind::local) return fmt::format("local operation of rank {}", one.rank);
    const bool sends = one.kind == Operation::Kind::send;
    return fmt::format("{} of rank {} {} rank {}", sends ? "send" : "receive", one.rank,
                       sends ? "to" : "from", one.peer);
  };
  throw InputError("{}operations wait for one another in a dependency cycle: this {} waits for a {}",
                   place(at), what(at), what(awaited(at)));
}

CollectedSchedule::Entry& CollectedSchedule::add(std::uint64_t step, NodeId source, NodeId destination,
                                                 std::span<const ChunkId> carried) {
  const std::size_t first_wait = entries.empty() ? 0 : entries.back().waits_end;
  const std::size_t first_chunk = chunks.size();
  chunks.insert(chunks.end(), carried.begin(), carried.end());
  return entries.emplace_back(Entry{.step = step,
                                    .source = source,
                                    .destination = destination,
                                    .route = shortest_route(facts_.topology, source, destination),
                                    .chunks_begin = first_chunk,
                                    .chunks_end = chunks.size(),
                                    .waits_begin = first_wait,
                                    .waits_end = waits.size()});
}

void CollectedSchedule::deliver_own_chunks() {
  std::map<NodeId, std::vector<ChunkId>> sent;
  std::map<NodeId, std::vector<ChunkId>> received;
  for (ChunkId chunk = 0; chunk < entries.size(); ++chunk) {
    Entry& entry = entries[chunk];
    facts_.collective.chunk_bytes.push_back(entry.bytes);
    entry.chunks_begin = chunks.size();
    chunks.push_back(chunk);
    entry.chunks_end = chunks.size();
    sent[entry.source].push_back(chunk);
    received[entry.destination].push_back(chunk);
  }
  facts_.collective.initial = holdings_of(std::move(sent));
  facts_.collective.goal = holdings_of(std::move(received));
}

void CollectedSchedule::complete_facts() {
  facts_.messages = entries.size();
  facts_.steps = entries.empty() ? 0 : entries.back().step;
  facts_.waits =
      !waits.empty() || std::ranges::any_of(entries, [](const Entry& each) { return each.kind != 0; });
  facts_.send_ports = 1;
  facts_.receive_ports = 1;
  std::vector<std::pair<std::uint64_t, unsigned>> sends(facts_.topology.nodes());
  auto receives = sends;
  const auto count = [](auto& of_node, std::uint64_t step, unsigned& max) {
    if (of_node.first != step) of_node = {step, 0};
    max = std::max(max, ++of_node.second);
  };
  for (const Entry& entry : entries) {
    count(sends[entry.source], entry.step, facts_.send_ports);
    count(receives[entry.destination], entry.step, facts_.receive_ports);
  }
}

bool CollectedSchedule::next(Step& step) {
  step.clear();
  if (step_ == facts_.steps) return false;
  ++step_;
  for (std::size_t index = 0; given_ < entries.size() && entries[given_].step == step_; ++given_, ++index) {
    const Entry& entry = entries[given_];
    step.add(entry.source, entry.destination, entry.route,
             std::span(chunks).subspan(entry.chunks_begin, entry.chunks_end - entry.chunks_begin));
    step.combine(index, entry.reduced);
    step.wait(index, std::span(waits).subspan(entry.waits_begin, entry.waits_end - entry.waits_begin));
    if (entry.awaited) step.announce(index);
    if (entry.kind != 0) step.set_kind(index, entry.kind);
  }
  return true;
}

void refuse_message(std::uint64_t step, std::uint64_t index, const std::string& reason) {
  throw Inadmissible("workload.schedule", "message {} {}", message_label(message_id(step, index)), reason);
}

std::vector<bool> combined_chunks(const Collective& collective) {
  std::vector<bool> combined(collective.chunk_bytes.size(), collective.operands_everywhere);
  for (const Holding& holding : collective.operands) {
    for (const ChunkId chunk : holding.chunks) combined[chunk] = true;
  }
  return combined;
}

ScheduleExport::ScheduleExport(Schedule& schedule)
    : facts_(schedule.facts()), schedule_(schedule), combined_(combined_chunks(facts_.collective)) {
  for (const Holding& holding : facts_.collective.initial) {
    for (const ChunkId chunk : holding.chunks) {
      if (!combined_[chunk]) brought_[key(holding.node, chunk)] = {kFromTheStart};
    }
  }
}

void ScheduleExport::run() {
  std::uint64_t number = 0;
  for (Step step; schedule_.next(step);) {
    ++number;
    const auto messages = step.messages();
    sends_.clear();
    receives_.assign(messages.size(), kNoPlace);
    const auto receive_at = [&](std::uint64_t index) {
      if (receives_[index] == kNoPlace) receives_[index] = receive(step, messages[index]);
    };
    for (std::uint64_t index = 0; index < messages.size(); ++index) {
      const Message& message = messages[index];
      if (message.source == message.destination) refuse_message(number, index, "goes to its own node");
      if (step.message_class(message) > 1) refuse_message(number, index, "is not of the first message class");
      if (step.reply_follows(message)) refuse_message(number, index, "needs room for its reply");
      for (const Dependency& dependency : step.dependencies(message)) {
        const MessageName name = message_name(dependency.message);
        const bool arrives = !dependency.sent && dependency.count == 0 && dependency.message != 0;
        if (arrives && name.step == number) receive_at(name.index());
      }
      sends_.push_back(send(step, number, index));
    }
    for (std::uint64_t index = 0; index < messages.size(); ++index) {
      receive_at(index);
      for (const ChunkId chunk : step.chunks(messages[index])) {
        auto& list = brought_[key(messages[index].destination, chunk)];
        if (list.empty() || combined_[chunk]) list.push_back(receives_[index]);
      }
    }
    for (const std::uint32_t index : step.awaited()) {
      awaited_[message_id(number, index)] = {messages[index].source, messages[index].destination,
                                             sends_[index], receives_[index]};
    }
  }
}

std::vector<ScheduleExport::Place> ScheduleExport::needed(const Step& step, const Message& message) const {
  std::vector<Place> receives;
  for (const ChunkId chunk : step.chunks(message)) {
    const auto found = brought_.find(key(message.source, chunk));
    if (found == brought_.end() || found->second.front() == kFromTheStart) continue;
    receives.insert(receives.end(), found->second.begin(), found->second.end());
  }
  return receives;
}

ScheduleExport::Place ScheduleExport::awaited(const Step& step, const Dependency& dependency,
                                              std::uint64_t number, std::uint64_t index) const {
  if (dependency.count != 0) refuse_message(number, index, "waits for a number of messages of a kind");
  const NodeId rank = step.messages()[index].source;
  const auto found = awaited_.find(dependency.message);
  const MessageName name = message_name(dependency.message);
  const bool in_step = found == awaited_.end();
  const Message* const other = in_step ? &step.messages()[name.index()] : nullptr;
  const NodeId end = dependency.sent ? (in_step ? other->source : found->second.source)
                                     : (in_step ? other->destination : found->second.destination);
  if (end != rank) {
    refuse_message(number, index,
                   fmt::format("waits for message {}, which {} does not {}; in formats of others an "
                               "operation waits for others of its rank",
                               message_label(dependency.message), facts_.topology.node_name(rank),
                               dependency.sent ? "send" : "get"));
  }
  if (in_step) return dependency.sent ? sends_[name.index()] : receives_[name.index()];
  return dependency.sent ? found->second.send : found->second.receive;
}

namespace {

class OperationExport final : ScheduleExport {
 public:
  explicit OperationExport(Schedule& schedule)
      : ScheduleExport(schedule), ranks_(facts_.topology.nodes()), control_(ranks_.size()) {}

  std::vector<std::vector<ExportedOperation>> operations() {
    run();
    return std::move(ranks_);
  }

 private:
  Place add(NodeId rank, const Operation& operation, std::vector<Place> after) {
    ranks_[rank].push_back({operation, std::move(after)});
    return ranks_[rank].size() - 1;
  }

  Place send(const Step& step, std::uint64_t number, std::uint64_t index) override {
    const Message& message = step.messages()[index];
    std::vector<Place> after = needed(step, message);
    if (index == 0) {
      for (const auto& [rank, place] : std::exchange(control_of_step_, {})) control_[rank].push_back(place);
    }
    std::vector<Place>& control = control_[message.source];
    if (control.size() > 1) control = {add(message.source, {.rank = message.source}, control)};
    after.insert(after.end(), control.begin(), control.end());
    for (const Dependency& dependency : step.dependencies(message)) {
      std::vector<Place> on;
      if (dependency.message != 0) on.push_back(awaited(step, dependency, number, index));
      if (dependency.wait != 0) {
        Operation calculation{Operation::Kind::local, message.source};
        calculation.wait = dependency.wait;
        on = {add(message.source, calculation, std::move(on))};
      }
      after.insert(after.end(), on.begin(), on.end());
    }
    std::ranges::sort(after);
    const auto repeated = std::ranges::unique(after);
    after.erase(repeated.begin(), repeated.end());
    Operation one{Operation::Kind::send, message.source, message.destination};
    one.bytes = message_bytes(facts_.collective, step, message);
    one.step = number;
    return add(message.source, one, std::move(after));
  }

  Place receive(const Step& step, const Message& message) override {
    Operation one{Operation::Kind::receive, message.destination, message.source};
    one.bytes = message_bytes(facts_.collective, step, message);
    const Place place = add(message.destination, one, {});
    if (message.control_bytes != 0) control_of_step_.emplace_back(message.destination, place);
    return place;
  }

  std::vector<std::vector<ExportedOperation>> ranks_;
  /// By rank: what is done when all control messages of earlier steps have arrived.
  std::vector<std::vector<Place>> control_;
  std::vector<std::pair<NodeId, Place>> control_of_step_;  ///< receives of the present step, or the last one
};

}  // namespace

std::vector<std::vector<ExportedOperation>> exported_operations(Schedule& schedule) {
  return OperationExport(schedule).operations();
}

}  // namespace flitscope
