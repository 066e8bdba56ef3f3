// Numbers that stand for words in waveforms, and widths of signals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flitscope {

constexpr unsigned kNumberBits = 32;  ///< of steps, messages, flits and nodes
constexpr unsigned kKindBits = 3;

/// What passes: a number of kFlitKindWords. Nothing is 0.
[[nodiscard]] constexpr std::uint64_t flit_kind(bool head, bool tail) {
  if (head) return tail ? 4 : 1;
  return tail ? 3 : 2;
}
inline const std::vector<std::string> kFlitKindWords{"-", "head", "body", "tail", "single"};

}  // namespace flitscope
