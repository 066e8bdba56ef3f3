#include "sim/run/link_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/schedule.h"
#include "model/text.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/driver/table_driver.h"
#include "sim/network/network.h"
#include "sim/run/background.h"
#include "sim/run/network_factory.h"
#include "sim/run/observation.h"
#include "sim/run/progress.h"
#include "sim/run/run_watch.h"
#include "sim/run/verification.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

/// What the network has to do: a schedule, watched while it is played, or a table without any.
class Work {
 public:
  explicit Work(const ExperimentConfig& config) {
    if (config.workload.advance == Advance::table) {
      table_.emplace(make_table(config));
    } else {
      made_ = make_schedule(config);
    }
  }

  [[nodiscard]] const ScheduleFacts& facts() const {
    return table_ ? table_->facts : watched_ ? watched_->facts() : made_->facts();
  }

  /// Requires a complete machine. The driver refers to this and to the machine.
  [[nodiscard]] std::unique_ptr<CollectiveDriver> make_driver(const WorkloadConfig& workload,
                                                              const Topology& topology,
                                                              const MachineConfig& machine) {
    if (table_) return std::make_unique<TableDriver>(*table_, machine);
    watched_.emplace(std::move(made_), topology, machine);
    if (workload.advance == Advance::barrier) return std::make_unique<BarrierDriver>(*watched_, machine);
    const Paths& ways = watched_->ways();
    DataflowDriver::FirstPort first_port;
    if (!ways.follow_routes()) {
      first_port = [&ways](const Message& message) {
        return ways.first_port(message.source, message.destination, message.route);
      };
    }
    return std::make_unique<DataflowDriver>(*watched_, machine, workload.lookahead, std::move(first_port));
  }

  /// The loads of the steps played. A table sends a packet over each link at most.
  [[nodiscard]] std::vector<StepLoad> loads(const CollectiveDriver& driver) const {
    if (watched_) return watched_->loads();
    std::vector<StepLoad> loads;
    for (const StepRecord& step : driver.steps()) {
      StepLoad load;
      load.max_load = step.messages > 0 ? 1 : 0;
      load.used_links = step.messages;
      load.hops = step.messages;
      loads.push_back(load);
    }
    return loads;
  }

 private:
  std::optional<LinkPrograms> table_;
  std::unique_ptr<Schedule> made_;
  std::optional<WatchedSchedule> watched_;
};

/// `last` is the last cycle of a run that is not completed; `background` is what travelled beside it.
void conclude(RunResult& result, LinkResult& links, const CollectiveDriver& driver, const ClockDomain& clock,
              ClockStop stop, Cycle last, const TrafficTally& background) {
  if (stop != ClockStop::limit && driver.finished() && driver.in_flight() == 0) {
    result.cycles = driver.last_arrival();
    const OperandLedger* const operands = driver.operands() ? &*driver.operands() : nullptr;
    verify(result, {driver.possession(), operands, driver.messages_arrived(),
                    clock.flits_sent() - background.generated_flits,
                    clock.flits_delivered() - background.arrived_flits});
    return;
  }
  result.cycles = last;
  // Also at the limit: it is no answer if some worms could never have moved again.
  if (!links.deadlock) links.deadlock = find_deadlock(clock);
  if (links.deadlock) {
    result.status = RunStatus::deadlock;
    result.failed_checks.push_back(counted(driver.in_flight(), "message", "messages") + " never arrived");
    return;
  }
  if (stop == ClockStop::limit) return end_at_limit(result);
  if (driver.in_flight() == 0) {
    if (const auto message = driver.hindered()) throw IllegalMessage(*message, driver.hindrance());
    throw ScheduleError(driver.hindrance());
  }
  throw std::logic_error("the network stands still without a deadlock");
}

}  // namespace

RunResult run_on_links(ExperimentConfig config, const RunOptions& options, const RunFunction& run) {
  Work work(config);
  resolve_auto_settings(config, work.facts());
  const MachineConfig& planned = config.machine;
  const std::uint64_t picoseconds = countable_period(config, planned.furthest_ahead());
  ObserverSet observers(config, options, run);  // before any simulation
  // It comes first, since it refuses what this machine has no memory for.
  Network& network = make_network(config, picoseconds, options.free_threads);
  ClockDomain& clock = network.clock();
  RunResult result(std::move(config), work.facts());
  LinkResult& links = result.network.emplace<LinkResult>();
  const MachineConfig& machine = result.config.machine;
  const auto driver = work.make_driver(result.config.workload, result.config.topology, machine);

  LinkRun observed(observers.observed(result.config), network);
  LinkStatistics statistics(observed);
  observers.watch(observed);
  observed.start();
  driver->on_arrival([&](const ArrivedMessage& arrived) { statistics.arrived(arrived); });

  ProgressReports progress(options, result.facts.messages);
  if (progress.wanted()) {
    clock.on_progress([&](Cycle now, std::uint64_t flit_hops) {
      progress.report(now, driver->messages_arrived(), flit_hops);
    });
  }
  RunWatch watch(clock, observed);
  std::optional<Background> background;
  if (result.config.workload.background) {
    background.emplace(*driver, result.config, statistics);
    // What still travels beside the schedule is given up.
    watch.halt_when([&] { return background->driver().finished(); });
  }
  const TrafficTally nothing;
  const TrafficTally& beside = background ? background->tally() : nothing;
  clock.watch(watch, watch.first());
  Driver& whole = background ? static_cast<Driver&>(background->driver()) : *driver;
  const ClockStop stop = network.run(whole, result.config.cycle_limit);
  result.steps = driver->steps();
  links.loads = work.loads(*driver);
  links.deadlock = watch.deadlock();
  // Cycles in which nothing happens are passed over; they are part of the run all the same.
  const Cycle last = stop == ClockStop::limit ? result.config.cycle_limit : clock.last_cycle();
  conclude(result, links, *driver, clock, stop, last, beside);
  observers.ended(last);
  clock.routers().settle_stalls(last + 1);
  links.channels = channel_records(result.config.topology, clock.routers());
  statistics.fill(result, links);
  observers.close({last, result.cycles, links.deadlock});
  for (const StepRecord& step : result.steps) result.messages += step.messages;
  for (const StepLoad& load : links.loads) {
    result.max_channel_load = std::max(result.max_channel_load, load.max_load);
  }
  result.flits = clock.flits_sent() - beside.generated_flits;
  if (background) links.background = background->result(result.config.topology.nodes(), last);
  result.flit_hops = clock.routers().flit_hops();
  links.skipped_cycles = clock.cycles_skipped();
  links.threads = clock.threads();
  result.redundant_deliveries = driver->possession().redundant();
  if (driver->operands()) result.redundant_deliveries += driver->operands()->redundant();
  links.stalls = clock.routers().stalls();
  return result;
}

}  // namespace flitscope
