// Memories that messages come from: docs/timing.md, "Memories", written down as plainly as possible. Slow:
// all messages are in one list, which is searched in every cycle.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/driver/memories.h"
#include "sim/network/transport.h"

namespace flitscope::reference {

/// A driver between a driver of messages and a network, as MemoryDriver. All must outlive it.
class SlowMemories final : public RelayDriver {
 public:
  SlowMemories(Driver& messages, const MemoryMap& map) : RelayDriver(messages), map_(map) {}

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  /// The next cycle, as long as a message is here.
  [[nodiscard]] Cycle next_event() const override;
  void at(Transport& network, Cycle now) override;
  [[nodiscard]] bool finished() const override { return inner().finished() && messages_.empty(); }

 private:
  /// Requests of a node, its replies, or the replies of nodes that share a memory; in the order in which they
  /// are served in one cycle.
  struct MemoryName {
    bool is_shared = false;
    std::uint64_t number = 0;
    bool is_reply = false;
    auto operator<=>(const MemoryName&) const = default;
  };
  using PortName = std::pair<NodeId, std::uint32_t>;  ///< node and network

  struct Entry {
    Packet packet;
    MemoryName memory;
    PortName port;
    std::uint64_t service = 0;  ///< its number, from 1; 0: it has not begun
    Cycle leaves = 0;
  };
  struct PortState {
    std::uint64_t free = 0;   ///< f, in parts of a cycle
    std::uint64_t whole = 1;  ///< parts of a cycle: the interval has so many
  };
  struct MemoryState {
    std::uint64_t free = 0;  ///< g, in millionths of a cycle
    std::map<PortName, PortState> ports;
  };

  void send(const Packet& packet) override;
  [[nodiscard]] MemoryPort port_of(const Packet& packet) const;
  void serve(const MemoryName& name);
  /// What is served next, now; nullptr if that is nothing.
  [[nodiscard]] Entry* next(const MemoryName& name);

  const MemoryMap& map_;
  std::vector<Entry> messages_;  ///< in the order in which they were handed over, until they leave
  std::map<MemoryName, MemoryState> states_;
  std::map<std::uint64_t, Cycle> ready_;  ///< by id
  std::uint64_t services_ = 0;
  Cycle next_ = 0;  ///< behind the last call of at()
};

}  // namespace flitscope::reference
