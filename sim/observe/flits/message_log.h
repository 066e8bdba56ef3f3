// messages.csv: a line for every message that arrived, with its time split exactly.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "model/topology.h"
#include "sim/observe/flits/latency_parts.h"
#include "sim/observe/flits/tail_lag.h"

namespace flitscope {

/// Writes messages in the order in which they arrive. All times are cycles; they add up as LatencyParts says,
/// and the lag of the tail is the sum of its LagParts. docs/results.md lists the columns.
class MessageLog {
 public:
  /// Throws OutputError if the file cannot be opened.
  MessageLog(const std::filesystem::path& file, const Topology& topology);

  /// `longest` is the head's longest wait; nullptr if it never waited.
  void write(const ArrivedMessage& arrived, const LatencyParts& parts, const LagParts& lag,
             const Wait* longest);
  /// Throws OutputError if anything could not be written.
  void close();

 private:
  const Topology& topology_;
  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace flitscope
