// What can happen to a flit, one record an event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/machine.h"
#include "model/topology.h"

namespace flitscope {

enum class FlitEventKind : std::uint8_t {
  inject,  ///< the network interface put it into the source router
  route,   ///< a head at the front of its buffer asked the routing function
  vc,      ///< a head was granted a virtual channel
  hop,     ///< it left a router over a link
  stall,   ///< it was stalled
  eject,   ///< it left the last router
};
inline constexpr unsigned kFlitEventKinds = 6;

/// "inject", "route", "vc", "hop", "stall", "eject".
[[nodiscard]] const char* name_of(FlitEventKind kind);
[[nodiscard]] std::optional<FlitEventKind> flit_event_kind(std::string_view name);

struct FlitEvent {
  FlitEventKind kind{};
  Cycle cycle = 0;         ///< in which it happened; of a stall the first one
  Cycle stall_cycles = 0;  ///< of a stall: how many
  std::uint64_t message = 0;
  std::uint32_t flit = 0;  ///< position in the message; 0 is the head
  NodeId node = 0;
  /// inject: the injection channel, behind the link ports; otherwise the output port that the event is about:
  /// taken, granted, asked or waited for (a route to the destination: the first ejection channel).
  unsigned port = 0;
  std::optional<unsigned> vc = {};            ///< of that port, where one is known
  StallCause cause{};                         ///< of a stall
  std::optional<std::uint64_t> culprit = {};  ///< of a stall; see FlitStall

  [[nodiscard]] Cycle end() const { return kind == FlitEventKind::stall ? cycle + stall_cycles : cycle + 1; }
  bool operator==(const FlitEvent&) const = default;
};

/// What an event is about: "[1, 0]+0" for a link, "injection 2" or "ejection 2", or "ejection" if it is not
/// known which one.
[[nodiscard]] std::string channel_text(const FlitEvent& event, const Topology& topology);

}  // namespace flitscope
