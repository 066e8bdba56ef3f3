#include "sim/observe/observer.h"

#include "sim/network/network.h"

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

void ObservedRun::on_flits(FlitObserver& listener, const std::vector<NodeId>& nodes) {
  flits_.push_back(&listener);
  all_nodes_ = all_nodes_ || nodes.empty();
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
}

void ObservedRun::start() {
  RouterObservers observers;
  if (!stalls_.empty()) observers.stalls = this;
  if (!flits_.empty()) observers.flits = this;
  if (!all_nodes_) observers.flits_at = nodes_;
  network_->clock().observe(observers);
  for (const auto& listener : starts_) listener();
}

void ObservedRun::on_circuits(CircuitObserver& listener) {
  circuits_->observe(listener);
}

}  // namespace flitscope
