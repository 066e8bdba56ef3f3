// What schedules of all kinds must do with their chunks.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/collective.h"
#include "model/operand_ledger.h"
#include "model/possession.h"
#include "model/schedule.h"
#include "model/topology.h"
#include "sim/analysis/violation_log.h"

namespace flitscope {

/// "[0, 1] -> [2, 1]"
[[nodiscard]] std::string ends_text(const Topology& topology, NodeId source, NodeId destination);

/// Who holds what while a schedule is checked.
class ChunkChecker {
 public:
  /// `when` says when a sender must hold what it sends, for messages. All but `when` must outlive the
  /// checker.
  ChunkChecker(const Collective& collective, const Topology& topology, ViolationLog& log, const char* when)
      : collective_(collective), topology_(topology), log_(log), when_(when) {}

  /// Takes what is there at the start; false if the collective contradicts itself. Throws Inadmissible if the
  /// possession takes more memory than `limit` bytes. Operands are counted one by one if that takes no more
  /// than `set_limit`.
  [[nodiscard]] bool start(std::uint64_t limit, std::uint64_t set_limit = OperandLedger::kSetLimit);
  [[nodiscard]] Possession& possession() { return *possession_; }

  /// True if the chunks exist and the sender holds them. That one stands there twice is a violation, but what
  /// it says can be sent.
  [[nodiscard]] bool check_payload(NodeId source, NodeId destination, std::span<const ChunkId> chunks);
  /// At the end: everything is where the goal wants it.
  void check_goal();

  // --- Values of combined chunks
  // ----------------------------------------------------------------------------

  /// Nothing if no chunk is combined.
  [[nodiscard]] const std::optional<OperandLedger>& operands() const { return operands_; }
  /// True if the chunks that a message combines have operands.
  [[nodiscard]] bool check_reduced(NodeId source, NodeId destination, std::span<const ChunkId> reduced);
  /// A message that can be sent takes the values of its sender along.
  void take(const Step& step, std::size_t message) {
    if (operands_) operands_->take(step, message);
  }
  /// Everything taken arrives.
  void finish_step(const Step& step);

 private:
  /// At the end: something of every chunk is where the goal wants it.
  void check_presence();

  const Collective& collective_;
  const Topology& topology_;
  ViolationLog& log_;
  const char* when_;
  std::optional<Possession> possession_;
  std::optional<OperandLedger> operands_;
};

}  // namespace flitscope
