// Time-independent routing: links that send by fixed rules, without a schedule, steps or a clock.
#pragma once

#include <unordered_map>

#include "model/link_programs.h"
#include "sim/driver/collective_driver.h"

namespace flitscope {

/// Runs link programs: a link hands its next packet to the network interface as soon as the node has it. Each
/// link sends the same packets in the same order as in the schedule that the programs unroll to.
///
/// A step of the results is a packet's position on its link: the k-th packets of all links are step k.
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
  /// The message of a packet on a link.
  [[nodiscard]] Message message_on(ChannelId link) const;
  /// Hands over the packets that a link can send.
  void send_from(Transport& network, ChannelId link, Cycle now);

  const LinkPrograms& table_;
  TablePlayer player_;
  std::uint64_t left_;                                    ///< packets not yet handed over
  std::unordered_map<std::uint64_t, ChunkId> under_way_;  ///< by message id
  std::vector<NodeId> receivers_;                         ///< of the present cycle
};

}  // namespace flitscope
