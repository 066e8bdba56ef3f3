// Memories that messages come from. docs/timing.md, "Memories", defines them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/topology.h"
#include "model/types.h"
#include "model/units.h"
#include "sim/network/transport.h"

namespace flitscope {

/// How a node reads messages of a class out of its memory.
struct MemoryPort {
  Cycle latency = 0;          ///< from the beginning of a service
  Ratio cycles_per_flit = 1;  ///< it reads a flit every so many cycles
  bool operator==(const MemoryPort&) const = default;
};

/// The order in which a memory serves messages.
enum class MemoryOrder : std::uint8_t {
  first_come,
  /// In turn by the dimension in which the requests for them came last, those of its own node by themselves.
  round_robin,
  /// In turn by the VC class by which the requests came, then as round_robin among those of a class.
  vc_round_robin,
};
inline constexpr std::array kMemoryOrders{MemoryOrder::first_come, MemoryOrder::round_robin,
                                          MemoryOrder::vc_round_robin};
/// "first-come", "round-robin" or "vc-round-robin".
[[nodiscard]] const char* name_of(MemoryOrder order);

/// How messages of a class are read.
struct MemoryClass {
  MemoryPort own;
  MemoryPort shared;  ///< at nodes that share memories
  /// Replies of all classes come from one memory of a node, requests from another one.
  bool is_reply = false;
  std::uint32_t network = 0;  ///< by which they go: each has ports of its own
};

/// The memories of all nodes: each has its own, or shares one.
struct MemoryMap {
  MemoryOrder order = MemoryOrder::first_come;
  /// With vc_round_robin: the place of the dateline in every dimension (docs/timing.md).
  std::uint32_t dateline = 0;
  /// By message class; messages of one without an entry do not wait.
  std::vector<std::optional<MemoryClass>> classes = {};
  /// Millionths of a cycle that a memory takes for a flit of replies, whatever the port; 0: no time.
  std::uint64_t own_millionths = 0;
  std::uint64_t shared_millionths = 0;
  /// The same of requests from a node to itself: their flits are read and written.
  std::uint64_t self_millionths = 0;
  /// Added to the latency of requests from a node to itself.
  Cycle self_latency = 0;
  /// Millionths of a cycle by which each flit that arrives delays the replies of the node it arrives at.
  std::uint64_t write_millionths = 0;
  /// Network interfaces wait for each flit (MachineConfig::read_intervals), and begin with the first one.
  bool flit_by_flit = false;
  std::unordered_map<NodeId, std::uint32_t> shared_by =
      {};  ///< nodes that share memories, and the number of theirs
};

/// A message that is read out of a memory.
struct MemoryRead {
  NodeId node = 0;  ///< where it is
  NodeId reader = 0;
  std::uint32_t message_class = 0;
  std::uint32_t flits = 1;
  std::uint64_t tag = 0;  ///< of the caller
};

/// All memories of a machine.
class Memories {
 public:
  /// Both must outlive it.
  Memories(const MemoryMap& map, const Topology& topology) : map_(map), topology_(topology) {
    for (unsigned network = 0; network < topology.networks(); ++network)
      networks_.push_back(topology.network(network));
  }

  /// Called with each message whose service has to wait, and these cycles.
  void on_wait(std::function<void(const MemoryRead&, Cycle)> callback) { on_wait_ = std::move(callback); }

  /// Whether messages of a class wait for a memory.
  [[nodiscard]] bool serves(std::uint32_t message_class) const {
    return message_class < map_.classes.size() && map_.classes[message_class];
  }
  /// A message of so many flits has arrived at a node in cycle `now`, before what that releases is handed
  /// over.
  void write(NodeId node, std::uint32_t flits, Cycle now);
  /// A message of a class that is served is handed over in cycle `now`.
  void put(const MemoryRead& read, Cycle now);
  /// The next cycle in which a service can begin, or a message leaves.
  [[nodiscard]] Cycle next_event() const;
  /// Begins the services of cycle `now`.
  void serve(Cycle now);
  /// Takes the next message that has left by `now`, if there is one.
  [[nodiscard]] std::optional<MemoryRead> take(Cycle now);
  [[nodiscard]] bool is_empty() const { return leaving_.empty() && busy_.empty(); }

