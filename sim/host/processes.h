// Processes: the memory and processors of this one; many jobs on all cores, each in one of its own (SystemC
// allows one simulation a process, and a run that crashes must not end the others); other programs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace flitscope {

/// Bytes: the least of the machine's memory, the limits of the control groups that the process is in, and
/// its own limit of address space (`ulimit -v`). Memory used by other processes is not subtracted. The limit
/// of data does not count: runs of a sweep have one, and end when they reach it.
[[nodiscard]] std::uint64_t memory_limit();

/// Bytes: the most memory that this process has had so far.
[[nodiscard]] std::uint64_t peak_memory();

/// At least 1: the least of the processors that it may run on (`taskset`) and those whose time the control
/// groups that it is in may take, rounded up.
[[nodiscard]] unsigned processor_limit();

/// Limits of one job on the real machine. 0: none.
struct RunLimits {
  std::uint64_t milliseconds = 0;
  std::uint64_t memory_bytes = 0;
};

/// How a job's process ended.
struct JobEnd {
  enum class How : std::uint8_t {
    answered,   ///< with its whole answer
    timed_out,  ///< ended by the pool at its time limit
    signalled,  ///< by a signal: a crash, or a kill from outside
    no_memory,  ///< it had too little memory even to answer
    failed,     ///< with another exit code than 0
  };
  How how = How::answered;
  /// The text that the job returned.
  std::string answer;
  /// The signal, or the exit code.
  int code = 0;
};

/// Starts a process for each job by fork(), which costs a fraction of a millisecond: the program is loaded
/// and its declarations are registered already. The pool's own process must never have made a SystemC object.
/// Workers end when the pool's process ends, for any reason.
class WorkerPool {
 public:
  using Job = std::function<std::string(std::size_t)>;
  using OnEnd = std::function<void(std::size_t, JobEnd)>;

  /// `workers` processes at once. `limits` are for each job; memory is what the process allocates for data.
  WorkerPool(unsigned workers, const RunLimits& limits) : workers_(workers), limits_(limits) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Does jobs 0 to `count` - 1. `job` is called in a child process and its text handed to `on_end` in this
  /// one, in the order in which jobs end. `keep_going` is called several times a second; when it returns
  /// false, the children are ended and false is returned. Throws std::runtime_error if there can be no
  /// processes.
  bool run(
      std::size_t count, const Job& job, const OnEnd& on_end,
      const std::function<bool()>& keep_going = [] { return true; });

 private:
  using Clock = std::chrono::steady_clock;

  struct Worker {
    std::size_t job = 0;
    pid_t pid = -1;
    int pipe = -1;
    Clock::time_point deadline;
    bool timed_out = false;
    std::string answer;
  };

  /// False if the system can start no process at the moment.
  bool start(std::size_t index, const Job& job);
  void wait_for_answers();
  void kill_timed_out();
  /// Reads what is in the pipe; true at the end of the answer.
  static bool read_from(Worker& worker);
  static JobEnd reap(Worker& worker);
  void end_all();

  unsigned workers_;
  RunLimits limits_;
  std::vector<Worker> running_;
  /// Workers whose pipe has something to read, or has ended; parallel to running_.
  std::vector<bool> readable_;
};

// Other programs: sbatch, squeue, rsvg-convert.

struct CommandOutput {
  /// Why the program could not be started, as a value of errno; 0: it was.
  int failure = 0;
  /// 128 and the signal that ended it, if one did.
  int exit_code = 0;
  std::string text;
};

enum class CommandErrors : bool { mine, in_text };

/// Runs a program that is found in PATH, with `input` on its standard input, and waits for it. Its standard
/// error is that of this process, or in the text.
[[nodiscard]] CommandOutput run_command(const std::vector<std::string>& words, CommandErrors errors,
                                        const std::string& input = {});

}  // namespace flitscope
