// Is a schedule file still the one it was?
#pragma once

#include <istream>
#include <ostream>
#include <string>

namespace flitscope {

/// The SHA-256 of a stream from where it stands to its end, as configurations have it: "sha256:" and 64
/// hexadecimal digits. What is read is also written to `copy`, if there is one.
[[nodiscard]] std::string schedule_digest(std::istream& stream, std::ostream* copy = nullptr);

}  // namespace flitscope
