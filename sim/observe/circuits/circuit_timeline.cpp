#include "sim/observe/circuits/circuit_timeline.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/schedule.h"

namespace flitscope {

namespace {

/// Tracks of a node: first its ports, then what arrives. There are fewer ports than this.
constexpr unsigned kFirstReception = 64;

}  // namespace

CircuitTimeline::CircuitTimeline(const std::filesystem::path& file, FlitFilter filter,
                                 const Topology& topology, Cycle startup)
    : filter_(std::move(filter)), startup_(startup), events_(file, topology) {}

bool CircuitTimeline::shows(NodeId node) const {
  return filter_.nodes.empty() || std::ranges::count(filter_.nodes, node) > 0;
}

void CircuitTimeline::tuned(const Circuit& circuit, Cycle begin, Cycle ready) {
  const bool wanted = filter_.messages.empty() && filter_.steps.empty() && shows(circuit.node);
  if (!wanted || begin == ready || !filter_.passes_time(begin, ready)) return;
  const TraceEvents::Track track{circuit.node, circuit.port};
  events_.name_track(track, fmt::format("port {}", circuit.port));
  events_.write(
      FMT_COMPILE(
          R"({{"ph":"X","name":"tuning to {0}","cat":"tuning","pid":{1},"tid":{2},"ts":{3},"dur":{4},)"
          R"("args":{{"target":{0}}}}})"),
      circuit.target, TraceEvents::process_of(track.first), track.second, begin, ready - begin);
}

void CircuitTimeline::sent(const Transmission& transmission) {
  // Slots are those of all messages, shown or not: a message has the same one whatever the filter is.
  const unsigned slot = receptions_[transmission.destination].take(transmission.begin, transmission.end);
  if (!filter_.passes_message(transmission.id) || !filter_.passes_time(transmission.begin, transmission.end))
    return;
  const std::string label = message_label(transmission.id);
  std::vector<TraceEvents::Point> points;
  const auto write = [&](TraceEvents::Track track, const std::string& name, const char* category) {
    if (!shows(track.first)) return;
    events_.name_track(track, name);
    events_.write(
        FMT_COMPILE(R"({{"ph":"X","name":"message {0}","cat":"{1}","pid":{2},"tid":{3},"ts":{4},"dur":{5},)"
                    R"("args":{{"message":"{0}","from":{6},"to":{7},"flits":{8}}}}})"),
        label, category, TraceEvents::process_of(track.first), track.second, transmission.begin,
        transmission.end - transmission.begin, transmission.source, transmission.destination,
        transmission.flits);
    points.emplace_back(track, transmission.begin);
  };
  write({transmission.source, transmission.port}, fmt::format("port {}", transmission.port), "sending");
  write({transmission.destination, kFirstReception + slot}, fmt::format("arriving {}", slot), "receiving");
  if (points.empty()) return;
  events_.write_arrow(transmission.id, points);
  events_.write_message_span(transmission.id, ("message " + label).c_str(), transmission.begin,
                             transmission.end);
  if (startup_ > 0)
    events_.write_message_span(transmission.id, "startup", transmission.begin, transmission.begin + startup_);
  events_.write_message_span(transmission.id, "flits", transmission.begin + startup_, transmission.end);
}

}  // namespace flitscope
