// Where something stands in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flitscope {

/// "file:line:column: " of byte `offset` of a text; both count from 1.
[[nodiscard]] std::string text_place(const std::string& file, std::string_view text, std::size_t offset);

}  // namespace flitscope
