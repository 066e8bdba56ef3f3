// Other programs.
#pragma once

#include <string>
#include <vector>

namespace flitscope {

struct CommandOutput {
  /// 127 if there is no such program.
  int exit_code = 0;
  /// Both streams.
  std::string text;
};

/// Runs a program, found as a shell would, and waits for it. Throws std::runtime_error if there can be no
/// process.
[[nodiscard]] CommandOutput run_command(const std::vector<std::string>& words);

}  // namespace flitscope
