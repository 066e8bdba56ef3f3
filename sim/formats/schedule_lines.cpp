#include "sim/formats/schedule_lines.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "model/error.h"
#include "model/text.h"
#include "sim/host/processes.h"

namespace flitscope {

namespace {

constexpr const char* kHeaderWanted =
    "a schedule file starts with its header, {\"flitscope\": \"schedule\", \"version\": 1, ...}";

/// Reads until every name is found or the file ends. Throws InputError where it breaks.
void find_lines(ScheduleLines& lines, std::span<const MessageName> names,
                std::vector<std::optional<std::uint64_t>>& found) {
  MessageName present;
  std::size_t missing = names.size();
  while (missing > 0) {
    const auto line = lines.next();
    if (!line) return;
    if (!line->contains("step")) continue;  // a circuit
    const JsonValue value(*line, lines.place());
    const std::uint64_t step = value.at("step").whole(1, std::uint64_t{1} << 63);
    present.place = step == present.step ? present.place + 1 : 1;
    present.step = step;
    // A reply is the message behind its request.
    const std::uint64_t last = present.place + (line->contains("replies") ? 1 : 0);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_here = names[i].place >= present.place && names[i].place <= last;
      if (names[i].step != present.step || !is_here || found[i]) continue;
      found[i] = lines.place().line;
      --missing;
    }
    present.place = last;
  }
}

}  // namespace

ScheduleLines::ScheduleLines(std::unique_ptr<std::istream> stream, const std::string& name)
    : stream_(std::move(stream)), place_{name}, memory_limit_(memory_limit()) {
  const auto refuse = [this](const char* what) {
    throw InputError("{}: {}; {}", SourceLocation{place_.source, 1, 1}.text(), what, kHeaderWanted);
  };
  if (!skip_byte_order_mark(*stream_)) refuse("this is no schedule");
  const int first = stream_->peek();
  if (first == std::char_traits<char>::eof()) refuse("the file is empty");
  // Looked at before a line is read: a binary file may be one endless line.
  if (first != '{') refuse("this is no schedule");
  if (!read_line()) refuse("the file is empty");
  header_ = parse_strict_json(line_, place_);
  if (!header_.contains("flitscope")) refuse("this is no schedule");
}

std::optional<nlohmann::json> ScheduleLines::next() {
  if (!read_line()) return std::nullopt;
  return parse_strict_json(line_, place_);
}

bool ScheduleLines::read_line() {
  while (std::getline(*stream_, line_)) {
    ++place_.line;
    require_memory();
    if (line_.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
  if (stream_->bad())
    throw InputError("{}: reading failed after line {}", printable(place_.source), place_.line);
  return false;
}

void ScheduleLines::require_memory() const {
  // A list of one-digit numbers takes most: a value of 16 bytes for two characters, twice while the list
  // grows, and once more while it is taken apart, where running out of memory would end the program.
  constexpr std::uint64_t kBytesPerCharacter = 32;
  if (line_.size() <= memory_limit_ / kBytesPerCharacter) return;
  throw InputError("{}: not enough memory: a line of {} MiB needs up to {:.1f} GiB, {:.1f} GiB available",
                   place_.text(), line_.size() >> 20,
                   static_cast<double>(line_.size() * kBytesPerCharacter) / (1 << 30),
                   static_cast<double>(memory_limit_) / (1 << 30));
}

std::string dumped_line(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<std::optional<std::uint64_t>> message_lines(const std::filesystem::path& file,
                                                        std::span<const MessageName> names) {
  std::vector<std::optional<std::uint64_t>> found(names.size());
  std::error_code ignored;
  // What is no plain file, such as a pipe, has been used up.
  if (!std::filesystem::is_regular_file(file, ignored)) return found;
  try {
    ScheduleLines lines(open_file(file), file.string());
    find_lines(lines, names, found);
  } catch (const InputError&) {
    return found;  // the caller has a better error to report
  }
  return found;
}

std::string schedule_digest(std::istream& stream, std::ostream* copy) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (context == nullptr) throw std::bad_alloc();
  if (EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("this machine's OpenSSL has no SHA-256");
  }
  std::vector<char> part(std::size_t{1} << 16);
  while (stream.read(part.data(), static_cast<std::streamsize>(part.size())), stream.gcount() > 0) {
    const auto bytes = static_cast<std::size_t>(stream.gcount());
    EVP_DigestUpdate(context.get(), part.data(), bytes);
    if (copy != nullptr) copy->write(part.data(), stream.gcount());
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  std::string text = "sha256:";
  for (const unsigned char byte : std::span(digest).first(length)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace flitscope
