// timeline: trace.json, the run in time for Perfetto (ui.perfetto.dev) or chrome://tracing.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/schedule.h"
#include "sim/driver/collective_driver.h"
#include "sim/observe/flits/flit_event.h"
#include "sim/observe/observer.h"

namespace flitscope::timeline_observer {
namespace {

constexpr auto kFile = "trace.json";

// --- The file ----------------------------------------------------------------------------------------------

/// Trace events in the JSON form of Chrome's tracing. A cycle is shown in its time, without a clock as a
/// microsecond. Every node is a process with tracks (threads); one more process holds the messages.
///
/// Events are put together as text: objects for them would take several times as long as the simulation, and
/// nothing in them (numbers, names of nodes and messages) needs to be escaped.
class TraceEvents {
 public:
  /// A node, and a number among its tracks, which lie in the order of their numbers.
  using Track = std::pair<NodeId, unsigned>;
  /// A track in a cycle.
  using Point = std::pair<Track, Cycle>;

  TraceEvents(const std::filesystem::path& file, const Topology& topology,
              const std::optional<ClockPeriod>& clock)
      : topology_(topology), out_(file), microseconds_(clock ? clock->nanoseconds(1) / 1000 : 1) {
    const nlohmann::ordered_json about{{"program", "flitscope"},
                                       {"topology", topology.name()},
                                       {"one cycle", clock ? clock->text() : "shown as 1 us"}};
    out_ << "{\"displayTimeUnit\":\"ns\",\n\"otherData\":" << about.dump() << ",\n\"traceEvents\":[\n";
    write(FMT_COMPILE(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"messages"}}}})"),
          kMessages);
  }

  /// Must precede the first event on a track; later names have no effect.
  void name_track(Track track, const std::string& name) {
    const std::uint64_t process = process_of(track.first);
    const auto about = [&](const char* what, const char* key, const nlohmann::ordered_json& value) {
      write(FMT_COMPILE(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})"), what, process,
            track.second, key, value.dump());
    };
    if (named_nodes_.insert(track.first).second) {
      about("process_name", "name",
            (topology_.has_links() ? "node " : "") + topology_.node_name(track.first));
      about("process_sort_index", "sort_index", process);
    }
    if (!named_tracks_.insert(track).second) return;
    about("thread_name", "name", name);
    about("thread_sort_index", "sort_index", track.second);
  }
  [[nodiscard]] bool is_named(Track track) const { return named_tracks_.contains(track); }

  /// A span of the cycles `from` .. `end`-1. `arguments` are members of a JSON object.
  void write_span(Track track, const std::string& name, const char* category, Cycle from, Cycle end,
                  const std::string& arguments) {
    write(FMT_COMPILE(
              R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})"),
          name, category, process_of(track.first), track.second, time(from), time(end - from), arguments);
  }
  /// Cycles `from` .. `end`-1 of a message, or of a part of its time. The whole precedes its parts.
  void write_message_span(std::uint64_t message, const std::string& name, Cycle from, Cycle end) {
    for (const char* phase : {"b", "e"}) {
      write(FMT_COMPILE(R"({{"ph":"{}","name":"{}","cat":"message","id":{},"pid":{},"tid":0,"ts":{}}})"),
            phase, name, message, kMessages, time(*phase == 'b' ? from : end));
    }
  }
  /// A message of the critical path, on a track of its own.
  void write_critical_span(const std::string& name, Cycle from, Cycle end) {
    if (!std::exchange(has_critical_path_, true)) {
      write(FMT_COMPILE(
                R"({{"ph":"M","name":"thread_name","pid":{},"tid":1,"args":{{"name":"critical path"}}}})"),
            kMessages);
    }
    write(FMT_COMPILE(
              R"({{"ph":"X","name":"{}","cat":"critical","pid":{},"tid":1,"ts":{},"dur":{},"args":{{}}}})"),
          name, kMessages, time(from), time(end - from));
  }
  /// An arrow from span to span; nothing for fewer than two points.
  void write_arrow(std::uint64_t message, std::span<const Point> points) {
    if (points.size() < 2) return;
    for (const Point& point : points) {
      const auto& [track, cycle] = point;
      const char* const phase = &point == &points.front() ? "s" : &point == &points.back() ? "f" : "t";
      write(FMT_COMPILE(R"({{"ph":"{}","name":"head","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}{}}})"),
            phase, message, process_of(track.first), track.second, time(cycle),
            *phase == 'f' ? R"(,"bp":"e")" : "");
    }
  }
  void close() {
    text_ += "\n]}\n";
    out_ << text_;
    out_.finish();
  }

 private:
  /// Process of the messages; those of the nodes follow it.
  static constexpr std::uint64_t kMessages = 1;
  [[nodiscard]] static std::uint64_t process_of(NodeId node) { return std::uint64_t{node} + 2; }
  [[nodiscard]] double time(Cycle cycles) const { return static_cast<double>(cycles) * microseconds_; }

  template <typename Format, typename... Values>
  void write(const Format& format, const Values&... values) {
    constexpr std::size_t kEnough = 1U << 16;
    if (text_.size() >= kEnough) {
      out_ << text_;
      text_.clear();
    }
    if (!std::exchange(first_, false)) text_ += ",\n";
    fmt::format_to(std::back_inserter(text_), format, values...);
  }

  const Topology& topology_;
  ObserverFile out_;
  double microseconds_;  ///< of a cycle
  std::string text_;     ///< that is not written yet
  bool first_ = true;
  bool has_critical_path_ = false;
  std::set<Track> named_tracks_;
  std::set<NodeId> named_nodes_;
};

