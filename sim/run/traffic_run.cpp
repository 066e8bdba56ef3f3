#include "sim/run/experiment.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "sim/driver/protocol_driver.h"
#include "sim/driver/traffic_driver.h"
#include "sim/network/network.h"
#include "sim/observe/observer.h"
#include "sim/run/node_statistics.h"
#include "sim/run/observation.h"
#include "sim/run/packets.h"
#include "sim/run/protocol_ends.h"
#include "sim/run/protocol_statistics.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// What routers have counted.
struct Counters {
  std::vector<ChannelRecord> channels;
  StallCounts stalls{};
  std::uint64_t flit_hops = 0;

  /// Leaves what has been counted since then, up to `now`.
  void end_at(const Counters& now) {
    const auto subtract = [](StallCounts& before, const StallCounts& after) {
      for (unsigned cause = 0; cause < kStallCauses; ++cause) before[cause] = after[cause] - before[cause];
    };
    for (std::size_t i = 0; i < channels.size(); ++i) {
      channels[i].flits = now.channels[i].flits - channels[i].flits;
      channels[i].messages = now.channels[i].messages - channels[i].messages;
      subtract(channels[i].stalls, now.channels[i].stalls);
    }
    subtract(stalls, now.stalls);
    flit_hops = now.flit_hops - flit_hops;
  }
};

/// The measurements of a run of traffic.
class TrafficStatistics final : private MessageObserver {
 public:
  /// `in_packets`: packet() has what observers see of messages.
  TrafficStatistics(ObservedRun& run, MeasuredTraffic& driver, bool explains_waits, bool in_packets)
      : run_(run), driver_(driver), in_packets_(in_packets), message_classes_(run.machine) {
    if (explains_waits) {
      links_.emplace(run);
      run.on_messages(*this);
      nodes_.resize(run.topology.nodes());
    }
    if (driver.classes() > 1) classes_.resize(driver.classes());
    driver.on_arrival([this](const ArrivedMessage& message, std::size_t traffic_class, bool measured) {
      arrived(message, traffic_class, measured);
    });
    driver.on_phase([this](TrafficPhase phase, Cycle now) {
      if (phase == TrafficPhase::measurement) begin(now);
      if (phase == TrafficPhase::drain || phase == TrafficPhase::emptying || phase == TrafficPhase::over)
        end(now);
    });
  }
  TrafficStatistics(const TrafficStatistics&) = delete;
  TrafficStatistics& operator=(const TrafficStatistics&) = delete;

  void packet(const ArrivedMessage& packet) {
    if (links_) links_->observe(packet);
  }

  [[nodiscard]] const MessageClasses& message_classes() const { return message_classes_; }
  /// Requires that the run is over.
  void fill(RunResult& result, LinkResult& links) const;

 private:
  /// Measurements of one of several classes.
  struct Class {
    TrafficMeter meter;
    TrafficTally before;
    TrafficTally after;
  };

  void arrived(const ArrivedMessage& message, std::size_t traffic_class, bool measured);
  [[nodiscard]] bool counts_nodes() const { return measured_ && !ended_ && !nodes_.empty(); }
  void sent(const Packet& packet, Cycle /*now*/) override {
    if (!counts_nodes()) return;
    ++nodes_[packet.source].sent_messages;
    nodes_[packet.source].sent_flits += packet.flits;
  }
  void delivered(const Delivery& /*delivery*/) override {}  // arrived() has more
  void begin(Cycle now) {
    measured_ = counters_before(now);
    for (std::size_t i = 0; i < classes_.size(); ++i) classes_[i].before = driver_.tally(i);
  }
  void end(Cycle now) {
    if (ended_) return;
    ended_ = true;
    if (measured_) measured_->end_at(counters_before(now));
    for (std::size_t i = 0; i < classes_.size(); ++i) classes_[i].after = driver_.tally(i);
  }
  [[nodiscard]] Counters counters_before(Cycle now) const {
    RouterGroups& routers = run_.network().clock().core();
    routers.count_stalls(now);
    return {channel_records(run_.topology, routers), routers.stalls(), routers.flit_hops()};
  }
  void fill_channels(TrafficResult& traffic) const;
  void fill_classes(TrafficResult& traffic) const;

  ObservedRun& run_;
  MeasuredTraffic& driver_;
  bool in_packets_;
  MessageClasses message_classes_;
  std::optional<LinkStatistics> links_;
  TrafficMeter meter_;
  std::vector<Class> classes_;  ///< empty if there is only one
  std::vector<NodeRecord> nodes_;
  std::optional<Counters> measured_;  ///< before the measurement, once it has begun; in it, once it has ended
  bool ended_ = false;
};

