// Places in a configuration, and the diagnostics found there.
#pragma once

#include <fmt/core.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flitscope {

/// Where something was written: a file with line and column, both counted from 1, or something that has no
/// lines (line 0): "--set router.buffer=4", or a file as a whole.
struct SourceLocation {
  std::string source;
  std::uint64_t line = 0;
  /// In bytes; 0: the whole line.
  std::uint32_t column = 0;

  /// The place of byte `offset` of a text.
  [[nodiscard]] static SourceLocation in(std::string source, std::string_view text, std::size_t offset);

  auto operator<=>(const SourceLocation&) const = default;
  /// "file:3:12", "file:3", or the source alone where there are no lines; always one line of text.
  [[nodiscard]] std::string text() const;
};

/// Collects diagnostics, so that all of them are reported in one go.
class Diagnostics {
 public:
  /// `message` is one line that says what is wrong and what would be right. The same message at the same
  /// place counts once: the runs of a sweep share most of their text. Returns nothing, as a reader does that
  /// has refused its text.
  std::nullopt_t add(SourceLocation place, std::string message);
  /// With the message fmt::format(format, first, rest...).
  template <typename First, typename... Rest>
  std::nullopt_t add(SourceLocation place, fmt::format_string<First, Rest...> format, First&& first,
                     Rest&&... rest) {
    return add(std::move(place),
               fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  void add_all(const Diagnostics& others);
  [[nodiscard]] bool none() const { return list_.empty(); }
  /// Several times more than throw_if_any() lists: a suggestion for another one is not worth its search.
  [[nodiscard]] bool many() const { return list_.size() >= 100; }
  /// A line "PLACE: message" for each error, 20 at most, in the order of the file, those of the command line
  /// last.
  [[nodiscard]] std::string text() const;
  /// Throws an InputError with the text; does nothing if there is no error.
  void throw_if_any() const;

 private:
  struct Diagnostic {
    SourceLocation place;
    std::string message;
    auto operator<=>(const Diagnostic&) const = default;
  };
  std::vector<Diagnostic> list_;
  std::set<Diagnostic> known_;
};

/// The base of a reader of one file: it adds what is wrong, and knows whether anything was.
class DiagnosingReader {
 protected:
  explicit DiagnosingReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  template <typename... Args>
  void fail(const SourceLocation& place, fmt::format_string<Args...> format, Args&&... args) {
    diagnostics_.add(place, fmt::format(format, std::forward<Args>(args)...));
    sound_ = false;
  }
  /// The same of what has a result, which is nothing then.
  template <typename... Args>
  std::nullopt_t refuse(const SourceLocation& place, fmt::format_string<Args...> format, Args&&... args) {
    fail(place, format, std::forward<Args>(args)...);
    return std::nullopt;
  }

  Diagnostics& diagnostics_;
  bool sound_ = true;
};

}  // namespace flitscope