 private:
  struct Waiting {
    MemoryRead read;
    Cycle since = 0;
    std::uint64_t number = 0;
  };
  /// Free from here on: `cycles` and `part` of a cycle.
  struct Free {
    Cycle cycles = 0;
    std::uint64_t part = 0;
    /// A service of `parts` begins in cycle `now`; a cycle has `whole` of them.
    void begin(Cycle now, std::uint64_t parts, std::uint64_t whole) {
      if (cycles < now) part = 0;
      cycles = now + (part + parts) / whole;
      part = (part + parts) % whole;
    }
  };
  /// The node and its network.
  using PortKey = std::pair<NodeId, std::uint32_t>;
  using MemoryKey = std::pair<std::uint64_t, bool>;  ///< memory, and whether it has replies
  /// Messages by turn, in queues that are not empty.
  struct Turns {
    std::map<unsigned, std::deque<Waiting>> queues;
    unsigned last_turn = 0;
    /// The first message of the next queue, which leaves it. Requires one.
    Waiting next();
  };
  struct Port {
    Free free;
    std::array<Turns, 2> by_vc_class;
    unsigned last_class = 1;
    [[nodiscard]] bool is_empty() const {
      return by_vc_class[0].queues.empty() && by_vc_class[1].queues.empty();
    }
    /// The number of the message that came first. Requires one.
    [[nodiscard]] std::uint64_t first_number() const;
    /// The next message, which leaves its queue. Requires one.
    Waiting next();
  };
  struct Memory {
    Free all;
    std::map<PortKey, Port> ports;
    PortKey last_port;
  };

  [[nodiscard]] const MemoryClass& class_of(const MemoryRead& read) const {
    return *map_.classes[read.message_class];
  }
  /// Nodes share memories for replies alone.
  [[nodiscard]] bool is_shared(const MemoryRead& read) const {
    return class_of(read).is_reply && map_.shared_by.contains(read.node);
  }
  [[nodiscard]] unsigned turn_of(const MemoryRead& read) const;
  [[nodiscard]] unsigned vc_class_of(const MemoryRead& read, unsigned turn) const;
  /// The dimension that requests take at a turn, from 1 on.
  [[nodiscard]] unsigned dimension_of(const MemoryRead& read, unsigned turn) const {
    return (networks_[class_of(read).network].first_dimension() + turn - 1) % topology_.dimensions();
  }
  [[nodiscard]] const MemoryPort& port_of(const MemoryRead& read) const;
  void serve(const MemoryKey& key, Memory& memory, Cycle now);
  /// Whose first message is the next one; nullptr if no port with messages is free.
  [[nodiscard]] Port* next_port(Memory& memory, Cycle now) const;
  void begin(Memory& memory, Port& port, const Waiting& message, Cycle now);

  const MemoryMap& map_;
  const Topology& topology_;
  std::vector<Topology> networks_;
  std::map<MemoryKey, Memory> memories_;
  std::set<std::pair<Cycle, MemoryKey>> busy_;  ///< in which messages wait, by the next cycle of a service
  std::map<std::pair<Cycle, std::uint64_t>, MemoryRead> leaving_;  ///< by cycle, in the order of services
  std::uint64_t put_ = 0;
  std::uint64_t begun_ = 0;
  std::function<void(const MemoryRead&, Cycle)> on_wait_;
};

/// Hands messages over when the memories that they come from have read them: a driver between a driver of
/// messages and the network.
class MemoryDriver final : public RelayDriver {
 public:
  /// All must outlive it. The network's nodes have injection queues without limit.
  MemoryDriver(Driver& messages, const MemoryMap& map, const Topology& topology)
      : RelayDriver(messages), memories_(map, topology) {}

  /// Called with each message, its id as tag, whose service has to wait, and these cycles.
  void on_wait(std::function<void(const MemoryRead&, Cycle)> callback) {
    memories_.on_wait(std::move(callback));
  }

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    enter(network, now);
    deliveries_.assign(deliveries.begin(), deliveries.end());
    for (Delivery& delivery : deliveries_) {
      const auto found = sent_.find(delivery.id);
      if (found == sent_.end()) continue;
      delivery.ready = found->second.ready;
      memories_.write(found->second.packet.destination, found->second.packet.flits, now);
      sent_.erase(found);
    }
    inner().delivered(*this, deliveries_, now);
  }
  [[nodiscard]] Cycle next_event() const override {
    return std::min(memories_.next_event(), inner().next_event());
  }
  void at(Transport& network, Cycle now) override {
    enter(network, now);
    if (inner().next_event() <= now) inner().at(*this, now);
    memories_.serve(now);
    while (const auto read = memories_.take(now)) network.send(sent_.at(read->tag).packet);
  }
  [[nodiscard]] bool finished() const override { return inner().finished() && memories_.is_empty(); }

 private:
  void send(const Packet& packet) override {
    if (!memories_.serves(packet.message_class)) return network().send(packet);
    sent_[packet.id] = {packet, now()};
    memories_.put({.node = packet.source,
                   .reader = packet.destination,
                   .message_class = packet.message_class,
                   .flits = packet.flits,
                   .tag = packet.id},
                  now());
  }

  /// A message of a memory from when it is handed over until it is delivered.
  struct Sent {
    Packet packet;
    Cycle ready = 0;
  };
  Memories memories_;
  std::unordered_map<std::uint64_t, Sent> sent_;  ///< by id
  std::vector<Delivery> deliveries_;
};

}  // namespace flitscope
