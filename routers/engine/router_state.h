// The state of one router, as it lies in memory. docs/timing.md defines the numbers of ports and VCs.
#pragma once

#include <cstdint>

#include "model/machine.h"
#include "model/types.h"
#include "routers/engine/flit.h"

namespace flitscope {

/// Each has an input VC at least.
inline constexpr unsigned kMaxPorts = kMaxVirtualChannels;

/// Bit x belongs to input VC x, bit y to output VC y.
struct alignas(64) RouterHeader {
  std::uint64_t ready = 0;      ///< input VCs with a usable flit at the front
  std::uint64_t active = 0;     ///< input VCs that hold an output VC
  std::uint64_t blocked = 0;    ///< input VCs whose front flit waits, and need not be looked at
  std::uint64_t streaming = 0;  ///< active input VCs of which no two share an input port or an output port
  std::uint64_t routed = 0;     ///< input VCs whose front message has asked the routing function
  std::uint64_t held = 0;       ///< output VCs held by a message
  std::uint64_t awaited = 0;    ///< input VCs whose sender wants to know when a slot gets free
  std::uint32_t injecting = 0;  ///< injection channels that the network interface has to look at
  NodeId node = 0;              ///< number of the router

  /// Active input VCs that found no usable slot behind their output VC, or a link that takes no flit yet.
  [[nodiscard]] std::uint64_t no_room() const { return blocked & active; }
  /// Heads that found no output VC to take.
  [[nodiscard]] std::uint64_t no_vc() const { return blocked & ~active; }
};
static_assert(sizeof(RouterHeader) == 64);

/// What the neighbours leave for a router in a coming cycle.
struct PendingEvents {
  std::uint64_t arrivals = 0;  ///< input VCs that get a usable flit
  std::uint64_t credits = 0;   ///< output VCs whose receiver has a slot again, if this router asked
};

struct InputVc {
  Slot* fifo = nullptr;                    ///< its slots
  std::uint32_t front = 0;                 ///< position of the front flit in the FIFO
  std::uint32_t queued_flits = 0;          ///< usable flits behind the one at the front
  MessageSlot message = 0;                 ///< message at the front, once routed
  std::uint32_t partial_packet_flits = 0;  ///< store-and-forward: flits here whose tail is not
  std::uint16_t choice = 0;      ///< which output VCs it may take, once routed (see RouterPool::admissible)
  std::uint16_t slot_delay = 1;  ///< from the cycle a flit leaves the FIFO until the sender can use the slot
  std::uint8_t group = 0;        ///< link port asked for, or the first ejection port
  std::uint8_t output = 0;       ///< output VC held, if active
  std::uint8_t claim = 0;        ///< once routed: flits with different claims want different output ports
  StallCause cause{};            ///< of the stall under way
};
static_assert(sizeof(InputVc) == 32);

/// Owner of an output VC that is held by no message (see MachineConfig::vc_reallocation_delay).
inline constexpr std::uint8_t kNoOwner = 0xFF;

/// Where an output port leads.
enum class OutputTarget : std::uint8_t {
  out,            ///< out of the network: an ejection channel, or nowhere at the border of a mesh
  to_router,      ///< to a router of ours, by a link with the delay that most links have
  to_router_far,  ///< the same, with a delay of its own, or one that outreaches the calendar's wheel
  to_module,      ///< to a module that is not ours
};

struct OutputVc {
  Slot* fifo = nullptr;       ///< the receiver's slots; on an ejection channel Port::rate
  std::uint64_t flits = 0;    ///< that left through it
  std::uint32_t length = 0;   ///< slots
  std::uint32_t back = 0;     ///< position to write next
  NodeId receiver = kNoNode;  ///< router behind it; kNoNode if it is not one of ours
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

/// A link that takes one flit every so many cycles, where any link is slower than one a cycle.
struct LinkInterval {
  std::uint32_t cycles = 1;
  Cycle free_from = 0;             ///< when it takes the next flit
  std::uint64_t last_message = 0;  ///< of the flit that left last
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
  NodeId sender = kNoNode;     ///< router behind the input port; kNoNode if it is not one of ours
  Slot rate{};                 ///< ejection channel: its one slot, taken until it can move the next flit
  std::uint64_t messages = 0;  ///< that have left through the output port
  std::uint64_t stalled = 0;   ///< flit-cycles stalled by flits that wanted it
};
static_assert(sizeof(Port) == 32);

/// What has happened at an output port.
struct PortCounts {
  std::uint64_t flits = 0;     ///< that left
  std::uint64_t messages = 0;  ///< whose tails have left
  std::uint64_t stalled = 0;   ///< flit-cycles stalled by flits that wanted it
  bool operator==(const PortCounts&) const = default;
};

}  // namespace flitscope
