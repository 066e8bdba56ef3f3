#include "sim/formats/foreign/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "model/error.h"

namespace flitscope {

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

Deliveries::Deliveries(const ScheduleFacts& facts) {
  combined_ = combined_chunks(facts.collective);
  for (const Holding& holding : facts.collective.initial) {
    for (const ChunkId chunk : holding.chunks) {
      if (!combined_[chunk]) brought_[key(holding.node, chunk)] = {kFromTheStart};
    }
  }
}

void Deliveries::deliver(const Step& step, const Message& message, std::uint64_t number) {
  for (const ChunkId chunk : step.chunks(message)) {
    new_.push_back({key(message.destination, chunk), chunk, number});
  }
}

void Deliveries::finish_step() {
  for (const New& one : new_) {
    auto& list = brought_[one.key];
    if (list.empty() || combined_[one.chunk]) list.push_back(one.number);
  }
  new_.clear();
}

namespace {

class Exporter {
 public:
  explicit Exporter(Schedule& schedule)
      : schedule_(schedule), facts_(schedule.facts()), deliveries_(facts_), ranks_(facts_.topology.nodes()) {}

  std::vector<std::vector<ExportedOperation>> operations() {
    std::uint64_t number = 0;
    for (Step step; schedule_.next(step);) {
      ++number;
      const auto messages = step.messages();
      for (std::uint64_t index = 0; index < messages.size(); ++index) send(step, number, index);
      for (const Message& message : messages) receive(step, message);
      for (const std::uint32_t index : step.awaited()) {
        const Message& message = messages[index];
        const std::uint64_t id = message_id(number, index);
        awaited_[id] = {message.source, message.destination, sends_[index], receives_[index]};
      }
      deliveries_.finish_step();
      sends_.clear();
      receives_.clear();
    }
    return std::move(ranks_);
  }

 private:
  struct Ends {
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t send = 0;
    std::uint32_t receive = 0;
  };

  std::uint32_t add(NodeId rank, const Operation& operation) {
    ranks_[rank].push_back({operation, {}});
    return static_cast<std::uint32_t>(ranks_[rank].size() - 1);
  }

  void send(const Step& step, std::uint64_t number, std::uint64_t index) {
    const Message& message = step.messages()[index];
    std::vector<std::uint32_t> after;
    deliveries_.for_each_needed(
        step, message, [&](std::uint64_t receive) { after.push_back(static_cast<std::uint32_t>(receive)); });
    for (const Dependency& dependency : step.dependencies(message))
      wait(step, dependency, number, index, after);
    std::ranges::sort(after);
    const auto repeated = std::ranges::unique(after);
    after.erase(repeated.begin(), repeated.end());
    Operation one{Operation::Kind::send, message.source, message.destination};
    one.bytes = message_bytes(facts_.collective, step, message);
    one.step = number;
    sends_.push_back(add(message.source, one));
    ranks_[message.source].back().after = std::move(after);
  }

  /// The operation of its rank that a message waits for.
  std::uint32_t awaited(const Step& step, const Dependency& dependency, std::uint64_t number,
                        std::uint64_t index) {
    if (dependency.count != 0) refuse_message(number, index, "waits for a number of messages of a kind");
    const NodeId rank = step.messages()[index].source;
    const auto found = awaited_.find(dependency.message);
    const MessageName name = message_name(dependency.message);
    const bool in_step = found == awaited_.end();
    if (in_step && !(dependency.sent && name.step == number)) {
      refuse_message(
          number, index,
          "waits for the arrival of a message of its own step; formats of others order operations of a rank");
    }
    const NodeId end = in_step           ? step.messages()[name.index()].source
                       : dependency.sent ? found->second.source
                                         : found->second.destination;
    if (end != rank) {
      refuse_message(
          number, index,
          fmt::format("waits for message {}, which {} does not {}; in formats of others an operation waits "
                      "for others of its rank",
                      message_label(dependency.message), facts_.topology.node_name(rank),
                      dependency.sent ? "send" : "get"));
    }
    if (in_step) return sends_[name.index()];
    return dependency.sent ? found->second.send : found->second.receive;
  }

  void wait(const Step& step, const Dependency& dependency, std::uint64_t number, std::uint64_t index,
            std::vector<std::uint32_t>& after) {
    const Message& message = step.messages()[index];
    std::optional<std::uint32_t> on;
    if (dependency.message != 0) on = awaited(step, dependency, number, index);
    if (dependency.wait == 0) {
      if (on) after.push_back(*on);
      return;
    }
    Operation calculation{Operation::Kind::local, message.source};
    calculation.wait = dependency.wait;
    const std::uint32_t place = add(message.source, calculation);
    if (on) ranks_[message.source].back().after.push_back(*on);
    after.push_back(place);
  }

  void receive(const Step& step, const Message& message) {
    Operation one{Operation::Kind::receive, message.destination, message.source};
    one.bytes = message_bytes(facts_.collective, step, message);
    receives_.push_back(add(message.destination, one));
    deliveries_.deliver(step, message, receives_.back());
  }

  Schedule& schedule_;
  const ScheduleFacts& facts_;
  Deliveries deliveries_;
  std::vector<std::vector<ExportedOperation>> ranks_;
  std::unordered_map<std::uint64_t, Ends> awaited_;
  // Operations of the messages of the present step, at their ranks.
  std::vector<std::uint32_t> sends_;
  std::vector<std::uint32_t> receives_;
};

}  // namespace

std::vector<std::vector<ExportedOperation>> exported_operations(Schedule& schedule) {
  return Exporter(schedule).operations();
}

}  // namespace flitscope
