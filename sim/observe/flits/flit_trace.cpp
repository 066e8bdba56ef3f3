#include "sim/observe/flits/flit_trace.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/graph.h"
#include "model/schedule.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 4;
/// Stands where a record's first byte would.
constexpr char kEnd = 7;
constexpr unsigned kChecksumBytes = 4;
constexpr unsigned kCauseShift = 3;
constexpr unsigned kHasVc = 1U << 6;
constexpr unsigned kHasCulprit = 1U << 7;
static_assert(kStallCauses <= 8, "a cause has three bits");

void append_message(std::string& record, std::uint64_t id) {
  const MessageName name = message_name(id);
  append_leb128(record, name.step);
  append_leb128(record, name.place);
}

template <typename Number>
Json json_of(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

/// 2, "3/2".
Json json_of(const std::optional<Ratio>& interval) {
  if (!interval) return nullptr;
  return interval->is_whole() ? Json(interval->numerator()) : Json(interval->text());
}

template <typename Number>
std::optional<Number> read_number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<Number>());
}

std::optional<Ratio> read_interval(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_number()) return Ratio(value.get<std::uint32_t>());
  const auto interval = parse_ratio(value.get<std::string>());
  if (!interval.value) throw InputError("the interval of a link: " + interval.problem);
  return interval.value;
}

Json json_of(const GraphPlan::Link& link) {
  Json list{link.from, link.to, link.port, json_of(link.delay), json_of(link.cycles_per_flit)};
  if (!link.delay_time && !link.bandwidth) return list;
  list.push_back(json_of(link.delay_time));
  list.push_back(json_of(link.bandwidth));
  return list;
}

GraphPlan::Link read_link(const Json& list) {
  GraphPlan::Link link{.from = list.at(0),
                       .to = list.at(1),
                       .port = list.at(2),
                       .delay = read_number<std::uint32_t>(list.at(3)),
                       .cycles_per_flit = read_interval(list.at(4))};
  if (list.size() == 5) return link;
  link.delay_time = read_number<std::uint64_t>(list.at(5));
  link.bandwidth = read_number<std::uint64_t>(list.at(6));
  return link;
}

/// Enough of a network to number its links again, and to compare it with another.
Json topology_json(const Topology& topology) {
  Json result{{"kind", name_of(topology.kind())}};
  if (topology.is_grid()) result["shape"] = topology.sides();
  if (topology.is_one_way()) result["directions"] = name_of(topology.directions());
  for (const PhysicalNetwork& each : topology.physical_networks()) {
    result["networks"].push_back({name_of(each.directions), each.first_dimension});
  }
  if (topology.has_faults()) {
    const Faults& faults = topology.graph()->faults();
    result["missing"] = {{"links", faults.links}, {"nodes", faults.nodes}};
  }
  if (topology.is_grid()) return result;
  const Topology whole = topology.whole();
  const Graph* const graph = whole.graph();
  result["name"] = graph->name();
  result["routers"] = Json::array();
  result["links"] = Json::array();
  for (const auto& router : graph->plan().routers) result["routers"].push_back({router.name, router.node});
  for (const auto& link : graph->plan().links) result["links"].push_back(json_of(link));
  return result;
}

LinkDirections read_directions(const std::string& name) {
  const auto directions = enumerator_named<LinkDirections>(name);
  if (!directions) throw InputError("links lead in no such directions");
  return *directions;
}

Topology read_whole_topology(const Json& value) {
  const std::string kind = value.at("kind");
  const auto known = enumerator_named<TopologyKind>(kind);
  if (!known || !has_links(*known)) throw InputError("there is no topology '" + kind + "' with links");
  if (*known == TopologyKind::graph) {
    GraphPlan plan{.name = value.at("name")};
    for (const Json& router : value.at("routers")) plan.add_router({router.at(0), router.at(1)});
    for (const Json& link : value.at("links")) {
      plan.links.push_back(read_link(link));
      if (std::max(plan.links.back().from, plan.links.back().to) < plan.routers.size()) continue;
      throw InputError("a link leads to a router that there is not");
    }
    return Topology::of(std::make_shared<const Graph>(std::move(plan)));
  }
  // Of several networks each says its own.
  const LinkDirections directions =
      value.contains("networks") ? LinkDirections::both : read_directions(value.value("directions", "both"));
  return {*known, value.at("shape").get<std::vector<std::uint32_t>>(), directions};
}

Topology in_networks(const Topology& alone, const Json& value) {
  if (!value.contains("networks")) return alone;
  std::vector<PhysicalNetwork> networks;
  for (const Json& each : value.at("networks")) networks.push_back({read_directions(each.at(0)), each.at(1)});
  return alone.in_networks(std::move(networks));
}

