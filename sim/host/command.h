// Other programs: sbatch, squeue, rsvg-convert.
#pragma once

#include <string>
#include <vector>

namespace flitscope {

struct CommandOutput {
  /// Why the program could not be started, as a value of errno; 0: it was.
  int failure = 0;
  /// 128 and the signal that ended it, if one did.
  int exit_code = 0;
  std::string text;
};

enum class CommandErrors : bool { mine, in_text };

/// Runs a program that is found in PATH, with `input` on its standard input, and waits for it. Its standard
/// error is that of this process, or in the text.
[[nodiscard]] CommandOutput run_command(const std::vector<std::string>& words, CommandErrors errors,
                                        const std::string& input = {});

}  // namespace flitscope
