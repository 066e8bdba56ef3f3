#include "sim/run/isolated.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <stdexcept>

namespace flitscope {

namespace {

[[noreturn]] void child(int pipe_end, const std::function<std::string()>& body) {
  std::string answer;
  try {
    answer = "+" + body();
  } catch (const std::exception& error) {
    answer = std::string("-") + error.what();
  }
  for (std::size_t written = 0; written < answer.size();) {
    const ssize_t bytes = write(pipe_end, answer.data() + written, answer.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) break;
    written += static_cast<std::size_t>(bytes);
  }
  _exit(0);  // no destructors: SystemC's live as long as the process
}

}  // namespace

std::string run_isolated(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("a simulation's process cannot be given a pipe");
  const pid_t caller = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error("a simulation's process cannot be started");
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a simulation ends with its caller
    if (getppid() != caller) _exit(1);
    close(ends[0]);
    child(ends[1], body);
  }
  close(ends[1]);
  std::string answer;
  std::array<char, 65536> part{};
  while (true) {
    const ssize_t bytes = read(ends[0], part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) break;
    answer.append(part.data(), static_cast<std::size_t>(bytes));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (answer.empty())
    throw std::runtime_error("the simulation's process died with status " + std::to_string(status));
  if (answer[0] == '-') throw std::runtime_error(answer.substr(1));
  return answer.substr(1);
}

}  // namespace flitscope
