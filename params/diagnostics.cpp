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

void Diagnostics::add(SourceLocation place, std::string message) {
  Mistake mistake{std::move(place), std::move(message)};
  if (std::ranges::find(list_, mistake) == list_.end()) list_.push_back(std::move(mistake));
}

void Diagnostics::add_all(const Diagnostics& others) {
  for (const Mistake& mistake : others.list_) add(mistake.place, mistake.message);
}

void Diagnostics::throw_if_any() const {
  if (list_.empty()) return;
  std::vector<const Mistake*> ordered;
  for (const Mistake& mistake : list_) ordered.push_back(&mistake);
  std::ranges::stable_sort(ordered, {}, [](const Mistake* mistake) {
    const SourceLocation& place = mistake->place;
    return std::tuple(place.line == 0, place.line, place.column);
  });
  std::vector<std::string> lines;
  for (const Mistake* mistake : ordered) {
    lines.push_back(fmt::format("{}: {}", mistake->place.text(), mistake->message));
  }
  throw InputError(fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace flitscope
