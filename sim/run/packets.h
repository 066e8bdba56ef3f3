// Packets of messages: the section `packet`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/config/config.h"
#include "sim/driver/packet_driver.h"

namespace flitscope {

[[nodiscard]] bool has_packets(const ExperimentConfig& config);

/// How messages become packets; nothing if the configuration has no section `packet`. The machine must be
/// complete. Throws Inadmissible for packets that are no whole flits, or that the machine cannot carry.
[[nodiscard]] std::optional<PacketFormat> packet_format(const ExperimentConfig& config);

/// The machine as messages see it: with packets their own length needs no room in buffers.
[[nodiscard]] MachineConfig machine_of_messages(const ExperimentConfig& config);

/// The machine as the network has it: with packets the startup is paid before.
[[nodiscard]] MachineConfig machine_of_network(const ExperimentConfig& config);

/// Different lengths, in flits, of what the network carries of a message: its own, or those of its packets.
[[nodiscard]] std::vector<std::uint64_t> lengths_of(const std::optional<PacketFormat>& format,
                                                    std::uint64_t flits);

/// Messages that are alone in the network, as worms: a message itself, its only packet, or packets that
/// follow each other without a gap, from one sender on one path.
class LoneWorms {
 public:
  /// The machine must be complete.
  explicit LoneWorms(const ExperimentConfig& config);
  /// Flits of the worm like which a message with so many flits of data moves; nothing if it does not move
  /// like one.
  [[nodiscard]] std::optional<std::uint64_t> flits(std::uint64_t data) const;

 private:
  std::optional<PacketFormat> format_;
  bool joins_packets_;  ///< several packets move like one worm
};

/// Flits that are sent for a message of the traffic, on average.
[[nodiscard]] double mean_sent_flits(const ExperimentConfig& config, const TrafficConfig& traffic);

/// Traffic of what the network carries.
[[nodiscard]] TrafficConfig in_packets(const ExperimentConfig& config, TrafficConfig traffic);

/// The number by which names of packets count on: a power of ten above the messages of a step.
[[nodiscard]] std::uint64_t packet_stride(const ExperimentConfig& config, std::uint64_t messages);

}  // namespace flitscope
