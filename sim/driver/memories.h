// Memories that messages come from. docs/timing.md, "Memories", defines them.
#pragma once

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
};
inline constexpr std::array kMemoryOrders{MemoryOrder::first_come, MemoryOrder::round_robin};
/// "first-come" or "round-robin".
[[nodiscard]] const char* name_of(MemoryOrder order);

/// The memories of all nodes: each has its own, or shares one.
struct MemoryMap {
  MemoryOrder order = MemoryOrder::first_come;
  std::vector<MemoryPort> own = {};     ///< by message class
  std::vector<MemoryPort> shared = {};  ///< by message class, of nodes that share memories
  /// The message class that memories limit in all, and the millionths of a cycle that one takes for a flit of
  /// it; 0: no time.
  std::uint32_t limited_class = 0;
  std::uint64_t own_millionths = 0;
  std::uint64_t shared_millionths = 0;
  std::unordered_map<NodeId, std::uint32_t> shared_by =
      {};  ///< nodes that share memories, and the number of theirs
};

/// A message that is read out of a memory.
struct MemoryRead {
  NodeId node = 0;  ///< where it is
  NodeId reader = 0;
  std::uint32_t message_class = 0;
  std::uint32_t flits = 1;
  std::uint64_t tag = 0;      ///< of the caller
  std::uint32_t network = 0;  ///< to which it goes: each has ports of its own
};

/// All memories of a machine. Nodes and readers are those of `topology`, whatever the network.
class Memories {
 public:
  /// Both must outlive it.
  Memories(const MemoryMap& map, const Topology& topology) : map_(map), topology_(topology) {}

  /// Called with each message whose service has to wait, and these cycles.
  void on_wait(std::function<void(const MemoryRead&, Cycle)> callback) { on_wait_ = std::move(callback); }

  /// A message is handed over in cycle `now`.
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
  /// Of a class: the node and its network.
  using PortKey = std::pair<NodeId, std::uint32_t>;
  using MemoryKey = std::pair<std::uint64_t, std::uint32_t>;  ///< memory and class
  struct Port {
    Free free;
    std::map<unsigned, std::deque<Waiting>> queues;  ///< by turn; those that are not empty
    unsigned last_turn = 0;
  };
  struct Memory {
    Free all;
    std::map<PortKey, Port> ports;
    PortKey last_port;
  };

  [[nodiscard]] unsigned turn_of(const MemoryRead& read) const;
  [[nodiscard]] const MemoryPort& port_of(const MemoryRead& read) const;
  void serve(const MemoryKey& key, Memory& memory, Cycle now);
  /// Whose first message is the next one; nullptr if no port with messages is free.
  [[nodiscard]] Port* next_port(Memory& memory, Cycle now) const;
  void begin(Memory& memory, Port& port, const Waiting& message, Cycle now);

  const MemoryMap& map_;
  const Topology& topology_;
  std::map<MemoryKey, Memory> memories_;
  std::set<std::pair<Cycle, MemoryKey>> busy_;  ///< in which messages wait, by the next cycle of a service
  std::map<std::pair<Cycle, std::uint64_t>, MemoryRead> leaving_;  ///< by cycle, in the order of services
  std::uint64_t put_ = 0;
  std::uint64_t begun_ = 0;
  std::function<void(const MemoryRead&, Cycle)> on_wait_;
};

}  // namespace flitscope
