// schedule: our own schedule files, one on other nodes or another network, or several side by side.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/schedule_file.h"

namespace flitscope::own_schedules {
namespace {

/// The schedule of a file as a part of the whole.
struct Part {
  ScheduleFile schedule;
  std::vector<NodeId> nodes;  ///< of the whole, by those of the file
  ChunkId first_chunk = 0;
  std::vector<std::uint32_t> classes;  ///< numbers in the whole, by those of the file
  std::vector<std::size_t> before;     ///< by step, messages of the files before
};

/// Step k has the messages of step k of every part, part by part, by shortest routes.
class SideBySide final : public Schedule {
 public:
  SideBySide(std::vector<Part> parts, ScheduleFacts facts)
      : parts_(std::move(parts)), facts_(std::move(facts)) {}

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override {
    step.clear();
    bool any = false;
    for (Part& part : parts_) {
      part.before.push_back(step.messages().size());
      if (!part.schedule.next(own_)) continue;
      any = true;
      for (std::size_t i = 0; i < own_.messages().size(); ++i) add(part, own_.messages()[i], step);
      for (const std::uint32_t index : own_.awaited()) step.announce(part.before.back() + index);
    }
    return any;
  }

 private:
  void add(const Part& part, const Message& message, Step& step) {
    const NodeId source = part.nodes[message.source];
    const NodeId destination = part.nodes[message.destination];
    const std::size_t index = step.messages().size();
    chunks_.clear();
    for (const ChunkId chunk : own_.chunks(message)) chunks_.push_back(part.first_chunk + chunk);
    Route route = shortest_route(facts_.topology, source, destination);
    route.draw = message.route.draw;
    step.add(source, destination, route, chunks_, message.control_bytes);
    step.combine(index, message.reduced_count);
    step.rearrange(index, message.rearranged_bytes);
    if (message.extras == 0) return;
    if (const std::uint32_t kind = own_.kind(message); kind != 0) step.set_kind(index, kind);
    if (const std::uint32_t number = own_.message_class(message); number != 0)
      step.set_class(index, part.classes[number - 1]);
    if (own_.reply_follows(message)) step.set_reply_follows(index);
    const auto waits = own_.dependencies(message);
    waits_.assign(waits.begin(), waits.end());
    for (Dependency& wait : waits_) {
      if (wait.count != 0 || wait.message == 0) continue;
      const MessageName name = message_name(wait.message);
      wait.message = message_id(name.step, part.before[name.step - 1] + name.index());
    }
    step.wait(index, waits_);
  }

  std::vector<Part> parts_;
  ScheduleFacts facts_;
  Step own_;  ///< of a part
  std::vector<ChunkId> chunks_;
  std::vector<Dependency> waits_;
};

/// A file of a graph can only be read with that graph, which is the machine's or none.
ScheduleFile open_schedule(const std::string& name, std::string text, const ImportOptions& options) {
  const auto known =
      options.topology.is_grid() ? std::optional<Topology>() : std::optional<Topology>(options.topology);
  return {std::make_unique<std::istringstream>(std::move(text)), name, known};
}

/// Bytes between nodes, those of the first file before those of the next.
std::vector<RankTraffic> traffic_of(std::span<const ImportFile> files, const ImportOptions& options) {
  std::vector<RankTraffic> traffic;
  NodeId first = 0;
  for (const ImportFile& file : files) {
    ScheduleFile schedule = open_schedule(file.name, file.text, options);
    for (Step step; schedule.next(step);) {
      for (const Message& message : step.messages()) {
        traffic.push_back({first + message.source, first + message.destination,
                           message_bytes(schedule.facts().collective, step, message)});
      }
    }
    first += schedule.facts().topology.nodes();
  }
  return traffic;
}

/// Numbers of the part's classes, from 1, among those of the whole.
std::vector<std::uint32_t> add_classes(const std::vector<std::string>& names, std::vector<std::string>& all) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(all, name);
    numbers.push_back(static_cast<std::uint32_t>(found - all.begin()) + 1);
    if (found == all.end()) all.push_back(name);
  }
  return numbers;
}

using Lists = std::map<NodeId, std::vector<ChunkId>>;