void TrafficStatistics::arrived(const ArrivedMessage& message, std::size_t traffic_class, bool measured) {
  message_classes_.add(message);
  if (measured) meter_.add(message.delivery);
  if (measured && !classes_.empty()) classes_[traffic_class].meter.add(message.delivery);
  if (counts_nodes()) {
    count_at_nodes(message.delivery, message.flits, run_.machine, nodes_[message.message.source],
                   nodes_[message.message.destination]);
  }
  if (links_ && !in_packets_) links_->arrived(message);
}

void TrafficStatistics::fill_channels(TrafficResult& traffic) const {
  const auto busy_cycles = [&](const ChannelRecord& channel) {
    return static_cast<double>(channel.flits) *
           run_.machine.link(run_.topology, channel.channel).cycles_per_flit.approximate();
  };
  const auto busiest = std::ranges::max_element(measured_->channels, {}, busy_cycles);
  if (busiest->flits > 0) traffic.busiest = *busiest;
  traffic.worst = worst_channels(measured_->channels);
  traffic.stalls = measured_->stalls;
}

void TrafficStatistics::fill_classes(TrafficResult& traffic) const {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const auto& [meter, from, to] = classes_[i];
    TrafficClassResult& result = traffic.classes.emplace_back();
    meter.fill(result, from, to, run_.topology.nodes(), traffic.end - traffic.begin);
    result.undelivered = result.messages - result.latency.messages;
    if (const auto interval = driver_.phases().interval(i)) result.ci95 = interval->half_width;
  }
}

void TrafficStatistics::fill(RunResult& result, LinkResult& links) const {
  TrafficResult& traffic = *links.traffic;
  const TrafficPhases& phases = driver_.phases();
  if (links_) links_->fill(result, links);
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (run_.topology.is_missing(node)) continue;
    links.nodes.push_back(nodes_[node]);
    links.nodes.back().node = node;
  }
  traffic.steady = phases.steady();
  traffic.precise = phases.reached_precision();
  meter_.fill(traffic);
  result.latency = traffic.latency;  // without warm-up and drain
  result.latency_distribution = meter_.latencies().distribution();
  traffic.undelivered = phases.outstanding();
  if (!measured_ || !ended_) return;

  traffic.begin = phases.begin();
  traffic.end = phases.end();
  const TrafficTally& from = phases.at_begin();
  const TrafficTally& to = phases.at_end();
  meter_.fill(traffic, from, to, result.config.topology.nodes(), traffic.end - traffic.begin);
  traffic.waiting_flits_growth =
      static_cast<std::int64_t>(to.waiting_flits()) - static_cast<std::int64_t>(from.waiting_flits());
  if (to.arrived_flits > from.arrived_flits) {
    traffic.hops_mean = static_cast<double>(measured_->flit_hops) /
                        static_cast<double>(to.arrived_flits - from.arrived_flits);
  }
  const auto interval = phases.interval();
  if (interval) traffic.ci95 = interval->half_width;
  fill_channels(traffic);
  fill_classes(traffic);
  traffic.halted = phases.saturated();
  // Too few flows may wait to be seen in the measurement.
  if (traffic.halted || (driver_.finished() && traffic.beyond_bound)) {
    traffic.status = TrafficStatus::saturated;
    traffic.precise.reset();
  } else if (driver_.finished()) {
    traffic.status = TrafficStatus::ok;
  }
}

/// Checks that nothing was lost, and Little's law: the sum of messages in flight over all cycles is the sum
/// of the latencies of all messages.
void check_balance(RunResult& result, const MeasuredTraffic& driver, const ClockDomain& clock,
                   const std::optional<PacketDriver>& packets) {
  const TrafficTally tally = driver.tally();
  expect(result, "flits in the network's account", packets ? packets->sent().flits : tally.generated_flits,
         clock.flits_sent());
  expect(result, "flits at their destinations in the network's account",
         packets ? packets->arrived().flits : tally.arrived_flits, clock.flits_delivered());
  if (packets) {
    expect(result, "flits of messages in packets", tally.generated_flits, packets->sent().data_flits);
    expect(result, "flits of messages that arrived", tally.arrived_flits, packets->arrived().data_flits);
  }
  if (driver.in_flight() > 0) return;
  expect(result, "flits at their destinations", clock.flits_sent(), clock.flits_delivered());
  expect(result, "message-cycles by Little's law", tally.message_cycles, tally.latencies);
  if (driver.classes() == 1) return;
  for (std::size_t i = 0; i < driver.classes(); ++i) {
    const TrafficTally& own = driver.tally(i);
    const std::string of = " of " + result.config.workload.offered()[i].name;
    expect(result, ("flits at their destinations" + of).c_str(), own.generated_flits, own.arrived_flits);
    expect(result, ("message-cycles by Little's law" + of).c_str(), own.message_cycles, own.latencies);
  }
}

