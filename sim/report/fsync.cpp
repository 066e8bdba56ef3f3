#include "sim/report/fsync.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace flitscope {

namespace fs = std::filesystem;

bool fsync_tree(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const bool all = std::ranges::all_of(fs::directory_iterator(path, error), [](const auto& entry) {
      return entry.is_directory() || fsync_tree(entry.path());
    });
    if (!all) return false;
  }
  const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  const bool synchronised = fsync(opened) == 0 || errno == EINVAL;
  const int reason = errno;
  close(opened);
  errno = reason;
  return synchronised;
}

}  // namespace flitscope
