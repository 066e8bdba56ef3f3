
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "model/schedule.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/memories.h"
#include "sim/driver/schedule_driver.h"
#include "sim/driver/table_driver.h"
#include "sim/driver/traffic_driver.h"
#include "sim/network/network.h"
#include "sim/observe/observer.h"
#include "sim/run/barriers.h"
#include "sim/run/experiment.h"
#include "sim/run/node_statistics.h"
#include "sim/run/observation.h"
#include "sim/run/packets.h"
#include "sim/run/result.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// Cycles before the schedule.
Cycle warmup_of_background(const ExperimentConfig& config) {
  return config.workload.background ? config.workload.background->warmup.value_or(0) : 0;
}

/// Synthetic traffic beside a schedule, and its measurements.
class Background {
 public:
  /// The configuration must have a background. All must outlive this object. `statistics`: nullptr if its
  /// messages are sent as packets. They count in `classes`.
  Background(CollectiveDriver& collective, const ExperimentConfig& config, LinkStatistics* statistics,
             MessageClasses& classes)
      : pattern_(make_background_pattern(config)),
        driver_(collective, config.topology, config.machine, *config.workload.background, *pattern_),
        warmup_(warmup_of_background(config)) {
    driver_.on_arrival([this, statistics, &classes](const ArrivedMessage& message) {
      classes.add(message);
      meter_.add(message.delivery);
      if (statistics != nullptr) statistics->ignore(message);
    });
  }

  /// Drives the schedule and the traffic.
  [[nodiscard]] BackgroundDriver& driver() { return driver_; }
  [[nodiscard]] const TrafficTally& tally() const { return driver_.tally(); }

  /// After `cycles` cycles.
  [[nodiscard]] BackgroundResult result(NodeId nodes, Cycle cycles) const;

 private:
  std::unique_ptr<TrafficPattern> pattern_;
  BackgroundDriver driver_;
  Cycle warmup_;
  TrafficMeter meter_;
};

BackgroundResult Background::result(NodeId nodes, Cycle cycles) const {
  const TrafficTally& tally = driver_.tally();
  BackgroundResult result{{}, warmup_, tally.arrived_messages, tally.arrived_flits};
  meter_.fill(result, {}, tally, nodes, cycles + 1);
  return result;
}

/// The workload of a run: a schedule, checked while it is played, or a routing table.
class WorkloadSource {
 public:
  explicit WorkloadSource(const ExperimentConfig& config) {
    if (config.workload.advance == Advance::table) {
      table_.emplace(make_table(config));
    } else {
      schedule_ = make_schedule(config);
      recorded_ = dynamic_cast<const RecordedSchedule*>(schedule_.get());
    }
  }

  /// The schedule, if it is a recording.
  [[nodiscard]] const RecordedSchedule* recorded() const { return recorded_; }

  [[nodiscard]] const ScheduleFacts& facts() const {
    return table_ ? table_->facts : checked_ ? checked_->facts() : schedule_->facts();
  }

  /// Requires a complete machine. The driver refers to this and to the machine.
  [[nodiscard]] std::unique_ptr<CollectiveDriver> make_driver(const WorkloadConfig& workload,
                                                              const Topology& topology,
                                                              const MachineConfig& machine) {
    if (table_) return std::make_unique<TableDriver>(*table_, machine);
    checked_.emplace(std::move(schedule_), topology, machine);
    if (workload.advance == Advance::barrier) return std::make_unique<BarrierDriver>(*checked_, machine);
    const auto first_port = [this](const Message& message, unsigned network) {
      return checked_->paths(network).first_port(message.source, message.destination, message.route);
    };
    return std::make_unique<DataflowDriver>(*checked_, machine, workload.lookahead, first_port);
  }

