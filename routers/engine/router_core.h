// What can be read of the routers of a clock domain, whichever core steps them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/types.h"
#include "routers/engine/flit_observer.h"
#include "routers/engine/message_slot.h"
#include "routers/engine/router_numbers.h"

namespace flitscope {

/// Counters of an output port.
struct PortCounts {
  std::uint64_t flits = 0;     ///< that left
  std::uint64_t messages = 0;  ///< whose tails have left
  StallCounts stalls{};        ///< of flits that wanted it
  bool operator==(const PortCounts&) const = default;
};

/// Counters, and the flits that wait, as of the last cycle.
class RouterCore {
 public:
  virtual ~RouterCore() = default;

  [[nodiscard]] virtual const RouterNumbers& numbers() const = 0;
  /// The cycle that began last.
  [[nodiscard]] virtual Cycle now() const = 0;

  [[nodiscard]] virtual PortCounts counts(NodeId node, unsigned port) const = 0;
  [[nodiscard]] virtual std::uint64_t flit_hops() const = 0;
  [[nodiscard]] virtual const StallCounts& stalls() const = 0;
  /// Those of flits of a message class; of a machine without classes all.
  [[nodiscard]] virtual const StallCounts& stalls_of(unsigned /*message_class*/) const { return stalls(); }
  /// Adds the stalls in progress up to (not including) cycle `now` to the counters; they continue.
  virtual void count_stalls(Cycle now) = 0;
  /// The same, and reports them to the StallObserver up to then.
  virtual void settle_stalls(Cycle now) = 0;

  /// A flit at the front of an input VC that waits for an output VC or for room behind its own.
  struct Waiting {
    MessageSlot message = 0;
    Cycle since = 0;                   ///< first cycle of its stall, perhaps the next one
    std::optional<unsigned> output{};  ///< VC that it holds
    /// Without one: output VCs that it may take; none at its destination, but with limited ejection buffers.
    std::uint64_t admissible = 0;
    /// With that of an ejection channel: its node takes no message before a flit of one of these input VCs,
    /// of injection channels, moves; none if it does not wait for that.
    std::uint64_t replies = 0;
  };
  /// The input VCs of a router with such a flit.
  [[nodiscard]] virtual std::uint64_t waiting(NodeId node) const = 0;
  /// Requires that it is one of these.
  [[nodiscard]] virtual Waiting waiting(NodeId node, unsigned vc) const = 0;
  /// The input VC that holds an output VC.
  [[nodiscard]] virtual std::optional<unsigned> holder(NodeId node, unsigned output) const = 0;
  /// If there is no room for `flits` flits behind an output VC: the input VCs of the receiver of which one
  /// must move first. None if there is, or will be since credits are on their way, or out of the network.
  [[nodiscard]] virtual std::uint64_t blocking_inputs(NodeId node, unsigned output,
                                                      std::uint32_t flits) const = 0;
  /// The neighbour behind an output VC of a link.
  [[nodiscard]] virtual NodeId receiver(NodeId node, unsigned output) const = 0;
  /// A grant of a link's VC requires RouterNumbers::required_slots().
  [[nodiscard]] virtual bool needs_packet_space() const = 0;

  /// The FIFO of an input VC, and the message at its front.
  struct InputState {
    std::uint32_t flits = 0;           ///< in the FIFO, or on their way there
    MessageSlot message = kNoMessage;  ///< of the first of these, or the one that holds an output VC
    std::uint32_t index = 0;           ///< of the first of these in its message
    std::optional<unsigned> port{};    ///< that the message requests, the first one of ejection; or holds
    bool holds = false;                ///< an output VC
  };
  [[nodiscard]] virtual InputState input_state(NodeId node, unsigned vc) const = 0;
  /// Usable slots behind an output VC of a link. Sets `returning` to the cycles from which those are usable
  /// whose credits are on their way.
  virtual std::uint32_t usable_slots(NodeId node, unsigned output, std::vector<Cycle>& returning) const = 0;
  /// The stall of an input VC's front flit in the complete cycle `now`, if there is one. Known only while
  /// stalls are observed.
  [[nodiscard]] virtual std::optional<FlitStall> stall(NodeId node, unsigned vc, Cycle now) const = 0;
};

}  // namespace flitscope