void conclude(RunResult& result, LinkResult& links, const MeasuredTraffic& driver, const ClockDomain& clock,
              ClockStop stop, Cycle last, const std::optional<PacketDriver>& packets) {
  result.cycles = last;
  if (stop == ClockStop::quiet && driver.in_flight() == 0) {
    result.cycles = clock.last_delivery();
  } else if (!end_in_deadlock(result, links, clock, driver.in_flight())) {
    if (stop == ClockStop::limit) end_at_limit(result);
    if (stop == ClockStop::quiet) throw std::logic_error("the network is idle without a deadlock");
  }
  check_balance(result, driver, clock, packets);
}

}  // namespace

RunResult run_traffic(ExperimentConfig config, const RunOptions& options) {
  const OfferedPatterns patterns = make_traffic_patterns(config);
  resolve_auto_settings(config, traffic_facts(config));
  require_queues_for_replies(config);
  ObserverSet observers(config, options);  // before any simulation
  Network& network = make_network(config, options.free_threads);
  ClockDomain& clock = network.clock();
  const ScheduleFacts facts = traffic_facts(config);
  RunResult result(std::move(config), facts);
  LinkResult& links = result.network.emplace<LinkResult>();
  links.traffic.emplace();
  const WorkloadConfig& workload = result.config.workload;
  const Topology& topology = result.config.topology;
  const MachineConfig machine = machine_of_messages(result.config);
  if (options.explains_waits) links.traffic->bounds = traffic_bounds(result.config, patterns);
  const TrafficBounds& bounds = options.known_bounds ? *options.known_bounds : links.traffic->bounds;
  links.traffic->beyond_bound = is_beyond(result.config, bounds);
  std::vector<OfferedTraffic> offered;
  for (std::size_t i = 0; i < patterns.size(); ++i) offered.push_back({workload.offered()[i], *patterns[i]});
  std::optional<TrafficDriver> traffic;
  std::optional<ProtocolDriver> protocol;
  if (workload.protocol) {
    protocol.emplace(topology, machine, workload.traffic, *workload.protocol, *patterns.front());
  } else {
    traffic.emplace(topology, machine, workload.traffic, offered);
  }
  MeasuredTraffic& driver = protocol ? static_cast<MeasuredTraffic&>(*protocol) : *traffic;

  const std::optional<PacketFormat> format = packet_format(result.config);
  const std::uint64_t stride = format ? packet_stride(result.config, 0) : 0;
  ObservedRun observed(observers.observed(result.config, stride), network);
  TrafficStatistics statistics(observed, driver, options.explains_waits, format.has_value());
  ObservedDriver observed_driver(driver, observed.message_observers());
  std::optional<PacketDriver> packets;
  if (format) {
    packets.emplace(observed_driver, *format, topology, result.config.machine, stride);
    packets->on_packet([&](const ArrivedMessage& packet) { statistics.packet(packet); });
  }
  std::optional<ProtocolStatistics> round_trips;
  if (protocol) round_trips.emplace(*protocol, *workload.protocol, patterns, topology);
  observers.watch(observed);
  observed.start();

  if (const auto report = progress_report(options, 0)) {
    clock.on_progress([&driver, report](Cycle now, std::uint64_t flit_hops) {
      report(now, driver.tally().arrived_messages, flit_hops);
    });
  }
  RunWatch watch(clock, observed);
  // Messages in flight in a saturated network are dropped.
  watch.halt_when([&] { return driver.phases().phase() == TrafficPhase::over; });
  clock.watch(watch, watch.first());
  Driver& whole = packets                                ? static_cast<Driver&>(*packets)
                  : observed.message_observers().empty() ? static_cast<Driver&>(driver)
                                                         : observed_driver;
  const ClockStop stop = network.run(whole, result.config.cycle_limit);
  links.deadlock = watch.deadlock();
  const Cycle last = stop == ClockStop::limit ? result.config.cycle_limit : clock.last_cycle();
  conclude(result, links, driver, clock, stop, last, packets);
  observers.ended(last);
  fill_counters(result, links, statistics.message_classes(), clock, last);
  statistics.fill(result, links);
  if (packets && links.traffic->hops_mean) {
    // Flits over links are those of heads of packets, too.
    *links.traffic->hops_mean *=
        static_cast<double>(packets->arrived().data_flits) / static_cast<double>(packets->arrived().flits);
  }
  if (protocol) {
    links.protocol = round_trips->result(last);
    // The phases measure round trips.
    for (TrafficClassResult& each : links.traffic->classes) each.ci95.reset();
    const TrafficTally& trips = protocol->round_trips();
    if (trips.in_flight() == 0)
      expect(result, "round-trip cycles by Little's law", trips.message_cycles, trips.latencies);
  }
  observers.close({last, result.cycles, links.deadlock});
  result.messages = driver.tally().generated_messages;
  result.flits = driver.tally().generated_flits;
  if (packets) links.packets = {packets->sent().packets, packets->sent().packets * format->head_flits};
  return result;
}

}  // namespace flitscope
