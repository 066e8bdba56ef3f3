#include "sim/observe/timeline.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/schedule.h"

namespace flitscope {

namespace {

/// Tracks of a node, in this order: injection channels, VCs of output ports, input VCs with stalls. A port
/// has at most 64 VCs, a router at most 64 ports.
constexpr unsigned kVcsOfAPort = 64;
constexpr unsigned kFirstOutput = 64;
constexpr unsigned kFirstStall = kFirstOutput + 64 * kVcsOfAPort;

/// Process of the messages; node n is process n + 2.
constexpr std::uint64_t kMessages = 1;

std::uint64_t process_of(NodeId node) {
  return std::uint64_t{node} + 2;
}

}  // namespace

Timeline::Timeline(const std::filesystem::path& file, FlitFilter filter, const Topology& topology)
    : filter_(std::move(filter)), topology_(topology), file_(file), out_(file) {
  if (!out_) throw OutputError(file.string() + ": cannot be written");
  const Json about{{"program", "flitscope"}, {"topology", topology.name()}, {"one cycle", "shown as 1 us"}};
  out_ << "{\"displayTimeUnit\":\"ns\",\n\"otherData\":" << about.dump() << ",\n\"traceEvents\":[\n";
  write({{"ph", "M"}, {"name", "process_name"}, {"pid", kMessages}, {"args", {{"name", "messages"}}}});
}

bool Timeline::wants(NodeId node, std::uint64_t message) const {
  const bool here = filter_.nodes.empty() || std::ranges::count(filter_.nodes, node) > 0;
  return here && filter_.passes_message(message);
}

// --- What happens ------------------------------------------------------------------------------------------

void Timeline::injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                        bool tail) {
  if (!wants(node, message)) return;
  const Track track{node, channel};
  if (index == 0)
    in_flight_[message].push_back({track, fmt::format("injection {}", channel), now, 0, {}, {}});
  pass(track, message, now, index, tail);
}

void Timeline::granted(Cycle now, NodeId node, unsigned /*input_vc*/, unsigned port, unsigned vc,
                       std::uint64_t message) {
  if (!wants(node, message)) return;
  const bool link = port < topology_.link_ports();
  const std::string name =
      link ? fmt::format("{} VC {}", topology_.channel_name(topology_.channel(node, port)), vc)
           : fmt::format("ejection {}", port - topology_.link_ports());
  const Track track{node, kFirstOutput + port * kVcsOfAPort + vc};
  in_flight_[message].push_back({track, name, now, 0, {}, {}});
}

void Timeline::moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message,
                     std::uint32_t index, bool tail) {
  if (!wants(node, message)) return;
  pass({node, kFirstOutput + port * kVcsOfAPort + vc}, message, now, index, tail);
}

void Timeline::pass(Track track, std::uint64_t message, Cycle now, std::uint32_t index, bool tail) {
  auto& visits = in_flight_[message];
  const auto visit = std::ranges::find(visits, track, &Visit::track);
  if (visit == visits.end()) return;
  ++visit->flits;
  if (index == 0) visit->head = now;
  if (tail) visit->tail = now;
}

void Timeline::stalled(const FlitStall& stall) {
  if (!wants(stall.node, stall.message) || !filter_.passes_time(stall.from, stall.from + stall.cycles))
    return;
  const Track track{stall.node, kFirstStall + stall.input_vc};
  if (!named_tracks_.contains(track)) name_track(track, fmt::format("stalls in input VC {}", stall.input_vc));
  const bool link = stall.port < topology_.link_ports();
  const std::string message = message_label(stall.message);
  const std::string wanted =
      link ? topology_.channel_name(topology_.channel(stall.node, stall.port)) : std::string("ejection");
  begin_event();
  fmt::format_to(
      std::back_inserter(text_),
      FMT_COMPILE(R"({{"ph":"X","name":"{0}: {1}","cat":"stall","pid":{2},"tid":{3},"ts":{4},"dur":{5},)"
                  R"("args":{{"message":"{0}","flit":{6},"cause":"{1}","wants":"{7}","culprit":)"),
      message, name_of(stall.cause), process_of(track.first), track.second, stall.from, stall.cycles,
      stall.index, wanted);
  text_ += stall.culprit ? '"' + message_label(*stall.culprit) + '"' : "null";
  text_ += "}}";
}