/// What both kinds of networks have: the file, and what the filter lets through of it: nodes, messages,
/// steps, and spans that reach into its time.
class Timeline : public Observer {
 protected:
  using Track = TraceEvents::Track;

  explicit Timeline(const ObservedRun& run)
      : filter_(run.settings.get<FlitFilter>()),
        topology_(run.topology),
        events_(run.file(kFile), run.topology, run.clock) {}

  [[nodiscard]] bool shows(NodeId node) const {
    return filter_.nodes.empty() || std::ranges::count(filter_.nodes, node) > 0;
  }

  const FlitFilter filter_;
  const Topology& topology_;
  TraceEvents events_;
};

// --- On links ----------------------------------------------------------------------------------------------

/// Tracks of a node, in this order: injectors, VCs of output ports, input VCs with stalls. Injectors have VCs
/// of their own, and ports have one or more.
constexpr unsigned kFirstOutput = kMaxInputVcs;
constexpr unsigned kFirstStall = kFirstOutput + kMaxInputVcs * kMaxVirtualChannels;

/// An argument of what the end of the run has cut off.
constexpr auto kUnfinished = R"(,"unfinished":true)";

/// A node has a track for each of its injection channels (with a queue for each message class, for each class
/// there: their worms alternate flit by flit), each VC of the links that leave it, each VC of its ejection
/// channels, and each input VC in which flits were stalled. On a channel's track lies a span for every worm,
/// from the grant of the VC to the cycle after its tail (injection: from its head on). A stall is
/// a span on the track of its input VC, with cause and culprit. A message is an asynchronous span from ready
/// to arrival in the process "messages", with its queueing (startup included), path and tail inside; arrows
/// follow its head from channel to channel. What has not ended when the run ends is drawn to that end, with
/// the argument "unfinished".
///
/// Memory follows the messages in flight.
class OnLinks final : public Timeline, public FlitObserver, public StallObserver, public MessageObserver {
 public:
  explicit OnLinks(ObservedRun& run)
      : Timeline(run), machine_(run.machine), packet_stride_(run.packet_stride) {
    run.on_flits(*this, filter_.nodes);
    run.on_stalls(*this);
    run.on_messages(*this);
  }

