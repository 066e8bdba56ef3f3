#include "sim/observe/writers/fst_packer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
extern "C" {  // glibc 2.36 declares it for C only
#include <sys/pidfd.h>
}
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "model/error.h"

namespace flitscope {

FstPacker::FstPacker(const std::filesystem::path& file, std::chrono::milliseconds patience)
    : file_(file), patience_(patience) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw OutputError(file_.string() + ": no pipe to vcd2fst");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "vcd2fst";
  std::string from = "-";
  std::string to = file_.string();
  std::array<char*, 4> arguments{program.data(), from.data(), to.data(), nullptr};
  const int failed = posix_spawnp(&process_, "vcd2fst", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  input_ = ends[1];
  if (failed != 0) {
    close_input();
    throw OutputError(
        "{}: vcd2fst cannot be started: {} (it is in the Debian package gtkwave; "
        "'observe.waves.format: vcd' needs no other program)",
        file_.string(), std::strerror(failed));
  }
  fcntl(input_, F_SETFL, O_NONBLOCK);
  // If vcd2fst dies, writing must fail, not end this program.
  std::signal(SIGPIPE, SIG_IGN);
}

FstPacker::~FstPacker() {
  close_input();
  wait_for_end();
}

void FstPacker::write(std::string_view text) {
  while (!text.empty() && failure_.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      if (!is_ready(input_, POLLOUT)) fail("vcd2fst hangs");
    } else if (errno != EINTR) {
      fail(fmt::format("vcd2fst takes no more: {}", std::strerror(errno)));
    }
  }
}

void FstPacker::finish() {
  close_input();
  wait_for_end();
  if (failure_.empty()) return;
  throw OutputError(
      "{}: could not be written completely: {} ('observe.waves.format: vcd' needs "
      "no other program)",
      file_.string(), failure_);
}

void FstPacker::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

bool FstPacker::is_ready(int descriptor, short events) const {
  pollfd wanted{.fd = descriptor, .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&wanted, 1, static_cast<int>(patience_.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

void FstPacker::wait_for_end() {
  if (process_ < 0) return;
  const int process = pidfd_open(process_, 0);
  const bool has_ended = failure_.empty() && (process < 0 || is_ready(process, POLLIN));
  if (process >= 0) close(process);
  if (!has_ended) {
    fail("vcd2fst hangs");
    kill(process_, SIGKILL);
  }
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  if (status != 0) fail(fmt::format("vcd2fst failed with status {}", status));
}

void FstPacker::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

}  // namespace flitscope
