#include "sim/formats/schedule_header.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "model/error.h"
#include "model/graph.h"
#include "model/text.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 40;
/// The first version has no operands, and no messages that wait for others; it is written where there are
/// none.
constexpr std::uint64_t kScheduleVersion = 2;
constexpr const char* kEverything = "everyone-has-everything";

Json holdings_json(const Topology& topology, const std::vector<Holding>& holdings) {
  Json list = Json::array();
  for (const Holding& holding : holdings) {
    if (holding.node >= topology.nodes()) {
      throw ScheduleError("the collective names node {}, which does not exist on the {}", holding.node,
                          topology.name());
    }
    list.push_back(Json::array({node_json(topology, holding.node), holding.chunks}));
  }
  return list;
}

std::vector<Holding> read_holdings(const JsonValue& list, const Topology& topology, std::uint64_t chunks) {
  std::vector<Holding> holdings(list.size());
  for (std::size_t i = 0; i < holdings.size(); ++i) {
    const JsonValue item = list.at(i);
    if (item.size() != 2) item.fail_wanted("a node and its chunks, [node, [chunk, ...]]");
    holdings[i].node = read_node(item.at(std::size_t{0}), topology);
    const JsonValue numbers = item.at(1);
    if (numbers.size() > 0 && chunks == 0) numbers.fail("names chunks, but \"chunks\" lists none");
    auto& listed = holdings[i].chunks;
    read_chunks(numbers, chunks, listed);
    const auto falls = std::ranges::adjacent_find(listed, std::greater_equal());
    if (falls == listed.end()) continue;
    numbers.at(static_cast<std::size_t>(falls - listed.begin()) + 1)
        .fail("must be above the chunk before it, {}; chunks are listed in rising order", *falls);
  }
  return holdings;
}

/// All chunks, of every node that takes part.
Json everything_json(const Topology& topology, const Participants& participants, std::size_t chunks) {
  const std::vector<ChunkId> all = first_chunks(chunks);
  Json list = Json::array();
  for (NodeId place = 0; place < participants.count(); ++place) {
    list.push_back(Json::array({node_json(topology, participants[place]), all}));
  }
  return list;
}

/// Operands of nodes, each listed: a file has no shorter form.
Json operands_json(const Topology& topology, const Collective& collective) {
  if (!collective.operands_everywhere) return holdings_json(topology, collective.operands);
  return everything_json(topology, topology, collective.chunk_bytes.size());
}

/// A file names the whole torus or mesh, so that where nodes are missing it lists those that are there.
Json goal_json(const Topology& topology, const Collective& collective) {
  if (collective.goal) return holdings_json(topology, *collective.goal);
  const Participants participants(topology);
  if (participants.all()) return kEverything;
  return everything_json(topology, participants, collective.chunk_bytes.size());
}

void read_operands(const JsonValue& list, const Topology& topology, Collective& collective) {
  collective.operands = read_holdings(list, topology, collective.chunk_bytes.size());
  std::vector<bool> seen(topology.nodes());
  const Participants participants(topology);
  bool everywhere = collective.operands.size() == participants.count();
  for (std::size_t i = 0; i < collective.operands.size(); ++i) {
    const Holding& holding = collective.operands[i];
    if (seen[holding.node]) {
      list.at(i).fail("lists {} once more; a node is listed once", topology.node_name(holding.node));
    }
    seen[holding.node] = true;
    everywhere = everywhere && participants.has(holding.node) &&
                 holding.chunks.size() == collective.chunk_bytes.size();
  }
  if (!everywhere) return;
  collective.operands.clear();
  collective.operands_everywhere = true;
}

/// The kind, if the value is an object that names one.
std::optional<TopologyKind> kind_of(const JsonValue& topology) {
  if (!topology.has("kind")) return std::nullopt;
  const JsonValue kind = topology.at("kind");
  return kind.is_text() ? enumerator_named<TopologyKind>(kind.text()) : std::nullopt;
}

/// A graph, by its digest.
Topology read_graph_topology(const JsonValue& value, const std::optional<Topology>& expected) {
  value.require_keys({"kind", "nodes", "digest"});
  if (!expected) {
    value.fail(
        "is a graph, of which a schedule has the digest alone; it can only be read with a configuration "
        "whose topology is this graph: flitscope export takes --on CONFIG");
  }
  if (expected->kind() != TopologyKind::graph) {
    value.fail("is a graph, but the configuration's topology is none");
  }
  const JsonValue digest = value.at("digest");
  const Graph& graph = *expected->graph();
  const bool is_of_whole = graph.whole() != nullptr && digest.text() == graph.whole()->digest();
  if (digest.text() != graph.digest() && !is_of_whole)
    digest.fail("belongs to another graph; that of the {} is \"{}\"", expected->name(), graph.digest());
  return *expected;
}

