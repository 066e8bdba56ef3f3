// When what was written is on the disk.
#pragma once

#include <filesystem>

namespace flitscope {

/// Waits until a file, or a directory with all that lies directly in it, is on the disk. False, and errno
/// says why, if it does not get there.
[[nodiscard]] bool fsync_tree(const std::filesystem::path& path);

}  // namespace flitscope
