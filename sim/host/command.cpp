#include "sim/host/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace flitscope {

namespace {

/// A file in memory with a text, gone when its descriptor is closed; -1 if the system gives none.
int memory_file(const std::string& text) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  for (std::size_t written = 0; file >= 0 && written < text.size();) {
    const ssize_t bytes = write(file, text.data() + written, text.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) {
      close(file);
      return -1;
    }
    written += static_cast<std::size_t>(bytes);
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

}  // namespace

CommandOutput run_command(const std::vector<std::string>& words, CommandErrors errors,
                          const std::string& input) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  const int from = memory_file(input);
  if (from < 0 || pipe2(ends.data(), O_CLOEXEC) != 0) {
    const int failure = errno;
    if (from >= 0) close(from);
    return {failure, 0, {}};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (errors == CommandErrors::in_text) posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  CommandOutput output;
  pid_t pid = -1;
  output.failure = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(from);
  close(ends[1]);
  std::array<char, 65536> part{};
  for (ssize_t bytes = 0; (bytes = read(ends[0], part.data(), part.size())) != 0;) {
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) break;
    output.text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  close(ends[0]);
  if (output.failure != 0) return output;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace flitscope
