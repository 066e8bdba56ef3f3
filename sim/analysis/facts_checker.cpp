#include "sim/analysis/facts_checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "model/text.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

void check_routing(const std::string& name, std::vector<Violation>& violations) {
  if (RoutingRegistry::find(name) != nullptr) return;
  std::vector<std::string> known;
  for (const Routing& entry : RoutingRegistry::all()) known.push_back(entry.name);
  violations.push_back(
      {ViolationKind::routing, 0, 0,
       fmt::format("no routing function is called \"{}\"; there are: {}", name, fmt::join(known, ", "))});
}

}  // namespace

std::vector<Violation> check_stages(const ScheduleFacts& facts) {
  std::vector<Violation> violations;
  const auto violate = [&](std::string text) {
    violations.push_back({ViolationKind::stages, 0, 0, std::move(text)});
  };
  std::uint64_t taken = 0;
  for (const Stage& stage : facts.stages) {
    const std::uint64_t first = stage.first_step;
    const std::uint64_t last = stage.last_step;
    if (stage.name.empty()) violate(fmt::format("the stage of steps {} to {} has no name", first, last));
    if (first < 1 || last < first || last > facts.steps) {
      violate(fmt::format(
          "stage \"{}\" has steps {} to {}; they must lie within 1 to {}, the last not before the first",
          stage.name, first, last, facts.steps));
    } else if (first <= taken) {
      violate(
          fmt::format("stage \"{}\" starts in step {}, but the stage before it lasts until step {}; "
                      "stages must follow one another",
                      stage.name, first, taken));
    }
    taken = std::max(taken, last);
  }
  return violations;
}

std::vector<Violation> check_bounds(std::uint64_t actual, const char* unit,
                                    const std::optional<std::uint64_t>& claimed,
                                    const std::optional<std::uint64_t>& lower_bound) {
  std::vector<Violation> violations;
  const auto time = [&](std::uint64_t number) {
    return counted(number, unit, (std::string(unit) + "s").c_str());
  };
  const auto violate = [&](std::string text) {
    violations.push_back({ViolationKind::bounds, 0, 0, std::move(text)});
  };
  if (lower_bound && *lower_bound > actual) {
    violate(fmt::format("the schedule takes {}, but announces that none can take fewer than {}", time(actual),
                        *lower_bound));
  }
  if (claimed && lower_bound && *claimed < *lower_bound) {
    violate(fmt::format("the schedule claims {}, but announces that none can take fewer than {}",
                        time(*claimed), *lower_bound));
  } else if (claimed && *claimed == 0 && actual > 0) {
    violate(fmt::format("the schedule takes {}, but claims 0", time(actual)));
  }
  return violations;
}

std::vector<Violation> check_facts(const ScheduleFacts& facts) {
  std::vector<Violation> violations;
  check_routing(facts.routing, violations);
  for (Violation& violation : check_stages(facts)) violations.push_back(std::move(violation));
  return violations;
}

}  // namespace flitscope