Topology read_topology(const JsonValue& value, const std::optional<Topology>& expected) {
  const auto known = kind_of(value);
  if (known == TopologyKind::graph) return read_graph_topology(value, expected);
  if (known && !has_links(*known)) {
    if (expected) value.fail("is complete, but the configuration's topology has links");
    value.fail("is complete: its messages go over circuits; a schedule on links is needed here");
  }
  value.require_keys({"kind", "shape", "directions"});
  if (!known) value.at("kind").fail_wanted("\"torus\" or \"mesh\"");
  std::optional<LinkDirections> directions = LinkDirections::both;
  if (value.has("directions")) {
    directions = enumerator_named<LinkDirections>(value.at("directions").text());
    if (!directions) value.at("directions").fail_wanted("\"both\", \"plus\" or \"minus\"");
  }
  const JsonValue shape = value.at("shape");
  std::vector<std::uint32_t> sides(shape.size());
  for (std::size_t k = 0; k < sides.size(); ++k) {
    sides[k] = shape.at(k).whole<std::uint32_t>(2);
  }
  try {
    Topology named(*known, std::move(sides), *directions);
    const auto is_named = [&](const Topology& other) {
      return other.kind() == named.kind() && other.directions() == named.directions() &&
             std::ranges::equal(other.sides(), named.sides());
    };
    if (!expected) return named;
    if (is_named(*expected)) return *expected;
    for (unsigned network = 0; network < expected->networks(); ++network) {
      if (Topology own = expected->network(network); is_named(own)) return own;
    }
    return named;
  } catch (const Inadmissible& error) {
    shape.fail("is not possible: {}", error.what());
  }
}

Topology read_complete(const JsonValue& value) {
  const auto known = kind_of(value);
  if (known && has_links(*known)) {
    value.fail("is a {}, but the configuration's topology is complete", name_of(*known));
  }
  value.require_keys({"kind", "nodes"});
  if (!known) value.at("kind").fail_wanted("\"complete\"");
  const JsonValue nodes = value.at("nodes");
  return Topology::complete(nodes.whole(2, std::uint64_t{1} << 31));
}

std::string read_routing(const JsonValue& value) {
  if (RoutingRegistry::find(value.text()) != nullptr) return value.text();
  const auto known = texts_of(RoutingRegistry::all(), &Routing::name);
  value.fail_wanted("a routing function (\"{}\")", fmt::join(known, "\", \""));
}

Collective read_collective(const JsonValue& header, const Topology& topology) {
  Collective collective;
  const JsonValue chunks = header.at("chunks");
  collective.chunk_bytes.resize(chunks.size());
  for (std::size_t k = 0; k < collective.chunk_bytes.size(); ++k) {
    collective.chunk_bytes[k] = chunks.at(k).whole(0, kMaxChunkBytes);
  }
  collective.initial = read_holdings(header.at("initial"), topology, collective.chunk_bytes.size());
  const JsonValue goal = header.at("goal");
  if (!goal.is_text()) {
    collective.goal = read_holdings(goal, topology, collective.chunk_bytes.size());
  } else if (goal.text() != kEverything) {
    goal.fail_wanted("\"{}\" or [[node, [chunk, ...]], ...]", kEverything);
  }
  return collective;
}

std::vector<Stage> read_stages(const JsonValue& list) {
  std::vector<Stage> stages(list.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const JsonValue item = list.at(i);
    item.require_keys({"name", "first_step", "last_step"});
    stages[i] = {item.at("name").text(), item.at("first_step").whole(0), item.at("last_step").whole(0)};
  }
  return stages;
}

/// The version, from 1 to `last`.
std::uint64_t read_version(const JsonValue& header, std::uint64_t last) {
  const JsonValue kind = header.at("flitscope");
  if (!kind.is_text() || kind.text() != "schedule") kind.fail_wanted("\"schedule\"");
  const JsonValue version = header.at("version");
  if (version.is_whole(1, last)) return version.whole(1, last);
  if (last == 1) version.fail_wanted("1, the version this program reads");
  version.fail_wanted("1 to {}, the versions this program reads", last);
}

/// A number that a header may have.
template <typename Number>
void read_optional(const JsonValue& header, const char* key, std::optional<Number>& number) {
  if (header.has(key)) number = header.at(key).whole<Number>(0);
}

/// What both kinds of schedules have.
void read_common(const JsonValue& header, ScheduleFacts& facts) {
  const JsonValue ports = header.at("ports");
  ports.require_keys({"send", "receive"});
  facts.send_ports = ports.at("send").whole<unsigned>(1);
  facts.receive_ports = ports.at("receive").whole<unsigned>(1);
  facts.algorithm = header.at("algorithm").text();
  facts.steps = header.at("steps").whole(0, kMaxFileSteps);
  facts.messages = header.at("messages").whole(0);
  facts.collective = read_collective(header, facts.topology);
  read_optional(header, "claimed_steps", facts.claimed_steps);
  read_optional(header, "lower_bound_steps", facts.lower_bound_steps);
  if (header.has("stages")) facts.stages = read_stages(header.at("stages"));
}

}  // namespace

