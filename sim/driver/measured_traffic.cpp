#include "sim/driver/measured_traffic.h"

namespace flitscope {

TrafficTally MeasuredTraffic::tally() const {
  TrafficTally all = tallies_.front();
  for (std::size_t i = 1; i < tallies_.size(); ++i) all += tallies_[i];
  return all;
}

void MeasuredTraffic::advance_phase(Cycle now) {
  if (now < phases_.next()) return;
  integrate(now);
  const TrafficPhase before = phases_.phase();
  phases_.advance(now, measured(), nodes_);
  if (phases_.phase() != before) report_phase(now);
}

void MeasuredTraffic::integrate(Cycle now) {
  for (TrafficTally& tally : tallies_) tally.message_cycles += (now - integrated_to_) * tally.in_flight();
  integrated_to_ = now;
}

}  // namespace flitscope
