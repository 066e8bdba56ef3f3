#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

#include "model/random.h"

namespace flitscope::fuzz {
namespace {

constexpr std::size_t kMaxLength = std::size_t{1} << 20;

/// Numbers at which programs break.
constexpr std::array<std::string_view, 20> kNumbers{"0",
                                                    "1",
                                                    "-1",
                                                    "-0",
                                                    "2147483647",
                                                    "2147483648",
                                                    "4294967295",
                                                    "4294967296",
                                                    "65536",
                                                    "1000000000",
                                                    "18446744073709551615",
                                                    "18446744073709551616",
                                                    "1e308",
                                                    "1e-9",
                                                    "0.1",
                                                    "1e999",
                                                    "00",
                                                    "0x10",
                                                    ".5",
                                                    "99999999999999999999999999"};

/// Text at which programs break.
constexpr std::array<std::string_view, 24> kTexts{"null",
                                                  "true",
                                                  "~",
                                                  "{}",
                                                  "[]",
                                                  "\"\"",
                                                  "''",
                                                  ":",
                                                  ", ",
                                                  "- ",
                                                  "&a ",
                                                  "*a",
                                                  "!!binary ",
                                                  "<<: ",
                                                  "\xEF\xBB\xBF",
                                                  "\xFF",
                                                  "\xC0\x80",
                                                  "\xE2\x80\xAE",
                                                  "\x1B[2J",
                                                  "\r\n",
                                                  "\t",
                                                  "../../x",
                                                  "%TAG ! x\n---\n",
                                                  "\\u0000"};

class Mutator {
 public:
  Mutator(const std::vector<std::string>& seeds, std::mt19937_64& random)
      : seeds_(seeds), random_(random), text_(seeds[below(seeds.size())]) {}

  std::string run() {
    for (std::uint64_t left = 1 + below(8); left > 0; --left) {
      change();
      if (text_.size() > kMaxLength) text_.resize(kMaxLength);
    }
    return std::move(text_);
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };

  std::uint64_t below(std::uint64_t bound) { return random_below(random_, bound); }
  template <typename List>
  const typename List::value_type& any(const List& list) {
    return list[below(list.size())];
  }

  void change() {
    switch (below(13)) {
      case 0:
        return flip_bit();
      case 1:
        return replace(some_bytes(), "");
      case 2:
        return double_range(some_bytes());
      case 3:
        return put(std::string(1, static_cast<char>(below(256))));
      case 4:
        return text_.resize(below(text_.size() + 1));
      case 5:
        return replace(line_of(text_), "");
      case 6:
        return double_range(line_of(text_));
      case 7:
        return exchange_lines();
      case 8:
        return take_line();
      case 9:
        return replace(token_of(text_, isdigit), any(kNumbers));
      case 10:
        return take_word();
      case 11:
        return put(any(kTexts));
      default:
        return nest();
    }
  }

  void flip_bit() {
    if (text_.empty()) return;
    text_[below(text_.size())] ^= static_cast<char>(1U << below(8));
  }

  void replace(Range range, std::string_view with) { text_.replace(range.begin, range.size(), with); }
  void put(std::string_view what) { text_.insert(below(text_.size() + 1), what); }

  /// Now and then very often.
  void double_range(Range range) {
    const std::string part = text_.substr(range.begin, range.size());
    const std::uint64_t times = below(20) == 0 ? 1 + below(2000) : 1;
    std::string more;
    for (std::uint64_t i = 0; i < times && more.size() < kMaxLength; ++i) more += part;
    text_.insert(range.end, more);
  }

  Range some_bytes() {
    const std::size_t begin = below(text_.size() + 1);
    const std::size_t length = std::min<std::size_t>(below(64), text_.size() - begin);
    return {begin, begin + length};
  }

  Range line_of(const std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t behind = text.find('\n', at);
    return {before == std::string::npos ? 0 : before + 1,
            behind == std::string::npos ? text.size() : behind + 1};
  }

  /// The characters of one kind around or behind a place drawn.
  Range token_of(const std::string& text, int (*is_part)(int)) {
    const auto belongs = [&](std::size_t i) { return is_part(static_cast<unsigned char>(text[i])) != 0; };
    std::size_t begin = below(text.size() + 1);
    while (begin < text.size() && !belongs(begin)) ++begin;
    while (begin > 0 && begin < text.size() && belongs(begin - 1)) --begin;
    std::size_t end = begin;
    while (end < text.size() && belongs(end)) ++end;
    return {begin, end};
  }

  void exchange_lines() {
    const Range first = line_of(text_);
    const std::string line = text_.substr(first.begin, first.size());
    replace(first, "");
    text_.insert(line_of(text_).begin, line);
  }

  void take_line() {
    const std::string& other = any(seeds_);
    const Range line = line_of(other);
    text_.insert(line_of(text_).begin, other, line.begin, line.size());
  }

  void take_word() {
    const std::string& other = any(seeds_);
    const Range word = token_of(other, isalpha);
    replace(token_of(text_, isalpha), std::string_view(other).substr(word.begin, word.size()));
  }

  void nest() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBrackets{
        {{"[", "]"}, {"{\"a\":", "}"}, {"{a: ", "}"}, {"- ", ""}}};
    const auto& [open, close] = any(kBrackets);
    const std::uint64_t depth = below(4) == 0 ? below(100'000) : below(70);
    std::string opened;
    std::string closed;
    for (std::uint64_t i = 0; i < depth; ++i) {
      opened += open;
      closed += close;
    }
    const Range inner = some_bytes();
    text_.insert(inner.end, closed);
    text_.insert(inner.begin, opened);
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64& random_;
  std::string text_;
};

}  // namespace

std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& random) {
  return Mutator(seeds, random).run();
}

}  // namespace flitscope::fuzz
