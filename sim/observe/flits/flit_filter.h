// Which events of flits are wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/topology.h"
#include "sim/observe/flits/flit_event.h"

namespace flitscope {

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

/// "3.5", message 5 of step 3. Throws InputError.
[[nodiscard]] std::uint64_t parse_message(const std::string& text);
/// "3", a step; they count from 1. Throws InputError.
[[nodiscard]] std::uint64_t parse_step(const std::string& text);
/// "3", a cycle. Throws InputError; `what` names it there.
[[nodiscard]] std::uint64_t parse_number(const std::string& text, const char* what);

}  // namespace flitscope