  /// The loads of the steps played. A table sends at most one packet over each link.
  [[nodiscard]] std::vector<StepLoad> loads(const CollectiveDriver& driver) const {
    if (checked_) return checked_->loads();
    std::vector<StepLoad> loads;
    for (const StepRecord& step : driver.steps()) {
      loads.push_back({.max_load = step.messages > 0 ? 1U : 0U, .busiest = {}, .hops = step.messages});
    }
    return loads;
  }

 private:
  std::optional<LinkPrograms> table_;
  std::unique_ptr<Schedule> schedule_;
  const RecordedSchedule* recorded_ = nullptr;
  std::optional<CheckedSchedule> checked_;
};

/// Flits of data that drivers have given to the network, and of messages that have arrived.
struct DataFlits {
  DataFlits(const ClockDomain& clock, const std::optional<PacketDriver>& packets)
      : sent(packets ? packets->sent().data_flits : clock.flits_sent()),
        arrived(packets ? packets->arrived().data_flits : clock.flits_delivered()) {}
  std::uint64_t sent;
  std::uint64_t arrived;
};

/// Sets status and cycles of the result. `last`: the last cycle of a run that is not completed; `background`:
/// the traffic beside the schedule.
void conclude(RunResult& result, LinkResult& links, const CollectiveDriver& driver, const ClockDomain& clock,
              ClockStop stop, Cycle last, const TrafficTally& background,
              const std::optional<PacketDriver>& packets) {
  if (stop != ClockStop::limit && driver.finished() && driver.in_flight() == 0) {
    result.cycles = driver.last_arrival();
    const OperandLedger* const operands = driver.operands() ? &*driver.operands() : nullptr;
    const DataFlits flits(clock, packets);
    verify(result, {driver.possession(), operands, driver.messages_arrived(),
                    flits.sent - background.generated_flits, flits.arrived - background.arrived_flits});
    if (packets) expect(result, "flits of packets", packets->arrived().flits, clock.flits_delivered());
    return;
  }
  result.cycles = last;
  // Also at the limit: some worms may be blocked forever.
  if (end_in_deadlock(result, links, clock, driver.in_flight())) return;
  if (stop == ClockStop::limit) return end_at_limit(result);
  if (result.config.machine.requests && driver.in_flight() != 0 && driver.hindered()) {
    throw ScheduleError(
        "requests wait for nodes that work on as many as node.requests allows, and their replies wait behind "
        "other "
        "messages of their nodes in the order of advance: dataflow; give advance: barrier, or more "
        "node.requests");
  }
  // With finite ends messages can also wait for a reply that the program holds back.
  if (driver.in_flight() == 0 || driver.hindered()) {
    if (const auto message = driver.hindered()) throw IllegalMessage(*message, driver.hindrance());
    throw ScheduleError(driver.hindrance());
  }
  throw std::logic_error("the network is idle without a deadlock");
}

}  // namespace

