// The state of one router in memory. docs/timing.md defines the numbers of ports and VCs.
#pragma once

#include <cstdint>

#include "model/machine.h"
#include "model/types.h"
#include "routers/engine/flit.h"

namespace flitscope {

/// Each port has an input VC at least.
inline constexpr unsigned kMaxPorts = kMaxVirtualChannels;

/// Bit x belongs to input VC x, bit y to output VC y.
struct alignas(64) RouterHeader {
  std::uint64_t ready = 0;      ///< input VCs with a usable flit at the front
  std::uint64_t active = 0;     ///< input VCs that hold an output VC
  std::uint64_t blocked = 0;    ///< input VCs whose front flit waits for an event
  std::uint64_t streaming = 0;  ///< active input VCs of which no two share an input port or an output port
  std::uint64_t routed = 0;     ///< input VCs whose front message is routed
  std::uint64_t held = 0;       ///< output VCs held by a message
  std::uint64_t awaited = 0;    ///< input VCs whose sender waits for a slot
  std::uint32_t injecting = 0;  ///< active injection channels
  NodeId node = 0;              ///< number of the router

  /// Active input VCs without a usable slot behind their output VC, or with a busy link.
  [[nodiscard]] std::uint64_t no_room() const { return blocked & active; }
  /// Heads without an output VC.
  [[nodiscard]] std::uint64_t no_vc() const { return blocked & ~active; }
};
static_assert(sizeof(RouterHeader) == 64);

/// Events of a router in a coming cycle.
struct PendingEvents {
  std::uint64_t arrivals = 0;  ///< input VCs that get a usable flit
  std::uint64_t credits = 0;   ///< output VCs with a new slot, if this router waits for it
};

struct InputVc {
  Slot* fifo = nullptr;                    ///< its slots
  std::uint32_t front = 0;                 ///< position of the front flit in the FIFO
  std::uint32_t queued_flits = 0;          ///< usable flits behind the one at the front
  MessageSlot message = 0;                 ///< message at the front, once routed
  std::uint32_t partial_packet_flits = 0;  ///< store-and-forward: flits here whose tail is not
  std::uint16_t choice = 0;                ///< set of output VCs, once routed (see RouterPool::admissible)
  std::uint16_t slot_delay = 1;  ///< cycles from a flit's departure until the sender can use the slot
  std::uint8_t group = 0;        ///< link port asked for, or the first ejection port
  std::uint8_t output = 0;       ///< output VC held, if active
  std::uint8_t claim = 0;        ///< once routed: flits with different claims have different output ports
  StallCause cause{};            ///< of the present stall
};
static_assert(sizeof(InputVc) == 32);

/// Owner of an output VC that is held by no message (see MachineConfig::vc_reallocation_delay).
inline constexpr std::uint8_t kNoOwner = 0xFF;

/// The target of an output port.
enum class OutputTarget : std::uint8_t {
  out,            ///< out of the network: an ejection channel, or a port without a link
  to_router,      ///< a router, by a link with the common delay
  to_router_far,  ///< a router, by a link with its own delay, or one beyond the calendar's wheel
  to_module,      ///< an external module
};

struct OutputVc {
  Slot* fifo = nullptr;       ///< the receiver's slots; on an ejection channel Port::rate
  std::uint64_t flits = 0;    ///< that left through it
  std::uint32_t length = 0;   ///< slots
  std::uint32_t back = 0;     ///< position to write next
  NodeId receiver = kNoNode;  ///< router behind it; kNoNode if it has none
  std::uint16_t delay = 1;    ///< of the link
  std::uint8_t owner = 0;     ///< input VC that holds it, if held; kNoOwner: it cannot be granted yet
  OutputTarget leads = OutputTarget::out;  ///< its port

  [[nodiscard]] Slot& next() const { return fifo[back]; }
};
static_assert(sizeof(OutputVc) == 32);

/// The input VC and the output VC of one number.
struct alignas(64) VirtualChannel {
  InputVc input;
  OutputVc output;
};
static_assert(sizeof(VirtualChannel) == 64);

/// A link that takes one flit every so many cycles, where any link is slower than one a cycle. It is free
/// from `free_from` + `part` / denominator of the interval, docs/timing.md stage 5.
struct LinkInterval {
  Ratio cycles;
  std::uint32_t part = 0;
  Cycle free_from = 0;             ///< cycle of the next flit
  std::uint64_t last_message = 0;  ///< of the flit that left last

  /// A flit takes the link.
  void take(Cycle now, std::uint64_t message) {
    const std::uint32_t parts = (free_from == now ? part : 0) + cycles.numerator();
    free_from = now + parts / cycles.denominator();
    part = parts % cycles.denominator();
    last_message = message;
  }
};

/// Round-robin pointers of a port, docs/timing.md stages 4 and 5.
struct RoundRobin {
  std::uint8_t input = 0;    ///< VC of this input port
  std::uint8_t output = 0;   ///< the first input VC of an input port, for this output port
  std::uint8_t request = 0;  ///< input VC for this group
  std::uint8_t vc = 0;       ///< output VC of this group
};

/// A port: the output port and the input port of the same number.
struct alignas(32) Port {
  RoundRobin next;
  NodeId sender = kNoNode;     ///< router behind the input port; kNoNode if it has none
  Slot rate{};                 ///< ejection channel: its slot, taken for its interval
  std::uint64_t messages = 0;  ///< that have left through the output port
  std::uint64_t stalled = 0;   ///< flit-cycles stalled by flits that wanted it
};
static_assert(sizeof(Port) == 32);

/// Counters of an output port.
struct PortCounts {
  std::uint64_t flits = 0;     ///< that left
  std::uint64_t messages = 0;  ///< whose tails have left
  std::uint64_t stalled = 0;   ///< flit-cycles stalled by flits that wanted it
  bool operator==(const PortCounts&) const = default;
};

}  // namespace flitscope
