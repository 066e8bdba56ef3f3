#include "sim/run/packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/error.h"
#include "params/settings.h"
#include "routers/routing/routing.h"
#include "sim/analysis/channel_load.h"
#include "sim/config/workload_keys.h"

namespace flitscope {

namespace {

enum class Order : std::uint8_t { in_order, interleaved };
constexpr std::array kOrders{"in-order", "interleaved"};

struct PacketSettings {
  std::optional<std::uint64_t> payload;
  unsigned head_flits = 0;
  Order order = Order::in_order;
};

constexpr std::int64_t kMaxPayload = std::int64_t{1} << 40;
constexpr std::int64_t kMaxHeadFlits = 1'000'000;

const SettingsRegistry::Entry packet_entry{RowSection<PacketSettings>{
    .name = "packet",
    .summary = "messages are sent as packets of a largest size (MTU)",
    .rows = {of_links(row(&PacketSettings::payload,
                          Parameter::of(ParameterType::bytes, "payload",
                                        "data of a packet, whole flits; without it a message is one worm",
                                        {1, kMaxPayload}))),
             of_links(row(&PacketSettings::head_flits, "head_flits", "flits before the data of each packet",
                          {0, kMaxHeadFlits})),
             of_links(choice_row(&PacketSettings::order, kOrders, "order",
                                 "a channel sends a message to its end before the next one, or packets of "
                                 "all its messages in turn"))},
    .check =
        [](const PacketSettings& settings, const Topology&) {
          if (settings.payload || (settings.head_flits == 0 && settings.order == Order::in_order)) return;
          throw Inadmissible("packet",
                             "packet has no 'payload', the data of a packet: packet: {payload: 256}");
        },
    .is_there = [](const PacketSettings& settings) { return settings.payload.has_value(); }}};

}  // namespace

bool has_packets(const ExperimentConfig& config) {
  return config.settings.get<PacketSettings>().payload.has_value();
}

std::optional<PacketFormat> packet_format(const ExperimentConfig& config) {
  const auto& settings = config.settings.get<PacketSettings>();
  if (!settings.payload) return std::nullopt;
  const MachineConfig& machine = config.machine;
  const std::uint64_t bytes = machine.flit_bytes;
  const std::uint64_t flits = *settings.payload / bytes;
  refuse_if(*settings.payload % bytes != 0, "packet.payload",
            "packet.payload: {} bytes are {:.5g} flits of {} bytes, which is not whole; nearest: "
            "{}{}, or another node.flit_bytes",
            *settings.payload, static_cast<double>(*settings.payload) / machine.flit_bytes, bytes,
            flits == 0 ? "" : fmt::format("{} or ", flits * bytes), (flits + 1) * bytes);
  const std::uint64_t longest = flits + settings.head_flits;
  if (!carries(machine, longest)) refuse_length(machine, longest, "a packet", "packet.payload");
  return PacketFormat{static_cast<std::uint32_t>(flits), settings.head_flits,
                      settings.order == Order::interleaved};
}

MachineConfig machine_of_messages(const ExperimentConfig& config) {
  MachineConfig machine = config.machine;
  if (!packet_format(config)) return machine;
  machine.switching = Switching::wormhole;
  machine.flow = FlowControl::credit;
  if (machine.ejection_buffer) machine.ejection_buffer = kMaxFlits;
  return machine;
}

MachineConfig machine_of_network(const ExperimentConfig& config) {
  MachineConfig machine = config.machine;
  if (packet_format(config)) machine.startup = 0;
  return machine;
}

std::vector<std::uint64_t> lengths_of(const std::optional<PacketFormat>& format, std::uint64_t flits) {
  if (!format) return {flits};
  std::vector<std::uint64_t> lengths;
  const std::uint64_t rest = flits % format->payload_flits;
  if (flits >= format->payload_flits) lengths.push_back(format->head_flits + format->payload_flits);
  if (rest > 0) lengths.push_back(format->head_flits + rest);
  return lengths;
}

LoneWorms::LoneWorms(const ExperimentConfig& config) : format_(packet_format(config)) {
  const MachineConfig& machine = config.machine;
  const auto has_one_path = [&] {
    if (!chooses_links(config.topology, machine)) return true;
    const Ratio slowest = std::max(Ratio(machine.ejection_interval), machine.longest_link().cycles_per_flit);
    return RoutingRegistry::find(machine.routing)->minimal && slowest <= machine.injection_interval;
  };
  joins_packets_ = format_ && machine.ports.value_or(1) == 1 && machine.switching == Switching::wormhole &&
                   machine.vc_allocation == VcAllocation::non_atomic &&
                   machine.head_delay() == machine.router_delay && machine.vc_reallocation_delay == 1 &&
                   has_one_path();
}

std::optional<std::uint64_t> LoneWorms::flits(std::uint64_t data) const {
  if (!format_) return data;
  const bool is_one = joins_packets_ || format_->packets(data) == 1;
  return is_one ? std::optional(format_->sent_flits(data)) : std::nullopt;
}

double mean_sent_flits(const ExperimentConfig& config, const TrafficConfig& traffic) {
  const auto format = packet_format(config);
  if (!format) return mean_flits(traffic, config.machine);
  return mean_of(traffic.message, [&](std::uint64_t bytes) {
    return format->sent_flits(flits_of(bytes, config.machine.flit_bytes));
  });
}

TrafficConfig in_packets(const ExperimentConfig& config, TrafficConfig traffic) {
  const std::uint32_t bytes = config.machine.flit_bytes;
  const auto format = packet_format(config);
  for (const auto& size : std::exchange(traffic.message.sizes, {})) {
    for (const std::uint64_t flits : lengths_of(format, flits_of(size.bytes, bytes))) {
      traffic.message.sizes.push_back({flits * bytes, Decimal(1)});
    }
  }
  return traffic;
}

std::uint64_t packet_stride(const ExperimentConfig& config, std::uint64_t messages) {
  constexpr std::uint64_t kBackground = 1'000'000;  // messages in the network at a time
  std::uint64_t most = std::max<std::uint64_t>(messages, config.topology.nodes());
  // Messages of a table have the numbers of their links.
  if (config.workload.advance == Advance::table) most = std::max(most, config.topology.channel_ids());
  if (config.workload.background) most = std::max(most, kBackground);
  std::uint64_t stride = 10;
  while (stride <= most) stride *= 10;
  return stride;
}

}  // namespace flitscope
