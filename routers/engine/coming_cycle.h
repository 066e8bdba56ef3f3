// Events: what happens in groups in coming cycles, in planes of the next ones, or kept apart.
#pragma once

#include <array>
#include <cstdint>

#include "model/types.h"
#include "routers/engine/agenda.h"
#include "routers/engine/coming_head.h"
#include "routers/engine/message_slot.h"
#include "routers/engine/planes.h"

namespace flitscope {

/// What happens in a group in a coming cycle, by input VC, output VC, injector, or channel.
enum class Event : std::uint8_t {
  arrival,  ///< a flit is usable in this input VC
  credit,   ///< a slot behind this output VC; of an ejection channel: the end of its interval
  slot,     ///< in the FIFO of this injection VC
  due,      ///< this injector may put its next flit
  idle,     ///< it may take a message
  pace,     ///< this injection channel may put a flit
  hold,     ///< this input VC takes part in switch allocation with the output VC that it was granted
  free,     ///< this output VC of a link can be granted again
  route,    ///< the head at the front of this input VC requests an output VC (RouterParts::routing_delay)
  early,    ///< VC allocation learns of a slot behind this output VC (RouterParts::early_credits)
  stop,     ///< the signal of the buffer behind this output VC counts a flit more (Credits::on_off)
  head,     ///< this input VC gets a head, which is in a list (heads_at)
};
inline constexpr unsigned kEvents = static_cast<unsigned>(Event::head);  ///< those with planes

/// Where the planes of numbers and of events lie, whose size depends on buffers and delays, behind the
/// others.
struct NumberLayout {
  unsigned usable = 0;                    ///< input VC: number of usable flits
  unsigned slots = 0;                     ///< output VC of a link: number of usable slots
  unsigned put_slots = 0;                 ///< injection VC: likewise
  unsigned busy = 0;                      ///< output port: within its interval, or its queue has no room
  unsigned events = 0;                    ///< of the cycles of the wheel
  std::array<unsigned, kEvents> event{};  ///< from the first word of a cycle's
  unsigned events_of_cycle = 0;           ///< words
  unsigned words = 0;                     ///< of a group

  [[nodiscard]] unsigned of(Event kind) const { return event[static_cast<unsigned>(kind)]; }
};

/// A coming cycle, for which events are posted.
struct ComingCycle {
  Cycle cycle = 0;
  HeadList* heads = nullptr;  ///< of the first group, see heads_at()
  Agenda::Page agenda{};
  unsigned events = 0;       ///< in words from the beginning of a group
  std::uint32_t first = 0;   ///< of the thread's groups
  std::uint32_t groups = 0;  ///< of these; 0: the cycle is beyond the wheel

  /// Whether what happens in a group is noted at once.
  [[nodiscard]] bool reaches(std::uint32_t group) const { return group - first < groups; }
};

/// An event beyond the wheel, or for a group of another thread.
struct LaterEvent {
  Cycle cycle = 0;
  std::uint32_t group = 0;
  Event event{};
  unsigned number = 0;
  Plane routers = 0;
  // Of a head:
  MessageSlot message = 0;
  std::uint32_t flits = 0;  ///< as in ComingHead
  bool arrived = false;     ///< at its destination
};

}  // namespace flitscope
