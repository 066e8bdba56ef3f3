#include "sim/observe/writers/vcd_writer.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "model/error.h"
#include "model/version.h"

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
    packer_.emplace(file);
    return;
  }
  out_.open(file, std::ios::binary);
  if (!out_) throw OutputError(file.string() + ": cannot be written");
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
  // Errors are found by close().
  if (packer_) {
    packer_->write(text_);
  } else {
    out_ << text_;
  }
  text_.clear();
}

void VcdWriter::close(std::uint64_t time) {
  time_ = time;
  if (time_ != written_time_) write_time();
  flush();
  if (packer_) {
    packer_->finish();
    return;
  }
  out_.close();
  if (!out_) throw OutputError(file_.string() + ": could not be written completely");
}

}  // namespace flitscope
