#include "sim/run/experiment.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "model/error.h"
#include "model/units.h"
#include "sim/driver/barrier_driver.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/table_driver.h"
#include "sim/network/network.h"
#include "sim/run/circuit_experiment.h"
#include "sim/run/observation.h"
#include "sim/run/wave_choice.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

using Stopwatch = std::chrono::steady_clock;

double seconds_since(Stopwatch::time_point start) {
  return std::chrono::duration<double>(Stopwatch::now() - start).count();
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Looks for deadlocks and reports progress. Neither has an influence on the run before it ends.
class RunWatch final : public ClockWatcher {
 public:
  static constexpr Cycle kProgressCycles = 256;

  RunWatch(const ClockDomain& clock, const CollectiveDriver& driver, std::uint64_t steps,
           const std::function<void(const Progress&)>& on_progress, Observation& observation)
      : clock_(clock),
        driver_(driver),
        steps_(steps),
        on_progress_(on_progress),
        deadlocks_(clock),
        observation_(observation) {}

  /// The first cycle to be asked in.
  [[nodiscard]] Cycle first() const {
    const Cycle look = on_progress_ ? kProgressCycles : DeadlockWatch::kFirstLook;
    return observation_.looks_at_cycles() ? 0 : look;
  }

  std::optional<Cycle> after_cycle(Cycle now) override {
    if (observation_.looks_at_cycles()) observation_.after_cycle(now);
    if (now >= next_look_) {
      const auto again = deadlocks_.after_cycle(now);
      if (!again) return std::nullopt;
      next_look_ = *again;
    }
    if (on_progress_) report(now);
    if (observation_.looks_at_cycles()) return now + 1;
    return on_progress_ ? std::min(next_look_, now + kProgressCycles) : next_look_;
  }

  [[nodiscard]] const std::optional<Deadlock>& deadlock() const { return deadlocks_.deadlock(); }

 private:
  void report(Cycle now) {
    if (seconds_since(last_report_) < 0.25) return;
    const std::uint64_t hops = clock_.routers().flit_hops();
    const double rate = static_cast<double>(hops - hops_reported_) / seconds_since(last_report_);
    on_progress_({driver_.steps().size(), steps_, now, rate});
    hops_reported_ = hops;
    last_report_ = Stopwatch::now();
  }

  const ClockDomain& clock_;
  const CollectiveDriver& driver_;
  std::uint64_t steps_;
  const std::function<void(const Progress&)>& on_progress_;
  DeadlockWatch deadlocks_;
  Observation& observation_;
  Cycle next_look_ = DeadlockWatch::kFirstLook;
  Stopwatch::time_point last_report_ = Stopwatch::now();
  std::uint64_t hops_reported_ = 0;
};

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
                                                              const MachineConfig& machine) {
    if (table_) return std::make_unique<TableDriver>(*table_, machine);
    watched_.emplace(std::move(made_), machine);
    if (workload.advance == Advance::barrier) return std::make_unique<BarrierDriver>(*watched_, machine);
    return std::make_unique<DataflowDriver>(*watched_, machine, workload.lookahead);
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
  std::optional<RoutingTable> table_;
  std::unique_ptr<Schedule> made_;
  std::optional<WatchedSchedule> watched_;
};

std::vector<ChannelRecord> channel_records(const Topology& topology, const RouterPool& routers) {
  std::vector<ChannelRecord> records;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (unsigned number = 0; number < topology.link_ports(); ++number) {
      if (!topology.has_link(node, number)) continue;
      const Port& port = routers.port(node, number);
      records.push_back({topology.channel(node, number), port.flits, port.messages, port.stalled});
    }
  }
  return records;
}

/// Everything has arrived: is it what the collective wanted, and what the schedule announced?
void verify(RunResult& result, const CollectiveDriver& driver, const ClockDomain& clock) {
  const Collective& collective = result.facts.collective;
  if (const auto missing = driver.possession().first_missing(collective)) {
    result.status = RunStatus::goal_missed;
    const std::uint64_t count = driver.possession().missing(collective);
    result.objections.push_back(fmt::format("{} lacks chunk {} at the end; {} missing in all",
                                            result.facts.topology.node_name(missing->node), missing->chunk,
                                            count == 1 ? "1 chunk is" : fmt::format("{} chunks are", count)));
  }
  const auto expect = [&](const char* what, std::uint64_t expected, std::uint64_t actual) {
    if (expected == actual) return;
    result.objections.push_back(fmt::format("{} {} expected, but there were {}", expected, what, actual));
  };
  expect("steps", result.facts.steps, result.steps.size());
  expect("messages", result.facts.messages, driver.messages_arrived());
  expect("flits at their destinations", clock.flits_sent(), clock.flits_delivered());
}

