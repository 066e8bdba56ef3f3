#include "sim/sweep/command_output.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <stdexcept>

#include "sim/sweep/launcher.h"

namespace flitscope {

CommandOutput run_command(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("this machine gives no more pipes");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t pid = -1;
  const int failure = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  CommandOutput output;
  if (failure != 0) {
    close(ends[0]);
    return {127, {}};
  }
  std::array<char, 4096> part{};
  for (ssize_t bytes = 0; (bytes = read(ends[0], part.data(), part.size())) != 0;) {
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) break;
    output.text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  while (!output.text.empty() && output.text.back() == '\n') output.text.pop_back();
  return output;
}

std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::string shell_word(const std::string& text) {
  constexpr const char* kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:@,%";
  if (!text.empty() && text.find_first_not_of(kHarmless) == std::string::npos) return text;
  std::string word = "'";
  for (const char character : text)
    word += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return word + "'";
}

}  // namespace flitscope
