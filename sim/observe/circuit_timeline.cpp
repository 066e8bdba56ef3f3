#include "sim/observe/circuit_timeline.h"

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

void CircuitTimeline::sent(const Beam& beam) {
  // Slots are those of all messages, shown or not: a message has the same one whatever the filter is.
  const unsigned slot = receptions_[beam.destination].take(beam.begin, beam.end);
  if (!filter_.passes_message(beam.id) || !filter_.passes_time(beam.begin, beam.end)) return;
  const std::string label = message_label(beam.id);
  std::vector<TraceEvents::Point> points;
  const auto write = [&](TraceEvents::Track track, const std::string& name, const char* category) {
    if (!shows(track.first)) return;
    events_.name_track(track, name);
    events_.write(
        FMT_COMPILE(R"({{"ph":"X","name":"message {0}","cat":"{1}","pid":{2},"tid":{3},"ts":{4},"dur":{5},)"
                    R"("args":{{"message":"{0}","from":{6},"to":{7},"flits":{8}}}}})"),
        label, category, TraceEvents::process_of(track.first), track.second, beam.begin,
        beam.end - beam.begin, beam.source, beam.destination, beam.flits);
    points.emplace_back(track, beam.begin);
  };
  write({beam.source, beam.port}, fmt::format("port {}", beam.port), "sending");
  write({beam.destination, kFirstReception + slot}, fmt::format("arriving {}", slot), "receiving");
  if (points.empty()) return;
  events_.write_arrow(beam.id, points);
  events_.write_message_span(beam.id, ("message " + label).c_str(), beam.begin, beam.end);
  if (startup_ > 0) events_.write_message_span(beam.id, "startup", beam.begin, beam.begin + startup_);
  events_.write_message_span(beam.id, "flits", beam.begin + startup_, beam.end);
}

}  // namespace flitscope
