// What reads bytes of strangers, and can be attacked with any.
#pragma once

#include <string>
#include <string_view>

#include "params/registry.h"

namespace flitscope::fuzz {

/// One file below targets/ each, which declares itself by an entry of the TargetRegistry. Its corpus is the
/// folder of its name below corpus/.
struct Target {
  std::string name;
  /// What the bytes are.
  std::string summary;
  /// Reads them as the program would. Input that is refused ends with one of the errors by which a user is
  /// told so; every other end is a finding.
  void (*read)(std::string_view bytes);
};

using TargetRegistry = Registry<Target>;

/// Reads `bytes`; refusals are swallowed, everything else is passed on.
void attack(const Target& target, std::string_view bytes);

}  // namespace flitscope::fuzz
