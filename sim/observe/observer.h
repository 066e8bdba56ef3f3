// Observers: they watch runs and write files about them. An observer is one file in observers/, which
// declares an ObserverEntry; docs/adding-an-observer.md has a complete one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/machine.h"
#include "model/topology.h"
#include "model/types.h"
#include "params/key.h"
#include "params/registry.h"
#include "params/settings.h"
#include "routers/circuits/circuit_network.h"
#include "routers/engine/flit_observer.h"
#include "sim/network/transport.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/observe/flits/latency.h"

namespace flitscope {

class MessageObserver;
class Network;

/// Findings of a run before this one; the same configuration gives the same run. A list is empty if there is
/// nothing of what it names.
struct ProfileRun {
  std::vector<NodeId> dependency_cycle;  ///< nodes of a deadlock's dependency cycle
  std::vector<NodeId> busiest_node;      ///< the one that sends most flits
  std::vector<ChannelId> busiest_link;   ///< the one that moves most flits
  std::vector<ChannelId> awaited_link;   ///< the one that flits wait for longest
};

/// What observers know of a run before it begins. Everything it refers to lives as long as they do.
struct RunFacts {
  /// Values of all keys that were registered, those of other parts included.
  const Settings& settings;
  const Topology& topology;
  const MachineConfig& machine;
  /// Length of a cycle, if it was given.
  std::optional<ClockPeriod> clock;
  /// Where files are written.
  std::filesystem::path directory;
  /// Empty unless an observer has asked for it.
  ProfileRun first_run;
  /// Of traffic in packets, packet p, from 0, of message 3.5 is called 3.(5 + p * packet_stride); else 0.
  std::uint64_t packet_stride = 0;

  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return directory / name; }
};

/// A message that has arrived.
struct MessageArrival {
  const ArrivedMessage& message;
  const LatencyParts& parts;  ///< where its time went
  const Wait* longest_wait;   ///< of its head; nullptr if it never waited
};

/// A run as observers see it: what it is made of, and what they can listen to. Listeners must live as long as
/// the run; they are called in the order in which they were added.
class ObservedRun : public RunFacts, private FlitObserver, private StallObserver {
 public:
  ObservedRun(RunFacts facts, Network& on) : RunFacts(std::move(facts)), network_(&on) {}
  ObservedRun(RunFacts facts, CircuitNetwork& on) : RunFacts(std::move(facts)), circuits_(&on) {}

  /// Requires a network with links.
  [[nodiscard]] Network& network() const { return *network_; }
  /// Requires a complete network.
  [[nodiscard]] const CircuitNetwork& circuits() const { return *circuits_; }

  /// On links: every move of a flit at these nodes, at all nodes if there are none. Moves at other nodes may
  /// be reported, too.
  void on_flits(FlitObserver& listener, const std::vector<NodeId>& nodes = {});
  /// On links.
  void on_stalls(StallObserver& listener) { stalls_.push_back(&listener); }
  /// On links: after every cycle in which anything happened. The network is then looked at in every cycle.
  void on_cycles(std::function<void(Cycle)> listener) { cycles_.push_back(std::move(listener)); }
  /// On links: before the first cycle, when the network can be looked at.
  void on_start(std::function<void()> listener) { starts_.push_back(std::move(listener)); }
  /// On links: messages as they are handed over and as they arrive, those beside a schedule included.
  void on_messages(MessageObserver& listener) { messages_.push_back(&listener); }
  /// On circuits: tunings, and sends as they begin.
  void on_circuits(CircuitObserver& listener);
  /// Messages, on any network.
  void on_arrivals(std::function<void(const MessageArrival&)> listener) {
    arrivals_.push_back(std::move(listener));
  }

  // Called by the run:

  /// All listeners are known: the network reports to them from now on.
  void start();
  void arrived(const MessageArrival& arrival) const {
    for (const auto& listener : arrivals_) listener(arrival);
  }
  [[nodiscard]] const std::vector<MessageObserver*>& message_observers() const { return messages_; }
  [[nodiscard]] bool looks_at_cycles() const { return !cycles_.empty(); }
  void after_cycle(Cycle now) const {
    for (const auto& listener : cycles_) listener(now);
  }