void conclude(RunResult& result, const CollectiveDriver& driver, const ClockDomain& clock, ClockStop stop) {
  if (stop == ClockStop::quiet && driver.finished()) {
    result.cycles = clock.last_delivery();
    verify(result, driver, clock);
    return;
  }
  result.cycles = clock.last_cycle();
  // Also at the limit: it is no answer if some worms could never have moved again.
  if (!result.deadlock) result.deadlock = find_deadlock(clock);
  if (result.deadlock) {
    result.status = RunStatus::deadlock;
    result.objections.push_back(fmt::format("{} messages never arrived", driver.in_flight()));
    return;
  }
  if (stop == ClockStop::limit) {
    result.status = RunStatus::limit;
    result.objections.push_back(
        fmt::format("the limit of {} cycles came before the end", result.config.cycle_limit));
    return;
  }
  if (driver.in_flight() == 0) throw ScheduleError(driver.hindrance());
  throw std::logic_error("the network stands still without a deadlock");
}

/// SystemC counts time in a 64-bit number of picoseconds; the network must not plan anything beyond its end.
void require_countable_time(const ExperimentConfig& config, std::uint64_t period) {
  const MachineConfig& machine = config.machine;
  const Cycle plans = machine.startup + machine.slowdown + machine.router_delay + machine.link_delay;
  const Cycle countable = std::numeric_limits<std::uint64_t>::max() / period;
  if (config.cycle_limit + plans <= countable) return;
  throw Inadmissible("clock",
                     fmt::format("with a clock of {} time can be counted to {} cycles, which limits.cycles "
                                 "and node.startup together exceed; lower them, or leave the clock out",
                                 time_text(period), countable));
}

RunResult simulate(ExperimentConfig config, const RunOptions& options) {
  Work work(config);
  require_same_network(work.facts(), config.topology);
  complete_machine(config, work.facts());
  const std::uint64_t picoseconds = config.clock.value_or(1000);
  require_countable_time(config, picoseconds);
  const WaveScope waves =
      options.observed_files.empty() ? WaveScope() : choose_wave_scope(config);  // before any simulation
  const auto period = sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS);
  // SystemC frees its objects when the process ends and not before: so does the network. It comes first,
  // since it refuses what this machine has no memory for.
  Network& network = *new Network("network", config.topology, config.machine, period);
  ClockDomain& clock = network.clock();
  RunResult result(std::move(config), work.facts());
  const MachineConfig& machine = result.config.machine;
  const auto driver = work.make_driver(result.config.workload, machine);

  Observation observation(result.config, waves, options.observed_files, network);
  driver->on_arrival([&](const ArrivedMessage& arrived) { observation.arrived(arrived); });

  RunWatch watch(clock, *driver, result.facts.steps, options.on_progress, observation);
  clock.watch(watch, watch.first());
  const ClockStop stop = network.run(*driver, result.config.cycle_limit);
  result.steps = driver->steps();
  result.loads = work.loads(*driver);
  result.deadlock = watch.deadlock();
  conclude(result, *driver, clock, stop);
  clock.routers().settle_stalls(clock.last_cycle() + 1);
  result.channels = channel_records(result.config.topology, clock.routers());
  observation.conclude(result);
  for (const StepRecord& step : result.steps) result.messages += step.messages;
  for (const StepLoad& load : result.loads) {
    result.max_channel_load = std::max(result.max_channel_load, load.max_load);
  }
  result.flits = clock.flits_sent();
  result.flit_hops = clock.routers().flit_hops();
  result.redundant_deliveries = driver->possession().redundant();
  result.stalls = clock.routers().stalls();
  return result;
}

}  // namespace

const char* name_of(RunStatus status) {
  switch (status) {
    case RunStatus::completed:
      return "completed";
    case RunStatus::deadlock:
      return "deadlock";
    case RunStatus::goal_missed:
      return "goal-missed";
    case RunStatus::limit:
      return "limit";
  }
  return "?";
}

Cycle RunResult::stage_cycles(const Stage& stage) const {
  Cycle begin = kNever;
  Cycle end = 0;
  for (std::uint64_t step = stage.first_step; step <= stage.last_step && step <= steps.size(); ++step) {
    begin = std::min(begin, steps[step - 1].begin);
    end = std::max(end, steps[step - 1].end);
  }
  return begin < end ? end - begin : 0;
}

std::vector<ChannelRecord> worst_channels(const RunResult& result) {
  std::vector<ChannelRecord> worst;
  for (const ChannelRecord& channel : result.channels) {
    if (channel.stalled > 0) worst.push_back(channel);
  }
  std::ranges::stable_sort(worst, std::greater(), &ChannelRecord::stalled);
  if (worst.size() > kWorstShown) worst.resize(kWorstShown);
  return worst;
}

RunResult run_experiment(ExperimentConfig config, const RunOptions& options) {
  const Stopwatch::time_point start = Stopwatch::now();
  const ExperimentConfig as_written = config;
  const bool complete = !config.topology.has_links();
  try {
    RunResult result =
        complete ? simulate_circuits(std::move(config), options) : simulate(std::move(config), options);
    result.seconds = seconds_since(start);
    result.peak_memory_bytes = peak_memory();
    return result;
  } catch (const Inadmissible& reason) {
    throw located(as_written, reason);
  }
}

}  // namespace flitscope
