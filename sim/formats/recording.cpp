#include "sim/formats/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "model/error.h"
#include "model/text.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

namespace {

constexpr std::uint32_t kMaxCoordinate = 65535;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 32;

/// What a processor has set for later calls "with state".
struct CallState {
  std::optional<ChipPlace> other;
  std::uint64_t bytes = 0;
};

/// Where the barriers of a processor are, as far as they are read.
struct Barrier {
  std::optional<std::uint64_t> start;  ///< of the present one
  std::uint64_t last_end = 0;
};

class RecordingReader {
 public:
  RecordingReader(const std::string& text, const std::string& file) : text_(text) { recording_.file = file; }

  Recording read() {
    const nlohmann::json events = parse_strict_json(text_, {recording_.file});
    if (!events.is_array()) {
      throw InputError(printable(recording_.file) +
                       ": expected a list of events, such as "
                       "[{\"proc\":\"BRISC\",\"noc\":\"NOC_0\",\"type\":\"READ\", ..}]");
    }
    for (const nlohmann::json& event : events) {
      ++place_;
      take(event);
    }
    if (recording_.calls.empty())
      throw InputError(printable(recording_.file) + ": has no reads and no writes");
    for (const auto& [processor, barrier] : barriers_) {
      if (barrier.start) {
        fail("is the last, and a barrier of {} at x {}, y {} has no end", processor.first.name,
             processor.first.tile.x, processor.first.tile.y);
      }
    }
    for (RecordedCall& call : recording_.calls) call.cycle -= first_;
    for (RecordedBarrier& barrier : recording_.barriers) {
      barrier.start -= first_;
      barrier.end -= first_;
    }
    std::ranges::stable_sort(recording_.calls, {}, &RecordedCall::cycle);
    std::ranges::stable_sort(recording_.barriers, {}, [](const RecordedBarrier& barrier) {
      return std::pair(barrier.end, barrier.start);
    });
    return std::move(recording_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    throw InputError("{}: event {} {}", printable(recording_.file), place_,
                     fmt::format(what, std::forward<Args>(args)...));
  }

  [[nodiscard]] const std::string& text(const nlohmann::json& event, const char* key) const {
    const auto found = event.find(key);
    if (found == event.end()) fail("has no \"{}\"", key);
    if (!found->is_string()) fail("has a \"{}\" that is no text", key);
    return found->get_ref<const std::string&>();
  }

  [[nodiscard]] std::uint64_t number(const nlohmann::json& event, const char* key, std::uint64_t most) const {
    const auto found = event.find(key);
    if (found == event.end()) fail("has no \"{}\"", key);
    if (found->is_number_unsigned() && found->get<std::uint64_t>() <= most)
      return found->get<std::uint64_t>();
    fail("has a \"{}\" that is no whole number from 0 to {}", key, most);
  }

  [[nodiscard]] ChipPlace at(const nlohmann::json& event, const char* x, const char* y) const {
    return {static_cast<std::uint32_t>(number(event, x, kMaxCoordinate)),
            static_cast<std::uint32_t>(number(event, y, kMaxCoordinate))};
  }

  /// The other end, if it is given: -1 or absent if it is not.
  [[nodiscard]] std::optional<ChipPlace> other(const nlohmann::json& event) const {
    const auto x = event.find("dx");
    if (x == event.end() || (x->is_number_integer() && x->get<std::int64_t>() < 0)) return std::nullopt;
    return at(event, "dx", "dy");
  }

  void take(const nlohmann::json& event) {
    if (!event.is_object() || !event.contains("timestamp"))
      fail("has no \"timestamp\"; a list is read as a recording (npe)");
    const std::uint64_t cycle = number(event, "timestamp", std::numeric_limits<std::int64_t>::max());
    first_ = std::min(first_, cycle);
    if (event.contains("zone")) return;
    const std::string& type = text(event, "type");
    const bool reads = type.starts_with("READ");
    if (!reads && !type.starts_with("WRITE")) {
      if (type.starts_with("FABRIC")) fail("goes to another chip: {}", type);
      // Cycles have what these cost.
      if (type.starts_with("SEMAPHORE") || type == "ATOMIC_BARRIER" || type == "FULL_BARRIER") return;
      fail(
          "has the unknown \"type\" {}; types begin with READ, WRITE, SEMAPHORE or FABRIC, or are "
          "ATOMIC_BARRIER or FULL_BARRIER",
          in_quotes(type));
    }
    if (type.starts_with("WRITE_MULTICAST")) fail("is a multicast, which is not modelled");
    const std::string& network = text(event, "noc");
    if (network != "NOC_0" && network != "NOC_1") fail("has a \"noc\" that is neither NOC_0 nor NOC_1");
    const std::pair key{
        ChipProcessor{at(event, "sx", "sy"), text(event, "proc"), network == "NOC_1" ? 1U : 0U}, reads};
    if (type.ends_with("_BARRIER_START")) {
      Barrier& barrier = barriers_[key];
      if (barrier.start || cycle < barrier.last_end)
        fail("is the start of a barrier before the end of the last one");
      barrier.start = cycle;
    } else if (type.ends_with("_BARRIER_END")) {
      Barrier& barrier = barriers_[key];
      if (!barrier.start) fail("is the end of a barrier that has no start");
      if (cycle < *barrier.start) fail("is the end of a barrier, before its start");
      recording_.barriers.push_back({*barrier.start, cycle, key.first, reads});
      barrier = {.start = std::nullopt, .last_end = cycle};
    } else if (!type.ends_with("_FLUSH") && !type.ends_with("_BARRIER_WITH_TRID")) {
      take_call(event, type, cycle, key);
    }
  }

  void take_call(const nlohmann::json& event, const std::string& type, std::uint64_t cycle,
                 const std::pair<ChipProcessor, bool>& key) {
    std::optional<ChipPlace> target = other(event);
    std::uint64_t bytes = event.contains("num_bytes") ? number(event, "num_bytes", kMaxBytes) : 0;
    if (type.ends_with("_SET_STATE") || type.ends_with("_SET_TRID")) {
      states_[key] = {target, bytes};
      return;
    }
    if (type.find("_WITH_STATE") != std::string::npos) {
      const CallState& state = states_[key];
      if (!target) target = state.other;
      if (bytes == 0) bytes = state.bytes;
    }
    if (!target) {
      fail("has no \"dx\" and \"dy\", whole numbers from 0 to {}: the other end of the transfer",
           kMaxCoordinate);
    }
    if (bytes == 0) fail("has no \"num_bytes\", or none above 0");
    recording_.calls.push_back({cycle, key.first, key.second, *target, bytes, place_});
  }

  const std::string& text_;
  Recording recording_;
  std::size_t place_ = 0;
  std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max();
  std::map<std::pair<ChipProcessor, bool>, Barrier> barriers_;
  std::map<std::pair<ChipProcessor, bool>, CallState> states_;
};

}  // namespace

Recording read_recording(const std::string& text, const std::string& file) {
  return RecordingReader(text, file).read();
}

std::string ChipProcessor::text() const {
  return fmt::format("{} of {}, {}", name, tile.x, tile.y);
}

bool is_recording(std::istream& text) {
  return skip_byte_order_mark(text) && (text >> std::ws).peek() == '[';
}

std::vector<std::optional<std::size_t>> barriers_of_calls(const Recording& recording) {
  // By processor and kind, in the order of their starts, which is that of their ends.
  std::map<std::pair<ChipProcessor, bool>, std::vector<std::size_t>> barriers;
  for (std::size_t i = 0; i < recording.barriers.size(); ++i) {
    barriers[{recording.barriers[i].processor, recording.barriers[i].reads}].push_back(i);
  }
  std::vector<std::optional<std::size_t>> of_calls;
  of_calls.reserve(recording.calls.size());
  for (const RecordedCall& call : recording.calls) {
    const auto& own = barriers[{call.processor, call.reads}];
    const auto after = std::ranges::lower_bound(
        own, call.cycle, {}, [&](std::size_t barrier) { return recording.barriers[barrier].start; });
    of_calls.push_back(after == own.end() ? std::nullopt : std::optional(*after));
  }
  return of_calls;
}

std::vector<ProcessorEvent> events_of_processors(const Recording& recording) {
  struct Progress {
    std::size_t number = 0;
    std::uint64_t cycle = 0;  ///< of its last call, or end of its last barrier
  };
  std::map<std::pair<ChipPlace, std::string>, Progress> processors;
  const auto progress_of = [&](const ChipProcessor& processor) -> Progress& {
    const Progress first{.number = processors.size()};
    return processors.try_emplace({processor.tile, processor.name}, first).first->second;
  };
  std::vector<ProcessorEvent> events;
  events.reserve(recording.calls.size() + recording.barriers.size());
  std::size_t next_barrier = 0;
  const auto add_barriers = [&](std::uint64_t until) {
    for (; next_barrier < recording.barriers.size(); ++next_barrier) {
      const RecordedBarrier& barrier = recording.barriers[next_barrier];
      if (barrier.end > until || barrier.start == until) break;
      Progress& own = progress_of(barrier.processor);
      const std::uint64_t start = std::max(barrier.start, own.cycle);
      events.push_back({own.number, true, next_barrier, start - own.cycle, barrier.end - start});
      own.cycle = barrier.end;
    }
  };
  for (std::size_t call = 0; call < recording.calls.size(); ++call) {
    const RecordedCall& made = recording.calls[call];
    add_barriers(made.cycle);
    Progress& own = progress_of(made.processor);
    events.push_back({own.number, false, call, made.cycle - own.cycle, 0});
    own.cycle = made.cycle;
  }
  add_barriers(std::numeric_limits<std::uint64_t>::max());
  return events;
}

RecordedSchedule::RecordedSchedule(Recording recording, const Topology& topology, const std::string& routing,
                                   const ReplayPlan& plan)
    : recording_(std::move(recording)), facts_(topology) {
  facts_.algorithm = "recording";
  facts_.routing = routing;
  std::uint32_t networks = 1;
  for (const RecordedCall& call : recording_.calls) networks = std::max(networks, call.processor.network + 1);
  for (std::uint32_t network = 0; network < networks; ++network) {
    const std::string suffix = network == 0 ? "" : fmt::format("-{}", network);
    facts_.classes.insert(facts_.classes.end(), {"request" + suffix, "reply" + suffix});
  }
  facts_.waits = true;
  facts_.collective.goal.emplace();
  plan_waits(plan);
  facts_.steps = packets_.empty() ? 0 : 1;
  facts_.messages = 2 * packets_.size();
  std::map<NodeId, unsigned> sends;
  std::map<NodeId, unsigned> receives;
  for (const PacketOfCall& packet : packets_) {
    const RecordedCall& call = recording_.calls[packet.call];
    const NodeId tile = node_of(call.processor.tile, call);
    const NodeId other = node_of(call.other, call);
    for (const auto& [from, to] : {std::pair(tile, other), std::pair(other, tile)}) {
      facts_.send_ports = std::max(facts_.send_ports, ++sends[from]);
      facts_.receive_ports = std::max(facts_.receive_ports, ++receives[to]);
    }
  }
}

void RecordedSchedule::plan_waits(const ReplayPlan& plan) {
  /// Replies to the calls of a processor on a network: to its writes, and to its reads.
  struct Replies {
    std::uint32_t number = 0;  ///< of the processor and network, in the order of first calls
    std::array<std::uint64_t, 2> expected{};
    std::array<std::uint64_t, 2> awaited{};  ///< by its last barriers
  };
  std::map<ChipProcessor, Replies> replies;
  const auto kind_of = [](const Replies& own, bool reads) { return 1 + 2 * own.number + (reads ? 1 : 0); };
  // By processor: what a call behind its events so far waits for; empty before its first call.
  std::map<std::size_t, std::vector<Dependency>> waits_of_next;
  for (const ProcessorEvent& event : events_of_processors(recording_)) {
    std::vector<Dependency>& waits = waits_of_next[event.processor];
    const auto delay = [&](std::uint64_t cycles) {
      for (Dependency& each : waits) each.wait += cycles;
    };
    delay(event.computing);
    if (event.is_barrier) {
      const RecordedBarrier& barrier = recording_.barriers[event.place];
      const auto own = replies.find(barrier.processor);
      const std::size_t kind = barrier.reads ? 1 : 0;
      if (own == replies.end() || own->second.awaited[kind] == own->second.expected[kind]) {
        delay(event.length);
        continue;
      }
      delay(plan.empty_barrier);
      own->second.awaited[kind] = own->second.expected[kind];
      waits.push_back({.message = kind_of(own->second, barrier.reads), .count = own->second.expected[kind]});
      continue;
    }
    const RecordedCall& call = recording_.calls[event.place];
    const auto number = static_cast<std::uint32_t>(replies.size());
    Replies& own = replies.try_emplace(call.processor, Replies{.number = number}).first->second;
    if (!plan.is_relative || waits.empty()) {
      waits.clear();
      if (call.cycle > 0) waits.push_back({.message = 0, .wait = call.cycle});
    }
    for (const Dependency& each : waits) {
      if (each.wait > kMaxWait) {
        throw InputError("{}: event {} waits for {} cycles; at most {} are possible",
                         printable(recording_.file), call.place, each.wait, kMaxWait);
      }
    }
    const std::size_t first = packets_.size();
    for (std::uint64_t left = call.bytes; left > 0; left -= std::min(left, kPayload)) {
      waits_.insert(waits_.end(), waits.begin(), waits.end());
      packets_.push_back({.call = event.place,
                          .bytes = std::min(left, kPayload),
                          .waits_end = waits_.size(),
                          .kind = kind_of(own, call.reads)});
    }
    own.expected[call.reads ? 1 : 0] += packets_.size() - first;
    waits = {{.message = message_id(1, 2 * first), .sent = true}};
  }
}

NodeId RecordedSchedule::node_of(ChipPlace place, const RecordedCall& call) const {
  const Topology& topology = facts_.topology;
  const auto refuse = [&](const std::string& what) {
    throw InputError("{}: event {}: {}", printable(recording_.file), call.place, what);
  };
  if (topology.kind() != TopologyKind::torus || topology.dimensions() != 2)
    refuse(fmt::format("expected a torus of two dimensions, not a {}", topology.name()));
  const std::uint32_t width = topology.side(0);
  if (place.x >= width || place.y >= topology.side(1)) {
    refuse(fmt::format("x {}, y {} is not on the {}, which has x below {} and y below {}", place.x, place.y,
                       topology.name(), width, topology.side(1)));
  }
  if (call.processor.network >= topology.networks()) {
    refuse(
        fmt::format("it is on network {}; expected topology.networks, such as [{{directions: plus}}, "
                    "{{directions: minus, first_dimension: 1}}]",
                    call.processor.network));
  }
  return place.x + width * place.y;
}

bool RecordedSchedule::next(Step& step) {
  step.clear();
  if (is_given_ || packets_.empty()) return false;
  is_given_ = true;
  std::vector<Topology> networks;
  for (unsigned network = 0; network < facts_.topology.networks(); ++network)
    networks.push_back(facts_.topology.network(network));
  std::size_t first_wait = 0;
  for (std::size_t number = 0; number < packets_.size(); ++number) {
    const PacketOfCall& packet = packets_[number];
    const RecordedCall& call = recording_.calls[packet.call];
    const NodeId tile = node_of(call.processor.tile, call);
    const NodeId other = node_of(call.other, call);
    const auto data = static_cast<std::uint32_t>(kHead + packet.bytes);
    const std::size_t request = 2 * number;
    const std::uint32_t network = call.processor.network;
    step.add(tile, other, shortest_route(networks[network], tile, other), {}, call.reads ? kHead : data);
    step.wait(request, std::span(waits_).subspan(first_wait, packet.waits_end - first_wait));
    first_wait = packet.waits_end;
    step.set_class(request, 2 * network + 1);
    step.set_reply_follows(request);
    step.announce(request);
    const Dependency answered{.message = message_id(1, request)};
    step.add(other, tile, shortest_route(networks[network], other, tile), {}, call.reads ? data : kHead);
    step.wait(request + 1, std::span(&answered, 1));
    step.set_class(request + 1, 2 * network + 2);
    step.set_kind(request + 1, packet.kind);
  }
  return true;
}

}  // namespace flitscope
