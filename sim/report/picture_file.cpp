#include "sim/report/picture_file.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "model/error.h"

namespace flitscope {
namespace {

/// A file in memory, gone with its last descriptor.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw OutputError(fmt::format("no memory for a picture: {}", std::strerror(errno)));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw OutputError(fmt::format("no memory for a picture: {}", std::strerror(errno)));
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    lseek(descriptor_, 0, SEEK_SET);
  }
  [[nodiscard]] std::string read() const {
    std::string text;
    std::array<char, 65536> part{};
    for (off_t at = 0;; at = static_cast<off_t>(text.size())) {
      const ssize_t got = pread(descriptor_, part.data(), part.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  int descriptor_;
};

}  // namespace

std::string png_of(const std::string& svg, const std::string& program) {
  const MemoryFile input("svg");
  const MemoryFile output("png");
  input.write(svg);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  std::array<std::string, 5> words{program, "--zoom", "2", "--format", "png"};
  std::array<char*, 6> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t process = -1;
  const int failed = posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw OutputError(
        fmt::format("{} cannot be started, which makes PNG: {} (it is in the Debian package "
                    "librsvg2-bin; SVG needs no other program)",
                    program, std::strerror(failed)));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  std::string png = output.read();
  if (status != 0 || png.empty()) {
    throw OutputError(fmt::format("{} makes no PNG: it ends with status {}", program, status));
  }
  return png;
}

void write_picture(const std::filesystem::path& file, const std::string& svg, Existing existing) {
  write_file(file, file.extension() == ".png" ? png_of(svg) : svg, existing);
}

}  // namespace flitscope
