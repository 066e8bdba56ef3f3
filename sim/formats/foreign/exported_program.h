// A schedule as a program of ranks, to be written in formats of others.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/schedule.h"
#include "sim/formats/foreign/rank_program.h"

namespace flitscope {

/// What brings data to nodes while a schedule is gone through, step by step.
class Deliveries {
 public:
  explicit Deliveries(const ScheduleFacts& facts);

  /// Calls visit(number) for every delivery that `message` of the present step has to wait for; numbers are
  /// those of deliver(). Of a combined chunk these are all that have brought it in earlier steps, of others
  /// the first.
  template <typename Visit>
  void for_each_needed(const Step& step, const Message& message, Visit visit) const {
    for (const ChunkId chunk : step.chunks(message)) {
      const auto found = brought_.find(key(message.source, chunk));
      if (found == brought_.end() || found->second.front() == kFromTheStart) continue;
      for (const std::uint64_t number : found->second) visit(number);
    }
  }
  /// Delivery `number` of the present step.
  void deliver(const Step& step, const Message& message, std::uint64_t number);
  /// What was delivered counts from now on.
  void finish_step();
  [[nodiscard]] bool combines(ChunkId chunk) const { return combined_[chunk]; }

 private:
  static constexpr std::uint64_t kFromTheStart = ~std::uint64_t{0};
  struct New {
    std::uint64_t key = 0;
    ChunkId chunk = 0;
    std::uint64_t number = 0;
  };
  [[nodiscard]] std::uint64_t key(NodeId node, ChunkId chunk) const {
    return node * combined_.size() + chunk;
  }

  std::vector<bool> combined_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> brought_;
  std::vector<New> new_;
};

/// Operations of a rank, in the order of the schedule.
struct ExportedOperation {
  Operation operation;
  std::vector<std::uint32_t> after;  ///< operations of the rank that must be done; from 0
};

/// Takes all steps: rank r is node r. A send depends on the receives that bring its data, and on what it
/// waits for; Operation::step is its step. Throws Inadmissible("workload.schedule") if a message waits for
/// something that happens at another rank.
[[nodiscard]] std::vector<std::vector<ExportedOperation>> exported_operations(Schedule& schedule);

}  // namespace flitscope