  void sent(const Packet& packet, Cycle /*now*/) override {
    const bool has_own_queue = machine_.queues_of_node() > 1;
    if (has_own_queue && wants(packet.source, packet.id)) class_of_[packet.id] = packet.message_class;
  }
  void delivered(const Delivery& delivery) override {
    class_of_.erase(delivery.id);
    arrived(delivery);
  }
  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool tail) override {
    if (!wants(node, message)) return;
    Track track{node, channel};
    std::string of_class;
    if (const auto found = class_of_.find(message_of(message)); found != class_of_.end()) {
      track.second = channel * machine_.queues_of_node() + found->second;
      of_class = " of class " + machine_.classes[found->second].name;
    }
    if (index == 0) {
      const std::string name = fmt::format("injection {}{}", channel, of_class);
      visits_of(message).push_back({track, name, now, 0, {}, {}});
    }
    pass(track, message, now, index, tail);
  }
  void granted(Cycle now, NodeId node, unsigned /*input_vc*/, unsigned port, unsigned vc,
               std::uint64_t message) override {
    if (!wants(node, message)) return;
    const bool link = port < topology_.link_ports();
    const std::string name =
        link ? fmt::format("{} VC {}", topology_.channel_name(topology_.channel(node, port)), vc)
             : fmt::format("ejection {}{}", port - topology_.link_ports(),
                           vc == 0 ? "" : fmt::format(" VC {}", vc));
    visits_of(message).push_back(
        {{node, kFirstOutput + port * kMaxVirtualChannels + vc}, name, now, 0, {}, {}});
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool tail) override {
    if (wants(node, message))
      pass({node, kFirstOutput + port * kMaxVirtualChannels + vc}, message, now, index, tail);
  }
  void stalled(const FlitStall& stall) override {
    const Cycle end = stall.from + stall.cycles;
    if (!wants(stall.node, stall.message) || !filter_.passes_time(stall.from, end)) return;
    const Track track{stall.node, kFirstStall + stall.input_vc};
    if (!events_.is_named(track)) {
      events_.name_track(track, fmt::format("stalls in input VC {}", stall.input_vc));
    }
    const bool link = stall.port < topology_.link_ports();
    const std::string message = message_label(stall.message);
    const std::string wanted =
        link ? topology_.channel_name(topology_.channel(stall.node, stall.port)) : std::string("ejection");
    const std::string culprit = stall.culprit ? '"' + message_label(*stall.culprit) + '"' : "null";
    events_.write_span(
        track, fmt::format("{}: {}", message, name_of(stall.cause)), "stall", stall.from, end,
        fmt::format(FMT_COMPILE(R"("message":"{}","flit":{},"cause":"{}","wants":"{}","culprit":{}{})"),
                    message, stall.index, name_of(stall.cause), wanted, culprit,
                    end_ == end ? kUnfinished : ""));
  }
  /// A stall that is reported afterwards and lasts until `last` has not ended.
  void ended(Cycle last) override { end_ = last + 1; }
  void close(const RunEnd& run) override {
    const Cycle end = run.last + 1;
    std::vector<std::uint64_t> unfinished;
    for (const auto& [message, visits] : in_flight_) unfinished.push_back(message);
    std::ranges::sort(unfinished);
    for (const std::uint64_t message : unfinished) {
      const auto& visits = in_flight_.at(message);
      write_visits(message, visits, end);
      if (visits.empty() || !filter_.passes_time(visits.front().from, end)) continue;
      events_.write_message_span(message, fmt::format("message {} (unfinished)", message_label(message)),
                                 visits.front().from, end);
    }
    write_critical_path(run.critical_path);
    events_.close();
  }

 private:
  /// A worm on a channel.
  struct Visit {
    Track track;
    std::string name;  ///< of the track
    Cycle from = 0;
    std::uint32_t flits = 0;  ///< that have passed
    std::optional<Cycle> head;
    std::optional<Cycle> tail;
  };

  /// Message after message, with what its receiver combines before the next one as a gap.
  void write_critical_path(std::span<const CriticalMessage> path) {
    for (const CriticalMessage& each : path) {
      if (!filter_.passes_time(each.ready, each.arrived)) continue;
      events_.write_critical_span(
          fmt::format("{}: {} to {}", message_label(each.message), topology_.node_name(each.source),
                      topology_.node_name(each.destination)),
          each.ready, each.arrived);
    }
  }
  /// The message of a packet.
  [[nodiscard]] std::uint64_t message_of(std::uint64_t id) const {
    if (packet_stride_ == 0) return id;
    const MessageName name = message_name(id);
    return message_id(name.step, name.index() % packet_stride_);
  }
  /// Those of a message, or of one of its packets.
  [[nodiscard]] std::vector<Visit>& visits_of(std::uint64_t id) {
    if (packet_stride_ != 0)
      most_packets_ = std::max(most_packets_, message_name(id).index() / packet_stride_ + 1);
    return in_flight_[id];
  }
  [[nodiscard]] bool wants(NodeId node, std::uint64_t message) const {
    return shows(node) && filter_.passes_message(message);
  }
  void pass(Track track, std::uint64_t message, Cycle now, std::uint32_t index, bool tail) {
    auto& visits = in_flight_[message];
    const auto visit = std::ranges::find(visits, track, &Visit::track);
    if (visit == visits.end()) return;
    ++visit->flits;
    if (index == 0) visit->head = now;
    if (tail) visit->tail = now;
  }
  void arrived(const Delivery& delivery) {
    bool is_shown = false;
    for (std::uint64_t packet = 0; packet < most_packets_; ++packet) {
      const std::uint64_t id = delivery.id + packet * packet_stride_;
      const auto found = in_flight_.extract(id);
      if (found.empty()) continue;
      is_shown = true;
      write_visits(id, found.mapped(), delivery.arrived);
    }
    if (!is_shown) return;
    if (!filter_.passes_time(delivery.ready, delivery.arrived)) return;
    const auto write = [&](const std::string& name, Cycle from, Cycle end) {
      events_.write_message_span(delivery.id, name, from, end);
    };
    write("message " + message_label(delivery.id), delivery.ready, delivery.arrived);
    write("queueing", delivery.ready, delivery.head_entered);
    write("head on its way", delivery.head_entered, delivery.head_arrived);
    write("tail follows", delivery.head_arrived, delivery.arrived);
  }
  /// The spans of a message on channels, and the arrow that joins them.
  void write_visits(std::uint64_t message, const std::vector<Visit>& visits, Cycle end) {
    const std::string label = message_label(message);
    std::vector<TraceEvents::Point> points;
    for (const Visit& visit : visits) {
      const Cycle until = visit.tail ? *visit.tail + 1 : end;
      if (!filter_.passes_time(visit.from, until)) continue;
      events_.name_track(visit.track, visit.name);
      events_.write_span(visit.track, "worm " + label, "worm", visit.from, until,
                         fmt::format(FMT_COMPILE(R"("message":"{}","flits":{}{})"), label, visit.flits,
                                     visit.tail ? "" : kUnfinished));
      if (visit.head) points.emplace_back(visit.track, *visit.head);
    }
    events_.write_arrow(message, points);
  }

  const MachineConfig& machine_;
  std::uint64_t packet_stride_;     ///< 0 without packets
  std::uint64_t most_packets_ = 1;  ///< of a message so far
  /// Of messages on their way, if classes have queues of their own.
  std::unordered_map<std::uint64_t, std::uint32_t> class_of_;
  std::optional<Cycle> end_;  ///< of the run, once it has ended
  std::unordered_map<std::uint64_t, std::vector<Visit>> in_flight_;
};

