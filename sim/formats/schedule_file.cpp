#include "sim/formats/schedule_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/route.h"
#include "model/text.h"
#include "routers/routing/routing.h"
#include "sim/formats/schedule_header.h"
#include "sim/formats/strict_json.h"

namespace flitscope {
namespace {

constexpr std::uint64_t kMaxId = std::uint64_t{1} << 62;
/// As long as the longest message of an algorithm.
constexpr std::uint64_t kMaxRearranged = std::uint64_t{1} << 40;

// Paths: legs [dimension, sign, hops].

struct Leg {
  unsigned dimension = 0;
  Sign sign = Sign::plus;
  std::uint32_t hops = 0;
};

std::string leg_name(const Leg& leg) {
  return fmt::format("{}{}@{}", leg.sign == Sign::plus ? '+' : '-', leg.hops, leg.dimension);
}

Leg read_leg(const JsonValue& value, const Topology& topology) {
  if (value.size() != 3) value.fail_wanted("a leg [dimension, sign, hops]");
  Leg leg;
  leg.dimension = value.at(std::size_t{0}).whole<unsigned>(0, topology.dimensions() - 1);
  leg.sign = value.at(1).sign() > 0 ? Sign::plus : Sign::minus;
  leg.hops = value.at(2).whole<std::uint32_t>(1, topology.side(leg.dimension) - 1);
  return leg;
}

/// Links from a coordinate to the border of a mesh.
std::uint32_t hops_to_border(const Topology& topology, NodeId node, unsigned dimension, Sign sign) {
  const std::uint32_t at = topology.coordinate(node, dimension);
  return sign == Sign::plus ? topology.side(dimension) - 1 - at : at;
}

/// The only first dimension of paths that the routing function allows in a network; nothing if messages may
/// start in several, or there is no function of that name for the network.
std::optional<unsigned> fixed_first_dimension(const Topology& network, const std::string& routing) {
  const Routing* entry = RoutingRegistry::find(routing);
  if (entry == nullptr || network.dimensions() == 1 || !entry->serves(network)) return std::nullopt;
  const auto function = entry->make(network);
  std::optional<unsigned> only;
  for (unsigned dimension = 0; dimension < network.dimensions(); ++dimension) {
    if (function->objection(0, 0, Route::cyclic(dimension, Sign::plus))) continue;
    if (only) return std::nullopt;
    only = dimension;
  }
  return only;
}

/// What readers may take as the first dimension of lines that name none: that of any of the networks and,
/// without a configuration, 0.
std::vector<std::optional<unsigned>> possible_first_dimensions(const ScheduleFacts& facts) {
  std::vector<std::optional<unsigned>> possible;
  for (unsigned network = 0; network < facts.topology.networks(); ++network) {
    possible.push_back(fixed_first_dimension(facts.topology.network(network), facts.routing));
  }
  if (possible.front()) possible.emplace_back(0);
  return possible;
}

/// The network by which the messages of a class go. Another class than the machine's is refused later.
unsigned network_of(std::span<const MessageClass> classes, const std::string& name) {
  const auto found = std::ranges::find(classes, name, &MessageClass::name);
  return found == classes.end() ? 0 : found->network;
}

/// The legs of a message's path. Requires that its nodes and the path exist.
Json path_json(const Topology& topology, const Message& message) {
  Json path = Json::array();
  for_each_leg(topology, message.source, message.destination, message.route,
               [&](unsigned dimension, Sign sign, std::uint32_t hops) {
                 path.push_back(Json::array({dimension, sign == Sign::plus ? 1 : -1, hops}));
               });
  return path;
}

/// The route that follows these legs. Dimensions are travelled cyclically from the first one or, if that is
/// absent, from the first leg's on; dimensions without a leg get the direction of the first leg.
/// Throws InputError if a leg does not exist, the order is another, the path leaves the network, or it does
/// not lead from `source` to `destination`.
Route read_path(const JsonValue& path, const Topology& topology, NodeId source, NodeId destination,
                const ScheduleFile::FirstDimension& first) {
  const unsigned dimensions = topology.dimensions();
  Route route = Route::cyclic(first.dimension.value_or(0), Sign::plus);
  NodeId at = source;
  std::string name;
  std::optional<Leg> previous;
  const auto place_in_order = [&](unsigned dimension) {
    return (dimension + dimensions - route.first_dimension) % dimensions;
  };
  const std::size_t legs = path.size();
  for (std::size_t i = 0; i < legs; ++i) {
    const JsonValue value = path.at(i);
    const Leg leg = read_leg(value, topology);
    if (i == 0) route = Route::cyclic(first.dimension.value_or(leg.dimension), leg.sign);
    if (previous && place_in_order(leg.dimension) <= place_in_order(previous->dimension)) {
      value.fail(
          "travels dimension {} after dimension {}; each dimension is travelled at most once, in "
          "cyclic order from dimension {}{}",
          leg.dimension, previous->dimension, route.first_dimension,
          first.network ? fmt::format(", the first of network {}", *first.network) : "");
    }
    if (!topology.leads(leg.sign)) {
      value.fail("travels in direction {}, but all links of the {} lead in direction {}",
                 leg.sign == Sign::plus ? '+' : '-', topology.name(), leg.sign == Sign::plus ? '-' : '+');
    }
    const std::uint32_t room = hops_to_border(topology, at, leg.dimension, leg.sign);
    if (!topology.wraps() && leg.hops > room) {
      value.fail("leaves the {}: from {}, {} in direction {} of dimension {}, not {}", topology.name(),
                 topology.node_name(at), counted(room, "link leads", "links lead"),
                 leg.sign == Sign::plus ? '+' : '-', leg.dimension, leg.hops);
    }
    route.set_sign(leg.dimension, leg.sign);
    at = topology.moved(at, leg.dimension, leg.sign, leg.hops);
    name += (i == 0 ? "" : " ") + leg_name(leg);
    previous = leg;
  }
  if (at != destination) {
    path.fail("of {} ends at {}, not at dst {}", legs == 0 ? "no legs" : name, topology.node_name(at),
              topology.node_name(destination));
  }
  return route;
}

/// The first dimension that a reader takes when the line does not name it.
unsigned implied_first_dimension(const Topology& topology, const Message& message,
                                 std::optional<unsigned> fixed) {
  if (fixed) return *fixed;
  if (message.source == message.destination) return 0;
  return dimension_of_port(first_port(topology, message.source, message.destination, message.route));
}

/// Requires what the format takes for granted of every message.
void require_expressible(const Topology& topology, const Message& message, std::uint64_t step) {
  const auto refuse = [step](const std::string& reason) { throw ScheduleError("step {}: {}", step, reason); };
  for (const NodeId node : {message.source, message.destination}) {
    if (node >= topology.nodes()) {
      refuse(fmt::format("node {} does not exist on the {}", node, topology.name()));
    }
  }
  if (!topology.is_grid()) return;
  if (message.route.first_dimension >= topology.dimensions() ||
      !route_exists(topology, message.source, message.destination, message.route)) {
    refuse(fmt::format("the path from {} to {} does not exist on the {}", topology.node_name(message.source),
                       topology.node_name(message.destination), topology.name()));
  }
}

/// Ids of a file: places in the order of the schedule, from 1, by message_id().
using FileIds = std::unordered_map<std::uint64_t, std::uint64_t>;

/// "after", "behind" and "wait": the cycles that all dependencies have in common are said once.
void add_waits(Json& line, std::span<const Dependency> dependencies, const FileIds& ids) {
  if (dependencies.empty()) return;
  const std::uint64_t wait = std::ranges::min(dependencies, {}, &Dependency::wait).wait;
  Json after = Json::array();
  Json behind = Json::array();
  Json arrived = Json::array();
  for (const Dependency& dependency : dependencies) {
    std::uint64_t id = 0;
    if (dependency.count != 0) {
      arrived.push_back(Json::array({dependency.message, dependency.count}));
      if (dependency.wait != wait) arrived.back().push_back(dependency.wait - wait);
      continue;
    }
    if (dependency.message != 0) {
      const auto found = ids.find(dependency.message);
      if (found == ids.end()) {
        throw ScheduleError("a message waits for message {}, which is none before it that can be waited for",
                            message_label(dependency.message));
      }
      id = found->second;
    }
    Json& list = dependency.sent ? behind : after;
    if (dependency.wait == wait) {
      list.push_back(id);
    } else {
      list.push_back(Json::array({id, dependency.wait - wait}));
    }
  }
  const bool from_the_beginning = dependencies.size() == 1 && after.size() == 1 && after.front() == 0;
  if (!after.empty() && !from_the_beginning) line["after"] = after;
  if (!behind.empty()) line["behind"] = behind;
  if (!arrived.empty()) line["arrived"] = arrived;
  if (wait != 0) line["wait"] = wait;
}

/// What a message and a reply have alike, behind the ends of the message.
void add_contents(Json& line, const ScheduleFacts& facts, const Step& step, const Message& message,
                  std::span<const std::optional<unsigned>> possible) {
  const Topology& topology = facts.topology;
  if (topology.is_grid()) line["path"] = path_json(topology, message);
  const auto is_implied = [&](std::optional<unsigned> fixed) {
    return message.route.first_dimension == implied_first_dimension(topology, message, fixed);
  };
  if (topology.is_grid() && !std::ranges::all_of(possible, is_implied)) {
    line["first_dimension"] = message.route.first_dimension;
  }
  if (message.route.draw != 0) line["draw"] = message.route.draw;
  const auto chunks = step.replacing(message);
  if (!chunks.empty() || (message.control_bytes == 0 && message.reduced_count == 0)) {
    line["chunks"] = std::vector(chunks.begin(), chunks.end());
  }
  const auto reduced = step.reduced(message);
  if (!reduced.empty()) line["reduce"] = std::vector(reduced.begin(), reduced.end());
  if (message.control_bytes != 0) line["control"] = message.control_bytes;
  if (message.rearranged_bytes != 0) line["rearranged"] = message.rearranged_bytes;
  if (step.message_class(message) != 0) line["class"] = facts.classes[step.message_class(message) - 1];
  if (step.kind(message) != 0) line["kind"] = step.kind(message);
}

/// Requires that a reply answers the message before it, and waits for nothing else.
void require_reply(const Step& step, std::uint64_t number, std::uint64_t index) {
  const auto messages = step.messages();
  if (index + 1 < messages.size()) {
    const Message& reply = messages[index + 1];
    const auto waits = step.dependencies(reply);
    const bool is_back =
        reply.source == messages[index].destination && reply.destination == messages[index].source;
    if (is_back && waits.size() == 1 && waits.front().message == message_id(number, index) &&
        !waits.front().sent && waits.front().count == 0)
      return;
  }
  throw ScheduleError("step {}: message {} has no reply behind it that waits for it alone", number,
                      index + 1);
}

/// The "wait" of a message and the cycles of one of its dependencies.
std::uint64_t wait_together(std::uint64_t wait, const JsonValue& cycles) {
  const std::uint64_t together = wait + cycles.whole(0, kMaxWait);
  if (together > kMaxWait)
    cycles.fail("and \"wait\" are {} cycles together; at most {} are possible", together, kMaxWait);
  return together;
}

}  // namespace

void write_schedule(Schedule& schedule, std::ostream& out) {
  const ScheduleFacts& facts = schedule.facts();
  const auto possible = possible_first_dimensions(facts);
  out << dumped_line(header_json(facts));
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  FileIds ids;
  for (Step step; schedule.next(step);) {
    ++steps;
    auto awaited = step.awaited();
    std::uint64_t index = 0;
    const auto add_id = [&](Json& to) {
      if (awaited.empty() || awaited.front() != index) return;
      awaited = awaited.subspan(1);
      ids.emplace(message_id(steps, index), messages);
      to["id"] = messages;
    };
    for (; index < step.messages().size(); ++index) {
      const Message& message = step.messages()[index];
      ++messages;
      require_expressible(facts.topology, message, steps);
      Json line;
      line["step"] = steps;
      line["src"] = node_json(facts.topology, message.source);
      line["dst"] = node_json(facts.topology, message.destination);
      add_contents(line, facts, step, message, possible);
      add_waits(line, step.dependencies(message), ids);
      add_id(line);
      if (!facts.waits && (message.extras != 0 || line.contains("id"))) {
        throw ScheduleError("step {}: a message waits, but the schedule announces none", steps);
      }
      if (step.reply_follows(message)) {
        require_reply(step, steps, index);
        ++messages;
        const Message& reply = step.messages()[++index];
        require_expressible(facts.topology, reply, steps);
        Json& replies = line["replies"];
        add_contents(replies, facts, step, reply, possible);
        if (const std::uint64_t wait = step.dependencies(reply).front().wait; wait != 0)
          replies["wait"] = wait;
        add_id(replies);
      }
      out << dumped_line(line);
    }
    if (!out) throw OutputError("the schedule could not be written beyond step {}", steps);
    if (steps > facts.steps) break;
  }
  if (!out.flush()) throw OutputError("the schedule could not be written");
  if (steps != facts.steps || messages != facts.messages) {
    throw ScheduleError("the schedule has {} and {}, but announces {} and {}", counted(steps, "step"),
                        counted(messages, "message"), facts.steps, facts.messages);
  }
}

ScheduleFile::ScheduleFile(std::unique_ptr<std::istream> stream, const std::string& name,
                           const std::optional<Topology>& known, std::span<const MessageClass> classes)
    : lines_(std::move(stream), name), facts_(read_header({lines_.header(), lines_.place()}, known)) {
  const bool is_known = known && std::ranges::equal(known->sides(), facts_.topology.sides());
  const Topology& topology = is_known ? *known : facts_.topology;
  const auto add_class = [&](unsigned network) {
    first_dimensions_.push_back({fixed_first_dimension(topology.network(network), facts_.routing),
                                 topology.networks() > 1 ? std::optional(network) : std::nullopt});
  };
  add_class(classes.empty() ? 0 : classes.front().network);
  for (const std::string& each : facts_.classes) add_class(network_of(classes, each));
  read_ahead();
}

bool ScheduleFile::next(Step& step) {
  step.clear();
  if (steps_given_ == facts_.steps) return false;
  ++steps_given_;
  while (ahead_ && ahead_step_ == steps_given_) {
    add_message(JsonValue(*ahead_, lines_.place()), step);
    read_ahead();
  }
  return true;
}

void ScheduleFile::count_message(const JsonValue& line) {
  if (++messages_read_ <= facts_.messages) return;
  line.fail("is message {}, but the header announces {}", messages_read_, facts_.messages);
}

void ScheduleFile::read_ahead() {
  const std::uint64_t present = std::max<std::uint64_t>(ahead_step_, 1);
  ahead_ = lines_.next();
  if (!ahead_) {
    if (messages_read_ == facts_.messages) {
      if (facts_.steps <= present || facts_.steps - present <= kMaxEmptySteps) return;
      throw InputError(
          "{}: the header announces {}, but the last message is of step {}; at most {} steps may follow it",
          printable(lines_.place().source), counted(facts_.steps, "step"), present, kMaxEmptySteps);
    }
    throw InputError("{}: the file ends after {}, but its header announces {}", lines_.place().text(),
                     counted(messages_read_, "message"), facts_.messages);
  }
  const JsonValue line(*ahead_, lines_.place());
  count_message(line);
  line.require_keys({"step", "src", "dst", "path", "first_dimension", "draw", "chunks", "reduce", "control",
                     "rearranged", "class", "kind", "id", "after", "behind", "arrived", "wait", "replies"});
  if (facts_.steps == 0) line.fail("is a message, but the header announces no steps");
  ahead_step_ = line.at("step").whole(1, facts_.steps);
  empty_steps_ += ahead_step_ > present + 1 ? ahead_step_ - present - 1 : 0;
  if (empty_steps_ > kMaxEmptySteps) {
    line.fail(
        "belongs to step {}, the one before it to step {}; at most {} steps of a file may be "
        "without messages",
        ahead_step_, present, kMaxEmptySteps);
  }
  if (ahead_step_ < present) {
    line.fail("belongs to step {}, but follows one of step {}; steps must not fall", ahead_step_, present);
  }
}

void ScheduleFile::add_message(const JsonValue& line, Step& step) {
  const NodeId source = read_node(line.at("src"), facts_.topology);
  const NodeId destination = read_node(line.at("dst"), facts_.topology);
  const std::size_t index = step.messages().size();
  add_contents(line, source, destination, step);
  add_waits(line, step);
  const bool has_reply = line.has("replies");
  add_names(line, has_reply, step);
  if (!has_reply) return;
  const JsonValue reply = line.at("replies");
  if (!facts_.waits) reply.fail("belongs to version 2, but the header says 1");
  count_message(reply);
  reply.require_keys({"path", "first_dimension", "draw", "chunks", "reduce", "control", "rearranged", "class",
                      "kind", "id", "wait"});
  step.set_reply_follows(index);
  add_contents(reply, destination, source, step);
  const Dependency answered{message_id(steps_given_, index),
                            reply.has("wait") ? reply.at("wait").whole(0, kMaxWait) : 0};
  step.wait(index + 1, std::span(&answered, 1));
  add_names(reply, false, step);
}

std::uint32_t ScheduleFile::class_of(const JsonValue& line) const {
  if (!line.has("class")) return 0;
  const auto found = std::ranges::find(facts_.classes, line.at("class").text());
  return found == facts_.classes.end() ? 0 : static_cast<std::uint32_t>(found - facts_.classes.begin()) + 1;
}

void ScheduleFile::add_names(const JsonValue& line, bool is_awaited, Step& step) {
  const std::size_t index = step.messages().size() - 1;
  if (line.has("kind")) step.set_kind(index, line.at("kind").whole<std::uint32_t>(1));
  if (line.has("class")) {
    const JsonValue name = line.at("class");
    const std::uint32_t number = class_of(line);
    if (number == 0) {
      name.fail("is \"{}\", which is none of the header's \"classes\"", printable(name.text()));
    }
    step.set_class(index, number);
  }
  if (line.has("id")) {
    const JsonValue id = line.at("id");
    const bool is_new = ids_.emplace(id.whole(1, kMaxId), message_id(steps_given_, index)).second;
    if (!is_new) id.fail("is {}, as of an earlier message", id.whole(1, kMaxId));
  }
  if (is_awaited || line.has("id")) step.announce(index);
}

void ScheduleFile::add_waits(const JsonValue& line, Step& step) const {
  for (const char* const key : {"id", "after", "behind", "arrived", "wait", "kind", "class"}) {
    if (line.has(key) && !facts_.waits) line.at(key).fail("belongs to version 2, but the header says 1");
  }
  const std::uint64_t wait = line.has("wait") ? line.at("wait").whole(0, kMaxWait) : 0;
  std::vector<Dependency> dependencies;
  for (const char* const key : {"after", "behind", "arrived"}) {
    if (!line.has(key)) continue;
    const JsonValue list = line.at(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
      dependencies.push_back(key == std::string_view("arrived") ? read_arrived(list.at(i), wait)
                                                                : read_dependency(list.at(i), wait));
      dependencies.back().sent = key == std::string_view("behind") && dependencies.back().message != 0;
    }
  }
  if (dependencies.empty() && wait != 0) dependencies.push_back({0, wait});
  step.wait(step.messages().size() - 1, dependencies);
}

Dependency ScheduleFile::read_arrived(const JsonValue& value, std::uint64_t wait) {
  if (!value.is_list() || value.size() < 2 || value.size() > 3)
    value.fail_wanted("a kind and a number of its messages, [kind, number] or [kind, number, cycles]");
  const std::uint64_t kind = value.at(std::size_t{0}).whole<std::uint32_t>(1);
  const std::uint64_t count = value.at(1).whole(1, kMessageNumbers);
  if (value.size() == 3) wait = wait_together(wait, value.at(2));
  return {kind, wait, false, count};
}

Dependency ScheduleFile::read_dependency(const JsonValue& value, std::uint64_t wait) const {
  std::uint64_t id = 0;
  if (value.is_list()) {
    if (value.size() != 2) value.fail_wanted("an id, or an id and cycles, [id, cycles]");
    id = value.at(std::size_t{0}).whole(0, kMaxId);
    wait = wait_together(wait, value.at(1));
  } else {
    id = value.whole(0, kMaxId);
  }
  if (id == 0) return {0, wait};
  const auto message = ids_.find(id);
  if (message == ids_.end()) {
    value.fail(
        "waits for id {}, which no earlier line has; a message can only wait for messages that "
        "precede it, so that none waits in a dependency cycle",
        id);
  }
  return {message->second, wait};
}

void ScheduleFile::add_contents(const JsonValue& line, NodeId source, NodeId destination, Step& step) const {
  const Topology& topology = facts_.topology;
  Route route;
  FirstDimension first = first_dimensions_[class_of(line)];
  if (line.has("first_dimension")) {
    first = {line.at("first_dimension").whole<unsigned>(0, topology.dimensions() - 1), {}};
  }
  if (topology.is_grid()) {
    route = read_path(line.at("path"), topology, source, destination, first);
  } else if (line.has("path") || line.has("first_dimension")) {
    line.at(line.has("path") ? "path" : "first_dimension")
        .fail("is for tori and meshes; on a graph the routing function chooses the path");
  }
  if (line.has("draw")) route.draw = static_cast<std::uint8_t>(line.at("draw").whole(0, 255));
  std::uint32_t control = 0;
  if (line.has("control")) control = line.at("control").whole<std::uint32_t>(1);
  const std::size_t known = facts_.collective.chunk_bytes.size();
  std::vector<ChunkId> chunks;
  if (line.has("chunks") || !(line.has("control") || line.has("reduce"))) {
    read_chunks(line.at("chunks"), known, chunks);
  }
  const std::size_t replacing = chunks.size();
  if (line.has("reduce")) {
    if (!facts_.collective.combines()) {
      line.at("reduce").fail("combines chunks, but the header has no \"operands\"");
    }
    read_chunks(line.at("reduce"), known, chunks);
  }
  if (const auto again = first_repeated(chunks)) {
    const bool reduces = *again >= replacing;
    const JsonValue list = line.at(reduces ? "reduce" : "chunks");
    list.at(reduces ? *again - replacing : *again)
        .fail("is chunk {} once more; a message carries a chunk once", chunks[*again]);
  }
  step.add(source, destination, route, chunks, control);
  const std::size_t index = step.messages().size() - 1;
  step.combine(index, chunks.size() - replacing);
  if (line.has("rearranged")) step.rearrange(index, line.at("rearranged").whole(1, kMaxRearranged));
}

}  // namespace flitscope
