#include "sim/observe/observer.h"

namespace flitscope {

namespace {

/// The section that observers add their keys to.
struct NoKeys {};

const SettingsRegistry::Entry section{
    RowSection<NoKeys>{.name = "observe",
                       .summary = "what a run writes down beyond its result, into the directory of --out",
                       .rows = {}},
    -7};

}  // namespace

std::vector<const ObserverKind*> wanted_observers(const Settings& settings) {
  std::vector<const ObserverKind*> kinds;
  for (const ObserverKind& kind : ObserverRegistry::all()) {
    if (kind.wanted(settings)) kinds.push_back(&kind);
  }
  return kinds;
}

}  // namespace flitscope