Topology read_topology(const Json& value) {
  const Topology alone = read_whole_topology(value);
  Topology whole = in_networks(alone, value);
  if (!value.contains("missing")) return whole;
  const Faults faults{value.at("missing").at("links"), value.at("missing").at("nodes")};
  const auto is_there = [](const auto& numbers, std::uint64_t end) {
    return std::ranges::all_of(numbers, [end](std::uint64_t number) { return number < end; });
  };
  if (!is_there(faults.links, alone.channel_ids()) || !is_there(faults.nodes, whole.nodes())) {
    throw InputError("what is missing is not part of it");
  }
  return whole.without(faults);
}

}  // namespace

void append_leb128(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

void append_zigzag(std::string& bytes, std::int64_t number) {
  append_leb128(bytes, static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63));
}

// --- CSV -------------------------------------------------------------------------------------------------

std::string flit_trace_header(const std::optional<ClockPeriod>& clock) {
  return fmt::format("cycle,event,step,message,flit,node,channel,vc,stall_cycles,cause,culprit{}\n",
                     clock ? ",ns,stall_ns" : "");
}

void FlitTraceLines::append(std::string& text, const FlitEvent& event) {
  auto& node = nodes_[event.node];
  if (node.empty()) node = topology_.node_name(event.node);
  const auto link = link_of(event, topology_);
  std::string other;
  std::string& channel = link ? channels_[*link] : other;
  if (channel.empty()) channel = channel_text(event, topology_);
  const MessageName name = message_name(event.message);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, FMT_COMPILE("{},{},{},{},{},\"{}\",\"{}\","), event.cycle, name_of(event.kind),
                 name.step, name.place, event.flit, node, channel);
  if (event.vc) fmt::format_to(out, FMT_COMPILE("{}"), *event.vc);
  fmt::format_to(out, FMT_COMPILE(",{},"), event.stall_cycles);
  if (event.kind == FlitEventKind::stall) text += name_of(event.cause);
  text += ',';
  if (event.culprit) text += message_label(*event.culprit);
  if (clock_) {
    fmt::format_to(out, FMT_COMPILE(",{:.12g},{:.12g}"),
                   clock_->nanoseconds(static_cast<double>(event.cycle)),
                   clock_->nanoseconds(static_cast<double>(event.stall_cycles)));
  }
  text += '\n';
}

FlitTraceCsv::FlitTraceCsv(const std::filesystem::path& file, FlitFilter filter, const Topology& on,
                           const std::optional<ClockPeriod>& clock)
    : FlitEvents(std::move(filter), on), out_(file), lines_(on, clock) {
  out_ << flit_trace_header(clock);
}

void FlitTraceCsv::take(const FlitEvent& event) {
  line_.clear();
  lines_.append(line_, event);
  out_ << line_;
}

// --- Binary ----------------------------------------------------------------------------------------------

FlitTraceBinary::FlitTraceBinary(const std::filesystem::path& file, FlitFilter filter, const Topology& on,
                                 const std::optional<ClockPeriod>& clock)
    : FlitEvents(std::move(filter), on), out_(file) {
  Json header{{"flitscope", "trace"}, {"version", kVersion}, {"topology", topology_json(on)}};
  if (clock) header["clock"] = clock->text();
  put(header.dump() + '\n');
}

void FlitTraceBinary::take(const FlitEvent& event) {
  record_.clear();
  record_ += static_cast<char>(static_cast<unsigned>(event.kind) |
                               static_cast<unsigned>(event.cause) << kCauseShift | (event.vc ? kHasVc : 0) |
                               (event.culprit ? kHasCulprit : 0));
  const auto step = static_cast<std::int64_t>(event.cycle - std::exchange(last_cycle_, event.cycle));
  append_zigzag(record_, step);
  append_message(record_, event.message);
  append_leb128(record_, event.flit);
  append_leb128(record_, event.node);
  append_leb128(record_, event.port);
  if (event.vc) append_leb128(record_, *event.vc);
  if (event.kind == FlitEventKind::stall) append_leb128(record_, event.stall_cycles);
  if (event.culprit) append_message(record_, *event.culprit);
  put(record_);
  ++records_;
}

