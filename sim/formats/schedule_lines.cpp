#include "sim/formats/schedule_lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "model/error.h"
#include "model/text.h"
#include "sim/host/memory_limit.h"

namespace flitscope {
namespace {

constexpr const char* kHeaderWanted =
    "a schedule file starts with its header, {\"flitscope\": \"schedule\", \"version\": 1, ...}";

/// Some editors put one in front of UTF-8 text; configurations may have it, too. False: a broken one stands
/// there.
bool skip_byte_order_mark(std::istream& stream) {
  if (stream.peek() != 0xEF) return true;
  return stream.get() == 0xEF && stream.get() == 0xBB && stream.get() == 0xBF;
}

}  // namespace

std::unique_ptr<std::istream> open_schedule(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(fmt::format("{}: is a directory; a schedule is a file", printable(file.string())));
  }
  auto stream = std::make_unique<std::ifstream>(file, std::ios::binary);
  if (!*stream) {
    throw InputError(fmt::format("{}: cannot be opened: {}", printable(file.string()), std::strerror(errno)));
  }
  return stream;
}

ScheduleLines::ScheduleLines(const std::filesystem::path& file)
    : ScheduleLines(open_schedule(file), file.string()) {}

ScheduleLines::ScheduleLines(std::unique_ptr<std::istream> stream, const std::string& name)
    : stream_(std::move(stream)), place_{printable(name), 0}, memory_limit_(memory_limit()) {
  const auto refuse = [this](const char* what) {
    throw InputError(fmt::format("{}:1:1: {}; {}", place_.file, what, kHeaderWanted));
  };
  if (!skip_byte_order_mark(*stream_)) refuse("this is no schedule");
  const int first = stream_->peek();
  if (first == std::char_traits<char>::eof()) refuse("the file is empty");
  // Looked at before a line is read: a binary file may be one endless line.
  if (first != '{') refuse("this is no schedule");
  if (!read_line()) refuse("the file is empty");
  header_ = parse_json_line(line_, place_);
  if (!header_.contains("flitscope")) refuse("this is no schedule");
}

std::optional<nlohmann::json> ScheduleLines::next() {
  if (!read_line()) return std::nullopt;
  return parse_json_line(line_, place_);
}

bool ScheduleLines::read_line() {
  while (std::getline(*stream_, line_)) {
    ++place_.line;
    require_memory();
    if (line_.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
  if (stream_->bad())
    throw InputError(fmt::format("{}: reading failed after line {}", place_.file, place_.line));
  return false;
}

void ScheduleLines::require_memory() const {
  // A list of one-digit numbers takes most: a value of 16 bytes for two characters, twice while the list
  // grows, and once more while it is taken apart, where running out of memory would end the program.
  constexpr std::uint64_t kBytesPerCharacter = 32;
  if (line_.size() <= memory_limit_ / kBytesPerCharacter) return;
  throw InputError(fmt::format(
      "{}:{}: not enough memory: a line of {} MiB needs up to {:.1f} GiB, {:.1f} GiB available", place_.file,
      place_.line, line_.size() >> 20, static_cast<double>(line_.size() * kBytesPerCharacter) / (1 << 30),
      static_cast<double>(memory_limit_) / (1 << 30)));
}

std::string dumped_line(const nlohmann::ordered_json& line) {
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace flitscope
