// A reader of files or texts from outside, which no input may crash.
#pragma once

#include <string>
#include <string_view>

#include "params/registry.h"

namespace flitscope::fuzz {

/// Targets declare themselves below targets/ by entries of the TargetRegistry. A target's corpus is the
/// folder of its name below corpus/.
struct Target {
  std::string name;
  /// The meaning of the bytes.
  std::string summary;
  /// Reads them as the program would. Input that is refused ends with one of the errors that are reported to
  /// users; every other end is a finding.
  void (*read)(std::string_view bytes);
};

using TargetRegistry = Registry<Target>;

/// Reads `bytes`; refusals are caught, everything else is passed on.
void attack(const Target& target, std::string_view bytes);

}  // namespace flitscope::fuzz
