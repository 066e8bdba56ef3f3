#include "sim/observe/flits/flit_event.h"

#include <array>

namespace flitscope {

namespace {

constexpr std::array<const char*, kFlitEventKinds> kNames{"inject", "route", "vc", "hop", "stall", "eject"};

}  // namespace

const char* name_of(FlitEventKind kind) {
  return kNames[static_cast<unsigned>(kind)];
}

std::optional<FlitEventKind> flit_event_kind(std::string_view name) {
  for (unsigned kind = 0; kind < kFlitEventKinds; ++kind) {
    if (name == kNames[kind]) return static_cast<FlitEventKind>(kind);
  }
  return std::nullopt;
}

std::string channel_text(const FlitEvent& event, const Topology& topology) {
  if (event.port < topology.link_ports() && event.kind != FlitEventKind::inject) {
    return topology.channel_name(topology.channel(event.node, event.port));
  }
  const std::string number = std::to_string(event.port - topology.link_ports());
  if (event.kind == FlitEventKind::inject) return "injection " + number;
  return event.kind == FlitEventKind::eject || event.vc ? "ejection " + number : "ejection";
}

}  // namespace flitscope
