// A run as observers see it: what it is made of, and what they can listen to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "params/settings.h"
#include "routers/circuits/circuit_network.h"
#include "routers/engine/flit_observer.h"
#include "sim/observe/flits/observers.h"
#include "sim/observe/profile_run.h"

namespace flitscope {

class CircuitNetwork;
class Network;
struct ArrivedMessage;
struct LatencyParts;
struct Wait;

/// What observers know of a run before it begins. Everything it refers to lives as long as they do.
struct ObservedRun {
  /// Values of all keys that were registered, those of other parts included.
  const Settings& settings;
  const Topology& topology;
  const MachineConfig& machine;
  /// Length of a cycle in picoseconds, if it was given.
  std::optional<std::uint64_t> clock;
  /// Where files are written.
  std::filesystem::path directory;
  /// Empty unless an observer has asked for it.
  ProfileRun first_run;

  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return directory / name; }
};

/// A message that has arrived.
struct MessageArrival {
  const ArrivedMessage& message;
  const LatencyParts& parts;  ///< where its time went
  const Wait* longest_wait;   ///< of its head; nullptr if it never waited
};

/// A run on a network with links. Listeners must live as long as the run.
class LinkRun : public ObservedRun {
 public:
  LinkRun(ObservedRun run, Network& on);

  [[nodiscard]] Network& network() const { return network_; }

  /// Every move of a flit at these nodes, at all nodes if there are none. It can be told of others as well.
  void on_flits(FlitObserver& listener, const std::vector<NodeId>& nodes = {});
  void on_stalls(StallObserver& listener) { listeners_.add_stalls(listener); }
  void on_arrivals(std::function<void(const MessageArrival&)> listener) {
    arrivals_.push_back(std::move(listener));
  }
  /// After every cycle in which anything happened. The network is then looked at in every cycle.
  void on_cycles(std::function<void(Cycle)> listener) { cycles_.push_back(std::move(listener)); }

  // For whoever runs the network:

  /// All who listen are known: has the network tell them.
  void start();
  void arrived(const MessageArrival& arrival) const {
    for (const auto& listener : arrivals_) listener(arrival);
  }
  [[nodiscard]] bool looks_at_cycles() const { return !cycles_.empty(); }
  void after_cycle(Cycle now) const {
    for (const auto& listener : cycles_) listener(now);
  }

 private:
  Network& network_;
  Observers listeners_;
  std::vector<NodeId> nodes_;  ///< at which flits are watched
  bool all_nodes_ = false;
  std::vector<std::function<void(const MessageArrival&)>> arrivals_;
  std::vector<std::function<void(Cycle)>> cycles_;
};

/// A run on a complete network. Listeners must live as long as the run.
class CircuitRun : public ObservedRun {
 public:
  CircuitRun(ObservedRun run, CircuitNetwork& on) : ObservedRun(std::move(run)), network_(on) {}

  [[nodiscard]] const CircuitNetwork& network() const { return network_; }

  /// Tunings, sends and arrivals.
  void on_circuits(CircuitObserver& listener);

 private:
  CircuitNetwork& network_;
};

}  // namespace flitscope