 private:
  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool tail) override {
    for (FlitObserver* each : flits_) each->injected(now, node, channel, message, index, tail);
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool tail) override {
    for (FlitObserver* each : flits_) each->moved(now, node, port, vc, message, index, tail);
  }
  void routed(Cycle now, NodeId node, unsigned input_vc, unsigned port, std::uint64_t message) override {
    for (FlitObserver* each : flits_) each->routed(now, node, input_vc, port, message);
  }
  void granted(Cycle now, NodeId node, unsigned input_vc, unsigned port, unsigned vc,
               std::uint64_t message) override {
    for (FlitObserver* each : flits_) each->granted(now, node, input_vc, port, vc, message);
  }
  void stalled(const FlitStall& stall) override {
    for (StallObserver* each : stalls_) each->stalled(stall);
  }
  [[nodiscard]] bool needs_all() const override {
    return std::ranges::any_of(stalls_, [](const StallObserver* each) { return each->needs_all(); });
  }

  Network* network_ = nullptr;
  CircuitNetwork* circuits_ = nullptr;
  std::vector<FlitObserver*> flits_;
  std::vector<StallObserver*> stalls_;
  std::vector<NodeId> nodes_;  ///< at which flits are watched
  bool all_nodes_ = false;
  std::vector<std::function<void(const MessageArrival&)>> arrivals_;
  std::vector<std::function<void(Cycle)>> cycles_;
  std::vector<std::function<void()>> starts_;
  std::vector<MessageObserver*> messages_;
};

/// How a run ended.
struct RunEnd {
  /// The last cycle that was looked at.
  Cycle last = 0;
  /// As the result has them: until the last delivery, or `last` if the run did not complete.
  Cycle cycles = 0;
  std::optional<Deadlock> deadlock;
  /// Of a schedule on links that was completed.
  std::span<const CriticalMessage> critical_path = {};
};

/// An observer of one run, made when the network is there and nothing has happened. It registers its
/// listeners then, with the run it is made with.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// Cycle `last` was the last one. Flits that are still stalled then are reported after this.
  virtual void ended(Cycle /*last*/) {}
  /// All events are reported. Throws OutputError if a file could not be written completely.
  virtual void close(const RunEnd& end) = 0;
};

/// An observer as it is declared; `Keys` holds the values of its keys.
template <typename Keys>
struct ObserverDeclaration {
  std::string name;
  std::string summary;
  /// What it writes.
  std::vector<std::string> files;
  /// Keys of the section `observe`, or of a section of its own in it: "observe.NAME".
  RowSection<Keys> keys;
  /// Order of its keys among those of other observers, lowest first; those of flitscope itself are below 0.
  int order = 0;
  /// Whether the configuration asks for it.
  std::function<bool(const Keys&)> wanted;
  /// Whether it then needs to know what a first run finds; never if this is empty.
  std::function<bool(const Keys&)> needs_first_run = {};
  /// Makes the observer of a run; nullptr if there is nothing to see. Throws OutputError.
  std::function<std::unique_ptr<Observer>(const Keys&, ObservedRun&)> make = {};
};

/// Makes an observer of one type on links and of another on circuits.
template <typename Keys, typename OnLinks, typename OnCircuits>
std::unique_ptr<Observer> make_for_network(const Keys& /*keys*/, ObservedRun& run) {
  if (run.topology.has_links()) return std::make_unique<OnLinks>(run);
  return std::make_unique<OnCircuits>(run);
}

/// The same, whatever the type of its keys.
struct ObserverKind {
  std::string name;
  std::string summary;
  std::vector<std::string> files;
  std::function<bool(const Settings&)> wanted;
  std::function<bool(const Settings&)> needs_first_run;
  std::function<std::unique_ptr<Observer>(ObservedRun&)> make;
};

using ObserverRegistry = Registry<ObserverKind>;

/// An object of this type at namespace scope registers an observer and its keys.
template <typename Keys>
class ObserverEntry {
 public:
  explicit ObserverEntry(const ObserverDeclaration<Keys>& declared)
      : keys_(declared.keys, declared.order),
        kind_({declared.name, declared.summary, declared.files,
               [wanted = declared.wanted](const Settings& settings) { return wanted(settings.get<Keys>()); },
               [needs = declared.needs_first_run](const Settings& settings) {
                 return needs && needs(settings.get<Keys>());
               },
               [make = declared.make](ObservedRun& run) { return make(run.settings.get<Keys>(), run); }}) {}

