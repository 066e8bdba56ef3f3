#include "sim/host/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

namespace flitscope {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kLongestWait{200};
/// Exit code of a worker without enough memory.
constexpr int kMemoryExit = 2;

[[noreturn]] void throw_exhausted(const char* what) {
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again), what);
}

void become_worker(const RunLimits& limits, pid_t pool) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != pool) _exit(1);  // the pool ended before the line above
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (limits.memory_bytes > 0) {
    const rlimit limit{limits.memory_bytes, limits.memory_bytes};
    setrlimit(RLIMIT_DATA, &limit);
  }
  // Standard output belongs to the pool's process.
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
}

/// False if the file does not take the whole text.
bool write_all(int file, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t bytes = write(file, text.data() + written, text.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;
    written += static_cast<std::size_t>(bytes);
  }
  return true;
}

/// The status with which a process ends.
int status_at_end(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

[[noreturn]] void work(int pipe, const std::function<std::string(std::size_t)>& job, std::size_t index) {
  int code = 0;
  try {
    if (!write_all(pipe, job(index))) code = 1;
  } catch (const std::bad_alloc&) {
    code = kMemoryExit;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flitscope: worker: %s\n", error.what());
    code = 1;
  }
  _exit(code);  // no destructors: SystemC's objects exist as long as the process
}

/// A file in memory with a text, gone when its descriptor is closed; -1 if the system gives none.
int memory_file(const std::string& text) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (!write_all(file, text)) {
    close(file);
    return -1;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

namespace fs = std::filesystem;

/// Calls visit(directory, version) for every control group of this process with the controller `controller`
/// ("memory", "cpu") and for its ancestors, whose limits hold, too. `version` of control groups is 1 or 2;
/// the names of files differ. A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH; the one of version 2
/// has no controllers.
void visit_control_groups(const std::string& controller,
                          const std::function<void(const fs::path&, int version)>& visit) {
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_second = controllers.empty();
    if (!is_second && ("," + controllers + ",").find("," + controller + ",") == std::string::npos) continue;
    const fs::path root = is_second ? fs::path("/sys/fs/cgroup") : fs::path("/sys/fs/cgroup") / controller;
    visit(root, is_second ? 2 : 1);
    fs::path group = fs::path(line.substr(second + 1)).relative_path();
    for (; !group.empty(); group = group.parent_path()) visit(root / group, is_second ? 2 : 1);
  }
}

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

std::uint64_t physical() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t own_address_space() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : kUnlimited;
}

/// The number in a file of a control group; unlimited if there is no such file, or it says "max".
std::uint64_t number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  return stream >> number ? number : kUnlimited;
}

std::uint64_t of_control_groups() {
  std::uint64_t least = kUnlimited;
  visit_control_groups("memory", [&](const fs::path& group, int version) {
    least = std::min(least, number_in(group / (version == 2 ? "memory.max" : "memory.limit_in_bytes")));
  });
  return least;
}

/// Processors in the mask of the process; all, if they do not fit into a mask.
unsigned own_processors() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return std::thread::hardware_concurrency();
  return static_cast<unsigned>(CPU_COUNT(&mask));
}

/// Processors of a quota and its period; unlimited without a file or with another word.
double share(std::istream& quota, std::istream& period) {
  double allowed = 0;
  double of = 0;
  const bool limited = quota >> allowed && period >> of && allowed > 0 && of > 0;
  return limited ? allowed / of : std::numeric_limits<double>::infinity();
}

double processors_of_control_groups() {
  double least = std::numeric_limits<double>::infinity();
  visit_control_groups("cpu", [&](const fs::path& group, int version) {
    std::ifstream quota(group / (version == 2 ? "cpu.max" : "cpu.cfs_quota_us"));
    std::ifstream period(group / "cpu.cfs_period_us");
    least = std::min(least, version == 2 ? share(quota, quota) : share(quota, period));
  });
  return least;
}

}  // namespace

std::uint64_t memory_limit() {
  return std::min({physical(), of_control_groups(), own_address_space()});
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

unsigned processor_limit() {
  const double ours = std::min<double>(own_processors(), std::ceil(processors_of_control_groups()));
  return std::max(1U, static_cast<unsigned>(ours));
}

WorkerPool::~WorkerPool() {
  end_all();
}

bool WorkerPool::run(std::size_t count, const Job& job, const OnEnd& on_end,
                     const std::function<bool()>& keep_going) {
  std::size_t next = 0;
  while (next < count || !running_.empty()) {
    if (!keep_going()) {
      end_all();
      return false;
    }
    while (next < count && running_.size() < workers_ && start(next, job)) ++next;
    if (running_.empty()) throw_exhausted("no more processes, see ulimit -u");
    wait_for_answers();
    kill_timed_out();
    if (!keep_going()) continue;  // an interrupt ends the workers too, whose ends mean nothing then
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (!readable_[i] || !read_from(running_[i])) continue;
      Worker ended = std::move(running_[i]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      if (next < count && start(next, job)) ++next;  // before its answer is processed, so that no core idles
      JobEnd end = reap(ended);
      on_end(ended.job, std::move(end));
    }
  }
  return true;
}

bool WorkerPool::start(std::size_t index, const Job& job) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_exhausted("no more pipes, see ulimit -n");
  const pid_t pool = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    become_worker(limits_, pool);
    work(ends[1], job, index);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return false;
  }
  const auto deadline = limits_.milliseconds == 0 ? Clock::time_point::max()
                                                  : Clock::now() + Milliseconds(limits_.milliseconds);
  running_.push_back({index, pid, ends[0], deadline, false, {}});
  return true;
}

void WorkerPool::wait_for_answers() {
  std::vector<pollfd> pipes;
  Clock::time_point first = Clock::now() + kLongestWait;
  for (const Worker& worker : running_) {
    pipes.push_back({worker.pipe, POLLIN, 0});
    if (!worker.timed_out) first = std::min(first, worker.deadline);
  }
  const auto left = std::chrono::ceil<Milliseconds>(first - Clock::now());
  const int found =
      poll(pipes.data(), pipes.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  readable_.assign(running_.size(), false);
  if (found <= 0) return;  // time is up, or a signal
  for (std::size_t i = 0; i < pipes.size(); ++i) readable_[i] = pipes[i].revents != 0;
}

void WorkerPool::kill_timed_out() {
  for (Worker& worker : running_) {
    if (worker.timed_out || Clock::now() < worker.deadline) continue;
    worker.timed_out = true;
    kill(worker.pid, SIGKILL);
  }
}

bool WorkerPool::read_from(Worker& worker) {
  std::array<char, 65536> part{};
  const ssize_t bytes = read(worker.pipe, part.data(), part.size());
  if (bytes < 0) return errno != EINTR;
  worker.answer.append(part.data(), static_cast<std::size_t>(bytes));
  return bytes == 0;
}

JobEnd WorkerPool::reap(Worker& worker) {
  close(worker.pipe);
  const int status = status_at_end(worker.pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {JobEnd::How::answered, std::move(worker.answer), 0};
  if (worker.timed_out) return {JobEnd::How::timed_out, {}, 0};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kMemoryExit) return {JobEnd::How::no_memory, {}, 0};
  if (WIFSIGNALED(status)) return {JobEnd::How::signalled, {}, WTERMSIG(status)};
  return {JobEnd::How::failed, {}, WEXITSTATUS(status)};
}

void WorkerPool::end_all() {
  for (const Worker& worker : running_) kill(worker.pid, SIGKILL);
  for (Worker& worker : running_) static_cast<void>(reap(worker));
  running_.clear();
}

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
  const int status = status_at_end(pid);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace flitscope
