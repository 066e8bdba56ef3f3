// What those are told who watch a complete network.
#pragma once

#include "model/circuit_schedule.h"
#include "routers/circuits/transmission.h"

namespace flitscope {

/// Called in the cycle in which it happens: times never fall, and within a cycle come arrivals, then tunings,
/// then sends. The default is to take no notice.
class CircuitObserver {
 public:
  virtual ~CircuitObserver() = default;
  /// A port is tuned during the cycles `begin` .. `ready`-1, and then holds the circuit.
  virtual void tuned(const Circuit& /*circuit*/, Cycle /*begin*/, Cycle /*ready*/) {}
  /// A message begins.
  virtual void sent(const Transmission& /*transmission*/) {}
  /// A message has ended, in cycle `transmission.end`.
  virtual void arrived(const Transmission& /*transmission*/) {}
};

}  // namespace flitscope
