// Where messages stand in a schedule file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "model/schedule.h"

namespace flitscope {

/// The lines, counted from 1, of the messages with these names in a schedule file of either kind. It reads
/// the file once more, which errors can afford. Nothing for a message that is not found, or for all if the
/// file cannot be read a second time.
[[nodiscard]] std::vector<std::optional<std::uint64_t>> message_lines(const std::filesystem::path& file,
                                                                      std::span<const MessageName> names);

}  // namespace flitscope