RunResult run_on_links(ExperimentConfig config, const RunOptions& options) {
  WorkloadSource source(config);
  resolve_auto_settings(config, source.facts());
  ObserverSet observers(config, options);  // before any simulation
  // Before the driver: it refuses a network that memory does not suffice for.
  Network& network = make_network(config, options.free_threads);
  ClockDomain& clock = network.clock();
  RunResult result(std::move(config), source.facts());
  LinkResult& links = result.network.emplace<LinkResult>();
  const MachineConfig machine = machine_of_messages(result.config);
  const auto driver = source.make_driver(result.config.workload, result.config.topology, machine);
  const std::optional<PacketFormat> format = packet_format(result.config);

  const std::uint64_t stride = format ? packet_stride(result.config, result.facts.messages) : 0;
  ObservedRun observed(observers.observed(result.config, stride), network);
  LinkStatistics statistics(observed);
  std::optional<NodeStatistics> nodes;
  if (options.explains_waits) {
    nodes.emplace(result.config.topology, machine, result.config.workload.advance == Advance::barrier,
                  warmup_of_background(result.config));
    observed.on_messages(*nodes);
    observed.on_arrivals([&](const MessageArrival& arrival) {
      if (!format) nodes->explain(arrival.message.delivery.id, arrival.parts, arrival.longest_wait);
    });
  }
  std::optional<ReplayObserver> replay;
  if (source.recorded() != nullptr)
    observed.on_stalls(replay.emplace(*source.recorded(), result.config.topology));
  observers.watch(observed);
  observed.start();
  MessageClasses classes(machine);
  driver->on_arrival([&](const ArrivedMessage& arrived) {
    classes.add(arrived);
    if (replay) replay->arrived(arrived);
    format ? statistics.count(arrived) : statistics.arrived(arrived);
    if (format && nodes) nodes->explain(arrived.delivery.id, statistics.parts_of(arrived), nullptr);
  });

  if (const auto report = progress_report(options, result.facts.messages)) {
    clock.on_progress([&driver, report](Cycle now, std::uint64_t flit_hops) {
      report(now, driver->messages_arrived(), flit_hops);
    });
  }
  RunWatch watch(clock, observed);
  std::optional<Background> background;
  if (result.config.workload.background) {
    background.emplace(*driver, result.config, format ? nullptr : &statistics, classes);
    // Messages of the background in flight are dropped.
    watch.halt_when([&] { return background->driver().finished(); });
  }
  const TrafficTally none;
  const TrafficTally& beside = background ? background->tally() : none;
  clock.watch(watch, watch.first());
  Driver& messages = background ? static_cast<Driver&>(background->driver()) : *driver;
  ObservedDriver observed_driver(messages, observed.message_observers());
  std::optional<PacketDriver> packets;
  if (format) {
    packets.emplace(observed_driver, *format, result.config.topology, result.config.machine, stride);
    packets->on_packet([&](const ArrivedMessage& packet) {
      const bool is_beside = background && message_name(packet.delivery.id).step == 0;
      is_beside ? statistics.ignore(packet) : statistics.observe(packet);
    });
  }
  const std::optional<MemoryMap> memories = memory_map(result.config);
  Driver& sender = packets                                ? static_cast<Driver&>(*packets)
                   : observed.message_observers().empty() ? messages
                                                          : observed_driver;
  std::optional<MemoryDriver> from_memories;
  if (memories) from_memories.emplace(sender, *memories);
  if (from_memories && replay) {
    from_memories->on_wait(
        [&](const Packet& packet, Cycle cycles) { replay->waited_for_memory(packet, cycles); });
  }
  Driver& whole = from_memories ? static_cast<Driver&>(*from_memories) : sender;
  const ClockStop stop = network.run(whole, result.config.cycle_limit);
  result.steps = driver->steps();
  links.loads = source.loads(*driver);
  links.deadlock = watch.deadlock();
  // The clock skips idle cycles, which are part of the run.
  const Cycle last = stop == ClockStop::limit ? result.config.cycle_limit : clock.last_cycle();
  conclude(result, links, *driver, clock, stop, last, beside, packets);
  observers.ended(last);
  fill_counters(result, links, classes, clock, last);
  statistics.fill(result, links);
  if (nodes) nodes->fill(links, result);
  observers.close({last, result.cycles, links.deadlock, links.critical_path});
  for (const StepRecord& step : result.steps) result.messages += step.messages;
  for (const StepLoad& load : links.loads) {
    result.max_channel_load = std::max(result.max_channel_load, load.max_load);
  }
  result.flits = DataFlits(clock, packets).sent - beside.generated_flits;
  if (packets) links.packets = {packets->sent().packets, packets->sent().packets * format->head_flits};
  if (replay && result.status == RunStatus::completed) {
    links.barriers = compare_barriers(result.config, source.recorded()->recording(), replay->begins(),
                                      replay->ends(), replay->waits());
  }
  if (background) links.background = background->result(result.config.topology.nodes(), last);
  result.redundant_deliveries = driver->possession().redundant();
  if (driver->operands()) result.redundant_deliveries += driver->operands()->redundant();
  return result;
}

}  // namespace flitscope
