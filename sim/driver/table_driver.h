// Links that send by fixed rules: what one would build into hardware. No schedule, no steps, no clock.
#pragma once

#include <unordered_map>

#include "model/link_programs.h"
#include "sim/driver/collective_driver.h"

namespace flitscope {

/// Runs a routing table as it stands: a link hands its next packet to the network interface as soon as the
/// packet is there. Each link sends as many packets as in the schedule that the table unrolls to, the same
/// ones in the same order.
///
/// What results call a step is here a packet's place on its link: the k-th packets of all links are step k.
/// The message number within it is the number of the link, counted from 1.
class TableDriver final : public CollectiveDriver {
 public:
  /// Both must outlive the driver; the table is complete (see complete_table).
  TableDriver(const LinkPrograms& table, const MachineConfig& machine);

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] bool finished() const override { return left_ == 0; }
  [[nodiscard]] std::string hindrance() const override;

 private:
  void begin(Transport& network, Cycle now) override;
  /// A packet under way on a link.
  [[nodiscard]] Message message_on(ChannelId link) const;
  /// Hands over what a link can send.
  void send_from(Transport& network, ChannelId link, Cycle now);

  const LinkPrograms& table_;
  TablePlayer player_;
  std::uint64_t left_;                                    ///< packets not yet handed over
  std::unordered_map<std::uint64_t, ChunkId> under_way_;  ///< by message id
  std::vector<NodeId> receivers_;                         ///< of the present cycle
};

}  // namespace flitscope
