// What can happen to a flit, one record an event, and observe.filter: the events that traces and timelines
// show.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/text.h"
#include "model/topology.h"
#include "routers/engine/flit_observer.h"

namespace flitscope {

enum class FlitEventKind : std::uint8_t {
  inject,  ///< the network interface put it into the source router
  route,   ///< a head at the front of its buffer asked the routing function
  vc,      ///< a head was granted a virtual channel
  hop,     ///< it left a router over a link
  stall,   ///< it was stalled
  eject,   ///< it left the last router
};
template <>
inline constexpr std::array kNamesOf<FlitEventKind>{"inject", "route", "vc", "hop", "stall", "eject"};

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

/// The link that an event is about; nothing for a channel of a node.
[[nodiscard]] std::optional<ChannelId> link_of(const FlitEvent& event, const Topology& topology);

/// What an event is about: "[1, 0]+0" for a link, "injection 2" or "ejection 2", or "ejection" if it is not
/// known which one.
[[nodiscard]] std::string channel_text(const FlitEvent& event, const Topology& topology);

// observe.filter: the events of flits that traces and timelines show.

/// An event passes if it meets every one of these; an empty list asks for nothing.
struct FlitFilter {
  std::vector<NodeId> nodes;            ///< where it happens
  std::vector<ChannelId> channels;      ///< the link it is about
  std::vector<std::uint64_t> messages;  ///< by id
  std::vector<std::uint64_t> steps;
  std::vector<FlitEventKind> events;
  Cycle from = 0;
  /// The last cycle; nothing: no end. A stall passes if it reaches into the time between.
  std::optional<Cycle> to;

  bool operator==(const FlitFilter&) const = default;
  [[nodiscard]] bool passes(const FlitEvent& event, const Topology& topology) const;
  /// Whether a message is one of those wanted.
  [[nodiscard]] bool passes_message(std::uint64_t id) const;
  /// Whether cycles `begin` .. `end`-1 reach into the time wanted.
  [[nodiscard]] bool passes_time(Cycle begin, Cycle end) const { return (!to || begin <= *to) && end > from; }
  /// Why no event can ever pass, in words, if two of these exclude each other.
  [[nodiscard]] std::optional<std::string> contradiction(const Topology& topology) const;
  /// The nodes at which anything can pass; empty: all.
  [[nodiscard]] std::vector<NodeId> watched_nodes(const Topology& topology) const;
};

/// "3.5", message 5 of step 3; "0.5", of background traffic. Throws InputError.
[[nodiscard]] std::uint64_t parse_message(const std::string& text);
/// "3", a step; they count from 1, and background traffic is step 0. Throws InputError.
[[nodiscard]] std::uint64_t parse_step(const std::string& text);
/// "3", a cycle. Throws InputError; `what` names it there.
[[nodiscard]] std::uint64_t parse_number(const std::string& text, const char* what);

/// Base of everything that takes events of flits one by one.
///
/// Events are in the order of the cycles in which they are over; within a cycle the order of nodes is that
/// of their numbers. A stall is reported when it ends, or when the run does.
class FlitEvents : public FlitObserver, public StallObserver {
 public:
  FlitEvents(FlitFilter filter, const Topology& topology) : filter_(std::move(filter)), topology_(topology) {}

  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool /*tail*/) override {
    pass({.kind = FlitEventKind::inject,
          .cycle = now,
          .message = message,
          .flit = index,
          .node = node,
          .port = topology_.link_ports() + channel});
  }
  void routed(Cycle now, NodeId node, unsigned /*input_vc*/, unsigned port, std::uint64_t message) override {
    pass({.kind = FlitEventKind::route, .cycle = now, .message = message, .node = node, .port = port});
  }
  void granted(Cycle now, NodeId node, unsigned /*input_vc*/, unsigned port, unsigned vc,
               std::uint64_t message) override {
    pass({.kind = FlitEventKind::vc, .cycle = now, .message = message, .node = node, .port = port, .vc = vc});
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool /*tail*/) override {
    pass({.kind = port < topology_.link_ports() ? FlitEventKind::hop : FlitEventKind::eject,
          .cycle = now,
          .message = message,
          .flit = index,
          .node = node,
          .port = port,
          .vc = vc});
  }
  void stalled(const FlitStall& stall) override {
    pass({.kind = FlitEventKind::stall,
          .cycle = stall.from,
          .stall_cycles = stall.cycles,
          .message = stall.message,
          .flit = stall.index,
          .node = stall.node,
          .port = stall.port,
          .vc = stall.vc,
          .cause = stall.cause,
          .culprit = stall.culprit});
  }

 protected:
  virtual void take(const FlitEvent& event) = 0;
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const FlitFilter& filter() const { return filter_; }

 private:
  void pass(const FlitEvent& event) {
    if (filter_.passes(event, topology_)) take(event);
  }

  FlitFilter filter_;
  const Topology& topology_;
};

}  // namespace flitscope
