// A schedule held in memory, for tests that write down every message.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "model/schedule.h"

namespace flitscope {

/// Build it with begin_step() and add(); its facts count steps and messages along, and can be changed
/// afterwards through edit().
class MemorySchedule final : public Schedule {
 public:
  explicit MemorySchedule(ScheduleFacts facts) : facts_(std::move(facts)) {}

  MemorySchedule& begin_step() {
    steps_.emplace_back();
    ++facts_.steps;
    return *this;
  }
  /// A message of the step begun last.
  MemorySchedule& add(NodeId source, NodeId destination, Route route,
                      const std::vector<ChunkId>& chunks = {0}, std::uint32_t control_bytes = 0) {
    steps_.back().add(source, destination, route, chunks, control_bytes);
    ++facts_.messages;
    return *this;
  }

  /// A message of the step begun last whose chunks are combined with what the receiver has.
  MemorySchedule& reduce(NodeId source, NodeId destination, Route route,
                         const std::vector<ChunkId>& chunks = {0}) {
    steps_.back().reduce(source, destination, route, chunks);
    ++facts_.messages;
    return *this;
  }

  /// The message added last has to wait until its sender has rearranged `bytes` bytes.
  MemorySchedule& rearrange(std::uint64_t bytes) {
    steps_.back().rearrange(steps_.back().messages().size() - 1, bytes);
    return *this;
  }

  /// The message added last waits for these.
  MemorySchedule& wait(const std::vector<Dependency>& dependencies) {
    facts_.waits = true;
    steps_.back().wait(steps_.back().messages().size() - 1, dependencies);
    return *this;
  }
  /// Later ones may wait for the message added last.
  MemorySchedule& announce() {
    facts_.waits = true;
    steps_.back().announce(steps_.back().messages().size() - 1);
    return *this;
  }

  [[nodiscard]] ScheduleFacts& edit() { return facts_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  /// Starts again from the first step.
  void rewind() { given_ = 0; }

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override {
    if (given_ == steps_.size()) return false;
    step = steps_[given_++];
    return true;
  }

 private:
  ScheduleFacts facts_;
  std::vector<Step> steps_;
  std::size_t given_ = 0;
};

}  // namespace flitscope