// --- On circuits -------------------------------------------------------------------------------------------

/// Tracks of a node: first its ports, then its receptions. There are fewer ports than this.
constexpr unsigned kFirstReception = kMaxInputVcs;

/// A node has a track for each port, with a span for every tuning and every message it sends, and as many
/// tracks as messages arrive at the same time. A message is a span in the process "messages" too, with its
/// startup and its flits inside, and an arrow leads from the port to where it arrives. Everything is drawn
/// when it begins, to the end it will have. Tunings belong to no message: they are shown if the filter names
/// neither messages nor steps.
class OnCircuits final : public Timeline, public CircuitObserver {
 public:
  explicit OnCircuits(ObservedRun& run) : Timeline(run), startup_(run.machine.startup) {
    run.on_circuits(*this);
  }

  void tuned(const Circuit& circuit, Cycle begin, Cycle ready) override {
    const bool wanted = filter_.messages.empty() && filter_.steps.empty() && shows(circuit.node);
    if (!wanted || begin == ready || !filter_.passes_time(begin, ready)) return;
    const Track track{circuit.node, circuit.port};
    events_.name_track(track, fmt::format("port {}", circuit.port));
    events_.write_span(track, fmt::format("tuning to {}", circuit.target), "tuning", begin, ready,
                       fmt::format(R"("target":{})", circuit.target));
  }
  void sent(const Transmission& message) override {
    // Slots are those of all messages, shown or not: a message has the same one whatever the filter is.
    const unsigned slot = receptions_[message.destination].take(message.begin, message.end);
    if (!filter_.passes_message(message.id) || !filter_.passes_time(message.begin, message.end)) return;
    const std::string label = message_label(message.id);
    std::vector<TraceEvents::Point> points;
    const auto write = [&](Track track, const std::string& name, const char* category) {
      if (!shows(track.first)) return;
      events_.name_track(track, name);
      events_.write_span(track, "message " + label, category, message.begin, message.end,
                         fmt::format(R"("message":"{}","from":{},"to":{},"flits":{})", label, message.source,
                                     message.destination, message.flits));
      points.emplace_back(track, message.begin);
    };
    write({message.source, message.port}, fmt::format("port {}", message.port), "sending");
    write({message.destination, kFirstReception + slot}, fmt::format("arriving {}", slot), "receiving");
    if (points.empty()) return;
    events_.write_arrow(message.id, points);
    const Cycle first_flit = message.begin + startup_;
    events_.write_message_span(message.id, "message " + label, message.begin, message.end);
    if (startup_ > 0) events_.write_message_span(message.id, "startup", message.begin, first_flit);
    events_.write_message_span(message.id, "flits", first_flit, message.end);
  }
  void close(const RunEnd& /*end*/) override { events_.close(); }

 private:
  Cycle startup_;
  std::unordered_map<NodeId, ReceptionSlots> receptions_;
};

struct Keys {
  bool timeline = false;
};

const ObserverEntry<Keys> entry{
    {.name = "timeline",
     .summary = "the run in time, for Perfetto, as far as observe.filter lets it through",
     .files = {kFile},
     .keys = {.name = "observe",
              .rows = {row(&Keys::timeline, "timeline",
                           "trace.json for Perfetto: worms on channels or messages on circuits, stalls, "
                           "tunings; see observe.filter")}},
     .order = -4,
     .wanted = [](const Keys& keys) { return keys.timeline; },
     .make = make_for_network<Keys, OnLinks, OnCircuits>}};

}  // namespace
}  // namespace flitscope::timeline_observer
