// messages.csv: a line for every message that arrived, with its time split exactly.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "model/topology.h"
#include "routers/machine.h"
#include "sim/driver/schedule_driver.h"

namespace flitscope {

/// Writes messages in the order in which they arrive. All times are cycles, and
///
///   latency = startup + queueing + hops + head stalls by cause + head_behind + serialization + tail_lag
///
/// where head_behind is the time the head was usable but not at the front of its buffer (with
/// store-and-forward: also the wait for its own tail), see docs/timing.md.
class MessageLog {
 public:
  /// Throws OutputError if the file cannot be opened.
  MessageLog(const std::filesystem::path& file, const Topology& topology, const MachineConfig& machine);

  void write(const ArrivedMessage& arrived);
  /// Throws OutputError if anything could not be written.
  void close();

 private:
  const Topology& topology_;
  const MachineConfig& machine_;
  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace flitscope
