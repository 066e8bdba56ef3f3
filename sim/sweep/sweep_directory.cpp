#include "sim/sweep/sweep_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

namespace fs = std::filesystem;

SweepDirectory::SweepDirectory(const fs::path& directory)
    : path_(fs::absolute(directory).lexically_normal()) {
  if (path_.filename().empty()) path_ = path_.parent_path();
  make_directories(path_);
  const fs::path file = path_ / kLock;
  lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw OutputError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
  // A lock of this kind belongs to the process, so it ends with it and workers do not inherit it.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(lock_, F_SETLK, &whole) == 0) return;
  close(lock_);
  throw OutputError(fmt::format("{}: another process works on this sweep", path_.string()));
}

SweepDirectory::~SweepDirectory() {
  close(lock_);
}

void make_directories(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw OutputError(fmt::format("{}: cannot be made: {}", printable(directory.string()), error.message()));
  }
}

std::string read_whole(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw InputError(fmt::format("{}: cannot be opened: {}", printable(file.string()), std::strerror(errno)));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace flitscope
