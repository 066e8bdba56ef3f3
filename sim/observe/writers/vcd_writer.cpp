#include "sim/observe/writers/vcd_writer.h"

#include <fcntl.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <iterator>

#include "model/error.h"

namespace flitscope {

namespace {

/// Short names of signals: printable characters, as many as it takes.
std::string code_of(std::size_t number) {
  constexpr std::size_t kFirst = '!';
  constexpr std::size_t kCharacters = '~' - '!' + 1;
  std::string code;
  do {
    code += static_cast<char>(kFirst + number % kCharacters);
    number /= kCharacters;
  } while (number > 0);
  return code;
}

}  // namespace

VcdWriter::VcdWriter(const std::filesystem::path& file) : file_(file) {
  if (file.extension() == ".fst") {
    start_packing();
    return;
  }
  out_ = std::fopen(file.c_str(), "we");
  if (out_ == nullptr) throw OutputError(file.string() + ": cannot be written");
}

void VcdWriter::start_packing() {
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
  const int failed = posix_spawnp(&packer_, "vcd2fst", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  if (failed != 0) {
    ::close(ends[1]);
    throw OutputError(
        fmt::format("{}: vcd2fst cannot be started: {} (it is in the Debian package gtkwave; "
                    "'observe.waves.format: vcd' needs no other program)",
                    file_.string(), std::strerror(failed)));
  }
  // If vcd2fst dies, writing must fail, not end this program.
  std::signal(SIGPIPE, SIG_IGN);
  out_ = fdopen(ends[1], "w");
}

VcdWriter::~VcdWriter() {
  if (out_ != nullptr) std::fclose(out_);
  if (packer_ > 0) waitpid(packer_, nullptr, 0);
}

void VcdWriter::open_scope(const std::string& name) {
  scopes_.push_back(name);
  header_ += fmt::format("$scope module {} $end\n", name);
}

void VcdWriter::close_scope() {
  scopes_.pop_back();
  header_ += "$upscope $end\n";
}

VcdWriter::Signal VcdWriter::declare(const std::string& name, unsigned width) {
  const std::string range = width == 1 ? "" : fmt::format("[{}:0]", width - 1);
  const Value signal{fmt::format("{}.{}{}", fmt::join(scopes_, "."), name, range), code_of(values_.size()),
                     width, 0};
  header_ +=
      fmt::format("$var wire {} {} {}{}{} $end\n", width, signal.code, name, width == 1 ? "" : " ", range);
  values_.push_back(signal);
  return static_cast<Signal>(values_.size() - 1);
}

void VcdWriter::begin(const std::string& timescale) {
  text_ =
      fmt::format("$version flitscope {} $end\n$timescale {} $end\n{}$enddefinitions $end\n#0\n$dumpvars\n",
                  FLITSCOPE_VERSION, timescale, header_);
  header_.clear();
  for (const Value& signal : values_) write_value(signal);
  text_ += "$end\n";
}

void VcdWriter::write(Signal signal, std::uint64_t value) {
  if (time_ != written_time_) write_time();
  values_[signal].value = value;
  write_value(values_[signal]);
}

void VcdWriter::write_time() {
  constexpr std::size_t kEnough = 1U << 16;
  if (text_.size() >= kEnough) flush();
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("#{}\n"), time_);
  written_time_ = time_;
}

void VcdWriter::write_value(const Value& signal) {
  if (signal.width == 1) {
    text_ += signal.value == 0 ? '0' : '1';
    text_ += signal.code;
    text_ += '\n';
  } else {
    fmt::format_to(std::back_inserter(text_), FMT_COMPILE("b{:b} {}\n"), signal.value, signal.code);
  }
}

void VcdWriter::flush() {
  std::fwrite(text_.data(), 1, text_.size(), out_);  // errors are found by close()
  text_.clear();
}

void VcdWriter::close(std::uint64_t time) {
  time_ = time;
  if (time_ != written_time_) write_time();
  flush();
  const bool broken = std::ferror(out_) != 0;
  const bool unwritten = std::fclose(out_) != 0;
  out_ = nullptr;
  int status = 0;
  if (packer_ > 0) waitpid(packer_, &status, 0);
  packer_ = -1;
  if (broken || unwritten || status != 0) {
    throw OutputError(file_.string() + ": could not be written completely");
  }
}

}  // namespace flitscope
