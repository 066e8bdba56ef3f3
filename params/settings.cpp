#include "params/settings.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace flitscope {

namespace {

std::vector<SettingsRegistry::Part>& parts() {
  static std::vector<SettingsRegistry::Part> list;
  return list;
}

/// Files register in any order; what is printed has one.
auto rank(const SettingsRegistry::Part& part) {
  const auto& rows = part.section.rows;
  return std::tuple(part.order, part.section.name, rows.empty() ? "" : rows.front().key.parameter.name);
}

}  // namespace

const std::vector<SettingsRegistry::Part>& SettingsRegistry::all() {
  return parts();
}

void SettingsRegistry::add(Part part) {
  auto& list = parts();
  const auto at = std::ranges::upper_bound(list, rank(part), {}, rank);
  list.insert(at, std::move(part));
}

}  // namespace flitscope