void Timeline::arrived(const Delivery& delivery) {
  const auto found = in_flight_.find(delivery.id);
  if (found == in_flight_.end()) return;
  write_visits(delivery.id, found->second, delivery.arrived);
  in_flight_.erase(found);
  if (!filter_.passes_time(delivery.ready, delivery.arrived)) return;
  const std::string name = "message " + message_label(delivery.id);
  write_message_span(delivery.id, name.c_str(), delivery.ready, delivery.arrived);
  write_message_span(delivery.id, "queueing", delivery.ready, delivery.head_entered);
  write_message_span(delivery.id, "head on its way", delivery.head_entered, delivery.head_arrived);
  write_message_span(delivery.id, "tail follows", delivery.head_arrived, delivery.arrived);
}

void Timeline::close(Cycle last) {
  std::vector<std::uint64_t> unfinished;
  for (const auto& [message, visits] : in_flight_) unfinished.push_back(message);
  std::ranges::sort(unfinished);
  for (const std::uint64_t message : unfinished) {
    const auto& visits = in_flight_.at(message);
    write_visits(message, visits, last + 1);
    if (visits.empty() || !filter_.passes_time(visits.front().from, last + 1)) continue;
    const std::string name = fmt::format("message {} (unfinished)", message_label(message));
    write_message_span(message, name.c_str(), visits.front().from, last + 1);
  }
  text_ += "\n]}\n";
  flush();
  out_.close();
  if (!out_) throw OutputError(file_.string() + ": could not be written completely");
}

// --- How it is written
// --------------------------------------------------------------------------------------

// Most events are put together as text: objects for them would take several times as long as the simulation,
// and nothing in them (numbers, names of nodes and messages) needs to be escaped.

void Timeline::begin_event() {
  constexpr std::size_t kEnough = 1U << 16;
  if (text_.size() >= kEnough) flush();
  if (!std::exchange(first_, false)) text_ += ",\n";
}

void Timeline::flush() {
  out_ << text_;
  text_.clear();
}

void Timeline::write(const Json& event) {
  begin_event();
  text_ += event.dump();
}

void Timeline::name_track(Track track, const std::string& name) {
  const auto [node, number] = track;
  const auto about = [&, pid = process_of(track.first)](const char* what, const char* key, Json value) {
    write({{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", track.second}, {"args", {{key, value}}}});
  };
  if (named_nodes_.insert(node).second) {
    about("process_name", "name", "node " + topology_.node_name(node));
    about("process_sort_index", "sort_index", process_of(node));
  }
  if (!named_tracks_.insert(track).second) return;
  about("thread_name", "name", name);
  about("thread_sort_index", "sort_index", number);
}

/// The spans of a message on channels, and the arrow that joins them.
void Timeline::write_visits(std::uint64_t message, const std::vector<Visit>& visits, Cycle end) {
  const std::string label = message_label(message);
  const auto out = std::back_inserter(text_);
  std::vector<const Visit*> points;
  for (const Visit& visit : visits) {
    const Cycle until = visit.tail ? *visit.tail + 1 : end;
    if (!filter_.passes_time(visit.from, until)) continue;
    name_track(visit.track, visit.name);
    begin_event();
    fmt::format_to(
        out,
        FMT_COMPILE(R"({{"ph":"X","name":"worm {0}","cat":"worm","pid":{1},"tid":{2},"ts":{3},"dur":{4},)"
                    R"("args":{{"message":"{0}","flits":{5}{6}}}}})"),
        label, process_of(visit.track.first), visit.track.second, visit.from, until - visit.from, visit.flits,
        visit.tail ? "" : R"(,"unfinished":true)");
    if (visit.head) points.push_back(&visit);
  }
  if (points.size() < 2) return;
  for (const Visit* point : points) {
    const char* const phase = point == points.front() ? "s" : point == points.back() ? "f" : "t";
    begin_event();
    fmt::format_to(
        out, FMT_COMPILE(R"({{"ph":"{}","name":"head","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}{}}})"),
        phase, message, process_of(point->track.first), point->track.second, *point->head,
        *phase == 'f' ? R"(,"bp":"e")" : "");
  }
}

void Timeline::write_message_span(std::uint64_t message, const char* name, Cycle from, Cycle end) {
  for (const char* phase : {"b", "e"}) {
    begin_event();
    fmt::format_to(
        std::back_inserter(text_),
        FMT_COMPILE(R"({{"ph":"{}","name":"{}","cat":"message","id":{},"pid":{},"tid":0,"ts":{}}})"), phase,
        name, message, kMessages, *phase == 'b' ? from : end);
  }
}

}  // namespace flitscope
