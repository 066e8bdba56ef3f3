#include "sim/studies/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/stall_cause.h"
#include "sim/driver/memory_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/memories.h"
#include "sim/run/workload.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

/// Where packets wait: at an output port of a node, by cause, or for its memory.
struct WaitPlace {
  NodeId node = 0;
  unsigned port = 0;
  std::optional<StallCause> cause;  ///< nothing: for the memory
  auto operator<=>(const WaitPlace&) const = default;

  /// "no_credit at [1, 0]+0", "memory of [1, 0]"
  [[nodiscard]] std::string name(const Topology& topology) const {
    if (!cause) return "memory of " + topology.node_name(node);
    return fmt::format("{} at {}", name_of(*cause),
                       port < topology.link_ports() ? topology.channel_name(topology.channel(node, port))
                                                    : "the end at " + topology.node_name(node));
  }
};

/// Replays calls.
class Replay final : public StallObserver {
 public:
  Replay(const ExperimentConfig& config, const Recording& recording, bool of_calls)
      : recording_(recording),
        config_(config),
        schedule_(recording, config.topology, config.routing.value_or(config.topology.default_routing()), {}),
        of_calls_(of_calls) {
    config_.workload = WorkloadConfig();
    resolve_auto_settings(config_, schedule_.facts());
  }

  Json run() {
    const Topology& topology = config_.topology;
    BarrierDriver calls(schedule_, config_.machine);
    std::vector<Cycle> ends(recording_.calls.size());
    calls.on_arrival([&](const ArrivedMessage& arrived) {
      const std::size_t message = message_name(arrived.delivery.id).index();
      if (RecordedSchedule::is_reply(message)) ends[schedule_.call_of(message)] = arrived.delivery.arrived;
    });
    const MemoryMap map = memory_map(config_).value_or(MemoryMap());
    MemoryDriver driver(calls, map, topology);
    driver.on_wait([&](const MemoryRead& read, Cycle cycles) {
      add(read.tag, {read.node, 0, std::nullopt}, cycles);
    });
    ClockDomain clock(sc_core::sc_gen_unique_name("replay"), topology, config_.machine,
                      sc_core::sc_time(1, sc_core::SC_NS), ClockTrigger::caller);
    clock.observe({.stalls = this});
    clock.drive(driver);
    clock.tick_at(0);
    run_to_end(clock);
    if (const std::uint64_t all = schedule_.facts().messages; calls.messages_arrived() < all) {
      throw InputError(fmt::format("{}: {} of {} packets have not arrived within {} cycles", recording_.file,
                                   all - calls.messages_arrived(), all, config_.cycle_limit));
    }
    Json waits = Json::array();
    for (const auto& [key, cycles] : waits_) waits.push_back({key.first, key.second.name(topology), cycles});
    return {{"ends", ends}, {"waits", std::move(waits)}};
  }

  void stalled(const FlitStall& stall) override {
    add(stall.message, {stall.node, stall.port, stall.cause}, stall.cycles);
  }

 private:
  /// Runs all work up to the limit of cycles, and looks for deadlocks now and then.
  void run_to_end(ClockDomain& clock) {
    constexpr Cycle kLook = 4096;
    for (Cycle end = kLook; clock.next_work() <= config_.cycle_limit; end += std::max(kLook, end / 16)) {
      clock.run_to(std::min(end, config_.cycle_limit));
      if (const auto deadlock = find_deadlock(clock)) {
        throw InputError(
            fmt::format("{}: the network is deadlocked since cycle {}; flitscope verify has the "
                        "dependency cycle of an imported recording",
                        recording_.file, deadlock->standstill));
      }
    }
  }

  void add(std::uint64_t id, const WaitPlace& place, Cycle cycles) {
    waits_[{of_calls_ ? schedule_.call_of(message_name(id).index()) : 0, place}] += cycles;
  }

  const Recording& recording_;
  ExperimentConfig config_;
  RecordedSchedule schedule_;
  bool of_calls_;
  std::map<std::pair<std::size_t, WaitPlace>, Cycle> waits_;  ///< flit-cycles by call and place
};

}  // namespace

Json replay(const ExperimentConfig& config, const Recording& recording, bool of_calls) {
  try {
    return Replay(config, recording, of_calls).run();
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

}  // namespace flitscope
