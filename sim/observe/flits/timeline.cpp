#include "sim/observe/flits/timeline.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>

#include "model/schedule.h"

namespace flitscope {

namespace {

/// Tracks of a node, in this order: injection channels, VCs of output ports, input VCs with stalls. A port
/// has at most 64 VCs, a router at most 64 ports.
constexpr unsigned kVcsOfAPort = 64;
constexpr unsigned kFirstOutput = 64;
constexpr unsigned kFirstStall = kFirstOutput + 64 * kVcsOfAPort;

/// An argument of what the end of the run has cut off.
constexpr auto kUnfinished = R"(,"unfinished":true)";

}  // namespace

Timeline::Timeline(const std::filesystem::path& file, FlitFilter filter, const Topology& topology)
    : filter_(std::move(filter)), topology_(topology), events_(file, topology) {}

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
           : fmt::format("ejection {}{}", port - topology_.link_ports(),
                         vc == 0 ? "" : fmt::format(" VC {}", vc));
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
  if (!events_.is_named(track)) {
    events_.name_track(track, fmt::format("stalls in input VC {}", stall.input_vc));
  }
  const bool link = stall.port < topology_.link_ports();
  const std::string message = message_label(stall.message);
  const std::string wanted =
      link ? topology_.channel_name(topology_.channel(stall.node, stall.port)) : std::string("ejection");
  const std::string culprit = stall.culprit ? '"' + message_label(*stall.culprit) + '"' : "null";
  events_.write(
      FMT_COMPILE(R"({{"ph":"X","name":"{0}: {1}","cat":"stall","pid":{2},"tid":{3},"ts":{4},"dur":{5},)"
                  R"("args":{{"message":"{0}","flit":{6},"cause":"{1}","wants":"{7}","culprit":{8}{9}}}}})"),
      message, name_of(stall.cause), TraceEvents::process_of(track.first), track.second, stall.from,
      stall.cycles, stall.index, wanted, culprit, end_ == stall.from + stall.cycles ? kUnfinished : "");
}

void Timeline::arrived(const Delivery& delivery) {
  const auto found = in_flight_.find(delivery.id);
  if (found == in_flight_.end()) return;
  write_visits(delivery.id, found->second, delivery.arrived);
  in_flight_.erase(found);
  if (!filter_.passes_time(delivery.ready, delivery.arrived)) return;
  const std::string name = "message " + message_label(delivery.id);
  events_.write_message_span(delivery.id, name.c_str(), delivery.ready, delivery.arrived);
  events_.write_message_span(delivery.id, "queueing", delivery.ready, delivery.head_entered);
  events_.write_message_span(delivery.id, "head on its way", delivery.head_entered, delivery.head_arrived);
  events_.write_message_span(delivery.id, "tail follows", delivery.head_arrived, delivery.arrived);
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
    events_.write_message_span(message, name.c_str(), visits.front().from, last + 1);
  }
  events_.close();
}

/// The spans of a message on channels, and the arrow that joins them.
void Timeline::write_visits(std::uint64_t message, const std::vector<Visit>& visits, Cycle end) {
  const std::string label = message_label(message);
  std::vector<TraceEvents::Point> points;
  for (const Visit& visit : visits) {
    const Cycle until = visit.tail ? *visit.tail + 1 : end;
    if (!filter_.passes_time(visit.from, until)) continue;
    events_.name_track(visit.track, visit.name);
    events_.write(
        FMT_COMPILE(R"({{"ph":"X","name":"worm {0}","cat":"worm","pid":{1},"tid":{2},"ts":{3},"dur":{4},)"
                    R"("args":{{"message":"{0}","flits":{5}{6}}}}})"),
        label, TraceEvents::process_of(visit.track.first), visit.track.second, visit.from, until - visit.from,
        visit.flits, visit.tail ? "" : kUnfinished);
    if (visit.head) points.emplace_back(visit.track, *visit.head);
  }
  events_.write_arrow(message, points);
}

}  // namespace flitscope