void read_chunks(const JsonValue& list, std::size_t known, std::vector<ChunkId>& chunks) {
  const std::size_t count = list.size();
  if (count > 0 && known == 0) list.fail("names chunks, but the header's \"chunks\" lists none");
  chunks.reserve(chunks.size() + count);
  for (std::size_t i = 0; i < count; ++i) {
    chunks.push_back(list.at(i).whole<ChunkId>(0, known - 1));
  }
}

Json header_json(const ScheduleFacts& facts) {
  const Topology& topology = facts.topology;
  const Collective& collective = facts.collective;
  const bool complete = !topology.has_links();
  Json header;
  header["flitscope"] = "schedule";
  header["version"] = collective.combines() || facts.waits ? kScheduleVersion : 1;
  header["topology"]["kind"] = name_of(topology.kind());
  if (!topology.is_grid()) {
    header["topology"]["nodes"] = topology.nodes();
    if (!complete) header["topology"]["digest"] = topology.graph()->digest();
  } else {
    header["topology"]["shape"] = std::vector(topology.sides().begin(), topology.sides().end());
    if (topology.is_one_way()) header["topology"]["directions"] = name_of(topology.directions());
  }
  header["ports"]["send"] = facts.send_ports;
  header["ports"]["receive"] = facts.receive_ports;
  if (!complete) header["routing"] = facts.routing;
  header["algorithm"] = facts.algorithm;
  header["steps"] = facts.steps;
  header["messages"] = facts.messages;
  header["chunks"] = collective.chunk_bytes;
  header["initial"] = holdings_json(topology, collective.initial);
  if (collective.combines()) header["operands"] = operands_json(topology, collective);
  header["goal"] = goal_json(topology, collective);
  if (facts.claimed_steps) header["claimed_steps"] = *facts.claimed_steps;
  if (facts.lower_bound_steps) header["lower_bound_steps"] = *facts.lower_bound_steps;
  if (facts.claimed_channel_load) header["claimed_channel_load"] = *facts.claimed_channel_load;
  if (!facts.classes.empty()) header["classes"] = facts.classes;
  for (const Stage& stage : facts.stages) {
    header["stages"].push_back(
        {{"name", stage.name}, {"first_step", stage.first_step}, {"last_step", stage.last_step}});
  }
  return header;
}

Json header_json(const CircuitFacts& facts) {
  Json header = header_json(static_cast<const ScheduleFacts&>(facts));
  header["reconfiguration"] = facts.reconfiguration;
  header["circuits"] = facts.circuits.size();
  header["tunings"] = facts.tunings;
  if (facts.claimed_units) header["claimed_units"] = *facts.claimed_units;
  if (facts.lower_bound_units) header["lower_bound_units"] = *facts.lower_bound_units;
  return header;
}

CircuitFacts read_event_header(const JsonValue& header) {
  (void)read_version(header, 1);
  const Topology topology = read_complete(header.at("topology"));
  header.require_keys({"flitscope", "version", "topology", "ports", "algorithm", "steps", "messages",
                       "chunks", "initial", "goal", "claimed_steps", "lower_bound_steps", "stages",
                       "reconfiguration", "circuits", "tunings", "claimed_units", "lower_bound_units"});
  CircuitFacts facts({topology, 1, header.at("reconfiguration").whole(0, kLastStart)});
  read_common(header, facts);
  const JsonValue chunks = header.at("chunks");
  const auto& bytes = facts.collective.chunk_bytes;
  if (bytes.empty()) chunks.fail_wanted("a list of at least one chunk");
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (bytes[k] != bytes[0] || bytes[k] == 0) {
      chunks.at(k).fail("is {}, but all chunks must have the same size, above 0", bytes[k]);
    }
  }
  facts.tunings = header.at("tunings").whole(0);
  read_optional(header, "claimed_units", facts.claimed_units);
  read_optional(header, "lower_bound_units", facts.lower_bound_units);
  return facts;
}

ScheduleFacts read_header(const JsonValue& header, const std::optional<Topology>& known) {
  const std::uint64_t version = read_version(header, kScheduleVersion);
  ScheduleFacts facts(read_topology(header.at("topology"), known));
  header.require_keys({"flitscope", "version", "topology", "ports", "routing", "algorithm", "steps",
                       "messages", "chunks", "initial", "operands", "goal", "claimed_steps",
                       "lower_bound_steps", "claimed_channel_load", "classes", "stages"});
  read_common(header, facts);
  if (header.has("operands")) {
    if (version == 1) header.at("operands").fail("belongs to version 2, but the header says 1");
    read_operands(header.at("operands"), facts.topology, facts.collective);
  }
  facts.waits = version > 1;
  if (header.has("classes")) {
    const JsonValue names = header.at("classes");
    if (version == 1) names.fail("belongs to version 2, but the header says 1");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::ranges::find(facts.classes, names.at(i).text()) != facts.classes.end())
        names.at(i).fail("is there twice");
      facts.classes.push_back(names.at(i).text());
    }
  }
  facts.routing = read_routing(header.at("routing"));
  read_optional(header, "claimed_channel_load", facts.claimed_channel_load);
  return facts;
}

}  // namespace flitscope
