// Memories that messages come from. docs/timing.md, "Memories", defines them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

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
  /// By message class; messages of one without an entry do not wait.
  std::vector<std::optional<MemoryClass>> classes = {};
  /// Millionths of a cycle that a memory takes for a flit of replies, whatever the port; 0: no time.
  std::uint64_t own_millionths = 0;
  std::uint64_t shared_millionths = 0;
  /// The same of requests from a node to itself: their flits are read and written.
  std::uint64_t self_millionths = 0;
  /// Added to the latency of requests from a node to itself.
  Cycle self_latency = 0;
  /// Network interfaces wait for each flit (MachineConfig::read_intervals), and begin with the first one.
  bool flit_by_flit = false;
  std::unordered_map<NodeId, std::uint32_t> shared_by =
      {};  ///< nodes that share memories, and the number of theirs
};

/// Hands messages over when the memories that they come from have read them: a driver between a driver of
/// messages and the network. A message is read out of a memory of its source.
class MemoryDriver final : public RelayDriver {
 public:
  /// All must outlive it. The network's nodes have injection queues without limit.
  MemoryDriver(Driver& messages, const MemoryMap& map) : RelayDriver(messages), map_(map) {}

  /// Called with each message whose service has to wait, and these cycles.
  void on_wait(std::function<void(const Packet&, Cycle)> callback) { on_wait_ = std::move(callback); }

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override;
  void at(Transport& network, Cycle now) override;
  [[nodiscard]] bool finished() const override {
    return inner().finished() && leaving_.empty() && busy_.empty();
  }

 private:
  /// A message of a memory from when it is handed over until it is delivered.
  struct Sent {
    Packet packet;
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
  struct Port {
    Free free;
    std::deque<const Sent*> queue;
  };
  struct Memory {
    Free all;
    std::map<PortKey, Port> ports;
  };

  void send(const Packet& packet) override;
  [[nodiscard]] const MemoryClass& class_of(const Packet& read) const {
    return *map_.classes[read.message_class];
  }
  /// Nodes share memories for replies alone.
  [[nodiscard]] bool is_shared(const Packet& read) const {
    return class_of(read).is_reply && map_.shared_by.contains(read.source);
  }
  [[nodiscard]] const MemoryPort& port_of(const Packet& read) const;
  /// Begins the services of a memory in this cycle.
  void serve(const MemoryKey& key, Memory& memory);
  /// Whose first message is the next one; nullptr if no port with messages is free.
  [[nodiscard]] Port* next_port(Memory& memory) const;
  void begin(Memory& memory, Port& port, const Sent& message);

  const MemoryMap& map_;
  std::map<MemoryKey, Memory> memories_;
  std::set<std::pair<Cycle, MemoryKey>> busy_;  ///< in which messages wait, by the next cycle of a service
  /// By cycle, in the order of services.
  std::map<std::pair<Cycle, std::uint64_t>, const Sent*> leaving_;
  std::uint64_t put_ = 0;
  std::uint64_t begun_ = 0;
  std::unordered_map<std::uint64_t, Sent> sent_;  ///< by id
  std::vector<Delivery> deliveries_;
  std::function<void(const Packet&, Cycle)> on_wait_;
};

}  // namespace flitscope