/// What nodes of the part hold, want or contribute; nothing: every node that is not missing all chunks.
void add_holdings(const Part& part, const std::vector<Holding>* holdings, Lists& lists) {
  const auto add = [&](NodeId node, const std::vector<ChunkId>& chunks) {
    auto& list = lists[part.nodes[node]];
    for (const ChunkId chunk : chunks) list.push_back(part.first_chunk + chunk);
  };
  if (holdings != nullptr) {
    for (const Holding& holding : *holdings) add(holding.node, holding.chunks);
    return;
  }
  const ScheduleFacts& facts = part.schedule.facts();
  const auto all = first_chunks(facts.collective.chunk_bytes.size());
  const Participants participants(facts.topology);
  for (NodeId place = 0; place < participants.count(); ++place) add(participants[place], all);
}

Collective collective_of(const std::vector<Part>& parts) {
  Collective whole;
  Lists initial;
  Lists operands;
  Lists goal;
  for (const Part& part : parts) {
    const Collective& own = part.schedule.facts().collective;
    whole.chunk_bytes.insert(whole.chunk_bytes.end(), own.chunk_bytes.begin(), own.chunk_bytes.end());
    add_holdings(part, &own.initial, initial);
    add_holdings(part, own.operands_everywhere ? nullptr : &own.operands, operands);
    add_holdings(part, own.goal ? &*own.goal : nullptr, goal);
  }
  whole.initial = holdings_of(std::move(initial));
  whole.operands = holdings_of(std::move(operands));
  whole.goal = holdings_of(std::move(goal));
  return whole;
}

ScheduleFacts facts_of(const std::vector<Part>& parts, const ImportOptions& options) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.schedule.facts().algorithm);
  ScheduleFacts facts = import_facts(options, fmt::format("{}", fmt::join(names, " + ")));
  for (const Part& part : parts) {
    const ScheduleFacts& own = part.schedule.facts();
    facts.send_ports = std::max(facts.send_ports, own.send_ports);
    facts.receive_ports = std::max(facts.receive_ports, own.receive_ports);
    facts.steps = std::max(facts.steps, own.steps);
    facts.messages += own.messages;
    facts.waits = facts.waits || own.waits;
  }
  if (parts.size() == 1) facts.stages = parts.front().schedule.facts().stages;
  facts.collective = collective_of(parts);
  return facts;
}

std::unique_ptr<Schedule> read(std::vector<ImportFile>& files, const ImportOptions& options) {
  const auto traffic =
      options.map.kind == RankMapKind::search ? traffic_of(files, options) : std::vector<RankTraffic>();
  std::vector<Part> parts;
  std::vector<std::string> classes;
  std::uint64_t nodes = 0;
  std::uint64_t chunks = 0;
  for (ImportFile& file : files) {
    ScheduleFile schedule = open_schedule(file.name, std::move(file.text), options);
    const ScheduleFacts& facts = schedule.facts();
    if (!facts.classes.empty() && options.topology.networks() > 1) {
      throw InputError("{}: has message classes, whose networks are not known here; the {} has {}",
                       printable(file.name), options.topology.name(),
                       counted(options.topology.networks(), "network"));
    }
    nodes += facts.topology.nodes();
    const std::uint64_t first_chunk = chunks;
    chunks += facts.collective.chunk_bytes.size();
    if (chunks > std::numeric_limits<ChunkId>::max() || nodes > std::numeric_limits<NodeId>::max()) {
      throw InputError("{}: the schedules up to this one have {} nodes and {} chunks, which are too many",
                       printable(file.name), nodes, chunks);
    }
    auto numbers = add_classes(facts.classes, classes);
    parts.push_back({std::move(schedule), {}, static_cast<ChunkId>(first_chunk), std::move(numbers), {}});
  }
  const std::string others = files.size() == 1 ? "" : fmt::format(" with {} more", files.size() - 1);
  const std::vector<NodeId> map =
      map_ranks(options, files.front().name + others, static_cast<std::uint32_t>(nodes), traffic);
  auto next = map.begin();
  for (Part& part : parts) {
    const auto end = next + part.schedule.facts().topology.nodes();
    part.nodes.assign(next, end);
    next = end;
  }
  ScheduleFacts facts = facts_of(parts, options);
  facts.classes = std::move(classes);
  return std::make_unique<SideBySide>(std::move(parts), std::move(facts));
}

const FormatRegistry::Entry entry{{
    .name = "schedule",
    .summary = "schedules of flitscope: one on other nodes, or several side by side",
    .source = "ours: docs/schedules.md",
    .read = read,
}};

}  // namespace
}  // namespace flitscope::own_schedules
