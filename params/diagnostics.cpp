#include "params/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

SourceLocation SourceLocation::in(std::string source, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {std::move(source), static_cast<std::uint64_t>(std::ranges::count(before, '\n')) + 1,
          static_cast<std::uint32_t>(before.size() - line_start + 1)};
}

std::string SourceLocation::text() const {
  std::string text = printable(source);
  if (line > 0) text += fmt::format(":{}", line);
  if (column > 0) text += fmt::format(":{}", column);
  return text;
}

std::nullopt_t Diagnostics::add(SourceLocation place, std::string message) {
  Diagnostic diagnostic{std::move(place), std::move(message)};
  if (known_.insert(diagnostic).second) list_.push_back(std::move(diagnostic));
  return std::nullopt;
}

void Diagnostics::add_all(const Diagnostics& others) {
  for (const Diagnostic& diagnostic : others.list_) add(diagnostic.place, diagnostic.message);
}

void Diagnostics::throw_if_any() const {
  if (!none()) throw InputError(text());
}

std::string Diagnostics::text() const {
  std::vector<Diagnostic> ordered = list_;
  std::ranges::stable_sort(ordered, {}, [](const Diagnostic& diagnostic) {
    const SourceLocation& place = diagnostic.place;
    return std::tuple(place.line == 0, place.line, place.column);
  });
  constexpr std::size_t kMaxLines = 20;
  std::vector<std::string> lines;
  for (const auto& [place, message] : ordered) {
    if (lines.size() == kMaxLines) {
      lines.push_back(fmt::format("... and {} more", ordered.size() - kMaxLines));
      break;
    }
    lines.push_back(fmt::format("{}: {}", place.text(), message));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace flitscope
