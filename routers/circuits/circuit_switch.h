// The free-space switch of a complete network.
#pragma once

#include <queue>
#include <systemc>
#include <vector>

#include "routers/circuits/transmission.h"

namespace flitscope {

/// Carries transmissions from node to node. Its work grows with the messages: it keeps those that are on
/// their way, by the time they end.
class CircuitSwitch final : public sc_core::sc_module, public transmission_if {
 public:
  CircuitSwitch(const sc_core::sc_module_name& name, NodeId nodes);

  void attach(NodeId node, receiver_if& receiver) override { receivers_[node] = &receiver; }
  void transmit(const Transmission& transmission) override;

  /// When the next message ends; kNever if none is on its way.
  [[nodiscard]] Cycle next_arrival() const {
    return transmissions_.empty() ? kNever : transmissions_.top().end;
  }
  /// Ends the messages that arrive in cycle `now`, and adds them to `arrived` by rising ids. No message must
  /// have ended before.
  void deliver(Cycle now, std::vector<Transmission>& arrived);
  [[nodiscard]] std::size_t in_flight() const { return transmissions_.size(); }
  /// Nothing is on its way any more.
  void reset() { transmissions_ = {}; }

 private:
  struct Later {
    bool operator()(const Transmission& a, const Transmission& b) const {
      return a.end != b.end ? a.end > b.end : a.id > b.id;
    }
  };

  std::vector<receiver_if*> receivers_;
  std::priority_queue<Transmission, std::vector<Transmission>, Later> transmissions_;
};

}  // namespace flitscope
