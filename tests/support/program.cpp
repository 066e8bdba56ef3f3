#include "tests/support/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace flitscope::test {

namespace fs = std::filesystem;

namespace {

/// In the child process, between fork and exec.
void redirect(int stream, const std::string& file) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  if (opened < 0 || dup2(opened, stream) < 0) _exit(127);
  close(opened);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "flitscope-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryDirectory::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

std::vector<std::string> TemporaryDirectory::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    names.push_back(entry.path().lexically_relative(path_).string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> Outcome::complaints() const {
  std::istringstream stream(err);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

RunningProgram::RunningProgram(const Arguments& arguments, const std::string& out_file) {
  std::vector<std::string> words{FLITSCOPE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = out_file.empty() ? (streams_ / "out").string() : out_file;
  const std::string err = (streams_ / "err").string();

  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no child process");
  if (pid_ != 0) return;
  redirect(STDOUT_FILENO, out);
  redirect(STDERR_FILENO, err);
  execv(argv[0], argv.data());
  _exit(127);
}

RunningProgram::~RunningProgram() {
  if (pid_ < 0) return;
  kill();
  static_cast<void>(wait());
}

void RunningProgram::kill(int signal) const {
  ::kill(pid_, signal);
}

Outcome RunningProgram::wait() {
  Outcome outcome;
  int status = 0;
  rusage usage{};
  wait4(pid_, &status, 0, &usage);
  pid_ = -1;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (outcome.exit_code == 127) throw std::runtime_error("cannot run " FLITSCOPE_PROGRAM);
  // A program that was killed very early has not opened them.
  if (fs::exists(streams_ / "out")) outcome.out = text_of(streams_ / "out");
  if (fs::exists(streams_ / "err")) outcome.err = text_of(streams_ / "err");
  outcome.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return outcome;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(file.string() + " is missing");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string shipped_config(const std::string& name) {
  return FLITSCOPE_SOURCE_DIR "/configs/" + name;
}

}  // namespace flitscope::test
