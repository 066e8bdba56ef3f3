// messages.csv and tunings.csv of a complete network: what every port did, event by event.
#pragma once

#include <filesystem>
#include <fstream>

#include "routers/circuits/circuit_network.h"

namespace flitscope {

/// Writes messages in the order in which they arrive, and tunings in that in which they begin. All times are
/// cycles. A port sends from start to arrival, and a circuit is there from ready on.
class CircuitLog final : public CircuitObserver {
 public:
  /// tunings.csv is put beside `messages_file`. Throws OutputError if a file cannot be opened.
  CircuitLog(const std::filesystem::path& messages_file, Cycle startup);

  void tuned(const Circuit& circuit, Cycle begin, Cycle ready) override;
  void arrived(const Transmission& transmission) override;
  /// Throws OutputError if anything could not be written.
  void close();

 private:
  Cycle startup_;
  std::filesystem::path messages_file_;
  std::filesystem::path tunings_file_;
  std::ofstream messages_;
  std::ofstream tunings_;
};

}  // namespace flitscope