void FlitTraceBinary::put(const std::string& bytes) {
  checksum_.process_bytes(bytes.data(), bytes.size());
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void FlitTraceBinary::close() {
  record_ = kEnd;
  append_leb128(record_, records_);
  put(record_);
  for (unsigned i = 0; i < kChecksumBytes; ++i) out_.put(static_cast<char>(checksum_.checksum() >> (8 * i)));
  out_.finish();
}

FlitTraceReader::FlitTraceReader(const std::filesystem::path& file)
    : file_(file, std::ios::binary), in_(file_), name_(printable(file.string())) {
  if (!file_) throw InputError(name_ + ": cannot be opened");
  read_header();
}

FlitTraceReader::FlitTraceReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  read_header();
}

void FlitTraceReader::read_header() {
  std::string line;
  std::getline(in_, line);
  // What is nested deeper than a network is left out: it would be too deep for the stack.
  constexpr int kMaxDepth = 8;
  const auto is_shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
  const Json header = Json::parse(line, is_shallow, false);
  if (!header.is_object() || header.value("flitscope", Json()) != "trace") {
    throw InputError(name_ + ": is no binary flit trace; 'observe: {trace: binary}' writes one");
  }
  if (header.value("version", Json()) != kVersion) {
    throw InputError("{}: this flitscope reads version {} of binary flit traces", name_, kVersion);
  }
  line += '\n';
  checksum_.process_bytes(line.data(), line.size());
  try {
    topology_.emplace(read_topology(header.at("topology")));
  } catch (const std::exception& error) {
    throw InputError("{}: its first line names no network: {}", name_, error.what());
  }
  if (!header.contains("clock")) return;
  const Json& text = header.at("clock");
  const auto clock = ClockPeriod::parse(text.is_string() ? text.get<std::string>() : "");
  if (!clock.value) throw InputError("{}: the clock of its first line {}", name_, clock.problem);
  clock_ = *clock.value;
}

void FlitTraceReader::fail(const std::string& what) const {
  throw InputError("{}: event {}: {}", name_, records_, what);
}

void FlitTraceReader::check_end() {
  const std::uint64_t records = number();
  if (records != records_) fail(fmt::format("the file ends here, but says that it has {}", records));
  const std::uint32_t checksum = checksum_.checksum();
  for (unsigned i = 0; i < kChecksumBytes; ++i) {
    const int next = byte();
    if (next < 0) fail("the file ends in the middle of its checksum");
    if (static_cast<unsigned>(next) != (checksum >> (8 * i) & 0xFF)) {
      fail("the file is not what was written: its checksum is another");
    }
  }
  if (byte() >= 0) fail("the file goes on behind its end mark");
}

std::uint64_t FlitTraceReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int next = byte();
    if (next < 0) fail("the file ends in the middle of it");
    value |= (static_cast<std::uint64_t>(next) & 0x7F) << shift;
    if (next < 0x80) return value;
  }
  fail("a number is longer than 64 bits");
}

std::uint64_t FlitTraceReader::number_below(std::uint64_t bound) {
  const std::uint64_t value = number();
  if (value >= bound) fail(fmt::format("{} where at most {} is possible", value, bound - 1));
  return value;
}

std::uint64_t FlitTraceReader::message() {
  const std::uint64_t step = number_below(kMessageNumbers);
  const std::uint64_t place = number_below(kMessageNumbers);
  if (place == 0) fail("a message's place counts from 1");
  return message_id(step, place - 1);
}

std::optional<FlitEvent> FlitTraceReader::next() {
  const int flags = byte();
  if (flags < 0) fail("the file ends behind it, without an end mark");
  if (flags == kEnd) {
    check_end();
    return std::nullopt;
  }
  ++records_;
  const unsigned bits = static_cast<unsigned>(flags);
  FlitEvent event;
  const unsigned cause = bits >> kCauseShift & 7;
  if ((bits & 7) >= kNamesOf<FlitEventKind>.size() || cause >= kStallCauses) fail("no such event");
  event.kind = static_cast<FlitEventKind>(bits & 7);
  event.cause = static_cast<StallCause>(cause);
  const std::uint64_t step = number();
  last_cycle_ += (step >> 1) ^ (~(step & 1) + 1);
  event.cycle = last_cycle_;
  event.message = message();
  event.flit = static_cast<std::uint32_t>(number_below(std::uint64_t{1} << 32));
  event.node = static_cast<NodeId>(number_below(topology_->routers()));
  event.port = static_cast<unsigned>(number_below(kMaxInputVcs));
  if ((bits & kHasVc) != 0) event.vc = static_cast<unsigned>(number_below(kMaxVirtualChannels));
  if (event.kind == FlitEventKind::stall) event.stall_cycles = number();
  if ((bits & kHasCulprit) != 0) event.culprit = message();
  return event;
}

}  // namespace flitscope