 private:
  SettingsRegistry::Entry keys_;
  ObserverRegistry::Entry kind_;
};

/// The observers that a configuration asks for.
[[nodiscard]] std::vector<const ObserverKind*> wanted_observers(const Settings& settings);

// Messages on links, as they are handed to the network and as they arrive.

class MessageObserver {
 public:
  virtual ~MessageObserver() = default;
  /// A driver hands a message to the network interface of its source in cycle `now`.
  virtual void sent(const Packet& packet, Cycle now) = 0;
  /// Before the driver takes it, in its order.
  virtual void delivered(const Delivery& delivery) = 0;
};

/// Reports the messages of a driver. All must outlive it.
class ObservedDriver final : public RelayDriver {
 public:
  ObservedDriver(Driver& driver, const std::vector<MessageObserver*>& observers)
      : RelayDriver(driver), observers_(observers) {}

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) {
      for (MessageObserver* const each : observers_) each->delivered(delivery);
    }
    RelayDriver::delivered(network, deliveries, now);
  }

 private:
  void send(const Packet& packet) override {
    for (MessageObserver* const each : observers_) each->sent(packet, now());
    RelayDriver::send(packet);
  }

  const std::vector<MessageObserver*>& observers_;
};

// Rows of keys that several observers have: nodes, links, times.

/// Nodes, such as [[0, 0], [1, 2]]; none are written as the first of the key's words.
template <typename Keys>
[[nodiscard]] Row<Keys> nodes_row(std::vector<NodeId> Keys::*field, Parameter parameter) {
  parameter.type = ParameterType::node;
  return list_row(field, parse_node, node_text, std::move(parameter));
}

/// Links, such as ['[1, 0]+0'], likewise. Only networks with links have the key.
template <typename Keys>
[[nodiscard]] Row<Keys> links_row(std::vector<ChannelId> Keys::*field, Parameter parameter) {
  parameter.type = ParameterType::text;
  const auto write = [](ChannelId channel, const Topology& topology) {
    return topology.channel_name(channel);
  };
  return of_links(list_row(field, parse_channel, write, std::move(parameter)));
}

/// The key `from` of a field of that name: the first cycle.
template <typename Keys>
[[nodiscard]] Row<Keys> from_row(const std::string& summary = "first cycle") {
  return row(&Keys::from, Parameter::cycles("from", summary, {0, kMaxCycles}));
}

/// The key `to`: the last cycle, or `end`, which is that of the run.
template <typename Keys>
[[nodiscard]] Row<Keys> to_row() {
  return row(&Keys::to,
             Parameter::cycles("to", "last cycle; end: that of the run", {0, kMaxCycles}).or_words({"end"}));
}

// What observers write and draw with.

/// A file that is written piece by piece.
class ObserverFile : public std::ofstream {
 public:
  /// Throws OutputError if it cannot be opened.
  explicit ObserverFile(const std::filesystem::path& file)
      : std::ofstream(file, std::ios::binary), name_(file.string()) {
    if (!*this) throw OutputError(name_ + ": cannot be written");
  }
  /// Throws OutputError if anything could not be written.
  void finish() {
    close();
    if (!*this) throw OutputError(name_ + ": could not be written completely");
  }

 private:
  std::string name_;
};

/// Numbers messages that arrive at a node at the same time: each takes the first slot that is free. The
/// machine has no such slots (see CircuitNode); drawings need them.
class ReceptionSlots {
 public:
  /// The slot of a message that arrives during the cycles `begin` .. `end`-1. Begins must not fall.
  unsigned take(Cycle begin, Cycle end) {
    unsigned slot = 0;
    while (slot < free_from_.size() && free_from_[slot] > begin) ++slot;
    if (slot == free_from_.size()) free_from_.push_back(0);
    free_from_[slot] = end;
    return slot;
  }

 private:
  std::vector<Cycle> free_from_;
};

}  // namespace flitscope
