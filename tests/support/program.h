// The program itself, run as a user runs it: arguments in, text and an exit code out.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace flitscope::test {

/// A directory of a test's own, empty at first, gone at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file of that name and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;

  /// Every file and directory below, as relative paths in alphabetical order.
  [[nodiscard]] std::vector<std::string> entries() const;

 private:
  std::filesystem::path path_;
};

/// What a run of the program left behind.
struct Outcome {
  int exit_code = 0;
  /// The signal that ended it, or 0.
  int signal = 0;
  std::string out;
  std::string err;
  std::uint64_t peak_memory_bytes = 0;

  /// Lines on standard error.
  [[nodiscard]] std::vector<std::string> complaints() const;
};

using Arguments = std::vector<std::string>;

/// A run of the program that has begun.
class RunningProgram {
 public:
  /// Standard output goes to `out_file` if one is named; then Outcome::out stays empty.
  explicit RunningProgram(const Arguments& arguments, const std::string& out_file = "");
  /// Ends the program if it still runs.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// By default SIGKILL, which no program can answer.
  void kill(int signal = SIGKILL) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] Outcome wait();

 private:
  TemporaryDirectory streams_;
  pid_t pid_ = -1;
};

[[nodiscard]] inline Outcome run_program(const Arguments& arguments, const std::string& out_file = "") {
  return RunningProgram(arguments, out_file).wait();
}

[[nodiscard]] std::string text_of(const std::filesystem::path& file);

/// A file of configs/.
[[nodiscard]] std::string shipped_config(const std::string& name);

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace flitscope::test
