// Plays an event schedule into a complete network: every event at its time.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/machine.h"
#include "model/possession.h"
#include "model/schedule.h"
#include "routers/circuits/circuit_network.h"

namespace flitscope {

/// Flits of a message of `chunks` chunks, at least one. Throws Inadmissible if they are too many for any
/// network.
[[nodiscard]] std::uint32_t carriable_flits(const MachineConfig& machine, std::uint64_t chunk_bytes,
                                            std::uint64_t chunks);

/// Events of time t are performed in cycle t * t_m. Messages get ids that rise in the order of the
/// schedule. Every send is checked (the sender must hold what it sends) and every delivery recorded. Throws
/// ScheduleError for an event with unknown nodes or ports or a message that its sender does not hold, and
/// Inadmissible for a message that is too long.
class CircuitScheduleDriver final : public CircuitDriver {
 public:
  /// `unit` is t_m in cycles. All must outlive the driver.
  CircuitScheduleDriver(CircuitSchedule& schedule, const MachineConfig& machine, Cycle unit);

  /// Sets a callback after the events of a cycle.
  void on_event(std::function<void(Cycle)> callback) { on_event_ = std::move(callback); }

  void delivered(std::span<const Transmission> messages, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override { return next_; }
  void at(CircuitTransport& network, Cycle now) override;

  /// One record a step, for the steps begun so far.
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return records_; }
  [[nodiscard]] const Possession& possession() const { return possession_; }
  [[nodiscard]] std::uint64_t messages_arrived() const { return messages_arrived_; }
  [[nodiscard]] std::uint64_t tunings() const { return tunings_; }
  [[nodiscard]] std::uint64_t flits_sent() const { return flits_sent_; }
  [[nodiscard]] std::uint64_t flits_delivered() const { return flits_delivered_; }

 private:
  struct InFlight {
    NodeId target = kNoNode;
    std::vector<ChunkId> chunks;
  };

  void load();
  void require_existing(const Circuit& circuit, Cycle now) const;
  void send(CircuitTransport& network, std::uint64_t index, Cycle now);

  CircuitSchedule& schedule_;
  const MachineConfig& machine_;
  Cycle unit_;
  Possession possession_;
  CircuitEvent event_;
  Cycle next_ = 0;
  std::unordered_map<std::uint64_t, InFlight> in_flight_;
  std::vector<StepRecord> records_;
  std::function<void(Cycle)> on_event_;
  std::uint64_t messages_arrived_ = 0;
  std::uint64_t tunings_ = 0;
  std::uint64_t flits_sent_ = 0;
  std::uint64_t flits_delivered_ = 0;
};

}  // namespace flitscope
