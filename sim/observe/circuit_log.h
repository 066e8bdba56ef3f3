// messages.csv and tunings.csv of a complete network: what every port did, event by event.
#pragma once

#include <filesystem>
#include <fstream>

#include "routers/machine.h"
#include "sim/driver/event_driver.h"

namespace flitscope {

/// Writes messages in the order in which they arrive, and tunings in that in which they begin. All times are
/// cycles. A port sends from start to arrival, and a circuit is there from ready on.
class CircuitLog {
 public:
  /// tunings.csv is put beside `messages_file`. Throws OutputError if a file cannot be opened.
  CircuitLog(const std::filesystem::path& messages_file, const MachineConfig& machine);

  void write(const ArrivedCircuitMessage& arrived);
  /// A tuning that begins in cycle `start`.
  void write(const Circuit& circuit, Cycle start);
  /// Throws OutputError if anything could not be written.
  void close();

 private:
  const MachineConfig& machine_;
  std::filesystem::path messages_file_;
  std::filesystem::path tunings_file_;
  std::ofstream messages_;
  std::ofstream tunings_;
};

}  // namespace flitscope
