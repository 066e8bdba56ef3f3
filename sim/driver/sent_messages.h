// Messages on their way, by numbers that rise.
#pragma once

#include <cstdint>
#include <vector>

#include "model/route.h"
#include "model/types.h"

namespace flitscope {

/// Messages that have not arrived, by their numbers: a ring that grows when it must.
class SentMessages {
 public:
  struct Record {
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t flits = 0;  ///< 0: arrived
    Route route;
    std::uint32_t traffic_class = 0;  ///< counted from 0
  };

  /// The next message.
  void add(const Record& record) {
    if (end_ - first_ == ring_.size()) grow();
    ring_[end_++ & (ring_.size() - 1)] = record;
  }
  /// Takes out message `number`, from 1.
  [[nodiscard]] Record take(std::uint64_t number) {
    Record& record = ring_[number & (ring_.size() - 1)];
    const Record taken = record;
    record.flits = 0;
    while (first_ < end_ && ring_[first_ & (ring_.size() - 1)].flits == 0) ++first_;
    return taken;
  }
  [[nodiscard]] std::uint64_t next_number() const { return end_; }

 private:
  void grow();

  std::vector<Record> ring_;
  std::uint64_t first_ = 1;
  std::uint64_t end_ = 1;
};

}  // namespace flitscope
