#include "params/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

std::string SourceLocation::text() const {
  return line == 0 ? printable(source) : fmt::format("{}:{}:{}", printable(source), line, column);
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
  if (list_.empty()) return;
  std::vector<const Diagnostic*> ordered;
  for (const Diagnostic& diagnostic : list_) ordered.push_back(&diagnostic);
  std::ranges::stable_sort(ordered, {}, [](const Diagnostic* diagnostic) {
    const SourceLocation& place = diagnostic->place;
    return std::tuple(place.line == 0, place.line, place.column);
  });
  constexpr std::size_t kMaxLines = 20;
  std::vector<std::string> lines;
  for (const Diagnostic* diagnostic : ordered) {
    if (lines.size() == kMaxLines) {
      lines.push_back(fmt::format("... and {} more", ordered.size() - kMaxLines));
      break;
    }
    lines.push_back(fmt::format("{}: {}", diagnostic->place.text(), diagnostic->message));
  }
  throw InputError("{}", fmt::join(lines, "\n"));
}

}  // namespace flitscope
